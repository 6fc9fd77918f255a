/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - reads updates of semaphores and events, and throttling. format: ntff.md, "Array 1",
 * "Array 5" */
#include "file.h"

#include "../common/tables.h"

/* -- Semaphores and events -------------------------------------------------------------------- */

static nprof_track
source_track (NtffWalk *w, const NtffPart *part, unsigned type)
{
  const struct nprof_host *h = w->n->host;
  NtffGraph *g = ntff_graph (w->f, part->graph);
  if (type >= NTFF_INST && type <= NTFF_INST_LAST)
    return ntff_engine (w, part->graph, (type - NTFF_INST) >> 2);
  if (!g->axi)
    g->axi = h->track (h, g->track, NPROF_TRACK_QUEUE, nprof_intern (h, "AXI"), 0, 10);
  return g->axi;
}

static nprof_str
update_name (NtffWalk *w, nprof_str *names, uint32_t meta)
{
  nprof_str *name = &names[meta & 0x1ff];
  char text[32];
  if (*name)
    return *name;
  g_snprintf (text, sizeof text, "%s %u", meta & 0x100 ? "semaphore" : "event", meta & 0xff);
  return *name = nprof_intern (w->n->host, text);
}

static nprof_status
update (NtffWalk *w, const NtffPart *part, const NtffRecord *r, nprof_str name, int64_t time)
{
  Ntff *n = w->n;
  nprof_track track = source_track (w, part, ntff_type (r));
  nprof_status status = track ? nprof_instant (n->w, track, name, time) : NPROF_E_NOMEM;
  if (status)
    return status;
  nprof_set_category (n->w, r->meta & 0x100 ? n->category_semaphore : n->category_event);
  nprof_set_value (n->w, r->meta2);
  return ntff_attr (n, NTFF_KEY_MODE, r->meta >> 16 & 0xff);
}

/* These are the vendor's counts of a core, as its own tools write them. */
static nprof_status
detail (const NtffWalk *w, nprof_str graph, const char *field, uint64_t number)
{
  const struct nprof_host *h = w->n->host;
  char text[24];
  g_snprintf (text, sizeof text, "%" G_GUINT64_FORMAT, number);
  const struct neuron_details_row row = {
    .section = nprof_any_str (nprof_intern (h, "model_info")),
    .at = nprof_some_uint (w->f->base),
    .field = nprof_any_str (nprof_intern (h, field)),
    .number = nprof_some_double ((double) number),
    .text = nprof_some_text (text),
  };
  (void) graph;
  return h->row (h, &neuron_details_table,
                 neuron_details_cells (nprof_cell_str (w->n->input_label), &row).cells);
}

nprof_status
ntff_events (NtffWalk *w, const NtffPart *part)
{
  NtffGraph *g = ntff_graph (w->f, part->graph);
  g_autofree nprof_str *names = g_new0 (nprof_str, 0x200);
  uint64_t counted = 0;
  nprof_status status = NPROF_OK;
  for (uint64_t k = 0; k < part->n && !status; k++) {
    uint64_t at = part->at + k * NTFF_RECORD;
    NtffRecord r = ntff_record (w->n->data + at);
    int64_t time;
    if (!ntff_time (&g->clocks[NTFF_CLOCK_EVENTS], r.time, &time)) {
      w->errors++;
      continue;
    }
    w->lost += r.meta >> 29 & 3 ? 1 : 0;
    /* When the file states an execution, the vendor counts from there on, else all. */
    counted += !w->f->has_window || time >= w->origin;
    if (time < w->origin)
      w->before++;
    else
      status = update (w, part, &r, update_name (w, names, r.meta), time - w->origin);
  }
  status = status ? status : detail (w, g->name, "event_count", counted);
  return status ? status : detail (w, g->name, "dma_queue_count", g->queues->len);
}

/* -- Throttling -------------------------------------------------------------------------------- */

typedef struct {
  uint32_t k, n, type;
  int64_t start;
} Limit;

enum { UNKNOWN_TYPE = 99 }; /* the vendor's number of a cause that is not known: no limit */

static Limit
limit_of (const NtffRecord *r, int64_t start)
{
  uint32_t n = r->meta >> 16 & 0xff;
  if (n == 0)
    return (Limit){ 1, 1, UNKNOWN_TYPE, start };
  return (Limit){ r->meta2 & 0xff, n, r->meta2 >> 8 & 0xff, start };
}

static nprof_status
limit_row (NtffWalk *w, const NtffPart *part, const Limit *l, int64_t end)
{
  Ntff *n = w->n;
  const struct nprof_host *h = n->host;
  nprof_track track = h->track (h, ntff_graph (w->f, part->graph)->track, NPROF_TRACK_DERIVED,
                                nprof_intern (h, "throttle"), 0, 70);
  char text[48] = "not limited";
  if (l->type != UNKNOWN_TYPE)
    g_snprintf (text, sizeof text, "limited to %u/%u", l->k, l->n);
  nprof_status status
      = track ? nprof_span (n->w, track, nprof_intern (h, text), l->start, MAX (0, end - l->start))
              : NPROF_E_NOMEM;
  if (status)
    return status;
  nprof_set_category (n->w, l->k == l->n ? nprof_intern (h, "unlimited") : n->category_throttle);
  status = ntff_attr (n, NTFF_KEY_LIMIT_K, l->k);
  status = status ? status : ntff_attr (n, NTFF_KEY_LIMIT_N, l->n);
  return status ? status : ntff_attr (n, NTFF_KEY_LIMIT_TYPE, l->type);
}

/* Writes throttling; each lasts until the next, the last until the last instruction ends. */
nprof_status
ntff_throttle (NtffWalk *w, const NtffPart *part)
{
  const NtffClock *clock = &ntff_graph (w->f, part->graph)->clocks[NTFF_CLOCK_THROTTLE];
  Limit open = { 0 };
  bool has_open = false;
  nprof_status status = NPROF_OK;
  for (uint64_t k = 0; k < part->n && !status; k++) {
    NtffRecord r = ntff_record (w->n->data + part->at + k * NTFF_RECORD);
    int64_t time;
    if (!ntff_time (clock, r.time, &time)) {
      w->errors++;
      continue;
    }
    Limit next = limit_of (&r, time - w->origin);
    if (has_open && next.start >= open.start)
      status = limit_row (w, part, &open, next.start);
    open = next;
    has_open = true;
  }
  return status || !has_open ? status : limit_row (w, part, &open, w->last);
}
