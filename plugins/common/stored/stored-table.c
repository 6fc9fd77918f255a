/* SPDX-License-Identifier: Apache-2.0 */
/* stored-table.c - reads declarations and cells of tables where a store has them. */

#include "stored/stored-table.h"

#include <string.h>

typedef struct {
  NpTable base;
  struct nprof_store *store;
  struct nprof_query *query;
  const struct nprof_store_table *table;
  struct nprof_table schema;
  struct nprof_table_column *columns;
  const struct nprof_table_column **list; /* of columns, and NULL */
} StoredTable;

static const char *
string_of (const StoredTable *t, guint32 string)
{
  size_t len;
  return nprof_store_string (t->store, string, &len);
}

static gboolean
read_text (const StoredTable *t, guint64 at, struct nprof_cell *cell)
{
  const char *text = nprof_store_text (t->query, at, &cell->len);
  cell->v.text = text;
  return text && cell->type <= NPROF_ID128 && (cell->type != NPROF_ID128 || cell->len == 16);
}

static void
read_string (const StoredTable *t, guint64 string, struct nprof_cell *cell)
{
  size_t len;
  cell->v.text = nprof_store_string (t->store, (guint32) string, &len);
  cell->len = (guint32) len;
  cell->type = NPROF_TEXT;
}

static gboolean
read_stored (const NpTable *table, guint64 row, guint column, struct nprof_cell *cell)
{
  const StoredTable *t = (const StoredTable *) table;
  struct nprof_store_cell stored;
  if (!nprof_store_cell (t->query, t->table, row, column, &stored))
    return FALSE;
  struct nprof_cell found = { .type = stored.type, .v.u = stored.value };
  if (stored.type == NPROF_STRING)
    read_string (t, stored.value, &found);
  else if (stored.type > NPROF_STRING && !read_text (t, stored.value, &found))
    return FALSE;
  *cell = found;
  return TRUE;
}

static void
free_stored (NpTable *table)
{
  StoredTable *t = (StoredTable *) table;
  g_free (t->columns);
  g_free (t->list);
  g_free (t);
}

static gboolean
read_schema (StoredTable *t)
{
  guint n = t->table->n_columns;
  t->columns = g_new0 (struct nprof_table_column, n);
  t->list = g_new0 (const struct nprof_table_column *, n + 1);
  for (guint c = 0; c < n; c++) {
    const struct nprof_store_table_column *stored
        = nprof_store_table_column_at (t->store, t->table->columns + c);
    if (!stored)
      return FALSE;
    t->columns[c] = (struct nprof_table_column){ .size = sizeof (struct nprof_table_column),
                                                 .type = stored->type,
                                                 .name = string_of (t, stored->name),
                                                 .unit = string_of (t, stored->unit),
                                                 .help = string_of (t, stored->help),
                                                 .role = stored->role };
    t->list[c] = &t->columns[c];
  }
  t->schema = (struct nprof_table){ .size = sizeof t->schema,
                                    .name = string_of (t, t->table->name),
                                    .title = string_of (t, t->table->title),
                                    .note = string_of (t, t->table->note),
                                    .columns = t->list };
  return TRUE;
}

NpTable *
np_stored_table_new (struct nprof_store *store, struct nprof_query *query, guint32 number)
{
  const struct nprof_store_table *table = nprof_store_table_at (store, number);
  if (!table)
    return NULL;
  StoredTable *t = g_new0 (StoredTable, 1);
  t->store = store;
  t->query = query;
  t->table = table;
  t->base = (NpTable){ .schema = &t->schema,
                       .n_columns = table->n_columns,
                       .n_rows = table->rows,
                       .read = read_stored,
                       .free = free_stored };
  if (read_schema (t))
    return &t->base;
  free_stored (&t->base);
  return NULL;
}
