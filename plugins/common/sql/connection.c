/* SPDX-License-Identifier: Apache-2.0 */
/* connection.c - the connection: what statements may do, how long they may take, and what their
 * errors say. */
#include "base/error.h"
#include "base/suggest.h"
#include "sql/guard.h"
#include "sql/profile.h"
#include "sqlite/allowed.h"

#include <string.h>

struct _NpSql {
  NpSqlProfile *profile;
  sqlite3 *db;
  NpSqlCaller caller;
  NpSqlGuard *guard;
  bool denied; /* something was, since np_sql_begin */
};

/* -- What is allowed --------------------------------------------------------------------------- */

static int
authorize (void *user, int action, const char *a, const char *b, const char *database,
           const char *trigger)
{
  NpSql *sql = user;
  (void) trigger;
  bool yes = np_sql_allows (action, a, b, database);
  sql->denied |= !yes;
  return yes ? SQLITE_OK : SQLITE_DENY;
}

static int
is_over (void *guard)
{
  return np_sql_guard_ends (guard);
}

/* -- Life -------------------------------------------------------------------------------------- */

static int
make_all (NpSql *sql)
{
  int rc = np_sql_functions (sql->db, sql->profile);
  rc = rc ? rc : np_sql_printf (sql->db);
  rc = rc ? rc : np_sql_around (sql->db, sql->profile);
  rc = rc ? rc : np_sql_stacks (sql->db, sql->profile);
  rc = rc ? rc : np_sql_events (sql->db, sql->profile);
  rc = rc ? rc : np_sql_tables (sql->db, sql->profile);
  rc = rc ? rc : np_sql_lists (sql->db, sql->profile);
  return rc ? rc : np_sql_views (sql->db, sql->profile);
}

