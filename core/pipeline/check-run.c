/* SPDX-License-Identifier: Apache-2.0 */
/* check-run.c - which components of a run are checked: all where the user asks for it, else those
 * of files outside of the installation that nprof check has not passed. */

#include "pipeline/check-run.h"

#include "base/fence.h"
#include "pipeline/check-again.h"
#include "pipeline/left-out.h"
#include "plugin/checked-files.h"
#include "plugin/component.h"

#include <string.h>

typedef struct { /* a component that lives again behind the run */
  const NpRegistryEntry *entry;
  char **words;
} NpCheckAgain;

/* Ends the process for what was found behind or before all calls. */
_Noreturn static void
end_for (const struct nprof_component *c, const char *call_name, const char *how)
{
  const void *of = c->kind == NPROF_DECODER ? (const void *) (uintptr_t) c->probe
                                            : (const void *) (uintptr_t) c->consume;
  const NpFenceCall call = { of, c->name, call_name, c->kind, 0 };
  np_fence_end (&call, how);
}

static void
compare_table (NpRun *run, const NpRegistryEntry *entry, const char *table)
{
  g_autoptr (GPtrArray) all = np_registry_of_kind (run->registry, NPROF_ANALYZER);
  for (guint i = 0; i < all->len; i++) {
    const NpRegistryEntry *other = all->pdata[i];
    if (!other->component || g_strcmp0 (other->file, entry->file) == 0
        || !np_component_has_table (other->component, table))
      continue;
    g_autofree char *how = g_strdup_printf (
        " broke the contract (table %s is that of analyzer %s: call it vendor.name)", table,
        other->name);
    end_for (entry->component, "open", how);
  }
}

/* A name without a dot may be that of a table of nprof's, whether its analyzer takes part or not.
 * Analyzers of one file are one author's. */
static void
compare_tables (NpRun *run, const NpRegistryEntry *entry)
{
  const struct nprof_table *const *tables = entry->component->tables;
  if (entry->kind != NPROF_ANALYZER || entry->bundled)
    return;
  for (guint i = 0; tables && tables[i]; i++)
    if (!strchr (tables[i]->name, '.'))
      compare_table (run, entry, tables[i]->name);
}

static void
again_free (gpointer p)
{
  NpCheckAgain *again = p;
  g_strfreev (again->words);
  g_free (again);
}

/* Once is enough, unless the user asks for a checked run. */
static void
add_again (NpRun *run, const NpRegistryEntry *entry, const NpSpec *spec, const char *input)
{
  g_auto (GStrv) words = np_check_again_words (entry, spec, input);
  if (!run->config->checked && np_check_again_is_known (entry, words))
    return;
  NpCheckAgain *again = g_new (NpCheckAgain, 1);
  *again = (NpCheckAgain){ entry, g_steal_pointer (&words) };
  if (!run->again)
    run->again = g_ptr_array_new_with_free_func (again_free);
  g_ptr_array_add (run->again, again);
}

/* input: the file that a decoder reads; else NULL. */
static void
consider (NpRun *run, const NpSpec *spec, const struct nprof_component *c, const char *input)
{
  const NpRegistryEntry *entry = np_registry_find (run->registry, c->kind, c->name);
  if (!entry || entry->component != c)
    return; /* the caller's own */
  if (!entry->bundled) {
    np_fence_third (c->name);
    np_fence_limit ((guint) run->config->call_limit); /* which costs signals */
  }
  if (!run->config->checked
      && (entry->bundled || np_checked_files_have (NP_FILES_CHECKED, entry->file, NULL)))
    return;
  if (!g_hash_table_add (run->checked, (gpointer) c))
    return; /* of another input, too */
  if (!entry->bundled && c->kind != NPROF_SINK)
    add_again (run, entry, spec, input);
  if (!np_may_be_refused (run, spec, c)) /* else it is left out where both take part */
    compare_tables (run, entry);
}

static void
consider_chosen (NpRun *run, const GArray *all, guint i)
{
  const NpChosen *one = &g_array_index (all, NpChosen, i);
  consider (run, one->spec, one->component, NULL);
}

void
np_check_run_begin (NpRun *run, const NpChoice *choice)
{
  if (!np_fence_is_armed ())
    return;
  run->checked = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < choice->analyzers->len; i++)
    consider_chosen (run, choice->analyzers, i);
  for (guint i = 0; i < choice->sinks->len; i++)
    consider_chosen (run, choice->sinks, i);
  for (guint i = 0; i < run->inputs->len; i++) {
    const NpRunInput *input = g_ptr_array_index (run->inputs, i);
    consider (run, input->spec, input->decoder, input->real_path);
  }
  if (!g_hash_table_size (run->checked))
    return;
  np_pool_guard (run->pool);
  np_fence_watch (run->interrupt);
}

#define MOST_WAITS 200 /* ms, for threads that were told to end */

static void
find_threads (void)
{
  NpFenceCall call;
  for (guint i = 0; i < MOST_WAITS && np_fence_has_thread (&call); i++)
    g_usleep (1000);
  if (np_fence_has_thread (&call))
    np_fence_end (&call, " broke the contract (a thread that it began still runs)");
}

/* What this run has not shown, others may. */
static void
find_again (const NpRun *run)
{
  for (guint i = 0; run->again && i < run->again->len; i++) {
    const NpCheckAgain *again = run->again->pdata[i];
    const struct nprof_component *c = again->entry->component;
    g_autofree char *found = np_check_again_find (again->entry, again->words);
    if (!found)
      continue;
    g_autofree char *how = g_strdup_printf (" broke the contract (%s)", found);
    end_for (c, c->kind == NPROF_ANALYZER ? "consume" : c->plan ? "decode_part" : "decode", how);
  }
}

void
np_check_run_end (const NpRun *run, gboolean whole)
{
  if (!run->checked || !g_hash_table_size (run->checked))
    return;
  np_fence_unwatch ();
  if (!whole)
    return;
  find_threads ();
  find_again (run);
}
