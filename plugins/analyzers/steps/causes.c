/* SPDX-License-Identifier: Apache-2.0 */
/* causes.c - tells what the time of a thread was: loading of data or code, allocation, waiting, a
 * host that stood still.  Most spans tell it themselves; what long ones were doing depends on the
 * others of their name, which are all known at the end. */
#include "devicekit/nth-element.h"
#include "verdict.h"

#define US G_GINT64_CONSTANT (1000000)
#define MS (1000 * US)
#define LOADS (100 * US) /* a call that loads code for longer counts                   */
#define LONG_LAUNCH MS
#define STANDS (5 * MS)  /* so long a host that runs does not stay in one operator     */
#define LONG_ALLOC (10 * MS)
#define TIMES 100 /* times the median: longer, and it is no use of that name like the others */
#define FEW_OF_NAME 5
#define FEW_ALLOCS 3
#define FEW_STALLS 5
#define EXACT 1024 /* durations of a name that are kept one by one */

/* -- While rows come --------------------------------------------------------------------------- */

/* What a span says of its own time; the last two depend on others of its name. */
typedef enum {
  SAYS_NOTHING,
  SAYS_SYNC,
  SAYS_ALLOC,
  SAYS_LOADS,
  SAYS_LONG_ALLOC,
  SAYS_LONG_LAUNCH
} Means;

bool
st_is_long_launch (gint64 length)
{
  return length >= LONG_LAUNCH;
}

static Means
means_of_call (guint says, gint64 duration)
{
  if (says & NAME_ALLOCATES)
    return duration >= LONG_ALLOC ? SAYS_LONG_ALLOC : SAYS_ALLOC;
  if ((says & NAME_LOADS_CODE) && duration > LOADS)
    return SAYS_LOADS;
  if ((says & NAME_LAUNCHES) && st_is_long_launch (duration))
    return SAYS_LONG_LAUNCH;
  return says & NAME_BLOCKS ? SAYS_SYNC : SAYS_NOTHING;
}

static Dist *
durations_of (OfHosts *hosts, nprof_str name)
{
  if (name >= hosts->durations->len)
    g_ptr_array_set_size (hosts->durations, (int) MAX (name + 1, hosts->durations->len * 2));
  gpointer *of = &g_ptr_array_index (hosts->durations, name);
  if (!*of)
    *of = g_new0 (Dist, 1);
  return *of;
}

static void
durations_free (gpointer durations)
{
  if (durations)
    dist_clear (durations);
  g_free (durations);
}

OfHosts *
st_of_hosts (Steps *self, guint32 input)
{
  if (input >= self->of_hosts->len)
    g_ptr_array_set_size (self->of_hosts, (int) input + 1);
  OfHosts **of = (OfHosts **) &g_ptr_array_index (self->of_hosts, input);
  if (*of)
    return *of;
  *of = g_new (OfHosts, 1);
  **of = (OfHosts){ .durations = g_ptr_array_new_with_free_func (durations_free),
                    .medians = g_array_new (FALSE, TRUE, sizeof (gint64)),
                    .first_launches = g_array_new (FALSE, TRUE, sizeof (FirstLaunch)),
                    .collections = g_array_new (FALSE, FALSE, sizeof (Range)),
                    .overhead = g_array_new (FALSE, FALSE, sizeof (Range)) };
  return *of;
}

void
st_of_hosts_free (gpointer hosts)
{
  OfHosts *of = hosts;
  if (!of)
    return;
  g_ptr_array_unref (of->durations);
  g_array_unref (of->medians);
  g_array_unref (of->first_launches);
  g_array_unref (of->collections);
  g_array_unref (of->overhead);
  g_free (of);
}

/* Returns whether it is the first of its name. */
static bool
note_duration (OfHosts *hosts, nprof_str name, gint64 duration)
{
  Dist *d = durations_of (hosts, name);
  dist_add (d, duration);
  if (d->count == EXACT)
    dist_make_histogram (d);
  return d->count == 1;
}

static Mark *
mark_at (const Thread *t, guint i)
{
  return &g_array_index (t->marks, Mark, i);
}

