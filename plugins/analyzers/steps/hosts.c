/* SPDX-License-Identifier: Apache-2.0 */
/* hosts.c - follows what each thread of a host did at each moment: the innermost of the spans under
 * way, that is the one that began last; of equal starts the shorter, of equal spans the later in
 * the file. */
#include "producers/own-frames.h"
#include "verdict.h"

#define CROWDED                                                                                    \
  1024u /* spans of a thread under way: so many are looked through for those that have ended */

typedef struct {
  gint64 start, end;
  nprof_str name;
  guint8 rank; /* how far it is from the user */
  guint32 mark;
  guint8 means;
  guint32 number; /* among operators whose bytes are known; 0: it is none */
  gint64 moves;
  bool is_operator;
} HostSpan;

/* -- Threads and processes -------------------------------------------------------------------- */

void
st_thread_free (gpointer thread)
{
  Thread *t = thread;
  if (!t)
    return;
  g_array_unref (t->open);
  g_array_unref (t->marks);
  g_array_unref (t->open_marks);
  g_array_unref (t->stood);
  g_array_unref (t->input);
  g_array_unref (t->prepares);
  g_array_unref (t->captures);
  an_series_clear (&t->segments);
  g_free (t);
}

void
st_process_free (gpointer process)
{
  Process *p = process;
  g_array_unref (p->steps);
  g_array_unref (p->iterations);
  g_ptr_array_unref (p->devices);
  g_free (p);
}

static Process *
process_of (Steps *self, nprof_track track)
{
  Process *p = g_hash_table_lookup (self->process_of, GUINT_TO_POINTER (track));
  if (p)
    return p;
  p = g_new0 (Process, 1);
  p->track = track;
  p->number = self->processes->len;
  p->steps = g_array_new (FALSE, FALSE, sizeof (guint));
  p->iterations = g_array_new (FALSE, FALSE, sizeof (AnServerStep));
  p->devices = g_ptr_array_new ();
  p->first_work = G_MAXINT64;
  g_ptr_array_add (self->processes, p);
  g_hash_table_insert (self->process_of, GUINT_TO_POINTER (track), p);
  return p;
}

Thread *
st_known_thread (const Steps *self, nprof_track track)
{
  return track < self->threads->len ? g_ptr_array_index (self->threads, track) : NULL;
}

Thread *
st_thread (Steps *self, nprof_track track)
{
  Thread *t = st_known_thread (self, track);
  if (t)
    return t;
  if (track >= self->threads->len)
    g_ptr_array_set_size (self->threads, (int) MAX (track + 1, self->threads->len * 2));
  self->threads->pdata[track] = t = g_new0 (Thread, 1);
  const struct nprof_track_info *info = self->host->track_info (self->host, track);
  t->track = track;
  t->process = process_of (self, info->process ? info->process : track);
  t->hosts = st_of_hosts (self, info->input);
  t->open = g_array_new (FALSE, FALSE, sizeof (HostSpan));
  t->crowded = CROWDED;
  t->marks = g_array_new (FALSE, FALSE, sizeof (Mark));
  t->open_marks = g_array_new (FALSE, FALSE, sizeof (guint));
  t->stood = g_array_new (FALSE, FALSE, sizeof (Stood));
  t->input = g_array_new (FALSE, FALSE, sizeof (Range));
  t->prepares = g_array_new (FALSE, FALSE, sizeof (Range));
  t->captures = g_array_new (FALSE, FALSE, sizeof (Range));
  t->capture = t->last_launch = t->last_compile = t->compiled_until = G_MININT64;
  t->ran = G_MAXINT64;
  an_series_init (&t->segments, sizeof (HostSegment));
  return t;
}

/* -- The innermost span ------------------------------------------------------------------------ */

static inline HostSpan *
span_at (const Thread *t, guint i)
{
  return &g_array_index (t->open, HostSpan, i);
}

/* Returns the name of the place of a span at a time: of it and those around it that are under way
 * the innermost of those that are nearest to the user. */
static nprof_str
place_of (const Thread *t, guint number, gint64 at)
{
  const HostSpan *place = span_at (t, number);
  while (place->rank != FRAME_RANK_OWN && number-- > 0) {
    const HostSpan *around = span_at (t, number);
    if (around->rank < place->rank && around->end > at)
      place = around;
  }
  return place->name;
}

/* Begins a segment that holds from `at` on, until another one begins. */
static void
begin_segment (Steps *self, Thread *t, gint64 at)
{
  HostSegment s = { .start = at };
  if (t->open->len) {
    const HostSpan *span = span_at (t, t->open->len - 1);
    s = (HostSegment){ at, place_of (t, t->open->len - 1, at), span->mark, span->means };
  }
  if (t->last && t->last->start == at) {
    *t->last = s;
    return;
  }
  if (t->last && t->last->name == s.name && t->last->mark == s.mark && t->last->means == s.means)
    return;
  if (t->last && t->last->mark)
    st_span_stood (t, t->last->mark, at - t->last->start);
  t->last = an_series_add (&t->segments, &self->store);
  *t->last = s;
}

