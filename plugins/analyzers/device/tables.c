/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - writes what was found out about each device as rows of tables. */
#include "device.h"

#include "devicekit/above-peak.h"
#include "devicekit/logical-core.h"
#include "devicekit/roofline.h"

NPROF_TABLE (devices, "Devices",
             "Times are unions of intervals: what overlaps counts once. span: first to last work, "
             "with the programs around it. lost: no work was recorded, but rows of that time are "
             "missing. mfu, hfu and mbu are of the span, idle and lost included.",
             DEVICES)

NPROF_TABLE (categories, "What devices did",
             "Unions of intervals; categories overlap, so shares may add up to more than "
             "busy. share: of the device's span. copy: also DMA. Cores "
             "of a logical core are one device.",
             CATEGORIES)

NPROF_TABLE (dma, "Transfers by queue",
             "busy: union of the queue's transfers. efficiency: bytes / (busy * bandwidth "
             "of the main memory), unknown where some go to the host.",
             DMA)

NPROF_TABLE (linked, "Work that the file links to a launch",
             "Only devices of which some work has a launch in the file and some has none. "
             "Tools that count linked work alone print these numbers; table devices counts "
             "all work.",
             LINKED)

NPROF_TABLE (engines, "Engines of devices",
             "Each track of a device on which work ran: engines of a NeuronCore, lines of a "
             "TPU's core, streams of a GPU, queues of transfers. busy: union of the work of "
             "the track, known also where it is unknown how clocks of engines lie apart. "
             "share: of the device's span.",
             ENGINES)

nprof_status
dv_announce (DvRun *run)
{
  const struct nprof_table *const tables[]
      = { &devices_table, &gaps_table,   &closed_gaps_table, &section_gaps_table, &categories_table,
          &dma_table,     &linked_table, &engines_table,     &logical_cores_table };
  nprof_status status = NPROF_OK;
  for (gsize i = 0; i < G_N_ELEMENTS (tables) && status == NPROF_OK; i++)
    status = run->host->table (run->host, tables[i]);
  return status;
}

static struct nprof_cell
input_of (const Device *d)
{
  return nprof_cell_str (d->run->host->input (d->run->host, d->input)->label);
}

/* Adds what the rows of a core state to that of its logical core. */
static void
add_stated (AnWorkload *w, const Device *d)
{
  const struct {
    guint8 bit;
    double value, *to;
  } stated[] = { { AN_KNOWS_FLOPS, d->flops, &w->flops },
                 { AN_KNOWS_MODEL, d->model_flops, &w->model_flops },
                 { AN_KNOWS_BYTES, d->bytes, &w->bytes } };
  for (gsize i = 0; i < G_N_ELEMENTS (stated); i++)
    if (d->known & stated[i].bit)
      *stated[i].to = (isnan (*stated[i].to) ? 0 : *stated[i].to) + stated[i].value;
}

/* Returns what rows state, those of a logical core together, else what the file states of one
 * execution, times the executions where all are whole. */
static AnWorkload
workload (Device *d)
{
  const struct nprof_host *host = d->run->host;
  AnPeak peak = an_peaks_of (d->run->peaks, d->track);
  AnTotals once = { -1, -1, -1 };
  if (!d->cut)
    once = an_declared_totals (host, d->track);
  double n = (double) MAX (1, d->n_executions);
  AnWorkload w
      = { NAN, NAN, NAN, (double) (d->last - d->first) / 1e12, peak.flops, peak.bandwidth };
  const GArray *places = g_ptr_array_index (d->run->core_places, d->place);
  guint known = 0;
  for (guint i = 0; i < places->len; i++) {
    const Device *core = g_ptr_array_index (d->run->devices, g_array_index (places, guint, i));
    known |= core->known;
    add_stated (&w, core);
  }
  if (!an_knows_model (an_logical_cores (host, d->track), known))
    w.model_flops = NAN;
  if (isnan (w.flops) && once.flops >= 0)
    w.flops = n * (double) once.flops;
  if (isnan (w.model_flops) && once.model_flops >= 0)
    w.model_flops = n * (double) once.model_flops;
  if (isnan (w.bytes) && once.bytes >= 0)
    w.bytes = n * (double) once.bytes;
  return w;
}

/* Returns a time of a device of which it may not be known whether it was busy: instructions ran
 * whose code is not known, or the file tells of programs, and of no work within them. */
static struct nprof_maybe_int
if_sure (const Device *d, gint64 ps)
{
  return nprof_int_if (dv_is_sure (d), ps);
}

