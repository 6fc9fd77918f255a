/* SPDX-License-Identifier: Apache-2.0 */
/* batch-sum.c - sums up a batch. Most have rows of one track, no facts, and ends far from what 64
 * bits hold, so these are looked for first; the plain way, for all others, is what tests hold them
 * against. */

#include "rows/batch-sum.h"

#include <string.h>

#define FAR (INT64_C (1) << 62)

/* -- Times ----------------------------------------------------------------- */

/* Adds a row.  The end of a span that never ended is its start. */
static void
add_time (NpTimes *times, gint64 start, gint64 duration)
{
  gint64 end;
  times->unclosed += duration < 0;
  if (__builtin_add_overflow (start, MAX (duration, 0), &end))
    end = INT64_MAX;
  times->first = MIN (times->first, start);
  times->last = MAX (times->last, end);
}

static NpTimes
plain_times (const struct nprof_batch *batch)
{
  NpTimes times = { INT64_MAX, INT64_MIN, 0 };
  for (guint i = 0; i < batch->n_rows; i++)
    if (batch->kind[i] != NPROF_FACT
        && batch->kind[i] != NPROF_GAP) /* a gap may not know its time */
      add_time (&times, batch->start[i], batch->duration[i]);
  return times;
}

static gboolean
has_kind (const struct nprof_batch *batch, guint8 kind)
{
  return memchr (batch->kind, kind, batch->n_rows) != NULL;
}

/* FALSE: some span has no end, or ends too late to add without care. */
static gboolean
quick_times (const struct nprof_batch *batch, NpTimes *times)
{
  const gint64 *start = batch->start, *duration = batch->duration;
  gint64 first = INT64_MAX, latest = INT64_MIN, last = INT64_MIN, all = 0;
  for (guint i = 0, n = batch->n_rows; i < n; i++) {
    gint64 end = (gint64) ((guint64) start[i] + (guint64) duration[i]);
    all |= duration[i];
    first = MIN (first, start[i]);
    latest = MAX (latest, start[i]);
    last = MAX (last, end);
  }
  *times = (NpTimes){ first, last, 0 };
  return all >= 0 && all < FAR && latest < FAR;
}

NpTimes
np_times_of (const struct nprof_batch *batch)
{
  NpTimes times;
  if (!has_kind (batch, NPROF_FACT) && !has_kind (batch, NPROF_GAP) && quick_times (batch, &times))
    return times;
  return plain_times (batch);
}

/* -- Tracks ---------------------------------------------------------------- */

static gboolean
is_one_track (const struct nprof_batch *batch)
{
  const nprof_track *track = batch->track;
  return memcmp (track, track + 1, (batch->n_rows - 1) * sizeof *track) == 0;
}

/* Counts rows by track. Handles follow each other, so few share a place; those that do are too
 * many. */
static void
count_tracks (NpBatchSum *sum, const struct nprof_batch *batch)
{
  guint8 place[256] = { 0 }; /* 1 + the place in sum->tracks of such a handle; 0: none yet */
  guint n = 0;
  for (guint i = 0; i < batch->n_rows; i++) {
    nprof_track track = batch->track[i];
    guint8 *at = &place[track % G_N_ELEMENTS (place)];
    if (!*at) {
      if (n == NP_SUM_TRACKS)
        return;
      sum->tracks[n] = (NpTrackRows){ track, 0 };
      *at = (guint8) ++n;
    }
    if (sum->tracks[*at - 1].track != track)
      return;
    sum->tracks[*at - 1].n++;
  }
  sum->n_tracks = n;
}

void
np_batch_sum (NpBatchSum *sum, const struct nprof_batch *batch)
{
  sum->known = TRUE;
  sum->any_facts = has_kind (batch, NPROF_FACT);
  sum->times = np_times_of (batch);
  sum->n_tracks = 0;
  if (is_one_track (batch)) {
    sum->tracks[0] = (NpTrackRows){ batch->track[0], batch->n_rows };
    sum->n_tracks = 1;
  } else
    count_tracks (sum, batch);
}
