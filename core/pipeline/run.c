/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - one run from its configuration to its exit status: finds the inputs and their
 * components, opens the instances, lets the pipeline work, commits or aborts. */

#include "pipeline/run.h"
#include "output/target.h"
#include "pipeline/core-tables.h"
#include "pipeline/count-steps.h"
#include "pipeline/pipeline.h"
#include "run/run-inputs.h"
#include "run/run-options.h"
#include "select/condition.h"

#include <nprof/keys.h>
#include <nprof/sdk.h>
#include <stdlib.h>
#include <string.h>

/* -- Components ------------------------------------------------------------ */

typedef struct {
  GPtrArray *analyzer_specs; /* of NpSpec: those of the configuration that take part */
  GPtrArray *analyzer_components;
  GPtrArray *sink_components;
  GPtrArray *analyzers; /* of NpInstance */
  GPtrArray *sinks;     /* of NpInstance */
  GPtrArray *threads;   /* of NpSinkThread */
} Crew;

static GPtrArray *
find_components (NpRun *run, guint kind, GPtrArray *specs, GError **error)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  for (guint i = 0; i < specs->len; i++) {
    const NpSpec *spec = g_ptr_array_index (specs, i);
    const NpRegistryEntry *module
        = spec->own ? NULL : np_registry_get (run->registry, kind, spec->name, error);
    if (!spec->own && !module)
      return NULL;
    g_ptr_array_add (found, (gpointer) (spec->own ? spec->own : module->component));
  }
  return g_steal_pointer (&found);
}

static gboolean
has_input_of (NpRun *run, const char *decoder)
{
  for (guint i = 0; i < run->inputs->len; i++)
    if (g_str_equal (((NpRunInput *) g_ptr_array_index (run->inputs, i))->info.decoder, decoder))
      return TRUE;
  return FALSE;
}

static gboolean
takes_part (NpRun *run, const NpSpec *spec)
{
  if (run->inputs->len < spec->least_inputs)
    return FALSE;
  return !spec->only_for || has_input_of (run, spec->only_for);
}

/* Analyzers are chosen in command order.  Before inputs are known, none takes part that is only for
 * some. */
static gboolean
choose_analyzers (NpRun *run, Crew *crew, GError **error)
{
  g_ptr_array_set_size (crew->analyzer_specs, 0);
  for (guint i = 0; i < run->config->analyzers->len; i++) {
    NpSpec *spec = g_ptr_array_index (run->config->analyzers, i);
    if (takes_part (run, spec))
      g_ptr_array_add (crew->analyzer_specs, spec);
  }
  g_clear_pointer (&crew->analyzer_components, g_ptr_array_unref);
  crew->analyzer_components = find_components (run, NPROF_ANALYZER, crew->analyzer_specs, error);
  return crew->analyzer_components != NULL;
}

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
check_tables (GHashTable *owners, const struct nprof_component *c, GError **error)
{
  for (const struct nprof_table *const *t = c->tables; t && *t; t++) {
    const struct nprof_component *owner = g_hash_table_lookup (owners, (*t)->name);
    if (np_core_table_named ((*t)->name) || (owner && owner != c && !may_share (owner, c, *t))) {
      g_set_error (error, NP_ERROR, NP_EXIT_USAGE,
                   "table \"%s\" of %s exists already in %s: use one of them", (*t)->name, c->name,
                   owner ? owner->name : "the core");
      return FALSE;
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
      const NpDeclaredTable *other = g_hash_table_lookup (first, t->table.name);
      const struct nprof_component *owner = g_hash_table_lookup (owners, t->table.name);
      t->left_out = np_core_table_named (t->table.name) || owner
                    || (other && !np_table_same (&other->table, &t->table));
      if (t->left_out && !np_core_table_named (t->table.name))
        np_log (run->log, owner ? NPROF_INFO : NPROF_WARNING,
                "%s: its table \"%s\" is left out, as %s has one with that name", input->path,
                t->table.name, owner ? owner->name : "another input");
      if (!t->left_out && !other)
        g_hash_table_insert (first, (gpointer) t->table.name, t);
    }
  }
}

