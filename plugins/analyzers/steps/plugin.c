/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer `steps`: its option, its first tables, its life. */
#include "verdict.h"

#include "profile/collective-keys.h"
#include "profile/product-names.h"

#include <nprof/keys.h>

#define KEY(name, help) NPROF_KEY_COLUMN (NPROF_STRING, name, "", help)
#define PS(name, help) NPROF_VALUE_COLUMN (NPROF_INT64, name, "ps", help)
#define INT(name, help) NPROF_VALUE_COLUMN (NPROF_INT64, name, "", help)

/* clang-format off */
const struct nprof_table steps_table = {
  .size = sizeof steps_table, .name = "steps", .title = "Steps",
  .note = "steps that the profile cut at its ends are not as long as they seem",
  .columns = NPROF_COLUMNS (
      KEY ("device", "device or core; of annotations of a host, its process"),
      NPROF_KEY_COLUMN (NPROF_TEXT, "step", "", "its name, or the program and which execution of it"),
      PS ("start_ns", "when it began"),
      PS ("duration_ns", "unknown: no end in the file"),
      NPROF_DOUBT_COLUMN (NPROF_BOOL, "cut", "", "it has no end, or is the first or last and shorter "
                          "than half of the median"),
      PS ("skew_ns", "last end - first end of this step on the devices that have it"),
      NPROF_VALUE_COLUMN (NPROF_TEXT, "skew_reason", "", "why skew_ns is unknown"),
      PS ("begin_skew_ns", "last start - first start of this step on these devices"),
      PS ("late_ns", "its end - the first end of this step on these devices")),
};

const struct nprof_table step_times_table = {
  .size = sizeof step_times_table, .name = "step_times", .title = "Step times",
  .note = "of steps of a host the periods of devices; without what the profile cut; percentiles are linear",
  .columns = NPROF_COLUMNS (
      KEY ("device", "device or core; of steps of a host, those that worked for them, else its process"),
      KEY ("program", "whose executions are the steps; unknown: the profile has steps"),
      INT ("steps", "that were counted"),
      INT ("cut", "that the profile cut"),
      PS ("min_ns", "shortest"),
      PS ("mean_ns", "sum / steps"),
      PS ("median_ns", "50th percentile"),
      PS ("p90_ns", "90th percentile"),
      PS ("p95_ns", "95th percentile"),
      PS ("p97_ns", "97th percentile"),
      PS ("p99_ns", "99th percentile"),
      PS ("max_ns", "longest"),
      PS ("median_skew_ns", "50th percentile of skew_ns"),
      PS ("max_skew_ns", "largest of skew_ns"),
      NPROF_VALUE_COLUMN (NPROF_TEXT, "skew_reason", "", "why these are unknown; of the last step")),
};

static const struct nprof_option *const options[] = {
  NPROF_CHOICE_OPTION (Steps, keep_cut, "cut", "out", "out|in",
                       "are steps that the profile cut part of step_times?"),
  NULL,
};
/* clang-format on */

static const struct nprof_table *const tables[]
    = { &steps_table,         &step_times_table,      &step_breakdown_table, &idle_causes_table,
        &queue_idle_table,    &launches_table,        &queue_length_table,   &verdict_table,
        &verdict_parts_table, &verdict_windows_table, &unsteady_table,       &moved_table,
        NULL };

static nprof_status write_own (void *instance);

static nprof_status
steps_open (void *instance, const struct nprof_host *host)
{
  Steps *self = instance;
  self->host = host;
  self->clip = nprof_window_of (host);
  an_rows_init (&self->rows, host, "steps", tables, NULL, write_own);
  self->places = an_places_new (host);
  self->waits = an_waits_new (host);
  self->launch_keys = an_launch_keys (host);
  self->key_collective = nprof_intern (host, NPROF_KEY_COLLECTIVE);
  self->fills[0] = nprof_intern (host, "gpu_memset");
  self->fills[1] = nprof_intern (host, "memset");
  self->last = G_MININT64;
  an_held_init (&self->held, st_held, self);
  an_store_init (&self->store, host, AN_STORE_BYTES);
  an_key_table_init (&self->series_keys, S_WORDS);
  an_key_table_init (&self->names, N_WORDS);
  self->steps = g_array_new (FALSE, TRUE, sizeof (Step));
  self->step_of = g_array_new (FALSE, TRUE, sizeof (guint));
  self->series = g_array_new (FALSE, TRUE, sizeof (Series));
  self->host_steps = g_array_new (FALSE, TRUE, sizeof (HostStep));
  self->processes = g_ptr_array_new_with_free_func (st_process_free);
  self->process_of = g_hash_table_new (NULL, NULL);
  self->threads = g_ptr_array_new_with_free_func (st_thread_free);
  self->devices = g_ptr_array_new_with_free_func (st_device_free);
  self->device_of = g_ptr_array_new ();
  self->of_inputs = g_array_new (FALSE, TRUE, sizeof (OfInput));
  g_array_set_clear_func (self->of_inputs, st_of_input_clear);
  self->queues = g_ptr_array_new_with_free_func (st_queue_free);
  self->lanes = g_array_new (FALSE, TRUE, sizeof (Lane));
  self->names_say = st_names_new (host);
  self->families = an_families_new ();
  self->peaks = an_peaks_new (host, NULL, 0, 0);
  self->bytes = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->kinds = g_byte_array_new ();
  self->iteration_names = g_byte_array_new ();
  self->of_hosts = g_ptr_array_new_with_free_func (st_of_hosts_free);
  self->compiling = g_array_new (FALSE, FALSE, sizeof (Compiling));
  self->findings = g_array_new (FALSE, FALSE, sizeof (AnSanityFinding));
  self->inputs = g_array_new (FALSE, TRUE, sizeof (InputSeen));
  self->losses = g_array_new (FALSE, FALSE, sizeof (Loss));
  self->overhead_category = nprof_intern (host, "overhead");
  self->key_bytes = nprof_intern (host, NPROF_KEY_BYTES);
  self->key_arguments = nprof_intern (host, KEY_ARGUMENTS);
  if (!self->peaks)
    return NPROF_E_OPTION;
  self->instruction_category = nprof_intern (host, "instruction");
  self->collective_category = nprof_intern (host, "collective");
  self->dma_category = nprof_intern (host, "dma");
  self->execution_category = nprof_intern (host, "execution");
  nprof_status status = nprof_reader_init (&self->message, host, st_message_keys);
  if (status == NPROF_OK)
    status = nprof_reader_init (&self->engine, host, st_engine_keys);
  if (status)
    return status;
  return an_traits_init (&self->traits, host, true);
}

