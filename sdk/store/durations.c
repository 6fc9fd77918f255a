/* SPDX-License-Identifier: Apache-2.0 */
/* durations.c - the durations of one name, and where a span stands among them. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct durations {
  struct nprof_query *query;
  const uint64_t *labels;
  uint64_t n_labels;
  int64_t t0, t1, limit;
  int64_t *values; /* NULL: only counted */
  uint64_t n, below;
};

static int
take_block (void *user, struct np_cursor *c, const struct np_place *p, uint32_t first)
{
  struct durations *d = user;
  (void) c;
  (void) first;
  for (uint32_t i = 0; i < p->block->n; i++) {
    uint64_t label = (uint64_t) np_value (p, NPROF_STORE_C_LABEL, i);
    int64_t start = np_value (p, NPROF_STORE_C_START, i),
            duration = np_value (p, NPROF_STORE_C_DURATION, i);
    if (label >= d->n_labels || !(d->labels[label / 64] >> (label % 64) & 1) || start > d->t1
        || np_end (start, duration) < d->t0)
      continue;
    if (d->values) {
      d->values = np_query_memory (d->query, NP_MEM_DURATIONS, d->n + 1, sizeof *d->values);
      if (!d->values)
        return -1;
      d->values[d->n] = duration;
    }
    d->n++;
    d->below += duration < d->limit;
  }
  return 0;
}

/* Marks the lanes of spans with an end, of these tracks and this origin (UINT32_MAX: any). */
static uint8_t *
span_lanes (struct nprof_query *query, const uint32_t *tracks, uint32_t n_tracks, uint32_t origin)
{
  uint64_t n = nprof_store_n (query->store, NPROF_STORE_S_LANES);
  uint8_t *lanes = np_query_memory (query, NP_MEM_LABELS, n, 1);
  if (!lanes)
    return NULL;
  memset (lanes, 0, n);
  uint32_t all
      = n_tracks ? n_tracks : (uint32_t) nprof_store_n (query->store, NPROF_STORE_S_TRACKS);
  for (uint32_t k = 0; k < all; k++) {
    const struct nprof_store_track *t
        = nprof_store_track_at (query->store, n_tracks ? tracks[k] : k);
    for (uint64_t i = 0; t && i < t->n_lanes; i++) {
      const struct nprof_store_lane *lane
          = nprof_store_lane_at (query->store, (uint32_t) (t->lane + i));
      lanes[t->lane + i] = lane && lane->type == NPROF_STORE_LANE_SPAN
                           && (origin == UINT32_MAX || lane->origin == origin);
    }
  }
  return lanes;
}

static bool
gather (struct durations *d, const uint32_t *labels, uint32_t n_labels, const uint32_t *tracks,
        uint32_t n_tracks, uint32_t origin)
{
  d->n_labels = nprof_store_n (d->query->store, NPROF_STORE_S_LABELS);
  uint64_t *bits = np_query_memory (d->query, NP_MEM_STARTS, d->n_labels / 64 + 1, sizeof *bits);
  uint8_t *lanes = span_lanes (d->query, tracks, n_tracks, origin);
  if (!bits || !lanes)
    return false;
  memset (bits, 0, (d->n_labels / 64 + 1) * sizeof *bits);
  for (uint32_t k = 0; k < n_labels; k++)
    if (labels[k] < d->n_labels)
      bits[labels[k] / 64] |= 1ull << (labels[k] % 64);
  d->labels = bits;
  struct np_scan scan = { .labels = bits, .lanes = lanes, .fn = take_block, .user = d };
  return np_scan (d->query, &scan);
}

static int
by_value (const void *a, const void *b)
{
  const int64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

bool
nprof_store_durations (struct nprof_query *query, const uint32_t *labels, uint32_t n_labels,
                       const uint32_t *tracks, uint32_t n_tracks, int64_t t0, int64_t t1,
                       const int64_t **durations, uint64_t *n)
{
  struct durations d = { .query = query, .t0 = t0, .t1 = t1 };
  *query->error = 0;
  *n = 0;
  d.values = np_query_memory (query, NP_MEM_DURATIONS, 1, sizeof *d.values);
  if (!d.values || !gather (&d, labels, n_labels, tracks, n_tracks, UINT32_MAX))
    return false;
  if (d.n)
    qsort (d.values, d.n, sizeof *d.values, by_value);
  *durations = d.values;
  *n = d.n;
  return true;
}

/* All labels of its name count, because a category does not tell operators apart.  Rows that
 * analyzers derived repeat those of the decoders, so only rows of its own origin count. */
bool
nprof_store_rank (struct nprof_query *query, const struct nprof_event *event, uint64_t *below,
                  uint64_t *count)
{
  struct durations d
      = { .query = query, .t0 = INT64_MIN, .t1 = INT64_MAX, .limit = event->duration };
  const struct nprof_store_label *own = nprof_store_label_at (query->store, event->label);
  const struct nprof_store_lane *lane = nprof_store_lane_at (query->store, event->row.lane);
  uint64_t all = nprof_store_n (query->store, NPROF_STORE_S_LABELS);
  uint32_t n = 0;
  *query->error = 0;
  *below = *count = 0;
  if (event->type != NPROF_STORE_LANE_SPAN || !own || !lane)
    return false;
  uint32_t *labels = np_query_memory (query, NP_MEM_TOUCHED, all, sizeof *labels);
  for (uint32_t k = 0; labels && k < all; k++) {
    const struct nprof_store_label *label = nprof_store_label_at (query->store, k);
    if (label && label->name == own->name)
      labels[n++] = k;
  }
  if (!labels || !gather (&d, labels, n, NULL, 0, lane->origin))
    return false;
  *below = d.below;
  *count = d.n;
  return true;
}
