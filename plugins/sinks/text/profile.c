/* SPDX-License-Identifier: Apache-2.0 */
/* profile.c - says of one input what it is, from top to bottom; several are a table like any
 * other. */

#include "profile.h"

#include "grid.h"
#include "pairs.h"
#include "printable.h"

#include <nprof/sdk.h>
#include <nprof/units.h>
#include <string.h>

gboolean
profile_is (const Table *table)
{
  return strcmp (table->name, "inputs") == 0 && table->rows->len == 1 && table->n_rows == 1;
}

static const struct nprof_cell *
cell (const Table *table, int column)
{
  return &((const Row *) g_ptr_array_index (table->rows, 0))->cells[column];
}

static void
put_line (Paper *paper, guint width, const char *head, const char *text)
{
  guint blanks = width - MIN (width, printable_width (head));
  g_string_append_printf (paper->text, "  %s%s%s%*s  %s\n", paper_dim (paper), head,
                          paper_plain (paper), (int) blanks, "", text);
}

/* Returns "2.602001 ms to 28.136 ms, 25.5 ms long"; the length comes from the exact times. */
static char *
time_range (Paper *paper, const Table *table, const Grid *grid, int start, int end)
{
  if (cell (table, start)->type != NPROF_INT64 || cell (table, end)->type != NPROF_INT64)
    return g_strdup (grid_cell (&grid->columns[start], 0));
  guint64 length = (guint64) cell (table, end)->v.i - (guint64) cell (table, start)->v.i;
  const struct nprof_figure long_for = nprof_figure ((double) length, "ps");
  paper->rounded = paper->rounded || long_for.rounded;
  return g_strdup_printf ("%s to %s, %s long", grid_cell (&grid->columns[start], 0),
                          grid_cell (&grid->columns[end], 0), nprof_figure_join (long_for).text);
}

/* Puts properties, one a line, not as JSON; FALSE: the cell holds something else. */
static gboolean
put_pairs (Paper *paper, guint width, const char *head, const struct nprof_cell *json, guint most)
{
  g_autoptr (GPtrArray) pairs
      = json->type == NPROF_JSON ? pairs_read (json->v.text, json->len) : NULL;
  guint n = pairs ? pairs->len / 2 : 0, shown = n > most ? most - 1 : n;
  for (guint k = 0; k < 2 * shown; k += 2) {
    g_autofree char *line
        = g_strdup_printf ("%s: %s", (char *) pairs->pdata[k], (char *) pairs->pdata[k + 1]);
    g_autofree char *safe = printable_new (line, strlen (line));
    put_line (paper, width, k ? "" : head, safe);
  }
  if (shown < n) {
    g_autofree char *more = g_strdup_printf ("… and %u more; nprof info shows all", n - shown);
    put_line (paper, width, "", more);
  }
  return pairs != NULL;
}

void
profile_put (Paper *paper, const Table *table, const char *input, guint properties)
{
  g_autoptr (Grid) grid = grid_new (table, TRUE);
  int start = table_column (table, "start_ns"), end = table_column (table, "end_ns");
  gboolean ranged = start >= 0 && end >= 0;
  guint width = 4;
  for (guint c = 1; c < grid->n_columns; c++)
    width = MAX (width, printable_width (grid->columns[c].head));
  g_string_append_printf (paper->text, "%sProfile: %s%s\n", paper_bold (paper), input,
                          paper_plain (paper));
  for (guint c = 1; c < grid->n_columns; c++) {
    if (ranged && (int) c == start) {
      g_autofree char *range = time_range (paper, table, grid, start, end);
      put_line (paper, width, "time", range);
    } else if (put_pairs (paper, width, grid->columns[c].head, cell (table, (int) c), properties)) {
      continue;
    } else if (!ranged || (int) c != end) {
      put_line (paper, width, grid->columns[c].head, grid_cell (&grid->columns[c], 0));
    }
  }
  g_string_append_c (paper->text, '\n');
  paper->rounded = paper->rounded || grid->rounded;
}
