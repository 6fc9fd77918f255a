/* SPDX-License-Identifier: Apache-2.0 */
/* flows.c - joins the ends of arrows. */
#include "flows.h"

#include <string.h>

#define ENDS_KEPT (1u << 20) /* 32 MB */

void
flows_init (Flows *flows)
{
  flows->ends = g_array_new (FALSE, FALSE, sizeof (struct flow_end));
  flows->chain = g_array_new (FALSE, FALSE, sizeof (struct flow_end));
  flows->limit = ENDS_KEPT;
}

void
flows_clear (Flows *flows)
{
  g_clear_pointer (&flows->ends, g_array_unref);
  g_clear_pointer (&flows->chain, g_array_unref);
}

static int
compare (gconstpointer a, gconstpointer b)
{
  const struct flow_end *x = a, *y = b;
  if (x->flow != y->flow)
    return x->flow < y->flow ? -1 : 1;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  if (x->phase != y->phase)
    return x->phase < y->phase ? -1 : 1;
  return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* How many ends from `at` on hang together: up to the next beginning. */
static guint
group_length (const struct flow_end *ends, guint at, guint n)
{
  guint k = at + 1;
  while (k < n && ends[k].flow == ends[at].flow && ends[k].phase != FLOW_BEGIN)
    k++;
  return k - at;
}

/* Gives the arrow that the chain holds; TRUE when it is one. */
static gboolean
give_arrow (Flows *flows)
{
  struct flow_end *chain = (struct flow_end *) (void *) flows->chain->data;
  guint n = flows->chain->len;
  if (n > 1)
    flows->arrow (flows->user, chain, n);
  return n > 1;
}

/* The arrows of a group.  Not final: only those that have both a beginning and an end, since the
 * others' partners may still come.  Returns how many of the ends, moved to the front, are kept. */
static guint
settle_group (Flows *flows, struct flow_end *ends, guint n, gboolean final)
{
  struct flow_end first = ends[0];
  gboolean begun = first.phase == FLOW_BEGIN;
  if (!begun && !final)
    return n;
  g_array_set_size (flows->chain, 0);
  for (guint k = 0; k < n; k++) {
    g_array_append_val (flows->chain, ends[k]);
    if (ends[k].phase != FLOW_END)
      continue;
    if (give_arrow (flows))
      first.served = TRUE;
    else
      flows->alone++;
    g_array_set_size (flows->chain, 0);
    if (begun)
      g_array_append_val (flows->chain, first);
  }
  guint left = flows->chain->len;
  if (!final) {
    memmove (ends, flows->chain->data, left * sizeof *ends);
    return left;
  }
  if (left && !give_arrow (flows) && !g_array_index (flows->chain, struct flow_end, 0).served)
    flows->alone++;
  return 0;
}

static void
settle (Flows *flows, gboolean final)
{
  guint n = flows->ends->len, kept = 0;
  g_array_sort (flows->ends, compare);
  struct flow_end *ends = (struct flow_end *) (void *) flows->ends->data;
  for (guint at = 0, length; at < n; at += length) {
    length = group_length (ends, at, n);
    guint left = settle_group (flows, ends + at, length, final);
    memmove (ends + kept, ends + at, left * sizeof *ends);
    kept += left;
  }
  g_array_set_size (flows->ends, kept);
}

void
flows_add (Flows *flows, const struct flow_end *end)
{
  g_array_append_vals (flows->ends, end, 1);
  if (flows->ends->len < flows->limit)
    return;
  settle (flows, FALSE);
  flows->limit = MAX (ENDS_KEPT, 2 * flows->ends->len);
}

void
flows_finish (Flows *flows)
{
  settle (flows, TRUE);
}
