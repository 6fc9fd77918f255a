/* SPDX-License-Identifier: Apache-2.0 */
/* roles.c - ranks that do the same operators as often, in a step or in all, have one role; the
 * representative of a role is the rank that is nearest to the middle of all. */
#include "ranks.h"

#include <math.h>

static guint64
mix (guint64 hash, guint64 value)
{
  hash = (hash ^ value) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

/* Sums do not depend on the order of operators. steps: 0, as often in all. */
static guint64
role_hash (const Rank *rank, guint64 steps)
{
  guint64 hash = 0;
  for (guint i = 0; i < rank->operators->len; i++) {
    const RankOperator *o = &g_array_index (rank->operators, RankOperator, i);
    guint64 often = steps ? (o->in_steps + steps / 2) / steps : o->count;
    hash += often ? mix (mix (steps ? 1 : 2, o->operator), often) : 0;
  }
  return hash;
}

/* Either is enough: captures that are cut elsewhere have the same steps, and where clocks differ
 * some work has no launch, and so no step. */
enum { IN_A_STEP, IN_ALL, SIGNATURES };

static void
find_signatures (const Rank *rank, guint64 signature[SIGNATURES])
{
  signature[IN_ALL] = role_hash (rank, 0);
  signature[IN_A_STEP] = rank->steps->len ? role_hash (rank, rank->steps->len) : signature[IN_ALL];
}

enum { V_COMPUTE, V_EXPOSED, V_IDLE, V_BUSY, V_STEP, VALUES };

static double
value_of (const Rank *rank, guint which)
{
  switch (which) {
  case V_COMPUTE:
    return (double) rank->compute;
  case V_EXPOSED:
    return (double) rank->exposed;
  case V_IDLE:
    return (double) rank->idle;
  case V_BUSY:
    return (double) rank->busy;
  default:
    return rank->steps->len ? (double) g_array_index (rank->steps, RankStep, 0).end
                                  - (double) g_array_index (rank->steps, RankStep, 0).start
                            : 0;
  }
}

/* Distances from the median by the median distance, of which 1 ns is the least. */
static void
add_distances (const Whole *w, const guint32 *members, guint n, guint which, double *distance)
{
  g_autofree double *value = g_new (double, n), *far = g_new (double, n);
  for (guint i = 0; i < n; i++)
    value[i] = value_of (job_rank (w->job, members[i]), which);
  double median = quantile_of (value, n, 500);
  for (guint i = 0; i < n; i++)
    far[i] = fabs (value_of (job_rank (w->job, members[i]), which) - median);
  double usual = MAX (quantile_of (far, n, 500), 1000);
  for (guint i = 0; i < n; i++)
    distance[i] += fabs (value_of (job_rank (w->job, members[i]), which) - median) / usual;
}

static guint32
nearest (const Whole *w, const guint32 *members, guint n)
{
  g_autofree double *distance = g_new0 (double, n);
  guint best = 0;
  for (guint which = 0; which < VALUES; which++)
    add_distances (w, members, n, which, distance);
  for (guint i = 1; i < n; i++)
    if (distance[i] < distance[best])
      best = i;
  return members[best];
}

void
find_roles (Whole *w)
{
  guint n = w->job->ranks->len;
  g_autofree guint64 *signatures = g_new (guint64, SIGNATURES * (gsize) n + 1); /* keys of roles */
  g_autofree guint32 *members = g_new (guint32, n + 1);
  g_autoptr (GHashTable) roles = g_hash_table_new (g_int64_hash, g_int64_equal);
  w->roles = g_new0 (guint32, n + 1);
  w->representative = g_new0 (guint32, n + 1);
  for (guint i = 0; i < n; i++) {
    guint64 *signature = signatures + SIGNATURES * (gsize) i;
    gpointer known = NULL;
    find_signatures (job_rank (w->job, w->ranks[i]), signature);
    for (guint k = 0; k < SIGNATURES && !known; k++)
      known = g_hash_table_lookup (roles, &signature[k]);
    if (!known)
      known = GUINT_TO_POINTER (++w->n_roles);
    for (guint k = 0; k < SIGNATURES; k++)
      if (!g_hash_table_contains (roles, &signature[k]))
        g_hash_table_insert (roles, &signature[k], known);
    w->roles[w->ranks[i]] = GPOINTER_TO_UINT (known) - 1;
  }
  for (guint role = 0; role < w->n_roles; role++) {
    guint k = 0;
    for (guint i = 0; i < n; i++)
      if (w->roles[w->ranks[i]] == role)
        members[k++] = w->ranks[i];
    w->representative[role] = nearest (w, members, k);
  }
}
