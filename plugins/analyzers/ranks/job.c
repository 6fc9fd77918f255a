/* SPDX-License-Identifier: Apache-2.0 */
/* job.c - takes ranks and calls together, and puts all in an order of its own. */
#include "job.h"

#include <stdlib.h>
#include <string.h>

enum {
  R_INPUT,
  R_HOST,
  R_DEVICE,
  R_NUMBER_LOW,
  R_NUMBER_HIGH,
  R_ORIGIN_LOW,
  R_ORIGIN_HIGH,
  R_WORDS
};
enum { O_NAME, O_CATEGORY, O_WORDS };

static void
rank_free (gpointer data)
{
  Rank *rank = data;
  g_array_unref (rank->steps);
  g_array_unref (rank->operators);
  g_array_unref (rank->anchors);
  g_free (rank);
}

void
job_init (Job *job, const struct nprof_host *host)
{
  job->host = host;
  an_key_table_init (&job->group_keys, G_WORDS);
  an_key_table_init (&job->signature_keys, S_WORDS);
  an_key_table_init (&job->call_keys, C_WORDS);
  an_key_table_init (&job->operator_keys, O_WORDS);
  an_key_table_init (&job->rank_keys, R_WORDS);
  job->calls = g_array_new (FALSE, FALSE, sizeof (Call));
  job->starts = g_array_new (FALSE, FALSE, sizeof (Start));
  job->ranks = g_ptr_array_new_with_free_func (rank_free);
  static const guint32 nobody[G_WORDS];
  an_key_table_get (&job->group_keys, nobody);
}

void
job_clear (Job *job)
{
  if (!job->ranks)
    return;
  an_key_table_clear (&job->group_keys);
  an_key_table_clear (&job->signature_keys);
  an_key_table_clear (&job->call_keys);
  an_key_table_clear (&job->operator_keys);
  an_key_table_clear (&job->rank_keys);
  g_array_unref (job->calls);
  g_array_unref (job->starts);
  g_clear_pointer (&job->ranks, g_ptr_array_unref);
}

/* -- Ranks ------------------------------------------------------------------------------------- */

static Rank *
rank_new (const Rank *who)
{
  Rank *rank = g_new0 (Rank, 1);
  rank->input = who->input;
  rank->host = who->host;
  rank->device = who->device;
  rank->number = who->number;
  rank->origin = who->origin;
  rank->steps = g_array_new (FALSE, FALSE, sizeof (RankStep));
  rank->operators = g_array_new (FALSE, FALSE, sizeof (RankOperator));
  rank->anchors = g_array_new (FALSE, FALSE, sizeof (Anchor));
  return rank;
}

/* A sum that wraps around is no time that a profile has, and it wraps alike in any order. */
static gint64
plus (gint64 a, gint64 b)
{
  return (gint64) ((guint64) a + (guint64) b);
}

guint32
job_rank_of (Job *job, const Rank *who)
{
  guint32 key[R_WORDS] = { who->input, who->host, who->device };
  set_key_number (key, R_NUMBER_LOW, who->number);
  set_key_number (key, R_ORIGIN_LOW, who->origin);
  guint number = an_key_table_get (&job->rank_keys, key);
  if (number == job->ranks->len)
    g_ptr_array_add (job->ranks, rank_new (who));
  Rank *rank = job_rank (job, number);
  rank->world = MAX (rank->world, who->world);
  rank->span = plus (rank->span, who->span);
  rank->busy = plus (rank->busy, who->busy);
  rank->compute = plus (rank->compute, who->compute);
  rank->communication = plus (rank->communication, who->communication);
  rank->exposed = plus (rank->exposed, who->exposed);
  rank->idle = plus (rank->idle, who->idle);
  rank->bare += who->bare;
  rank->bare_ps = plus (rank->bare_ps, who->bare_ps);
  rank->outside += who->outside;
  return number;
}

RankOperator *
rank_operator (Rank *rank, guint32 operator)
{
  for (guint i = 0; i < rank->operators->len; i++)
    if (g_array_index (rank->operators, RankOperator, i).operator== operator)
      return &g_array_index (rank->operators, RankOperator, i);
  const RankOperator none = { .operator= operator};
  g_array_append_val (rank->operators, none);
  return &g_array_index (rank->operators, RankOperator, rank->operators->len - 1);
}

