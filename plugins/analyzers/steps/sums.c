/* SPDX-License-Identifier: Apache-2.0 */
/* sums.c - adds up what windows of a device consist of: what it did, and for idle time what its
 * host did, or what the work that ended it waited for. */
#include "verdict.h"

#define US G_GINT64_CONSTANT (1000000)
#define MS (1000 * US)
#define OPAQUE (100 * US)

/* A thread is read once, in the order of time. */
typedef struct {
  AnSeriesReader reader;
  const Thread *thread;
  HostSegment now, next;
  bool has_next;
  guint input, prepares, captures; /* of its ranges, the first that has not ended */
} HostWalk;

/* No machine has more devices whose work one of them could wait for. */
#define MOST_OTHERS 64

/* The idle time of another device is read once, in the order of time. */
typedef struct {
  const Device *device;
  AnSeriesReader reader;
  Gap now;
  bool has_now;
} OtherWalk;

typedef struct {
  Steps *steps;
  Device *device;
  const OfHosts *of_hosts; /* of its input */
  gboolean no_causes;
  Sums sums;
  nprof_track launcher; /* the thread of the last launch before; 0: none in these windows */
  GHashTable *hosts;    /* of HostWalk, by thread          */
  GArray *others;       /* of OtherWalk; NULL: nobody asked */
  GArray *gap;          /* of Spent, of the gap that is looked at */
  guint pause, counted; /* the first that has not ended; how many were counted */
} Judge;

/* -- Names ------------------------------------------------------------------------------------- */

static void
add (Judge *j, Part part, nprof_str name, gint64 length)
{
  const Spent spent = { part, name, length };
  if (length > 0)
    g_array_append_val (j->gap, spent);
}

static void
add_to_name (Sums *s, const Spent *spent, gboolean is_long)
{
  const guint number = an_key_table_get (&s->names, (const guint32[]){ spent->part, spent->name });
  if (number == s->times->len)
    g_array_set_size (s->times, number + 1);
  NameTime *time = &g_array_index (s->times, NameTime, number);
  time->all += spent->length;
  time->in_long += is_long ? spent->length : 0;
}

Spent
st_sums_most (const Sums *s, Part part, Gaps gaps)
{
  Spent best = { .part = part };
  for (guint i = 0; i < s->times->len; i++) {
    const guint32 *of = an_key_table_key (&s->names, i);
    const NameTime *t = &g_array_index (s->times, NameTime, i);
    const gint64 time = gaps == GAPS_LONG    ? t->in_long
                        : gaps == GAPS_SHORT ? t->all - t->in_long
                                             : t->all;
    if (of[0] != part || time < best.length || (time == best.length && of[1] > best.name))
      continue;
    best.name = of[1];
    best.length = time;
  }
  return best;
}

/* -- What a thread did ------------------------------------------------------------------------- */

static void
read_host (HostWalk *h)
{
  const HostSegment *s = h->thread ? an_series_next (&h->reader) : NULL;
  h->has_next = s != NULL;
  if (s)
    h->next = *s;
}

static HostWalk *
host_walk (Judge *j, nprof_track thread)
{
  HostWalk *h = g_hash_table_lookup (j->hosts, GUINT_TO_POINTER (thread));
  if (h)
    return h;
  h = g_new0 (HostWalk, 1);
  g_hash_table_insert (j->hosts, GUINT_TO_POINTER (thread), h);
  h->now.start = G_MININT64;
  h->thread = st_known_thread (j->steps, thread);
  if (h->thread)
    an_series_read (&h->reader, &h->thread->segments, &j->steps->store);
  read_host (h);
  return h;
}

static void
host_walk_free (gpointer walk)
{
  HostWalk *h = walk;
  if (h->thread)
    an_series_reader_clear (&h->reader);
  g_free (h);
}

/* Returns whether `at` lies in one of the ranges, and until when that holds, at most until
 * *until. */
