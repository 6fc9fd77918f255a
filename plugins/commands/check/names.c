/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - the names of a component and of its tables beside those of all plugins that are
 * installed; an installed copy of the same plugin is no other. */

#include <string.h>

#include "base/install-paths.h"
#include "check.h"
#include "plugin/component.h"
#include "plugin/registry.h"
#include "rows/table.h"

static gboolean
is_same_plugin (const NpCheck *check, const NpRegistryEntry *entry)
{
  g_autofree char *ours = g_path_get_basename (check->path);
  g_autofree char *theirs = g_path_get_basename (entry->file);
  return strcmp (ours, theirs) == 0;
}

/* Decoders may have a table together, when it is the same in both. */
static gboolean
may_share (const NpCheck *check, const NpRegistryEntry *entry, const struct nprof_table *ours,
           const struct nprof_table *theirs)
{
  return check->component->kind == NPROF_DECODER && entry->kind == NPROF_DECODER
         && np_table_same (ours, theirs);
}

static void
compare_tables (NpCheck *check, const NpRegistryEntry *entry)
{
  const struct nprof_table *const *ours = check->component->tables;
  const struct nprof_table *const *theirs = entry->component->tables;
  for (guint i = 0; ours && ours[i]; i++)
    for (guint k = 0; theirs && theirs[k]; k++)
      if (strcmp (ours[i]->name, theirs[k]->name) == 0
          && !may_share (check, entry, ours[i], theirs[k]))
        np_check_found (check, "table %s is that of %s %s of %s", ours[i]->name,
                        np_kind_name (entry->kind), entry->name, entry->file);
}

static void
compare_kind (NpCheck *check, NpRegistry *registry, guint kind)
{
  g_autoptr (GPtrArray) entries = np_registry_of_kind (registry, kind);
  for (guint i = 0; i < entries->len; i++) {
    const NpRegistryEntry *entry = entries->pdata[i];
    if (is_same_plugin (check, entry))
      continue;
    if (kind == check->component->kind && strcmp (entry->name, check->component->name) == 0)
      np_check_found (check, "%s %s is in %s already", np_kind_name (kind), entry->name,
                      entry->file);
    compare_tables (check, entry);
  }
}

void
np_check_names (NpCheck *check)
{
  g_autofree char *installed = np_installed_plugins ();
  NpRegistry *registry = np_registry_new (installed);
  for (guint kind = NPROF_DECODER; kind <= NPROF_SINK; kind++)
    compare_kind (check, registry, kind);
  np_registry_free (registry);
}
