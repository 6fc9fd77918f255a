/* SPDX-License-Identifier: Apache-2.0 */
/* leaf.c - what one device did becomes a rank of the job: its times, steps and operators, and its
 * collectives, each with what the device did before it. */
#include "ranks.h"

#include <string.h>

#define MOST_CALLS 65536u /* of a rank; beyond that whole steps of the middle are left out */

/* -- Order and keys of collectives ------------------------------------------------------------- */

static int
by_start (gconstpointer pa, gconstpointer pb)
{
  const Seen *a = pa, *b = pb;
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  if (a->launch != b->launch)
    return a->launch < b->launch ? -1 : 1;
  return a->end < b->end ? -1 : a->end > b->end;
}

static int
by_kernel_start (gconstpointer pa, gconstpointer pb)
{
  const Kernel *a = pa, *b = pb;
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  return a->end < b->end ? -1 : a->end > b->end;
}

enum { P_GROUP, P_P2P, P_SEQUENCE_LOW, P_SEQUENCE_HIGH, P_WORDS };

/* Kernels of one number are one call, from the first start to the last end. */
static void
join_kernels (Device *d)
{
  AnKeyTable keys;
  g_autoptr (GArray) at = g_array_new (FALSE, FALSE, sizeof (guint));
  guint n = 0;
  an_key_table_init (&keys, P_WORDS);
  for (guint i = 0; i < d->seen->len; i++) {
    const Seen seen = g_array_index (d->seen, Seen, i);
    if (seen.sequence >= 0) {
      guint32 key[P_WORDS] = { seen.group, seen.p2p };
      set_key_number (key, P_SEQUENCE_LOW, seen.sequence);
      guint number = an_key_table_get (&keys, key);
      if (number < at->len) {
        Seen *first = &g_array_index (d->seen, Seen, g_array_index (at, guint, number));
        first->end = MAX (first->end, seen.end);
        first->kernels++;
        continue;
      }
      g_array_append_val (at, n);
    }
    g_array_index (d->seen, Seen, n++) = seen;
  }
  g_array_set_size (d->seen, n);
  an_key_table_clear (&keys);
}

static bool
has_steps (const Device *d)
{
  return d->process && d->process->steps->len;
}

/* Drops the instructions at both ends of asynchronous collectives when spans tell them from
 * start to end: they would count twice. */
static void
drop_ends (Device *d)
{
  guint n = 0;
  for (guint i = 0; i < d->seen->len && d->has_async; i++) {
    const Seen seen = g_array_index (d->seen, Seen, i);
    if (!seen.started)
      g_array_index (d->seen, Seen, n++) = seen;
  }
  if (d->has_async)
    g_array_set_size (d->seen, n);
}

/* FALSE: nobody can count it. */
static bool
find_how (const Device *d, const Seen *seen, How *how)
{
  bool in_step = seen->step != NO_STEP;
  if (seen->unplaced || (seen->started && !seen->ended))
    return false;
  *how = seen->sequence >= 0 ? BY_SEQUENCE : in_step && !seen->bare ? BY_STEP : BY_CAPTURE;
  return *how != BY_CAPTURE || seen->bare || !has_steps (d);
}

/* Counts those that have no number of their own. */
static void
key_calls (Ranks *r, Device *d)
{
  AnKeyTable counters;
  g_autoptr (GArray) count = g_array_new (FALSE, TRUE, sizeof (gint64));
  an_key_table_init (&counters, C_WORDS);
  for (guint i = 0; i < d->seen->len; i++) {
    Seen *seen = &g_array_index (d->seen, Seen, i);
    How how;
    if (!find_how (d, seen, &how))
      continue;
    seen->signature[S_KERNELS] = seen->kernels;
    guint32 key[C_WORDS] = { seen->group, 0, how | (seen->p2p ? HOW_P2P : 0) };
    set_key_number (key, C_STEP_LOW, how == BY_STEP ? seen->step : 0);
    guint counter = an_key_table_get (&counters, key);
    if (counter == count->len)
      g_array_set_size (count, counter + 1);
    gint64 *next = &g_array_index (count, gint64, counter);
    set_key_number (key, C_NUMBER_LOW, how == BY_SEQUENCE ? seen->sequence : (*next)++);
    key[C_SIGNATURE] = an_key_table_get (&r->job.signature_keys, seen->signature);
    seen->call = 1 + job_call_of (&r->job, key);
  }
  an_key_table_clear (&counters);
}

/* -- Calls ------------------------------------------------------------------------------------- */