static bool
lies_in (const GArray *ranges, guint *first, gint64 at, gint64 *until)
{
  while (*first < ranges->len && g_array_index (ranges, Range, *first).end <= at)
    ++*first;
  if (*first == ranges->len)
    return false;
  const Range *r = &g_array_index (ranges, Range, *first);
  *until = MIN (*until, at < r->start ? r->start : r->end);
  return at >= r->start;
}

static void
go_to (HostWalk *h, gint64 at)
{
  for (; h->has_next && h->next.start <= at; read_host (h))
    h->now = h->next;
}

/* Shares a range of a thread; times of one thread ascend. */
static void
share_host (Judge *j, nprof_track thread, gint64 from, gint64 to)
{
  HostWalk *h = host_walk (j, thread);
  while (from < to) {
    go_to (h, from);
    gint64 until = h->has_next ? MIN (h->next.start, to) : to;
    Part part = PART_HOST;
    if (h->thread && lies_in (h->thread->captures, &h->captures, from, &until))
      part = PART_CAPTURE;
    else if (h->thread && lies_in (h->thread->input, &h->input, from, &until))
      part = PART_INPUT;
    else if (h->thread && lies_in (h->thread->prepares, &h->prepares, from, &until))
      part = PART_PREPROCESS;
    else if (h->thread && h->now.name)
      part = st_cause_of (h->thread, &h->now, (h->has_next ? h->next.start : to) - h->now.start);
    add (j, part, h->now.name, until - from);
    from = until;
  }
}

/* -- Gaps -------------------------------------------------------------------------------------- */

static void
read_other (OtherWalk *o)
{
  const Gap *gap = an_series_next (&o->reader);
  o->has_now = gap != NULL;
  if (gap)
    o->now = *gap;
}

/* Returns how long the device idled in that range; ranges ascend. */
static gint64
idle_of_other (OtherWalk *o, gint64 from, gint64 to)
{
  gint64 idle = MAX (0, to - MAX (from, o->device->programs.covered));
  for (; o->has_now && o->now.start < to; read_other (o)) {
    idle += MAX (0, MIN (to, o->now.end) - MAX (from, o->now.start));
    if (o->now.end > to)
      break;
  }
  return idle;
}

static void
open_others (Judge *j)
{
  j->others = g_array_new (FALSE, FALSE, sizeof (OtherWalk));
  for (guint i = 0; i < j->steps->devices->len; i++) {
    const Device *d = g_ptr_array_index (j->steps->devices, i);
    if (j->others->len == MOST_OTHERS)
      break;
    if (d == j->device || d->input != j->device->input || !d->n_work)
      continue;
    const OtherWalk none = { .device = d };
    g_array_append_val (j->others, none);
  }
  for (guint i = 0; i < j->others->len; i++) {
    OtherWalk *o = &g_array_index (j->others, OtherWalk, i);
    an_series_read (&o->reader, &o->device->gaps, &j->steps->store);
    read_other (o);
  }
}

/* Returns whether another device works for more than half of that range. */
static bool
others_work (Judge *j, gint64 from, gint64 to)
{
  bool any = false;
  if (!j->others)
    open_others (j);
  for (guint i = 0; i < j->others->len; i++)
    any |= idle_of_other (&g_array_index (j->others, OtherWalk, i), from, to) < (to - from + 1) / 2;
  return any;
}

static bool
profiler_works (const Judge *j, gint64 from, gint64 to)
{
  gint64 sum = 0;
  const GArray *all = j->of_hosts->overhead;
  guint low = 0, high = all->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (g_array_index (all, Range, middle).end <= from)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < all->len && g_array_index (all, Range, low).start < to; low++) {
    const Range *r = &g_array_index (all, Range, low);
    sum += MIN (to, r->end) - MAX (from, r->start);
  }
  return sum > (to - from) / 2;
}

/* A call that blocks gives its own work free when it begins. */
static Part
part_in_call (const Judge *j, const Gap *gap, guint says, gint64 length)
{
  if (says & NAME_BLOCKS)
    return length > MS ? PART_UNRECORDED : PART_SYNC;
  if (!st_is_long_launch (length))
    return PART_LAUNCH;
  return st_cause_of_long_launch (j->of_hosts, gap->by.thread, gap->by.launched, gap->call);
}

