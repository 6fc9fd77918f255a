/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer `steps`: its option, its tables, and the rows that are steps. */
#include "steps.h"

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
      NPROF_VALUE_COLUMN (NPROF_BOOL, "cut", "", "it has no end, or is the first or last and shorter "
                          "than half of the median"),
      PS ("skew_ns", "last end - first end of this step on the devices that have it")),
};

const struct nprof_table step_times_table = {
  .size = sizeof step_times_table, .name = "step_times", .title = "Step times",
  .note = "without steps that the profile cut; percentiles are linear",
  .columns = NPROF_COLUMNS (
      KEY ("device", "device or core; of annotations of a host, its process"),
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
      PS ("max_skew_ns", "largest of skew_ns")),
};

static const struct nprof_option *const options[] = {
  NPROF_CHOICE_OPTION (Steps, keep_cut, "cut", "out", "out|in",
                       "are steps that the profile cut part of step_times?"),
  NULL,
};
/* clang-format on */

static const struct nprof_table *const tables[] = { &steps_table, &step_times_table, NULL };

static nprof_status
steps_open (void *instance, const struct nprof_host *host)
{
  Steps *self = instance;
  self->host = host;
  self->places = an_places_new (host);
  an_tuples_init (&self->series_keys, S_WORDS);
  an_tuples_init (&self->names, N_WORDS);
  self->steps = g_array_new (FALSE, TRUE, sizeof (Step));
  self->step_of = g_array_new (FALSE, TRUE, sizeof (guint));
  self->series = g_array_new (FALSE, TRUE, sizeof (Series));
  return NPROF_OK;
}

/* -- Rows ------------------------------------------------------------------------------- */

/* Streams of a device each have their part of an annotated step: the step is all of them. */
static void
join (Step *step, const Step *part)
{
  step->start = MIN (step->start, part->start);
  step->end = MAX (step->end, part->end);
  step->ended &= part->ended;
}

static void
add (Steps *self, const guint32 *series, const Step *step)
{
  Step s = *step;
  s.series = an_tuples_get (&self->series_keys, series);
  if (series[S_SOURCE] == STEP_MODULE) {
    g_array_append_val (self->steps, s);
    return;
  }
  const guint32 key[N_WORDS] = { s.series, s.name };
  guint number = an_tuples_get (&self->names, key);
  if (number < self->step_of->len) {
    join (step_at (self, g_array_index (self->step_of, guint, number)), &s);
    return;
  }
  g_array_append_val (self->step_of, self->steps->len);
  g_array_append_val (self->steps, s);
}

static void
span (Steps *self, const struct nprof_batch *batch, uint32_t i, const AnPlace *place, AnRole role)
{
  const struct nprof_track_info *info = self->host->track_info (self->host, place->track);
  nprof_track host = info->process ? info->process : place->track;
  Step step = { .name = batch->name[i],
                .start = batch->start[i],
                .end = batch->start[i] + MAX (batch->duration[i], 0),
                .ended = batch->duration[i] >= 0 };
  guint32 series[S_WORDS] = { place->device ? place->device : host, STEP_LINE, 0 };
  if (role == AN_MODULE) {
    series[S_SOURCE] = STEP_MODULE;
    series[S_PROGRAM] = batch->name[i];
  } else if (an_names_step (self->host, batch->name[i])) {
    series[S_SOURCE] = STEP_NOTE;
  }
  add (self, series, &step);
}

static nprof_status
steps_consume (void *instance, const struct nprof_batch *batch)
{
  Steps *self = instance;
  const AnPlace *place = NULL;
  const uint8_t *kind = batch->kind;
  const nprof_track *track = batch->track;
  const nprof_str *name = batch->name;
  for (uint32_t i = 0, n = batch->n_rows; i < n; i++) {
    if (kind[i] != NPROF_SPAN)
      continue;
    if (!place || place->track != track[i])
      place = an_place (self->places, track[i]);
    /* that rows are work or notes by category is the same here */
    AnRole role = an_is_step (self->places, name[i]) ? AN_STEP : place->role;
    if (role == AN_STEP || role == AN_MODULE)
      span (self, batch, i, place, role);
  }
  return NPROF_OK;
}

static nprof_status
steps_finish (void *instance)
{
  Steps *self = instance;
  judge (self);
  nprof_status status = write_steps (self);
  return status == NPROF_OK ? write_times (self) : status;
}

static void
steps_close (void *instance)
{
  Steps *self = instance;
  an_places_free (self->places);
  an_tuples_clear (&self->series_keys);
  an_tuples_clear (&self->names);
  g_clear_pointer (&self->steps, g_array_unref);
  g_clear_pointer (&self->step_of, g_array_unref);
  g_clear_pointer (&self->series, g_array_unref);
}

static const struct nprof_component component = {
  .size = sizeof component,
  .kind = NPROF_ANALYZER,
  .name = "steps",
  .summary = "step times without those that the profile cut, and skew between devices",
  .options = options,
  .tables = tables,
  .instance_size = sizeof (Steps),
  .open = steps_open,
  .consume = steps_consume,
  .finish = steps_finish,
  .close = steps_close,
};

NPROF_PLUGIN ("steps", NPROF_VERSION, "Apache-2.0", &component)
