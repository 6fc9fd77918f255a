/* SPDX-License-Identifier: Apache-2.0 */
/* why.c - why the last rank of a collective was late. Ends of collectives are common to all, so
 * each rank's own time from one to the next tells: who took longer than the others of the group, in
 * what. What came with an earlier collective is looked for there, with its last rank. No clock is
 * needed for it. */
#include "ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOISE 5000000.0   /* ps: less is explained well enough            */
#define LEAST_SPREAD 20e6 /* ps: by less nobody is late                    */
#define UNUSUAL 6         /* times the median distance from the median     */
#define MOST_HOPS 256u
#define MOST_CHARGES 64u
#define QUEUED 64u /* transfers of a group that one may wait behind */

/* A culprit is named if it has, with one group alone, more than this of the time of all
 * steps, or of one step by one collective, beyond what its ends differ by; or less, if it is
 * much more than noise gives others.  One group counts alone, because lateness spreads to
 * others and would count again.  source: generated jobs of 8 to 512 ranks with 0.2 to 3 %
 * noise and no plant (./dev bench ranks tells how often somebody is named) */
#define NAMED_SUM 0.10
#define NAMED_ONCE 0.03
#define STANDS_OUT_SUM 0.04
#define STANDS_OUT_OFTEN 0.005
#define STANDS_OUT_ONCE 0.02
#define TIMES_SUM 10 /* what the one has that is the fourth           */
#define TIMES_ONCE 2.5
#define OFTEN 40 /* collectives                                   */

static const char *const names[] = { "compute", "host", "copy", "network" };

const char *
cause_name (Cause cause)
{
  return names[cause];
}

/* -- Transfers --------------------------------------------------------------------------------- */

typedef struct {
  guint32 kind;
  double transfer;
} Transfer;

static int
by_kind (gconstpointer pa, gconstpointer pb)
{
  const Transfer *a = pa, *b = pb;
  if (a->kind != b->kind)
    return a->kind < b->kind ? -1 : 1;
  return a->transfer < b->transfer ? -1 : a->transfer > b->transfer;
}

/* Calls are of one kind when as much is sent, between as many ranks of as many hosts. */
static guint32
kind_of (Whole *w, guint32 number)
{
  const Call *call = job_call (w->job, number);
  return an_key_table_get (&w->kinds, (const guint32[]){ call_key (w->job, number)[C_SIGNATURE],
                                                         call->n, w->verdicts[number].clocks });
}

/* ps that ends of one call usually differ by. */
static double
noise_of (const Whole *w, guint32 signature)
{
  if (!isnan (w->end_spread[signature]))
    return w->end_spread[signature];
  return isnan (w->end_spread_of_all) ? 0 : w->end_spread_of_all;
}

/* all: of one kind, sorted. */
static void
find_usual_of (Whole *w, const Transfer *all, guint n)
{
  double ends = noise_of (w, an_key_table_key (&w->kinds, all->kind)[0]);
  g_autofree double *far = g_new (double, n);
  double usual = all[n / 2].transfer;
  for (guint i = 0; i < n; i++)
    far[i] = fabs (all[i].transfer - usual);
  w->usual[all->kind] = usual;
  w->usual_more[all->kind] = MAX (2 * ends, MAX (NOISE, UNUSUAL * quantile_of (far, n, 500)));
}

static void
find_usual (Whole *w)
{
  guint n = 0;
  g_autofree Transfer *all = g_new (Transfer, w->job->calls->len + 1);
  w->kind = g_new0 (guint32, w->job->calls->len + 1);
  for (guint i = 0; i < w->job->calls->len; i++)
    if (w->verdicts[i].told) {
      w->kind[i] = kind_of (w, i);
      all[n++] = (Transfer){ w->kind[i], (double) job_call (w->job, i)->shortest[0] };
    }
  w->usual = g_new0 (double, w->kinds.n + 1);
  w->usual_more = g_new0 (double, w->kinds.n + 1);
  qsort (all, n, sizeof *all, by_kind);
  for (guint i = 0, next; i < n; i = next) {
    for (next = i; next < n && all[next].kind == all[i].kind;)
      next++;
    find_usual_of (w, all + i, next - i);
  }
}

