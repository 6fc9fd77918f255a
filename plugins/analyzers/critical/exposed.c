/* SPDX-License-Identifier: Apache-2.0 */
/* exposed.c - cuts what hosts and launches have of a path against the work of the device: a host
 * that runs ahead keeps nobody waiting. */
#include "critical.h"

/* -- When devices worked ----------------------------------------------------------------------- */

static void
busy_free (gpointer busy)
{
  Busy *b = busy;
  for (guint i = 0; i < BUSY_LEVELS; i++)
    g_array_unref (b->ranges[i]);
  g_free (b);
}

static Busy *
busy_of (GPtrArray *all, nprof_track device)
{
  for (guint i = 0; i < all->len; i++) {
    Busy *b = g_ptr_array_index (all, i);
    if (b->device == device)
      return b;
  }
  Busy *b = g_new0 (Busy, 1);
  b->device = device;
  for (guint i = 0; i < BUSY_LEVELS; i++)
    b->ranges[i] = g_array_new (FALSE, FALSE, sizeof (Range));
  g_ptr_array_add (all, b);
  return b;
}

/* Adds work; that of a device comes by start. */
static void
add_range (GArray *ranges, const Op *op)
{
  Range *last = ranges->len ? &g_array_index (ranges, Range, ranges->len - 1) : NULL;
  const Range range = { op->start, op->end };
  if (op->end <= op->start)
    return;
  if (last && op->start <= last->end)
    last->end = MAX (last->end, op->end);
  else
    g_array_append_val (ranges, range);
}

GPtrArray *
busy_find (const Critical *self, const Loaded *l)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (busy_free);
  for (guint i = 0; i < l->ops->len; i++) {
    const Op *op = op_at (l, i);
    const Group group = group_of (class_of_op (op));
    Busy *b = busy_of (all, an_place (self->places, op->queue)->device);
    for (guint k = 0; k < BUSY_LEVELS; k++)
      if (group <= G_COMPUTE + k)
        add_range (b->ranges[k], op);
  }
  return all;
}

static gint64
time_in (const GArray *ranges, gint64 a, gint64 b)
{
  guint low = 0, high = ranges->len;
  while (low < high) {
    guint at = (low + high) / 2;
    if (g_array_index (ranges, Range, at).end <= a)
      low = at + 1;
    else
      high = at;
  }
  gint64 sum = 0;
  for (; low < ranges->len && g_array_index (ranges, Range, low).start < b; low++) {
    const Range *r = &g_array_index (ranges, Range, low);
    sum += MIN (b, r->end) - MAX (a, r->start);
  }
  return sum;
}

gint64
busy_time (const Busy *busy, gint64 a, gint64 b)
{
  return time_in (busy->ranges[BUSY_LEVELS - 1], a, b);
}

/* -- The path ---------------------------------------------------------------------------------- */

/* Credits what work covers of a segment to computing, else communication, else copies. */
static void
credit (const Busy *busy, const Segment *s, Groups *groups)
{
  gint64 before = 0;
  for (guint k = 0; k < BUSY_LEVELS; k++) {
    const gint64 now = time_in (busy->ranges[k], s->start, s->end);
    groups->of[G_COMPUTE + k] += now - before;
    groups->of[group_of (s->class)] -= now - before;
    before = now;
  }
}

static void
cut_segment (const Busy *busy, const Segment *s, Exposed *e)
{
  switch (group_of (s->class)) {
  case G_HOST:
  case G_LAUNCH:
    credit (busy, s, &e->groups);
    break;
  case G_QUEUE:
    e->queue_covered += busy_time (busy, s->start, s->end);
    break;
  default:
    break;
  }
}

Exposed
exposed_find (const Critical *self, const Loaded *l, const Path *path, nprof_str device)
{
  g_autoptr (GPtrArray) all = busy_find (self, l);
  Exposed e = { .groups = path_groups (path, 0) };
  for (guint i = 0; i < GROUPS; i++)
    e.groups.all += e.groups.of[i];
  e.host_raw = e.groups.of[G_HOST] + e.groups.of[G_LAUNCH];
  for (guint i = 0; i < all->len; i++) {
    const Busy *busy = g_ptr_array_index (all, i);
    if (!device || an_place (self->places, busy->device)->label != device)
      continue;
    for (guint k = 0; k < path->segments->len; k++)
      cut_segment (busy, &g_array_index (path->segments, Segment, k), &e);
    break;
  }
  return e;
}
