/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - gives each row to the device that it is about. */
#include "device.h"

#include "devicekit/by-track.h"
#include "devicekit/device-sweep-loop.h"

void
dv_track_free (gpointer track)
{
  g_free (track);
}

void
dv_device_free (gpointer device)
{
  Device *d = device;
  an_sweep_free (d->sweep);
  g_array_unref (d->losses);
  g_clear_pointer (&d->sections, g_array_unref);
  g_ptr_array_unref (d->lanes);
  for (int i = 0; i < DV_N_COUNTERS; i++)
    dv_bins_clear (&d->bins[i]);
  g_free (d);
}

/* -- Devices and their tracks ---------------------------------------------------------------- */

static void
passed (gpointer user, gint64 from, gint64 to, const AnActive *active)
{
  Device *d = user;
  if (d->first > d->last || d->closed) /* transfers before the span, and after it */
    return;
  dv_moments_add (&d->all, to - from, active);
  dv_moments_add_linked (&d->linked, to - from, active);
  if (!active->any_work)
    dv_gaps_passed (d, from, to);
}

/* Sums of time are cut at the edges of the window. */
static inline gint64
cut (const Device *d, gint64 at)
{
  return nprof_cut (&d->run->work.window, at);
}

static void
add_numbers (Device *d, guint8 known, gint64 flops, gint64 model_flops, gint64 bytes)
{
  d->known |= known;
  if (known & AN_KNOWS_FLOPS)
    d->flops += (double) flops;
  if (known & AN_KNOWS_MODEL)
    d->model_flops += (double) model_flops;
  if (known & AN_KNOWS_BYTES)
    d->bytes += (double) bytes;
}

/* Ends a span.  The flops of one that lies around others are theirs, as xprof has it (xplane.md
 * 2.6). */
static void
span_ended (gpointer user, const AnSpan *span)
{
  Device *d = user;
  const AnItem *item = &span->item;
  if (!span->leaf || span->kind.apart)
    return;
  add_numbers (d, item->known, item->flops, item->model_flops, item->bytes);
  if (item->known & AN_KNOWS_FLOPS)
    dv_bins_add (&d->bins[DV_HFU], cut (d, span->start), cut (d, span->end), (double) item->flops);
}

/* Both moments lie in the window. */
static void
widen_extent (Device *d, gint64 from, gint64 to)
{
  d->first = MIN (d->first, from);
  d->last = MAX (d->last, to);
}

/* Takes a row without length in the time of the run: XLA squeezes what it cannot place by the
 * host's clock, and what takes less than a tick of the clock has none.  The span begins and ends
 * with it as with other work, and what it computed and moved counts all the same. */
static void
take_squeezed (Device *d, gint64 at, const AnNumbers *n, gboolean apart)
{
  if (apart)
    return;
  for (Device *of = d; of; of = of->whole) {
    an_sweep_pass (of->sweep, at);
    widen_extent (of, cut (of, at), cut (of, at));
    of->any_work = TRUE;
  }
  add_numbers (d, (guint8) n->known, n->flops, n->model_flops, n->bytes);
}

static Device *
new_device (DvRun *run, nprof_track track, nprof_str label)
{
  Device *d = g_new0 (Device, 1);
  d->run = run;
  d->track = track;
  d->label = label;
  d->input = run->host->track_info (run->host, track)->input;
  d->lanes = g_ptr_array_new ();
  d->first = d->linked_first = G_MAXINT64;
  d->last = d->linked_last = d->tensor_covered = G_MININT64;
  dv_gaps_init (&d->gaps);
  const AnSweepCalls calls = { passed, span_ended, d };
  d->sweep = an_sweep_new (&calls);
  an_sweep_cut (d->sweep, &run->work.window);
  return d;
}

Device *
dv_whole_new (DvRun *run, nprof_track track)
{
  Device *d = new_device (run, track, nprof_track_label (run->host->track_info (run->host, track)));
  dv_losses_begin (d);
  return d;
}