void
rank_operator_take (RankOperator *operator, DistSum ps)
{
  operator->total = (guint64) MIN (operator->total + ps, (DistSum) G_MAXUINT64);
}

static RankStep *
find_step (const Rank *rank, gint64 number, guint *at)
{
  guint low = 0, high = rank->steps->len;
  while (low < high) {
    guint middle = (low + high) / 2;
    if (g_array_index (rank->steps, RankStep, middle).number < number)
      low = middle + 1;
    else
      high = middle;
  }
  *at = low;
  RankStep *step = low < rank->steps->len ? &g_array_index (rank->steps, RankStep, low) : NULL;
  return step && step->number == number ? step : NULL;
}

void
rank_add_step (Rank *rank, const RankStep *step)
{
  guint at;
  RankStep *known = find_step (rank, step->number, &at);
  if (!known) {
    g_array_insert_vals (rank->steps, at, step, 1);
    return;
  }
  known->start = MIN (known->start, step->start);
  known->end = MAX (known->end, step->end);
  known->compute = plus (known->compute, step->compute);
  known->exposed = plus (known->exposed, step->exposed);
  known->copy = plus (known->copy, step->copy);
  known->idle = plus (known->idle, step->idle);
}

void
rank_add_anchor (Rank *rank, const Anchor *anchor)
{
  g_array_append_vals (rank->anchors, anchor, 1);
}

/* -- Calls ------------------------------------------------------------------------------------- */

guint32
job_call_of (Job *job, const guint32 *key)
{
  guint number = an_key_table_get (&job->call_keys, key);
  if (number == job->calls->len) {
    const Call none = { .step = NO_STEP };
    g_array_append_val (job->calls, none);
  }
  return number;
}

static int
compare_numbers (gint64 a, gint64 b)
{
  return a < b ? -1 : a > b;
}

static int
compare_counts (guint64 a, guint64 b)
{
  return a < b ? -1 : a > b;
}

static int
compare_call_refs (const Job *job, guint32 a, guint32 b)
{
  return a == b ? 0 : !a || !b ? (a ? 1 : -1) : job_compare_calls (job, a - 1, b - 1);
}

/* Only where one rank has a call twice, or two have all alike. */
static int
compare_windows (const Job *job, const Window *a, const Window *b)
{
  int order = (int) b->has - (int) a->has;
  for (guint i = 0; i < SEGS && !order; i++)
    order = compare_numbers (a->seg[i], b->seg[i]);
  if (!order)
    order = compare_call_refs (job, a->before, b->before);
  return order ? order : compare_call_refs (job, a->beside, b->beside);
}

static bool
comes_first (const Job *job, const Call *a, guint i, const Call *b, guint k)
{
  if (a->shortest[i] != b->shortest[k])
    return a->shortest[i] < b->shortest[k];
  int order = job_compare_ranks (job, a->first[i], b->first[k]);
  return order ? order < 0 : i == 0 && k == 0 && compare_windows (job, &a->window, &b->window) < 0;
}

static void
merge_first (const Job *job, Call *to, const Call *from)
{
  if (to->n > 1 && from->shortest[0] > to->shortest[1])
    return;
  const Call was = *to, *side[2] = { &was, from };
  guint at[2] = { 0, 0 };
  for (guint k = 0; k < 2 && k < to->n + from->n; k++) {
    bool has[2] = { at[0] < MIN (was.n, 2), at[1] < MIN (from->n, 2) };
    guint take = !has[0] || (has[1] && comes_first (job, from, at[1], &was, at[0]));
    to->shortest[k] = side[take]->shortest[at[take]];
    to->first[k] = side[take]->first[at[take]];
    if (k == 0) {
      to->window = side[take]->window;
      to->end = side[take]->end;
    }
    at[take]++;
  }
}

