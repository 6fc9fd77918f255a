/* SPDX-License-Identifier: Apache-2.0 */
/* threads.c - finds what each thread of a host did at each moment of a window: the innermost of the
 * spans under way.  When two overlap in part the later one begins where the earlier one ends. */
#include "critical.h"

void
thread_free (gpointer thread)
{
  Thread *t = thread;
  g_array_unref (t->spans);
  g_array_unref (t->segments);
  g_array_unref (t->loading);
  g_free (t);
}

Thread *
thread_of (const Loaded *l, nprof_track track)
{
  return g_hash_table_lookup (l->thread_of, GUINT_TO_POINTER (track));
}

static Thread *
thread_made (Critical *self, Loaded *l, nprof_track track)
{
  Thread *t = thread_of (l, track);
  if (t)
    return t;
  t = g_new0 (Thread, 1);
  t->track = track;
  t->process = process_of (self, track);
  t->spans = g_array_new (FALSE, FALSE, sizeof (guint));
  t->segments = g_array_new (FALSE, FALSE, sizeof (ThreadSegment));
  t->loading = g_array_new (FALSE, FALSE, sizeof (Range));
  g_ptr_array_add (l->threads, t);
  g_hash_table_insert (l->thread_of, GUINT_TO_POINTER (track), t);
  return t;
}

/* Adds a span; spans come by start alone. */
static void
add_span (const Loaded *l, Thread *t, guint span)
{
  const HostSpan *s = span_at (l, span);
  g_array_append_val (t->spans, span);
  guint *at = (guint *) t->spans->data, i = t->spans->len - 1;
  for (; i > 0; i--) {
    const HostSpan *before = span_at (l, at[i - 1]);
    if (before->start < s->start || (before->start == s->start && before->end >= s->end))
      break;
    at[i] = at[i - 1];
  }
  at[i] = span;
}

static void
note_loading (Thread *t, const HostSpan *s)
{
  Range *last = t->loading->len ? &g_array_index (t->loading, Range, t->loading->len - 1) : NULL;
  const Range range = { s->start, s->end };
  if (last && s->start <= last->end)
    last->end = MAX (last->end, s->end);
  else
    g_array_append_val (t->loading, range);
}

/* -- Segments ---------------------------------------------------------------------------------- */

typedef struct {
  guint span;
  gint64 at; /* told so far */
} Open;

typedef struct {
  const Loaded *loaded;
  GArray *segments;
  GArray *open; /* of Open, the innermost last */
  gint64 last;  /* end of the last segment     */
  gint64 until; /* end of all outermost spans, or the start of the window */
  gboolean any;
} Cutter;

static void
put_segment (Cutter *c, gint64 start, gint64 end, guint span)
{
  start = c->any ? MAX (start, c->last) : start;
  if (end <= start)
    return;
  const ThreadSegment segment = { start, end, span };
  g_array_append_val (c->segments, segment);
  c->last = end;
  c->any = TRUE;
}

static Open *
innermost (const Cutter *c)
{
  return c->open->len ? &g_array_index (c->open, Open, c->open->len - 1) : NULL;
}

static void
pop (Cutter *c)
{
  const Open top = *innermost (c);
  gint64 end = span_at (c->loaded, top.span)->end;
  put_segment (c, top.at, end, top.span);
  g_array_set_size (c->open, c->open->len - 1);
  Open *outer = innermost (c);
  if (outer)
    outer->at = MAX (outer->at, end);
  else
    c->until = MAX (c->until, end);
}

static void
push (Cutter *c, guint span)
{
  const HostSpan *s = span_at (c->loaded, span);
  while (c->open->len && span_at (c->loaded, innermost (c)->span)->end < s->end)
    pop (c);
  const Open *outer = innermost (c);
  if (outer)
    put_segment (c, outer->at, s->start, outer->span);
  else if (s->start > c->until)
    put_segment (c, c->until, s->start, NOBODY);
  const Open open = { span, s->start };
  g_array_append_val (c->open, open);
}

static void
cut (const Loaded *l, Thread *t)
{
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (Open));
  Cutter c = { .loaded = l, .segments = t->segments, .open = open, .until = l->window->start };
  for (guint i = 0; i < t->spans->len; i++)
    push (&c, g_array_index (t->spans, guint, i));
  while (c.open->len)
    pop (&c);
}

/* -- From thread to thread --------------------------------------------------------------------- */

/* A span that only asks whether work has ended hands nothing over. */
static void
add_stops (Critical *self, Loaded *l, const Thread *t)
{
  for (guint i = 0; i < t->segments->len; i++) {
    const ThreadSegment *s = &g_array_index (t->segments, ThreadSegment, i);
    const HandOff stop = { s->end, t };
    if (s->span != NOBODY && call_kind (self, span_at (l, s->span)->name) != CALL_QUERY)
      g_array_append_val (l->stops, stop);
  }
}

/* When several threads stopped at one time, that which comes first in the profile is the last
 * here. */
static int
by_end (gconstpointer a, gconstpointer b)
{
  const HandOff *x = a, *y = b;
  if (x->thread->process != y->thread->process)
    return x->thread->process < y->thread->process ? -1 : 1;
  if (x->end != y->end)
    return x->end < y->end ? -1 : 1;
  return (x->thread->track < y->thread->track) - (x->thread->track > y->thread->track);
}

/* Finds the thread of its process that stopped last in (a, b] before it went on; the thread itself
 * rests in all of that time.  When several stopped at one time, the thread that comes first in the
 * profile is taken, since the order of loading depends on the window. */
HandOff
hand_off (const Loaded *l, const Thread *thread, gint64 a, gint64 b)
{
  const Thread first = { .process = thread->process }; /* no track is 0 */
  const HandOff until = { b, &first };
  guint low = 0, high = l->stops->len;
  while (low < high) {
    guint at = low + (high - low) / 2;
    if (by_end (&g_array_index (l->stops, HandOff, at), &until) <= 0)
      low = at + 1;
    else
      high = at;
  }
  for (; low > 0; low--) {
    const HandOff *s = &g_array_index (l->stops, HandOff, low - 1);
    if (s->thread->process != thread->process || s->end <= a)
      break;
    if (s->thread != thread)
      return (HandOff){ s->end, s->thread };
  }
  return (HandOff){ 0, NULL };
}

void
threads_find (Critical *self, Loaded *l)
{
  Thread *last = NULL;
  for (guint i = 0; i < l->spans->len; i++) {
    const HostSpan *s = span_at (l, i);
    if (!last || last->track != s->thread)
      last = thread_made (self, l, s->thread);
    if (is_activity (host_kind (self, s->category)))
      add_span (l, last, i);
    if (call_kind (self, s->name) == CALL_LOADER)
      note_loading (last, s);
  }
  if (l->window->thread)
    thread_made (self, l, l->window->thread); /* it may have no span */
  for (guint i = 0; i < l->threads->len; i++) {
    cut (l, g_ptr_array_index (l->threads, i));
    add_stops (self, l, g_ptr_array_index (l->threads, i));
  }
  g_array_sort (l->stops, by_end);
}
