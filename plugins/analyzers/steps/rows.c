/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - finds which rows are steps, spans of hosts, launches and work, and hands each on. */
#include "devicekit/bytes.h"
#include "devicekit/collective-kind.h"
#include "devicekit/moved-bytes.h"
#include "devicekit/row-launch.h"
#include "profile/collective-keys.h"
#include "verdict.h"

#include <nprof/keys.h>

/* Joins the parts of a step: each stream of a device has one, and the step is all of them. */
static void
join (Step *step, const Step *part)
{
  step->start = MIN (step->start, part->start);
  step->end = MAX (step->end, part->end);
  step->ended &= part->ended;
  step->shown |= part->shown;
}

/* Returns a series; they are numbered as they come, and the arrays beside them grow with them. */
static Series *
series_of (Steps *self, const guint32 *key, guint *number)
{
  *number = an_key_table_get (&self->series_keys, key);
  while (self->series->len < self->series_keys.n) {
    const Series none = { .end = G_MININT64 };
    g_array_append_val (self->series, none);
  }
  return series_at (self, *number);
}

/* Returns its number among the steps; is_new: no other part of it came before. */
static guint
add_step (Steps *self, const guint32 *key, Step *s, bool *is_new)
{
  Series *series = series_of (self, key, &s->series);
  series->total += s->end - s->start;
  *is_new = true;
  if (key[S_SOURCE] == STEP_MODULE) {
    g_array_append_vals (self->steps, s, 1);
    return self->steps->len - 1;
  }
  const guint32 name[N_WORDS] = { s->series, s->name };
  guint number = an_key_table_get (&self->names, name);
  *is_new = number == self->step_of->len;
  if (*is_new) {
    g_array_append_val (self->step_of, self->steps->len);
    g_array_append_vals (self->steps, s, 1);
  } else {
    join (step_at (self, g_array_index (self->step_of, guint, number)), s);
  }
  return g_array_index (self->step_of, guint, number);
}

static void
step_row (Steps *self, const struct nprof_batch *batch, uint32_t i, const AnPlace *place,
          AnRole role)
{
  const struct nprof_track_info *info = self->host->track_info (self->host, place->track);
  nprof_track host = info->process ? info->process : place->track;
  bool is_new, shown = !nprof_hidden (batch, i);
  Step step = { .name = batch->name[i],
                .start = batch->start[i],
                .end = batch->start[i] + MAX (batch->duration[i], 0),
                .ended = batch->duration[i] >= 0,
                .shown = shown,
                .begun.covered = G_MININT64 };
  guint32 series[S_WORDS] = { place->device ? place->device : host, STEP_LINE, 0 };
  if (role == AN_MODULE) {
    series[S_SOURCE] = STEP_MODULE;
    series[S_PROGRAM] = batch->name[i];
  } else if (an_names_step (self->host, batch->name[i])) {
    series[S_SOURCE] = STEP_NOTE;
  }
  step.number = self->steps->len;
  guint number = add_step (self, series, &step, &is_new);
  if (place->device && is_new)
    st_device_span (self, st_device (self, place), number, role == AN_MODULE);
  if (place->device && step.ended && shown && role == AN_MODULE)
    st_reach (&st_device (self, place)->around, step.start, step.end);
  if (place->device && step.ended && shown && batch->category[i] == self->execution_category)
    st_engine_execution (st_device (self, place), step.start, step.end);
  if (place->device)
    return;
  const HostStep announced = { .input = place->input,
                               .step = number,
                               .name = step.name,
                               .start = step.start,
                               .end = step.ended ? step.end : G_MAXINT64,
                               .shown = shown };
  st_host_step (self, st_thread (self, place->track), &announced);
}

static inline AnRowLaunch
launch_of (const Steps *self, AnTraits traits, const struct nprof_batch *batch, uint32_t i)
{
  return an_launch_of (traits, batch, i, self->launch_keys, self->key_collective);
}

static AnHostKind
kind_of (Steps *self, nprof_str category)
{
  guint8 *kind = an_byte_of (self->kinds, category);
  if (!*kind)
    *kind = (guint8) an_host_kind (nprof_text (self->host, category));
  return (AnHostKind) *kind;
}