const char *
dv_why_unsure (const Device *d)
{
  return d->any_work ? an_doubt_text (d->doubt)
                     : "the file tells when programs ran, and nothing of the work within them";
}

/* Returns the time of work of a class; that is known as soon as there is some. */
static struct nprof_maybe_int
if_seen (const Device *d, gint64 ps)
{
  return nprof_int_if (d->any_work || ps, ps);
}

static nprof_status
devices_row (Device *d, const DvTotals *t)
{
  gint64 span = d->last - d->first;
  if (d->n_unsure)
    nprof_log (d->run->host, NPROF_WARNING,
               "%s: of %" G_GUINT64_FORMAT
               " instructions the opcode is not known, so that they may "
               "be waits, or the engine's clock: busy, idle and compute are unknown",
               nprof_text (d->run->host, d->label), d->n_unsure);
  AnWorkload w = workload (d);
  const struct devices_row row = {
    .device = nprof_some_str (d->label),
    .span = nprof_some_int (span),
    .busy = if_sure (d, t->busy),
    .idle = if_sure (d, span - t->busy - d->gaps.lost),
    .compute = if_sure (d, t->of[AN_COMPUTE]),
    .communication = if_seen (d, t->of[AN_COMMUNICATION]),
    .copy = if_seen (d, t->of[AN_MEMORY]),
    .exposed = if_sure (d, t->exposed),
    .overlap = if_sure (d, t->overlap),
    .mfu = nprof_some_double (an_mfu (&w)),
    .hfu = nprof_some_double (an_hfu (&w)),
    .mbu = nprof_some_double (an_mbu (&w)),
    .lost = nprof_some_int (d->gaps.lost),
    .busy_reason = nprof_some_text (dv_why_unsure (d)),
  };
  return an_rows_add (&d->run->rows, &devices_table, devices_cells (input_of (d), &row).cells);
}

nprof_status
dv_categories_rows (Device *d, const DvTotals *t)
{
  const struct {
    const char *name;
    gint64 busy;
    bool transfers; /* which are known where instructions are not */
  } rows[] = { { "compute", t->of[AN_COMPUTE], false },
               { "control", t->of[AN_CONTROL], false },
               { "communication", t->of[AN_COMMUNICATION], true },
               { "copy", t->of[AN_MEMORY], true },
               { "setup", t->of[AN_SETUP], false } };
  const struct nprof_host *host = d->run->host;
  nprof_status status = NPROF_OK;
  for (gsize i = 0; i < G_N_ELEMENTS (rows) && status == NPROF_OK; i++) {
    bool sure = dv_is_sure (d) || (d->any_work && rows[i].transfers);
    const struct categories_row row = {
      .device = nprof_any_str (d->label),
      .category = nprof_some_str (nprof_intern (host, rows[i].name)),
      .busy = nprof_int_if (sure, rows[i].busy),
      .share = nprof_double_if (sure && d->last > d->first,
                                (double) rows[i].busy / (double) (d->last - d->first)),
    };
    status = an_rows_add (&d->run->rows, &categories_table,
                          categories_cells (input_of (d), &row).cells);
  }
  return status;
}

static nprof_status
dma_row (Device *d, const DvQueue *q, const AnPeak *peak, AnAbovePeak *above)
{
  double seconds = (double) q->busy / 1e12;
  double bytes = q->bytes < 0 ? NAN : (double) q->bytes;
  double throughput = an_ratio (bytes, seconds),
         efficiency = q->over_link || q->accessed ? (double) NAN
                                                   : an_ratio (throughput, peak->bandwidth);
  an_above_peak_add (above, nprof_text (d->run->host, q->label), efficiency);
  const struct dma_row row = {
    .device = nprof_any_str (d->label),
    .queue = nprof_any_str (q->label),
    .calls = nprof_some_int ((int64_t) q->n),
    .bytes = nprof_int_if (q->bytes >= 0, q->bytes),
    .mean_bytes = nprof_some_double (an_ratio (bytes, (double) q->n)),
    .busy = nprof_some_int (q->busy),
    .throughput = nprof_some_double (throughput),
    .efficiency = nprof_some_double (efficiency),
  };
  return an_rows_add (&d->run->rows, &dma_table, dma_cells (input_of (d), &row).cells);
}

static nprof_status
dma_rows (Device *d)
{
  AnPeak peak = an_peaks_of (d->run->peaks, d->track);
  AnAbovePeak above = { 0 };
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < d->lanes->len && status == NPROF_OK; i++) {
    const DvTrack *t = g_ptr_array_index (d->lanes, i);
    if (t->queue.n)
      status = dma_row (d, &t->queue, &peak, &above);
  }
  an_above_bandwidth_warn (&above, d->run->host, d->label, &peak, "device");
  return status;
}

