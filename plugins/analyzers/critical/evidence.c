/* SPDX-License-Identifier: Apache-2.0 */
/* evidence.c - finds what the launches and the idle time of a window say beside its path. */
#include "critical.h"
#include "devicekit/distribution.h"
#include "devicekit/idle.h"

/* -- Launches ---------------------------------------------------------------------------------- */

static gboolean
begins_within (const Critical *self, const Window *w, const Op *op)
{
  if (w->on_device)
    return op->thread && window_owns (self, w, op);
  return op->thread && process_of (self, op->thread) == w->process
         && op->call_start >= w->host_start && op->call_start < w->host_end;
}

static void
find_launches (const Critical *self, const Loaded *l, Evidence *e)
{
  Dist delay = { 0 };
  for (guint i = 0; i < l->ops->len; i++) {
    const Op *op = op_at (l, i);
    if (op->start > l->window->end
        || (l->window->name ? !begins_within (self, l->window, op) : !op->thread))
      continue;
    if (!nprof_touches (&self->clip, op->start, op->end))
      continue;
    e->launches++;
    e->early += !op_follows_launch (op);
    e->shorter += op->end - op->start < op->call_end - op->call_start;
    dist_add (&delay, MAX (0, op->start - op->call_end));
  }
  e->delay = delay.count ? dist_percentile (&delay, 500, false) : 0;
  dist_clear (&delay);
}

/* -- The input pipeline ------------------------------------------------------------------------ */

/* Returns how much of a..b the thread was loading data. */
static gint64
loader_time (const Thread *t, gint64 a, gint64 b)
{
  gint64 sum = 0;
  guint low = 0, high = t ? t->loading->len : 0;
  while (low < high) {
    guint at = (low + high) / 2;
    if (g_array_index (t->loading, Range, at).end <= a)
      low = at + 1;
    else
      high = at;
  }
  for (; t && low < t->loading->len; low++) {
    const Range *r = &g_array_index (t->loading, Range, low);
    if (r->start >= b)
      break;
    sum += MIN (b, r->end) - MAX (a, r->start);
  }
  return sum;
}

/* -- Idle time, as table step_breakdown has it ------------------------------------------------- */

typedef struct {
  nprof_track device;
  gboolean linked; /* the launch of some of its work is in the file */
  gint64 covered;
  const Op *by; /* what may end the gap that ends at gap_end */
  gint64 gap_start, gap_end;
  gint64 idle; /* ps of all gaps */
} DeviceGaps;

static void
take_gap (const Critical *self, const Loaded *l, const Op *by, gint64 a, gint64 b, DeviceGaps *d,
          Evidence *e)
{
  const struct nprof_window *clip = &self->clip;
  nprof_track on = by ? by->thread : l->window->thread;
  gint64 launched = by ? by->thread ? CLAMP (by->call_start, a, b) : a : d->linked ? b : a;
  gint64 until = nprof_cut (clip, launched), from = a;
  a = nprof_cut (clip, a);
  b = nprof_cut (clip, b);
  d->idle += b - a;
  e->idle_host += until - a;
  e->idle_launch += by && by->thread && by->call_start > from ? b - until : 0;
  if (until > a && on)
    e->idle_loader += loader_time (thread_of (l, on), a, until);
}

static void
close_gap (const Critical *self, const Loaded *l, DeviceGaps *d, Evidence *e)
{
  const Window *w = l->window;
  gint64 a = MAX (d->gap_start, w->start), b = MIN (d->gap_end, w->end);
  if (d->by && b > a)
    take_gap (self, l, d->by, a, b, d, e);
  d->by = NULL;
}

/* Passes a row; rows of a device come by start. */
static void
pass_row (const Critical *self, const Loaded *l, DeviceGaps *d, const Op *op, Evidence *e)
{
  d->linked |= op->thread != 0;
  if (op->end <= op->start)
    return;
  if (d->by && op->start == d->gap_end) {
    if (op->thread && (!d->by->thread || op->call_start < d->by->call_start))
      d->by = op;
  } else {
    close_gap (self, l, d, e);
    if (op->start > d->covered) {
      d->gap_start = d->covered;
      d->gap_end = op->start;
      d->by = op;
    }
  }
  d->covered = MAX (d->covered, op->end);
}

static void
find_idle (Critical *self, const Loaded *l, nprof_track device, Evidence *e)
{
  DeviceGaps d = { .device = device, .covered = l->window->start };
  for (guint i = 0; i < l->ops->len; i++)
    if (an_place (self->places, op_at (l, i)->queue)->device == device)
      pass_row (self, l, &d, op_at (l, i), e);
  close_gap (self, l, &d, e);
  if (d.covered < l->window->end)
    take_gap (self, l, NULL, d.covered, l->window->end, &d, e);
  if (e->device && e->idle <= d.idle)
    return;
  e->idle = d.idle;
  e->device = an_place (self->places, device)->label;
}

/* Returns whether the process of a step gave the device work: ranks that were merged into one file
 * say nothing of each other's steps. */
static gboolean
works_for (const Critical *self, nprof_track device, nprof_track process)
{
  for (guint i = 0; i < self->workers->len; i++) {
    const Worker *w = &g_array_index (self->workers, Worker, i);
    if (w->device == device && w->process == process)
      return TRUE;
  }
  return FALSE;
}

Evidence
evidence_find (Critical *self, const Loaded *l)
{
  Evidence e = { .idle = nprof_cut (&self->clip, l->window->end)
                         - nprof_cut (&self->clip, l->window->start) };
  find_launches (self, l, &e);
  for (guint i = 0; i < l->queues->len; i++) {
    const Queue *q = g_ptr_array_index (l->queues, i);
    gboolean seen = l->window->on_device && q->device != l->window->process;
    for (guint k = 0; k < i && !seen; k++)
      seen = ((const Queue *) g_ptr_array_index (l->queues, k))->device == q->device;
    if (!seen
        && (l->window->on_device || !l->window->process
            || works_for (self, q->device, l->window->process)))
      find_idle (self, l, q->device, &e);
  }
  return e;
}
