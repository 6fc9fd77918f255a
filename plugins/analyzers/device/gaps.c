/* SPDX-License-Identifier: Apache-2.0 */
/* gaps.c - finds stretches in which a device does nothing, and what it seems to have waited for. */
#include "device.h"

NPROF_TABLE (gaps, "Idle gaps",
             "No work of the device, or of any core of a logical core of Neuron, was under way, "
             "and no rows of that time are known to be lost. A row is a part of a gap that has one "
             "cause, see nprof-analyzer-device(7). A row without a start holds all parts shorter "
             "than gap= of its cause together.",
             GAPS)

NPROF_TABLE (closed_gaps, "Gaps that the recorder closed",
             "Two of three gaps below 10 us, of 20 or more, are 1 ns: no device starts work that "
             "exactly, so busy time and the times of short kernels are upper bounds.",
             CLOSED_GAPS)

#define DV_SHORT ((gint64) 10 * 1000 * 1000) /* ps */
#define DV_CLOSED ((gint64) 1000)            /* ps */
#define DV_LEAST_SHORT 20u

#define DV_NO_STRETCH ((DvStretch){ .start = G_MAXINT64, .end = G_MININT64 })

static nprof_status
write_gap (gboolean placed, const DvGap *gap)
{
  const Device *d = gap->device;
  const struct nprof_host *host = d->run->host;
  const struct gaps_row row = {
    .device = nprof_any_str (d->label),
    .start = nprof_int_if (placed, gap->start),
    .duration = nprof_some_int (gap->duration),
    .cause = nprof_any_str (nprof_intern (host, an_idle_name (gap->cause))),
    .ended_by = nprof_some_str (gap->ended_by),
  };
  return an_rows_add (
      &d->run->rows, &gaps_table,
      gaps_cells (nprof_cell_str (host->input (host, d->input)->label), &row).cells);
}

void
dv_gaps_init (DvGaps *gaps)
{
  gaps->now = gaps->before = DV_NO_STRETCH;
  gaps->programs = AN_IDLE_NO_PROGRAMS;
  gaps->lost_until = G_MININT64;
}

/* Of a short run shorter ones are worth a row, too. */
gint64
dv_gaps_least (const DvRun *run)
{
  const struct nprof_run_info *info = run->host->run (run->host);
  return run->gap >= 0 ? run->gap * 1000 : MIN (10000000, (info->last - info->first) / 200);
}

static void
add_part (Device *d, const AnIdlePart *part, nprof_str ended_by)
{
  DvGaps *g = &d->gaps;
  gint64 duration = part->end - part->start;
  if (duration >= dv_gaps_least (d->run)) {
    DvGap gap = { d, part->start, duration, part->cause, ended_by };
    g_array_append_val (d->run->gaps, gap);
  } else {
    g->merged[part->cause] += duration;
    g->n_merged[part->cause]++;
  }
}

/* Lets a gap go.  Idle time of a core while others of its logical core work is none of that. */
static void
let_go (Device *d)
{
  DvGaps *g = &d->gaps;
  const DvStretch *gone = &g->before;
  AnIdlePart parts[AN_IDLE_PARTS];
  if (gone->end < gone->start)
    return;
  if (gone->lost) {
    g->lost += gone->end - gone->start;
  } else {
    g->idle += gone->end - gone->start;
    g->n_short += gone->end - gone->start < DV_SHORT;
    g->n_closed += gone->end - gone->start == DV_CLOSED;
    guint n = d->whole ? 0 : an_idle_parts (&gone->ended.by, gone->start, gone->end, parts);
    for (guint i = 0; i < n; i++)
      add_part (d, &parts[i], gone->ended.name);
  }
  g->before = DV_NO_STRETCH;
}

/* Takes a gap; idle before the first work or program, and after the last, is none of the span. */
static void
take_gap (Device *d, gint64 until, const DvBegun *by)
{
  DvGaps *g = &d->gaps;
  const gint64 start = MAX (g->now.start, d->first), end = MIN (g->now.end, until);
  const gboolean lost = g->now.lost;
  g->now = DV_NO_STRETCH;
  if (d->first > d->last || end <= start)
    return;
  let_go (d);
  g->before = (DvStretch){ start, end, *by, lost };
}

void
dv_gaps_passed (Device *d, gint64 from, gint64 to)
{
  DvGaps *g = &d->gaps;
  g->now.start = MIN (g->now.start, from);
  g->now.end = to;
  g->now.lost |= g->lost_next || from <= g->lost_until;
  g->lost_next = FALSE;
}

