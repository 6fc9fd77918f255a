/* SPDX-License-Identifier: Apache-2.0 */
/* flux.c - reads answers of 2.x to queries, which are CSV: a line of names after each empty line
 * and before each table; comments begin with #. */
#include "answer.h"

#include <nprof/csv.h>

/* Returns the text of a cell, "" where there is none; transfer full. */
static char *
cell_named (const struct nprof_csv *names, const struct nprof_csv *row, const char *name)
{
  int i = nprof_csv_find (names, name);
  if (i < 0 || (unsigned) i >= row->n)
    return g_strdup ("");
  char *text = g_malloc0 (row->field[i].len + 1);
  nprof_csv_plain (&row->field[i], text);
  return text;
}

/* Hands over what a row counts; FALSE: it says of an error. */
static gboolean
count_row (const struct nprof_csv *names, const struct nprof_csv *row, AnswerCount fn,
           gpointer user)
{
  g_autofree char *value = cell_named (names, row, "_value"),
                  *error = cell_named (names, row, "error"),
                  *measurement = cell_named (names, row, "_measurement"),
                  *field = cell_named (names, row, "_field");
  guint64 count;
  if (*error || !g_ascii_string_to_unsigned (value, 10, 0, G_MAXUINT64, &count, NULL))
    return FALSE;
  fn (measurement, field, count, user);
  return TRUE;
}

/* Reads the rows of all tables, of which *n is how many; fn: NULL: they are counted alone.  Returns
 * FALSE where a row cannot be read, or says of an error. */
static gboolean
read_rows (const char *csv, guint *n, AnswerCount fn, gpointer user)
{
  struct nprof_csv names = { .n = 0 }, row;
  const char *at = csv ? csv : "", *end = at + strlen (at);
  for (*n = 0; at < end;) {
    at = nprof_csv_record (&row, at, end);
    if (row.why)
      return FALSE;
    if (nprof_csv_is_blank (&row))
      names.n = 0;
    else if (*row.at != '#' && !names.n)
      names = row;
    else if (*row.at != '#' && ++*n && fn && !count_row (&names, &row, fn, user))
      return FALSE;
  }
  return TRUE;
}

gboolean
answer2_any (const char *csv)
{
  guint n;
  return !read_rows (csv, &n, NULL, NULL) || n; /* what cannot be read is something */
}

gboolean
answer2_counts (const char *csv, AnswerCount fn, gpointer user)
{
  guint n;
  return read_rows (csv, &n, fn, user);
}
