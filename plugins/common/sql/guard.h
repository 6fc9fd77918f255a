/* SPDX-License-Identifier: Apache-2.0 */
/* guard.h - a thread that watches one statement at a time: it interrupts what takes too long or is
 * wanted no more, and has the process ended where SQLite does not answer to that, as within one
 * call of instr(). */
#pragma once

#include "sql/sql.h"

typedef struct _NpSqlGuard NpSqlGuard;

/* `caller` and `db` live as long as the guard, which must be freed before db is closed. */
NpSqlGuard *np_sql_guard_new (sqlite3 *db, const NpSqlCaller *caller);
void np_sql_guard_free (NpSqlGuard *guard);

/* Watches from now on.  timeout: seconds; 0: as long as it wants. */
void np_sql_guard_begin (NpSqlGuard *guard, double timeout);
void np_sql_guard_end (NpSqlGuard *guard);
/* Returns whether the statement is to end, or was to end before np_sql_guard_end.  [any-thread] */
gboolean np_sql_guard_ends (const NpSqlGuard *guard);
/* Returns whether it is to end because it took too long. */
gboolean np_sql_guard_was_late (const NpSqlGuard *guard);
