/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - tables as NAME.parquet, each streamed as its rows come. */
#include "tables.h"

#include <nprof/sdk.h>

struct table {
  char *name, *title, *note;
  GArray *columns; /* of struct file_column */
  struct table_file table_file;
};

static void
free_table (gpointer data)
{
  struct table *t = data;
  table_file_clear (&t->table_file);
  g_array_unref (t->columns);
  g_free (t->name);
  g_free (t->title);
  g_free (t->note);
  g_free (t);
}

void
tables_open (struct tables *tables)
{
  tables->all = g_ptr_array_new_with_free_func (free_table);
}

void
tables_clear (struct tables *tables)
{
  g_clear_pointer (&tables->all, g_ptr_array_unref);
}

static nprof_status
start_table (struct tables *tables, struct table *t, const struct nprof_table *table)
{
  g_autofree char *path = g_strconcat (t->name, ".parquet", NULL);
  for (guint k = 0; table->columns[k]; k++) {
    const struct nprof_table_column *c = table->columns[k];
    guint leaf = table_file_columns_add (t->columns, c->name, c->name, c->type, c->unit, c->help);
    g_array_index (t->columns, struct file_column, leaf).is_key = nprof_is_key (c);
  }
  t->table_file.host = tables->host;
  return table_file_open (&t->table_file, tables->works, path, t->columns, tables->codec,
                          tables->limit, NULL);
}

static nprof_status
find_table (struct tables *tables, const struct nprof_table *table, struct table **found)
{
  for (guint k = 0; k < tables->all->len; k++) {
    *found = g_ptr_array_index (tables->all, k);
    if (strcmp ((*found)->name, table->name) == 0)
      return NPROF_OK;
  }
  if (strcmp (table->name, "events") == 0)
    return nprof_fail (tables->host, NPROF_E_CONTRACT,
                       "a table cannot be named events: events.parquet holds the rows");
  struct table *t = g_new0 (struct table, 1);
  t->name = g_strdup (table->name);
  t->title = g_strdup (table->title);
  t->note = g_strdup (table->note);
  t->columns = table_file_columns_new ();
  g_ptr_array_add (tables->all, t);
  *found = t;
  return start_table (tables, t, table);
}

static void
put_cell (struct table_file *table_file, guint leaf, const struct nprof_cell *cell)
{
  switch (cell->type) {
  case NPROF_INT64:
  case NPROF_UINT64:
    table_file_put_64 (table_file, leaf, cell->v.u);
    break;
  case NPROF_DOUBLE:
    table_file_put_double (table_file, leaf, cell->v.f);
    break;
  case NPROF_BOOL:
    table_file_put_bool (table_file, leaf, cell->v.u != 0);
    break;
  case NPROF_STRING:
    table_file_put_str (table_file, leaf, cell->v.s);
    break;
  case NPROF_TEXT:
  case NPROF_JSON:
    table_file_put_text (table_file, leaf, cell->v.text, cell->len);
    break;
  case NPROF_ID128:
    table_file_put_uuid (table_file, leaf, cell->v.text);
    break;
  }
}

nprof_status
tables_rows (struct tables *tables, const struct nprof_table *table, const struct nprof_cell *cells,
             guint n_rows)
{
  struct table *t = NULL;
  nprof_status status = find_table (tables, table, &t);
  for (guint i = 0; i < n_rows && status == NPROF_OK; i++) {
    for (guint k = 0; k < t->columns->len; k++)
      put_cell (&t->table_file, k, cells++);
    if (++t->table_file.writer.n_rows % TABLE_FILE_ROWS == 0
        && pq_writer_bytes (&t->table_file.writer) >= t->table_file.limit)
      status = table_file_flush (&t->table_file);
  }
  return status;
}

nprof_status
tables_finish (struct tables *tables)
{
  nprof_status status = NPROF_OK;
  for (guint k = 0; k < tables->all->len && status == NPROF_OK; k++) {
    struct table *t = g_ptr_array_index (tables->all, k);
    const struct table_file_about about = { t->name, t->title, t->note };
    status = table_file_end (&t->table_file, &about, t->columns, NULL);
  }
  return status;
}
