/* SPDX-License-Identifier: Apache-2.0 */
/* sql.h - asks a profile store in SQL: an SQLite connection whose tables are the store's columns.
 * It writes nothing but temporary tables and reads no other file. Printing is left to the
 * caller. */
#pragma once

#include "table/table-store.h"

#include <glib.h>
#include <nprof/store-reader.h>
#include <sqlite3.h>

typedef struct _NpSql NpSql;

/* Says something to the user, once for each text. */
typedef void (*NpSqlSay) (gpointer user, const char *text);

/* What whoever asks is told and asked. `stop` and `end` are called on a thread of their own while a
 * statement runs. */
typedef struct {
  NpSqlSay say; /* notices */
  /* NULL, or returns whether the answer is wanted no more: the statement is interrupted. */
  gboolean (*stop) (gpointer user);
  /* Ends the process, and does not return: the statement was interrupted two seconds ago, and
   * SQLite is still within one call. late: because it took too long, not because of `stop`. NULL
   * where there is neither `stop` nor a timeout. */
  void (*end) (gpointer user, gboolean late);
  gpointer user;
} NpSqlCaller;

/* The most that any statement gets. */
#define NP_SQL_VALUE_BYTES (16 << 20)                     /* of a text, a blob, a row       */
#define NP_SQL_HEAP_BYTES (G_GINT64_CONSTANT (512) << 20) /* of SQLite in the whole process */

/* store: the caller's, which stays open as long.  made: NULL, or tables of a part of the profile,
 * which stand in place of those of the store, and live as long.  NULL: the error says what is wrong
 * with it.  [any-thread]: each connection is used by one thread. */
NpSql *np_sql_open (struct nprof_store *store, const NpTableStore *made, const NpSqlCaller *caller,
                    GError **error);
void np_sql_close (NpSql *sql);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpSql, np_sql_close)
sqlite3 *np_sql_db (NpSql *sql);

/* Begins a statement that may take this number of seconds; 0: no limit. */
void np_sql_begin (NpSql *sql, double timeout);
/* Ends it, also when it failed: says which columns it asked for that no row has, each once. */
void np_sql_end (NpSql *sql);
/* Returns whether the last statement took too long. */
gboolean np_sql_was_late (const NpSql *sql);
/* Says what is wrong with the statement that begins at byte `at` of `text`, with line and column
 * where SQLite knows them, and what to do about it; transfer full. *place: NULL, or the character
 * of `text` that is wrong, -1: not known. */
char *np_sql_error (NpSql *sql, const char *text, gsize at, gint64 *place);
