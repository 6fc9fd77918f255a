/* SPDX-License-Identifier: Apache-2.0 */
/* table-makers.c - which analyzers the others need: a table that one reads
 * (nprof_component.table_wants) is made by a decoder of the run, the core, or an analyzer that then
 * takes part, before the reader. */

#include "pipeline/choose.h"
#include "pipeline/core-tables.h"
#include "pipeline/left-out.h"
#include "pipeline/row-stream.h"
#include "plugin/component.h"
#include "plugin/option.h"

#include <string.h>

static const NpChosen *
chosen_at (const NpChoice *choice, guint i)
{
  return &g_array_index (choice->analyzers, NpChosen, i);
}

static gboolean
is_of_inputs (NpRun *run, const char *table)
{
  for (guint i = 0; i < run->inputs->len; i++) {
    const NpRunInput *input = g_ptr_array_index (run->inputs, i);
    if (np_component_has_table (input->decoder, table)
        || (input->declared && np_declared_table (input->declared, table)))
      return TRUE;
  }
  return run->config->states != NULL; /* of whose inputs nobody is there */
}

/* Returns the number of the analyzer of the run that makes the table, or n. */
static guint
maker_among (const NpChoice *choice, const char *table)
{
  guint i = 0;
  while (i < choice->analyzers->len
         && !np_component_has_table (chosen_at (choice, i)->component, table))
    i++;
  return i;
}

static const struct nprof_component *
installed_maker (NpRun *run, const char *table)
{
  g_autoptr (GPtrArray) all = np_registry_of_kind (run->registry, NPROF_ANALYZER);
  const NpRegistryEntry *found = NULL;
  for (guint i = 0; i < all->len; i++) {
    const NpRegistryEntry *entry = g_ptr_array_index (all, i);
    if (entry->component && np_component_has_table (entry->component, table)
        && (!found || (entry->bundled && !found->bundled)))
      found = entry;
  }
  return found ? found->component : NULL;
}

static void
put_before (NpChoice *choice, guint maker, guint reader)
{
  NpChosen one = *chosen_at (choice, maker);
  g_array_remove_index (choice->analyzers, maker);
  g_array_insert_val (choice->analyzers, reader, one);
}

/* Has the maker of the table stand before the reader.  *moved: the list is another one now. */
static gboolean
provide (NpRun *run, NpChoice *choice, guint reader, const char *table, gboolean *moved,
         GError **error)
{
  guint maker = maker_among (choice, table);
  if (maker < reader || np_core_table_named (table) || is_of_inputs (run, table))
    return TRUE;
  const char *who = chosen_at (choice, reader)->component->name;
  if (maker == reader)
    return np_error_set (error, NP_EXIT_PLUGIN,
                         "analyzer %s reads the table \"%s\", which it makes", who, table);
  *moved = TRUE;
  if (maker < choice->analyzers->len) {
    put_before (choice, maker, reader);
    return TRUE;
  }
  const struct nprof_component *component = installed_maker (run, table);
  if (!component)
    return np_error_set (
        error, NP_EXIT_USAGE,
        "analyzer %s reads the table \"%s\", which neither these inputs nor any installed "
        "analyzer make: install the plugin that does, or leave %s out",
        who, table, who);
  NpSpec *spec = np_spec_new_unasked (component->name);
  g_ptr_array_add (choice->pulled, spec);
  NpChosen one = { spec, component };
  g_array_insert_val (choice->analyzers, reader, one);
  np_log (run->log, NPROF_INFO, "analyzer %s takes part: %s reads its table \"%s\"",
          component->name, who, table);
  return np_options_check (component, spec, error);
}

/* Provides for one reader; *moved: it stands elsewhere now, or is left out. */
static gboolean
provide_for (NpRun *run, NpChoice *choice, guint reader, gboolean *moved, GError **error)
{
  const struct nprof_component *c = chosen_at (choice, reader)->component;
  for (const char *const *want = c->table_wants; want && *want && !*moved; want++)
    if (!strchr (*want, '?') && !provide (run, choice, reader, *want, moved, error)) {
      *moved = np_leave_out (run, chosen_at (choice, reader)->spec, error);
      if (*moved)
        g_array_remove_index (choice->analyzers, reader);
      return *moved;
    }
  return TRUE;
}

static void
answers_last (NpChoice *choice)
{
  for (guint i = 0, n = choice->analyzers->len; n > 0; n--)
    if (np_reads_tables_alone (chosen_at (choice, i)->component))
      put_before (choice, i, choice->analyzers->len - 1);
    else
      i++;
}

gboolean
np_choice_complete (NpRun *run, NpChoice *choice, GError **error)
{
  guint moves = 0;
  for (guint i = 0; i < choice->analyzers->len;) {
    gboolean moved = FALSE;
    if (!provide_for (run, choice, i, &moved, error))
      return FALSE;
    i += moved ? 0 : 1; /* what came before it needs its tables first */
    moves += moved;
    if (moves > choice->analyzers->len * choice->analyzers->len)
      return np_error_set (
          error, NP_EXIT_PLUGIN,
          "analyzer %s and others each read a table of the other: none can be first",
          chosen_at (choice, i)->component->name);
  }
  answers_last (choice);
  return TRUE;
}
