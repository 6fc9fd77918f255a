/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - gives each row of work to its device, step, layer and operator.  A row that lies around
 * other work is left out of all sums: its flops are those of the rows within it (xplane.md 2.6). */
#include "mfu.h"

#include "devicekit/by-track.h"
#include "devicekit/device-sweep-loop.h"
#include "devicekit/logical-core.h"

#include <stdlib.h>

#define NO_STEP G_MININT64
/* These are keys of steps: the device's own spans count from 0, numbers that only rows state lie
 * below. */
#define BY_NUMBER(step) (-1 - (step))

void
mf_device_free (gpointer device)
{
  MfDevice *d = device;
  an_sweep_free (d->sweep);
  mf_layer_sums_clear (&d->layer_sums);
  mf_sums_clear (&d->steps);
  g_array_unref (d->spans);
  g_free (d);
}

static void
add_to_step (MfDevice *d, const AnSpan *span)
{
  MfSum *sum = mf_sums_at (&d->steps, mf_sums_index (&d->steps, span->item.step));
  const struct nprof_window *w = &d->run->work.window;
  mf_sum_add (sum, span);
  mf_sum_reach (sum, nprof_cut (w, span->start), nprof_cut (w, span->end));
}

static void
add_work (MfDevice *d, const AnSpan *span)
{
  mf_layer_sums_add (&d->layer_sums, span);
  if (span->item.step != NO_STEP)
    add_to_step (d, span);
}

static void
span_ended (gpointer user, const AnSpan *span)
{
  if (span->leaf)
    add_work (user, span);
}

void
mf_device_end (MfDevice *d)
{
  an_sweep_end (d->sweep);
  mf_layer_sums_end (&d->layer_sums);
  for (guint i = 0; i < d->layer_sums.operators.sums->len; i++)
    mf_sum_join (&d->all, mf_sums_at (&d->layer_sums.operators, i));
}

static MfDevice *
new_device (MfRun *run, nprof_track track, const AnPlace *place)
{
  MfDevice *d = g_new0 (MfDevice, 1);
  d->run = run;
  d->track = track;
  d->core = place->device;
  d->label = track == place->device ? place->label
                                    : nprof_track_label (run->host->track_info (run->host, track));
  d->input = place->input;
  d->first = G_MAXINT64;
  d->last = d->covered = G_MININT64;
  d->sweep = an_sweep_new (&(AnSweepCalls){ NULL, span_ended, d });
  mf_sum_init (&d->all, 0);
  mf_layer_sums_init (&d->layer_sums);
  mf_sums_init (&d->steps);
  d->spans = g_array_new (FALSE, FALSE, sizeof (MfStep));
  g_ptr_array_add (run->devices, d);
  an_put_of_track (run->by_track, track, d);
  return d;
}

static MfDevice *
device_of (MfRun *run, const AnPlace *place)
{
  MfDevice *d = an_of_track (run->by_track, place->device);
  if (d)
    return d;
  const nprof_track track = an_logical_core_of (run->host, place->device);
  d = an_of_track (run->by_track, track);
  if (!d)
    d = new_device (run, track, place);
  an_put_of_track (run->by_track, place->device, d);
  return d;
}

static __attribute__ ((noinline)) MfTrack *
new_track (MfRun *run, nprof_track track)
{
  MfTrack *t = g_new0 (MfTrack, 1);
  an_put_of_track (run->tracks, track, t);
  t->place = an_place (run->places, track);
  return t;
}

static inline MfTrack *
track_of (MfRun *run, nprof_track track)
{
  MfTrack *t = an_of_track (run->tracks, track);
  return G_LIKELY (t) ? t : new_track (run, track);
}

/* -- Steps ------------------------------------------------------------------------------- */

/* Returns its attribute, else the number at the end of its name ("ProfilerStep#12", "12"), else its
 * place among the steps. */
static gint64
number_of_step (MfRun *run, const MfDevice *d, const AnBatchTraits *traits,
                const struct nprof_batch *batch, uint32_t i)
{
  const AnNumbers *row = an_work_row (&run->work, traits, batch, i);
  if (row->known & AN_KNOWS_STEP)
    return row->step;
  const char *name = nprof_text (run->host, batch->name[i]);
  const char *digits = name + strlen (name);
  while (digits > name && g_ascii_isdigit (digits[-1]))
    digits--;
  return *digits ? g_ascii_strtoll (digits, NULL, 10) : (gint64) d->spans->len;
}

