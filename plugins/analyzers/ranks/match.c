/* SPDX-License-Identifier: Apache-2.0 */
/* match.c - which collectives are known of all their ranks, so that something can be said of who
 * was late, and who came last. Calls that nobody numbered were counted: where one was lost the
 * count is wrong. */
#include "ranks.h"

#include <math.h>

/* Calls of one group that are counted alike: from..to of those in order. */
typedef struct {
  guint from, to;
  gint64 expected; /* ranks */
} Run;

static bool
same_count (const Job *job, guint32 a, guint32 b, bool with_step, bool with_number)
{
  const guint32 *x = call_key (job, a), *y = call_key (job, b);
  return x[C_GROUP] == y[C_GROUP] && x[C_HOW] == y[C_HOW]
         && (!with_step || key_number (x, C_STEP_LOW) == key_number (y, C_STEP_LOW))
         && (!with_number || key_number (x, C_NUMBER_LOW) == key_number (y, C_NUMBER_LOW));
}

/* Those that have one number; more than one when ranks differ in what it was. */
static guint
end_of_number (const Whole *w, guint from, guint to, gint64 *seen)
{
  guint i = from;
  for (*seen = 0; i < to && same_count (w->job, w->calls[i], w->calls[from], true, true); i++)
    *seen += job_call (w->job, w->calls[i])->n;
  return i;
}

static void
set_complete (Whole *w, guint from, guint to, bool complete)
{
  for (guint i = from; i < to; i++)
    w->verdicts[w->calls[i]].complete = complete;
}

/* One that not all ranks have: in which step every later one may be counted wrong. */
static void
match_step (Whole *w, guint from, guint to, gint64 expected)
{
  bool all = true;
  for (guint i = from; i < to;) {
    gint64 seen;
    guint next = end_of_number (w, i, to, &seen);
    all = all && next == i + 1 && seen == expected;
    i = next;
  }
  set_complete (w, from, to, all);
}

static void
match_steps (Whole *w, Run run)
{
  for (guint i = run.from, next; i < run.to; i = next) {
    for (next = i; next < run.to && same_count (w->job, w->calls[i], w->calls[next], true, false);)
      next++;
    match_step (w, i, next, run.expected);
  }
}

static void
match_sequence (Whole *w, Run run)
{
  for (guint i = run.from, next; i < run.to; i = next) {
    gint64 seen;
    next = end_of_number (w, i, run.to, &seen);
    set_complete (w, i, next, next == i + 1 && seen == run.expected);
  }
}

/* Until ranks differ in what they did.  Where one has fewer, it is unknown which are missing. */
static void
match_capture (Whole *w, Run run)
{
  guint i = run.from;
  while (i < run.to) {
    gint64 seen;
    guint next = end_of_number (w, i, run.to, &seen);
    if (seen != run.expected)
      i = run.from;
    if (seen != run.expected || next != i + 1)
      break;
    i = next;
  }
  set_complete (w, run.from, i, true);
}

/* Calls without a group are one group of all ranks, when no call of the job has one. */
static gint64
expected_of (const Whole *w, Run run)
{
  const Job *job = w->job;
  guint32 group = call_key (job, w->calls[run.from])[C_GROUP];
  if (group == NO_GROUP)
    return job->group_keys.n > 1 ? -1 : (gint64) job->ranks->len;
  gint64 most = group_key (job, group)[G_SIZE];
  for (guint i = run.from; i < run.to && !group_key (job, group)[G_SIZE]; i++)
    most = MAX (most, job_call (job, w->calls[i])->n);
  return most;
}

static void
match_run (Whole *w, Run run)
{
  const guint32 *key = call_key (w->job, w->calls[run.from]);
  run.expected = expected_of (w, run);
  switch ((How) (key[C_HOW] & ~HOW_P2P)) {
  case BY_SEQUENCE:
    match_sequence (w, run);
    break;
  case BY_STEP:
    match_steps (w, run);
    break;
  default:
    match_capture (w, run);
  }
  GroupSum *g = &w->groups[key[C_GROUP]];
  g->size = group_key (w->job, key[C_GROUP])[G_SIZE];
  for (guint i = run.from; i < run.to; i++) {
    const Call *call = job_call (w->job, w->calls[i]);
    Verdict *v = &w->verdicts[w->calls[i]];
    v->complete = v->complete && call->n > 1;
    v->barrier = is_barrier (w->job, call_key (w->job, w->calls[i])[C_SIGNATURE]);
    g->seen = MAX (g->seen, call->n);
  }
}

void
match_calls (Whole *w)
{
  guint n = w->job->calls->len;
  for (guint i = 0, next; i < n; i = next) {
    for (next = i; next < n && same_count (w->job, w->calls[i], w->calls[next], false, false);)
      next++;
    match_run (w, (Run){ i, next, 0 });
  }
}

/* -- Who came last ----------------------------------------------------------------------------- */

/* Sets newest and started to those of the call, whatever the order in which its ranks came; returns
 * on how many clocks it has a start. */
static guint
find_starts (Whole *w, const Call *call)
{
  const Job *job = w->job;
  for (guint i = 0; i < w->n_started; i++)
    w->newest[w->started[i]] = NULL;
  w->n_started = 0;
  for (guint32 i = call->starts; i;) {
    const Start *s = &g_array_index (job->starts, Start, i - 1);
    guint32 clock = job_rank (job, s->rank)->clock;
    const Start *was = w->newest[clock];
    int order = was ? job_compare_starts (job, s, was) : 1;
    if (!was)
      w->started[w->n_started++] = clock;
    if (order > 0 || (order == 0 && w->rank_place[s->rank] < w->rank_place[was->rank]))
      w->newest[clock] = s;
    i = s->next;
  }
  return w->n_started;
}

/* Its rank by starts on one clock; 0: its clocks are not known. */
static guint32
last_to_start (Whole *w, const Call *call)
{
  guint n = find_starts (w, call);
  guint32 last = 0;
  double latest = 0;
  guint component = 0;
  for (guint i = 0; i < n; i++) {
    const Start *s = w->newest[w->started[i]];
    const Clock *clock = clock_of (w, s->rank);
    double at = aligned (w, s->rank, s->at);
    if (n > 1 && !w->one_clock
        && (!clock->component || (component && clock->component != component)))
      return 0;
    component = clock->component;
    if (!last || at > latest
        || (at == latest && w->rank_place[s->rank] < w->rank_place[last - 1])) {
      last = 1 + s->rank;
      latest = at;
    }
  }
  return last;
}

/* A rank that is the last waits least, by whatever clock. */
void
find_last (Whole *w)
{
  for (guint i = 0; i < w->job->calls->len; i++) {
    Verdict *v = &w->verdicts[i];
    const Call *call = job_call (w->job, i);
    const guint32 *key = call_key (w->job, i);
    v->told = v->complete && v->barrier && !w->groups[key[C_GROUP]].left_out;
    if (!v->complete || w->groups[key[C_GROUP]].left_out || key[C_HOW] & HOW_P2P)
      continue;
    v->last = last_to_start (w, call);
    v->clocks = w->n_started;
    if (!v->last && v->barrier)
      v->last = 1 + call->first[0];
  }
}
