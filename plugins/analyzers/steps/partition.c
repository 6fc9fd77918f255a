/* SPDX-License-Identifier: Apache-2.0 */
/* partition.c - walks through segments, gaps and segments of host threads, each once, window by
 * window.  A piece that reaches beyond a window is cut there and judged as the part that lies in
 * it. */
#include "verdict.h"

/* These are segments of one start, and until when they hold. */
typedef struct {
  AnSeriesReader reader;
  Segment next; /* read, and not yet current */
  bool has_next;
  gint64 start, end;
  Busy busy;
  guint32 *owners;
  guint n_owners, room;
} Walk;

typedef struct {
  AnSeriesReader reader;
  HostSegment now, next;
  bool has_next;
} HostWalk;

struct _Partition {
  Steps *steps;
  Device *device;
  const GArray *windows;
  guint at;
  Begun *begun;    /* of each window                    */
  Period *periods; /* of each window                 */
  Walk walk;
  AnSeriesReader gaps;
  Gap gap;
  bool no_more; /* nothing ends the gap              */
  bool is_lost; /* rows may be missing in it         */
  guint lost;   /* the first loss of the device that has not ended */
  guint64 n_gaps;
  GPtrArray *hosts;            /* of HostWalk or NULL, by thread    */
  GArray *where;               /* of Where                          */
  GHashTable *places;          /* name + 1 to 1 + its number there  */
  guint last_key, last_number; /* those of the last place; number 0: none */
  PartitionGap hand;           /* NULL: gaps are judged here */
  void *user;
};

/* -- Work of each window ----------------------------------------------------------------------- */

static const Window *
window_at (const Partition *p, guint i)
{
  return &g_array_index (p->windows, Window, i);
}

void
st_reach (Reach *r, gint64 start, gint64 end)
{
  r->first = r->n ? MIN (r->first, start) : start;
  r->last = r->n ? MAX (r->last, end) : end;
  r->n++;
}

static void
count (const struct nprof_window *clip, Begun *b, const Work *work, const Window *w)
{
  gint64 start = nprof_cut (clip, work->start), end = nprof_cut (clip, work->end);
  b->rows += nprof_touches (clip, work->start, work->end);
  b->shown += work->shown;
  st_reach (&b->all, work->start, work->end);
  if (work->lasting)
    st_reach (&b->lasting, work->start, work->end);
  b->launched += end - start;
  b->outside += MAX (0, MIN (end, w->start) - start) + MAX (0, end - MAX (start, w->end));
}

/* Returns the window in which the moment lies, or -1; windows lie one behind the other. */
static gint64
window_around (const Partition *p, gint64 moment)
{
  guint low = 0, high = p->windows->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (window_at (p, middle)->end <= moment)
      low = middle + 1;
    else
      high = middle;
  }
  return low < p->windows->len && window_at (p, low)->start <= moment ? (gint64) low : -1;
}

/* Returns the window that the work belongs to, or -1: that of its step, or in which it begins where
 * no launch of the device's work is in the file; where there are no steps, that of all work with a
 * launch, or of all where none has one. */
static gint64
window_of (const Partition *p, GHashTable *by_owner, const Work *work)
{
  if (window_at (p, 0)->whole)
    return p->device->n_linked && work->owner == OWNER_UNLINKED ? -1 : 0;
  if (!p->device->n_linked)
    return window_around (p, work->start);
  return (gint64) GPOINTER_TO_UINT (g_hash_table_lookup (by_owner, GUINT_TO_POINTER (work->owner)))
         - 1;
}

static void
count_work (Partition *p)
{
  g_autoptr (GHashTable) by_owner = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < p->windows->len; i++)
    g_hash_table_insert (by_owner, GUINT_TO_POINTER (window_at (p, i)->owner),
                         GUINT_TO_POINTER (i + 1));
  g_hash_table_remove (by_owner, GUINT_TO_POINTER (OWNER_NONE));
  AnSeriesReader reader;
  an_series_read (&reader, &p->device->work, &p->steps->store);
  for (const Work *work; (work = an_series_next (&reader));) {
    gint64 i = window_of (p, by_owner, work);
    if (i >= 0)
      count (&p->steps->clip, &p->begun[i], work, window_at (p, (guint) i));
  }
  an_series_reader_clear (&reader);
}

/* -- Segments ---------------------------------------------------------------------------------- */

static inline void
read_next (Walk *w)
{
  const Segment *s = an_series_next (&w->reader);
  w->has_next = s != NULL;
  if (s)
    w->next = *s;
}

static void
grow_owners (Walk *w)
{
  w->room = MAX (4, w->room * 2);
  w->owners = g_renew (guint32, w->owners, w->room);
}

/* Takes the other segments of that start. */
static __attribute__ ((noinline)) void
take_owners (Walk *w)
{
  for (; w->has_next && w->next.start == w->start; read_next (w)) {
    if (w->n_owners == w->room)
      grow_owners (w);
    w->owners[w->n_owners++] = w->next.owner;
  }
  w->end = w->has_next ? w->next.start : G_MAXINT64;
}

