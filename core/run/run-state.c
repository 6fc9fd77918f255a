/* SPDX-License-Identifier: Apache-2.0 */
/* run-state.c - what all stages of a run share: making it, ending it, stopping. */

#include "run/run-state.h"

#include "base/install-paths.h"

#include <stdlib.h>

#define IDLE_BATCHES 24

gboolean
np_run_stopped (NpRun *run)
{
  return atomic_load_explicit (&run->stop, memory_order_relaxed)
         || (run->interrupt && atomic_load_explicit (run->interrupt, memory_order_relaxed))
         || np_strings_lost (run->strings);
}

void
np_run_stop (NpRun *run, NpExit why)
{
  int none = 0;
  atomic_compare_exchange_strong (&run->stop, &none, (int) why);
}

void
np_run_say (NpRun *run, const char *who, int level, const char *text)
{
  if (level == NPROF_WARNING)
    np_repeats_say (run->repeats, who, text);
  else
    np_log (run->log, level, "%s: %s", who, text);
}

void
np_run_input_free (NpRunInput *input)
{
  g_free (input->path);
  free (input->real_path);
  g_free (input->label);
  g_free (input->file);
  g_clear_pointer (&input->data, np_input_free);
  g_clear_pointer (&input->spec, np_spec_free);
  g_clear_pointer (&input->properties, g_ptr_array_unref);
  g_clear_pointer (&input->opened, g_ptr_array_unref);
  g_free (input);
}

NpRunInput *
np_run_input (NpRun *run, guint number)
{
  pthread_mutex_lock (&run->lock);
  NpRunInput *input = number < run->inputs->len ? g_ptr_array_index (run->inputs, number) : NULL;
  pthread_mutex_unlock (&run->lock);
  return input;
}

guint
np_run_n_inputs (NpRun *run)
{
  pthread_mutex_lock (&run->lock);
  guint n = run->inputs->len;
  pthread_mutex_unlock (&run->lock);
  return n;
}

void
np_run_init (NpRun *run)
{
  run->span = (NpRunSpan){ INT64_MAX, INT64_MIN, NULL, NULL };
  run->info = (struct nprof_run_info){
    .size = sizeof run->info,
    .generator = "nprof " NPROF_VERSION,
    .origin_unix_ns = NPROF_NO_EPOCH,
    .first = INT64_MAX,
    .last = INT64_MIN,
    .model = NPROF_MODEL,
  };
  run->jobs = run->config->jobs ? run->config->jobs : (guint) MAX (g_get_num_processors (), 1);
  run->info.jobs = run->jobs;
  run->info.inspect = (uint32_t) run->config->inspect;
  np_snapshots_init (&run->snapshots, &run->info);
  run->data_folder = np_data_folder ();
  run->strings = np_strings_new ();
  np_strings_limit (run->strings, run->config->text_most);
  run->tracks = np_tracks_new ();
  run->sets = np_attrsets_new ();
  run->columns = np_columns_new (run->strings);
  run->pool = np_pool_new (run->config->batch_rows, IDLE_BATCHES);
  run->outputs = np_outputs_new (run->log, run->interrupt, run->config->read);
  run->progress = np_progress_new (run->log, run->config->progress, &run->config->listener);
  run->facts = np_facts_new (run->strings, run->tracks, run->log);
  run->device_rates = np_device_rates_new ();
  run->note_makers = np_note_makers_new ();
  run->skipped = np_skipped_new ();
  run->repeats = np_repeats_new (run->log);
  if (np_wants_steps (run->config))
    run->steps = np_steps_seen_new (run->strings, run->sets);
  run->inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) np_run_input_free);
  run->declared = g_ptr_array_new_with_free_func ((GDestroyNotify) np_declared_free);
  run->refused = g_hash_table_new (NULL, NULL);
  pthread_mutex_init (&run->lock, NULL);
}

void
np_run_clear (NpRun *run)
{
  g_free (run->data_folder);
  g_clear_pointer (&run->checked, g_hash_table_unref);
  g_clear_pointer (&run->again, g_ptr_array_unref);
  g_clear_pointer (&run->answer_folders, g_ptr_array_unref);
  np_steps_seen_free (run->steps);
  np_snapshots_clear (&run->snapshots);
  np_outputs_free (run->outputs);
  np_progress_free (run->progress);
  np_facts_free (run->facts);
  np_device_rates_free (run->device_rates);
  np_note_makers_free (run->note_makers);
  np_skipped_free (run->skipped);
  np_repeats_free (run->repeats);
  g_ptr_array_unref (run->inputs);
  g_ptr_array_unref (run->declared);
  g_hash_table_unref (run->refused);
  np_pool_free (run->pool);
  np_columns_free (run->columns);
  np_attrsets_free (run->sets);
  np_tracks_free (run->tracks);
  np_strings_free (run->strings);
  pthread_mutex_destroy (&run->lock);
}