static void
add_start (Job *job, Call *call, Start start)
{
  if (call->starts) {
    Start *last = &g_array_index (job->starts, Start, call->starts - 1);
    if (job_same_clock (job, last->rank, start.rank)) {
      int order = job_compare_starts (job, &start, last);
      if (order > 0 || (order == 0 && job_compare_ranks (job, start.rank, last->rank) < 0)) {
        last->at = start.at;
        last->rank = start.rank;
      }
      return;
    }
  }
  start.next = call->starts;
  g_array_append_val (job->starts, start);
  call->starts = job->starts->len;
}

static void
add_sum (DistSum *sum, DistSum more)
{
  *sum = (DistSum) ((unsigned __int128) *sum + (unsigned __int128) more);
}

static guint32
mixed_by (const Job *job, guint32 a, guint32 b)
{
  if (a == b)
    return 0;
  if (!a || !b)
    return ALL_MIXED;
  const guint32 *x = call_key (job, a - 1), *y = call_key (job, b - 1);
  return MIXED_CALLS | (x[C_GROUP] != y[C_GROUP] ? MIXED_GROUPS : 0u)
         | (x[C_SIGNATURE] != y[C_SIGNATURE] ? MIXED_SIGNATURES : 0u);
}

void
job_add_call (Job *job, guint32 number, const Call *part, const Start *starts, guint n_starts)
{
  Call *call = job_call (job, number);
  call->mixed |= part->mixed;
  if (call->n)
    call->mixed |= mixed_by (job, call->window.before, part->window.before);
  merge_first (job, call, part);
  call->n += part->n;
  call->n_windows += part->n_windows;
  add_sum (&call->total, part->total);
  add_sum (&call->exposed, part->exposed);
  for (guint i = 0; i < SEGS; i++)
    add_sum (&call->seg[i], part->seg[i]);
  call->longest = MAX (call->longest, part->longest);
  call->step = MAX (call->step, part->step);
  for (guint i = 0; i < n_starts; i++)
    add_start (job, call, starts[i]);
}

/* -- Order ------------------------------------------------------------------------------------- */

int
job_compare_texts (const Job *job, nprof_str a, nprof_str b)
{
  return a == b ? 0 : strcmp (nprof_text (job->host, a), nprof_text (job->host, b));
}

static int
compare_words (const Job *job, const guint32 *a, const guint32 *b, guint n, guint32 texts)
{
  int order = 0;
  for (guint i = 0; i < n && !order; i++)
    if (a[i] != b[i])
      order = texts >> i & 1 ? job_compare_texts (job, a[i], b[i]) : compare_counts (a[i], b[i]);
  return order;
}

int
job_compare_groups (const Job *job, guint32 a, guint32 b)
{
  return compare_words (job, group_key (job, a), group_key (job, b), G_WORDS,
                        1u << G_COMMUNICATOR | 1u << G_NAME | 1u << G_LABEL | 1u << G_MEMBERS);
}

int
job_compare_signatures (const Job *job, guint32 a, guint32 b)
{
  return compare_words (job, signature_key (job, a), signature_key (job, b), S_WORDS,
                        1u << S_NAME | 1u << S_DTYPE);
}

int
job_compare_operators (const Job *job, guint32 a, guint32 b)
{
  return compare_words (job, an_key_table_key (&job->operator_keys, a),
                        an_key_table_key (&job->operator_keys, b), O_WORDS, 3);
}

/* Digits within names count as numbers. */
static int
compare_names (const Job *job, nprof_str a, nprof_str b)
{
  int order = strverscmp (nprof_text (job->host, a), nprof_text (job->host, b));
  return order ? order : job_compare_texts (job, a, b);
}

int
job_compare_who (const Job *job, const Rank *x, const Rank *y)
{
  bool unknown = x->number == NO_RANK;
  int order = unknown - (y->number == NO_RANK);
  if (!order)
    order = compare_numbers (x->number, y->number);
  if (!order)
    order = compare_names (job, x->host, y->host);
  if (!order)
    order = compare_names (job, x->input, y->input);
  if (!order)
    order = compare_names (job, x->device, y->device);
  return order ? order : compare_numbers (x->origin, y->origin);
}

int
job_compare_ranks (const Job *job, guint32 a, guint32 b)
{
  return a == b ? 0 : job_compare_who (job, job_rank (job, a), job_rank (job, b));
}

