/* SPDX-License-Identifier: Apache-2.0 */
/* finding-row.c - reads the row of a table that a rule of findings looks at. */

#include "view/finding.h"
#include "view/window-rows.h"

#define LETTERS 60 /* of a name in a sentence: two of them fit into a line */

#include <string.h>
#include <nprof/units.h>

void
np_finding_open (NpAsk *ask, NpCells *cells, const char *table)
{
  const char *why;
  if (np_cells_open (cells, ask->store, ask->query, table))
    np_window_rows (ask, cells, &why);
}

gboolean
np_row_i64 (const NpFindingRow *r, const char *column, gint64 *value)
{
  return np_cells_i64 (r->cells, r->row, column, value);
}

gboolean
np_row_double (const NpFindingRow *r, const char *column, double *value)
{
  return np_cells_double (r->cells, r->row, column, value);
}

char *
np_row_text (const NpFindingRow *r, const char *column, const char *otherwise)
{
  char *text = np_cells_text (r->cells, r->row, column);
  return text ? text : g_strdup (otherwise);
}

gboolean
np_row_says (const NpFindingRow *r, const char *column, const char *text)
{
  g_autofree char *own = np_row_text (r, column, NULL);
  return !g_strcmp0 (own, text);
}

gboolean
np_rows_agree (const NpFindingRow *a, const NpFindingRow *b, const char *column)
{
  g_autofree char *own = np_row_text (a, column, NULL);
  return np_row_says (b, column, own);
}

char *
np_finding_name (NpAsk *ask, const char *name)
{
  const char *text = np_profile_short_name (ask->profile, name);
  if (!g_utf8_validate (text, -1, NULL) || g_utf8_strlen (text, -1) <= LETTERS)
    return g_strdup (text);
  g_autofree char *start = g_utf8_substring (text, 0, LETTERS - 1);
  return g_strconcat (start, "\u2026", NULL);
}

/* Returns "rank 3" for the input of a job, else its label. */
static char *
name_input (const NpFindingRow *r)
{
  g_autofree char *input = np_row_text (r, "input", NULL);
  g_auto (NpCells) ranks = { 0 };
  NpFindingRow rank = { r->ask, &ranks, 0 };
  gint64 number;
  np_finding_open (r->ask, &ranks, "ranks");
  for (; input && rank.row < ranks.rows; rank.row++)
    if (np_row_says (&rank, "file", input) && np_row_i64 (&rank, "rank", &number))
      return g_strdup_printf ("rank %" G_GINT64_FORMAT, number);
  return g_steal_pointer (&input);
}

char *
np_row_place (const NpFindingRow *r, const char *column)
{
  g_autofree char *text = np_row_text (r, column, "the device"),
                  *own = g_ascii_isdigit (*g_strstrip (text))
                             ? g_strdup_printf ("%s %s", column, text)
                             : g_strdup (text);
  g_autofree char *input = nprof_store_input_at (r->ask->store, 1) ? name_input (r) : NULL;
  return input ? g_strdup_printf ("%s of %s", own, input) : g_steal_pointer (&own);
}

gboolean
np_row_exceeds (const NpFindingRow *r, const char *part, const char *whole, double percent,
                gint64 *value)
{
  gint64 all;
  return np_row_i64 (r, part, value) && np_row_i64 (r, whole, &all) && all > 0
         && (double) *value * 100 > (double) all * percent;
}

double
np_row_share (const NpFindingRow *r, const char *part, const char *whole)
{
  gint64 of, all;
  np_row_i64 (r, part, &of);
  np_row_i64 (r, whole, &all);
  return all > 0 ? (double) of / (double) all : 0;
}

char *
np_row_time (const NpFindingRow *r, const char *column)
{
  gint64 time;
  np_row_i64 (r, column, &time);
  return g_strdup (nprof_time ((double) time).text);
}

void
np_row_window (const NpFindingRow *r, NpFinding *f)
{
  gint64 start, duration;
  if (!np_row_i64 (r, "start_ns", &start) || !np_row_i64 (r, "duration_ns", &duration))
    return;
  f->t0 = start;
  f->t1 = start + duration;
}
