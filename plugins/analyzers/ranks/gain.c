/* SPDX-License-Identifier: Apache-2.0 */
/* gain.c - what the job would gain without a rank: in a job whose ranks wait for each other a step
 * takes as long as its slowest rank. A rank's window is no measure of it, for all wait until the
 * slowest has come, so its own time is compared: the window without what of collectives was
 * exposed. */
#include "ranks.h"

#include <stdlib.h>
#include <string.h>

/* One step of one rank, as far as it lies in the window of --clip. */
typedef struct {
  gint64 number;
  guint32 rank;
  gint64 own, length; /* ps */
} Own;

/* A group and the step, or the rank, that has one of its collectives. */
typedef struct {
  gint64 of;
  guint32 group;
} Part;

static int
by_number (gconstpointer pa, gconstpointer pb)
{
  const Own *a = pa, *b = pb;
  return a->number < b->number ? -1 : a->number > b->number;
}

static int
by_of (gconstpointer pa, gconstpointer pb)
{
  const Part *a = pa, *b = pb;
  if (a->of != b->of)
    return a->of < b->of ? -1 : 1;
  return a->group < b->group ? -1 : a->group > b->group;
}

static int
by_group (gconstpointer pa, gconstpointer pb)
{
  const Part *a = pa, *b = pb;
  if (a->group != b->group)
    return a->group < b->group ? -1 : 1;
  return a->of < b->of ? -1 : a->of > b->of;
}

static GArray *
own_times (const Whole *w)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Own));
  for (guint i = 0; i < w->job->ranks->len; i++) {
    const Rank *rank = job_rank (w->job, i);
    for (guint k = 0; k < rank->steps->len; k++) {
      const RankStep *s = &g_array_index (rank->steps, RankStep, k);
      gint64 length = nprof_inside (&w->clip, s->start, s->end - s->start);
      const Own own = { s->number, i, MAX (0, length - (s->exposed - s->copy)), length };
      if (nprof_touches (&w->clip, s->start, s->end))
        g_array_append_val (all, own);
    }
  }
  g_array_sort (all, by_number);
  return all;
}

/* -- Do all wait for each other? --------------------------------------------------------------- */

/* Returns the groups in which ranks waited for each other, by step. */
static GArray *
groups_of_steps (const Whole *w)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Part));
  for (guint i = 0; i < w->job->calls->len; i++) {
    const Part part = { job_call (w->job, i)->step, call_key (w->job, i)[C_GROUP] };
    if (part.of != NO_STEP && w->verdicts[i].complete && w->verdicts[i].barrier)
      g_array_append_val (all, part);
  }
  g_array_sort (all, by_of);
  return all;
}

static void
leave_one_of_each (GArray *sorted)
{
  Part *parts = (Part *) (gpointer) sorted->data;
  guint kept = 0;
  for (guint i = 0; i < sorted->len; i++)
    if (!kept || by_group (&parts[i], &parts[kept - 1]))
      parts[kept++] = parts[i];
  g_array_set_size (sorted, kept);
}

/* Returns the ranks of each group: a rank keeps the times of some collectives of each group that it
 * is in. */
static GArray *
members_of_groups (const Whole *w)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Part));
  for (guint i = 0; i < w->job->ranks->len; i++) {
    const GArray *anchors = job_rank (w->job, i)->anchors;
    for (guint k = 0; k < anchors->len; k++) {
      guint32 call = g_array_index (anchors, Anchor, k).call;
      const Part part = { i, call_key (w->job, call)[C_GROUP] };
      g_array_append_val (all, part);
    }
  }
  g_array_sort (all, by_group);
  leave_one_of_each (all);
  return all;
}

static guint32
root_of (guint32 *parent, guint32 i)
{
  while (parent[i] != i)
    i = parent[i] = parent[parent[i]];
  return i;
}

/* Joins the members of the groups that are marked; returns whether all ranks are joined then. */
static bool
are_joined (const Whole *w, const GArray *members, const bool *marked)
{
  guint n = w->job->ranks->len, apart = n;
  g_autofree guint32 *parent = g_new (guint32, n);
  for (guint i = 0; i < n; i++)
    parent[i] = i;
  for (guint i = 1; i < members->len; i++) {
    const Part *b = &g_array_index (members, Part, i), *a = b - 1;
    if (a->group != b->group || !marked[b->group])
      continue;
    guint32 x = root_of (parent, (guint32) a->of), y = root_of (parent, (guint32) b->of);
    apart -= x != y;
    parent[x] = y;
  }
  return apart == 1;
}

/* Returns whether in this step all ranks waited for each other. Parts before *at are of earlier
 * steps. */
static bool
is_synchronous (const Whole *w, gint64 step, const GArray *steps, guint *at, const GArray *members)
{
  g_autofree bool *marked = g_new0 (bool, w->job->group_keys.n + 1);
  for (; *at < steps->len && g_array_index (steps, Part, *at).of <= step; (*at)++)
    if (g_array_index (steps, Part, *at).of == step)
      marked[g_array_index (steps, Part, *at).group] = true;
  return are_joined (w, members, marked);
}

/* -- Sums -------------------------------------------------------------------------------------- */

/* Adds what the step would be shorter by without its slowest rank; without another nothing. */
static void
add_step (Gains *gains, const Own *own, guint n)
{
  const Own *slowest = own;
  gint64 second = 0, longest = 0;
  for (guint i = 0; i < n; i++) {
    longest = MAX (longest, own[i].length);
    slowest = own[i].own > slowest->own ? &own[i] : slowest;
  }
  for (guint i = 0; i < n; i++)
    second = &own[i] == slowest ? second : MAX (second, own[i].own);
  gains->of_rank[slowest->rank] += slowest->own - second;
  gains->steps += longest;
}

static void
add_steps (Whole *w)
{
  g_autoptr (GArray) all = own_times (w), steps = groups_of_steps (w),
                     members = members_of_groups (w);
  guint n = w->job->ranks->len, at = 0;
  w->gains.unknown = GAIN_NO_STEPS;
  for (guint i = 0, next; i < all->len; i = next) {
    const Own *own = &g_array_index (all, Own, i);
    for (next = i; next < all->len && g_array_index (all, Own, next).number == own->number;)
      next++;
    if (next - i != n)
      continue;
    if (!is_synchronous (w, own->number, steps, &at, members)) {
      w->gains.unknown = GAIN_APART;
      w->gains.step = own->number;
      return;
    }
    add_step (&w->gains, own, n);
    w->gains.unknown = GAIN_KNOWN;
  }
}

/* Ranks that hand their work on to each other do not do the same at the same time. */
static bool
hands_on (const Whole *w)
{
  for (guint i = 0; i < w->job->calls->len; i++)
    if (call_key (w->job, i)[C_HOW] & HOW_P2P)
      return true;
  return false;
}

void
find_gains (Whole *w)
{
  guint n = w->job->ranks->len;
  w->gains.of_rank = g_new0 (DistSum, n + 1);
  if (n < 2)
    w->gains.unknown = GAIN_ONE_RANK;
  else if (world_of (w) > n)
    w->gains.unknown = GAIN_MISSING;
  else if (w->n_roles > 1)
    w->gains.unknown = GAIN_ROLES;
  else if (hands_on (w))
    w->gains.unknown = GAIN_HANDS_ON;
  else
    add_steps (w);
}
