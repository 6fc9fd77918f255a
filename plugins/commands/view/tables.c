/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - chooses rows and columns of a stored table. */

#include "tables.h"
#include "system/type-name.h"
#include "table/condition.h"

#include <stdlib.h>
#include <string.h>

void
np_chosen_rows_clear (NpChosenRows *t)
{
  g_clear_pointer (&t->columns, g_array_unref);
  g_clear_pointer (&t->rows, g_array_unref);
}

/* -- Order of rows -------------------------------------------------------------------- */

static int
compare_cells (const struct nprof_cell *a, const struct nprof_cell *b)
{
  guint32 n, m;
  if (a->type == NPROF_INT64 && b->type == NPROF_INT64)
    return (a->v.i > b->v.i) - (a->v.i < b->v.i);
  if (a->type == NPROF_UINT64 && b->type == NPROF_UINT64)
    return (a->v.u > b->v.u) - (a->v.u < b->v.u);
  if (np_cell_is_number (a) && np_cell_is_number (b))
    return (np_cell_number (a) > np_cell_number (b)) - (np_cell_number (a) < np_cell_number (b));
  const char *x = np_cell_text (a, &n), *y = np_cell_text (b, &m);
  int order = memcmp (x, y, MIN (n, m));
  return order ? order : (n > m) - (n < m);
}

typedef struct {
  guint64 row;
  struct nprof_cell cell;
} Sorted;

/* Compares rows; unknown comes last, whichever way. */
static int
compare_rows (gconstpointer a, gconstpointer b, gpointer user)
{
  const gboolean *falling = user;
  const Sorted *x = a, *y = b;
  gboolean one = x->cell.type != NPROF_NULL, other = y->cell.type != NPROF_NULL;
  int order = one && other ? compare_cells (&x->cell, &y->cell) * (*falling ? -1 : 1) : other - one;
  return order ? order : (x->row > y->row) - (x->row < y->row);
}

/* Reads each cell once, since a comparison would read two. */
static void
sort_by (GArray *rows, const NpCells *cells, guint column, gboolean falling)
{
  g_autoptr (GArray) sorted = g_array_sized_new (FALSE, FALSE, sizeof (Sorted), rows->len);
  for (guint i = 0; i < rows->len; i++) {
    Sorted one = { .row = g_array_index (rows, guint64, i) };
    np_cells_at (cells, one.row, column, &one.cell);
    g_array_append_val (sorted, one);
  }
  g_array_sort_with_data (sorted, compare_rows, &falling);
  for (guint i = 0; i < rows->len; i++)
    g_array_index (rows, guint64, i) = g_array_index (sorted, Sorted, i).row;
}

/* -- Parameters -------------------------------------------------------------------------- */

static gboolean
no_column (NpAsk *ask, const char *parameter, const char *name)
{
  return np_reply_fail (ask->reply, 400, "", "parameter %s: the table has no column %.100s",
                        parameter, name);
}

static gboolean
choose_columns (NpAsk *ask, const NpCells *cells, NpChosenRows *t)
{
  const char *text = np_request_param (ask->request, "columns");
  g_auto (GStrv) names = g_strsplit (text ? text : "", ",", -1);
  for (guint i = 0; !text && np_cells_describe (cells, i); i++)
    g_array_append_val (t->columns, i);
  for (guint i = 0; names[i]; i++) {
    int column = np_cells_column (cells, names[i]);
    guint number = (guint) column;
    if (column < 0)
      return no_column (ask, "columns", names[i]);
    g_array_append_val (t->columns, number);
  }
  return TRUE;
}

void
np_rows_keep (NpChosenRows *t, const NpCells *cells, const char *column, const char *text)
{
  int number = np_cells_column (cells, column);
  const struct np_want want = { .op = NP_EQUAL, .text = (char *) text, .n = 1 };
  guint kept = 0;
  for (guint i = 0; number >= 0 && i < t->rows->len; i++) {
    guint64 row = g_array_index (t->rows, guint64, i);
    struct nprof_cell cell;
    np_cells_at (cells, row, (guint) number, &cell);
    if (np_cell_fits (&cell, &want))
      g_array_index (t->rows, guint64, kept++) = row;
  }
  if (number >= 0)
    g_array_set_size (t->rows, kept);
}

