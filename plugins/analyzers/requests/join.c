/* SPDX-License-Identifier: Apache-2.0 */
/* join.c - each first token votes for all offsets of the clocks at which a step ends closely before
 * it; the offsets with most votes are an interval. */
#include "join.h"

#define REACH (2 * (gint64) 1000 * 1000 * 1000 * 1000) /* ps: no clocks are farther apart */
#define LEAST 8u
#define MOST_EDGES 10000000u

/* An interval of offsets begins or ends. */
typedef struct {
  gint64 at;
  gint by; /* 1 or -1 */
} Edge;

static int
by_place (gconstpointer a, gconstpointer b)
{
  const Edge *x = a, *y = b;
  if (x->at != y->at)
    return x->at < y->at ? -1 : 1;
  return (x->by > y->by) - (x->by < y->by); /* one that ends goes first */
}

static void
add (GArray *edges, gint64 from, gint64 to)
{
  const Edge both[] = { { from, 1 }, { to, -1 } };
  g_array_append_vals (edges, both, 2);
}

/* Adds the offsets that suit one first token, those that touch as one. */
static void
vote (GArray *edges, gint64 first, const GArray *ends)
{
  gint64 from = 0, to = 0;
  bool any = false;
  for (guint i = 0; i < ends->len; i++) {
    const gint64 offset = g_array_index (ends, gint64, i) - first;
    if (offset <= -REACH || offset >= REACH)
      continue;
    if (any && offset > to)
      add (edges, from, to);
    if (!any || offset > to)
      from = offset;
    to = offset + JOIN_SLACK;
    any = true;
  }
  if (any)
    add (edges, from, to);
}

bool
join_find (const GArray *first_tokens, const GArray *ends, Join *join)
{
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (Edge));
  gint votes = 0;
  *join = (Join){ .of = first_tokens->len };
  for (guint i = 0; i < first_tokens->len && edges->len < MOST_EDGES; i++)
    vote (edges, g_array_index (first_tokens, gint64, i), ends);
  g_array_sort (edges, by_place);
  for (guint i = 0; i + 1 < edges->len; i++) {
    votes += g_array_index (edges, Edge, i).by;
    if (votes <= (gint) join->n)
      continue;
    join->n = (guint) votes;
    join->least = g_array_index (edges, Edge, i).at;
    join->most = g_array_index (edges, Edge, i + 1).at;
  }
  return join->of >= LEAST && (guint64) join->n * 100 >= (guint64) join->of * 95;
}

gint
join_by_time (gconstpointer a, gconstpointer b)
{
  const gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;
  return (x > y) - (x < y);
}

gint64
join_ahead (const Join *join)
{
  if (join->least <= 0 && join->most >= 0)
    return 0;
  return join->least + (join->most - join->least) / 2;
}