/* Asks for the attributes that the selection reads, and declares those that it adds. */
static void
declare_selection (NpRun *run)
{
  const NpSelection *selection = &run->config->selection;
  if (selection->has_from || selection->has_to)
    np_columns_declare (run->columns,
                        NPROF_ATTRIBUTES (
                            NPROF_ATTRIBUTE (NPROF_BOOL, NPROF_KEY_CROSSES_EDGE, "",
                                             "the row reaches beyond the selected range")));
  if (np_wants_steps (run->config))
    np_columns_want (run->columns, (const char *const[]){ NPROF_KEY_STEP, NULL });
  for (guint i = 0; selection->where && i < selection->where->len; i++) {
    g_auto (NpCondition) condition = { 0 };
    if (np_condition_parse (&condition, g_ptr_array_index (selection->where, i), NULL))
      np_columns_want (run->columns, (const char *const[]){ condition.key, NULL });
  }
}

/* Declares the columns of the run: decoders in input order, then analyzers in command order. */
static gboolean
declare (NpRun *run, const Crew *crew, GError **error)
{
  g_autoptr (GHashTable) owners = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < run->inputs->len; i++) {
    const NpRunInput *input = g_ptr_array_index (run->inputs, i);
    np_columns_declare (run->columns, input->decoder->attributes);
    if (input->declared && !input->info.profile)
      np_columns_declare (run->columns, (const struct nprof_attribute *const *)
                                            input->declared->attributes->pdata);
    if (!check_tables (owners, input->decoder, error))
      return FALSE;
  }
  run->n_decoded = np_columns_count (run->columns);
  run->analyzer_specs = crew->analyzer_specs;
  run->analyzers = crew->analyzer_components;
  for (guint i = 0; i < crew->analyzer_components->len; i++) {
    const struct nprof_component *c = g_ptr_array_index (crew->analyzer_components, i);
    np_columns_declare (run->columns, c->attributes);
    np_columns_want (run->columns, c->wants);
    np_columns_want_of_rows (run->columns, c->row_wants);
    if (!check_tables (owners, c, error))
      return FALSE;
  }
  check_declared (run, owners);
  for (guint i = 0; i < crew->sink_components->len; i++) {
    const struct nprof_component *c = g_ptr_array_index (crew->sink_components, i);
    np_columns_want (run->columns, c->wants);
    np_columns_want_of_rows (run->columns, c->row_wants);
  }
  declare_selection (run);
  return TRUE;
}

static gboolean
writes_files (const struct nprof_component *sink)
{
  return (sink->flags & (NPROF_SINK_FILE | NPROF_SINK_FOLDER)) != 0;
}

static gboolean
open_instance (NpInstance *instance, GError **error)
{
  nprof_status status = np_instance_open (instance);
  if (!status)
    return TRUE;
  g_propagate_error (error, np_instance_take_error (instance, status));
  return FALSE;
}

static gboolean
open_sinks (NpRun *run, Crew *crew, GError **error)
{
  guint n_files = 0;
  for (guint i = 0; i < crew->sink_components->len; i++)
    n_files += writes_files (g_ptr_array_index (crew->sink_components, i));
  for (guint i = 0; i < crew->sink_components->len; i++) {
    const struct nprof_component *c = g_ptr_array_index (crew->sink_components, i);
    NpTarget *target
        = np_outputs_target (run->outputs, c, run->config->output, n_files <= 1, error);
    if (!target)
      return FALSE;
    NpInstance *sink = np_instance_new (run, c, g_ptr_array_index (run->config->sinks, i), NULL,
                                        target, (NpFeed){ 0 }, error);
    if (!sink)
      return FALSE;
    g_ptr_array_add (crew->sinks, sink);
    if (!open_instance (sink, error))
      return FALSE;
  }
  return TRUE;
}

/* Tells which analyzers do not cut spans at the edges of the window. */
static void
warn_of_whole_sums (NpRun *run, const Crew *crew)
{
  g_autoptr (GString) names = g_string_new (NULL);
  for (guint i = 0; run->config->selection.clip && i < crew->analyzers->len; i++) {
    const NpInstance *analyzer = g_ptr_array_index (crew->analyzers, i);
    if (!analyzer->clips)
      g_string_append_printf (names, "%s%s", names->len ? ", " : "", analyzer->component->name);
  }
  if (names->len)
    np_log (run->log, NPROF_WARNING,
            "--clip: %s: spans at the edges of the window count whole there", names->str);
}

