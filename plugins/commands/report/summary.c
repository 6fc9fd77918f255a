/* SPDX-License-Identifier: Apache-2.0 */
/* summary.c - writes what limits a profile as nprof.summary/1, which is what tool verdict
 * says of it: what is not stored is, for as long as this takes. */
#include "summary.h"

#include "agent/summary.h"
#include "console/collect-tables.h"
#include "console/default-analyzers.h"
#include "stored/own-store.h"

static GString *
summary_of (const NpOwnStore *own, GError **error)
{
  char why[700];
  g_autofree char *path = g_build_filename (own->folder, own->id, NULL);
  struct nprof_store *store = nprof_store_open (path, why, sizeof why);
  if (!store) {
    np_error_set (error, NP_EXIT_INPUT, "%s", why);
    return NULL;
  }
  GString *text = np_agent_summary (store, error);
  nprof_store_close (store);
  return text;
}

int
np_report_summary (NpCliOptions *o)
{
  g_auto (NpOwnStore) own = { 0 };
  g_autoptr (GError) error = NULL;
  int status = NP_EXIT_OK;
  g_autofree char *output = g_steal_pointer (&o->config->output);
  if (!np_own_store_find (&own, o)) {
    np_add_default_analyzers (o->config, np_cli_modules (o), NULL);
    np_cli_want_table (o, "verdict");
    np_cli_want_table (o, "findings");
    if (!np_own_store_read (&own, o, &status))
      return status;
  }
  g_autoptr (GString) text = summary_of (&own, &error);
  if (!text) {
    np_cli_tell_error (error, "report");
    return error->code;
  }
  o->config->output = g_steal_pointer (&output);
  const int written = np_cli_write ("report", o->config, "summary.json", text);
  return written ? written : status;
}
