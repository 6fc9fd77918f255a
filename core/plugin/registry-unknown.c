/* SPDX-License-Identifier: Apache-2.0 */
/* registry-unknown.c - the error for a name that no component has: it tells the near name, another
 * kind of that name, and files that could not be used. */

#include "plugin/registry-unknown.h"

#include <string.h>

#include "base/error.h"
#include "base/suggest.h"
#include "plugin/component.h"

/* Returns the analyzer that makes a table of that name; NULL: none does. */
static const char *
maker_of (NpRegistry *registry, const char *table)
{
  g_autoptr (GPtrArray) all = np_registry_of_kind (registry, NPROF_ANALYZER);
  for (guint i = 0; i < all->len; i++) {
    const NpRegistryEntry *m = all->pdata[i];
    const struct nprof_table *const *made = m->component ? m->component->tables : NULL;
    for (; made && *made; made++)
      if (!strcmp ((*made)->name, table))
        return m->name;
  }
  return NULL;
}

/* What files and programs are called elsewhere, by the component that reads or writes them. */
static const NpSynonym decoders[] = {
  { "kineto", "chrome" },     { "torch", "chrome" },      { "pytorch", "chrome" },
  { "json", "chrome" },       { "trace", "chrome" },      { "nsight", "nsys" },
  { "cuda", "nsys" },         { "xprof", "xplane" },      { "tensorboard", "xplane" },
  { "jax", "xplane" },        { "tpu", "xplane" },        { "neuron", "ntff" },
  { "neuron-profile", "ntff" }, { "rocprof", "rocprofv3" }, { "pftrace", "perfetto" },
}, sinks[] = {
  { "excel", "xlsx" },        { "json", "chrome" },       { "kineto", "chrome" },
  { "trace", "chrome" },      { "pandas", "parquet" },    { "duckdb", "parquet" },
  { "sql", "sqlite" },        { "db", "sqlite" },         { "influxdb", "influx" },
  { "pftrace", "perfetto" },  { "tsv", "csv" },           { "stdout", "text" },
};

static const char *
synonym_of (guint kind, const char *name)
{
  return kind == NPROF_DECODER ? np_synonym (name, decoders, G_N_ELEMENTS (decoders))
         : kind == NPROF_SINK  ? np_synonym (name, sinks, G_N_ELEMENTS (sinks))
                               : NULL;
}

/* Says what may help somebody who asked for an unknown name; transfer full. */
static char *
unknown_hint (NpRegistry *registry, guint kind, const char *name)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  GPtrArray *all = np_registry_all (registry);
  for (guint i = 0; i < all->len; i++) {
    const NpRegistryEntry *m = all->pdata[i];
    if (m->kind == kind)
      g_ptr_array_add (names, m->name);
    else if (m->kind != NP_KIND_UNKNOWN && strcmp (m->name, name) == 0)
      return g_strdup_printf (": it is the name of %s %s", m->kind == NPROF_ANALYZER ? "an" : "a",
                              np_kind_name (m->kind));
  }
  g_ptr_array_add (names, NULL);
  const char *maker = kind == NPROF_ANALYZER ? maker_of (registry, name) : NULL;
  if (maker)
    return g_strdup_printf (": it is the name of a table: did you mean %s, which makes it?", maker);
  if (strchr (name, ','))
    return g_strdup (": one name is taken here; give the option again for another");
  const char *ours = synonym_of (kind, name);
  if (ours && !np_registry_find (registry, kind, ours))
    ours = NULL;
  return np_suggestion (ours ? ours : np_suggest (name, (const char *const *) names->pdata));
}

static guint
count_unknown (NpRegistry *registry)
{
  guint n = 0;
  GPtrArray *all = np_registry_all (registry);
  for (guint i = 0; i < all->len; i++)
    n += ((NpRegistryEntry *) all->pdata[i])->kind == NP_KIND_UNKNOWN;
  return n;
}

/* Returns the file of that name which could not be used, and so may hold the component; NULL:
 * none. */
static const NpRegistryEntry *
unusable (NpRegistry *registry, const char *name)
{
  GPtrArray *all = np_registry_all (registry);
  for (guint i = 0; i < all->len; i++) {
    const NpRegistryEntry *m = all->pdata[i];
    if (m->kind == NP_KIND_UNKNOWN && m->problem && strcmp (m->name, name) == 0)
      return m;
  }
  return NULL;
}

const NpRegistryEntry *
np_registry_unknown (NpRegistry *registry, guint kind, const char *name, GError **error)
{
  const NpRegistryEntry *m = unusable (registry, name);
  if (m) {
    np_error_set (error, NP_EXIT_PLUGIN, "%s %s: %s: %s", np_kind_name (kind), name, m->file,
                  m->problem);
    return NULL;
  }
  g_autofree char *hint = unknown_hint (registry, kind, name);
  guint lost = count_unknown (registry);
  g_autofree char *others = lost ? g_strdup_printf (", and %u that cannot be used", lost) : NULL;
  np_error_set (error, NP_EXIT_USAGE,
                "no %s named \"%s\"%s (nprof plugins lists them%s; NPROF_PLUGIN_PATH adds folders)",
                np_kind_name (kind), name, hint, others ? others : "");
  return NULL;
}
