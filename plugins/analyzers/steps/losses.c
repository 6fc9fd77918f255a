/* SPDX-License-Identifier: Apache-2.0 */
/* losses.c - finds the gaps of a device in which rows of it are missing: what it did then is not
 * known. Those of a step before the first work and after the last are among them, which table
 * devices does not have. In a file that was cut off rows of all times may be missing: few writers
 * sort all by time. */
#include "verdict.h"

void
st_loss_row (Steps *self, const struct nprof_batch *batch, uint32_t i)
{
  const gint64 start = batch->start[i], duration = batch->duration[i];
  const bool cut_off = an_is_cut_off (self->host, batch->track[i], duration);
  const Loss loss = { batch->track[i], cut_off ? G_MININT64 : start,
                      duration < 0 ? G_MAXINT64 : start + duration };
  g_array_append_val (self->losses, loss);
}

bool
st_is_cut_off (const Steps *self, guint32 input)
{
  const struct nprof_host *host = self->host;
  for (guint i = 0; i < self->losses->len; i++) {
    const Loss *loss = &g_array_index (self->losses, Loss, i);
    if (loss->end == G_MAXINT64 && host->track_info (host, loss->track)->input == input)
      return true;
  }
  return false;
}

/* Makes a loss that falls into work reach the gaps before and after that: the gaps come by time. */
static void
reach_gaps (const GArray *gaps, Range *lost)
{
  guint low = 0, high = gaps->len;
  while (low < high) { /* to the first gap that ends at the loss or behind it */
    const guint middle = low + (high - low) / 2;
    if (g_array_index (gaps, Range, middle).end < lost->start)
      low = middle + 1;
    else
      high = middle;
  }
  const Range *before = low ? &g_array_index (gaps, Range, low - 1) : NULL;
  const Range *behind = low < gaps->len ? &g_array_index (gaps, Range, low) : NULL;
  if (behind && behind->start <= lost->end)
    return;
  lost->start = before ? before->end : lost->start;
  lost->end = behind ? behind->start : lost->end;
}

static GArray *
gaps_of (Steps *self, Device *d)
{
  GArray *gaps = g_array_new (FALSE, FALSE, sizeof (Range));
  AnSeriesReader reader;
  an_series_read (&reader, &d->gaps, &self->store);
  for (const Gap *gap; (gap = an_series_next (&reader));) {
    const Range range = { gap->start, gap->end };
    g_array_append_val (gaps, range);
  }
  an_series_reader_clear (&reader);
  return gaps;
}

void
st_losses_end (Steps *self, Device *d)
{
  g_autoptr (GArray) gaps = NULL;
  for (guint i = 0; i < self->losses->len; i++) {
    const Loss *loss = &g_array_index (self->losses, Loss, i);
    Range lost = { loss->start, loss->end };
    if (!an_tracks_nest (self->host, loss->track, d->track))
      continue;
    gaps = gaps ? gaps : gaps_of (self, d);
    reach_gaps (gaps, &lost);
    g_array_append_val (d->lost, lost);
  }
  st_unite (d->lost);
}

bool
st_is_lost (const Device *d, const Gap *gap, guint *first)
{
  while (*first < d->lost->len && g_array_index (d->lost, Range, *first).end < gap->start)
    ++*first;
  return *first < d->lost->len && g_array_index (d->lost, Range, *first).start <= gap->end;
}
