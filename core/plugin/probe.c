/* SPDX-License-Identifier: Apache-2.0 */
/* probe.c - the decoder with the highest bid. */

#include "plugin/probe.h"
#include "base/error.h"
#include "base/fence.h"
#include "foreign/foreign-format.h"

#include <string.h>

NP_DEFINE_DOMAIN ("np-unknown-format-quark", np_unknown_format)

#define MOST_SURE 100

/* Returns what counts of a bid: one that nprof/plugin.h does not have is none. */
static int
take_score (GString *list, const NpRegistryEntry *module, int score)
{
  const gboolean holds = score >= 0 && score <= MOST_SURE;
  if (score)
    g_string_append_printf (list, "%s%s %d%s", list->len ? ", " : "", module->name, score,
                            holds ? "" : " (no bid: 0 to 100 is the rule)");
  return holds ? score : 0;
}

/* Returns whether the file of a comes before that of b in the search path. */
static gboolean
comes_first (NpRegistry *registry, const NpRegistryEntry *a, const NpRegistryEntry *b)
{
  guint at[2] = { 0 };
  g_ptr_array_find (np_registry_all (registry), a, &at[0]);
  g_ptr_array_find (np_registry_all (registry), b, &at[1]);
  return strcmp (a->file, b->file) != 0 && at[0] < at[1];
}

const struct nprof_component *
np_probe_decoders (NpRegistry *registry, const char *path, const void *head, gsize len,
                   guint64 size, int least, char **bids, gboolean *tie, GError **error)
{
  g_autoptr (GPtrArray) decoders = np_registry_decoders (registry, path, head, len);
  g_autoptr (GString) list = g_string_new (NULL);
  const NpRegistryEntry *best = NULL;
  int highest = least - 1;
  *tie = FALSE;
  for (guint i = 0; i < decoders->len; i++) {
    const NpRegistryEntry *module = g_ptr_array_index (decoders, i);
    const struct nprof_component *c = module->component;
    int score
        = take_score (list, module, c && c->probe ? NP_CALL (c, probe, head, len, size, path) : 0);
    *tie = score == highest ? best != NULL : score < highest && *tie;
    if (score > highest || (best && score == highest && comes_first (registry, module, best)))
      best = module;
    highest = MAX (highest, score);
  }
  if (bids)
    *bids = g_strdup (list->len ? list->str : "none, no decoder can be used");
  if (best)
    return best->component;
  const char *foreign = np_foreign_format (head, len);
  g_autofree char *tables = np_foreign_tables (head, len);
  if (foreign)
    g_set_error (error, NP_UNKNOWN_FORMAT, NP_EXIT_INPUT, "%s: is %s%s%s", path, foreign,
                 tables ? "; its tables: " : "", tables ? tables : "");
  else
    g_set_error (error, NP_UNKNOWN_FORMAT, NP_EXIT_INPUT,
                 "%s: the file is empty: byte 0: expected a profile", path);
  return NULL;
}