/* By how much its transfer was slower than those like it; 0: it was not. */
static double
slower (const Whole *w, guint32 call)
{
  if (!w->verdicts[call].told)
    return 0;
  double more = (double) job_call (w->job, call)->shortest[0] - w->usual[w->kind[call]];
  return more > w->usual_more[w->kind[call]] ? more : 0;
}

/* Looks at the call and those like it of its group before it in the step: a queue that waits is
 * behind all of them. */
static double
slower_until (const Whole *w, guint32 call)
{
  const guint32 *own = call_key (w->job, call);
  double sum = 0;
  guint at = w->call_place[call];
  for (guint k = 0; k < QUEUED && k <= at; k++) {
    guint32 other = w->calls[at - k];
    const guint32 *key = call_key (w->job, other);
    if (key[C_GROUP] != own[C_GROUP] || key[C_HOW] != own[C_HOW] || w->kind[other] != w->kind[call]
        || job_call (w->job, other)->step != job_call (w->job, call)->step)
      break;
    sum += slower (w, other);
  }
  return sum;
}

/* -- Charges ----------------------------------------------------------------------------------- */

typedef struct {
  guint32 who;
  Cause cause;
  double time;
} Charge;

typedef struct {
  const Whole *w;
  Charge charge[MOST_CHARGES];
  guint n, hops;
  double unknown; /* ps: what nobody answers for */
} Bill;

static void
charge (Bill *bill, guint32 who, Cause cause, double time)
{
  guint i = 0;
  while (i < bill->n && (bill->charge[i].who != who || bill->charge[i].cause != cause))
    i++;
  if (time <= 0)
    return;
  if (i == MOST_CHARGES) {
    bill->unknown += time;
    return;
  }
  if (i == bill->n)
    bill->charge[bill->n++] = (Charge){ who, cause, 0 };
  bill->charge[i].time += time;
}

/* By what the rank took longer than the mean of its group, the largest first. */
typedef struct {
  guint seg;
  double more;
} Excess;

static int
by_more (gconstpointer pa, gconstpointer pb)
{
  const Excess *a = pa, *b = pb;
  if (a->more != b->more)
    return a->more > b->more ? -1 : 1;
  return a->seg < b->seg ? -1 : a->seg > b->seg;
}

static const Cause cause_of[SEGS] = { BY_COMPUTE, CAUSES, BY_COPY, BY_HOST, CAUSES };

static double
behind_mean (const Call *call)
{
  return (double) call->total / call->n - (double) call->shortest[0];
}

typedef struct {
  guint32 call;
  double left;
} Visit;

/* For a wait for other collectives their group answers: the transfers that were slow, then whoever
 * was the last in the one that was waited for. To wait for one that went as it always goes is
 * nobody's fault. */
static Visit
charge_beside (Bill *bill, const Call *call, double time)
{
  const Visit nowhere = { 0, 0 };
  if (!call->window.beside) {
    bill->unknown += time;
    return nowhere;
  }
  guint32 beside = call->window.beside - 1;
  double slow = MIN (time, slower_until (bill->w, beside));
  charge (bill, call_key (bill->w->job, beside)[C_GROUP], BY_NETWORK, slow);
  time -= slow;
  const Call *other = job_call (bill->w->job, beside);
  double late = bill->w->verdicts[beside].told ? MIN (time, behind_mean (other)) : 0;
  bill->unknown += late > NOISE ? time - late : time;
  return late > NOISE ? (Visit){ beside, late } : nowhere;
}

/* Returns what is left to explain. */
static double
charge_window (Bill *bill, const Call *call, double left, Visit *beside)
{
  Excess excess[SEGS];
  for (guint i = 0; i < SEGS; i++)
    excess[i] = (Excess){ i, (double) call->window.seg[i] - (double) call->seg[i] / call->n };
  qsort (excess, SEGS, sizeof *excess, by_more);
  for (guint i = 0; i < SEGS && excess[i].more > 0; i++) {
    double time = MIN (excess[i].more, left);
    left -= time;
    if (excess[i].seg == SEG_IDLE)
      bill->unknown += time; /* its work was launched: it is unknown what it waited for */
    else if (excess[i].seg == SEG_COLLECTIVE)
      *beside = charge_beside (bill, call, time);
    else
      charge (bill, call->first[0], cause_of[excess[i].seg], time);
  }
  return left;
}