/* The work was launched, its queue was free, and it did not begin. */
static Part
part_behind_call (Judge *j, gint64 from, gint64 to, bool in_gap)
{
  if (to - from <= MS)
    return in_gap ? PART_LAUNCH : PART_WAIT;
  if (others_work (j, from, to))
    return PART_WAIT;
  return profiler_works (j, from, to) ? PART_PROFILER : PART_UNRECORDED;
}

static void
share_launched (Judge *j, const Gap *gap, gint64 from, gint64 to)
{
  const gint64 launched = CLAMP (gap->by.launched, from, to),
               returned = CLAMP (gap->call_end, launched, to);
  const guint says = st_name_said (j->steps->names_say, gap->call, AN_HOST_CALL);
  j->launcher = gap->by.thread;
  if (launched > from)
    share_host (j, gap->by.thread, from, launched);
  if (returned > launched)
    add (j, part_in_call (j, gap, says, returned - launched), gap->call, returned - launched);
  if (to <= returned)
    return;
  Part part = part_behind_call (j, returned, to, returned > from);
  const bool waits = part == PART_LAUNCH || part == PART_WAIT || part == PART_UNRECORDED;
  if (waits && to - returned > OPAQUE && (says & NAME_LAUNCHES_GRAPH) && j->of_hosts->n_graphs > 1)
    part = PART_OPAQUE;
  add (j, part, gap->work, to - returned);
}

/* The launch of the work is unknown, so the host is no cause: what it did meanwhile is named. */
static void
share_unlinked (Judge *j, nprof_track thread, gint64 from, gint64 to)
{
  HostWalk *h = host_walk (j, thread);
  for (gint64 until; from < to; from = until) {
    go_to (h, from);
    until = h->has_next ? MIN (h->next.start, to) : to;
    add (j, PART_UNLINKED, h->now.name, until - from);
  }
}

/* A device whose work has no launches: between programs its host is late, within one it waits. */
static void
share_programs (Judge *j, const Gap *gap, gint64 from, gint64 to)
{
  AnIdlePart part[AN_IDLE_PARTS];
  const guint n = an_idle_parts (&gap->by, from, to, part);
  for (guint i = 0; i < n; i++)
    add (j,
         part[i].cause == AN_IDLE_HOST       ? PART_HOST
         : part[i].cause == AN_IDLE_UNLINKED ? PART_UNLINKED
                                             : PART_WAIT,
         0, part[i].end - part[i].start);
}

/* Adds the pauses of the collector in that idle time; times ascend. */
static void
add_pauses (Judge *j, gint64 from, gint64 to)
{
  const GArray *all = j->of_hosts->collections;
  while (j->pause < all->len && g_array_index (all, Range, j->pause).end <= from)
    j->pause++;
  for (guint i = j->pause; i < all->len && g_array_index (all, Range, i).start < to; i++) {
    const Range *r = &g_array_index (all, Range, i);
    j->sums.paused += MIN (to, r->end) - MAX (from, r->start);
    j->sums.pauses += i >= j->counted;
    j->counted = MAX (j->counted, i + 1);
  }
}

/* Adds the gap, now that its parts are known. */
static void
end_gap (Judge *j, const Gap *gap, bool nothing_follows, gint64 length)
{
  Sums *s = &j->sums;
  gint64 of[PARTS] = { 0 }, blocked = 0;
  guint has = 0; /* bits of the parts that are not 0: one or two of 18 */
  Part most = PART_UNLINKED;
  for (guint i = 0; i < j->gap->len; i++)
    if (g_array_index (j->gap, Spent, i).part == PART_SYNC)
      blocked += g_array_index (j->gap, Spent, i).length;
  for (guint i = 0; i < j->gap->len; i++) {
    Spent *spent = &g_array_index (j->gap, Spent, i);
    if (spent->part == PART_SYNC && blocked > MS)
      spent->part = PART_UNRECORDED; /* what it waits for is not in the file */
    add_to_name (s, spent, length >= MS);
    of[spent->part] += spent->length;
    has |= 1u << spent->part;
  }
  for (; has; has &= has - 1) {
    const Part i = (Part) __builtin_ctz (has);
    s->of[i] += of[i];
    s->in_long[i] += length >= MS ? of[i] : 0;
    most = of[i] > of[most] ? i : most;
  }
  g_array_set_size (j->gap, 0);
  s->gaps++;
  if (length > s->longest.length)
    s->longest = (LongGap){ length, most, nothing_follows ? 0 : gap->work };
}

