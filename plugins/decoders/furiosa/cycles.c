/* SPDX-License-Identifier: Apache-2.0 */
/* cycles.c - writes device cycles as their own unit, in a table of their own, and times from them
 * where the user gives the clock: no file says how fast it is. */
#include "furiosa.h"

#define PS_PER_KS G_GINT64_CONSTANT (1000000000000000) /* ps x mHz of a cycle of 1 mHz */

NPROF_TABLE (cycles, "Device cycles",
             "Cycles of a clock that the file does not tell; option clock=HZ makes times of "
             "them.",
             CYCLES)

nprof_status
fu_cycles_row (Furiosa *f, const struct nprof_host *host, const FuCycles *c)
{
  const struct cycles_row row = {
    .device = nprof_some_str (c->device),
    .stage = nprof_some_str (c->stage),
    .name = nprof_some_str (c->name),
    .row = nprof_some_int ((int64_t) c->row),
    .begin_cycle = nprof_int_if (c->has_range, c->begin),
    .end_cycle = nprof_int_if (c->has_range, c->end),
    .cycles = nprof_some_int (c->cycles),
    .cluster_index = nprof_int_if (c->has_cluster, c->cluster),
  };
  return host->row (host, &cycles_table,
                    cycles_cells (nprof_cell_str (f->chrome.input->label), &row).cells);
}

bool
fu_cycles_ps (const Furiosa *f, int64_t cycles, int64_t *ps)
{
  __int128 exact = (__int128) cycles * PS_PER_KS, quotient = exact / f->milli_hz;
  quotient -= quotient * f->milli_hz > exact;
  *ps = (int64_t) quotient;
  return *ps == quotient;
}

/* -- JSON ------------------------------------------------------------------------------- */

static void
try_anchor (Furiosa *f, const TeEvent *event)
{
  FuArgs args;
  if (event->ph != 'X' || !te_has (event, TE_TS) || event->ts.state > TE_ROUNDED)
    return;
  fu_args (f, event, &args);
  f->has_anchor = args.has >> FU_KEY_BEGIN_CYCLE & 1
                  && te_time_ps (&event->ts, f->chrome.zero, &f->anchor_ps);
  f->anchor_cycle = f->has_anchor ? args.value[FU_KEY_BEGIN_CYCLE] : 0;
}

/* Finds the first event with cycles and a time, from which the times of all others count. */
nprof_status
fu_anchor (Furiosa *f)
{
  const Chrome *c = &f->chrome;
  TeEvent event;
  TeShapes *shapes = c->scanner->shapes_new ();
  nprof_status status
      = shapes ? NPROF_OK
               : nprof_fail (c->host, NPROF_E_NOMEM, "no memory for the shapes of events");
  TeScan s = { .controls = &(TeControls){ 0 },
               .with = c->scanner, .shapes = shapes, .end = c->events_end };
  const char *p = c->events, *reported = p;
  while (!status && !f->has_anchor && (p = fu_separators (p, s.end)) < s.end) {
    const char *next = s.with->event (&s, p, &event);
    if (next)
      try_anchor (f, &event);
    p = next ? next : ch_resync (&s, p + 1, s.end);
    if (p - reported >= FU_REPORT) {
      status = c->host->progress (c->host, fu_byte (f, reported), fu_byte (f, p));
      reported = p;
    }
  }
  free (shapes);
  return status;
}
