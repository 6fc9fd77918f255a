/* SPDX-License-Identifier: Apache-2.0 */
/* grid.c - makes cells, and numbers as pandas and polars write them. source:
 * pandas/io/formats/format.py (FloatArrayFormatter, _trim_zeros_float) */
#include "grid.h"

#include <math.h>
#include <string.h>

#define DIGITS 6 /* display.precision of pandas */

static void
clear_cell (gpointer data)
{
  GridCell *cell = data;
  g_free (cell->text);
}

Grid *
grid_new (const GridColumn *columns, guint n_columns)
{
  Grid *grid = g_new0 (Grid, 1);
  grid->columns = columns;
  grid->n_columns = n_columns;
  grid->cells = g_array_new (FALSE, FALSE, sizeof (GridCell));
  g_array_set_clear_func (grid->cells, clear_cell);
  return grid;
}

void
grid_free (Grid *grid)
{
  if (!grid)
    return;
  g_array_unref (grid->cells);
  g_free (grid);
}

guint
grid_rows (const Grid *grid)
{
  return grid->cells->len / grid->n_columns;
}

void
grid_add (Grid *grid, GridCell cell)
{
  g_array_append_val (grid->cells, cell);
}

/* -- Doubles of pandas --------------------------------------------------------------------- */

static char **
format_all (const double *values, guint n, const char *format)
{
  char **texts = g_new0 (char *, n + 1);
  char text[400]; /* the longest double has 309 digits before the point */
  for (guint i = 0; i < n; i++) {
    g_ascii_formatd (text, sizeof text, format, values[i]);
    texts[i] = g_strdup (isnan (values[i]) ? "NaN" : text);
  }
  return texts;
}

static gboolean
is_decimal (const char *text)
{
  return strchr (text, '.') && !strchr (text, 'e');
}

static gboolean
all_end_in_zero (char **texts)
{
  gboolean any = FALSE;
  for (; *texts; texts++) {
    if (is_decimal (*texts) && !g_str_has_suffix (*texts, "0"))
      return FALSE;
    any |= is_decimal (*texts);
  }
  return any;
}

/* Keeps one digit behind the point. */
static void
trim_zeros (char **texts)
{
  while (all_end_in_zero (texts))
    for (char **t = texts; *t; t++)
      if (is_decimal (*t))
        (*t)[strlen (*t) - 1] = '\0';
  for (char **t = texts; *t; t++)
    if (g_str_has_suffix (*t, ".")) {
      char *longer = g_strconcat (*t, "0", NULL);
      g_free (*t);
      *t = longer;
    }
}

/* Returns whether a text is too long; pandas counts the place of the sign as well. */
static gboolean
too_long (char **texts)
{
  for (; *texts; texts++)
    if (strlen (*texts) + (**texts != '-' && **texts != 'N') > DIGITS + 6)
      return TRUE;
  return FALSE;
}

char **
grid_pandas_doubles (const double *values, guint n)
{
  gboolean large = FALSE, small = FALSE;
  for (guint i = 0; i < n; i++) {
    large |= fabs (values[i]) > 1e6;
    small |= fabs (values[i]) < 1e-6 && values[i] != 0;
  }
  char **texts = format_all (values, n, "%.6f");
  trim_zeros (texts);
  if (!small && !(large && too_long (texts)))
    return texts;
  g_strfreev (texts);
  return format_all (values, n, "%.6e");
}

/* -- Doubles of polars ----------------------------------------------------------------------- */

char *
grid_polars_double (double value)
{
  char text[400];
  if (isnan (value))
    return g_strdup ("NaN");
  g_ascii_formatd (text, sizeof text, "%.6f", value);
  char *end = text + strlen (text);
  while (end[-1] == '0' && end[-2] != '.')
    *--end = '\0';
  return g_strdup (text);
}