/* Steps on; idle time without an end follows the last segment. */
static inline void
step_on (Walk *w)
{
  const gint64 start = w->end; /* where the next one begins, if there is one */
  w->n_owners = w->has_next;
  w->start = start;
  w->busy = w->has_next ? w->next.busy : BUSY_NOT;
  w->owners[0] = w->next.owner;
  if (w->has_next)
    read_next (w);
  w->end = w->has_next ? w->next.start : G_MAXINT64;
  if (G_UNLIKELY (w->end == start))
    take_owners (w);
}

static bool
is_of (const Walk *w, guint32 owner)
{
  for (guint i = 0; i < w->n_owners; i++)
    if (w->owners[i] == owner)
      return true;
  return false;
}

/* Takes a segment.  On a device of which no launch is known nothing is foreign; in spans of the
 * device the work that began in them tells what is. */
static void
take_segment (const Partition *p, const Window *w, gint64 length, Parts *parts)
{
  const Walk *walk = &p->walk;
  parts->busy[walk->busy] += length;
  if (walk->busy == BUSY_NOT)
    return;
  if (is_of (walk, OWNER_UNLINKED))
    parts->unlinked += length;
  else if (!w->whole && !w->begun && p->device->n_linked && !is_of (walk, w->owner))
    parts->foreign += length;
}

static void
cut_segments (Partition *p, const Window *w, Parts *parts)
{
  Walk *walk = &p->walk;
  const struct nprof_window *clip = &p->steps->clip;
  while (walk->end <= w->start)
    step_on (walk);
  while (walk->start < w->end) {
    gint64 from = nprof_cut (clip, MAX (walk->start, w->start)),
           to = nprof_cut (clip, MIN (walk->end, w->end));
    if (to > from)
      take_segment (p, w, to - from, parts);
    if (walk->end > w->end)
      return;
    step_on (walk);
  }
}

/* -- What the host did ------------------------------------------------------------------------- */

/* Returns 1 + the number of the place, which begins as `none` when it is new. */
static guint
number_of_place (Partition *p, guint key, const Where *none)
{
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (p->places, GUINT_TO_POINTER (key + 1)));
  if (number)
    return number;
  g_array_append_vals (p->where, none, 1);
  g_hash_table_insert (p->places, GUINT_TO_POINTER (key + 1), GUINT_TO_POINTER (p->where->len));
  return p->where->len;
}

static void
put_where (Partition *p, AnIdleCause cause, bool known, nprof_str name, gint64 duration)
{
  guint key = cause == AN_IDLE_HOST ? (known ? AN_IDLE_CAUSES + 1 + name : AN_IDLE_CAUSES) : cause;
  if (!p->last_number || key != p->last_key) {
    const Where none = { .cause = cause, .known = known, .name = name };
    p->last_key = key;
    p->last_number = number_of_place (p, key, &none);
  }
  Where *where = &g_array_index (p->where, Where, p->last_number - 1);
  where->gaps += where->last_gap != p->n_gaps;
  where->last_gap = p->n_gaps;
  where->duration += duration;
}

static void
read_host (HostWalk *h)
{
  const HostSegment *s = an_series_next (&h->reader);
  h->has_next = s != NULL;
  if (s)
    h->next = *s;
}

static HostWalk *
host_walk (Partition *p, nprof_track thread)
{
  if (thread >= p->hosts->len)
    g_ptr_array_set_size (p->hosts, (int) thread + 1);
  HostWalk *h = g_ptr_array_index (p->hosts, thread);
  if (h)
    return h;
  p->hosts->pdata[thread] = h = g_new0 (HostWalk, 1);
  h->now.start = G_MININT64;
  const Thread *known = st_known_thread (p->steps, thread);
  if (!known)
    return h;
  an_series_read (&h->reader, &known->segments, &p->steps->store);
  read_host (h);
  return h;
}

static void
host_walk_free (gpointer walk)
{
  HostWalk *h = walk;
  if (h)
    an_series_reader_clear (&h->reader);
  g_free (h);
}

/* Shares a range of a thread; times of one thread ascend. */
static void
share_host (Partition *p, nprof_track thread, gint64 from, gint64 to)
{
  if (!thread) {
    put_where (p, AN_IDLE_HOST, false, 0, to - from);
    return;
  }
  HostWalk *h = host_walk (p, thread);
  while (from < to) {
    while (h->has_next && h->next.start <= from) {
      h->now = h->next;
      read_host (h);
    }
    gint64 until = h->has_next ? MIN (h->next.start, to) : to;
    put_where (p, AN_IDLE_HOST, true, h->now.name, until - from);
    from = until;
  }
}

/* -- Gaps -------------------------------------------------------------------------------------- */

static void
next_gap (Partition *p)
{
  const Gap *gap = an_series_next (&p->gaps);
  const Device *d = p->device;
  p->n_gaps++;
  p->no_more = !gap;
  p->gap = gap ? *gap
               : (Gap){ .start = d->programs.covered,
                        .end = G_MAXINT64,
                        .by = an_idle_behind_all (&d->programs, d->n_linked, d->n_launchable) };
  p->is_lost = st_is_lost (d, &p->gap, &p->lost);
}

