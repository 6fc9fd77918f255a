/* SPDX-License-Identifier: Apache-2.0 */
/* cells.c - reads stored tables. */

#include "stored/cells.h"

#include <string.h>

gboolean
np_cells_open (NpCells *c, struct nprof_store *store, struct nprof_query *query, const char *name)
{
  guint32 number = nprof_store_find_table (store, name);
  *c = (NpCells){ .table = np_stored_table_new (store, query, number) };
  if (!c->table)
    return FALSE;
  guint32 origin = nprof_store_table_at (store, number)->origin;
  c->rows = c->table->n_rows;
  c->of_file = origin == G_MAXUINT32 || !origin;
  return TRUE;
}

gboolean
np_cells_lend (NpCells *c, const NpTableStore *tables, const char *name)
{
  *c = (NpCells){ .table = (NpTable *) np_table_store_find (tables, name), .lent = TRUE };
  c->rows = c->table ? c->table->n_rows : 0;
  return c->table != NULL;
}

void
np_cells_clear (NpCells *c)
{
  if (!c->lent)
    np_table_close (c->table);
  *c = (NpCells){ 0 };
}

const struct nprof_table_column *
np_cells_describe (const NpCells *c, guint column)
{
  return c->table && column < c->table->n_columns ? c->table->schema->columns[column] : NULL;
}

int
np_cells_column (const NpCells *c, const char *name)
{
  return c->table ? np_table_column (c->table, name) : -1;
}

gboolean
np_cells_at (const NpCells *c, guint64 row, guint column, struct nprof_cell *cell)
{
  *cell = (struct nprof_cell){ .type = NPROF_NULL };
  return c->table && c->table->read (c->table, row, column, cell);
}

/* Returns what is unknown, where there is no such column. */
static struct nprof_cell
named (const NpCells *c, guint64 row, const char *column)
{
  return c->table ? np_table_cell (c->table, row, np_table_column (c->table, column))
                  : (struct nprof_cell){ .type = NPROF_NULL };
}

gboolean
np_cells_i64 (const NpCells *c, guint64 row, const char *column, gint64 *value)
{
  struct nprof_cell cell = named (c, row, column);
  gboolean known = cell.type == NPROF_INT64 || cell.type == NPROF_UINT64 || cell.type == NPROF_BOOL;
  *value = known ? cell.v.i : 0;
  return known;
}

gboolean
np_cells_double (const NpCells *c, guint64 row, const char *column, double *value)
{
  struct nprof_cell cell = named (c, row, column);
  gboolean known = np_cell_is_number (&cell);
  *value = known ? np_cell_number (&cell) : 0;
  return known;
}

char *
np_cells_text (const NpCells *c, guint64 row, const char *column)
{
  struct nprof_cell cell = named (c, row, column);
  guint32 len;
  const char *text = np_cell_text (&cell, &len);
  return cell.type > NPROF_STRING ? g_strndup (text, len) : NULL;
}

gboolean
np_cells_is (const NpCells *c, guint64 row, const char *column, const char *text)
{
  g_autofree char *own = np_cells_text (c, row, column);
  return !g_strcmp0 (own, text);
}

static void
put_bytes (NpJson *j, const char *key, const char *text, guint32 len)
{
  struct nprof_buf hex = { 0 };
  if (len == 16)
    nprof_put_id128 (&hex, text);
  np_json_text_n (j, key, hex.data ? hex.data : "", hex.len);
  nprof_buf_clear (&hex);
}

void
np_json_cell (NpJson *j, const char *key, const struct nprof_cell *cell)
{
  guint32 len;
  switch (cell->type) {
  case NPROF_INT64:
    np_json_i64 (j, key, cell->v.i);
    break;
  case NPROF_UINT64:
    np_json_u64 (j, key, cell->v.u);
    break;
  case NPROF_DOUBLE:
    np_json_double (j, key, cell->v.f);
    break;
  case NPROF_BOOL:
    np_json_bool (j, key, cell->v.u != 0);
    break;
  case NPROF_TEXT:
  case NPROF_JSON: {
    const char *text = np_cell_text (cell, &len);
    np_json_text_n (j, key, text, len);
    break;
  }
  case NPROF_ID128: {
    const char *bytes = np_cell_text (cell, &len);
    put_bytes (j, key, bytes, len);
    break;
  }
  default:
    np_json_null (j, key);
  }
}