/* Spans below the innermost may have ended before it. */
static void
end_spans (Steps *self, Thread *t, gint64 until)
{
  while (t->open->len && span_at (t, t->open->len - 1)->end <= until) {
    gint64 at = span_at (t, t->open->len - 1)->end;
    while (t->open->len && span_at (t, t->open->len - 1)->end <= at)
      t->open->len--; /* g_array_set_size takes ten times as long */
    begin_segment (self, t, at);
  }
}

/* Takes out spans that have ended below one that has not. They would never be the innermost again,
 * and where spans of a thread overlap there is always one above them. */
static void
drop_ended (Thread *t, gint64 until)
{
  guint n = 0;
  for (guint i = 0; i < t->open->len; i++)
    if (span_at (t, i)->end > until)
      *span_at (t, n++) = *span_at (t, i);
  t->open->len = n;
  t->crowded = MAX (CROWDED, 2 * n);
}

/* Puts a span, nearly always at the end: g_array_insert_val takes five times as long. */
static inline void
put_span (Thread *t, guint at, const HostSpan *span)
{
  g_array_append_vals (t->open, span, 1);
  for (guint i = t->open->len - 1; i > at; i--)
    *span_at (t, i) = *span_at (t, i - 1);
  *span_at (t, at) = *span;
}

/* Returns how far a span is from the user: frames of Python are not all his. */
static guint8
rank_of (Steps *self, const HostRow *row)
{
  const guint says = st_name_says (self->names_say, row->name, row->kind);
  return says & NAME_OF_RUNTIME   ? FRAME_RANK_RUNTIME
         : says & NAME_OF_KERNELS ? FRAME_RANK_KERNELS
                                  : FRAME_RANK_OWN;
}

/* Takes a row; they come by start alone. */
void
st_host_span (Steps *self, Thread *t, const HostRow *row)
{
  const gint64 start = row->start;
  guint32 mark;
  const guint8 means = st_span_begins (self, t, row, &mark);
  if (row->duration <= 0)
    return;
  end_spans (self, t, start);
  if (G_UNLIKELY (t->open->len >= t->crowded))
    drop_ended (t, start);
  const HostSpan span = { .start = start,
                          .end = start + row->duration,
                          .name = row->name,
                          .rank = rank_of (self, row),
                          .mark = mark,
                          .means = means,
                          .number = row->moves >= 0 ? ++self->n_operators : 0,
                          .moves = row->moves,
                          .is_operator = row->kind == AN_HOST_OPERATOR };
  guint at = t->open->len;
  while (at && span_at (t, at - 1)->start == start && span_at (t, at - 1)->end < span.end)
    at--;
  put_span (t, at, &span);
  if (mark)
    g_array_index (t->marks, Mark, mark - 1).place = place_of (t, at, start);
  begin_segment (self, t, start);
}

void
st_find_operator (const Thread *t, AnLaunch *launch)
{
  launch->compiled = launch->start < t->compiled_until;
  for (guint i = t->open->len; i-- > 0;) {
    const HostSpan *s = span_at (t, i);
    if (!s->is_operator || s->start > launch->start || s->end <= launch->start)
      continue;
    launch->operator_name = s->number ? s->name : 0;
    launch->operator_number = s->number;
    launch->moves = s->moves;
    return;
  }
}

void
st_hosts_end (Steps *self)
{
  for (guint i = 0; i < self->threads->len; i++) {
    Thread *t = g_ptr_array_index (self->threads, i);
    if (t)
      end_spans (self, t, G_MAXINT64);
  }
}

/* -- Steps ------------------------------------------------------------------------------------- */

void
st_host_step (Steps *self, Thread *t, const HostStep *step)
{
  Process *p = t->process;
  HostStep s = *step;
  guint number = self->host_steps->len;
  s.process = p->track;
  s.thread = t->track;
  s.last = G_MININT64;
  s.first = !p->steps->len;
  g_array_append_val (self->host_steps, s);
  g_array_append_val (p->steps, number);
}

static bool
is_in (const Steps *self, const Process *p, guint i, gint64 at)
{
  const HostStep *s = host_step_at (self, g_array_index (p->steps, guint, i));
  return s->start <= at && at < s->end;
}

/* Counts steps of a process that begin no later. */
static guint
steps_until (const Steps *self, const Process *p, gint64 at)
{
  guint low = 0, high = p->steps->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (host_step_at (self, g_array_index (p->steps, guint, middle))->start <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Returns the owner of work: most is launched in the step of the work before.  When steps of
 * several threads overlap, the first counts. */
guint32
st_owner (Steps *self, Thread *t, gint64 at)
{
  Process *p = t->process;
  if (!p->steps->len)
    return OWNER_NONE;
  guint n = steps_until (self, p, at);
  guint found = G_MAXUINT;
  for (guint i = n; i > 0 && i + 8 > n; i--)
    if (is_in (self, p, i - 1, at))
      found = i - 1;
  if (found == G_MAXUINT)
    return OWNER_NONE;
  return OWNER_STEP + g_array_index (p->steps, guint, found);
}
