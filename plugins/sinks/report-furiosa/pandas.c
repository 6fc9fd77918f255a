/* SPDX-License-Identifier: Apache-2.0 */
/* pandas.c - a grid as DataFrame.to_string of pandas 1.x and 2.x lays it out. */
#include "grid.h"

#include <string.h>

/* -- Cells as text ------------------------------------------------------------------------- */

static const GridCell *
cell_at (const Grid *grid, guint row, guint column)
{
  return &g_array_index (grid->cells, GridCell, row * grid->n_columns + column);
}

static char **
doubles (const Grid *grid, guint column)
{
  guint n = grid_rows (grid);
  g_autofree double *values = g_new (double, n + 1);
  for (guint r = 0; r < n; r++) {
    const GridCell *cell = cell_at (grid, r, column);
    values[r] = cell->known ? cell->f : __builtin_nan ("");
  }
  return grid_pandas_doubles (values, n);
}

static char *
text_of (const Grid *grid, guint row, guint column)
{
  const GridCell *cell = cell_at (grid, row, column);
  if (!cell->known)
    return g_strdup (grid->columns[column].type == GRID_TEXT ? "NaN" : "<NA>");
  if (grid->columns[column].type == GRID_TEXT)
    return g_strdup (cell->text);
  return g_strdup_printf ("%" G_GINT64_FORMAT, cell->i);
}

static char **
texts_of (const Grid *grid, guint column)
{
  if (grid->columns[column].type == GRID_DOUBLE)
    return doubles (grid, column);
  char **texts = g_new0 (char *, grid_rows (grid) + 1);
  for (guint r = 0; r < grid_rows (grid); r++)
    texts[r] = text_of (grid, r, column);
  return texts;
}

/* -- Lines --------------------------------------------------------------------------------- */

static guint
length (const char *text)
{
  return (guint) g_utf8_strlen (text, -1);
}

static guint
widest (char **texts)
{
  guint width = 0;
  for (; *texts; texts++)
    width = MAX (width, length (*texts));
  return width;
}

static void
pad (GString *out, guint n)
{
  for (; n; n--)
    g_string_append_c (out, ' ');
}

static void
right (GString *out, const char *text, guint width)
{
  pad (out, width - length (text));
  g_string_append (out, text);
}

static void
left (GString *out, const char *text, guint width)
{
  g_string_append (out, text);
  pad (out, width - length (text));
}

static void
empty (const Grid *grid, GString *out)
{
  g_string_append (out, "Empty DataFrame\nColumns: [");
  for (guint c = 1; c < grid->n_columns; c++)
    g_string_append_printf (out, "%s%s", c > 1 ? ", " : "", grid->columns[c].title);
  g_string_append (out, "]\nIndex: []\n");
}

/* Returns the width: values have a space before them, titles of numbers too; columns are one space
 * apart. */
static guint
width_of (const GridColumn *column, char **texts)
{
  guint title = length (column->title) + (column->type != GRID_TEXT);
  return MAX (title, widest (texts) + 1);
}

void
grid_pandas (const Grid *grid, const char *index, GString *out)
{
  guint n = grid_rows (grid);
  if (n == 0) {
    empty (grid, out);
    return;
  }
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  g_autofree guint *width = g_new (guint, grid->n_columns);
  for (guint c = 0; c < grid->n_columns; c++) {
    g_ptr_array_add (texts, texts_of (grid, c));
    width[c] = width_of (&grid->columns[c], g_ptr_array_index (texts, c));
  }
  width[0] = MAX (widest (g_ptr_array_index (texts, 0)), index ? length (index) : 0);
  pad (out, width[0]);
  for (guint c = 1; c < grid->n_columns; c++) {
    pad (out, 1);
    right (out, grid->columns[c].title, width[c]);
  }
  g_string_append_c (out, '\n');
  if (index) {
    left (out, index, width[0]);
    for (guint c = 1; c < grid->n_columns; c++)
      pad (out, width[c] + 1);
    g_string_append_c (out, '\n');
  }
  for (guint r = 0; r < n; r++) {
    left (out, ((char **) g_ptr_array_index (texts, 0))[r], width[0]);
    for (guint c = 1; c < grid->n_columns; c++) {
      pad (out, 1);
      right (out, ((char **) g_ptr_array_index (texts, c))[r], width[c]);
    }
    g_string_append_c (out, '\n');
  }
}
