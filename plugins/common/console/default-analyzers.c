/* SPDX-License-Identifier: Apache-2.0 */
/* default-analyzers.c - adds the analyzers that take part without being asked for, as the
 * NAME.plugin of each says. */

#include "console/default-analyzers.h"
#include "plugin/component.h"

#include <string.h>

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

void
np_add_makers (GPtrArray *names, NpRegistry *registry, const char *table)
{
  g_autoptr (GPtrArray) analyzers = np_registry_of_kind (registry, NPROF_ANALYZER);
  for (guint i = 0; i < analyzers->len; i++) {
    const NpRegistryEntry *module = analyzers->pdata[i];
    if (module->component && np_component_has_table (module->component, table)
        && !g_ptr_array_find_with_equal_func (names, module->name, g_str_equal, NULL))
      g_ptr_array_add (names, g_strdup (module->name));
  }
}

/* Returns the spec of the analyzer; NULL: it takes no part. */
static NpSpec *
spec_of (const NpConfig *config, const char *analyzer)
{
  for (guint i = 0; i < config->analyzers->len; i++) {
    NpSpec *spec = g_ptr_array_index (config->analyzers, i);
    if (g_str_equal (spec->name, analyzer))
      return spec;
  }
  return NULL;
}

/* Makes an analyzer take part whatever the inputs are: what its index says of them is for those who
 * did not ask for it. */
static void
take_always (NpSpec *spec)
{
  g_clear_pointer (&spec->only_for, g_strfreev);
  spec->least_inputs = 0;
}

void
np_want_table (NpConfig *config, NpRegistry *registry, const char *table)
{
  g_autoptr (GPtrArray) makers = g_ptr_array_new_with_free_func (g_free);
  np_add_makers (makers, registry, table);
  for (guint i = 0; i < makers->len; i++) {
    NpSpec *spec = spec_of (config, makers->pdata[i]);
    if (spec)
      take_always (spec);
    else
      g_ptr_array_add (config->analyzers, np_spec_new (makers->pdata[i]));
  }
}

GPtrArray *
np_table_names (NpRegistry *registry, const NpTableStore *tables)
{
  g_autoptr (GPtrArray) analyzers = np_registry_of_kind (registry, NPROF_ANALYZER);
  GPtrArray *names = g_ptr_array_new ();
  for (const struct nprof_table *const *t = np_table_store_list (tables); *t; t++)
    g_ptr_array_add (names, (gpointer) (*t)->name);
  for (guint i = 0; i < analyzers->len; i++) {
    const struct nprof_component *c
        = ((NpRegistryEntry *) g_ptr_array_index (analyzers, i))->component;
    for (const struct nprof_table *const *t = c ? c->tables : NULL; t && *t; t++)
      if (!g_ptr_array_find_with_equal_func (names, (*t)->name, g_str_equal, NULL))
        g_ptr_array_add (names, (gpointer) (*t)->name);
  }
  g_ptr_array_add (names, NULL);
  return names;
}

/* -- Which they are -------------------------------------------------------- */

static int
by_rank (gconstpointer a, gconstpointer b)
{
  const NpRegistryEntry *x = *(const NpRegistryEntry *const *) a,
                        *y = *(const NpRegistryEntry *const *) b;
  return x->report->rank != y->report->rank ? (x->report->rank > y->report->rank ? 1 : -1)
                                            : strcmp (x->name, y->name);
}

/* Returns the analyzers that take part unasked, in order of rank; transfer container.  One that
 * cannot be used is among them: the run says that it is left out. */
static GPtrArray *
ranked_analyzers (NpRegistry *registry)
{
  GPtrArray *ranked = g_ptr_array_new (), *all = np_registry_all (registry);
  for (guint i = 0; i < all->len; i++) {
    const NpRegistryEntry *module = g_ptr_array_index (all, i);
    if (module->kind == NPROF_ANALYZER && !module->off && module->report && module->report->rank)
      g_ptr_array_add (ranked, (gpointer) module);
  }
  g_ptr_array_sort (ranked, by_rank);
  return ranked;
}

/* -- How each takes part --------------------------------------------------- */

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

/* Turns off the tables that can be turned off, but for those in `but`. */
static void
turn_tables_off (NpSpec *spec, GHashTable *off, const char *const *but)
{
  GHashTableIter iter;
  gpointer table, assignment;
  g_hash_table_iter_init (&iter, off);
  while (g_hash_table_iter_next (&iter, &table, &assignment)) {
    g_auto (GStrv) words = g_strsplit (assignment, "=", 2);
    if (!g_strv_contains (but, table))
      np_spec_set (spec, words[0], words[1]);
  }
}

/* Returns the spec of an analyzer that was not asked for; transfer full. */
static NpSpec *
unasked_spec (const NpRegistryEntry *analyzer, const char *const *but)
{
  NpSpec *spec = np_spec_new_unasked (analyzer->name);
  spec->only_for = g_strdupv (analyzer->report->decoder);
  spec->least_inputs = analyzer->report->inputs;
  if (but)
    turn_tables_off (spec, analyzer->report->off, but);
  return spec;
}

static void
put_in_order (NpConfig *config, NpRegistry *registry, gboolean unasked, const char *const *but)
{
  g_autoptr (GPtrArray) ranked = ranked_analyzers (registry);
  g_autoptr (GPtrArray) asked = g_steal_pointer (&config->analyzers);
  config->analyzers = g_ptr_array_new_with_free_func ((GDestroyNotify) np_spec_free);
  for (guint i = 0; i < ranked->len; i++) {
    const NpRegistryEntry *module = g_ptr_array_index (ranked, i);
    NpSpec *spec = take_asked (asked, module->name);
    if (!spec && unasked)
      spec = unasked_spec (module, but);
    if (spec)
      g_ptr_array_add (config->analyzers, spec);
  }
  while (asked->len)
    g_ptr_array_add (config->analyzers, g_ptr_array_steal_index (asked, 0));
}

void
np_order_analyzers (NpConfig *config, NpRegistry *registry)
{
  put_in_order (config, registry, FALSE, NULL);
}

void
np_add_default_analyzers (NpConfig *config, NpRegistry *registry, const char *const *but)
{
  put_in_order (config, registry, TRUE, but);
}
