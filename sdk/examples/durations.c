/* SPDX-License-Identifier: Apache-2.0 */
/* durations.c - analyzer: how long the spans of each track take, by nprof/percentile.h; rows come
 * track by track, so one track is all there is to keep. */
#include <nprof/percentile.h>
#include <nprof/table.h>

#define DURATIONS(COLUMN)                                                                          \
  COLUMN (KEY, track, "label of the track")                                                        \
  COLUMN (COUNT, spans, "those that have an end")                                                  \
  COLUMN (PS, p50, "half of them take longer")                                                     \
  COLUMN (PS, p99, "one of a hundred takes longer")                                                \
  COLUMN (PS, total, "all of them together")
NPROF_TABLE_ROW (durations, DURATIONS)
NPROF_TABLE_OF (durations, "acme.durations", "Durations of spans", NULL, DURATIONS)

struct durations {
  const struct nprof_host *host;
  nprof_track track;
  struct nprof_values values;
};

static nprof_status
durations_open (void *self, const struct nprof_host *host)
{
  ((struct durations *) self)->host = host;
  return host->table (host, &durations_table);
}

static nprof_status
end_track (struct durations *d)
{
  const struct nprof_host *h = d->host;
  if (!d->values.n)
    return NPROF_OK;
  const struct nprof_track_info *track = h->track_info (h, d->track);
  const struct nprof_cell input = nprof_cell_str (h->input (h, track->input)->label);
  int64_t total;
  const bool fits = nprof_values_sum (&d->values, &total);
  const struct durations_row row = {
    nprof_some_str (nprof_track_label (track)),
    nprof_some_int ((int64_t) d->values.n),
    nprof_some_int (nprof_values_percentile (&d->values, 500)),
    nprof_some_int (nprof_values_percentile (&d->values, 990)),
    nprof_int_if (fits, fits ? total : 0),
  };
  d->values.n = 0;
  return h->row (h, &durations_table, durations_cells (input, &row).cells);
}

static nprof_status
durations_consume (void *self, const struct nprof_batch *b)
{
  struct durations *d = self;
  nprof_status status = NPROF_OK;
  for (uint32_t i = 0; !status && i < b->n_rows; i++) {
    if (b->track[i] != d->track)
      status = end_track (d);
    d->track = b->track[i];
    if (!status && b->kind[i] == NPROF_SPAN && b->duration[i] >= 0
        && !nprof_values_add (&d->values, b->duration[i]))
      status = nprof_fail (d->host, NPROF_E_NOMEM, "no memory for durations");
  }
  return status;
}

static nprof_status
durations_finish (void *self)
{
  return end_track (self);
}

static void
durations_close (void *self)
{
  nprof_values_clear (&((struct durations *) self)->values);
}

static const struct nprof_component durations = {
  .size = sizeof durations,
  .kind = NPROF_ANALYZER,
  .name = "acme.durations",
  .summary = "how long the spans of each track take",
  .tables = (const struct nprof_table *const[]){ &durations_table, NULL },
  .order = NPROF_ORDER_TRACK,
  .flags = NPROF_ANALYZER_NO_LINKS | NPROF_ANALYZER_NO_ROWS,
  .instance_size = sizeof (struct durations),
  .open = durations_open,
  .consume = durations_consume,
  .finish = durations_finish,
  .close = durations_close,
};

NPROF_PLUGIN ("durations", "1.0", "Apache-2.0", &durations)