static void
note_input (Steps *self, guint32 input, AnHostKind kind)
{
  if (input >= self->inputs->len)
    g_array_set_size (self->inputs, input + 1);
  InputSeen *seen = &g_array_index (self->inputs, InputSeen, input);
  seen->spans = true;
  seen->works |= kind == AN_HOST_CALL || kind == AN_HOST_OPERATOR;
}

/* Returns what the operator moves, by the text of its arguments; < 0: unknown. */
static gint64
bytes_by_arguments (Steps *self, nprof_str name, nprof_str arguments)
{
  const guint64 key = (guint64) name << 32 | arguments;
  const gint64 *known = g_hash_table_lookup (self->bytes, &key);
  if (known)
    return *known;
  guint64 *own_key = g_new (guint64, 1);
  gint64 *bytes = g_new (gint64, 1);
  *own_key = key;
  *bytes = an_moved_bytes (nprof_text (self->host, name), nprof_text (self->host, arguments));
  g_hash_table_insert (self->bytes, own_key, bytes);
  return *bytes;
}

static gint64
bytes_of_operator (Steps *self, const struct nprof_batch *batch, uint32_t i)
{
  if (batch->attr_at)
    for (uint32_t j = batch->attr_at[i]; j < batch->attr_at[i + 1]; j++)
      if (batch->attr_key[j] == self->key_arguments && batch->attr_type[j] == NPROF_STRING)
        return bytes_by_arguments (self, batch->name[i], batch->attr_value[j].s);
  return -1;
}

static void
note_overhead (OfHosts *hosts, gint64 start, gint64 duration)
{
  const Range r = { start, start + MAX (duration, 0) };
  g_array_append_val (hosts->overhead, r);
}

static void
note_iteration (Steps *self, GArray *iterations, const struct nprof_batch *batch, uint32_t i,
                nprof_track thread)
{
  if (batch->duration[i] <= 0
      || !an_names_server_step (self->iteration_names, self->host, batch->name[i]))
    return;
  const AnServerStep it = { .name = batch->name[i],
                            .thread = thread,
                            .start = batch->start[i],
                            .end = batch->start[i] + batch->duration[i] };
  an_server_steps_add (iterations, &it);
}

static void
host_row (Steps *self, AnTraits traits, const struct nprof_batch *batch, uint32_t i,
          const AnPlace *place)
{
  const guint64 id = launch_of (self, traits, batch, i).correlation;
  gint64 start = batch->start[i], duration = batch->duration[i];
  Thread *thread = st_thread (self, place->track);
  const AnHostKind kind = kind_of (self, batch->category[i]);
  const gint64 moves = kind == AN_HOST_OPERATOR ? bytes_of_operator (self, batch, i) : -1;
  const HostRow row = {
    .name = batch->name[i], .kind = kind, .start = start, .duration = duration, .moves = moves
  };
  note_input (self, place->input, row.kind);
  note_iteration (self, thread->process->iterations, batch, i, place->track);
  if (batch->category[i] == self->overhead_category)
    note_overhead (thread->hosts, start, duration);
  st_host_span (self, thread, &row);
  if (id) {
    AnLaunch launch = { .id = id,
                        .start = start,
                        .end = start + MAX (duration, 0),
                        .thread = place->track,
                        .input = place->input,
                        .call = row.name };
    st_find_operator (thread, &launch);
    an_launches_add (&self->launches, &launch);
    an_held_launch (&self->held, &launch);
  }
}

static Lane
begin_lane (Steps *self, const AnPlace *place)
{
  if (place->track >= self->lanes->len)
    g_array_set_size (self->lanes, MAX (place->track + 1, self->lanes->len * 2));
  Lane *lane = &g_array_index (self->lanes, Lane, place->track);
  lane->device = st_device (self, place);
  lane->lane = ++lane->device->n_lanes;
  return *lane;
}

static inline Lane
lane_of (Steps *self, const AnPlace *place)
{
  if (place->track < self->lanes->len && g_array_index (self->lanes, Lane, place->track).device)
    return g_array_index (self->lanes, Lane, place->track);
  return begin_lane (self, place);
}

static bool
fills (const Steps *self, nprof_str category)
{
  return category == self->fills[0] || category == self->fills[1];
}

