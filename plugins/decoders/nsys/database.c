/* SPDX-License-Identifier: Apache-2.0 */
/* database.c - opens the input as an SQLite database in memory: read-only and hardened; lists its
 * tables and reads their rows in the order in which they lie.  The other files give them
 * meaning. */
#include "nsys.h"

#include <string.h>

#define CHECK_EVERY 4096 /* rows */
#define STEPS_BETWEEN                                                                              \
  10000 /* instructions of SQLite between two looks at whether the run goes on */
#define MEND "export it anew with nsys export --type sqlite, or copy it whole"

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
  Nsys *self = user;
  self->cancelled = self->host->cancelled (self->host) != 0;
  return self->cancelled;
}

static nprof_status
failed (const Nsys *self, const char *where)
{
  return nprof_fail (self->host, NPROF_E_FORMAT, "%s: %s: " MEND, where, sqlite3_errmsg (self->db));
}

static void
harden (Nsys *self, uint64_t len)
{
  sqlite3_db_config (self->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config (self->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config (self->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  sqlite3_db_config (self->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
  sqlite3_exec (self->db,
                "PRAGMA cell_size_check = ON; PRAGMA query_only = ON; PRAGMA mmap_size = 0", NULL,
                NULL, NULL);
  sqlite3_limit (self->db, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit (self->db, SQLITE_LIMIT_LENGTH, (int) MIN (len, G_MAXINT)); /* no value is longer */
  sqlite3_progress_handler (self->db, STEPS_BETWEEN, interrupted, self);
  sqlite3_set_authorizer (self->db, authorize, self);
}

/* Returns a copy without the mark of a log.  A file that was last written with a log beside it says
 * so in two bytes of its head, and SQLite would look for that log. */
static unsigned char *
without_log (const unsigned char *data, uint64_t len)
{
  unsigned char *copy = sqlite3_malloc64 (len);
  if (!copy)
    return NULL;
  memcpy (copy, data, len);
  copy[18] = copy[19] = 1;
  return copy;
}

static nprof_status
give_bytes (Nsys *self, const void *data, uint64_t len)
{
  unsigned flags = SQLITE_DESERIALIZE_READONLY;
  const unsigned char *bytes = data;
  unsigned char *given = (unsigned char *) (guintptr) bytes; /* it is only read */
  if (len < 100 || memcmp (bytes, "SQLite format 3", 16) != 0)
    return nprof_fail (self->host, NPROF_E_FORMAT, "byte 0: this is no SQLite database: " MEND);
  if (bytes[18] == 2 || bytes[19] == 2) {
    given = without_log (bytes, len);
    flags |= SQLITE_DESERIALIZE_FREEONCLOSE;
  }
  if (!given)
    return NPROF_E_NOMEM;
  int rc = sqlite3_deserialize (self->db, "main", given, (sqlite3_int64) len, (sqlite3_int64) len,
                                flags);
  return rc == SQLITE_OK ? NPROF_OK : failed (self, "the database");
}

static void
table_free (gpointer data)
{
  NsTable *table = data;
  g_free (table->key);
  g_free (table->name);
  g_free (table);
}

/* Returns the name without "_V2" at its end.  Transfer full; NULL: no number of a version stands there. */
static char *
without_version (const char *name)
{
  const char *at = strrchr (name, '_');
  if (!at || at == name || at[1] != 'V' || !at[2] || at[2 + strspn (at + 2, "0123456789")])
    return NULL;
  return g_strndup (name, (gsize) (at - name));
}

static int
later_first (gconstpointer a, gconstpointer b)
{
  const char *x = a, *y = b;
  size_t n = strlen (x), m = strlen (y);
  return n != m ? (n > m ? -1 : 1) : strcmp (y, x);
}

/* Finds the latest version of a table by the plain name, too, where no table has that. */
static void
name_plainly (Nsys *self)
{
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (self->tables), later_first);
  for (const GList *at = names; at; at = at->next) {
    char *plain = without_version (at->data);
    if (!plain || ns_has (self, plain)) {
      g_free (plain);
      continue;
    }
    NsTable *table = g_hash_table_lookup (self->tables, at->data);
    g_hash_table_steal (self->tables, table->key);
    g_free (table->key);
    table->key = plain;
    g_hash_table_replace (self->tables, table->key, table);
  }
}

/* Lists the tables but for those of SQLite itself, and those that a module makes up (rootpage
 * 0). */
static nprof_status
list_tables (Nsys *self)
{
  sqlite3_stmt *stmt;
  int rc = sqlite3_prepare_v2 (self->db, "SELECT type, name, rootpage FROM main.sqlite_schema", -1,
                               &stmt, NULL);
  while (rc == SQLITE_OK && (rc = sqlite3_step (stmt)) == SQLITE_ROW) {
    const char *type = (const char *) sqlite3_column_text (stmt, 0);
    const char *name = (const char *) sqlite3_column_text (stmt, 1);
    rc = SQLITE_OK;
    if (!type || strcmp (type, "table") != 0 || !name || g_str_has_prefix (name, "sqlite_")
        || sqlite3_column_int64 (stmt, 2) <= 0)
      continue;
    NsTable *table = g_new0 (NsTable, 1);
    table->name = g_strdup (name);
    table->key = g_strdup (name);
    g_hash_table_replace (self->tables, table->key, table);
  }
  name_plainly (self);
  nprof_status status = rc == SQLITE_DONE ? NPROF_OK
                        : self->cancelled ? NPROF_CANCELLED
                                          : failed (self, "the schema, from byte 100 on");
  sqlite3_finalize (stmt);
  return status;
}

nprof_status
ns_database_open (Nsys *self, const void *data, uint64_t len)
{
  self->tables = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, table_free);
  self->rows_left = len; /* of each row there is at least a byte */
  if (sqlite3_open_v2 (":memory:", &self->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL))
    return NPROF_E_NOMEM;
  nprof_status status = give_bytes (self, data, len);
  if (status)
    return status;
  harden (self, len);
  return list_tables (self);
}

void
ns_database_close (Nsys *self)
{
  sqlite3_close (self->db);
  g_clear_pointer (&self->tables, g_hash_table_unref);
}

bool
ns_has (const Nsys *self, const char *table)
{
  return g_hash_table_contains (self->tables, table);
}

/* -- Rows ------------------------------------------------------------------------------------- */

/* Returns the key of a column that has no place of its own; 0: nobody reads it.  A column that has
 * the name of an attribute of this decoder, whose type is declared, gets another key. */
static nprof_str
key_of (const Nsys *self, const char *column)
{
  const nprof_str declared[]
      = { self->key_correlation, self->key_stream, self->key_device, self->key_bytes,
          self->key_kernel,      self->key_step,   self->key_text,   self->key_domain };
  if (!self->host->wanted (self->host, column))
    return 0;
  nprof_str key = nprof_intern (self->host, column);
  for (gsize i = 0; i < G_N_ELEMENTS (declared); i++)
    if (key == declared[i]) {
      g_autofree char *other = g_strconcat ("column_", column, NULL);
      return nprof_intern (self->host, other);
    }
  return key;
}

nprof_status
ns_rows_begin (Nsys *self, const char *name, NsRows *rows)
{
  NsTable *table = g_hash_table_lookup (self->tables, name);
  char *sql = sqlite3_mprintf ("SELECT * FROM main.\"%w\" NOT INDEXED", table->name);
  *rows = (NsRows){ .self = self, .table = table->name };
  table->read = true;
  int rc = sql ? sqlite3_prepare_v2 (self->db, sql, -1, &rows->stmt, NULL) : SQLITE_NOMEM;
  sqlite3_free (sql);
  if (rc != SQLITE_OK)
    return failed (self, rows->table);
  rows->n = sqlite3_column_count (rows->stmt);
  rows->used = g_new0 (bool, rows->n + 1);
  rows->rest = g_new0 (nprof_str, rows->n + 1);
  for (int i = 0; i < rows->n; i++) {
    const char *column = sqlite3_column_name (rows->stmt, i);
    if (column)
      rows->rest[i] = key_of (self, column);
  }
  return NPROF_OK;
}

void
ns_rows_end (NsRows *rows)
{
  sqlite3_finalize (rows->stmt);
  g_free (rows->used);
  g_free (rows->rest);
  memset (rows, 0, sizeof *rows);
}

static nprof_status
goes_on (Nsys *self)
{
  if (++self->rows % CHECK_EVERY == 0 && interrupted (self))
    return NPROF_CANCELLED;
  return self->rows_left--
             ? NPROF_OK
             : nprof_fail (self->host, NPROF_E_FORMAT,
                           "its pages form a circle, there are more rows than bytes: " MEND);
}

bool
ns_rows_next (NsRows *rows, nprof_status *status)
{
  Nsys *self = rows->self;
  int rc = sqlite3_step (rows->stmt);
  *status = NPROF_OK;
  if (rc == SQLITE_ROW) {
    rows->row++;
    *status = goes_on (self);
    return *status == NPROF_OK;
  }
  if (rc == SQLITE_DONE)
    return false;
  if (self->cancelled)
    *status = NPROF_CANCELLED;
  else
    *status = ns_damaged (rows, "%s: " MEND, sqlite3_errmsg (self->db));
  return false;
}

int
ns_column (NsRows *rows, const char *name)
{
  for (int i = 0; i < rows->n; i++) {
    const char *column = sqlite3_column_name (rows->stmt, i);
    if (column && g_ascii_strcasecmp (column, name) == 0) {
      rows->used[i] = true;
      return i;
    }
  }
  return -1;
}

int
ns_column_of (NsRows *rows, const char *const *names)
{
  int found = -1;
  for (; *names && found < 0; names++)
    found = ns_column (rows, *names);
  return found;
}

bool
ns_int (const NsRows *rows, int column, gint64 *value)
{
  if (column < 0 || sqlite3_column_type (rows->stmt, column) != SQLITE_INTEGER)
    return false;
  *value = sqlite3_column_int64 (rows->stmt, column);
  return true;
}

const char *
ns_text (const NsRows *rows, int column)
{
  if (column < 0 || sqlite3_column_type (rows->stmt, column) != SQLITE_TEXT)
    return NULL;
  return (const char *) sqlite3_column_text (rows->stmt, column);
}

nprof_status
ns_damaged (const NsRows *rows, const char *format, ...)
{
  const struct nprof_host *host = rows->self->host;
  va_list args;
  va_start (args, format);
  g_autofree char *why = g_strdup_vprintf (format, args);
  va_end (args);
  return nprof_damage (host, 0, "table %s, row %" G_GUINT64_FORMAT ": %s", rows->table,
                       rows->row ? rows->row : 1, why);
}

/* -- What became of the tables ------------------------------------------------------------------ */

/* Tells whether a table describes others, and so is no loss. */
static bool
describes (const char *name)
{
  static const char *const beginnings[]
      = { "ENUM_",     "TARGET_INFO_", "META_DATA_",      "EXPORT_META_DATA",
          "ANALYSIS_", "Process",      "UnwindMethodType" };
  for (gsize i = 0; i < G_N_ELEMENTS (beginnings); i++)
    if (g_str_has_prefix (name, beginnings[i]))
      return true;
  return false;
}

static nprof_status
tell_unread (Nsys *self, const char *name)
{
  NsRows rows;
  nprof_status status = ns_rows_begin (self, name, &rows);
  g_autofree char *what = g_strconcat ("row of ", name, NULL);
  if (status) { /* nobody needs it */
    ns_rows_end (&rows);
    return status;
  }
  while (ns_rows_next (&rows, &status))
    self->host->skip (self->host, what, 0, "the table holds no spans that are known");
  ns_rows_end (&rows);
  return status;
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (a, b);
}

nprof_status
ns_tell_unread (Nsys *self)
{
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (self->tables), by_name);
  nprof_status status = NPROF_OK;
  for (const GList *at = names; at && !status; at = at->next) {
    const NsTable *table = g_hash_table_lookup (self->tables, at->data);
    if (!table->read && !describes (table->name))
      status = tell_unread (self, table->name);
  }
  return status;
}
