/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite.h - SQLite, opened when statements are run: linking it would make the start of every
 * command longer.  Its functions are called through the table that it gives to extensions, so their
 * names stand in the code as ever.  Include this instead of sqlite3.h. */
#pragma once

#include <glib.h>
#include <sqlite3ext.h>

extern const sqlite3_api_routines *sqlite3_api;

/* Loads the library. NULL: it is there; else why it cannot be opened, transfer full. May be called
 * again. [any-thread] */
char *np_sqlite_load (void);
