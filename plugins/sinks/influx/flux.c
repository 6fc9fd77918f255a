/* SPDX-License-Identifier: Apache-2.0 */
/* flux.c - reads answers of 2.x to queries, which are CSV. */
#include "answer.h"

#include <string.h>

/* Splits CSV of Flux: a header line after each empty line and before each table; comments begin
 * with #.  Cells here are names and numbers: a quoted one may hold commas, but no newline is
 * expected. */
static char **
split_cells (const char *line)
{
  GPtrArray *cells = g_ptr_array_new ();
  GString *cell = g_string_new (NULL);
  gboolean quoted = FALSE;
  for (; *line; line++) {
    if (*line == '"' && quoted && line[1] == '"')
      g_string_append_c (cell, *line++);
    else if (*line == '"')
      quoted = !quoted;
    else if (*line == ',' && !quoted) {
      g_ptr_array_add (cells, g_strdup (cell->str));
      g_string_truncate (cell, 0);
    } else
      g_string_append_c (cell, *line);
  }
  g_ptr_array_add (cells, g_string_free (cell, FALSE));
  g_ptr_array_add (cells, NULL);
  return (char **) g_ptr_array_free (cells, FALSE);
}

static const char *
cell_named (char **header, char **row, const char *name)
{
  guint n = g_strv_length (row);
  for (guint i = 0; header && header[i] && i < n; i++)
    if (strcmp (header[i], name) == 0)
      return row[i];
  return "";
}

typedef void (*RowFn) (char **header, char **row, gpointer user);

static void
each_row (const char *csv, RowFn fn, gpointer user)
{
  g_auto (GStrv) lines = g_strsplit (csv ? csv : "", "\n", -1);
  char **header = NULL;
  for (char **line = lines; *line; line++) {
    g_strchomp (*line);
    if (!**line)
      g_clear_pointer (&header, g_strfreev);
    if (!**line || **line == '#')
      continue;
    char **cells = split_cells (*line);
    if (header) {
      fn (header, cells, user);
      g_strfreev (cells);
    } else
      header = cells;
  }
  g_strfreev (header);
}

static void
see_row (char **header, char **row, gpointer user)
{
  (void) header;
  (void) row;
  *(gboolean *) user = TRUE;
}

gboolean
answer2_any (const char *csv)
{
  gboolean any = FALSE;
  each_row (csv, see_row, &any);
  return any;
}

struct counting {
  AnswerCount fn;
  gpointer user;
  gboolean failed;
};

static void
count_row (char **header, char **row, gpointer user)
{
  struct counting *counting = user;
  const char *value = cell_named (header, row, "_value");
  guint64 count;
  if (*cell_named (header, row, "error")
      || !g_ascii_string_to_unsigned (value, 10, 0, G_MAXUINT64, &count, NULL))
    counting->failed = TRUE;
  else
    counting->fn (cell_named (header, row, "_measurement"), cell_named (header, row, "_field"),
                  count, counting->user);
}

gboolean
answer2_counts (const char *csv, AnswerCount fn, gpointer user)
{
  struct counting counting = { fn, user, FALSE };
  each_row (csv, count_row, &counting);
  return !counting.failed;
}
