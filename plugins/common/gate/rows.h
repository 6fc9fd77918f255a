/* SPDX-License-Identifier: Apache-2.0 */
/* rows.h - the rows of a table that a demand names, and the value that each has. */
#pragma once

#include "gate/expr.h"
#include "table/condition.h"
#include "table/table-store.h"

typedef struct {
  const NpGateExpr *expr;
  const NpTable *stored;
  const NpTable *devices; /* NULL: none */
  /* The rest is set by np_gate_rows_find. */
  guint column;
  int over, plus, doubt, gaps; /* columns, or -1 */
  long double scale;                  /* one of the cell in ps, bytes ... */
  long double limit;                  /* in the same */
  gboolean exact;                     /* the cells are whole numbers */
  gboolean bare_time;                 /* a time, and the limit has no unit: ns */
  NpTableCondition condition;         /* without terms: none */
  int level;                          /* the column of it, or -1 */
  guint level_of, top_level; /* of the device of row level_of - 1, so that rows of one device in a
                                * row are looked through once; 0: of none yet */
} NpGateRows;

/* Returns how a demand names rows and a number of the table, which may be called by a short name:
 * kernels['GLOB'].total_ns. NULL: it has no number. Transfer full. */
char *np_gate_form (const struct nprof_table *schema, const char *name);
/* Finds the columns. NP_EXIT_USAGE: the table lacks one, or it cannot have the unit of the limit,
 * or the condition does not fit the table. Clear it in any case. */
gboolean np_gate_rows_find (NpGateRows *rows, GError **error);
void np_gate_rows_clear (NpGateRows *rows);
gboolean np_gate_row_matches (NpGateRows *rows, guint row);
/* Returns the key columns that are known, as "matmul, track 5"; the input where there are no
 * others.  Transfer full. */
char *np_gate_row_name (const NpTable *stored, guint row);
/* Returns the text of a cell as people see it; "" where it is unknown.  Transfer full. */
char *np_gate_cell_text (const struct nprof_cell *cell);
/* Takes the cell apart into value and divisor; *over is 1 where nothing is to be divided by. FALSE:
 * unknown. */
gboolean np_gate_row_value (const NpGateRows *rows, guint row, long double *value,
                            long double *over);
/* Returns what may have to be added to the value of the row, in its unit. */
long double np_gate_row_doubt (const NpGateRows *rows, guint row);
/* Counts the events that the row misses; FALSE: the table does not tell. */
gboolean np_gate_row_gaps (const NpGateRows *rows, guint row, guint64 *gaps);
