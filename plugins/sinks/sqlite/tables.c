/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - writes tables of the run as tables of the database, texts as they are. */
#include "sink.h"

#include <string.h>

struct table {
  char *name;
  sqlite3_stmt *insert;
};

static void
table_free (gpointer data)
{
  struct table *t = data;
  sqlite3_finalize (t->insert);
  g_free (t->name);
  g_free (t);
}

void
sqlite_tables_open (struct sqlite_sink *self)
{
  self->tables = g_ptr_array_new_with_free_func (table_free);
}

void
sqlite_tables_close (struct sqlite_sink *self)
{
  g_clear_pointer (&self->tables, g_ptr_array_unref);
}

/* Returns start_ps for "start_ns" of unit ps, because the column holds ps. */
static char *
plain_name (const struct nprof_table_column *column)
{
  char *name = g_strdup (column->name);
  if (g_strcmp0 (column->unit, "ps") == 0 && g_str_has_suffix (name, "_ns"))
    name[strlen (name) - 2] = 'p';
  return name;
}

static nprof_status
create (struct sqlite_sink *self, const struct nprof_table *table, struct table *t)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GString) sql = g_string_new ("CREATE TABLE "), insert = g_string_new ("INSERT INTO ");
  sqlite_sink_quote (sql, table->name);
  sqlite_sink_quote (insert, table->name);
  g_string_append (insert, " VALUES (");
  for (guint c = 0; table->columns[c]; c++) {
    g_autofree char *plain = plain_name (table->columns[c]);
    g_autofree char *name = sqlite_sink_name (names, plain);
    g_string_append (sql, c ? ", " : " (");
    sqlite_sink_quote (sql, name);
    g_string_append (insert, c ? ", ?" : "?");
  }
  g_string_append_c (sql, ')');
  g_string_append_c (insert, ')');
  nprof_status status = sqlite_sink_exec (self, sql->str);
  if (!status
      && sqlite3_prepare_v3 (self->db, insert->str, -1, SQLITE_PREPARE_PERSISTENT, &t->insert,
                             NULL))
    status = sqlite_sink_failed (self);
  return status;
}

static nprof_status
find (struct sqlite_sink *self, const struct nprof_table *table, struct table **found)
{
  static const char *const own[] = { "event", "events", "strings" };
  for (guint k = 0; k < self->tables->len; k++) {
    *found = g_ptr_array_index (self->tables, k);
    if (strcmp ((*found)->name, table->name) == 0)
      return NPROF_OK;
  }
  for (guint k = 0; k < G_N_ELEMENTS (own); k++)
    if (g_ascii_strcasecmp (table->name, own[k]) == 0)
      return nprof_fail (self->host, NPROF_E_CONTRACT,
                         "a table cannot be named %s: the rows lie there", table->name);
  struct table *t = *found = g_new0 (struct table, 1);
  t->name = g_strdup (table->name);
  g_ptr_array_add (self->tables, t);
  return create (self, table, t);
}

static void
bind_cell (struct sqlite_sink *self, sqlite3_stmt *stmt, int at, const struct nprof_cell *cell)
{
  size_t len = cell->len;
  const char *text = cell->v.text;
  switch (cell->type) {
  case NPROF_NULL:
    sqlite3_bind_null (stmt, at);
    return;
  case NPROF_INT64:
    sqlite3_bind_int64 (stmt, at, cell->v.i);
    return;
  case NPROF_UINT64:
  case NPROF_BOOL:
    sqlite_sink_bind_unsigned (stmt, at, cell->v.u);
    return;
  case NPROF_DOUBLE:
    sqlite3_bind_double (stmt, at, cell->v.f);
    return;
  case NPROF_STRING:
    text = self->host->string (self->host, cell->v.s, &len);
    break;
  case NPROF_ID128: {
    char hex[33];
    for (int i = 0; i < 16; i++)
      g_snprintf (hex + 2 * i, 3, "%02x", (guint8) text[i]);
    sqlite3_bind_text (stmt, at, hex, 32, SQLITE_TRANSIENT);
    return;
  }
  default:
    break;
  }
  sqlite3_bind_text64 (stmt, at, text, len, SQLITE_STATIC, SQLITE_UTF8);
}

nprof_status
sqlite_tables_rows (struct sqlite_sink *self, const struct nprof_table *table,
                    const struct nprof_cell *cells, uint32_t n_rows)
{
  struct table *t = NULL;
  const guint n = nprof_count_columns (table);
  nprof_status status = find (self, table, &t);
  for (uint32_t r = 0; t && r < n_rows && !status; r++) {
    for (guint c = 0; c < n; c++)
      bind_cell (self, t->insert, (int) c + 1, cells + (gsize) r * n + c);
    if (sqlite3_step (t->insert) != SQLITE_DONE)
      status = sqlite_sink_failed (self);
    sqlite3_reset (t->insert);
  }
  return status;
}
