/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - sink sqlite: a database for tools that want a file; nprof sql asks profiles without
 * one.  This file has options and life. */
#include "sink.h"

#include "system/room.h"

#include <string.h>

nprof_status
sqlite_sink_failed (struct sqlite_sink *self)
{
  if (self->error)
    return nprof_fail (self->host, np_temp_status (self->error),
                       "%s: %s: set TMPDIR to a folder with room", self->temp->folder,
                       g_strerror (self->error));
  return nprof_fail (self->host, NPROF_E_IO, "SQLite: %s",
                     self->db ? sqlite3_errmsg (self->db) : "no memory");
}

nprof_status
sqlite_sink_exec (struct sqlite_sink *self, const char *sql)
{
  return sqlite3_exec (self->db, sql, NULL, NULL, NULL) ? sqlite_sink_failed (self) : NPROF_OK;
}

void
sqlite_sink_quote (GString *to, const char *name)
{
  g_autoptr (GString) doubled = g_string_new (name);
  g_string_replace (doubled, "\"", "\"\"", 0);
  g_string_append_printf (to, "\"%s\"", doubled->str);
}

char *
sqlite_sink_name (GHashTable *names, const char *name)
{
  g_autofree char *plain = g_strdup (name);
  for (guint n = 2;; n++) {
    if (g_hash_table_add (names, g_ascii_strdown (plain, -1)))
      return g_steal_pointer (&plain);
    g_free (plain);
    plain = g_strdup_printf ("%s_%u", name, n);
  }
}

void
sqlite_sink_bind_unsigned (sqlite3_stmt *stmt, int at, guint64 value)
{
  char text[24];
  if (value <= G_MAXINT64) {
    sqlite3_bind_int64 (stmt, at, (gint64) value);
    return;
  }
  int n = g_snprintf (text, sizeof text, "%" G_GUINT64_FORMAT, value);
  sqlite3_bind_text (stmt, at, text, n, SQLITE_TRANSIENT);
}

static nprof_status
sqlite_open (void *data, const struct nprof_host *host)
{
  struct sqlite_sink *self = data;
  self->host = host;
  sqlite_tables_open (self);
  nprof_status status = sqlite_file_open (self);
  return status ? status : sqlite_rows_open (self);
}

static nprof_status
sqlite_consume (void *data, const struct nprof_batch *batch)
{
  return sqlite_rows_consume (data, batch);
}

static nprof_status
sqlite_table (void *data, const struct nprof_table *table, const struct nprof_cell *cells,
              uint32_t n_rows)
{
  return sqlite_tables_rows (data, table, cells, n_rows);
}

static nprof_status
sqlite_finish (void *data)
{
  struct sqlite_sink *self = data;
  nprof_status status = sqlite_rows_finish (self);
  sqlite_rows_close (self);
  sqlite_tables_close (self);
  if (!status)
    status = sqlite_sink_exec (self, "COMMIT");
  if (status)
    return status;
  if (sqlite3_close (self->db))
    return sqlite_sink_failed (self);
  self->db = NULL;
  return sqlite_file_copy (self);
}

static void
sqlite_close (void *data)
{
  struct sqlite_sink *self = data;
  sqlite_rows_close (self);
  sqlite_tables_close (self);
  sqlite_file_close (self);
}

static const struct nprof_component sqlite = {
  .size = sizeof sqlite,
  .kind = NPROF_SINK,
  .name = "sqlite",
  .summary = "one SQLite database with all rows and tables",
  .options = NPROF_OPTIONS (
      NPROF_BOOL_OPTION (struct sqlite_sink, index, "index", "no",
                         "an index by track and start, of half the file's size again")),
  .wants = (const char *const[]){ "*", NULL },
  .order = NPROF_ORDER_INPUT,
  .flags = NPROF_SINK_FILE,
  .default_name = "profile.sqlite",
  .instance_size = sizeof (struct sqlite_sink),
  .open = sqlite_open,
  .consume = sqlite_consume,
  .table = sqlite_table,
  .finish = sqlite_finish,
  .close = sqlite_close,
};

NPROF_PLUGIN ("sqlite", NPROF_VERSION, "Apache-2.0", &sqlite)