static Device *
device_of (DvRun *run, const AnPlace *place)
{
  Device *d = an_of_track (run->by_track, place->device);
  if (d)
    return d;
  d = new_device (run, place->device, place->label);
  d->whole = dv_whole_of (run, place->device);
  for (int i = 0; i < DV_N_COUNTERS; i++)
    dv_bins_init (&d->bins[i], run->host->run (run->host)->first, run->width, run->n_bins);
  dv_losses_begin (d);
  g_ptr_array_add (run->devices, d);
  an_put_of_track (run->by_track, place->device, d);
  return d;
}

static __attribute__ ((noinline)) DvTrack *
new_track (DvRun *run, nprof_track track)
{
  DvTrack *t = g_new0 (DvTrack, 1);
  an_put_of_track (run->tracks, track, t);
  t->place = an_place (run->places, track);
  return t;
}

static inline DvTrack *
track_of (DvRun *run, nprof_track track)
{
  DvTrack *t = an_of_track (run->tracks, track);
  return G_LIKELY (t) ? t : new_track (run, track);
}

static void
begin (DvRun *run, DvTrack *t)
{
  const struct nprof_track_info *info = run->host->track_info (run->host, t->place->track);
  t->device = device_of (run, t->place);
  t->lane = t->device->lanes->len;
  if (t->device->whole)
    t->whole_lane = t->device->whole->n_lanes++;
  dv_sections_begin (t);
  g_ptr_array_add (t->device->lanes, t);
  t->queue.label = nprof_track_label (info);
  t->queue.covered = t->work.covered = G_MININT64;
  /* The engine has NTFF's name, and the vendor's. */
  t->engine = info->kind == NPROF_TRACK_ENGINE;
  t->tensor = t->engine
              && (!strcmp (nprof_text (run->host, info->key), "PE")
                  || !g_ascii_strcasecmp (nprof_text (run->host, t->queue.label), "tensor"));
}

/* -- Work ------------------------------------------------------------------------------------ */

/* Returns the time that is not covered yet; rows come by start, so all covered time lies before. */
static gint64
uncovered_time (gint64 *covered, gint64 start, gint64 end)
{
  gint64 from = MAX (start, *covered);
  *covered = MAX (end, *covered);
  return MAX (0, end - from);
}

/* Takes a transfer.  On a track of operators those that copy are no transfers, unless they state
 * their bytes: the asynchronous ones are, and they have their own track. */
static void
take_transfer (DvTrack *t, gint64 start, gint64 end, bool over_link, const AnNumbers *row)
{
  DvQueue *q = &t->queue;
  Device *d = t->device;
  gint64 bytes = row->transfer;
  gboolean stated = row->known & AN_KNOWS_TRANSFER;
  if (t->engine && !stated)
    return;
  q->busy += uncovered_time (&q->covered, start, end);
  q->n++;
  q->over_link |= over_link;
  dv_bins_add (&d->bins[DV_PENDING], start, end, (double) (end - start));
  q->accessed |= !stated;
  if (q->bytes >= 0
      && (!(row->known & (AN_KNOWS_TRANSFER | AN_KNOWS_ACCESSED))
          || __builtin_add_overflow (q->bytes, bytes, &q->bytes)))
    q->bytes = -1;
  if (stated)
    dv_bins_add (&d->bins[DV_THROUGHPUT], start, end, (double) bytes);
}

/* The counter is there, and 0, where the engine only waits or steers. */
static void
take_tensor (Device *d, gint64 start, gint64 end, AnClass class)
{
  if (class != AN_COMPUTE) {
    dv_bins_add (&d->bins[DV_TENSOR], start, end, 0);
    return;
  }
  gint64 covered = uncovered_time (&d->tensor_covered, start, end);
  dv_bins_add (&d->bins[DV_TENSOR], end - covered, end, (double) covered);
}

/* A program lies around the work of a device, and of the logical core that it is of. */
static void
around (Device *device, gint64 start, gint64 duration, gboolean crosses)
{
  for (Device *d = device; d; d = d->whole) {
    d->cut |= crosses;
    an_idle_program (&d->gaps.programs, start, start + duration);
    if (crosses)
      continue;
    d->n_executions++;
    an_sweep_pass (d->sweep, start);
    widen_extent (d, cut (d, start), cut (d, start + duration));
  }
}