/* Windows that begin with calls of one group, but not with the same, are not of one length: a
 * record was lost, or ranks do different things. */
static bool
windows_compare (const Call *call)
{
  return !call->mixed || (call->mixed & MIXED_GROUPS && !(call->mixed & MIXED_SIGNATURES));
}

static bool
goes_on (const Bill *bill, const Call *call)
{
  return call->window.before && bill->w->verdicts[call->window.before - 1].told;
}

/* From the last rank back through the collectives that it waited for, until the capture begins, or
 * one of which it is unknown who was late. */
static void
walk (Bill *bill, Visit at)
{
  const Whole *w = bill->w;
  for (bool first = true; bill->hops && at.left > NOISE; first = false) {
    const Call *call = job_call (w->job, at.call);
    Visit beside = { 0, 0 };
    bill->hops--;
    double slow = first ? 0 : MIN (at.left, slower (w, at.call));
    charge (bill, call_key (w->job, at.call)[C_GROUP], BY_NETWORK, slow);
    at.left -= slow;
    if (!call->window.has || call->n_windows < call->n || !windows_compare (call))
      break;
    at.left = charge_window (bill, call, at.left, &beside);
    if (beside.left > NOISE)
      walk (bill, beside);
    if (!goes_on (bill, call))
      break;
    at.call = call->window.before - 1;
  }
  bill->unknown += at.left;
}

/* -- Culprits ---------------------------------------------------------------------------------- */

static Culprit *
culprit_of (Whole *w, const Charge *charge)
{
  for (guint i = 0; i < w->culprits->len; i++) {
    Culprit *c = &g_array_index (w->culprits, Culprit, i);
    if (c->who == charge->who && c->cause == charge->cause)
      return c;
  }
  const Culprit c = { .who = charge->who,
                      .cause = charge->cause,
                      .steps = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL),
                      .groups = g_hash_table_new_full (NULL, NULL, NULL, g_free) };
  g_array_append_val (w->culprits, c);
  return &g_array_index (w->culprits, Culprit, w->culprits->len - 1);
}

static int
by_blame (const Whole *w, const Charge *a, const Charge *b)
{
  if (a->time != b->time)
    return a->time > b->time ? -1 : 1;
  if (a->cause != b->cause)
    return a->cause < b->cause ? -1 : 1;
  return a->cause == BY_NETWORK ? job_compare_groups (w->job, a->who, b->who)
                                : job_compare_ranks (w->job, a->who, b->who);
}

DistSum
cost_of (const Call *call)
{
  DistSum waited = call->total - (DistSum) call->shortest[0] * call->n;
  return MIN (waited, call->exposed);
}

static void
add_to_group (Culprit *c, guint32 group, gint64 late)
{
  DistSum *sum = g_hash_table_lookup (c->groups, GUINT_TO_POINTER (group));
  if (!sum)
    g_hash_table_insert (c->groups, GUINT_TO_POINTER (group), sum = g_new0 (DistSum, 1));
  *sum += late;
  c->most_of_group = MAX (c->most_of_group, *sum);
}

static void
blame (Whole *w, guint32 number, const Charge *charge)
{
  const Call *call = job_call (w->job, number);
  Culprit *c = culprit_of (w, charge);
  gint64 late = call->longest - call->shortest[0];
  double noise = noise_of (w, call_key (w->job, number)[C_SIGNATURE]);
  w->verdicts[number].culprit = 1 + (guint32) (c - (Culprit *) (void *) w->culprits->data);
  c->collectives++;
  c->last += charge->cause != BY_NETWORK && call->first[0] == charge->who;
  c->late += late;
  c->cost += cost_of (call);
  c->gain += call->shortest[1] - call->shortest[0];
  c->most = MAX (c->most, late - (gint64) noise);
  add_to_group (c, call_key (w->job, number)[C_GROUP], late);
  if (call->step != NO_STEP)
    g_hash_table_add (c->steps, g_memdup2 (&call->step, sizeof call->step));
}

static bool
is_late (const Whole *w, guint32 number)
{
  const Call *call = job_call (w->job, number);
  double noise = noise_of (w, call_key (w->job, number)[C_SIGNATURE]);
  return w->verdicts[number].told
         && (double) (call->longest - call->shortest[0]) > MAX (LEAST_SPREAD, 2 * noise);
}