/* A launch or a compilation begins in all spans that are under way. */
static void
begins_in_marks (Thread *t, gint64 start, bool launches, bool compiles)
{
  guint n = 0;
  for (guint i = 0; i < t->open_marks->len; i++) {
    const guint number = g_array_index (t->open_marks, guint, i);
    Mark *m = mark_at (t, number);
    if (m->end <= start)
      continue;
    m->launches |= launches;
    m->compiles |= compiles;
    g_array_index (t->open_marks, guint, n++) = number;
  }
  g_array_set_size (t->open_marks, n);
  t->last_launch = launches ? start : t->last_launch;
  t->last_compile = compiles ? start : t->last_compile;
}

static guint32
add_mark (Thread *t, const Mark *mark)
{
  const guint number = t->marks->len;
  g_array_append_vals (t->marks, mark, 1);
  g_array_append_val (t->open_marks, number);
  return number + 1;
}

/* Ends the capture under way, if any. */
static void
end_capture (Thread *t, gint64 end)
{
  if (t->capture == G_MININT64)
    return;
  const Range captured = { t->capture, end };
  g_array_append_val (t->captures, captured);
  t->capture = G_MININT64;
}

/* A capture whose end is not in the file goes on until something ran that its thread launched
 * later, at most to the next one. */
static void
note_capture (Thread *t, const HostRow *span, guint says)
{
  if (says & NAME_BEGINS_CAPTURE) {
    end_capture (t, MIN (span->start, t->ran));
    t->capture = span->start;
    t->ran = G_MAXINT64;
  }
  if (says & NAME_ENDS_CAPTURE)
    end_capture (t, span->start + MAX (0, span->duration));
}

guint8
st_span_begins (Steps *self, Thread *t, const HostRow *row, guint32 *mark)
{
  const guint says = st_name_says (self->names_say, row->name, row->kind);
  const gint64 end = row->start + row->duration;
  const bool works = row->kind == AN_HOST_CALL || row->kind == AN_HOST_OPERATOR;
  const bool first
      = works && row->duration >= 0 && note_duration (t->hosts, row->name, row->duration);
  const Means means
      = row->kind == AN_HOST_CALL ? means_of_call (says, row->duration) : SAYS_NOTHING;
  const bool launches = row->kind == AN_HOST_CALL && (says & NAME_LAUNCHES);
  if (says & (NAME_BEGINS_CAPTURE | NAME_ENDS_CAPTURE))
    note_capture (t, row, says);
  if (launches || (says & NAME_COMPILES))
    begins_in_marks (t, row->start, launches, says & NAME_COMPILES);
  if (says & NAME_IS_COMPILED)
    t->compiled_until = MAX (t->compiled_until, end);
  t->hosts->n_graphs += row->kind == AN_HOST_CALL && (says & NAME_LAUNCHES_GRAPH);
  *mark = 0;
  if (row->duration < STANDS && means != SAYS_LONG_LAUNCH
      && !(says & (NAME_LOADS_DATA | NAME_PREPARES_DATA | NAME_COLLECTS)))
    return (guint8) means;
  const Mark made = { .start = row->start,
                      .end = end,
                      .name = row->name,
                      .place = row->name,
                      .works = works,
                      .first = first,
                      .waits = (says & NAME_WAITS) != 0,
                      .input = (says & NAME_LOADS_DATA) != 0,
                      .prepares = (says & NAME_PREPARES_DATA) != 0,
                      .says_compiles = (says & NAME_COMPILES) != 0,
                      .collects = (says & NAME_COLLECTS) != 0,
                      .known = means != SAYS_NOTHING,
                      .launches = t->last_launch == row->start,
                      .compiles = t->last_compile == row->start };
  *mark = add_mark (t, &made);
  return (guint8) means;
}

void
st_span_stood (Thread *t, guint32 mark, gint64 length)
{
  const Stood stood = { mark - 1, length };
  if (length >= STANDS)
    g_array_append_val (t->stood, stood);
}