static void
take_gap (void *user, const Gap *gap, bool nothing_follows, gint64 from, gint64 to, const Window *w)
{
  Judge *j = user;
  const struct nprof_window *clip = &j->steps->clip;
  from = nprof_cut (clip, from);
  to = nprof_cut (clip, to);
  if (to <= from)
    return;
  add_pauses (j, from, to);
  if (j->no_causes)
    add (j, PART_UNLINKED, 0, to - from);
  else if (nothing_follows && j->device->n_linked && w->thread)
    share_host (j, w->thread, from, to);
  else if (nothing_follows && j->device->n_linked)
    add (j, PART_HOST, 0, to - from);
  else if (gap->by.linked)
    share_launched (j, gap, from, to);
  else if (j->device->n_launchable)
    share_unlinked (j, j->launcher ? j->launcher : w->thread, from, to);
  else
    share_programs (j, gap, from, to);
  end_gap (j, gap, nothing_follows, to - from);
}

/* -- Windows ----------------------------------------------------------------------------------- */

static void
close_walks (Judge *j)
{
  for (guint i = 0; j->others && i < j->others->len; i++)
    an_series_reader_clear (&g_array_index (j->others, OtherWalk, i).reader);
  g_clear_pointer (&j->others, g_array_unref);
  g_hash_table_unref (j->hosts);
}

Sums
st_sum_windows (Steps *self, Device *device, const GArray *windows, gboolean no_causes)
{
  Judge j = { .steps = self, .device = device, .no_causes = no_causes };
  j.of_hosts = st_of_hosts (self, device->input);
  j.hosts = g_hash_table_new_full (NULL, NULL, NULL, host_walk_free);
  an_key_table_init (&j.sums.names, 2);
  j.sums.times = g_array_new (FALSE, TRUE, sizeof (NameTime));
  j.gap = g_array_new (FALSE, FALSE, sizeof (Spent));
  j.sums.windows = windows->len;
  Partition *partition = partition_new (self, device, windows);
  partition_hand_gaps (partition, take_gap, &j);
  for (guint i = 0; i < windows->len; i++) {
    const Window *w = &g_array_index (windows, Window, i);
    const gint64 loaded = j.sums.of[PART_FIRST_USE];
    Parts parts;
    partition_next (partition, &parts);
    j.sums.all += nprof_cut (&self->clip, w->end) - nprof_cut (&self->clip, w->start);
    j.sums.of[PART_LOST] += parts.lost;
    j.sums.of[PART_COMPUTE] += parts.busy[BUSY_COMPUTE];
    j.sums.of[PART_COMM] += parts.busy[BUSY_COMMUNICATION];
    j.sums.of[PART_BUBBLE] += parts.busy[BUSY_BUBBLE];
    j.sums.of[PART_COPY] += parts.busy[BUSY_COPY];
    j.sums.of[PART_CONTROL] += parts.busy[BUSY_CONTROL];
    j.sums.of[PART_INPUT] += parts.busy[BUSY_INFEED];
    j.sums.loading += j.sums.of[PART_FIRST_USE] > loaded;
  }
  partition_free (partition);
  g_array_unref (j.gap);
  close_walks (&j);
  return j.sums;
}

void
st_sums_clear (Sums *sums)
{
  an_key_table_clear (&sums->names);
  g_clear_pointer (&sums->times, g_array_unref);
}