/* Takes a step; each stream of a device has its part of an annotated step. */
static void
step_row (MfRun *run, MfDevice *d, const AnBatchTraits *traits, const struct nprof_batch *batch,
          uint32_t i)
{
  const struct nprof_window *w = &run->work.window;
  MfStep step = { .number = number_of_step (run, d, traits, batch, i),
                  .start = nprof_cut (w, batch->start[i]),
                  .end = nprof_cut (w, batch->start[i] + batch->duration[i]) };
  MfStep *last = d->spans->len ? &g_array_index (d->spans, MfStep, d->spans->len - 1) : NULL;
  if (last && last->number == step.number && step.start <= last->end)
    last->end = MAX (last->end, step.end);
  else
    g_array_append_val (d->spans, step);
}

/* Returns the step that is under way when the work begins, else the one that its row states. */
static gint64
step_of (const MfDevice *d, const AnNumbers *row, gint64 start)
{
  if (d->spans->len) {
    const MfStep *last = &g_array_index (d->spans, MfStep, d->spans->len - 1);
    return start < last->end ? (gint64) d->spans->len - 1 : NO_STEP;
  }
  if ((row->known & AN_KNOWS_STEP) && row->step >= 0 && row->step < G_MAXINT64)
    return BY_NUMBER (row->step);
  return NO_STEP;
}

/* -- Rows ------------------------------------------------------------------------------------ */

static void
widen_extent (MfDevice *d, gint64 start, gint64 duration)
{
  const struct nprof_window *w = &d->run->work.window;
  d->first = MIN (d->first, nprof_cut (w, start));
  d->last = MAX (d->last, nprof_cut (w, start + duration));
}

/* Covers time; rows come by start, so all covered time lies before. */
static void
cover_time (MfDevice *d, gint64 start, gint64 end)
{
  start = nprof_cut (&d->run->work.window, start);
  end = nprof_cut (&d->run->work.window, end);
  d->busy += MAX (0, end - MAX (start, d->covered));
  d->covered = MAX (end, d->covered);
}

static void
fill (AnItem *item, MfDevice *d, const struct nprof_batch *batch, uint32_t i, const AnNumbers *row)
{
  item->known = (guint8) row->known;
  item->name = batch->name[i];
  item->layer = row->layer;
  item->step = step_of (d, row, batch->start[i]);
  item->flops = row->flops;
  item->model_flops = row->model_flops;
  item->bytes = row->bytes;
  item->time = row->known & AN_KNOWS_DEVICE_TIME
                   ? row->device_duration
                   : nprof_inside (&d->run->work.window, batch->start[i], batch->duration[i]);
}

/* Tells the class of a span: communication and transfers with the host go over links. */
static guint8
class_of (AnTraits traits, const AnNumbers *row)
{
  return (row->known & AN_IS_COLLECTIVE) || (traits.is & AN_IS_OVER_LINK) ? MF_OVER_LINK
                                                                          : MF_ON_DEVICE;
}

/* Takes a row without length in the time of the run; the device may have worked for long. */
static void
squeezed_row (MfDevice *d, const struct nprof_batch *batch, uint32_t i, AnTraits traits,
              const AnNumbers *row)
{
  AnSpan span
      = { .start = batch->start[i], .end = batch->start[i], .kind.class = class_of (traits, row) };
  widen_extent (d, batch->start[i], 0);
  fill (&span.item, d, batch, i, row);
  if (span.item.known & AN_KNOWS_WORK)
    add_work (d, &span);
}

static void
work_row (MfTrack *t, const AnBatchTraits *all, const struct nprof_batch *batch, uint32_t i)
{
  MfDevice *d = t->device;
  gint64 start = batch->start[i], duration = batch->duration[i];
  const AnTraits traits = all->of[i];
  const AnNumbers *row = an_work_row (&d->run->work, all, batch, i);
  if (duration == 0) {
    squeezed_row (d, batch, i, traits, row);
    return;
  }
  an_sweep_pass_by (d->sweep, start, NULL, span_ended, d);
  AnKind kind = { .class = class_of (traits, row),
                  .lane = traits.is & AN_IS_BESIDE ? AN_NO_LANE : t->lane };
  fill (an_sweep_add_by (d->sweep, start, duration, kind, FALSE), d, batch, i, row);
  cover_time (d, start, start + duration);
  widen_extent (d, start, duration);
}