void
st_note_launched (Steps *self, nprof_str name, const AnLaunch *launch)
{
  GArray *all = st_of_hosts (self, launch->input)->first_launches;
  if (name >= all->len)
    g_array_set_size (all, MAX (name + 1, all->len * 2));
  FirstLaunch *f = &g_array_index (all, FirstLaunch, name);
  Thread *t = st_known_thread (self, launch->thread);
  if (t && launch->start > t->capture)
    t->ran = MIN (t->ran, launch->start);
  if (!f->known || launch->start < f->start)
    *f = (FirstLaunch){ launch->start, launch->thread, true };
}

/* -- When all have come ------------------------------------------------------------------------ */

static const Dist *
known_durations (const OfHosts *hosts, nprof_str name)
{
  static const Dist none = { 0 };
  const Dist *d = name < hosts->durations->len ? g_ptr_array_index (hosts->durations, name) : NULL;
  return d ? d : &none;
}

/* Returns the upper of the middle two of an even number. */
static gint64
upper_median (const Dist *d)
{
  if (d->count >= EXACT)
    return dist_percentile (d, 500, true);
  gint64 *value = dist_values (d);
  const guint64 rank = d->count / 2;
  an_nth_elements (value, value + d->count, d->count, &rank, 1);
  const gint64 median = value[rank];
  dist_values_free (d, value);
  return median;
}

/* Finds the medians of the names of marks, which are all that are asked for. */
static void
find_medians (const Thread *t)
{
  const OfHosts *hosts = t->hosts;
  for (guint i = 0; i < t->marks->len; i++) {
    const Mark *m = mark_at (t, i);
    if (!m->works
        || (m->name < hosts->medians->len && g_array_index (hosts->medians, gint64, m->name)))
      continue;
    if (m->name >= hosts->medians->len)
      g_array_set_size (hosts->medians, m->name + 1);
    g_array_index (hosts->medians, gint64, m->name)
        = upper_median (known_durations (hosts, m->name));
  }
}

static gint64
median_of (const OfHosts *hosts, nprof_str name)
{
  return name < hosts->medians->len ? g_array_index (hosts->medians, gint64, name) : 0;
}

/* Returns whether the host did not run: an operator or a call that mostly takes a hundredth of it
 * had the thread for 5 ms, and it was not its first, nor did it wait or compile. */
static bool
stands (const OfHosts *hosts, const Mark *m, gint64 length)
{
  if (!m->works || length < STANDS || m->first || m->waits || m->compiles)
    return false;
  const Dist *d = known_durations (hosts, m->name);
  return d->count >= FEW_OF_NAME && m->end - m->start > TIMES * MAX (1, median_of (hosts, m->name));
}

static void
count_stalls (const Thread *t)
{
  for (guint i = 0; i < t->stood->len; i++) {
    const Stood *s = &g_array_index (t->stood, Stood, i);
    const Mark *m = mark_at (t, s->mark);
    t->hosts->n_stalls += !m->known && stands (t->hosts, m, s->length);
  }
}