static nprof_status
steps_choose (void *instance, const struct nprof_batch *batch, uint8_t *rows)
{
  st_choose (instance, batch, rows);
  return NPROF_OK;
}

static nprof_status
steps_consume (void *instance, const struct nprof_batch *batch)
{
  st_rows (instance, batch);
  return NPROF_OK;
}

static nprof_status
write_own (void *instance)
{
  Steps *self = instance;
  an_held_end (&self->held);
  st_hosts_end (self);
  for (guint i = 0; i < self->devices->len; i++)
    st_device_end (self, g_ptr_array_index (self->devices, i));
  st_end_causes (self);
  find_windows (self);
  judge (self);
  nprof_status (*const write[]) (Steps *)
      = { write_steps, write_times, write_breakdown, write_queues, write_verdicts };
  nprof_status status = st_cut_devices (self);
  for (guint i = 0; i < G_N_ELEMENTS (write) && status == NPROF_OK; i++)
    status = write[i](self);
  return status;
}

static void
steps_close (void *instance)
{
  Steps *self = instance;
  an_rows_clear (&self->rows);
  g_clear_pointer (&self->of_inputs, g_array_unref);
  g_clear_pointer (&self->device_of, g_ptr_array_unref);
  g_clear_pointer (&self->devices, g_ptr_array_unref);
  g_clear_pointer (&self->queues, g_ptr_array_unref);
  g_clear_pointer (&self->threads, g_ptr_array_unref);
  g_clear_pointer (&self->processes, g_ptr_array_unref);
  g_clear_pointer (&self->process_of, g_hash_table_unref);
  g_clear_pointer (&self->host_steps, g_array_unref);
  g_clear_pointer (&self->lanes, g_array_unref);
  an_store_clear (&self->store);
  an_launches_clear (&self->launches);
  an_held_clear (&self->held);
  an_waits_free (self->waits);
  an_traits_clear (&self->traits);
  an_places_free (self->places);
  an_key_table_clear (&self->series_keys);
  an_key_table_clear (&self->names);
  g_clear_pointer (&self->steps, g_array_unref);
  g_clear_pointer (&self->step_of, g_array_unref);
  g_clear_pointer (&self->series, g_array_unref);
  nprof_reader_clear (&self->message);
  nprof_reader_clear (&self->engine);
  g_clear_pointer (&self->names_say, st_names_free);
  g_clear_pointer (&self->families, an_families_free);
  g_clear_pointer (&self->peaks, an_peaks_free);
  g_clear_pointer (&self->bytes, g_hash_table_unref);
  g_clear_pointer (&self->kinds, g_byte_array_unref);
  g_clear_pointer (&self->iteration_names, g_byte_array_unref);
  g_clear_pointer (&self->of_hosts, g_ptr_array_unref);
  g_clear_pointer (&self->compiling, g_array_unref);
  g_clear_pointer (&self->findings, g_array_unref);
  g_clear_pointer (&self->losses, g_array_unref);
  g_clear_pointer (&self->inputs, g_array_unref);
}

static const struct nprof_component component = {
  .size = sizeof component,
  .kind = NPROF_ANALYZER,
  .name = "steps",
  .summary = "steps: their times, what devices did in them, why these were idle, queues and skew",
  .options = options,
  .tables = tables,
  .wants = (const char *const[]){ NPROF_KEY_WORK, NPROF_KEY_BYTES, KEY_ARGUMENTS, AN_PEAK_KEYS,
                                  AN_LAUNCH_KEYS, NPROF_KEY_COLLECTIVE, COLLECTIVE_KEY_ELEMENTS_IN,
                                  COLLECTIVE_KEY_ELEMENTS_OUT, COLLECTIVE_KEY_DTYPE,
                                  NPROF_KEY_ENGINE, "left_out", NULL },
  .order = NPROF_ORDER_DEVICE,
  .flags = NPROF_ANALYZER_NO_LINKS | NPROF_ANALYZER_CONTEXT | NPROF_ANALYZER_NO_ROWS,
  .instance_size = sizeof (Steps),
  .open = steps_open,
  .choose = steps_choose,
  .save = an_rows_save,
  .merge = an_rows_merge,
  .consume = steps_consume,
  .finish = an_rows_finish,
  .close = steps_close,
};

NPROF_PLUGIN ("steps", NPROF_VERSION, "Apache-2.0", &component)