NpSql *
np_sql_open (struct nprof_store *store, const NpTableStore *made, const NpSqlCaller *caller,
             GError **error)
{
  g_autoptr (NpSql) sql = g_new0 (NpSql, 1);
  sql->caller = *caller;
  sql->profile = np_sql_profile_open (store, caller->say, caller->user, error);
  if (!sql->profile)
    return NULL;
  sql->profile->made = made;
  if (sqlite3_open_v2 (":memory:", &sql->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL)
      || make_all (sql)) {
    np_error_set (error, NP_EXIT_INPUT, "SQLite: %s", sqlite3_errmsg (sql->db));
    return NULL;
  }
  sqlite3_db_config (sql->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config (sql->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
  sqlite3_limit (sql->db, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit (sql->db, SQLITE_LIMIT_LENGTH, NP_SQL_VALUE_BYTES);
  sqlite3_hard_heap_limit64 (NP_SQL_HEAP_BYTES);
  sqlite3_set_authorizer (sql->db, authorize, sql);
  sql->guard = np_sql_guard_new (sql->db, &sql->caller);
  if (!sql->guard) {
    np_error_set (
        error, NP_EXIT_USAGE,
        "no thread can be made that would end statements: let this user have more of them");
    return NULL;
  }
  sql->profile->query.stop = is_over;
  sql->profile->query.user = sql->guard;
  return g_steal_pointer (&sql);
}

void
np_sql_close (NpSql *sql)
{
  if (!sql)
    return;
  np_sql_guard_free (sql->guard);
  sqlite3_close (sql->db);
  np_sql_profile_free (sql->profile);
  g_free (sql);
}

sqlite3 *
np_sql_db (NpSql *sql)
{
  return sql->db;
}

void
np_sql_begin (NpSql *sql, double timeout)
{
  sql->denied = false;
  np_sql_guard_begin (sql->guard, timeout);
}

/* -- Errors ------------------------------------------------------------------------------------ */

static GPtrArray *
names_of_tables (sqlite3 *db)
{
  sqlite3_stmt *stmt;
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  if (sqlite3_prepare_v2 (
          db, "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name", -1,
          &stmt, NULL)
      == SQLITE_OK)
    while (sqlite3_step (stmt) == SQLITE_ROW)
      g_ptr_array_add (names, g_strdup ((const char *) sqlite3_column_text (stmt, 0)));
  sqlite3_finalize (stmt);
  g_ptr_array_add (names, NULL);
  return names;
}

static char *
table_hint (NpSql *sql, const char *message)
{
  static const char beginning[] = "no such table: ";
  if (!g_str_has_prefix (message, beginning))
    return NULL;
  g_autoptr (GPtrArray) names = names_of_tables (sql->db);
  const char *near = np_suggest (message + sizeof beginning - 1, (const char **) names->pdata);
  return near ? np_suggestion (near)
              : g_strdup (" (SELECT name FROM sqlite_schema lists those that are there)");
}

/* Adds the columns of a table. */
static void
add_columns (sqlite3 *db, const char *table, GPtrArray *names)
{
  sqlite3_stmt *stmt;
  g_autofree char *text = g_strdup_printf ("SELECT * FROM \"%s\"", table);
  if (sqlite3_prepare_v2 (db, text, -1, &stmt, NULL) == SQLITE_OK)
    for (int i = 0; i < sqlite3_column_count (stmt); i++)
      g_ptr_array_add (names, g_strdup (sqlite3_column_name (stmt, i)));
  sqlite3_finalize (stmt);
}

/* Looks for the column among those of the tables that the text names. */
static char *
column_hint (NpSql *sql, const char *message, const char *text)
{
  static const char beginning[] = "no such column: ";
  if (!g_str_has_prefix (message, beginning))
    return NULL;
  const char *word = message + sizeof beginning - 1, *dot = strrchr (word, '.');
  g_autofree char *lower = g_ascii_strdown (text, -1);
  g_autoptr (GPtrArray) tables = names_of_tables (sql->db);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i + 1 < tables->len; i++) {
    g_autofree char *table = g_ascii_strdown (tables->pdata[i], -1);
    if (strstr (lower, table))
      add_columns (sql->db, tables->pdata[i], names);
  }
  g_ptr_array_add (names, NULL);
  const char *near = np_suggest (dot ? dot + 1 : word, (const char **) names->pdata);
  return near ? np_suggestion (near) : NULL;
}

/* Of `near "form": syntax error` the word of SQL that was probably meant. */
static char *
syntax_hint (const char *message)
{
  static const char beginning[] = "near \"";
  static const char *const words[]
      = { "SELECT", "FROM",  "WHERE", "GROUP", "ORDER",    "BY",   "HAVING", "LIMIT", "JOIN",
          "LEFT",   "UNION", "WITH",  "AND",   "DISTINCT", "DESC", "VALUES", "CASE",  NULL };
  static const char *const lists[] = { "show", "describe", "desc", ".", "use", NULL };
  if (!g_str_has_prefix (message, beginning))
    return NULL;
  const char *word = message + strlen (beginning);
  g_autofree char *said = g_ascii_strdown (word, (gssize) strcspn (word, "\""));
  if (g_strv_contains (lists, said))
    return g_strdup (": SELECT name FROM sqlite_schema lists the tables, and SELECT * FROM events "
                     "LIMIT 1 shows the columns of one");
  const char *near = np_suggest (said, words);
  return near ? np_suggestion (near) : NULL;
}

/* Recognises words of Perfetto's SQL that SQLite does not have. */
static bool
is_perfetto (const char *text)
{
  static const char *const words[]
      = { "INCLUDE PERFETTO MODULE", "SPAN_JOIN", "SPAN_LEFT_JOIN", "CREATE PERFETTO" };
  g_autofree char *upper = g_ascii_strup (text, -1);
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (strstr (upper, words[i]))
      return true;
  return false;
}

static char *
hint (NpSql *sql, const char *message, const char *text)
{
  switch (sqlite3_errcode (sql->db)) {
  case SQLITE_TOOBIG:
    return g_strdup_printf (
        ": a text, a blob or a row may have %d MB: ask for a part of it, as by substr",
        NP_SQL_VALUE_BYTES >> 20);
  case SQLITE_IOERR:
  case SQLITE_FULL:
    return g_strdup (
        ": no room for a temporary file, which has at most 2 GB where nprof view asks: "
        "ask for less at once, or name a larger folder by TMPDIR");
  case SQLITE_NOMEM:
    return g_strdup_printf (": a statement may use %d MB: ask for less at once",
                            (int) (NP_SQL_HEAP_BYTES >> 20));
  default:
    break;
  }
  if (is_perfetto (text))
    return g_strdup (": of Perfetto's SQL plain SELECT over its tables runs here, not INCLUDE "
                     "PERFETTO MODULE, CREATE PERFETTO or SPAN_JOIN");
  if (sql->denied || g_str_has_suffix (message, "may not be modified"))
    return g_strdup (": nprof sql only reads; CREATE TEMP TABLE and CREATE TEMP VIEW are allowed");
  char *of_table = table_hint (sql, message);
  char *of_column = of_table ? NULL : column_hint (sql, message, text);
  return of_table ? of_table : of_column ? of_column : syntax_hint (message);
}

/* Line and column count from 1, for a byte of the text. */
static void
place_of (const char *text, gsize at, guint *line, guint *column)
{
  *line = *column = 1;
  for (gsize i = 0; i < at && text[i]; i++) {
    bool ends = text[i] == '\n';
    *line += ends;
    *column = ends ? 1 : *column + ((text[i] & 0xc0) != 0x80);
  }
}

char *
np_sql_error (NpSql *sql, const char *text, gsize at, gint64 *place)
{
  g_autofree char *message = g_strdup (sqlite3_errmsg (sql->db));
  int offset = -1;
  guint line, column;
#if SQLITE_VERSION_NUMBER >= 3038000
  if (sqlite3_libversion_number () >= 3038000)
    offset = sqlite3_error_offset (sql->db);
#endif
  if (place)
    *place = offset < 0 ? -1 : g_utf8_strlen (text, (gssize) at + offset);
  g_autofree char *more = hint (sql, message, text + at);
  place_of (text, at + (gsize) MAX (offset, 0), &line, &column);
  if (offset < 0)
    return g_strdup_printf ("line %u: %s%s", line, message, more ? more : "");
  return g_strdup_printf ("line %u, column %u: %s%s", line, column, message, more ? more : "");
}

gboolean
np_sql_was_late (const NpSql *sql)
{
  return np_sql_guard_was_late (sql->guard);
}

void
np_sql_end (NpSql *sql)
{
  NpSqlProfile *p = sql->profile;
  np_sql_guard_end (sql->guard);
  if (!p->empty)
    return;
  g_autofree char *text
      = g_strdup_printf ("NULL in every row, for this profile does not have them: %s",
                         p->empty->str);
  if (p->say)
    p->say (p->user, text);
  g_string_free (p->empty, TRUE);
  p->empty = NULL;
}
