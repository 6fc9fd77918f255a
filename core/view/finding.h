/* SPDX-License-Identifier: Apache-2.0 */
/* finding.h - the rules of what stands out in the tables of a profile.  With their thresholds they are
 * in docs/formats/view-api.md. */
#pragma once

#include "view/ask.h"
#include "view/cells.h"
#include "view/findings.h"

/* A row of a stored table. */
typedef struct {
  NpAsk *ask;
  const NpCells *cells;
  guint64 row;
} NpFindingRow;

typedef struct {
  const char *name, *threshold, *table, *widget, *source;
  /* Column that names what the rule tells of: rows of one thing count once.  NULL: each row is a
   * thing; "": all of them are one. */
  const char *thing;
  const char *unless; /* a rule that says as much already; NULL: none */
  /* Does the row break the rule?  It sets the ps at stake, where the row has a time.  A value that
   * is unknown breaks no rule, but those that ask what is known. */
  gboolean (*judge) (const NpFindingRow *row, gint64 *stake);
  /* Sets the text of a row that breaks it, and the window where that is seen. */
  void (*tell) (const NpFindingRow *row, NpFinding *finding);
} NpFindingRule;

/* All end with a rule without a name. */
extern const NpFindingRule np_rules_of_devices[];
extern const NpFindingRule np_rules_of_spread[];
extern const NpFindingRule np_rules_without_time[];

/* Returns the verdict of table bound with the most time at stake; transfer full.  NULL: no step has
 * a verdict. */
NpFinding *np_find_bound (NpAsk *ask);

/* Opens a table, of the window that the request asks of; it has no rows when there is none of that name.  Tables that
 * the file states are of the whole run. */
void np_finding_open (NpAsk *ask, NpCells *cells, const char *table);

/* -- Cells of a row ---------------------------------------------------------------- */

/* Returns FALSE when the value is unknown; it is 0 then. */
gboolean np_row_i64 (const NpFindingRow *row, const char *column, gint64 *value);
gboolean np_row_double (const NpFindingRow *row, const char *column, double *value);
/* Returns the text, transfer full; `otherwise`: unknown. */
char *np_row_text (const NpFindingRow *row, const char *column, const char *otherwise);
/* Is that the text of the column?  NULL: it is unknown. */
gboolean np_row_says (const NpFindingRow *row, const char *column, const char *text);
/* Have rows of two tables one text in a column of that name, or neither any? */
gboolean np_rows_agree (const NpFindingRow *a, const NpFindingRow *b, const char *column);
/* Returns a name as it stands in a sentence: without parameters and namespaces of C++, and ended by
 * an ellipsis behind 60 letters; transfer full. */
char *np_finding_name (NpAsk *ask, const char *name);
/* Returns whose the row is, "GPU 3 of rank 3", or "device 3" where the column has but a number; the
 * rank or the input is said where there are several; transfer full. */
char *np_row_place (const NpFindingRow *row, const char *column);
/* Is column `part`, which it sets `value` to, more than `percent` of column `whole`?  FALSE where one is
 * unknown. */
gboolean np_row_exceeds (const NpFindingRow *row, const char *part, const char *whole,
                         double percent, gint64 *value);
/* Returns column `part` as a share of column `whole`; 0 where one is unknown. */
double np_row_share (const NpFindingRow *row, const char *part, const char *whole);
/* Returns the time of a column as people read it; transfer full. */
char *np_row_time (const NpFindingRow *row, const char *column);
/* Sets the window to that of columns start_ns and duration_ns. */
void np_row_window (const NpFindingRow *row, NpFinding *finding);