static void
take_gap (Partition *p, const Window *w, gint64 from, gint64 to, Parts *parts)
{
  const struct nprof_window *clip = &p->steps->clip;
  AnIdlePart part[AN_IDLE_PARTS];
  guint n = an_idle_parts (&p->gap.by, from, to, part);
  nprof_track thread = p->no_more ? w->thread : p->gap.by.linked ? p->gap.by.thread : 0;
  for (guint i = 0; i < n; i++) {
    gint64 start = nprof_cut (clip, part[i].start), end = nprof_cut (clip, part[i].end);
    gint64 length = end - start;
    if (!length)
      continue;
    parts->idle[part[i].cause] += length;
    if (part[i].cause == AN_IDLE_HOST)
      share_host (p, thread, start, end);
    else
      put_where (p, part[i].cause, false, 0, length);
  }
}

static void
cut_gaps (Partition *p, const Window *w, Parts *parts)
{
  const struct nprof_window *clip = &p->steps->clip;
  while (p->gap.end <= w->start && !p->no_more)
    next_gap (p);
  while (p->gap.start < w->end) {
    gint64 from = MAX (p->gap.start, w->start), to = MIN (p->gap.end, w->end);
    if (to > from && p->is_lost)
      parts->lost += nprof_cut (clip, to) - nprof_cut (clip, from);
    else if (to > from && p->hand)
      p->hand (p->user, &p->gap, p->no_more, from, to, w);
    else if (to > from)
      take_gap (p, w, from, to, parts);
    if (p->gap.end > w->end || p->no_more)
      return;
    next_gap (p);
  }
}

/* -- Windows ----------------------------------------------------------------------------------- */

Partition *
partition_new (Steps *self, Device *device, const GArray *windows)
{
  Partition *p = g_new0 (Partition, 1);
  p->steps = self;
  p->device = device;
  p->windows = windows;
  p->begun = g_new0 (Begun, windows->len + 1);
  p->periods = g_new0 (Period, windows->len + 1);
  p->hosts = g_ptr_array_new_with_free_func (host_walk_free);
  p->where = g_array_new (FALSE, TRUE, sizeof (Where));
  p->places = g_hash_table_new (NULL, NULL);
  p->walk.start = p->walk.end = G_MININT64;
  an_series_read (&p->walk.reader, &device->segments, &self->store);
  an_series_read (&p->gaps, &device->gaps, &self->store);
  grow_owners (&p->walk);
  read_next (&p->walk);
  p->walk.end = p->walk.has_next ? p->walk.next.start : G_MAXINT64;
  next_gap (p);
  if (windows->len && !window_at (p, 0)->begun)
    count_work (p);
  if (windows->len && window_at (p, 0)->has_host)
    st_find_periods (p->begun, windows, p->periods);
  return p;
}

void
partition_hand_gaps (Partition *p, PartitionGap take, void *user)
{
  p->hand = take;
  p->user = user;
}

const Period *
partition_periods (const Partition *p)
{
  return p->periods;
}

const Begun *
partition_begun (const Partition *p)
{
  return p->begun;
}

void
partition_free (Partition *p)
{
  an_series_reader_clear (&p->walk.reader);
  an_series_reader_clear (&p->gaps);
  g_free (p->walk.owners);
  g_ptr_array_unref (p->hosts);
  g_array_unref (p->where);
  g_hash_table_unref (p->places);
  g_free (p->begun);
  g_free (p->periods);
  g_free (p);
}

static int
compare (gconstpointer a, gconstpointer b, gpointer user)
{
  const struct nprof_host *h = user;
  const Where *x = a, *y = b;
  if (x->cause != y->cause)
    return x->cause < y->cause ? -1 : 1;
  if (x->duration != y->duration)
    return x->duration > y->duration ? -1 : 1;
  return x->name == y->name ? 0 : strcmp (nprof_text (h, x->name), nprof_text (h, y->name));
}

const GArray *
partition_next (Partition *p, Parts *parts)
{
  const Window *w = window_at (p, p->at);
  *parts = (Parts){ .begun = w->begun ? *w->begun : p->begun[p->at], .period = p->periods[p->at] };
  p->at++;
  g_array_set_size (p->where, 0);
  g_hash_table_remove_all (p->places);
  p->last_number = 0;
  cut_segments (p, w, parts);
  cut_gaps (p, w, parts);
  if (w->begun) {
    const struct nprof_window *clip = &p->steps->clip;
    gint64 busy = nprof_cut (clip, w->end) - nprof_cut (clip, w->start) - parts->busy[BUSY_NOT];
    parts->foreign = MAX (0, busy - w->begun->own);
  }
  parts->busy[BUSY_NOT] -= parts->lost; /* as a sum of gaps it was in both */
  g_array_sort_with_data (p->where, compare, (gpointer) p->steps->host);
  return p->where;
}
