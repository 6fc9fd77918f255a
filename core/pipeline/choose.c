/* SPDX-License-Identifier: Apache-2.0 */
/* choose.c - finds the components that the configuration asks for, and holds what they declare
 * against each other: options, tables, columns. */

#include "pipeline/choose.h"
#include "pipeline/core-tables.h"
#include "pipeline/left-out.h"
#include "plugin/component.h"
#include "plugin/option.h"
#include "select/condition.h"

#include <nprof/keys.h>
#include <nprof/sdk.h>
#include <string.h>

/* -- Which they are -------------------------------------------------------- */

static gboolean
choose (NpRun *run, guint kind, NpSpec *spec, GArray *chosen, GError **error)
{
  const NpRegistryEntry *module
      = spec->own ? NULL : np_registry_get (run->registry, kind, spec->name, error);
  if (!spec->own && !module)
    return np_leave_out (run, spec, error);
  const NpChosen one = { spec, spec->own ? spec->own : module->component };
  g_array_append_val (chosen, one);
  return TRUE;
}

static gboolean
has_input_of (NpRun *run, char *const *decoders)
{
  for (guint i = 0; i < run->inputs->len; i++)
    if (g_strv_contains ((const char *const *) decoders,
                         ((NpRunInput *) g_ptr_array_index (run->inputs, i))->info.decoder))
      return TRUE;
  return FALSE;
}

static gboolean
takes_part (NpRun *run, const NpSpec *spec)
{
  if (spec->left_out || run->inputs->len < spec->least_inputs)
    return FALSE;
  return !spec->only_for || has_input_of (run, spec->only_for);
}

gboolean
np_choose_analyzers (NpRun *run, NpChoice *choice, GError **error)
{
  gboolean ok = TRUE;
  g_array_set_size (choice->analyzers, 0);
  for (guint i = 0; ok && i < run->config->analyzers->len; i++) {
    NpSpec *spec = g_ptr_array_index (run->config->analyzers, i);
    if (takes_part (run, spec))
      ok = choose (run, NPROF_ANALYZER, spec, choice->analyzers, error);
  }
  return ok;
}

gboolean
np_choose_sinks (NpRun *run, NpChoice *choice, GError **error)
{
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < run->config->sinks->len; i++)
    ok = choose (run, NPROF_SINK, g_ptr_array_index (run->config->sinks, i), choice->sinks, error);
  return ok;
}

void
np_choice_init (NpChoice *choice)
{
  choice->analyzers = g_array_new (FALSE, FALSE, sizeof (NpChosen));
  choice->sinks = g_array_new (FALSE, FALSE, sizeof (NpChosen));
  choice->pulled = g_ptr_array_new_with_free_func ((GDestroyNotify) np_spec_free);
}

void
np_choice_clear (NpChoice *choice)
{
  g_array_unref (choice->analyzers);
  g_array_unref (choice->sinks);
  g_ptr_array_unref (choice->pulled);
}

/* -- Options --------------------------------------------------------------- */

/* What stands on a command line stands in the list of processes. */
static gboolean
check_spec (NpRun *run, const struct nprof_component *c, const NpSpec *spec, GError **error)
{
  if (!np_options_check (c, spec, error))
    return FALSE;
  const struct nprof_option *secret = np_option_bare_secret (c, spec);
  if (secret)
    np_log (
        run->log, NPROF_WARNING,
        "%s %s: the secret \"%s\" is written out, and ps shows it to everybody on this machine: "
        "write '%s=@FILE' (the first line of a file) or '%s=$NAME' (a variable of the "
        "environment), in quotes that keep the shell off",
        np_kind_name (c->kind), c->name, secret->name, secret->name, secret->name);
  return TRUE;
}