static void
take_linked (Device *d, gint64 from, gint64 to)
{
  d->n_linked++;
  d->linked_first = MIN (d->linked_first, from);
  d->linked_last = MAX (d->linked_last, to);
}

/* Returns whether the row is a kernel of a GPU, by its category or its correlation id; what
 * programs hold is not. */
static gboolean
is_launchable (const AnNumbers *row, AnTraits traits)
{
  return (row->known & AN_KNOWS_CORRELATION) || (traits.is & AN_IS_LAUNCHABLE);
}

/* The row says this of why the device idled until it began. */
static AnIdleEnd
end_of_gap (const Device *d, const struct nprof_batch *batch, uint32_t i, AnClass class,
            bool launchable, const AnLaunch *launch)
{
  if (launch)
    return (AnIdleEnd){ .linked = TRUE, .launched = launch->start, .thread = launch->thread };
  return (AnIdleEnd){ .launched = d->gaps.programs.begun,
                      .program_end = d->gaps.programs.end,
                      .other = an_idle_without_launch (d->run->waits, class, batch->category[i],
                                                       batch->name[i], launchable) };
}

/* The row ends idle time, and the span reaches over it. */
static void
take_time (Device *d, const struct nprof_batch *batch, uint32_t i, const AnKind *kind,
           bool launchable, const AnLaunch *launch)
{
  const AnClass class = (AnClass) kind->class;
  const gint64 start = batch->start[i], end = start + batch->duration[i];
  const gint64 from = cut (d, start), to = cut (d, end);
  if (!kind->apart) {
    const DvBegun begun = { .by = end_of_gap (d, batch, i, class, launchable, launch),
                            .name = batch->name[i],
                            .control = class == AN_CONTROL };
    dv_gaps_work (d, start, &begun);
    an_idle_work (&d->gaps.programs, end);
    d->unlinked |= launchable;
    d->n_work++;
    d->any_work = TRUE;
  }
  if (!kind->apart || class == AN_SETUP) /* the span begins with setup also where it lies beside */
    widen_extent (d, from, to);
  if (kind->linked)
    take_linked (d, from, to);
}

static void
take_work (DvTrack *t, const struct nprof_batch *batch, uint32_t i, const AnNumbers *row,
           AnTraits traits, AnClass class, const AnLaunch *launch)
{
  const gboolean apart = traits.role == AN_ASYNC;
  Device *d = t->device;
  gint64 start = batch->start[i], end = start + batch->duration[i];
  gint64 from = cut (d, start), to = cut (d, end);
  t->work.n++;
  t->work.busy += uncovered_time (&t->work.covered, from, to);
  gboolean beside = apart || (traits.is & AN_IS_BESIDE);
  an_sweep_pass_by (d->sweep, start, passed, span_ended, d);
  AnKind kind = { .class = (guint8) class,
                  .apart = apart,
                  .linked = launch != NULL,
                  .lane = beside ? AN_NO_LANE : t->lane };
  const bool launchable = !launch && is_launchable (row, traits);
  take_time (d, batch, i, &kind, launchable, launch);
  if (d->whole) {
    AnKind of_whole = kind;
    of_whole.lane = beside ? AN_NO_LANE : t->whole_lane;
    an_sweep_pass (d->whole->sweep, start);
    take_time (d->whole, batch, i, &kind, launchable, launch);
    an_sweep_add (d->whole->sweep, start, end - start, of_whole);
  }
  if (t->section && !apart)
    dv_sections_work (t, batch->name[i], from, to, class);
  if (class == AN_MEMORY)
    take_transfer (t, from, to, traits.is & AN_IS_OVER_LINK, row);
  if (t->tensor)
    take_tensor (d, from, to, class);
  AnItem *item = an_sweep_add_by (d->sweep, start, end - start, kind, TRUE);
  item->known = (guint8) row->known;
  item->flops = row->flops;
  item->model_flops = row->model_flops;
  item->bytes = row->bytes;
}

/* Marks time in which the work is not known, but goes on. */
static void
mark_unsure (Device *d, gint64 start, gint64 duration, AnDoubt doubt)
{
  for (; d; d = d->whole) {
    d->n_unsure++;
    d->doubt = MAX (d->doubt, doubt);
    an_sweep_pass (d->sweep, start);
    widen_extent (d, cut (d, start), cut (d, start + duration));
  }
}

