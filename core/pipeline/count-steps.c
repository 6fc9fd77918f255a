/* SPDX-License-Identifier: Apache-2.0 */
/* count-steps.c - decodes once to know which step is the last, or the second. */

#include "pipeline/count-steps.h"

#include "pipeline/run.h"
#include "select/steps-seen.h"

/* An input that can be read only once cannot be decoded twice. */
static gboolean
can_read_twice (const NpConfig *config, GError **error)
{
  for (guint i = 0; i < config->inputs->len; i++) {
    const char *path = g_ptr_array_index (config->inputs, i);
    if (!np_input_once (path))
      continue;
    return np_error_set (
        error, NP_EXIT_USAGE,
        "--step last and --step 2nd read their inputs twice, and %s can be read only once: "
        "save it to a file, or name the number of the step",
        strcmp (path, "-") ? path : "stdin");
  }
  return TRUE;
}

static NpExit
find_steps (const NpConfig *config, NpRegistry *registry, NpLog *log, const atomic_int *interrupt,
            GArray *steps)
{
  g_autoptr (GPtrArray) none = g_ptr_array_new ();
  const NpConfig first = { .inputs = config->inputs,
                           .decoder = config->decoder,
                           .analyzers = none,
                           .sinks = none,
                           .jobs = config->jobs,
                           .batch_rows = config->batch_rows,
                           .text_most = config->text_most,
                           .call_limit = config->call_limit,
                           .keep_going = config->keep_going,
                           .found_steps = steps };
  NpExit code = np_run (&first, registry, log, interrupt);
  return code == NP_EXIT_LOSSES ? NP_EXIT_OK : code; /* the run itself counts them */
}

NpExit
np_count_steps (const NpConfig *config, NpSelection *selection, NpRegistry *registry, NpLog *log,
                const atomic_int *interrupt)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (gint64));
  if (can_read_twice (config, &error)) {
    NpExit code = find_steps (config, registry, log, interrupt, steps);
    if (code)
      return code;
    if (np_selection_count_steps (selection, steps, &error))
      return NP_EXIT_OK;
  }
  np_log (log, NPROF_ERROR, "%s", error->message);
  return (NpExit) error->code;
}
