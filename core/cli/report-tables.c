/* SPDX-License-Identifier: Apache-2.0 */
/* report-tables.c - the names of the tables of a report. */

#include "cli/report-tables.h"
#include "base/suggest.h"
#include "pipeline/core-tables.h"

#include <string.h>

/* These tables come from nprof's own analyzers; one without rows is not missed. */
static const char *const known_tables[] = { "stragglers",     "ranks",
                                            "step_skew",      "clocks",
                                            "devices",        "categories",
                                            "operators",      "kernels",
                                            "layers",         "fusions",
                                            "fusion_members", "mfu",
                                            "steps",          "latency",
                                            "gaps",           "collectives",
                                            "memory",         "furiosa_summary",
                                            "inferences",     "npu_executions",
                                            "npu_operators",  "external_operators",
                                            "neuron_summary" };

/* These are the names that people use.  The first table of each is missed when it is not there. */
static const struct {
  const char *name, *tables;
} short_names[] = {
  { "ops", "operators,operators_linked?" },
  { "kernels", "kernels,operators?" },
  { "idle", "gaps,idle_causes?,queue_idle?" },
  { "steps", "steps,step_times?,step_breakdown?" },
  { "modules", "modules,module_classes?" },
  { "collectives", "collectives,communication?" },
  { "memory", "memory,memory_holders?,memory_modules?,program_memory?" },
  { "summary", "summary?" }, /* made by the page itself */
};

/* These have rows for each step or queue, or sum up a table that is shown, so they are only named below
 * the page unless all is wanted. */
static gboolean
is_detail (const char *table)
{
  static const char *const details[] = { "step_breakdown", "idle_causes",    "queue_idle",
                                         "launches",       "queue_length",   "communication",
                                         "operator_flops", "step_flops",     "critical",
                                         "bound",          "critical_path",  "what_if",
                                         "memory_holders", "memory_modules", "program_memory",
                                         "job_collectives", "groups",        "rank_steps",
                                         "rank_operators" };
  for (guint i = 0; i < G_N_ELEMENTS (details); i++)
    if (g_str_equal (details[i], table))
      return TRUE;
  return FALSE;
}

/* An analyzer that cannot be opened is an error that the run reports. */
static void
append_tables_of (GString *names, NpRegistry *registry, const NpSpec *analyzer)
{
  const NpRegistryEntry *module = np_registry_get (registry, NPROF_ANALYZER, analyzer->name, NULL);
  const struct nprof_table *const *table = module ? module->component->tables : NULL;
  for (; table && *table; table++)
    if (!is_detail ((*table)->name))
      g_string_append_printf (names, "+%s?", (*table)->name);
}

char *
np_report_tables (const NpConfig *config, NpRegistry *registry, gboolean full, gboolean passed_over)
{
  GString *names = g_string_new ("inputs");
  for (guint i = 0; i < G_N_ELEMENTS (known_tables); i++)
    g_string_append_printf (names, "+%s?", known_tables[i]);
  for (guint i = 0; i < config->analyzers->len; i++)
    append_tables_of (names, registry, g_ptr_array_index (config->analyzers, i));
  g_string_append (names, full ? "+facts?+skipped?+*?" : passed_over ? "+facts?+skipped?" : "");
  return g_string_free (names, FALSE);
}

/* -- All there are --------------------------------------------------------- */

typedef struct {
  const struct nprof_table *table;
  const char *maker;
} Made;

static void
add_made (GArray *all, const struct nprof_table *const *tables, const char *maker)
{
  for (; tables && *tables; tables++) {
    gboolean there = FALSE; /* decoders may share a table */
    for (guint i = 0; i < all->len; i++)
      there = there || g_str_equal (g_array_index (all, Made, i).table->name, (*tables)->name);
    const Made made = { *tables, maker };
    if (!there)
      g_array_append_val (all, made);
  }
}

/* The array holds Made, transfer full; the tables belong to the plugins. */
static GArray *
all_tables (NpRegistry *registry)
{
  static const guint kinds[] = { NPROF_ANALYZER, NPROF_DECODER };
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Made));
  add_made (all, np_core_tables_list (), "nprof");
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++) {
    g_autoptr (GPtrArray) of_kind = np_registry_of_kind (registry, kinds[k]);
    for (guint i = 0; i < of_kind->len; i++) {
      const NpRegistryEntry *module = g_ptr_array_index (of_kind, i);
      if (module->component)
        add_made (all, module->component->tables, module->name);
    }
  }
  return all;
}

void
np_report_list (NpRegistry *registry)
{
  g_autoptr (GArray) all = all_tables (registry);
  int name = 0, maker = 0;
  for (guint i = 0; i < all->len; i++) {
    const Made *made = &g_array_index (all, Made, i);
    name = MAX (name, (int) strlen (made->table->name));
    maker = MAX (maker, (int) strlen (made->maker));
  }
  for (guint i = 0; i < all->len; i++) {
    const Made *made = &g_array_index (all, Made, i);
    g_autofree char *title = np_printable (made->table->title ? made->table->title : "", -1);
    g_print ("%-*s  %-*s  %s\n", name, made->table->name, maker, made->maker, title);
  }
}

/* -- Those that are asked for ---------------------------------------------- */

static const char *
behind_short_name (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (short_names); i++)
    if (g_str_equal (short_names[i].name, name))
      return short_names[i].tables;
  return name;
}

/* Returns all names that may be given; transfer container. */
static GPtrArray *
names_there_are (const GArray *all)
{
  GPtrArray *names = g_ptr_array_new ();
  for (guint i = 0; i < all->len; i++)
    g_ptr_array_add (names, (gpointer) g_array_index (all, Made, i).table->name);
  for (guint i = 0; i < G_N_ELEMENTS (short_names); i++)
    g_ptr_array_add (names, (gpointer) short_names[i].name);
  g_ptr_array_add (names, NULL);
  return names;
}

static gboolean
check_name (const GArray *all, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = names_there_are (all);
  const char *const *list = (const char *const *) names->pdata;
  if (g_strv_contains (list, name))
    return TRUE;
  const char *near = np_suggest (name, list);
  g_set_error (error, NP_ERROR, NP_EXIT_USAGE,
               "--only %s: no component makes such a table%s%s%s; nprof report --tables lists them",
               name, near ? ": did you mean " : "", near ? near : "", near ? "?" : "");
  return FALSE;
}

static void
add_once (GPtrArray *tables, const char *name)
{
  gsize len = strcspn (name, "?");
  for (guint i = 0; i < tables->len; i++) {
    const char *other = g_ptr_array_index (tables, i);
    if (strcspn (other, "?") == len && strncmp (other, name, len) == 0)
      return;
  }
  g_ptr_array_add (tables, g_strdup (name));
}

GStrv
np_report_only (NpRegistry *registry, const char *names, GError **error)
{
  g_autoptr (GArray) all = all_tables (registry);
  g_autoptr (GPtrArray) tables = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) asked = g_strsplit (names, ",", -1);
  for (guint i = 0; asked[i]; i++) {
    if (!check_name (all, g_strstrip (asked[i]), error))
      return NULL;
    g_auto (GStrv) behind = g_strsplit (behind_short_name (asked[i]), ",", -1);
    for (guint k = 0; behind[k]; k++)
      add_once (tables, behind[k]);
  }
  if (tables->len == 0) {
    g_set_error (error, NP_ERROR, NP_EXIT_USAGE,
                 "--only needs names of tables; nprof report --tables lists them");
    return NULL;
  }
  g_ptr_array_add (tables, NULL);
  return (GStrv) g_ptr_array_steal (tables, NULL);
}
