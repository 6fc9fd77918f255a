/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite.c - opens SQLite and asks it for the table of its functions, as an extension is given
 * it. */
#include "sqlite/sqlite.h"

#include <dlfcn.h>
#include <pthread.h>

#define LIBRARY "libsqlite3.so.0"

const sqlite3_api_routines *sqlite3_api;

#undef sqlite3_open
#undef sqlite3_close
#undef sqlite3_auto_extension
#undef sqlite3_cancel_auto_extension

static int
take_table (sqlite3 *db, char **error, const sqlite3_api_routines *api)
{
  (void) db, (void) error;
  sqlite3_api = api;
  return SQLITE_OK;
}

/* Asks SQLite for its table by a function that it calls for every connection. */
static gboolean
ask (void *library)
{
  int (*open) (const char *, sqlite3 **)
      = (int (*) (const char *, sqlite3 **)) dlsym (library, "sqlite3_open");
  int (*close) (sqlite3 *) = (int (*) (sqlite3 *)) dlsym (library, "sqlite3_close");
  int (*add) (void (*) (void))
      = (int (*) (void (*) (void))) dlsym (library, "sqlite3_auto_extension");
  int (*remove) (void (*) (void))
      = (int (*) (void (*) (void))) dlsym (library, "sqlite3_cancel_auto_extension");
  sqlite3 *db = NULL;
  if (!open || !close || !add || !remove)
    return FALSE;
  add ((void (*) (void)) take_table);
  open (":memory:", &db);
  close (db);
  remove ((void (*) (void)) take_table);
  return sqlite3_api != NULL;
}

char *
np_sqlite_load (void)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock (&lock);
  void *library = sqlite3_api ? NULL : dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  gboolean there = sqlite3_api || (library && ask (library));
  pthread_mutex_unlock (&lock);
  if (there)
    return NULL;
  const char *why = library ? "it has no table of functions" : dlerror ();
  return g_strdup_printf (
      "SQLite cannot be opened: %s: install libsqlite3-0, or the package that brings " LIBRARY,
      why);
}