/* Returns whether a step lasts as long as such work: not copies and fills, which may outlive it. */
static bool
lasts (const Steps *self, AnClass class, nprof_str category)
{
  return (class == AN_COMPUTE || class == AN_COMMUNICATION) && !fills (self, category);
}

/* -- Sends and receives ------------------------------------------------------------------------ */

enum { MESSAGE_KIND, MESSAGE_IN, MESSAGE_OUT, MESSAGE_TYPE };

const char *const st_message_keys[] = { NPROF_KEY_COLLECTIVE, COLLECTIVE_KEY_ELEMENTS_IN,
                                        COLLECTIVE_KEY_ELEMENTS_OUT, COLLECTIVE_KEY_DTYPE, NULL };

/* No link between devices is so slow, byte/s: below it the other end was waited for. */
#define SLOWEST_LINK G_GINT64_CONSTANT (1000000000)

static bool
is_point_to_point (const char *kind, const char *name)
{
  const AnKindOf of = an_kind_of (kind, name);
  return of == AN_KIND_SEND || of == AN_KIND_RECV || of == AN_KIND_SENDRECV;
}

/* Returns whether the row is a send or a receive that says how much it moves, and takes so long for
 * it that it must have waited for the other end. */
static bool
is_bubble (Steps *self, const struct nprof_batch *batch, uint32_t i)
{
  struct nprof_reader *r = &self->message;
  int64_t in = 0, out = 0;
  nprof_reader_row (r, batch, i);
  const nprof_str kind = nprof_reader_str (r, MESSAGE_KIND);
  const nprof_str type = nprof_reader_str (r, MESSAGE_TYPE);
  const char *name = nprof_text (self->host, batch->name[i]);
  if (!kind || !type || !is_point_to_point (nprof_text (self->host, kind), name))
    return false;
  nprof_reader_int (r, MESSAGE_IN, &in);
  nprof_reader_int (r, MESSAGE_OUT, &out);
  const DistSum bits = (DistSum) MAX (in, out) * an_bits_of_type (nprof_text (self->host, type));
  const DistSum least = bits / 8 * (G_GINT64_CONSTANT (1000000000000) / SLOWEST_LINK);
  return bits > 0 && batch->duration[i] > least;
}

/* -- Work -------------------------------------------------------------------------------------- */

/* Returns whether the row may be of an engine of Neuron, or of its DMA. */
static bool
is_of_engine (const Steps *self, nprof_str category)
{
  return category == self->instruction_category || category == self->dma_category
         || category == self->collective_category;
}

static void
take_work (Steps *self, AnTraits traits, const struct nprof_batch *batch, uint32_t i,
           const AnPlace *place, const AnRowLaunch *said, const AnLaunch *launch)
{
  AnClass class = an_class_of (traits, said->collective);
  gint64 start = batch->start[i], duration = batch->duration[i];
  if (class == AN_AROUND)
    step_row (self, batch, i, place, AN_MODULE);
  if (class == AN_AROUND || duration < 0)
    return;
  const Lane lane = lane_of (self, place);
  const bool shown = !nprof_hidden (batch, i), of_engine = is_of_engine (self, batch->category[i]);
  const StEngine engine = of_engine && shown ? st_engine_of (self, batch, i) : ST_ENGINES;
  const bool left_out = engine == ST_ENGINES && batch->category[i] == self->dma_category;
  const DeviceWork work
      = { .start = start,
          .end = start + duration,
          .class = class,
          .category = batch->category[i],
          .name = batch->name[i],
          .lane = traits.is & AN_IS_BESIDE ? AN_NO_LANE : lane.lane,
          .launchable = said->correlation || (traits.is & AN_IS_LAUNCHABLE),
          .launch = launch,
          .lasting = lasts (self, class, batch->category[i]),
          .fills = fills (self, batch->category[i]),
          .bubble = class == AN_COMMUNICATION && is_bubble (self, batch, i),
          .bytes
          = class == AN_MEMORY && !left_out ? an_copied_bytes (batch, i, self->key_bytes) : 0,
          .infeed = class == AN_MEMORY && (traits.is & AN_IS_INFEED),
          .shown = shown };
  st_device_work (self, lane.device, &work);
  if (engine < ST_ENGINES)
    st_engine_row (self, lane.device, engine, work.start, work.end);
  if (work.launchable)
    st_queue_work (self, lane.device, place->track, &work);
}