static gboolean
open_analyzers (NpRun *run, Crew *crew, NpPipeline *pipeline, GError **error)
{
  for (guint i = 0; i < crew->analyzer_components->len; i++) {
    NpInstance *analyzer = np_instance_new (run, g_ptr_array_index (crew->analyzer_components, i),
                                            g_ptr_array_index (crew->analyzer_specs, i), NULL, NULL,
                                            np_pipeline_feed (pipeline, i), error);
    if (!analyzer)
      return FALSE;
    g_ptr_array_add (crew->analyzers, analyzer);
  }
  for (guint i = 0; i < crew->analyzers->len; i++)
    if (!open_instance (g_ptr_array_index (crew->analyzers, i), error))
      return FALSE;
  warn_of_whole_sums (run, crew);
  return TRUE;
}

/* -- The work -------------------------------------------------------------- */

/* A reader of stdout who went away did so on purpose, so that is not logged. */
static void
log_error (NpRun *run, const GError *error)
{
  if (!np_error_is_silent (error) && error->code != NP_EXIT_PIPE)
    np_log (run->log, NPROF_ERROR, "%s", error->message);
}

/* Ends the sinks.  One of several causes decides the exit status and is told at the end. */
static GError *
end_sinks (NpRun *run, Crew *crew, GError *failed)
{
  for (guint i = 0; i < crew->threads->len; i++) {
    GError *error = NULL;
    np_sink_end (g_ptr_array_index (crew->threads, i), failed != NULL, &error);
    g_autoptr (GError) other = np_error_join (&failed, error);
    if (other && !(run->interrupt && atomic_load (run->interrupt)))
      log_error (run, other);
  }
  g_ptr_array_set_size (crew->threads, 0);
  return failed;
}

/* NpConfig.states calls this for each state: merges it into the analyzer of that name. */
static gboolean
merge_state (gpointer to, const char *name, const void *state, gsize len, GError **error)
{
  const Crew *crew = to;
  for (guint i = 0; i < crew->analyzers->len; i++) {
    NpInstance *analyzer = g_ptr_array_index (crew->analyzers, i);
    if (strcmp (analyzer->component->name, name) != 0)
      continue;
    nprof_status status = analyzer->component->merge (analyzer->self, state, len);
    if (!status)
      return TRUE;
    g_autoptr (GError) cause = np_instance_take_error (analyzer, status);
    g_set_error_literal (error, NP_ERROR, NP_EXIT_INPUT, cause->message);
    return FALSE;
  }
  g_set_error (error, NP_ERROR, NP_EXIT_INPUT,
               "it holds a state of the analyzer %s, which takes "
               "no part here",
               name);
  return FALSE;
}

static GError *
work (NpRun *run, Crew *crew, NpPipeline *pipeline)
{
  GError *error = NULL;
  if (!open_analyzers (run, crew, pipeline, &error))
    return error;
  if (run->config->states
      && !run->config->states (run->config->states_user, merge_state, crew, &error))
    return error;
  for (guint i = 0; i < crew->sinks->len; i++)
    g_ptr_array_add (crew->threads, np_sink_start (g_ptr_array_index (crew->sinks, i)));
  if (np_pipeline_decode (pipeline, &error))
    np_pipeline_finish (pipeline, &error);
  np_progress_end (run->progress);
  if (error)
    np_run_stop (run, (NpExit) error->code);
  return end_sinks (run, crew, error);
}

static gboolean
check_specs (const GPtrArray *components, const GPtrArray *specs, GError **error)
{
  for (guint i = 0; i < components->len; i++)
    if (!np_options_check (components->pdata[i], specs->pdata[i], error))
      return FALSE;
  return TRUE;
}

/* A wrong option is told before anything is opened, so that no server or file is blamed first. */
static gboolean
check_options (NpRun *run, const Crew *crew, GError **error)
{
  NpSpec *spec = run->config->decoder;
  const NpRegistryEntry *decoder
      = spec ? np_registry_get (run->registry, NPROF_DECODER, spec->name, error) : NULL;
  if (spec && (!decoder || !np_options_check (decoder->component, spec, error)))
    return FALSE;
  return check_specs (crew->analyzer_components, crew->analyzer_specs, error)
         && check_specs (crew->sink_components, run->config->sinks, error);
}

static GError *
prepare_and_work (NpRun *run, Crew *crew)
{
  GError *error = NULL;
  if (choose_analyzers (run, crew, &error))
    crew->sink_components = find_components (run, NPROF_SINK, run->config->sinks, &error);
  if (!crew->sink_components || !check_options (run, crew, &error)
      || (!run->config->states && !np_run_open_inputs (run, &error))
      || !choose_analyzers (run, crew, &error) || !declare (run, crew, &error))
    return error;
  np_snapshots_add (&run->snapshots, &run->info, run->inputs->len, 0);
  if (!np_run_identify_outputs (run, &error) || !open_sinks (run, crew, &error))
    return error;
  NpPipeline *pipeline
      = np_pipeline_new (run, crew->analyzer_components->len, crew->analyzers, crew->threads);
  error = work (run, crew, pipeline);
  g_ptr_array_set_size (crew->analyzers,
                        0); /* what they call from close goes through the pipeline */
  np_pipeline_free (pipeline);
  return error;
}

