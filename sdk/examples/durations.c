/* SPDX-License-Identifier: Apache-2.0 */
/* durations.c - analyzer: how long the spans of each track take, by nprof/percentile.h; rows come
 * track by track, so one track is all there is to keep. */
#include <nprof/percentile.h>
#include <nprof/table-analyzer.h>

#define DURATIONS(COLUMN)                                                                          \
  COLUMN (KEY, track, "label of the track")                                                        \
  COLUMN (COUNT, spans, "those that have an end")                                                  \
  COLUMN (PS, p50, "half of them take longer")                                                     \
  COLUMN (PS, p99, "one of a hundred takes longer")                                                \
  COLUMN (PS, total, "all of them together")
NPROF_OWN_TABLE (durations, "acme.durations", "Durations of spans", NULL, DURATIONS)

struct durations {
  const struct nprof_host *host;
  nprof_track track;
  struct nprof_values values;
};

/* Adds the row of the track, if it had spans; the next one begins with none. */
static nprof_status
durations_finish (void *self)
{
  struct durations *d = self;
  int64_t total;
  if (!d->values.n)
    return NPROF_OK;
  const bool fits = nprof_values_sum (&d->values, &total);
  const struct durations_row row = { nprof_some_track (d->host, d->track),
                                     nprof_some_int ((int64_t) d->values.n),
                                     nprof_some_int (nprof_values_percentile (&d->values, 500)),
                                     nprof_some_int (nprof_values_percentile (&d->values, 990)),
                                     nprof_int_if (fits, total) };
  d->values.n = 0;
  return durations_add (d->host, d->track, &row);
}

static nprof_status
durations_consume (void *self, const struct nprof_batch *b)
{
  struct durations *d = self;
  nprof_status status = NPROF_OK;
  for (uint32_t i = 0; !status && i < b->n_rows; i++) {
    if (b->track[i] != d->track)
      status = durations_finish (d);
    d->track = b->track[i];
    if (!status && b->kind[i] == NPROF_SPAN && b->duration[i] >= 0
        && !nprof_values_add (&d->values, b->duration[i]))
      status = nprof_fail (d->host, NPROF_E_NOMEM, "no memory for durations");
  }
  return status;
}

static void
durations_close (void *self)
{
  nprof_values_clear (&((struct durations *) self)->values);
}

static const struct nprof_component durations = {
  NPROF_TABLE_ANALYZER (durations, struct durations),
  .name = "acme.durations",
  .summary = "how long the spans of each track take",
  .order = NPROF_ORDER_TRACK,
  .consume = durations_consume,
  .finish = durations_finish,
  .close = durations_close,
};

NPROF_PLUGIN ("durations", "1.0", "Apache-2.0", &durations)
