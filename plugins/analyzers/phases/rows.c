/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - finds steps, and the phase of each piece of work: by the device's own annotation that it
 * begins in, and by the host's that its launch begins in. */
#include "devicekit/by-track.h"
#include "devicekit/bytes.h"
#include "devicekit/row-launch.h"
#include "phases.h"

void
ph_device_free (gpointer device)
{
  Device *d = device;
  g_array_unref (d->steps);
  g_array_unref (d->waiting);
  g_array_unref (d->work);
  g_array_unref (d->begun);
  g_array_unref (d->launched);
  g_free (d);
}

static guint64
correlation_of (const Phases *p, const struct nprof_batch *batch, uint32_t i)
{
  return an_row_launch (batch, i, p->launch_keys, 0).correlation;
}

void
ph_choose (Phases *p, const struct nprof_batch *batch, uint8_t *rows)
{
  an_choose (p->places, AN_CHOOSE_WORK, batch, rows);
  for (uint32_t i = 0; i < batch->n_rows; i++) {
    if (batch->kind[i] != NPROF_SPAN || an_is_chosen (rows, i))
      continue;
    bool step = an_names_server_step (p->known, p->host, batch->name[i]);
    if (step || correlation_of (p, batch, i))
      an_choose_row (rows, i);
  }
}

static Device *
device_of (Phases *p, const AnPlace *place)
{
  Device *d = an_of_track (p->by_track, place->device);
  if (d)
    return d;
  d = g_new0 (Device, 1);
  d->track = place->device;
  d->label = place->label;
  d->input = place->input;
  d->steps = g_array_new (FALSE, FALSE, sizeof (AnServerStep));
  d->waiting = g_array_new (FALSE, FALSE, sizeof (Work));
  d->work = g_array_new (FALSE, FALSE, sizeof (Work));
  d->begun = g_array_new (FALSE, TRUE, sizeof (Done));
  d->launched = g_array_new (FALSE, TRUE, sizeof (Done));
  g_ptr_array_add (p->devices, d);
  an_put_of_track (p->by_track, d->track, d);
  return d;
}

/* -- Steps ------------------------------------------------------------------------------------- */

static Phase
phase_of (const GArray *steps, gint number)
{
  return number < 0 ? PHASE_NONE : g_array_index (steps, AnServerStep, number).said.phase;
}

/* -- Rows -------------------------------------------------------------------------------------- */

static void
add_work (const Phases *p, Busy *busy, const Work *w)
{
  if (!w->shown)
    return;
  gint64 start = nprof_cut (&p->clip, w->start), end = nprof_cut (&p->clip, w->end),
         from = busy->kernels++ ? MAX (start, busy->covered) : start;
  busy->busy += MAX (0, end - from);
  busy->covered = busy->kernels > 1 ? MAX (end, busy->covered) : end;
  busy->work += end - start;
  busy->replayed += w->replayed ? end - start : 0;
}

static void
extend (Reach *reach, const Work *w)
{
  reach->first = reach->any ? MIN (reach->first, w->start) : w->start;
  reach->last = reach->any ? MAX (reach->last, w->end) : w->end;
  reach->any = true;
}

static void
note_done (const Phases *p, GArray *done, gint step, const Work *w)
{
  if (step < 0)
    return;
  if ((guint) step >= done->len)
    g_array_set_size (done, (guint) step + 1);
  Done *of = &g_array_index (done, Done, step);
  extend (&of->all, w);
  if (w->lasting)
    extend (&of->lasting, w);
  add_work (p, &of->busy, w);
  of->shown |= w->shown;
}

/* Takes work with its launch, which may come behind it, because clocks of hosts and devices
 * differ. */