/* In a group those of one count follow each other. */
int
job_compare_calls (const Job *job, guint32 a, guint32 b)
{
  const guint32 *x = call_key (job, a), *y = call_key (job, b);
  if (x[C_GROUP] != y[C_GROUP])
    return job_compare_groups (job, x[C_GROUP], y[C_GROUP]);
  int order = compare_counts (x[C_HOW], y[C_HOW]);
  if (!order)
    order = compare_numbers (key_number (x, C_STEP_LOW), key_number (y, C_STEP_LOW));
  if (!order)
    order = compare_numbers (key_number (x, C_NUMBER_LOW), key_number (y, C_NUMBER_LOW));
  return order || x[C_SIGNATURE] == y[C_SIGNATURE]
             ? order
             : job_compare_signatures (job, x[C_SIGNATURE], y[C_SIGNATURE]);
}

typedef struct {
  const Job *job;
  int (*compare) (const Job *, guint32, guint32);
} Ordering;

static int
by_ordering (gconstpointer a, gconstpointer b, gpointer user)
{
  const Ordering *o = user;
  return o->compare (o->job, *(const guint32 *) a, *(const guint32 *) b);
}

guint32 *
job_sorted (const Job *job, guint n, int (*compare) (const Job *, guint32, guint32))
{
  guint32 *sorted = g_new (guint32, n + 1);
  for (guint i = 0; i < n; i++)
    sorted[i] = i;
  Ordering ordering = { job, compare };
  g_qsort_with_data (sorted, (gint) n, sizeof *sorted, by_ordering, &ordering);
  return sorted;
}

guint32 *
job_places (const guint32 *sorted, guint n)
{
  guint32 *places = g_new (guint32, n + 1);
  for (guint i = 0; i < n; i++)
    places[sorted[i]] = i;
  return places;
}

/* Returns whether its times are those of the clock of its host. */
static bool
has_date (const Rank *rank)
{
  return rank->host && rank->origin != NPROF_NO_EPOCH;
}

bool
job_same_clock (const Job *job, guint32 a, guint32 b)
{
  const Rank *x = job_rank (job, a), *y = job_rank (job, b);
  if (!has_date (x) || !has_date (y))
    return x->input == y->input && x->host == y->host && x->origin == y->origin;
  return x->host == y->host;
}

int
job_compare_starts (const Job *job, const Start *a, const Start *b)
{
  const Rank *x = job_rank (job, a->rank), *y = job_rank (job, b->rank);
  DistSum later = a->at - (DistSum) b->at;
  if (x->origin != y->origin)
    later += (x->origin - (DistSum) y->origin) * 1000;
  return later < 0 ? -1 : later > 0;
}

static int
by_clock (gconstpointer a, gconstpointer b, gpointer user)
{
  const Job *job = user;
  const Start *s = a, *t = b;
  const Rank *x = job_rank (job, s->rank), *y = job_rank (job, t->rank);
  int order = job_compare_texts (job, x->host, y->host);
  if (!order)
    order = has_date (y) - has_date (x);
  if (!order && !has_date (x))
    order = job_compare_texts (job, x->input, y->input);
  if (!order && !has_date (x))
    order = compare_numbers (x->origin, y->origin);
  if (!order)
    order = job_compare_starts (job, t, s);
  return order ? order : job_compare_ranks (job, s->rank, t->rank);
}

GArray *
job_starts (const Job *job, const Call *call)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Start));
  for (guint32 i = call->starts; i; i = g_array_index (job->starts, Start, i - 1).next)
    g_array_append_vals (all, &g_array_index (job->starts, Start, i - 1), 1);
  if (all->len < 2)
    return all;
  g_array_sort_with_data (all, by_clock, (gpointer) job);
  guint n = 1;
  for (guint i = 1; i < all->len; i++) {
    const Start *last = &g_array_index (all, Start, n - 1), *s = &g_array_index (all, Start, i);
    if (!job_same_clock (job, last->rank, s->rank))
      g_array_index (all, Start, n++) = *s;
  }
  g_array_set_size (all, n);
  return all;
}
