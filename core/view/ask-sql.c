/* SPDX-License-Identifier: Apache-2.0 */
/* ask-sql.c - route sql: statements over the stored profile, answered by the engine of nprof sql.  They only read, end after
 * a time, and end when nobody waits for the answer any more. */

#include "sql/sql.h"
#include "view/body.h"

#define SECONDS 30
#define MAX_ROWS 10000
#define MAX_BYTES (16u << 20)                  /* of an answer: `more` says that rows were left */
#define MAX_HEAP (G_GINT64_CONSTANT (1) << 30) /* of all statements together */

typedef struct {
  NpAsk *ask;
  NpSql *sql;
  const char *text;
  guint limit;
  GPtrArray *notices;
  gboolean answered, more; /* of the last result, which is in the reply */
} Query;

/* -- Cells --------------------------------------------------------------------------------- */

/* type: of the column's first value; of one without values what its table declares. */
static const char *
name_of_type (sqlite3_stmt *stmt, int column, int type)
{
  const char *declared = type ? NULL : sqlite3_column_decltype (stmt, column);
  gboolean whole = type == SQLITE_INTEGER || !g_strcmp0 (declared, "INTEGER"),
           real = type == SQLITE_FLOAT || !g_strcmp0 (declared, "REAL");
  return whole ? "int64" : real ? "double" : "string";
}

static void
put_cell (NpJson *j, sqlite3_stmt *stmt, int column)
{
  switch (sqlite3_column_type (stmt, column)) {
  case SQLITE_INTEGER:
    np_json_i64 (j, NULL, sqlite3_column_int64 (stmt, column));
    break;
  case SQLITE_FLOAT:
    np_json_double (j, NULL, sqlite3_column_double (stmt, column));
    break;
  case SQLITE_NULL:
    np_json_null (j, NULL);
    break;
  case SQLITE_BLOB: {
    g_autoptr (GString) hex = g_string_new (NULL);
    const guint8 *bytes = sqlite3_column_blob (stmt, column);
    for (int i = 0; i < sqlite3_column_bytes (stmt, column); i++)
      g_string_append_printf (hex, "%02x", bytes[i]);
    np_json_text_n (j, NULL, hex->str, hex->len);
    break;
  }
  default:
    np_json_text_n (j, NULL, (const char *) sqlite3_column_text (stmt, column),
                    (gsize) sqlite3_column_bytes (stmt, column));
  }
}

/* -- Statements ------------------------------------------------------------------------------ */

