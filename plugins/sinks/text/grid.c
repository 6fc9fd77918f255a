/* SPDX-License-Identifier: Apache-2.0 */
/* grid.c - turns the cells of a table into texts; layout.c decides where they stand on a page. */

#include "grid.h"

#include "number.h"
#include "printable.h"

#include <string.h>

#define UNKNOWN "unknown"
#define NOTHING "-" /* of a key: the row is not of one of them; of a reason: nothing needs one */

static const struct nprof_cell *
cell_at (const Table *table, guint column, guint row)
{
  return &((const Row *) g_ptr_array_index (table->rows, row))->cells[column];
}

static char *
hex (const struct nprof_cell *cell)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < cell->len; i++)
    g_string_append_printf (out, "%02x", (guchar) cell->v.text[i]);
  return g_string_free (out, FALSE);
}

static char *
text_of (const Table *table, const struct nprof_cell *cell)
{
  gsize len;
  const char *text = cell_text (table->host, cell, &len);
  return printable_new (text, len);
}

/* Returns a whole number: a date, a point in time, a name made of digits, or a figure. */
static char *
whole_new (const Column *column, gint64 value, gboolean *rounded)
{
  if (column_is_date (column))
    return number_date (value, rounded);
  if (column_is_instant (column))
    return g_strdup (nprof_point (value).text);
  if (column->role == NPROF_ROLE_KEY && !*column->unit)
    return g_strdup_printf ("%" G_GINT64_FORMAT, value);
  return number_text (nprof_figure_i64 (value, column->unit), rounded);
}

static char *
cell_new (const Table *table, const Column *column, const struct nprof_cell *cell,
          gboolean *rounded)
{
  switch (cell->type) {
  case NPROF_NULL:
    return NULL;
  case NPROF_INT64:
    return whole_new (column, cell->v.i, rounded);
  case NPROF_UINT64:
    if (column->role == NPROF_ROLE_KEY && !*column->unit)
      return g_strdup_printf ("%" G_GUINT64_FORMAT, cell->v.u);
    return number_text (nprof_figure_u64 (cell->v.u, FALSE, column->unit), rounded);
  case NPROF_DOUBLE:
    return number_text (nprof_figure (cell->v.f, column->unit), rounded);
  case NPROF_BOOL:
    return g_strdup (cell->v.u ? "yes" : "no");
  case NPROF_ID128:
    return hex (cell);
  default:
    return text_of (table, cell);
  }
}

/* As skew_reason, which says why skew_ns is unknown. */
static gboolean
is_reason (const Column *column, const char *stem)
{
  return column->role != NPROF_ROLE_KEY
         && (strcmp (stem, "reason") == 0 || g_str_has_suffix (stem, "_reason"));
}

static void
fill_column (Grid *grid, guint c, const Table *table)
{
  const Column *from = &table->columns[c];
  GridColumn *to = &grid->columns[c];
  g_autofree char *stem = column_stem (from);
  to->head = printable_new (stem, strlen (stem));
  to->key = from->role == NPROF_ROLE_KEY;
  to->reason = is_reason (from, stem);
  to->number = from->type >= NPROF_INT64 && from->type <= NPROF_DOUBLE && !column_is_date (from);
  to->whole = to->number || column_is_date (from);
  to->telling = !to->key && (from->type == NPROF_STRING || from->type == NPROF_TEXT);
  to->cells = g_new0 (char *, table->rows->len);
  to->unknown = table->rows->len > 0;
  to->same_as = -1;
  to->same = table->rows->len > 1;
  to->width = printable_width (to->head);
  for (guint r = 0; r < table->rows->len; r++) {
    to->cells[r] = cell_new (table, from, cell_at (table, c, r), &grid->rounded);
    to->unknown = to->unknown && !to->cells[r];
    to->same = to->same && strcmp (grid_cell (to, r), grid_cell (to, 0)) == 0;
    to->width = MAX (to->width, printable_width (grid_cell (to, r)));
  }
  to->hidden = to->unknown;
}

static gboolean
repeats (const GridColumn *column, const GridColumn *other, guint n_rows)
{
  for (guint r = 0; r < n_rows; r++)
    if (column->cells[r] && g_strcmp0 (column->cells[r], other->cells[r]) != 0)
      return FALSE;
  return TRUE;
}

/* Finds texts that tell nothing new, which are hidden; keys always stay. */
static void
find_repeats (Grid *grid)
{
  for (guint c = 0; grid->n_rows > 1 && c < grid->n_columns; c++) {
    GridColumn *column = &grid->columns[c];
    for (guint d = 0; column->telling && !column->hidden && d < grid->n_columns; d++) {
      const GridColumn *other = &grid->columns[d];
      if (d == c || !other->telling || other->hidden || !repeats (column, other, grid->n_rows))
        continue;
      column->same_as = (int) d;
      column->hidden = TRUE;
    }
  }
}

Grid *
grid_new (const Table *table, gboolean no_input)
{
  Grid *grid = g_new0 (Grid, 1);
  grid->n_columns = table->n_columns;
  grid->n_rows = table->rows->len;
  grid->partial = table->n_rows > table->rows->len;
  grid->columns = g_new0 (GridColumn, grid->n_columns);
  for (guint c = 0; c < grid->n_columns; c++)
    fill_column (grid, c, table);
  grid->rounded = grid->rounded || table->rounded;
  if (no_input) {
    grid->columns[0].hidden = TRUE;
    grid->columns[0].unknown = FALSE;
  }
  find_repeats (grid);
  return grid;
}

void
grid_free (Grid *grid)
{
  for (guint c = 0; c < grid->n_columns; c++) {
    for (guint r = 0; r < grid->n_rows; r++)
      g_free (grid->columns[c].cells[r]);
    g_free (grid->columns[c].cells);
    g_free (grid->columns[c].head);
  }
  g_free (grid->columns);
  g_free (grid);
}

const char *
grid_cell (const GridColumn *column, guint row)
{
  if (column->cells[row])
    return column->cells[row];
  return column->key || column->reason ? NOTHING : UNKNOWN;
}

/* Appends the repeated columns; one may have been unknown where the one that it repeats was not. */
static void
append_repeats (GString *out, const Grid *grid)
{
  for (guint c = 0; c < grid->n_columns; c++) {
    const GridColumn *column = &grid->columns[c];
    if (column->same_as < 0)
      continue;
    gboolean full = TRUE;
    for (guint r = 0; r < grid->n_rows; r++)
      full = full && column->cells[r];
    g_string_append_printf (out, "%s%s: as %s%s", out->len ? "; " : "", column->head,
                            grid->columns[column->same_as].head, full ? "" : ", or unknown");
  }
}

static void
append_unknown (GString *out, const Grid *grid, gboolean keys)
{
  gboolean first = TRUE;
  for (guint c = 0; c < grid->n_columns; c++) {
    const GridColumn *column = &grid->columns[c];
    if (!column->unknown || column->reason || column->key != keys)
      continue;
    if (first)
      g_string_append_printf (out, "%s%s in %s: ", out->len ? "; " : "", keys ? "empty" : UNKNOWN,
                              grid->partial ? "the rows shown" : "every row");
    g_string_append_printf (out, "%s%s", first ? "" : ", ", column->head);
    first = FALSE;
  }
}

char *
grid_hidden (const Grid *grid, gboolean keys)
{
  GString *names = g_string_new (NULL);
  append_unknown (names, grid, FALSE);
  if (keys)
    append_unknown (names, grid, TRUE);
  append_repeats (names, grid);
  return g_string_free (names, names->len == 0);
}
