/* SPDX-License-Identifier: Apache-2.0 */
/* polars.c - prints a grid in a box as polars draws it (UTF8_FULL_CONDENSED), without shape and
 * types, as the vendor's guide of 0.10 shows it. */
#include "grid.h"

static char *
text_of (const Grid *grid, guint row, guint column)
{
  const GridCell *cell = &g_array_index (grid->cells, GridCell, row * grid->n_columns + column);
  if (!cell->known)
    return g_strdup ("null");
  switch (grid->columns[column].type) {
  case GRID_TEXT:
    return g_strdup (cell->text);
  case GRID_DOUBLE:
    return grid_polars_double (cell->f);
  default:
    return g_strdup_printf ("%" G_GINT64_FORMAT, cell->i);
  }
}

static guint *
widths (const Grid *grid, guint from)
{
  guint *width = g_new0 (guint, grid->n_columns);
  for (guint c = from; c < grid->n_columns; c++) {
    width[c] = (guint) g_utf8_strlen (grid->columns[c].title, -1);
    for (guint r = 0; r < grid_rows (grid); r++) {
      g_autofree char *text = text_of (grid, r, c);
      width[c] = MAX (width[c], (guint) g_utf8_strlen (text, -1));
    }
  }
  return width;
}

static void
rule (const Grid *grid, guint from, const guint *width, const char *const marks[4], GString *out)
{
  for (guint c = from; c < grid->n_columns; c++) {
    g_string_append (out, marks[c > from]);
    for (guint i = 0; i < width[c] + 2; i++)
      g_string_append (out, marks[2]);
  }
  g_string_append_printf (out, "%s\n", marks[3]);
}

static void
put_cell (const char *text, gboolean first, guint width, GString *out)
{
  g_string_append_printf (out, "%s %s ", first ? "│" : "┆", text);
  for (guint n = (guint) g_utf8_strlen (text, -1); n < width; n++)
    g_string_append_c (out, ' ');
}

void
grid_polars (const Grid *grid, guint from, GString *out)
{
  static const char *const top[4]
      = { "┌", "┬", "─", "┐" },
      *const middle[4] = { "╞", "╪", "═", "╡" }, *const bottom[4] = { "└", "┴", "─", "┘" };
  g_autofree guint *width = widths (grid, from);
  rule (grid, from, width, top, out);
  for (guint c = from; c < grid->n_columns; c++)
    put_cell (grid->columns[c].title, c == from, width[c], out);
  g_string_append (out, "│\n");
  rule (grid, from, width, middle, out);
  for (guint r = 0; r < grid_rows (grid); r++) {
    for (guint c = from; c < grid->n_columns; c++) {
      g_autofree char *text = text_of (grid, r, c);
      put_cell (text, c == from, width[c], out);
    }
    g_string_append (out, "│\n");
  }
  rule (grid, from, width, bottom, out);
}