static void
put_columns (NpJson *j, sqlite3_stmt *stmt, const int *types)
{
  np_json_array (j, "columns");
  for (int i = 0; i < sqlite3_column_count (stmt); i++) {
    np_json_object (j, NULL);
    np_json_text (j, "name", sqlite3_column_name (stmt, i));
    np_json_text (j, "type", name_of_type (stmt, i, types[i]));
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

/* Rows up to the limit, in place of those of an earlier statement. */
static int
take_rows (Query *q, sqlite3_stmt *stmt)
{
  int rc, n = sqlite3_column_count (stmt);
  g_autofree int *types = g_new0 (int, n + 1);
  NpReply *reply = q->ask->reply;
  NpJson *j = &q->ask->json;
  reply->body.len = 0;
  *j = np_reply_json (reply);
  q->answered = TRUE;
  q->more = FALSE;
  np_json_object (j, NULL);
  np_json_array (j, "rows");
  for (guint taken = 0; (rc = sqlite3_step (stmt)) == SQLITE_ROW; taken++) {
    q->more = taken >= q->limit || reply->body.len > MAX_BYTES;
    if (q->more)
      break;
    np_json_array (j, NULL);
    for (int i = 0; i < n; i++) {
      int type = sqlite3_column_type (stmt, i);
      types[i] = types[i] || type == SQLITE_NULL ? types[i] : type;
      put_cell (j, stmt, i);
    }
    np_json_end_array (j);
  }
  np_json_end_array (j);
  put_columns (j, stmt, types);
  return q->more ? SQLITE_DONE : rc;
}

static gboolean
fail (Query *q, gsize at)
{
  NpReply *reply = q->ask->reply;
  gint64 place;
  g_autofree char *why = np_sql_error (q->sql, q->text, at, &place);
  if (np_sql_was_late (q->sql))
    return np_reply_fail (reply, 400, "ask for less, or run nprof sql --timeout 0 in a terminal",
                          "the query took more than %d s", SECONDS);
  if (np_ask_is_over (q->ask))
    return np_reply_fail (reply, 503, "", "nobody waited for the answer any more");
  return np_reply_fail_at (reply, 400, place, "", why);
}

static gboolean
run_one (Query *q, const char **at)
{
  sqlite3_stmt *stmt = NULL;
  const char *next;
  gsize place = (gsize) (*at - q->text);
  if (sqlite3_prepare_v2 (np_sql_db (q->sql), *at, -1, &stmt, &next))
    return fail (q, place);
  int rc = !stmt                         ? SQLITE_DONE
           : sqlite3_column_count (stmt) ? take_rows (q, stmt)
                                         : sqlite3_step (stmt);
  np_sql_end (q->sql);
  gboolean good = rc == SQLITE_DONE || fail (q, place);
  sqlite3_finalize (stmt);
  *at = next;
  return good;
}

static gboolean
run_all (Query *q)
{
  np_sql_begin (q->sql, SECONDS);
  for (const char *at = q->text; *at;)
    if (!run_one (q, &at))
      return FALSE;
  return q->answered
         || np_reply_fail (q->ask->reply, 400, "write a SELECT",
                           "the text has no statement that answers rows");
}

/* -- The route --------------------------------------------------------------------------------- */

static void
say (gpointer user, const char *text)
{
  g_ptr_array_add (((Query *) user)->notices, g_strdup (text));
}

static gboolean
is_over (gpointer user)
{
  return np_ask_is_over (((Query *) user)->ask);
}

static void
end_answer (const Query *q, gint64 begun)
{
  NpJson *j = &q->ask->json;
  np_json_number (j, "elapsed_ms", (guint64) (g_get_monotonic_time () - begun) / 1000);
  np_json_bool (j, "more", q->more);
  np_json_array (j, "notices");
  for (guint i = 0; i < q->notices->len; i++)
    np_json_text (j, NULL, q->notices->pdata[i]);
  np_json_end_array (j);
  np_json_end_object (j);
}

static gboolean
answer (NpAsk *ask, const char *text, guint limit)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) notices = g_ptr_array_new_with_free_func (g_free);
  Query q = { .ask = ask, .text = text, .limit = limit, .notices = notices };
  gint64 begun = g_get_monotonic_time ();
  g_autoptr (NpSql) sql = q.sql = np_sql_open (ask->store, is_over, say, &q, &error);
  if (!sql)
    return np_reply_fail (ask->reply, 422, "", "%s", error->message);
  sqlite3_hard_heap_limit64 (MAX_HEAP);
  gboolean good = run_all (&q);
  if (good)
    end_answer (&q, begun);
  return good;
}

gboolean
np_has_sql (void)
{
  return np_sqlite_load (NULL);
}

gboolean
np_ask_sql (NpAsk *ask)
{
  g_autoptr (JsonNode) root = np_ask_body (ask);
  if (!root)
    return FALSE;
  JsonObject *body = json_node_get_object (root);
  const char *text = np_body_text (body, "text");
  guint64 limit = 1000;
  if (!text)
    return np_reply_fail (ask->reply, 400, "", "expected text to be SQL");
  if (!np_body_number (body, "limit", &limit) || limit > MAX_ROWS)
    return np_reply_fail (ask->reply, 400, "", "expected limit to be a number from 0 to %d",
                          MAX_ROWS);
  return answer (ask, text, (guint) limit);
}
