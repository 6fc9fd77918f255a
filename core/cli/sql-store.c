/* SPDX-License-Identifier: Apache-2.0 */
/* sql-store.c - opens the store that is asked. */
#include "cli/own-store.h"
#include "cli/sql.h"

static void
say (gpointer user, const char *text)
{
  const NpCliOptions *o = user;
  if (o->verbosity >= NPROF_WARNING)
    g_printerr ("nprof: %s\n", text);
}

static gboolean
is_interrupted (gpointer user)
{
  (void) user;
  return atomic_load (&np_cli_interrupt) != 0;
}

static NpSql *
open_there (NpCliOptions *o, const char *folder, struct nprof_store **store, int *status)
{
  char why[600];
  g_autoptr (GError) error = NULL;
  *store = nprof_store_open (folder, why, sizeof why);
  if (!*store)
    g_set_error_literal (&error, NP_ERROR, np_exit_of (errno, NP_EXIT_INPUT), why);
  NpSql *sql = *store ? np_sql_open (*store, is_interrupted, say, o, &error) : NULL;
  if (sql)
    return sql;
  nprof_store_close (g_steal_pointer (store));
  *status = error->code;
  g_printerr ("nprof: error: %s\n", error->message);
  return NULL;
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

NpSql *
np_cli_sql_open (NpCliOptions *o, struct nprof_store **store, int *status)
{
  g_auto (NpOwnStore) own = { 0 };
  *status = NP_EXIT_OK;
  if (!np_own_store_find (&own, o) && !np_own_store_read (&own, o, status))
    return NULL;
  g_autofree char *path = g_build_filename (own.folder, own.id, NULL);
  return open_there (o, path, store, status);
}
