/* SPDX-License-Identifier: Apache-2.0 */
/* losses.c - which devices a loss of rows is about: those of its track, above it and below it.  What
 * it makes of their idle time is left to gaps.c. */
#include "device.h"

static gboolean
above (const struct nprof_host *host, nprof_track upper, nprof_track track)
{
  while (track && track != upper)
    track = host->track_info (host, track)->parent;
  return track == upper;
}

static gboolean
is_about (const Device *d, nprof_track track)
{
  const struct nprof_host *host = d->run->host;
  return above (host, track, d->track) || above (host, d->track, track);
}

void
dv_losses_row (DvRun *run, const struct nprof_batch *batch, uint32_t i)
{
  gint64 duration = batch->duration[i];
  DvLoss loss = { .track = batch->track[i],
                  .until = duration < 0 ? G_MAXINT64 : batch->start[i] + duration };
  g_array_append_val (run->losses, loss);
  for (guint k = 0; k < run->devices->len; k++) {
    Device *d = g_ptr_array_index (run->devices, k);
    if (!is_about (d, loss.track))
      continue;
    an_line_pass (d->line, batch->start[i]);
    dv_gaps_lost (d, loss.until);
  }
}

void
dv_losses_before (Device *d)
{
  for (guint k = 0; k < d->run->losses->len; k++) {
    const DvLoss *loss = &g_array_index (d->run->losses, DvLoss, k);
    if (is_about (d, loss->track))
      dv_gaps_lost (d, loss->until);
  }
}
