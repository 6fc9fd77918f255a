/* SPDX-License-Identifier: Apache-2.0 */
/* printf.c - printf and format as SQLite has them, but for a text beyond the limit of a value:
 * SQLite answers NULL there in silence, and here it is an error. */
#include "sql/profile.h"

typedef struct {
  sqlite3 *db;           /* SQLite's own functions live here */
  sqlite3_stmt *of[128]; /* by the number of arguments; NULL: none yet */
} Own;

static void
own_free (void *data)
{
  Own *own = data;
  for (gsize i = 0; i < G_N_ELEMENTS (own->of); i++)
    sqlite3_finalize (own->of[i]);
  sqlite3_close (own->db);
  g_free (own);
}

/* Returns the statement that calls it with n arguments.  An x stands before its text, so that only
 * what could not be made is NULL, and not what is empty. */
static sqlite3_stmt *
statement (Own *own, int n)
{
  g_autoptr (GString) text = g_string_new ("SELECT printf('x' || ?");
  if (own->of[n])
    return own->of[n];
  for (int i = 1; i < n; i++)
    g_string_append (text, ", ?");
  g_string_append_c (text, ')');
  sqlite3_prepare_v3 (own->db, text->str, -1, SQLITE_PREPARE_PERSISTENT, &own->of[n], NULL);
  return own->of[n];
}

static void
print (sqlite3_context *context, int n, sqlite3_value **values)
{
  Own *own = sqlite3_user_data (context);
  if (!n || n >= (int) G_N_ELEMENTS (own->of) || sqlite3_value_type (values[0]) == SQLITE_NULL)
    return; /* NULL */
  sqlite3_stmt *stmt = statement (own, n);
  for (int i = 0; stmt && i < n; i++)
    sqlite3_bind_value (stmt, i + 1, values[i]);
  int rc = stmt ? sqlite3_step (stmt) : SQLITE_NOMEM;
  const char *text = rc == SQLITE_ROW ? (const char *) sqlite3_column_text (stmt, 0) : NULL;
  int bytes = text ? sqlite3_column_bytes (stmt, 0) - 1 : 0;
  if (bytes > 0)
    sqlite3_result_text (context, text + 1, bytes, SQLITE_TRANSIENT);
  else if (rc == SQLITE_ROW && !text)
    sqlite3_result_error_toobig (context);
  else if (rc != SQLITE_ROW)
    sqlite3_result_error_code (context, rc);
  sqlite3_reset (stmt);
  sqlite3_clear_bindings (stmt);
}

int
np_sql_printf (sqlite3 *db)
{
  static const char *const names[] = { "printf", "format" };
  int rc = SQLITE_OK;
  for (gsize i = 0; !rc && i < G_N_ELEMENTS (names); i++) {
    Own *own = g_new0 (Own, 1);
    rc = sqlite3_open_v2 (":memory:", &own->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (!rc) {
      sqlite3_limit (own->db, SQLITE_LIMIT_LENGTH, NP_SQL_VALUE_BYTES + 1);
      rc = sqlite3_create_function_v2 (db, names[i], -1,
                                       SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, own,
                                       print, NULL, NULL, own_free);
    } else {
      own_free (own);
    }
  }
  return rc;
}