static void
add_call (Ranks *r, const Device *d, const Past *past, guint number, guint32 rank)
{
  const Seen *seen = &g_array_index (d->seen, Seen, number);
  gint64 duration = seen->end - seen->start;
  Call call = { .n = 1,
                .total = duration,
                .exposed = duration - past_spent (past, SEG_COMPUTE, seen->start, seen->end),
                .shortest = { duration },
                .first = { rank },
                .longest = duration,
                .end = seen->end,
                .step = seen->step };
  find_window (d, past, number, &call.window);
  call.n_windows = call.window.has;
  for (guint i = 0; i < SEGS; i++)
    call.seg[i] = call.window.seg[i];
  const Start start = { seen->start, rank, 0 };
  job_add_call (&r->job, seen->call - 1, &call, &start, 1);
}

/* Too many to keep: all steps of the middle but so many at both ends. */
static void
leave_out (Device *d)
{
  guint keep = MOST_CALLS / 2, n = d->seen->len;
  if (n <= MOST_CALLS)
    return;
  gint64 first = g_array_index (d->seen, Seen, keep).step,
         last = g_array_index (d->seen, Seen, n - keep - 1).step;
  guint left = 0;
  for (guint i = 0; i < n; i++) {
    Seen *seen = &g_array_index (d->seen, Seen, i);
    bool middle = first != NO_STEP && last != NO_STEP ? seen->step >= first && seen->step <= last
                                                      : i >= keep && i < n - keep;
    seen->call = middle ? 0 : seen->call;
    left += middle;
  }
  nprof_log (d->run->host, NPROF_WARNING,
             "%s: of %u collectives %u of the middle are left out: select fewer steps with --step",
             nprof_text (d->run->host, d->label), n, left);
}

static nprof_status
add_calls (Ranks *r, Device *d, guint32 rank, bool rows)
{
  Past *past = past_new (d);
  for (guint i = 0; i < d->seen->len; i++)
    if (g_array_index (d->seen, Seen, i).call)
      add_call (r, d, past, i, rank);
  nprof_status status = rows ? write_own_calls (r, d, past) : NPROF_OK;
  past_free (past);
  return status;
}

/* -- What the rank did ------------------------------------------------------------------------- */

enum { BUSY, COMPUTE, COMMUNICATION, EXPOSED, COPY, PARTS };

static guint
parts_of (guint32 classes)
{
  guint32 all = classes | classes >> AN_SWEEP_CLASSES;
  bool computes = classes >> AN_COMPUTE & 1;
  guint talks = all >> AN_COMMUNICATION & 1, copies = all >> AN_MEMORY & 1;
  guint busy = (classes & ((1u << AN_SWEEP_CLASSES) - 1)) != 0;
  return busy << BUSY | (guint) computes << COMPUTE | talks << COMMUNICATION
         | (guint) (!computes && (talks || copies)) << EXPOSED
         | (guint) (!computes && !talks && copies) << COPY;
}

