/* SPDX-License-Identifier: Apache-2.0 */
/* store.c - opens the store that is asked. */
#include "base/error.h"
#include "command.h"
#include "stored/own-store.h"

#include <errno.h>
#include <unistd.h>

static void
say (gpointer user, const char *text)
{
  const NpSqlSession *session = user;
  if (session->options->verbosity >= NPROF_WARNING)
    g_printerr ("nprof: %s\n", text);
}

gboolean
np_cli_sql_is_interrupted (gpointer unused)
{
  (void) unused;
  return atomic_load (&np_cli_interrupt) != 0;
}

/* Leaves what stdio has not written: another thread may be in it. */
static void
end (gpointer user, gboolean late)
{
  const NpSqlSession *session = user;
  if (!late)
    _exit (atomic_load (&np_cli_interrupt));
  g_printerr ("nprof: error: " NP_SQL_LATE "\n", session->timeout);
  _exit (NP_EXIT_USAGE);
}

static gboolean
open_there (NpSqlSession *session, const char *folder, int *status)
{
  char why[600];
  g_autoptr (GError) error = NULL;
  const NpSqlCaller caller = { say, np_cli_sql_is_interrupted, end, session };
  session->store = nprof_store_open (folder, why, sizeof why);
  if (!session->store)
    np_error_set (&error, np_exit_of (errno, NP_EXIT_INPUT), "%s", why);
  session->sql = session->store ? np_sql_open (session->store, NULL, &caller, &error) : NULL;
  if (session->sql)
    return TRUE;
  nprof_store_close (g_steal_pointer (&session->store));
  *status = error->code;
  g_printerr ("nprof: error: %s\n", error->message);
  return FALSE;
}

int
np_cli_sql_damaged (struct nprof_store *store, int status)
{
  char why[700];
  if (!nprof_store_damage (store, why, sizeof why))
    return status;
  g_printerr ("nprof: error: %s\n", why);
  return NP_EXIT_INPUT;
}

gboolean
np_cli_sql_open (NpSqlSession *session, int *status)
{
  NpCliOptions *o = session->options;
  g_auto (NpOwnStore) own = { 0 };
  *status = NP_EXIT_OK;
  if (!np_own_store_find (&own, o) && !np_own_store_read (&own, o, status))
    return FALSE;
  g_autofree char *path = g_build_filename (own.folder, own.id, NULL);
  return open_there (session, path, status);
}