/* One engine has one clock: how those of several lie apart is no doubt of when it worked. */
static void
take_unsure (DvTrack *t, gint64 start, gint64 duration, AnDoubt doubt)
{
  gint64 from = cut (t->device, start), to = cut (t->device, start + duration);
  t->work.n++;
  t->work.busy += uncovered_time (&t->work.covered, from, to);
  t->work.doubt = MAX (t->work.doubt, doubt);
}

/* Work whose launch has not come waits for it, and what follows on its device waits for that.
 * Returns whether the row waits. */
static bool
holds_back (DvRun *run, const DvTrack *t, const struct nprof_batch *batch, uint32_t i,
            const AnNumbers *work, const AnLaunch **launch)
{
  guint64 id = work && work->known & AN_KNOWS_CORRELATION ? work->correlation : 0;
  if (id)
    *launch = an_launches_find (&run->launches, t->place->input, id, batch->start[i]);
  if ((!id || *launch) && !an_held_holds (&run->held, t->place->device))
    return false;
  an_held_add (&run->held, t->place->device, batch, i, id, *launch);
  return true;
}

/* waited: it was held, and `launch` is all that is known of its launch. */
static void
device_row (DvRun *run, DvTrack *t, const AnBatchTraits *traits, const struct nprof_batch *batch,
            uint32_t i, const AnLaunch *launch, bool waited)
{
  const AnRole role = (AnRole) traits->of[i].role;
  AnClass class = AN_AROUND;
  const AnNumbers *row = NULL;
  if (role == AN_WORK || role == AN_ASYNC) {
    row = an_work_row (&run->work, traits, batch, i);
    class = an_class_of (traits->of[i], row->known & AN_IS_COLLECTIVE);
  }
  if (class == AN_AROUND && role != AN_MODULE && role != AN_WORK && role != AN_UNSURE)
    return;
  if (!waited
      && holds_back (run, t, batch, i, class != AN_AROUND && batch->duration[i] > 0 ? row : NULL,
                     &launch))
    return;
  if (batch->duration[i] < 0) {
    run->unclosed++;
    return;
  }
  if (!t->device)
    begin (run, t);
  for (Device *d = t->device; d; d = d->whole)
    if (dv_losses_wait (d))
      dv_losses_pass (d, batch->start[i], batch->duration[i]);
  if (role == AN_UNSURE) {
    AnDoubt doubt = an_doubt ((Meaning) traits->of[i].says);
    take_unsure (t, batch->start[i], batch->duration[i], doubt);
    mark_unsure (t->device, batch->start[i], batch->duration[i], doubt);
    return;
  }
  if (class == AN_AROUND) {
    around (t->device, batch->start[i], batch->duration[i], an_work_crosses (&run->work, batch, i));
    return;
  }
  if (batch->duration[i] == 0) {
    t->work.n++;
    take_squeezed (t->device, batch->start[i], row, role == AN_ASYNC);
    return;
  }
  take_work (t, batch, i, row, traits->of[i], class, launch);
}

/* Of hidden rows the starts of programs count, because they decide the cause of gaps, and whether
 * there was work outside of the window. */
static void
hidden_row (DvRun *run, DvTrack *t, AnTraits traits, const struct nprof_batch *batch, uint32_t i)
{
  if (traits.role == AN_WORK && batch->duration[i] >= 0)
    t->elsewhere |= !nprof_touches (&run->work.window, batch->start[i],
                                    batch->start[i] + batch->duration[i]);
  Device *d = an_of_track (run->by_track, t->place->device);
  for (; d && traits.role == AN_MODULE; d = d->whole)
    an_idle_program (&d->gaps.programs, batch->start[i],
                     batch->duration[i] < 0 ? G_MAXINT64 : batch->start[i] + batch->duration[i]);
}

/* Returns the row's own launch; 0: most rows of a host have none. */
static guint64
launch_of (const DvRun *run, const struct nprof_batch *batch, uint32_t i)
{
  return an_row_launch (batch, i, run->launch_keys, 0).correlation;
}

/* -- Rows ------------------------------------------------------------------------------------ */

