/* SPDX-License-Identifier: Apache-2.0 */
/* device-sweep.c - sweeps over time: makes and frees them, does what is rare, and calls the loop
 * (device-sweep-loop.h) for those who do not call it for each row. */
#include "devicekit/device-sweep-loop.h"

#include <string.h>

AnSweep *
an_sweep_new (const AnSweepCalls *calls)
{
  AnSweep *l = g_new0 (AnSweep, 1);
  l->calls = *calls;
  l->now = G_MININT64;
  return l;
}

void
an_sweep_cut (AnSweep *l, const struct nprof_window *window)
{
  l->window = *window;
}

void
an_sweep_free (AnSweep *l)
{
  if (!l)
    return;
  for (guint i = 0; i < l->n_lanes; i++)
    g_free (l->lanes[i].at);
  g_free (l->lanes);
  an_end_heap_clear (&l->heap);
  g_free (l->unused.at);
  g_free (l->open);
  g_free (l);
}

/* -- What is rare ------------------------------------------------------------------------- */

void
an_sweep_grow_numbers (AnNumberStack *n)
{
  n->room = MAX (16, n->room * 2);
  n->at = g_renew (guint32, n->at, n->room);
}

void
an_sweep_grow_lanes (AnSweep *l, guint32 number)
{
  guint n = MAX (number + 1, l->n_lanes * 2);
  l->lanes = g_renew (AnNumberStack, l->lanes, n);
  memset (l->lanes + l->n_lanes, 0, (n - l->n_lanes) * sizeof *l->lanes);
  l->n_lanes = n;
}

void
an_sweep_grow_open (AnSweep *l)
{
  l->room = MAX (16, l->room * 2);
  l->open = g_renew (AnOpen, l->open, l->room);
}

void
an_sweep_leave (AnSweep *l, guint32 around, gboolean counts)
{
  AnOpen *o = l->open + around - 1;
  if (--o->within == 0 && counts)
    an_sweep_count (l, o->span.kind, 1);
}

void
an_sweep_lie_within (AnSweep *l, guint32 around, gboolean counts)
{
  AnOpen *o = l->open + around - 1;
  if (o->within++ == 0 && counts)
    an_sweep_count (l, o->span.kind, -1);
  o->span.leaf = FALSE;
}

void
an_sweep_pass_cut (AnSweep *l, gint64 to, AnSweepPassed passed, gpointer user)
{
  gint64 from = nprof_cut (&l->window, l->now), end = nprof_cut (&l->window, to);
  if (from < end)
    passed (user, from, end, &l->active);
}

/* -- The loop ----------------------------------------------------------------------------- */

void
an_sweep_pass (AnSweep *l, gint64 to)
{
  an_sweep_pass_by (l, to, l->calls.passed, l->calls.ended, l->calls.user);
}

gint64
an_sweep_end (AnSweep *l)
{
  while (l->heap.len)
    an_sweep_end_first (l, l->calls.passed, l->calls.ended, l->calls.user);
  return l->now;
}

AnItem *
an_sweep_add (AnSweep *l, gint64 start, gint64 duration, AnKind kind)
{
  return an_sweep_add_by (l, start, duration, kind, l->calls.passed != NULL);
}