/* Of Range and Compiling, which begin with their start. */
static int
by_start (gconstpointer a, gconstpointer b)
{
  const gint64 *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

void
st_unite (GArray *ranges)
{
  guint n = 0;
  g_array_sort (ranges, by_start);
  for (guint i = 0; i < ranges->len; i++) {
    const Range r = g_array_index (ranges, Range, i);
    Range *last = n ? &g_array_index (ranges, Range, n - 1) : NULL;
    if (last && r.start <= last->end)
      last->end = MAX (last->end, r.end);
    else
      g_array_index (ranges, Range, n++) = r;
  }
  g_array_set_size (ranges, n);
}

static void
add_compiling (Steps *self, const Thread *t, const Mark *m)
{
  const Compiling c = { m->start, m->end - m->start, m->place,
                        self->host->track_info (self->host, t->track)->input };
  g_array_append_val (self->compiling, c);
}

/* A span that launches work does more than load data. */
static void
find_loading (Steps *self, Thread *t)
{
  for (guint i = 0; i < t->marks->len; i++) {
    const Mark *m = mark_at (t, i);
    const Range r = { m->start, m->end };
    if (m->input && !m->launches)
      g_array_append_val (t->input, r);
    if (m->prepares && !m->launches)
      g_array_append_val (t->prepares, r);
    if (m->collects)
      g_array_append_val (t->hosts->collections, r);
    if (m->says_compiles && m->end - m->start >= STANDS)
      add_compiling (self, t, m);
  }
  st_unite (t->input);
  st_unite (t->prepares);
}

static int
by_launch (gconstpointer a, gconstpointer b)
{
  const FirstLaunch *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static void
sort_launches (GArray *all)
{
  guint n = 0;
  for (guint i = 0; i < all->len; i++) {
    const FirstLaunch f = g_array_index (all, FirstLaunch, i);
    if (f.known)
      g_array_index (all, FirstLaunch, n++) = f;
  }
  g_array_set_size (all, n);
  g_array_sort (all, by_launch);
}

void
st_end_causes (Steps *self)
{
  for (guint i = 0; i < self->threads->len; i++) {
    Thread *t = g_ptr_array_index (self->threads, i);
    if (!t)
      continue;
    end_capture (t, t->ran);
    find_medians (t);
    count_stalls (t);
    find_loading (self, t);
  }
  for (guint i = 0; i < self->devices->len; i++) /* each has what its host did, also if nothing */
    st_of_hosts (self, ((const Device *) g_ptr_array_index (self->devices, i))->input);
  for (guint i = 0; i < self->of_hosts->len; i++) {
    OfHosts *hosts = g_ptr_array_index (self->of_hosts, i);
    if (!hosts)
      continue;
    sort_launches (hosts->first_launches);
    st_unite (hosts->overhead);
    st_unite (hosts->collections);
  }
  g_array_sort (self->compiling, by_start);
}

void
st_find_compiling (const Steps *self, guint32 input, const GArray *windows, Compiling *found)
{
  guint at = 0; /* both come by start */
  for (guint i = 0; i < self->compiling->len; i++) {
    const Compiling *c = &g_array_index (self->compiling, Compiling, i);
    while (at < windows->len && g_array_index (windows, Window, at).end <= c->start)
      at++;
    if (at == windows->len)
      return;
    if (c->input == input && c->time > found[at].time
        && c->start >= g_array_index (windows, Window, at).start)
      found[at] = *c;
  }
}

Part
st_cause_of_long_launch (const OfHosts *hosts, nprof_track thread, gint64 start, nprof_str call)
{
  const FirstLaunch key = { start, thread, true };
  if (hosts->n_stalls < FEW_STALLS || known_durations (hosts, call)->count < 3)
    return PART_FIRST_USE;
  return g_array_binary_search (hosts->first_launches, &key, by_launch, NULL) ? PART_FIRST_USE
                                                                             : PART_STALL;
}

/* Allocators load what they need when they are called first. */
static Part
cause_of_long_alloc (const OfHosts *hosts, const Mark *m)
{
  const Dist *d = known_durations (hosts, m->name);
  const bool rare
      = d->count <= FEW_ALLOCS || m->end - m->start >= TIMES * median_of (hosts, m->name);
  return rare ? PART_FIRST_USE : PART_ALLOC;
}

Part
st_cause_of (const Thread *t, const HostSegment *s, gint64 length)
{
  const Mark *m = s->mark ? mark_at (t, s->mark - 1) : NULL;
  switch ((Means) s->means) {
  case SAYS_SYNC:
    return PART_SYNC;
  case SAYS_ALLOC:
    return PART_ALLOC;
  case SAYS_LOADS:
    return PART_FIRST_USE;
  case SAYS_LONG_ALLOC:
    return cause_of_long_alloc (t->hosts, m);
  case SAYS_LONG_LAUNCH:
    return st_cause_of_long_launch (t->hosts, t->track, m->start, m->name);
  case SAYS_NOTHING:
    break;
  }
  if (m && stands (t->hosts, m, length))
    return PART_STALL;
  return m && m->compiles && length >= STANDS ? PART_FIRST_USE : PART_HOST;
}