/* Notes a loss.  While the device works, rows may be missing of the stretches before and after: the
 * time of a loss is that of a row beside it. */
void
dv_gaps_lost (Device *d, gint64 until)
{
  DvGaps *g = &d->gaps;
  g->lost_until = MAX (g->lost_until, until);
  if (g->now.end >= g->now.start) {
    g->now.lost = TRUE;
    return;
  }
  g->before.lost = TRUE;
  g->lost_next = TRUE;
}

/* When several begin at one moment, the one that was launched first ended the gap; of those without
 * a launch the shortest, which come last, give it their name. After control that is what it leads
 * to. */
static void
end_anew (DvStretch *gap, gint64 start, const DvBegun *work)
{
  gboolean ended_now = gap->end == start && gap->start < gap->end;
  const AnIdleEnd *was = &gap->ended.by, *is = &work->by;
  if (ended_now && is->linked && (!was->linked || is->launched < was->launched)) {
    gap->ended = *work;
  } else if (gap->ended.control || (ended_now && !was->linked)) {
    gap->ended.name = work->name;
    gap->ended.control = work->control;
  }
}

void
dv_gaps_work (Device *d, gint64 start, const DvBegun *work)
{
  if (d->gaps.now.end >= d->gaps.now.start) {
    take_gap (d, start, work);
    return;
  }
  /* Times that are rounded leave 1 ns as often as nothing: that closes no gaps. */
  d->gaps.n_short += start == d->last;
  end_anew (&d->gaps.before, start, work);
}

/* Ends the gaps. Behind all work that takes time there is idle time of the span only until a
 * program ends, or until work that takes none. */
void
dv_gaps_end (Device *d)
{
  const DvBegun end
      = { .by = an_idle_behind_all (&d->gaps.programs, d->n_linked > 0, d->unlinked) };
  if (d->gaps.now.end > d->gaps.now.start)
    take_gap (d, d->last, &end);
  let_go (d);
  if (d->gaps.all_lost)
    d->gaps.lost += d->gaps.idle;
}

/* -- The table ------------------------------------------------------------------------------- */

static int
by_start (gconstpointer a, gconstpointer b)
{
  const DvGap *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return an_place_compare (x->device->run->host, x->device->track, y->device->track);
}

static bool
knows_gaps (const Device *d)
{
  return dv_is_sure (d) && !d->gaps.all_lost;
}

static nprof_status
write_merged (const Device *d)
{
  nprof_status status = NPROF_OK;
  for (int cause = 0; cause < AN_IDLE_CAUSES && knows_gaps (d) && status == NPROF_OK; cause++)
    if (d->gaps.n_merged[cause]) {
      const DvGap merged = { d, 0, d->gaps.merged[cause], (AnIdleCause) cause, 0 };
      status = write_gap (FALSE, &merged);
    }
  return status;
}

nprof_status
dv_gaps_write (DvRun *run)
{
  nprof_status status = NPROF_OK;
  g_array_sort (run->gaps, by_start);
  for (guint i = 0; i < run->gaps->len && status == NPROF_OK; i++) {
    const DvGap *g = &g_array_index (run->gaps, DvGap, i);
    if (knows_gaps (g->device))
      status = write_gap (TRUE, g);
  }
  for (guint i = 0; i < run->devices->len && status == NPROF_OK; i++)
    status = write_merged (g_ptr_array_index (run->devices, i));
  for (guint i = 0; i < run->wholes->len && status == NPROF_OK; i++)
    status = write_merged (g_ptr_array_index (run->wholes, i));
  return status;
}

nprof_status
dv_closed_gaps_write (DvRun *run)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < run->devices->len && status == NPROF_OK; i++) {
    const Device *d = g_ptr_array_index (run->devices, i);
    const DvGaps *g = &d->gaps;
    if (!knows_gaps (d) || g->n_short < DV_LEAST_SHORT || g->n_closed * 3 < g->n_short * 2)
      continue;
    const struct closed_gaps_row row = {
      .device = nprof_any_str (d->label),
      .gaps = nprof_some_int ((gint64) g->n_short),
      .closed = nprof_some_int ((gint64) g->n_closed),
    };
    status = an_rows_add (
        &run->rows, &closed_gaps_table,
        closed_gaps_cells (nprof_cell_str (run->host->input (run->host, d->input)->label), &row)
            .cells);
  }
  return status;
}