static void
span_row (DvRun *run, const AnBatchTraits *traits, const struct nprof_batch *batch, uint32_t i)
{
  DvTrack *t = track_of (run, batch->track[i]);
  guint64 id;
  if (t->place->device) {
    an_launches_follow (&run->launches);
    if (!nprof_hidden (batch, i))
      device_row (run, t, traits, batch, i, NULL, false);
    else if (an_held_holds (&run->held, t->place->device))
      an_held_add (&run->held, t->place->device, batch, i, 0, NULL);
    else
      hidden_row (run, t, traits->of[i], batch, i);
  } else if (traits->of[i].own & AN_OWN_LAUNCH && (id = launch_of (run, batch, i))) {
    const AnLaunch launch = { .id = id,
                              .start = batch->start[i],
                              .end = batch->start[i] + MAX (batch->duration[i], 0),
                              .thread = batch->track[i],
                              .input = t->place->input };
    an_launches_add (&run->launches, &launch);
    an_held_launch (&run->held, &launch);
  }
}

static void
take_row (DvRun *run, const AnBatchTraits *traits, const struct nprof_batch *batch, uint32_t i)
{
  if (batch->kind[i] == NPROF_SPAN) {
    span_row (run, traits, batch, i);
    return;
  }
  if (nprof_hidden (batch, i))
    return;
  switch (batch->kind[i]) {
  case NPROF_INSTANT:
    if (batch->name[i] == run->name_memory)
      dv_memory_row (run, batch, i);
    break;
  case NPROF_GAP: {
    nprof_track device = an_place (run->places, batch->track[i])->device;
    if (device && an_held_holds (&run->held, device))
      an_held_add (&run->held, device, batch, i, 0, NULL);
    else
      dv_losses_row (run, batch, i);
    break;
  }
  default:
    break;
  }
}

void
dv_held (gpointer user, const struct nprof_batch *row, const AnLaunch *launch)
{
  DvRun *run = user;
  DvTrack *t = track_of (run, row->track[0]);
  const AnBatchTraits *traits = an_traits_of_other (&run->traits, row);
  if (row->kind[0] == NPROF_GAP)
    dv_losses_row (run, row, 0);
  else if (nprof_hidden (row, 0))
    hidden_row (run, t, traits->of[0], row, 0);
  else
    device_row (run, t, traits, row, 0, launch, true);
}

nprof_status
dv_rows (DvRun *run, const struct nprof_batch *batch)
{
  nprof_status status = run->n_bins ? NPROF_OK : dv_bins_choose (run);
  if (status != NPROF_OK)
    return status;
  const AnBatchTraits *traits = an_traits_of (&run->traits, batch);
  batch = traits->rows;
  for (uint32_t i = 0; i < batch->n_rows; i++) {
    an_work_soon (traits, batch, i + AN_WORK_AHEAD);
    take_row (run, traits, batch, i);
  }
  return NPROF_OK;
}

static bool
is_needed (const DvRun *run, const struct nprof_batch *batch, uint32_t i)
{
  if (batch->kind[i] == NPROF_SPAN)
    return launch_of (run, batch, i) != 0;
  return batch->kind[i] == NPROF_INSTANT || batch->kind[i] == NPROF_GAP;
}

/* Returns whether a row may be needed that is no work; in most batches none is. */
static bool
may_need (const DvRun *run, const struct nprof_batch *batch)
{
  return memchr (batch->kind, NPROF_INSTANT, batch->n_rows)
         || memchr (batch->kind, NPROF_GAP, batch->n_rows)
         || an_any_has_launch (batch, run->launch_keys);
}

void
dv_choose (DvRun *run, const struct nprof_batch *batch, uint8_t *rows)
{
  const guint what = AN_CHOOSE_WORK | AN_CHOOSE_ASYNC | AN_CHOOSE_AROUND;
  an_choose (run->places, what, batch, rows);
  if (!may_need (run, batch))
    return;
  for (uint32_t i = 0; i < batch->n_rows; i++) {
    if (rows[i >> 3] == 0xff)
      i |= 7;
    else if (is_needed (run, batch, i))
      an_choose_row (rows, i);
  }
}