void
st_held (gpointer user, const struct nprof_batch *row, const AnLaunch *launch)
{
  Steps *self = user;
  const AnPlace *place = an_place (self->places, row->track[0]);
  const AnTraits traits = an_traits_of_other (&self->traits, row)->of[0];
  const AnRowLaunch said = launch_of (self, traits, row, 0);
  if (traits.role == AN_WORK)
    take_work (self, traits, row, 0, place, &said, launch);
  else
    step_row (self, row, 0, place, (AnRole) traits.role);
}

/* Work whose launch has not come waits for it, and what follows on its device waits for that. */
static void
work_row (Steps *self, AnTraits traits, const struct nprof_batch *batch, uint32_t i,
          const AnPlace *place)
{
  const AnRowLaunch said = launch_of (self, traits, batch, i);
  an_launches_follow (&self->launches);
  const AnLaunch *launch = said.correlation ? an_launches_find (&self->launches, place->input,
                                                                said.correlation, batch->start[i])
                                            : NULL;
  const nprof_track whole = st_device (self, place)->track;
  if ((said.correlation && !launch) || an_held_holds (&self->held, whole))
    an_held_add (&self->held, whole, batch, i, said.correlation, launch);
  else
    take_work (self, traits, batch, i, place, &said, launch);
}

static void
span_row (Steps *self, AnTraits traits, const struct nprof_batch *batch, uint32_t i,
          const AnPlace *place)
{
  const AnRole role = (AnRole) traits.role;
  switch (role) {
  case AN_STEP:
  case AN_MODULE:
    if (place->device && an_held_holds (&self->held, st_device (self, place)->track))
      an_held_add (&self->held, st_device (self, place)->track, batch, i, 0, NULL);
    else
      step_row (self, batch, i, place, role);
    break;
  case AN_HOST:
    host_row (self, traits, batch, i, place);
    break;
  case AN_WORK:
    work_row (self, traits, batch, i, place);
    break;
  case AN_NOTE:
    if (an_names_server_step (self->iteration_names, self->host, batch->name[i]))
      note_iteration (self, st_device (self, place)->iterations, batch, i, 0);
    break;
  case AN_UNSURE:
    st_device (self, place)->unsure = true;
    break;
  default:
    break;
  }
}

/* All of what was found comes with every batch. */
static void
take_findings (Steps *self, const GArray *findings)
{
  if (!findings || findings->len == self->findings->len)
    return;
  g_array_set_size (self->findings, 0);
  g_array_append_vals (self->findings, findings->data, findings->len);
}

void
st_rows (Steps *self, const struct nprof_batch *batch)
{
  const AnBatchTraits *traits = an_traits_of (&self->traits, batch);
  batch = traits->rows;
  const AnPlace *place = NULL;
  self->any_hidden |= batch->hidden != NULL;
  take_findings (self, traits->findings);
  for (uint32_t i = 0; i < batch->n_rows; i++) {
    if (batch->kind[i] == NPROF_GAP)
      st_loss_row (self, batch, i);
    if (batch->kind[i] != NPROF_SPAN)
      continue;
    if (!place || place->track != batch->track[i])
      place = an_place (self->places, batch->track[i]);
    self->last = MAX (self->last, batch->start[i] + MAX (batch->duration[i], 0));
    span_row (self, traits->of[i], batch, i, place);
  }
}

void
st_choose (Steps *self, const struct nprof_batch *batch, uint8_t *rows)
{
  an_choose (self->places, AN_CHOOSE_WORK | AN_CHOOSE_AROUND | AN_CHOOSE_HOSTS, batch, rows);
  for (uint32_t i = 0; i < batch->n_rows; i++)
    if (batch->kind[i] == NPROF_GAP
        || (batch->kind[i] == NPROF_SPAN && !an_is_chosen (rows, i)
            && an_names_server_step (self->iteration_names, self->host, batch->name[i])))
      an_choose_row (rows, i);
}
