/* SPDX-License-Identifier: Apache-2.0 */
/* losses.c - finds the devices that a loss of rows is about: those of its track, above it and below
 * it. gaps.c decides what it makes of their idle time.  A loss that is not told on a track of the
 * device may come before rows that begin earlier: it waits for the first row behind it. */
#include "device.h"

static const DvLoss *
loss_at (const Device *d, guint i)
{
  return &g_array_index (d->losses, DvLoss, i);
}

/* Compares by time: those without an end come last. */
static gboolean
comes_before (gint64 start, gint64 duration, const DvLoss *other)
{
  if (start != other->start)
    return start < other->start;
  return (guint64) duration + 1 > (guint64) other->duration + 1;
}

/* Keeps a loss in order; most are told in that order. */
static void
queue_loss (Device *d, const DvLoss *loss)
{
  guint at = d->losses->len;
  while (at > d->n_passed && comes_before (loss->start, loss->duration, loss_at (d, at - 1)))
    at--;
  g_array_insert_vals (d->losses, at, loss, 1);
}

static void
queue_loss_of (const GPtrArray *devices, const DvLoss *loss)
{
  for (guint k = 0; k < devices->len; k++) {
    Device *d = g_ptr_array_index (devices, k);
    if (an_tracks_nest (d->run->host, loss->track, d->track))
      queue_loss (d, loss);
  }
}

void
dv_losses_row (DvRun *run, const struct nprof_batch *batch, uint32_t i)
{
  const DvLoss loss = { batch->track[i], batch->start[i], batch->duration[i] };
  g_array_append_val (run->losses, loss);
  queue_loss_of (run->devices, &loss);
  queue_loss_of (run->wholes, &loss);
}

void
dv_losses_begin (Device *d)
{
  d->losses = g_array_new (FALSE, FALSE, sizeof (DvLoss));
  for (guint k = 0; k < d->run->losses->len; k++) {
    const DvLoss *loss = &g_array_index (d->run->losses, DvLoss, k);
    if (an_tracks_nest (d->run->host, loss->track, d->track))
      queue_loss (d, loss);
  }
}

static void
pass_next (Device *d)
{
  const DvLoss *loss = loss_at (d, d->n_passed++);
  if (an_is_cut_off (d->run->host, loss->track, loss->duration)) {
    d->gaps.all_lost = TRUE;
    return;
  }
  an_sweep_pass (d->sweep, loss->start);
  dv_gaps_lost (d, loss->duration < 0 ? G_MAXINT64 : loss->start + loss->duration);
}

void
dv_losses_pass (Device *d, gint64 start, gint64 duration)
{
  while (dv_losses_wait (d) && !comes_before (start, duration, loss_at (d, d->n_passed)))
    pass_next (d);
}

void
dv_losses_end (Device *d)
{
  while (dv_losses_wait (d))
    pass_next (d);
}
