/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - tables as NAME.csv, each streamed as its rows come. */
#include "tables.h"

struct csv_table {
  char *name;
  guint n_columns; /* of the table; `columns` are those picked */
  GArray *columns;
  struct csv_file file;
};

static void
free_table (gpointer data)
{
  struct csv_table *t = data;
  g_free (t->name);
  g_array_unref (t->columns);
  csv_file_clear (&t->file);
  g_free (t);
}

void
csv_tables_open (struct csv_tables *tables, struct csv_format *format)
{
  tables->format = format;
  tables->files = g_ptr_array_new_with_free_func (free_table);
  tables->others = g_ptr_array_new_with_free_func (g_free);
}

static nprof_status
start_table (struct csv_tables *tables, struct csv_table *t, const struct nprof_table *table)
{
  struct csv_format *format = tables->format;
  const char *picks = g_strcmp0 (tables->only, table->name) == 0 ? tables->picks : NULL;
  g_autofree char *why = NULL;
  for (t->n_columns = 0; table->columns[t->n_columns]; t->n_columns++) {
    const struct nprof_table_column *c = table->columns[t->n_columns];
    csv_columns_add (t->columns, c->name, c->type, c->unit, format->time);
  }
  if (!csv_columns_pick (t->columns, picks, &why))
    return nprof_fail (format->host, NPROF_E_OPTION, "columns=%s: table %s: %s", picks, t->name,
                       why);
  for (guint k = 0; k < t->columns->len; k++) {
    const char *name = g_array_index (t->columns, struct csv_column, k).name;
    if (k)
      nprof_put_char (&t->file.header, format->dialect.delimiter);
    csv_put_text (&t->file.header, &format->dialect, name, strlen (name));
  }
  csv_end_line (&t->file.header, format->dialect.excel);
  return csv_file_start (&t->file);
}

static nprof_status
find_table (struct csv_tables *tables, const struct nprof_table *table, struct csv_table **found)
{
  for (guint k = 0; k < tables->files->len; k++) {
    *found = g_ptr_array_index (tables->files, k);
    if (strcmp ((*found)->name, table->name) == 0)
      return NPROF_OK;
  }
  if (strcmp (table->name, "events") == 0)
    return nprof_fail (tables->format->host, NPROF_E_CONTRACT,
                       "a table cannot be named events: events.csv holds the rows");
  struct csv_table *t = g_new0 (struct csv_table, 1);
  t->name = g_strdup (table->name);
  t->columns = csv_columns_new ();
  csv_file_init (&t->file, tables->format->host, tables->one_file ? NULL : t->name,
                 tables->format->split, tables->format->dialect.excel);
  g_ptr_array_add (tables->files, t);
  *found = t;
  return start_table (tables, t, table);
}

static void
note_other (struct csv_tables *tables, const char *name)
{
  for (guint k = 0; k < tables->others->len; k++)
    if (strcmp (g_ptr_array_index (tables->others, k), name) == 0)
      return;
  g_ptr_array_add (tables->others, g_strdup (name));
}

nprof_status
csv_tables_rows (struct csv_tables *tables, const struct nprof_table *table,
                 const struct nprof_cell *cells, guint n_rows)
{
  struct csv_table *t = NULL;
  if (!tables->all && g_strcmp0 (tables->only, table->name) != 0) {
    note_other (tables, table->name);
    return NPROF_OK;
  }
  nprof_status status = find_table (tables, table, &t);
  for (guint i = 0; i < n_rows && status == NPROF_OK; i++) {
    status = csv_file_line (&t->file);
    for (guint k = 0; k < t->columns->len && status == NPROF_OK; k++) {
      const struct csv_column *column = &g_array_index (t->columns, struct csv_column, k);
      if (k)
        nprof_put_char (&t->file.buf, tables->format->dialect.delimiter);
      csv_put_cell (tables->format, &t->file.buf, cells + i * t->n_columns + column->from,
                    column->shift);
    }
    csv_end_line (&t->file.buf, tables->format->dialect.excel);
    if (status == NPROF_OK)
      status = csv_file_flush (&t->file, FALSE);
  }
  return status;
}

static nprof_status
missing_table (struct csv_tables *tables)
{
  const char *const *names = (const char *const *) tables->others->pdata;
  const char *near = csv_nearest (tables->only, names, tables->others->len);
  if (near)
    return nprof_fail (tables->format->host, NPROF_E_OPTION,
                       "table=%s: this run makes no such table; did you mean \"%s\"?", tables->only,
                       near);
  g_autoptr (GString) all = g_string_new ("events");
  for (guint k = 0; k < tables->others->len; k++)
    g_string_append_printf (all, ", %s", names[k]);
  return nprof_fail (tables->format->host, NPROF_E_OPTION,
                     "table=%s: this run makes no such table; it makes: %s; -a adds those of an "
                     "analyzer, as nprof report --tables lists them",
                     tables->only, all->str);
}

nprof_status
csv_tables_finish (struct csv_tables *tables)
{
  if (tables->only && !tables->files->len)
    return missing_table (tables);
  for (guint k = 0; k < tables->files->len; k++) {
    struct csv_table *t = g_ptr_array_index (tables->files, k);
    nprof_status status = csv_file_finish (&t->file);
    if (status)
      return status;
  }
  return NPROF_OK;
}

void
csv_tables_clear (struct csv_tables *tables)
{
  g_clear_pointer (&tables->files, g_ptr_array_unref);
  g_clear_pointer (&tables->others, g_ptr_array_unref);
}
