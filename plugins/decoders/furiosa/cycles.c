/* SPDX-License-Identifier: Apache-2.0 */
/* cycles.c - writes device cycles as their own unit, in a table of their own, and times from them
 * where the user gives the clock: no file says how fast it is. */
#include "furiosa.h"

#define PS_PER_KS G_GINT64_CONSTANT (1000000000000000) /* ps x mHz of a cycle of 1 mHz */

const struct nprof_table fu_cycles_table = {
  .size = sizeof fu_cycles_table,
  .name = "cycles",
  .title = "Device cycles",
  .note = "Cycles of a clock that the file does not tell; option clock=HZ makes times of them.",
  .columns
  = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_STRING, "device", "", "leader_device, or the track"),
                   NPROF_KEY_COLUMN (NPROF_STRING, "stage", "",
                                     "name up to its (, or the category"),
                   NPROF_KEY_COLUMN (NPROF_STRING, "name", "", "what ran"),
                   NPROF_VALUE_COLUMN (NPROF_INT64, "row", "", "number in the file, from 0"),
                   NPROF_VALUE_COLUMN (NPROF_INT64, "begin_cycle", "cycle", "first cycle"),
                   NPROF_VALUE_COLUMN (NPROF_INT64, "end_cycle", "cycle", "last cycle"),
                   NPROF_VALUE_COLUMN (NPROF_INT64, "cycles", "cycle", "how many it took"),
                   NPROF_VALUE_COLUMN (NPROF_INT64, "cluster_index", "", "cluster of the device")),
};

static struct nprof_cell
known_int (bool known, int64_t i)
{
  return known ? nprof_cell_int (i) : nprof_cell_null ();
}

static struct nprof_cell
known_str (nprof_str str)
{
  return str ? nprof_cell_str (str) : nprof_cell_null ();
}

nprof_status
fu_cycles_row (Furiosa *f, const struct nprof_host *host, const FuCycles *c)
{
  struct nprof_cell cells[] = {
    nprof_cell_str (f->chrome.input->label),
    known_str (c->device),
    known_str (c->stage),
    known_str (c->name),
    nprof_cell_int ((int64_t) c->row),
    known_int (c->has_range, c->begin),
    known_int (c->has_range, c->end),
    nprof_cell_int (c->cycles),
    known_int (c->has_cluster, c->cluster),
  };
  return host->row (host, &fu_cycles_table, cells);
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
  TeScan s = { .with = c->scanner, .shapes = shapes, .end = c->events_end };
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
