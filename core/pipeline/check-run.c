/* SPDX-License-Identifier: Apache-2.0 */
/* check-run.c - which components of a run are checked: all where the user asks for it, else those
 * of files outside of the installation that nprof check has not passed. */

#include "pipeline/check-run.h"

#include "base/fence.h"
#include "plugin/checked-files.h"

static void
consider (NpRun *run, const struct nprof_component *c)
{
  const NpRegistryEntry *entry = np_registry_find (run->registry, c->kind, c->name);
  if (!entry || entry->component != c)
    return; /* the caller's own */
  if (!entry->bundled)
    np_fence_limit ((guint) run->config->call_limit); /* which costs signals */
  if (run->config->checked || (!entry->bundled && !np_checked_files_have (entry->file)))
    g_hash_table_add (run->checked, (gpointer) c);
}

void
np_check_run_begin (NpRun *run, const NpChoice *choice)
{
  if (!np_fence_is_armed ())
    return;
  run->checked = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < choice->analyzers->len; i++)
    consider (run, g_array_index (choice->analyzers, NpChosen, i).component);
  for (guint i = 0; i < choice->sinks->len; i++)
    consider (run, g_array_index (choice->sinks, NpChosen, i).component);
  for (guint i = 0; i < run->inputs->len; i++)
    consider (run, ((const NpRunInput *) g_ptr_array_index (run->inputs, i))->decoder);
  if (!g_hash_table_size (run->checked))
    return;
  np_pool_guard (run->pool);
  np_fence_watch (run->interrupt);
}

void
np_check_run_end (const NpRun *run)
{
  if (run->checked && g_hash_table_size (run->checked))
    np_fence_unwatch ();
}
