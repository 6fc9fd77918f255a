/* SPDX-License-Identifier: Apache-2.0 */
/* default-analyzers.c - adds the analyzers that take part without being asked for. */

#include "cli/default-analyzers.h"

#include <string.h>

/* The order matters: mfu reads tables of operators and steps, and fusion comes last, because
 * latency would count its spans beside those that they are made of. */
static const char *const default_analyzers[]
    = { "device",      "operators", "steps",   "mfu", "critical",
        "collectives", "memory",    "latency", "fusion" };

/* These analyzers print what the vendor's own tool prints, for inputs of that vendor's decoder. */
static const struct {
  const char *analyzer, *decoder;
} vendors_analyzers[] = { { "furiosa", "furiosa" }, { "neuron", "ntff" } };

gboolean
np_has_analyzer (NpRegistry *registry, const char *name)
{
  GPtrArray *all = np_registry_all (registry);
  for (guint i = 0; i < all->len; i++) {
    const NpRegistryEntry *module = g_ptr_array_index (all, i);
    if (module->kind == NPROF_ANALYZER && !module->problem && g_str_equal (module->name, name))
      return TRUE;
  }
  return FALSE;
}

/* Takes the spec that the user gave for this analyzer, with its options; NULL: none.  Transfer
 * full. */
static NpSpec *
take_asked (GPtrArray *asked, const char *name)
{
  for (guint i = 0; i < asked->len; i++)
    if (g_str_equal (((NpSpec *) g_ptr_array_index (asked, i))->name, name))
      return g_ptr_array_steal_index (asked, i);
  return NULL;
}

/* Turns its long tables off but for those in `but`; they are made only when they are asked for. */
static void
spare_long_tables (NpSpec *spec, const char *const *but)
{
  static const char *const long_tables[][2]
      = { { "critical_path", "path" }, { "what_if", "what_if" } };
  for (guint i = 0; strcmp (spec->name, "critical") == 0 && i < G_N_ELEMENTS (long_tables); i++)
    if (!g_strv_contains (but, long_tables[i][0]))
      np_spec_set (spec, long_tables[i][1], i ? "0" : "no");
}

static void
add_default (NpConfig *config, NpRegistry *registry, GPtrArray *asked, const char *name,
             const char *only_for, const char *const *but)
{
  NpSpec *spec = take_asked (asked, name);
  if (!spec && np_has_analyzer (registry, name)) {
    spec = np_spec_new (name);
    spec->only_for = g_strdup (only_for);
    spec->only_several = strcmp (name, "ranks") == 0; /* one profile is no job to compare */
    if (but)
      spare_long_tables (spec, but);
  }
  if (spec)
    g_ptr_array_add (config->analyzers, spec);
}

void
np_add_default_analyzers (NpConfig *config, NpRegistry *registry, const char *const *but)
{
  g_autoptr (GPtrArray) asked = g_steal_pointer (&config->analyzers);
  config->analyzers = g_ptr_array_new_with_free_func ((GDestroyNotify) np_spec_free);
  for (guint i = 0; i < G_N_ELEMENTS (default_analyzers); i++)
    add_default (config, registry, asked, default_analyzers[i], NULL, but);
  add_default (config, registry, asked, "ranks", NULL, but);
  for (guint i = 0; i < G_N_ELEMENTS (vendors_analyzers); i++)
    add_default (config, registry, asked, vendors_analyzers[i].analyzer,
                 vendors_analyzers[i].decoder, but);
  while (asked->len)
    g_ptr_array_add (config->analyzers, g_ptr_array_steal_index (asked, 0));
}
