/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - one run from its configuration to its exit status: has the inputs and components found,
 * opens the instances, lets the pipeline work, commits or aborts. */

#include "pipeline/run.h"
#include "base/fence.h"
#include "output/target.h"
#include "pipeline/check-run.h"
#include "pipeline/choose.h"
#include "pipeline/count-steps.h"
#include "pipeline/left-out.h"
#include "pipeline/pipeline.h"
#include "run/run-inputs.h"
#include "run/run-options.h"

#include <nprof/units.h>
#include <string.h>
#include <sys/stat.h>

/* -- Components ------------------------------------------------------------ */

typedef struct {
  NpChoice choice;
  GPtrArray *analyzers, *sinks; /* of NpInstance, as they were chosen */
  GPtrArray *threads;           /* of NpSinkThread                    */
  GPtrArray *nothings; /* of struct nprof_component, in place of analyzers that are left out */
} Crew;

static gboolean
open_instance (NpInstance *instance, GError **error)
{
  return np_instance_passed (instance, np_instance_open (instance), error);
}

static gboolean
open_sinks (NpRun *run, Crew *crew, GError **error)
{
  const GArray *chosen = crew->choice.sinks;
  guint n_files = 0;
  for (guint i = 0; i < chosen->len; i++)
    n_files += (g_array_index (chosen, NpChosen, i).component->flags
                & (NPROF_SINK_FILE | NPROF_SINK_FOLDER))
               != 0;
  for (guint i = 0; i < chosen->len; i++) {
    const NpChosen *one = &g_array_index (chosen, NpChosen, i);
    NpTarget *target = np_outputs_target (run->outputs, one->component, run->config->output,
                                          n_files <= 1, error);
    if (!target)
      return FALSE;
    NpInstance *sink
        = np_instance_new (run, one->component, one->spec, NULL, target, (NpFeed){ 0 }, error);
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

/* Puts one that does nothing in the place of an analyzer that nobody named; FALSE: somebody did. */
static gboolean
replace_analyzer (NpRun *run, Crew *crew, NpPipeline *pipeline, guint i, GError **error)
{
  NpChosen *one = &g_array_index (crew->choice.analyzers, NpChosen, i);
  if (!np_leave_out (run, one->spec, error))
    return FALSE;
  struct nprof_component *nothing = np_nothing_like (one->component);
  g_ptr_array_add (crew->nothings, nothing);
  NpInstance *instance
      = np_instance_new (run, nothing, NULL, NULL, NULL, np_pipeline_feed (pipeline, i), error);
  if (!instance)
    return FALSE;
  np_instance_free (g_ptr_array_index (crew->analyzers, i));
  g_ptr_array_index (crew->analyzers, i) = instance;
  return TRUE;
}

static gboolean
open_analyzers (NpRun *run, Crew *crew, NpPipeline *pipeline, GError **error)
{
  for (guint i = 0; i < crew->choice.analyzers->len; i++) {
    const NpChosen *one = &g_array_index (crew->choice.analyzers, NpChosen, i);
    NpInstance *analyzer = np_instance_new (run, one->component, one->spec, NULL, NULL,
                                            np_pipeline_feed (pipeline, i), error);
    if (!analyzer)
      return FALSE;
    g_ptr_array_add (crew->analyzers, analyzer);
  }
  for (guint i = 0; i < crew->analyzers->len; i++)
    if (!open_instance (g_ptr_array_index (crew->analyzers, i), error)
        && !replace_analyzer (run, crew, pipeline, i, error))
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
    nprof_status status = NP_CALL (analyzer->component, merge, analyzer->self, state, len);
    if (!status)
      return TRUE;
    g_autoptr (GError) cause = np_instance_take_error (analyzer, status);
    return np_error_set (error, NP_EXIT_INPUT, "%s", cause->message);
  }
  return np_error_set (error, NP_EXIT_INPUT,
                       "it holds a state of the analyzer %s, which takes "
                       "no part here",
                       name);
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
  if (np_pipeline_decode (pipeline, &error)) {
    np_progress_stage (run->progress, NP_ANALYZES);
    np_pipeline_finish (pipeline, &error);
  }
  np_progress_stage (run->progress, NP_FINISHES);
  if (g_strcmp0 (run->config->output, "-") == 0)
    np_progress_end (run->progress); /* what is printed may be on the same terminal */
  if (error)
    np_run_stop (run, (NpExit) error->code);
  error = end_sinks (run, crew, error);
  np_progress_end (run->progress);
  return error;
}

/* Returns how long the inputs are together; 0 where one is no file. */
static guint64
bytes_of_inputs (NpRun *run)
{
  guint64 sum = 0;
  for (guint i = 0; i < run->inputs->len; i++) {
    const NpRunInput *input = g_ptr_array_index (run->inputs, i);
    struct stat st;
    if (!input->real_path || stat (input->real_path, &st) || !S_ISREG (st.st_mode))
      return 0;
    sum += (guint64) st.st_size;
  }
  return sum;
}

static GError *
prepare_and_work (NpRun *run, Crew *crew)
{
  GError *error = NULL;
  NpChoice *choice = &crew->choice;
  if (!np_choose_analyzers (run, choice, &error) || !np_choose_sinks (run, choice, &error)
      || !np_choice_check_options (run, choice, &error)
      || (!run->config->states && !np_run_open_inputs (run, &error)))
    return error;
  if (!run->config->states && !run->config->decoder)
    np_leave_out_decoders (run);
  if (!np_choose_analyzers (run, choice, &error) || !np_choice_complete (run, choice, &error)
      || !np_choice_declare (run, choice, &error))
    return error;
  np_check_run_begin (run, choice);
  np_snapshots_add (&run->snapshots, &run->info, run->inputs->len, 0);
  np_progress_expect (run->progress, bytes_of_inputs (run));
  if (!np_run_identify_outputs (run, &error) || !open_sinks (run, crew, &error))
    return error;
  NpPipeline *pipeline
      = np_pipeline_new (run, choice->analyzers->len, crew->analyzers, crew->threads);
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
  return g_error_new_literal (NP_ERROR, NP_EXIT_ROOM,
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
  g_ptr_array_unref (crew->nothings);
  np_choice_clear (&crew->choice);
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

/* Texts that many rows share are written with each: a small file may fill a disk. */
#define MANY_TIMES 100
#define MUCH (UINT64_C (100) << 20)

static void
tell_growth (const NpRun *run)
{
  guint64 read = 0, written = np_outputs_bytes (run->outputs);
  for (guint i = 0; i < run->inputs->len; i++)
    read += ((const NpRunInput *) g_ptr_array_index (run->inputs, i))->bytes;
  if (written > MUCH && read && written / read >= MANY_TIMES)
    np_log (run->log, NPROF_WARNING,
            "the output, %s, is %" G_GUINT64_FORMAT " times the input: texts that rows share are "
            "written with each (store and parquet keep them once)",
            nprof_bytes ((double) written).text, written / read);
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
  tell_growth (run);
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
    .nothings = g_ptr_array_new_with_free_func (g_free),
  };
  np_choice_init (&crew.choice);
  g_autoptr (GError) error = prepare_and_work (&run, &crew);
  crew_clear (&crew);
  np_check_run_end (&run, !error && !np_run_stopped (&run));
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
  gboolean nth;
  np_selection_by_steps (&config->selection, &nth);
  if (!nth)
    return run_once (config, registry, log, interrupt);
  g_autoptr (GPtrArray) others = np_selection_copy_others (&config->selection);
  counted.selection.others = others;
  NpExit code = np_count_steps (config, &counted.selection, registry, log, interrupt);
  return code ? code : run_once (&counted, registry, log, interrupt);
}
