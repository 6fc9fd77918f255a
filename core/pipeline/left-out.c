/* SPDX-License-Identifier: Apache-2.0 */
/* left-out.c - says what is left out, and what mends it. */

#include "pipeline/left-out.h"

#include "base/error.h"
#include "plugin/component.h"

#include <string.h>

static void
say (NpRun *run, guint kind, const char *name, const char *file, const char *why)
{
  np_log (run->log, NPROF_WARNING, "%s %s of %s left out: %s; nprof plugins disable %s",
          np_kind_name (kind), name, file, why, name);
}

gboolean
np_leave_out (NpRun *run, NpSpec *spec, GError **error)
{
  if (!spec->unasked || spec->saves || np_run_stopped (run))
    return FALSE;
  const NpRegistryEntry *entry = np_registry_find (run->registry, NPROF_ANALYZER, spec->name);
  spec->left_out = TRUE;
  if (entry && !entry->off)
    say (run, NPROF_ANALYZER, spec->name, entry->file,
         entry->problem ? entry->problem : (*error)->message);
  g_clear_error (error);
  return TRUE;
}

void
np_leave_out_decoders (NpRun *run)
{
  GPtrArray *all = np_registry_all (run->registry);
  for (guint i = 0; i < all->len; i++) {
    NpRegistryEntry *entry = g_ptr_array_index (all, i);
    if (entry->kind == NPROF_DECODER && entry->problem && !entry->off && !entry->said)
      say (run, NPROF_DECODER, entry->name, entry->file, entry->problem);
    entry->said = TRUE;
  }
}

gboolean
np_may_be_refused (NpRun *run, const NpSpec *spec, const struct nprof_component *c)
{
  if (!spec || !spec->unasked)
    return FALSE;
  const NpRegistryEntry *entry = np_registry_find (run->registry, c->kind, c->name);
  return entry && !entry->bundled;
}

gboolean
np_refuse_table (NpRun *run, const NpSpec *spec, const struct nprof_component *c,
                 const struct nprof_table *table, const char *owner)
{
  if (!np_may_be_refused (run, spec, c))
    return FALSE;
  g_autofree char *why = g_strdup_printf ("%s has a table of that name", owner);
  const NpRegistryEntry *entry = np_registry_find (run->registry, c->kind, c->name);
  np_log (run->log, NPROF_WARNING,
          "table \"%s\" of %s %s of %s left out: %s; nprof plugins disable %s", table->name,
          np_kind_name (c->kind), c->name, entry->file, why, c->name);
  g_hash_table_add (run->refused, (gpointer) table);
  return TRUE;
}

/* -- In its place ---------------------------------------------------------------- */

static nprof_status
pass (void *self, const struct nprof_batch *batch)
{
  (void) self;
  (void) batch;
  return NPROF_OK;
}

struct nprof_component *
np_nothing_like (const struct nprof_component *c)
{
  struct nprof_component *nothing = g_memdup2 (c, sizeof *c);
  nothing->options = NULL;
  nothing->order_option = NULL;
  nothing->open = NULL;
  nothing->consume = c->consume ? pass : NULL;
  nothing->table = NULL;
  nothing->finish = NULL;
  nothing->close = NULL;
  nothing->choose = NULL;
  return nothing;
}