/* Its last rank is known although nothing shows why, as of the first call of a capture. */
static void
note_unexplained (Whole *w, guint32 number)
{
  const Call *call = job_call (w->job, number);
  double noise = noise_of (w, call_key (w->job, number)[C_SIGNATURE]);
  double time = (double) (call->longest - call->shortest[0]) - noise;
  if (w->one_step && time > NAMED_ONCE * w->one_step && time > w->unexplained.time)
    w->unexplained = (Unexplained){ call->first[0], time };
}

static void
judge_call (Whole *w, guint32 number)
{
  Bill bill = { .w = w, .hops = MOST_HOPS };
  guint worst = 0;
  walk (&bill, (Visit){ number, behind_mean (job_call (w->job, number)) });
  for (guint i = 1; i < bill.n; i++)
    if (by_blame (w, &bill.charge[i], &bill.charge[worst]) < 0)
      worst = i;
  if (bill.n && bill.charge[worst].time > bill.unknown)
    blame (w, number, &bill.charge[worst]);
  else
    note_unexplained (w, number);
}

static int
by_late (gconstpointer pa, gconstpointer pb, gpointer user)
{
  const Culprit *a = *(const Culprit *const *) pa, *b = *(const Culprit *const *) pb;
  const Charge x = { a->who, a->cause, 0 }, y = { b->who, b->cause, 0 };
  if (a->late != b->late)
    return a->late > b->late ? -1 : 1;
  return by_blame (user, &x, &y);
}

Culprit **
culprits_in_order (const Whole *w)
{
  guint n = w->culprits->len;
  Culprit **order = g_new (Culprit *, n + 1);
  for (guint i = 0; i < n; i++)
    order[i] = &g_array_index (w->culprits, Culprit, i);
  g_qsort_with_data (order, (gint) n, sizeof *order, by_late, (gpointer) w);
  return order;
}

static double
share_of (const Whole *w, const Culprit *c)
{
  return w->step_time ? (double) c->most_of_group / w->step_time : 0;
}

static double
once_of (const Whole *w, const Culprit *c)
{
  return w->one_step ? (double) c->most / w->one_step : 0;
}

/* Returns the value of the fourth: three may be culprits, and all behind them are noise. */
static double
fourth (const Whole *w, double (*value) (const Whole *, const Culprit *))
{
  guint n = w->culprits->len;
  g_autofree double *values = g_new (double, n + 1);
  for (guint i = 0; i < n; i++)
    values[i] = -value (w, &g_array_index (w->culprits, Culprit, i));
  sort_doubles (values, n);
  return n < 4 ? 0 : -values[3];
}

static void
name_culprits (Whole *w)
{
  double usual_sum = fourth (w, share_of), usual_once = fourth (w, once_of);
  for (guint i = 0; i < w->culprits->len; i++) {
    Culprit *c = &g_array_index (w->culprits, Culprit, i);
    double share = share_of (w, c), once = once_of (w, c);
    double least = c->collectives >= OFTEN ? STANDS_OUT_OFTEN : STANDS_OUT_SUM;
    c->named = share > NAMED_SUM || once > NAMED_ONCE
               || (share > least && share > TIMES_SUM * usual_sum)
               || (once > STANDS_OUT_ONCE && once > TIMES_ONCE * usual_once);
  }
}

static void
sum_groups (Whole *w)
{
  for (guint i = 0; i < w->job->calls->len; i++) {
    GroupSum *g = &w->groups[call_key (w->job, i)[C_GROUP]];
    const Call *call = job_call (w->job, i);
    if (!call_counts (w, i))
      continue;
    g->collectives++;
    g->complete += w->verdicts[i].complete;
    g->transfer += w->verdicts[i].complete ? call->shortest[0] : 0;
    g->exposed += call->exposed;
    g->late += w->verdicts[i].told ? call->longest - call->shortest[0] : 0;
  }
}

void
find_causes (Whole *w)
{
  find_usual (w);
  sum_groups (w);
  for (guint i = 0; i < w->job->calls->len; i++)
    if (call_counts (w, w->calls[i]) && is_late (w, w->calls[i]))
      judge_call (w, w->calls[i]);
  name_culprits (w);
}
