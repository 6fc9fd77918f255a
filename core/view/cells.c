/* SPDX-License-Identifier: Apache-2.0 */
/* cells.c - reads stored tables. */

#include "view/cells.h"

#include <string.h>

gboolean
np_cells_open (NpCells *c, struct nprof_store *store, struct nprof_query *query, const char *table)
{
  guint32 index = nprof_store_find_table (store, table);
  const struct nprof_store_table *t
      = index == G_MAXUINT32 ? NULL : nprof_store_table_at (store, index);
  *c = (NpCells){ .store = store, .query = query, .table = t, .rows = t ? t->rows : 0 };
  return t != NULL;
}

void
np_cells_clear (NpCells *c)
{
  g_clear_pointer (&c->made.cells, g_array_unref);
  g_clear_pointer (&c->made.texts, g_ptr_array_unref);
  memset (c, 0, sizeof *c);
}

const struct nprof_store_table_column *
np_cells_describe (const NpCells *c, guint column)
{
  return c->table && column < c->table->n_columns
             ? nprof_store_table_column_at (c->store, c->table->columns + column)
             : NULL;
}

int
np_cells_column (const NpCells *c, const char *name)
{
  const struct nprof_store_table_column *column;
  size_t len;
  for (guint i = 0; (column = np_cells_describe (c, i)); i++)
    if (!strcmp (nprof_store_string (c->store, column->name, &len), name))
      return (int) i;
  return -1;
}

gboolean
np_cells_at (const NpCells *c, guint64 row, guint column, struct nprof_store_cell *cell)
{
  *cell = (struct nprof_store_cell){ .type = NPROF_NULL };
  if (c->made.cells) {
    *cell = g_array_index (c->made.cells, struct nprof_store_cell,
                           row * c->table->n_columns + column);
    return TRUE;
  }
  return c->table && nprof_store_cell (c->query, c->table, row, column, cell);
}

gboolean
np_cell_is_number (const struct nprof_store_cell *cell)
{
  return cell->type >= NPROF_INT64 && cell->type <= NPROF_BOOL;
}

double
np_cell_number (const struct nprof_store_cell *cell)
{
  double real;
  memcpy (&real, &cell->value, sizeof real);
  return cell->type == NPROF_DOUBLE  ? real
         : cell->type == NPROF_INT64 ? (double) (gint64) cell->value
                                     : (double) cell->value;
}

/* Returns what is unknown, where there is no such column. */
static struct nprof_store_cell
named (const NpCells *c, guint64 row, const char *column)
{
  struct nprof_store_cell cell = { .type = NPROF_NULL };
  int number = np_cells_column (c, column);
  if (number >= 0)
    np_cells_at (c, row, (guint) number, &cell);
  return cell;
}

gboolean
np_cells_i64 (const NpCells *c, guint64 row, const char *column, gint64 *value)
{
  struct nprof_store_cell cell = named (c, row, column);
  gboolean known = cell.type == NPROF_INT64 || cell.type == NPROF_UINT64 || cell.type == NPROF_BOOL;
  *value = known ? (gint64) cell.value : 0;
  return known;
}

gboolean
np_cells_double (const NpCells *c, guint64 row, const char *column, double *value)
{
  struct nprof_store_cell cell = named (c, row, column);
  gboolean known = cell.type == NPROF_DOUBLE;
  *value = 0;
  if (known)
    memcpy (value, &cell.value, sizeof *value);
  return known;
}

char *
np_cells_text (const NpCells *c, guint64 row, const char *column)
{
  struct nprof_store_cell cell = named (c, row, column);
  guint32 len;
  const char *text = cell.type >= NPROF_STRING ? np_cell_text (c, &cell, &len) : NULL;
  return text ? g_strndup (text, len) : NULL;
}

const char *
np_cell_text (const NpCells *c, const struct nprof_store_cell *cell, guint32 *len)
{
  size_t n = 0;
  *len = 0;
  if (c->made.cells && cell->type >= NPROF_STRING) {
    const char *text = g_ptr_array_index (c->made.texts, cell->value);
    *len = (guint32) strlen (text);
    return text;
  }
  if (cell->type == NPROF_STRING) {
    const char *text = nprof_store_string (c->store, (guint32) cell->value, &n);
    *len = (guint32) n;
    return text;
  }
  const char *text
      = cell->type > NPROF_STRING ? nprof_store_text (c->query, cell->value, len) : NULL;
  return text ? text : "";
}

const char *
np_type_name (guint type)
{
  static const char *const names[]
      = { "null", "int64", "uint64", "double", "bool", "string", "text", "json", "id128" };
  return type < G_N_ELEMENTS (names) ? names[type] : "text";
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
np_json_cell (NpJson *j, const char *key, const NpCells *c, const struct nprof_store_cell *cell)
{
  guint32 len;
  double real;
  switch (cell->type) {
  case NPROF_INT64:
    np_json_i64 (j, key, (gint64) cell->value);
    break;
  case NPROF_UINT64:
    np_json_u64 (j, key, cell->value);
    break;
  case NPROF_DOUBLE:
    memcpy (&real, &cell->value, sizeof real);
    np_json_double (j, key, real);
    break;
  case NPROF_BOOL:
    np_json_bool (j, key, cell->value != 0);
    break;
  case NPROF_STRING:
  case NPROF_TEXT:
  case NPROF_JSON: {
    const char *text = np_cell_text (c, cell, &len);
    np_json_text_n (j, key, text, len);
    break;
  }
  case NPROF_ID128: {
    const char *bytes = np_cell_text (c, cell, &len);
    put_bytes (j, key, bytes, len);
    break;
  }
  default:
    np_json_null (j, key);
  }
}
