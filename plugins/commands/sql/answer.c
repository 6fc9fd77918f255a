/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c - the answer of route sql of nprof view: rows of the last statement that has any, as
 * JSON, within limits. */
#include "base/error.h"
#include "command.h"
#include "stored/reply.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define SECONDS 30
#define MAX_BYTES (16u << 20)                         /* of an answer: `more`, rows were left */
#define MAX_FILE_BYTES (G_GUINT64_CONSTANT (2) << 30) /* of each temporary file */

typedef struct {
  NpSql *sql;
  NpReply reply;
  NpJson json;
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
    static const char digits[] = "0123456789abcdef";
    const guint8 *bytes = sqlite3_column_blob (stmt, column);
    gsize n = (gsize) sqlite3_column_bytes (stmt, column);
    g_autofree char *hex = g_malloc (2 * n + 1);
    for (gsize i = 0; i < n; i++) {
      hex[2 * i] = digits[bytes[i] >> 4];
      hex[2 * i + 1] = digits[bytes[i] & 15];
    }
    np_json_text_n (j, NULL, hex, 2 * n);
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

/* Puts a row; FALSE: the answer has no room for it, and is as it was before. */
static gboolean
put_row (Query *q, sqlite3_stmt *stmt, int n, int *types)
{
  struct nprof_buf *body = &q->reply.body;
  const NpJson before = q->json;
  gsize len = body->len;
  np_json_array (&q->json, NULL);
  for (int i = 0; i < n && body->len <= MAX_BYTES; i++) {
    int type = sqlite3_column_type (stmt, i);
    types[i] = types[i] || type == SQLITE_NULL ? types[i] : type;
    put_cell (&q->json, stmt, i);
  }
  np_json_end_array (&q->json);
  if (body->len <= MAX_BYTES)
    return TRUE;
  body->len = len;
  q->json = before;
  return FALSE;
}

/* Takes rows up to the limit, in place of those of an earlier statement. */
static int
take_rows (Query *q, sqlite3_stmt *stmt)
{
  int rc, n = sqlite3_column_count (stmt);
  g_autofree int *types = g_new0 (int, n + 1);
  guint taken = 0;
  q->reply.body.len = 0;
  q->json = np_reply_json (&q->reply);
  q->answered = TRUE;
  q->more = FALSE;
  np_json_object (&q->json, NULL);
  np_json_array (&q->json, "rows");
  while (!q->more && (rc = sqlite3_step (stmt)) == SQLITE_ROW) {
    q->more = taken >= q->limit || !put_row (q, stmt, n, types);
    taken += !q->more;
  }
  if (q->more && q->limit && !taken)
    return SQLITE_TOOBIG;
  np_json_end_array (&q->json);
  put_columns (&q->json, stmt, types);
  return q->more ? SQLITE_DONE : rc;
}

static gboolean
fail_late (NpReply *reply)
{
  return np_reply_fail (reply, 400, "ask for less, or run nprof sql --timeout 0 in a terminal",
                        "the query took more than %d s", SECONDS);
}

static gboolean
fail (Query *q, gsize at, int rc)
{
  gint64 place;
  if (np_sql_was_late (q->sql))
    return fail_late (&q->reply);
  if (rc == SQLITE_TOOBIG && q->answered && q->more)
    return np_reply_fail (&q->reply, 400, "ask for a part of its texts, as by substr",
                          "the first row alone has more than %u MB", MAX_BYTES >> 20);
  g_autofree char *why = np_sql_error (q->sql, q->text, at, &place);
  return np_reply_fail_at (&q->reply, 400, place, "", why);
}

static gboolean
run_one (Query *q, const char **at)
{
  sqlite3_stmt *stmt = NULL;
  const char *next = *at;
  gsize place = (gsize) (*at - q->text);
  int rc = sqlite3_prepare_v2 (np_sql_db (q->sql), *at, -1, &stmt, &next);
  if (!rc)
    rc = !stmt                         ? SQLITE_DONE
         : sqlite3_column_count (stmt) ? take_rows (q, stmt)
                                       : sqlite3_step (stmt);
  gboolean good = rc == SQLITE_DONE || fail (q, place, rc);
  sqlite3_finalize (stmt);
  *at = next;
  return good;
}

/* The time is that of all statements together. */
static gboolean
run_all (Query *q)
{
  gboolean good = TRUE;
  np_sql_begin (q->sql, SECONDS);
  for (const char *at = q->text; *at && good;)
    good = run_one (q, &at);
  np_sql_end (q->sql);
  return good
         && (q->answered
             || np_reply_fail (&q->reply, 400, "write a SELECT",
                               "the text has no statement that answers rows"));
}

/* -- The answer -------------------------------------------------------------------------------- */

static void
say (gpointer user, const char *text)
{
  g_ptr_array_add (((Query *) user)->notices, g_strdup (text));
}

static void
print (const NpReply *reply)
{
  const char *at = reply->body.data;
  for (gsize left = reply->body.len; left;) {
    ssize_t n = write (STDOUT_FILENO, at, left);
    if (n <= 0)
      return;
    at += n;
    left -= (gsize) n;
  }
}

/* [thread of the guard] The reply of the query is in use: another one says why. */
static void
end (gpointer user, gboolean late)
{
  NpReply reply;
  (void) user;
  if (!late)
    _exit (atomic_load (&np_cli_interrupt));
  np_reply_init (&reply);
  fail_late (&reply);
  print (&reply);
  _exit (NP_EXIT_USAGE);
}

static void
end_answer (Query *q, gint64 begun)
{
  NpJson *j = &q->json;
  np_json_number (j, "elapsed_ms", (guint64) (g_get_monotonic_time () - begun) / 1000);
  np_json_bool (j, "more", q->more);
  np_json_array (j, "notices");
  for (guint i = 0; i < q->notices->len; i++)
    np_json_text (j, NULL, q->notices->pdata[i]);
  np_json_end_array (j);
  np_json_end_object (j);
}

/* Opens the profile that was asked about. NULL: *status says why not, and the cause was printed. */
static struct nprof_store *
open_store (Query *q, const char *path, const char *generation, int *status)
{
  char why[600];
  struct nprof_store *store = nprof_store_open (path, why, sizeof why);
  if (!store) {
    *status = np_exit_of (errno, NP_EXIT_INPUT);
    g_printerr ("nprof: error: %s\n", why);
    return NULL;
  }
  g_autofree char *own
      = g_strdup_printf ("%016" G_GINT64_MODIFIER "x", nprof_store_meta (store)->generation);
  if (g_str_equal (own, generation))
    return store;
  nprof_store_close (store);
  *status = NP_EXIT_USAGE;
  np_reply_fail (&q->reply, 400, "ask p/ID for the present one",
                 "this generation of the profile was replaced");
  print (&q->reply);
  return NULL;
}

/* Asks the store.  An answer that came of a damaged place is none. */
static int
answer (Query *q, struct nprof_store *store)
{
  g_autoptr (GError) error = NULL;
  const NpSqlCaller caller = { say, np_cli_sql_is_interrupted, end, q };
  gint64 begun = g_get_monotonic_time ();
  q->sql = np_sql_open (store, NULL, &caller, &error);
  if (!q->sql) {
    g_printerr ("nprof: error: %s\n", error->message);
    return error->code;
  }
  gboolean good = run_all (q);
  if (good)
    end_answer (q, begun);
  np_sql_close (q->sql);
  int interrupt = atomic_load (&np_cli_interrupt),
      status = np_cli_sql_damaged (store, interrupt ? interrupt : NP_EXIT_OK);
  if (status)
    return status;
  if (q->reply.body.failed)
    return NP_EXIT_ROOM;
  print (&q->reply);
  return good ? NP_EXIT_OK : NP_EXIT_USAGE;
}

/* Sorts and temporary tables go to files; beyond this SQLite says that the disk is full. */
static void
limit_files (void)
{
  struct rlimit limit;
  if (getrlimit (RLIMIT_FSIZE, &limit) || limit.rlim_cur <= MAX_FILE_BYTES)
    return;
  limit.rlim_cur = MAX_FILE_BYTES;
  setrlimit (RLIMIT_FSIZE, &limit);
}

int
np_cli_sql_answer (const char *path, const char *generation, guint limit, const char *text)
{
  g_autoptr (GPtrArray) notices = g_ptr_array_new_with_free_func (g_free);
  Query q = { .text = text, .limit = limit, .notices = notices };
  int status;
  np_reply_init (&q.reply);
  limit_files ();
  struct nprof_store *store = open_store (&q, path, generation, &status);
  if (store)
    status = answer (&q, store);
  nprof_store_close (store);
  np_reply_clear (&q.reply);
  return status;
}
