/* SPDX-License-Identifier: Apache-2.0 */
/* sql.h - asks a profile store in SQL: an SQLite connection whose tables are the store's columns.  It writes
 * nothing but temporary tables and reads no other file.  Printing is left to the caller. */
#pragma once

#include "sql/sqlite.h"

#include <glib.h>
#include <nprof/store-reader.h>

typedef struct _NpSql NpSql;

/* Says something to the user, once for each text. */
typedef void (*NpSqlSay) (gpointer user, const char *text);

/* Tells whether the answer is wanted no more; it is asked while a statement runs. */
typedef gboolean (*NpSqlStop) (gpointer user);

/* store: the caller's, which stays open as long.  say: notices; stop: NULL, or TRUE ends the statement.
 * NULL: the error says what is wrong with the store.  [any-thread]: each connection is used by one thread. */
NpSql *np_sql_open (struct nprof_store *store, NpSqlStop stop, NpSqlSay say, gpointer user,
                    GError **error);
void np_sql_close (NpSql *sql);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpSql, np_sql_close)
sqlite3 *np_sql_db (NpSql *sql);

/* Limits the time that one statement may take from now on, in seconds; 0: as long as it wants. */
void np_sql_begin (NpSql *sql, double timeout);
/* Ends a statement that has been answered: says which columns it asked for that no row has, each
 * once. */
void np_sql_end (NpSql *sql);
/* Tells whether the last statement took too long. */
gboolean np_sql_was_late (const NpSql *sql);
/* Says what is wrong with the statement that begins at byte `at` of `text`, with line and column
 * where SQLite knows them, and what to do about it; transfer full. *place: NULL, or the character
 * of `text` that is wrong, -1: not known. */
char *np_sql_error (NpSql *sql, const char *text, gsize at, gint64 *place);