/* Each core of a logical core has the execution that all of them run. */
static void
execution (MfDevice *d, nprof_track core, const struct nprof_batch *batch, uint32_t i)
{
  if (an_work_crosses (&d->run->work, batch, i)) {
    d->cut = TRUE;
    return;
  }
  d->n_executions += core == d->core;
  widen_extent (d, batch->start[i], batch->duration[i]);
}

static void
work_of (MfRun *run, MfTrack *t, const AnBatchTraits *traits, const struct nprof_batch *batch,
         uint32_t i)
{
  if (traits->of[i].class == AN_AROUND) {
    execution (device_of (run, t->place), t->place->device, batch, i);
    return;
  }
  if (!t->device) {
    t->device = device_of (run, t->place);
    t->lane = t->device->n_lanes++;
  }
  work_row (t, traits, batch, i);
}

static void
device_row (MfRun *run, MfTrack *t, const AnBatchTraits *traits, const struct nprof_batch *batch,
            uint32_t i)
{
  switch (traits->of[i].role) {
  case AN_STEP:
    step_row (run, device_of (run, t->place), traits, batch, i);
    break;
  case AN_MODULE:
    execution (device_of (run, t->place), t->place->device, batch, i);
    break;
  case AN_WORK:
    work_of (run, t, traits, batch, i);
    break;
  default:
    break;
  }
}

/* Notes that the step of the row lacks it. */
static void
left_out_work (MfRun *run, MfDevice *d, const AnBatchTraits *traits,
               const struct nprof_batch *batch, uint32_t i)
{
  const gint64 start = batch->start[i];
  const gint64 step = step_of (d, an_work_row (&run->work, traits, batch, i), start);
  if (step != NO_STEP && nprof_touches (&run->work.window, start, start + batch->duration[i]))
    mf_sums_at (&d->steps, mf_sums_index (&d->steps, step))->partial = true;
}

/* Of a row that the selection leaves out it says of which step it is: one that is there in part has
 * no row, as its time is that of all its work. */
static void
left_out_row (MfRun *run, MfTrack *t, const AnBatchTraits *traits, const struct nprof_batch *batch,
              uint32_t i)
{
  if (traits->of[i].role == AN_STEP)
    step_row (run, device_of (run, t->place), traits, batch, i);
  else if (traits->of[i].role == AN_WORK && traits->of[i].class != AN_AROUND)
    left_out_work (run, device_of (run, t->place), traits, batch, i);
}

static AN_PREFETCHES void
soon (const MfRun *run, const AnBatchTraits *traits, const struct nprof_batch *batch, uint32_t i)
{
  an_work_soon (traits, batch, i);
  if (i >= batch->n_rows || batch->track[i] >= run->tracks->len)
    return;
  const MfTrack *t = g_ptr_array_index (run->tracks, batch->track[i]);
  if (t && t->device)
    mf_layer_sums_soon (&t->device->layer_sums, batch->name[i]);
}

static void
span_row (MfRun *run, const AnBatchTraits *traits, const struct nprof_batch *batch, uint32_t i)
{
  MfTrack *t = track_of (run, batch->track[i]);
  if (!t->place->device || batch->duration[i] < 0)
    return;
  if (nprof_hidden (batch, i))
    left_out_row (run, t, traits, batch, i);
  else
    device_row (run, t, traits, batch, i);
}

nprof_status
mf_rows (MfRun *run, const struct nprof_batch *batch)
{
  const AnBatchTraits *traits = an_traits_of (&run->traits, batch);
  batch = traits->rows;
  for (uint32_t i = 0; i < batch->n_rows; i++) {
    soon (run, traits, batch, i + AN_WORK_AHEAD);
    if (batch->kind[i] == NPROF_SPAN)
      span_row (run, traits, batch, i);
  }
  return NPROF_OK;
}