static gboolean
choose_rows (NpAsk *ask, const NpCells *cells, NpChosenRows *t)
{
  const char *text = np_request_param (ask->request, "where");
  g_auto (NpTableCondition) condition = { 0 };
  char why[160];
  guint32 at;
  if (!cells->table)
    return TRUE;
  if (!np_table_condition_parse (&condition, cells->table->schema, NP_BARE_AS_HELD,
                                 text ? text : "", why, &at))
    return np_reply_fail (ask->reply, 400, "",
                          "parameter where: at character %u: expected %s", at + 1, why);
  for (guint64 i = 0; i < cells->rows; i++)
    if (np_table_condition_fits (&condition, cells->table, i))
      g_array_append_val (t->rows, i);
  return TRUE;
}

static gboolean
sort_rows (NpAsk *ask, const NpCells *cells, NpChosenRows *t)
{
  const char *text = np_request_param (ask->request, "sort");
  if (!text || !*text)
    return TRUE;
  int column = np_cells_column (cells, text + (*text == '-'));
  if (column < 0)
    return no_column (ask, "sort", text);
  sort_by (t->rows, cells, (guint) column, *text == '-');
  return TRUE;
}

gboolean
np_rows_choose (NpAsk *ask, const NpCells *cells, NpChosenRows *t)
{
  t->columns = g_array_new (FALSE, FALSE, sizeof (guint));
  t->rows = g_array_new (FALSE, FALSE, sizeof (guint64));
  return np_ask_u32 (ask, "offset", 0, G_MAXUINT32, &t->offset)
         && np_ask_u32 (ask, "n", 200, 10000, &t->n) && choose_columns (ask, cells, t)
         && choose_rows (ask, cells, t) && sort_rows (ask, cells, t);
}

/* -- Writing ------------------------------------------------------------------------------- */

static void
put_column (NpJson *j, const struct nprof_table_column *c)
{
  np_json_object (j, NULL);
  np_json_text (j, "name", c->name);
  np_json_text (j, "type", np_type_name (c->type));
  np_json_text (j, "unit", c->unit);
  np_json_text (j, "role",
                c->role == NPROF_ROLE_KEY || c->role == NPROF_ROLE_LEVEL ? "key" : "value");
  np_json_text (j, "help", c->help);
  np_json_end_object (j);
}

void
np_json_columns (NpAsk *ask, const NpCells *cells, const GArray *chosen)
{
  const struct nprof_table_column *c;
  np_json_array (&ask->json, "columns");
  for (guint i = 0; chosen ? i < chosen->len : cells->table && i < cells->table->n_columns; i++)
    if ((c = np_cells_describe (cells, chosen ? g_array_index (chosen, guint, i) : i)))
      put_column (&ask->json, c);
  np_json_end_array (&ask->json);
}

gboolean
np_json_table (NpAsk *ask, const NpCells *cells, const NpChosenRows *t)
{
  NpJson *j = &ask->json;
  np_json_text (j, "name", cells->table->schema->name);
  np_json_text (j, "title", cells->table->schema->title);
  np_json_text (j, "note", cells->table->schema->note);
  np_json_columns (ask, cells, t->columns);
  np_json_number (j, "total", t->rows->len);
  np_json_number (j, "offset", t->offset);
  np_json_array (j, "rows");
  for (guint i = t->offset; i < t->rows->len && i - t->offset < t->n; i++) {
    np_json_array (j, NULL);
    for (guint k = 0; k < t->columns->len; k++) {
      struct nprof_cell cell;
      if (!np_cells_at (cells, g_array_index (t->rows, guint64, i),
                        g_array_index (t->columns, guint, k), &cell))
        return FALSE;
      np_json_cell (j, NULL, &cell);
    }
    np_json_end_array (j);
  }
  np_json_end_array (j);
  return TRUE;
}

void
np_json_no_table (NpJson *j, const char *name, const char *needs)
{
  np_json_text (j, "name", name);
  np_json_text (j, "title", "");
  np_json_text (j, "note", "");
  np_json_array (j, "columns");
  np_json_end_array (j);
  np_json_number (j, "total", 0);
  np_json_number (j, "offset", 0);
  np_json_array (j, "rows");
  np_json_end_array (j);
  np_json_text (j, "unknown", needs);
}