static struct nprof_maybe_str
kind_of (const DvRun *run, const DvTrack *t)
{
  static const char *const kinds[]
      = { [NPROF_TRACK_PROCESS] = "process", [NPROF_TRACK_THREAD] = "thread",
          [NPROF_TRACK_DEVICE] = "device",   [NPROF_TRACK_CORE] = "core",
          [NPROF_TRACK_ENGINE] = "engine",   [NPROF_TRACK_QUEUE] = "queue",
          [NPROF_TRACK_ASYNC] = "async" };
  guint kind = run->host->track_info (run->host, t->place->track)->kind;
  const char *name = kind < G_N_ELEMENTS (kinds) ? kinds[kind] : NULL;
  return nprof_some_str (name ? nprof_intern (run->host, name) : 0);
}

/* Transfers beside the work may lie beyond its span, of which they have no share then. */
static struct nprof_maybe_double
share_of (const Device *d, const DvEngine *e)
{
  double share = an_ratio ((double) e->busy, (double) (d->last - d->first));
  return nprof_double_if (e->doubt == AN_SURE && share <= 1, share);
}

static nprof_status
engine_row (Device *d, const DvTrack *t)
{
  const DvEngine *e = &t->work;
  bool known = e->doubt < AN_UNSURE_WORK;
  const struct engines_row row = {
    .device = nprof_any_str (d->label),
    .engine = nprof_any_str (t->queue.label),
    .kind = kind_of (d->run, t),
    .calls = nprof_int_if (known, (int64_t) e->n),
    .busy = nprof_int_if (known, e->busy),
    .share = share_of (d, e),
    .reason = nprof_some_text (an_doubt_text (e->doubt)),
  };
  return an_rows_add (&d->run->rows, &engines_table, engines_cells (input_of (d), &row).cells);
}

static nprof_status
engines_rows (Device *d)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < d->lanes->len && status == NPROF_OK; i++) {
    const DvTrack *t = g_ptr_array_index (d->lanes, i);
    if (t->work.n)
      status = engine_row (d, t);
  }
  return status;
}

static nprof_status
linked_row (Device *d)
{
  if (!d->n_linked || d->n_linked == d->n_work)
    return NPROF_OK;
  DvTotals t = dv_moments_sum (&d->linked);
  gint64 span = d->linked_last - d->linked_first;
  const struct linked_row row = {
    .device = nprof_any_str (d->label),
    .rows = nprof_some_int ((int64_t) d->n_work),
    .linked = nprof_some_int ((int64_t) d->n_linked),
    .span = nprof_some_int (span),
    .busy = nprof_some_int (t.busy),
    .idle = nprof_some_int (span - t.busy),
    .compute = nprof_some_int (t.of[AN_COMPUTE]),
    .communication = nprof_some_int (t.of[AN_COMMUNICATION]),
    .copy = nprof_some_int (t.of[AN_MEMORY]),
    .exposed_communication = nprof_some_int (t.exposed_communication),
    .exposed_copy = nprof_some_int (t.exposed_copy),
  };
  return an_rows_add (&d->run->rows, &linked_table, linked_cells (input_of (d), &row).cells);
}

void
dv_device_end (Device *d)
{
  dv_losses_end (d);
  if (d->first <= d->last)
    an_sweep_pass (d->sweep, d->last);
  d->closed = TRUE;
  an_sweep_end (d->sweep);
}

/* Returns whether the device idled all through the window: the file has work of it elsewhere, and
 * no row of it is lost here. */
static bool
idles_through (const Device *d)
{
  bool elsewhere = false;
  for (guint i = 0; i < d->run->tracks->len; i++) {
    const DvTrack *t = d->run->tracks->pdata[i];
    elsewhere |= t && t->place->device == d->track && t->elsewhere;
  }
  return elsewhere && !d->losses->len;
}

nprof_status
dv_device_rows (Device *d)
{
  if (d->first > d->last) /* transfers alone */
    return NPROF_OK;
  d->any_work = d->any_work || idles_through (d);
  DvTotals all = dv_moments_sum (&d->all);
  dv_gaps_end (d);
  nprof_status status = devices_row (d, &all);
  if (status == NPROF_OK && !d->whole)
    status = dv_categories_rows (d, &all);
  if (status == NPROF_OK)
    status = dma_rows (d);
  if (status == NPROF_OK)
    status = dv_sections_rows (d);
  if (status == NPROF_OK)
    status = engines_rows (d);
  if (status == NPROF_OK)
    status = linked_row (d);
  return status;
}
