/* SPDX-License-Identifier: Apache-2.0 */
/* database.c - opens bytes as an SQLite database in memory: read-only and hardened; lists its
 * tables and reads their rows in the order in which they lie. */
#include "database/database.h"

#include "system/large.h"

#include <string.h>

#define CHECK_EVERY 4096 /* rows */
#define STEPS_BETWEEN                                                                              \
  10000 /* instructions of SQLite between two looks at whether the run goes on */

/* -- Opening ------------------------------------------------------------------------------- */

/* Allows only plain reading: no functions, views, triggers or pragmas, whatever the schema says. */
static int
authorize (void *user, int action, const char *a, const char *b, const char *c, const char *d)
{
  (void) user, (void) a, (void) b, (void) c, (void) d;
  return action == SQLITE_SELECT || action == SQLITE_READ ? SQLITE_OK : SQLITE_DENY;
}

static int
interrupted (void *user)
{
  Db *db = user;
  db->cancelled = db->host->cancelled (db->host) != 0;
  return db->cancelled;
}

static nprof_status
failed (const Db *db, const char *where)
{
  return nprof_fail (db->host, NPROF_E_FORMAT, "%s: %s: %s", where, sqlite3_errmsg (db->db),
                     db->mend);
}

static void
harden (Db *db, uint64_t len)
{
  sqlite3_db_config (db->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config (db->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config (db->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  sqlite3_db_config (db->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
  sqlite3_exec (db->db, "PRAGMA cell_size_check = ON; PRAGMA query_only = ON; PRAGMA mmap_size = 0",
                NULL, NULL, NULL);
  sqlite3_limit (db->db, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit (db->db, SQLITE_LIMIT_LENGTH, (int) MIN (len, G_MAXINT)); /* no value is longer */
  sqlite3_progress_handler (db->db, STEPS_BETWEEN, interrupted, db);
  sqlite3_set_authorizer (db->db, authorize, db);
}

/* Makes a copy without the mark of a log.  A file that was last written with a log beside it says
 * so in two bytes of its head, and SQLite would look for that log. */
static unsigned char *
without_log (Db *db, const void *data, uint64_t len)
{
  unsigned char *copy = db->copy = np_large_try_grow (NULL, 0, len);
  if (!copy)
    return NULL;
  db->copy_size = len;
  memcpy (copy, data, len);
  copy[18] = copy[19] = 1;
  return copy;
}

static nprof_status
give_bytes (Db *db, const void *data, uint64_t len)
{
  const unsigned char *bytes = data;
  unsigned char *given = (unsigned char *) (guintptr) bytes; /* it is only read */
  if (len < 100 || memcmp (bytes, "SQLite format 3", 16) != 0)
    return nprof_fail (db->host, NPROF_E_FORMAT, "byte 0: this is no SQLite database: %s",
                       db->mend);
  if (bytes[18] == 2 || bytes[19] == 2)
    given = without_log (db, bytes, len);
  if (!given)
    return NPROF_E_NOMEM;
  int rc = sqlite3_deserialize (db->db, "main", given, (sqlite3_int64) len, (sqlite3_int64) len,
                                SQLITE_DESERIALIZE_READONLY);
  return rc == SQLITE_OK ? NPROF_OK : failed (db, "the database");
}

static void
table_free (gpointer data)
{
  DbTable *table = data;
  g_free (table->key);
  g_free (table->name);
  g_free (table);
}

/* Tables that a module makes up have rootpage 0. */
static nprof_status
list_tables (Db *db)
{
  sqlite3_stmt *stmt;
  int rc = sqlite3_prepare_v2 (db->db, "SELECT type, name, rootpage FROM main.sqlite_schema", -1,
                               &stmt, NULL);
  while (rc == SQLITE_OK && (rc = sqlite3_step (stmt)) == SQLITE_ROW) {
    const char *type = (const char *) sqlite3_column_text (stmt, 0);
    const char *name = (const char *) sqlite3_column_text (stmt, 1);
    rc = SQLITE_OK;
    if (!type || strcmp (type, "table") != 0 || !name || g_str_has_prefix (name, "sqlite_")
        || sqlite3_column_int64 (stmt, 2) <= 0)
      continue;
    DbTable *table = g_new0 (DbTable, 1);
    table->name = g_strdup (name);
    table->key = g_strdup (name);
    g_hash_table_replace (db->tables, table->key, table);
  }
  nprof_status status = rc == SQLITE_DONE ? NPROF_OK
                        : db->cancelled   ? NPROF_CANCELLED
                                          : failed (db, "the schema, from byte 100 on");
  sqlite3_finalize (stmt);
  return status;
}

nprof_status
db_open (Db *db, const struct nprof_host *host, const char *mend, const void *data, uint64_t len)
{
  db->host = host;
  db->mend = mend;
  db->tables = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, table_free);
  db->rows_left = len; /* of each row there is at least a byte */
  if (sqlite3_open_v2 (":memory:", &db->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL))
    return NPROF_E_NOMEM;
  nprof_status status = give_bytes (db, data, len);
  if (status)
    return status;
  harden (db, len);
  return list_tables (db);
}

void
db_close (Db *db)
{
  sqlite3_close (db->db);
  np_large_free (db->copy, db->copy_size);
  g_clear_pointer (&db->tables, g_hash_table_unref);
}

bool
db_has (const Db *db, const char *key)
{
  return g_hash_table_contains (db->tables, key);
}

void
db_leave (const Db *db, const char *key)
{
  DbTable *table = g_hash_table_lookup (db->tables, key);
  if (table)
    table->read = true;
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (a, b);
}

GList *
db_tables (const Db *db)
{
  return g_list_sort (g_hash_table_get_keys (db->tables), by_name);
}

/* -- Rows ------------------------------------------------------------------------------------- */

static nprof_status
prepare (DbRows *rows, char *sql)
{
  sqlite3_stmt *stmt = NULL;
  int rc = sql ? sqlite3_prepare_v2 (rows->db->db, sql, -1, &stmt, NULL) : SQLITE_NOMEM;
  sqlite3_free (sql);
  sqlite3_finalize (rows->stmt);
  rows->stmt = stmt;
  return rc == SQLITE_OK ? NPROF_OK : failed (rows->db, rows->table);
}

nprof_status
db_rows_begin (Db *db, const char *key, DbRows *rows)
{
  DbTable *table = g_hash_table_lookup (db->tables, key);
  *rows = (DbRows){ .db = db, .table = table->name, .id = -1 };
  table->read = true;
  nprof_status status
      = prepare (rows, sqlite3_mprintf ("SELECT * FROM main.\"%w\" NOT INDEXED", table->name));
  if (status)
    return status;
  rows->n = sqlite3_column_count (rows->stmt);
  rows->wanted = g_new0 (bool, (gsize) rows->n);
  return NPROF_OK;
}

/* Asks for the columns that are wanted alone: each that SQLite takes out of a row costs time. */
static nprof_status
choose_columns (DbRows *rows)
{
  sqlite3_str *sql = sqlite3_str_new (rows->db->db);
  for (int i = 0; i < rows->n; i++) {
    sqlite3_str_appendall (sql, i ? ", " : "SELECT ");
    if (rows->wanted[i])
      sqlite3_str_appendf (sql, "\"%w\"", sqlite3_column_name (rows->stmt, i));
    else
      sqlite3_str_appendall (sql, "NULL");
  }
  sqlite3_str_appendf (sql, " FROM main.\"%w\" NOT INDEXED", rows->table);
  return prepare (rows, sqlite3_str_finish (sql));
}

void
db_rows_end (DbRows *rows)
{
  sqlite3_finalize (rows->stmt);
  g_free (rows->wanted);
  memset (rows, 0, sizeof *rows);
}

void
db_rows_end_again (DbRows *rows)
{
  rows->db->rows_left += rows->row;
  db_rows_end (rows);
}

static nprof_status
goes_on (Db *db)
{
  if (++db->rows % CHECK_EVERY == 0 && interrupted (db))
    return NPROF_CANCELLED;
  return db->rows_left-- ? NPROF_OK
                         : nprof_fail (db->host, NPROF_E_FORMAT,
                                       "its pages form a circle, there are more rows than bytes: "
                                       "%s",
                                       db->mend);
}

bool
db_rows_next (DbRows *rows, nprof_status *status)
{
  Db *db = rows->db;
  *status = rows->row ? NPROF_OK : choose_columns (rows);
  if (*status)
    return false;
  int rc = sqlite3_step (rows->stmt);
  if (rc == SQLITE_ROW) {
    rows->row++;
    *status = goes_on (db);
    return *status == NPROF_OK;
  }
  if (rc == SQLITE_DONE)
    return false;
  rows->id = -1; /* no row is there to be named */
  *status = db->cancelled ? NPROF_CANCELLED
                          : db_damaged (rows, "%s: %s", sqlite3_errmsg (db->db), db->mend);
  return false;
}

int
db_column (DbRows *rows, const char *name)
{
  for (int i = 0; i < rows->n; i++) {
    const char *column = sqlite3_column_name (rows->stmt, i);
    if (!column || g_ascii_strcasecmp (column, name) != 0)
      continue;
    rows->wanted[i] = true;
    return i;
  }
  return -1;
}

bool
db_int (const DbRows *rows, int column, gint64 *value)
{
  sqlite3_value *found = column < 0 ? NULL : sqlite3_column_value (rows->stmt, column);
  if (!found || sqlite3_value_type (found) != SQLITE_INTEGER)
    return false;
  *value = sqlite3_value_int64 (found);
  return true;
}

const char *
db_text (const DbRows *rows, int column)
{
  if (column < 0 || sqlite3_column_type (rows->stmt, column) != SQLITE_TEXT)
    return NULL;
  return (const char *) sqlite3_column_text (rows->stmt, column);
}

const char *
db_number (const DbRows *rows, int column)
{
  const int type = column < 0 ? SQLITE_NULL : sqlite3_column_type (rows->stmt, column);
  return type == SQLITE_FLOAT || type == SQLITE_INTEGER
             ? (const char *) sqlite3_column_text (rows->stmt, column)
             : db_text (rows, column);
}

nprof_status
db_damaged (const DbRows *rows, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *why = g_strdup_vprintf (format, args);
  va_end (args);
  gint64 id;
  if (db_int (rows, rows->id, &id))
    return nprof_damage (rows->db->host, 0, "table %s, rowid %" G_GINT64_FORMAT ": %s", rows->table,
                         id, why);
  return nprof_damage (rows->db->host, 0, "table %s, row %" G_GUINT64_FORMAT ": %s", rows->table,
                       rows->row ? rows->row : 1, why);
}

nprof_status
db_skip_table (Db *db, const char *key, const char *name, const char *reason)
{
  DbRows rows;
  nprof_status status = db_rows_begin (db, key, &rows);
  g_autofree char *what = g_strconcat ("row of ", name, NULL);
  while (!status && db_rows_next (&rows, &status))
    db->host->skip (db->host, what, 0, reason);
  db_rows_end (&rows);
  return status;
}