/* A name that found no memory reads as "", so anything else that went wrong follows from it. */
static GError *
check_names (NpRun *run, GError *error)
{
  if (!np_strings_lost (run->strings))
    return error;
  g_clear_error (&error);
  return g_error_new_literal (NP_ERROR, NP_EXIT_INPUT,
                              "no memory left for the names in the profile: run it where more "
                              "memory is free");
}

/* Instances are freed first, because their batches belong to the pool. */
static void
crew_clear (Crew *crew)
{
  g_ptr_array_unref (crew->analyzers);
  g_ptr_array_unref (crew->sinks);
  g_ptr_array_unref (crew->threads);
  g_ptr_array_unref (crew->analyzer_specs);
  g_clear_pointer (&crew->analyzer_components, g_ptr_array_unref);
  g_clear_pointer (&crew->sink_components, g_ptr_array_unref);
}

/* A person at a terminal is told where the files are. */
static void
tell_written (const NpRun *run)
{
  gboolean told = run->config->progress && np_log_wants (run->log, NPROF_WARNING);
  g_autofree char *files = told ? np_outputs_written (run->outputs) : NULL;
  guint64 rows = 0;
  for (guint i = 0; i < run->inputs->len; i++)
    rows += ((const NpRunInput *) g_ptr_array_index (run->inputs, i))->rows;
  if (files)
    g_printerr ("wrote %s from %" G_GUINT64_FORMAT " row%s\n", files, rows, rows == 1 ? "" : "s");
}

/* Files appear only when all went well. */
static NpExit
conclude (NpRun *run, const GError *error)
{
  g_autoptr (GError) failed = NULL;
  if (!error && np_run_stopped (run)) {
    np_error_interrupted (&failed);
    error = failed;
  }
  if (!error && !np_outputs_commit (run->outputs, run->info.generator, &failed))
    error = failed;
  if (error) {
    np_outputs_abort (run->outputs);
    int interrupt = run->interrupt ? atomic_load (run->interrupt) : 0;
    if (interrupt)
      return (NpExit) interrupt;
    log_error (run, error);
    return error->code == NP_EXIT_ELSEWHERE ? NP_EXIT_SINK : (NpExit) error->code;
  }
  tell_written (run);
  unsigned long long losses = atomic_load (&run->losses);
  if (!losses)
    return NP_EXIT_OK;
  np_log (run->log, NPROF_WARNING,
          "%llu record%s could not be read and %s missing from what was written", losses,
          losses == 1 ? "" : "s", losses == 1 ? "is" : "are");
  return NP_EXIT_LOSSES;
}

static NpExit
run_once (const NpConfig *config, NpRegistry *registry, NpLog *log, const atomic_int *interrupt)
{
  NpRun run = { .config = config, .registry = registry, .log = log, .interrupt = interrupt };
  np_run_init (&run);
  Crew crew = {
    .analyzers = g_ptr_array_new_with_free_func ((GDestroyNotify) np_instance_free),
    .sinks = g_ptr_array_new_with_free_func ((GDestroyNotify) np_instance_free),
    .threads = g_ptr_array_new (),
    .analyzer_specs = g_ptr_array_new (),
  };
  g_autoptr (GError) error = prepare_and_work (&run, &crew);
  crew_clear (&crew);
  error = check_names (&run, g_steal_pointer (&error));
  np_repeats_end (run.repeats);
  NpExit code = conclude (&run, error);
  np_run_clear (&run);
  return code;
}

NpExit
np_run (const NpConfig *config, NpRegistry *registry, NpLog *log, const atomic_int *interrupt)
{
  NpConfig counted = *config; /* its lists stay the caller's */
  NpSelection *selection = &counted.selection;
  if (!selection->step_first_nth && !selection->step_last_nth)
    return run_once (config, registry, log, interrupt);
  NpExit code = np_count_steps (config, selection, registry, log, interrupt);
  return code ? code : run_once (&counted, registry, log, interrupt);
}
