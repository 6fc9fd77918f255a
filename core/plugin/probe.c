/* SPDX-License-Identifier: Apache-2.0 */
/* probe.c - the decoder with the highest bid. */

#include "plugin/probe.h"
#include "base/error.h"
#include "plugin/foreign-format.h"

NP_DEFINE_DOMAIN ("np-unknown-format-quark", np_unknown_format)

static void
list_score (GString *list, const NpRegistryEntry *module, int score)
{
  g_string_append_printf (list, "%s%s %d", list->len ? ", " : "", module->name, score);
}

const struct nprof_component *
np_probe_decoders (NpRegistry *registry, const char *path, const void *head, gsize len,
                   guint64 size, int least, char **bids, GError **error)
{
  g_autoptr (GPtrArray) decoders = np_registry_decoders (registry, path, head, len);
  g_autoptr (GString) list = g_string_new (NULL);
  const NpRegistryEntry *best = NULL;
  int highest = least - 1;
  gboolean tie = FALSE;
  for (guint i = 0; i < decoders->len; i++) {
    const NpRegistryEntry *module = g_ptr_array_index (decoders, i);
    const struct nprof_component *c = module->component;
    int score = c && c->probe ? c->probe (head, len, size, path) : 0;
    list_score (list, module, score);
    tie = score == highest ? best != NULL : score < highest && tie;
    if (score > highest) {
      highest = score;
      best = module;
    }
  }
  if (bids)
    *bids = g_strdup (list->len ? list->str : "none, no decoder can be used");
  if (best && !tie)
    return best->component;
  const char *foreign = np_foreign_format (head, len);
  if (tie)
    g_set_error (error, NP_ERROR, NP_EXIT_USAGE,
                 "%s: several decoders are equally sure (%s): name one with -d", path, list->str);
  else if (foreign)
    g_set_error (error, NP_UNKNOWN_FORMAT, NP_EXIT_INPUT, "%s: is %s", path, foreign);
  else
    g_set_error (error, NP_UNKNOWN_FORMAT, NP_EXIT_INPUT,
                 "%s: the file is empty: byte 0: expected a profile", path);
  return NULL;
}
