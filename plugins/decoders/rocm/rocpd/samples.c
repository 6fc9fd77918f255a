/* SPDX-License-Identifier: Apache-2.0 */
/* samples.c - reads counters: those of a dispatch, whose dimensions are added up, become
 * attributes of its row, and those of a sample a counter of the GPU; and moments, which have no
 * duration. */
#include "rocpd.h"

/* -- Counters by event ------------------------------------------------------------------------- */

typedef struct {
  int event, pmc, value, sample;
} CountAt;

static void
lay_out_counts (RpGuid *g, DbRows *rows, gpointer data)
{
  (void) g;
  *(CountAt *) data = (CountAt){ .event = db_column (rows, "event_id"),
                                 .pmc = db_column (rows, "pmc_id"),
                                 .value = db_column (rows, "value"),
                                 .sample = db_column (rows, "sample_id") };
}

static nprof_status
take_count (RpGuid *g, DbRows *rows, gpointer data)
{
  const CountAt *at = data;
  const struct nprof_host *host = g->self->rocm.host;
  RocmCount count = { 0 };
  gint64 sample;
  if (db_int (rows, at->sample, &sample)) {
    host->skip (host, "row of rocpd_pmc_event", 0, "a sample within a kernel, no total");
    return NPROF_OK;
  }
  if (!db_int (rows, at->event, &count.of) || !db_int (rows, at->pmc, &count.counter)
      || at->value < 0 || sqlite3_column_type (rows->stmt, at->value) == SQLITE_NULL)
    return db_damaged (rows, "event_id, pmc_id or value is no number");
  count.value = sqlite3_column_double (rows->stmt, at->value);
  rocm_counts_take (&g->counts, count);
  return NPROF_OK;
}

nprof_status
rp_counts_load (RpGuid *g)
{
  CountAt at;
  nprof_status status = rp_each (g, "pmc_event", false, lay_out_counts, take_count, &at);
  rocm_counts_add_up (&g->counts);
  return status;
}

static nprof_status
add_count (RpGuid *g, const RocmCount *count)
{
  const Rocm *rocm = &g->self->rocm;
  const RpPmc *pmc = ids_find (&g->pmcs, count->counter);
  if (!pmc) {
    rocm->host->skip (rocm->host, "row of rocpd_pmc_event", 0, "its counter has no name");
    return NPROF_OK;
  }
  return pmc->wanted ? nprof_attr_double (rocm->w, pmc->name, count->value) : NPROF_OK;
}

nprof_status
rp_counts_take (RpGuid *g, gint64 event, bool begun)
{
  guint n;
  nprof_status status = NPROF_OK;
  const RocmCount *counts = rocm_counts_of (&g->counts, event, &n);
  for (guint i = 0; i < n && begun && !status; i++)
    status = add_count (g, &counts[i]);
  return status;
}

/* -- Samples ----------------------------------------------------------------------------------- */

typedef struct {
  RpPlaceAt place;
  int name;
} SampleAt;

static void
lay_out_samples (RpGuid *g, DbRows *rows, gpointer data)
{
  SampleAt *at = data;
  (void) g;
  rp_lay_out_place (rows, &at->place);
  at->place.start = at->place.end = db_column (rows, "timestamp");
  at->place.start_id = at->place.end_id = db_column (rows, "timestamp_id");
  at->name = db_column (rows, "name_id");
}

static nprof_status
write_count (RpGuid *g, const RpPlace *place, const RocmCount *count)
{
  const RpPmc *pmc = ids_find (&g->pmcs, count->counter);
  const struct nprof_host *host = g->self->rocm.host;
  if (!pmc) {
    host->skip (host, "row of rocpd_pmc_event", 0, "its counter has no name");
    return NPROF_OK;
  }
  return rocm_counter (place->process, rocm_agent_of (place->process, (guint64) pmc->agent),
                       pmc->name, pmc->unit, place->span.start, count->value);
}

static nprof_status
take_sample (RpGuid *g, DbRows *rows, gpointer data)
{
  static const char what[] = "row of rocpd_sample";
  const SampleAt *at = data;
  const struct nprof_host *host = g->self->rocm.host;
  RpPlace place;
  nprof_status status;
  guint n = 0;
  if (!rp_place (g, rows, &at->place, what, &place, &status))
    return status;
  const RocmCount *counts = place.event ? rocm_counts_of (&g->counts, place.event->id, &n) : NULL;
  for (guint i = 0; i < n && !status; i++)
    status = write_count (g, &place, &counts[i]);
  if (n || status)
    return status;
  const nprof_str kind = place.event ? place.event->category : 0;
  const bool marks = kind && rocm_is_marker (nprof_text (host, kind));
  const gint64 own = rp_number (rows, at->name);
  const nprof_str name
      = rp_text (&g->strings, own == ROCM_UNKNOWN && !marks ? place.where.name : own);
  if (marks)
    return rocm_mark (place.process, &(RocmMark){ .span = place.span,
                                                  .tid = place.where.tid,
                                                  .text = place.event->message,
                                                  .call = name ? nprof_text (host, name) : NULL });
  return rocm_call (place.process, &(RocmCall){ .span = place.span,
                                                .tid = place.where.tid,
                                                .name = name ? name : nprof_intern (host, "sample"),
                                                .category = rp_category (g, kind) });
}

nprof_status
rp_samples (RpGuid *g)
{
  SampleAt at;
  nprof_status status = rp_each (g, "sample", false, lay_out_samples, take_sample, &at);
  if (!status)
    rocm_counts_end (&g->counts, g->self->rocm.host, "row of rocpd_pmc_event",
                     "its event is of no dispatch and no sample");
  return status;
}