/* Pieces follow each other in time. */
static guint
first_ending_after (const Device *d, gint64 at)
{
  guint low = 0, high = d->pieces->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (g_array_index (d->pieces, Piece, middle).end <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void
sum_parts (const Device *d, gint64 from, gint64 to, gint64 sums[PARTS])
{
  memset (sums, 0, PARTS * sizeof *sums);
  for (guint i = first_ending_after (d, from); i < d->pieces->len; i++) {
    const Piece *p = &g_array_index (d->pieces, Piece, i);
    if (p->start >= to)
      break;
    gint64 a = MAX (p->start, from), b = MIN (p->end, to);
    guint parts = b > a ? parts_of (p->classes) : 0;
    for (guint k = 0; k < PARTS; k++)
      sums[k] += parts >> k & 1 ? b - a : 0;
  }
}

/* From its start, or the end of the one before, to its end, or that of the last work that it
 * launched. */
static void
add_steps (const Device *d, Rank *rank)
{
  const struct nprof_window *clip = &d->run->clip;
  gint64 before = G_MININT64;
  for (guint i = 0; has_steps (d) && i < d->process->steps->len; i++) {
    const HostStep *s = &g_array_index (d->process->steps, HostStep, i);
    const StepWork *work = i < d->steps->len ? &g_array_index (d->steps, StepWork, i) : NULL;
    if (s->end == G_MAXINT64)
      continue;
    RankStep step = { .number = s->number, .start = MAX (s->start, before) };
    step.end = MAX (s->end, step.start);
    if (work && work->used)
      step.end = MAX (step.end, work->last);
    before = step.end;
    gint64 sums[PARTS], from = nprof_cut (clip, step.start), to = nprof_cut (clip, step.end);
    sum_parts (d, from, to, sums);
    step.compute = sums[COMPUTE];
    step.exposed = sums[EXPOSED];
    step.copy = sums[COPY];
    step.idle = to - from - sums[BUSY];
    rank_add_step (rank, &step);
  }
}

static void
add_operators (Ranks *r, const Device *d, Rank *rank)
{
  for (guint i = 0; i < d->sums->len; i++) {
    const Sum *sum = &g_array_index (d->sums, Sum, i);
    if (!sum->count)
      continue;
    RankOperator *to = rank_operator (rank, an_key_table_get (&r->job.operator_keys,
                                                              an_key_table_key (&d->names, i)));
    to->count += sum->count;
    to->calls += sum->calls;
    to->in_steps += (guint32) sum->in_steps;
    rank_operator_take (to, sum->total);
  }
}

static void
count_unkeyed (const Device *d, Rank *who)
{
  for (guint i = 0; i < d->seen->len; i++) {
    const Seen *seen = &g_array_index (d->seen, Seen, i);
    who->bare += seen->bare;
    who->bare_ps += seen->bare ? seen->end - seen->start : 0;
    who->outside += !seen->call && !seen->bare;
  }
}

static guint32
add_rank (Ranks *r, const Device *d)
{
  const struct nprof_host *host = r->host;
  gint64 sums[PARTS], first = 0, last = 0;
  if (d->pieces->len) {
    first = nprof_cut (&r->clip, g_array_index (d->pieces, Piece, 0).start);
    last = nprof_cut (&r->clip, g_array_index (d->pieces, Piece, d->pieces->len - 1).end);
  }
  sum_parts (d, first, last, sums);
  Rank who = rk_who (r, d);
  who.world = rk_property (r, d->input, "world_size", 0);
  who.origin = host->run (host)->origin_unix_ns;
  who.span = last - first;
  who.busy = sums[BUSY];
  who.compute = sums[COMPUTE];
  who.communication = sums[COMMUNICATION];
  who.exposed = sums[EXPOSED];
  who.idle = last - first - sums[BUSY];
  count_unkeyed (d, &who);
  return job_rank_of (&r->job, &who);
}

static nprof_status
end_device (Ranks *r, Device *d, bool rows)
{
  if (!d->pieces->len && !d->seen->len)
    return NPROF_OK;
  drop_ends (d);
  rk_place (r, d);
  g_array_sort (d->seen, by_start);
  g_array_sort (d->kernels, by_kernel_start);
  join_kernels (d);
  key_calls (r, d);
  leave_out (d);
  guint32 number = add_rank (r, d);
  Rank *rank = job_rank (&r->job, number);
  add_steps (d, rank);
  add_operators (r, d, rank);
  choose_anchors (r, d, rank);
  return add_calls (r, d, number, rows);
}

nprof_status
rk_check (const Ranks *r)
{
  for (guint i = 0; r->strict && i < r->job.ranks->len; i++) {
    const Rank *rank = job_rank (&r->job, i);
    if (rank->number == NO_RANK)
      return nprof_fail (
          r->host, NPROF_E_OPTION,
          "%s: nobody says which rank %s is: say it with --rank, as a number or as a "
          "regular expression that finds it in the name",
          nprof_text (r->host, rank->input), nprof_text (r->host, rank->device));
  }
  return NPROF_OK;
}

nprof_status
rk_end (Ranks *r, bool rows)
{
  nprof_status status = NPROF_OK;
  g_autoptr (GArray) of_input = g_array_new (FALSE, TRUE, sizeof (guint));
  for (guint i = 0; i < r->devices->len; i++) {
    const Device *d = g_ptr_array_index (r->devices, i);
    an_sweep_end (d->line);
    g_array_set_size (of_input, MAX (of_input->len, d->input + 1));
    g_array_index (of_input, guint, d->input)++;
  }
  for (guint i = 0; i < r->devices->len; i++) {
    Device *d = g_ptr_array_index (r->devices, i);
    d->of_input = g_array_index (of_input, guint, d->input);
    d->number = rk_number (r, d);
  }
  for (guint i = 0; i < r->devices->len && !status; i++)
    status = end_device (r, g_ptr_array_index (r->devices, i), rows);
  g_ptr_array_set_size (r->devices, 0);
  return status;
}