static gboolean
check_specs (NpRun *run, const GArray *chosen, GError **error)
{
  for (guint i = 0; i < chosen->len; i++) {
    const NpChosen *one = &g_array_index (chosen, NpChosen, i);
    if (!check_spec (run, one->component, one->spec, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
np_choice_check_options (NpRun *run, const NpChoice *choice, GError **error)
{
  NpSpec *spec = run->config->decoder;
  const NpRegistryEntry *decoder
      = spec ? np_registry_get (run->registry, NPROF_DECODER, spec->name, error) : NULL;
  if (spec && (!decoder || !check_spec (run, decoder->component, spec, error)))
    return FALSE;
  return check_specs (run, choice->analyzers, error) && check_specs (run, choice->sinks, error);
}

/* -- Tables and columns ---------------------------------------------------- */

/* Decoders may share a table: then it is one, with the rows of both. */
static gboolean
may_share (const struct nprof_component *a, const struct nprof_component *b,
           const struct nprof_table *table)
{
  if (a->kind != NPROF_DECODER || b->kind != NPROF_DECODER)
    return FALSE;
  for (const struct nprof_table *const *t = a->tables; t && *t; t++)
    if (strcmp ((*t)->name, table->name) == 0)
      return np_table_same (*t, table);
  return FALSE;
}

static gboolean
check_tables (NpRun *run, GHashTable *owners, const NpSpec *spec, const struct nprof_component *c,
              GError **error)
{
  for (const struct nprof_table *const *t = c->tables; t && *t; t++) {
    const struct nprof_component *owner = g_hash_table_lookup (owners, (*t)->name);
    if (np_core_table_named ((*t)->name) || (owner && owner != c && !may_share (owner, c, *t))) {
      if (np_refuse_table (run, spec, c, *t, owner ? owner->name : "the core"))
        continue;
      return np_error_set (error, NP_EXIT_USAGE,
                           "table \"%s\" of %s exists already in %s: use one of them", (*t)->name,
                           c->name, owner ? owner->name : "the core");
    }
    g_hash_table_insert (owners, (gpointer) (*t)->name, (gpointer) c);
  }
  return TRUE;
}

/* Checks what contents declare: the first of a name counts, and a table that an analyzer makes anew
 * is not taken from a file. */
static void
check_declared (NpRun *run, GHashTable *owners)
{
  g_autoptr (GHashTable) first = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < run->inputs->len; i++) {
    const NpRunInput *input = g_ptr_array_index (run->inputs, i);
    for (guint k = 0; input->declared && k < input->declared->tables->len; k++) {
      NpDeclaredTable *t = g_ptr_array_index (input->declared->tables, k);
      const NpDeclaredTable *other = g_hash_table_lookup (first, t->table->name);
      const struct nprof_component *owner = g_hash_table_lookup (owners, t->table->name);
      t->left_out = np_core_table_named (t->table->name) || owner
                    || (other && !np_table_same (other->table, t->table));
      if (t->left_out && !np_core_table_named (t->table->name))
        np_log (run->log, owner ? NPROF_INFO : NPROF_WARNING,
                "%s: its table \"%s\" is left out, as %s has one with that name", input->path,
                t->table->name, owner ? owner->name : "another input");
      if (!t->left_out && !other)
        g_hash_table_insert (first, (gpointer) t->table->name, t);
    }
  }
}

/* A layer that a row does not state is that of the path of its operator. */
static void
want_attributes (NpRun *run, const char *where)
{
  g_auto (NpConditions) conditions = { 0 };
  if (!np_conditions_parse (&conditions, where, NULL))
    return;
  for (guint i = 0; i < np_filter_parts (&conditions.filter); i++) {
    const char *key = conditions.conditions[i].key;
    g_autofree char *json = g_strndup (key, strcspn (key, ".")); /* of a member */
    np_columns_want (run->columns, (const char *const[]){ key, json, NULL });
    if (!strcmp (key, NPROF_KEY_LAYER))
      np_columns_want (run->columns, (const char *const[]){ NPROF_KEY_FRAMEWORK_OP, NULL });
  }
}

/* Asks for the attributes that the selection reads, and declares those that it adds. */
static void
declare_selection (NpRun *run)
{
  const NpSelection *selection = &run->config->selection, *one;
  if (selection->has_from || selection->has_to)
    np_columns_declare (run->columns,
                        NPROF_ATTRIBUTES (
                            NPROF_ATTRIBUTE (NPROF_BOOL, NPROF_KEY_CROSSES_EDGE, "",
                                             "the row reaches beyond the selected range")));
  if (np_wants_steps (run->config))
    np_columns_want (run->columns, (const char *const[]){ NPROF_KEY_STEP, NULL });
  for (guint k = 0; (one = np_selection_alternative (selection, k)); k++)
    for (guint i = 0; one->where && i < one->where->len; i++)
      want_attributes (run, g_ptr_array_index (one->where, i));
}

static void
declare_inputs (NpRun *run)
{
  for (guint i = 0; i < run->inputs->len; i++) {
    const NpRunInput *input = g_ptr_array_index (run->inputs, i);
    np_columns_declare (run->columns, input->decoder->attributes);
    if (input->declared && !input->info.profile)
      np_columns_declare (run->columns, (const struct nprof_attribute *const *)
                                            input->declared->attributes->pdata);
  }
}

/* Third parties that nobody named come last, so that a table of the same name is refused to
 * them. */
static gboolean
check_all_tables (NpRun *run, GHashTable *owners, const NpChoice *choice, GError **error)
{
  for (int last = 0; last < 2; last++) {
    for (guint i = 0; i < run->inputs->len; i++) {
      const NpRunInput *input = g_ptr_array_index (run->inputs, i);
      if (np_may_be_refused (run, input->spec, input->decoder) == last
          && !check_tables (run, owners, input->spec, input->decoder, error))
        return FALSE;
    }
    for (guint i = 0; i < choice->analyzers->len; i++) {
      const NpChosen *one = &g_array_index (choice->analyzers, NpChosen, i);
      if (np_may_be_refused (run, one->spec, one->component) == last
          && !check_tables (run, owners, one->spec, one->component, error))
        return FALSE;
    }
  }
  return TRUE;
}

static void
want_columns (NpRun *run, const struct nprof_component *c)
{
  np_columns_want (run->columns, c->wants);
  np_columns_want_of_rows (run->columns, c->row_wants);
}

gboolean
np_choice_declare (NpRun *run, const NpChoice *choice, GError **error)
{
  g_autoptr (GHashTable) owners = g_hash_table_new (g_str_hash, g_str_equal);
  if (run->config->meaning)
    np_columns_show_meaning (run->columns);
  if (!check_all_tables (run, owners, choice, error))
    return FALSE;
  declare_inputs (run);
  run->n_decoded = np_columns_count (run->columns);
  run->analyzers = choice->analyzers;
  for (guint i = 0; i < choice->analyzers->len; i++) {
    const struct nprof_component *c = g_array_index (choice->analyzers, NpChosen, i).component;
    np_columns_declare (run->columns, c->attributes);
    want_columns (run, c);
  }
  check_declared (run, owners);
  for (guint i = 0; i < choice->sinks->len; i++)
    want_columns (run, g_array_index (choice->sinks, NpChosen, i).component);
  declare_selection (run);
  return TRUE;
}