static void
take_launched (Phases *p, Device *d, const Work *w)
{
  const GArray *steps = an_server_steps_find (p->host_steps, d->input);
  const AnListedLaunch *launch
      = steps ? an_launch_list_find (&p->launches, d->input, w->correlation, w->start) : NULL;
  gint step = launch ? an_server_steps_at (steps, launch->start) : -1;
  note_done (p, d->launched, step, w);
  add_work (p, &d->by_launch[phase_of (steps, step)], w);
}

static void
pass_time (const Phases *p, Device *d, gint64 at)
{
  if (!d->waiting->len || g_array_index (d->waiting, Work, 0).start == at)
    return;
  for (guint i = 0; i < d->waiting->len; i++) {
    const Work *w = &g_array_index (d->waiting, Work, i);
    const gint step = an_server_steps_at (d->steps, w->start);
    note_done (p, d->begun, step, w);
    add_work (p, &d->by_start[phase_of (d->steps, step)], w);
  }
  g_array_set_size (d->waiting, 0);
}

static void
work_row (Phases *p, Device *d, AnTraits traits, const struct nprof_batch *batch, uint32_t i)
{
  const AnRowLaunch said = an_row_launch (batch, i, p->launch_keys, p->collective);
  const AnClass class = an_class_of (traits, said.collective);
  const Work w = { .start = batch->start[i],
                   .end = batch->start[i] + MAX (batch->duration[i], 0),
                   .correlation = said.correlation,
                   .shown = !nprof_hidden (batch, i),
                   .lasting = class == AN_COMPUTE || class == AN_COMMUNICATION,
                   .replayed = batch->attr_at && an_has_key (batch, i, p->key_replay) };
  p->graphs |= w.replayed;
  g_array_append_val (d->waiting, w);
  g_array_append_val (d->work, w);
}

void
ph_end (Phases *p)
{
  for (guint i = 0; i < p->devices->len; i++) {
    Device *d = g_ptr_array_index (p->devices, i);
    pass_time (p, d, G_MAXINT64);
    for (guint k = 0; k < d->work->len; k++)
      take_launched (p, d, &g_array_index (d->work, Work, k));
  }
}

static void
host_row (Phases *p, const struct nprof_batch *batch, uint32_t i, const AnServerStep *step)
{
  if (step) {
    an_server_steps_add (an_server_steps_of (p->host_steps, batch->input), step);
    return;
  }
  guint64 correlation = correlation_of (p, batch, i);
  const AnListedLaunch launch
      = { .id = correlation, .start = batch->start[i], .input = batch->input };
  if (correlation)
    an_launch_list_add (&p->launches, &launch);
}

static void
span_row (Phases *p, AnTraits traits, const struct nprof_batch *batch, uint32_t i)
{
  const AnPlace *place = an_place (p->places, batch->track[i]);
  AnServerStep step = { .name = batch->name[i],
                        .start = batch->start[i],
                        .end = batch->start[i] + MAX (batch->duration[i], 0),
                        .shown = !nprof_hidden (batch, i) };
  bool is_step
      = batch->duration[i] >= 0 && an_names_server_step (p->known, p->host, batch->name[i]);
  if (is_step)
    step.said = inference_said (nprof_text (p->host, batch->name[i]));
  if (!place->device) {
    host_row (p, batch, i, is_step ? &step : NULL);
    return;
  }
  pass_time (p, device_of (p, place), batch->start[i]);
  if (is_step)
    an_server_steps_add (device_of (p, place)->steps, &step);
  else if (traits.role == AN_WORK)
    work_row (p, device_of (p, place), traits, batch, i);
}

void
ph_rows (Phases *p, const struct nprof_batch *batch)
{
  const AnBatchTraits *traits = an_traits_of (&p->traits, batch);
  p->steps |= (traits->has & AN_HAS_SERVER_STEPS) != 0;
  if (!p->steps)
    return;
  batch = traits->rows;
  for (uint32_t i = 0; i < batch->n_rows; i++)
    if (batch->kind[i] == NPROF_SPAN)
      span_row (p, traits->of[i], batch, i);
}
