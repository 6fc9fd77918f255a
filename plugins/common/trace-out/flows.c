/* SPDX-License-Identifier: Apache-2.0 */
/* flows.c - joins the ends of arrows. */
#include "flows.h"

#include <nprof/keys.h>

#define READ_ENDS 2048u /* of each run: 64 KB */

void
flows_init (Flows *flows, const struct nprof_host *host)
{
  flows->ends = g_array_new (FALSE, FALSE, sizeof (struct flow_end));
  flows->chain = g_array_new (FALSE, FALSE, sizeof (struct flow_end));
  flows->run = FLOWS_RUN;
  flows->phase_key = nprof_intern (host, NPROF_KEY_FLOW_PHASE);
  flows->phases[FLOW_BEGIN] = nprof_intern (host, "begin");
  flows->phases[FLOW_STEP] = nprof_intern (host, "step");
  flows->phases[FLOW_END] = nprof_intern (host, "end");
  spill_init (&flows->spill, host);
}

void
flows_clear (Flows *flows)
{
  g_clear_pointer (&flows->ends, g_array_unref);
  g_clear_pointer (&flows->chain, g_array_unref);
  spill_clear (&flows->spill);
}

int
flows_phase (const Flows *flows, const struct nprof_row_columns *row)
{
  for (guint k = 0; k < row->n_unmapped; k++) {
    const struct nprof_field *field = row->unmapped + k;
    for (int phase = FLOW_BEGIN; phase <= FLOW_END && field->key == flows->phase_key; phase++)
      if (field->type == NPROF_STRING && field->value.s == flows->phases[phase])
        return phase;
  }
  return -1;
}

static int
compare (gconstpointer a, gconstpointer b, gpointer user G_GNUC_UNUSED)
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

/* -- Joining --------------------------------------------------------------- */

/* Gives the arrow that the chain holds; TRUE when it is one. */
static gboolean
give_arrow (Flows *flows)
{
  guint n = flows->chain->len;
  if (n > 1)
    flows->arrow (flows->user, (const struct flow_end *) (const void *) flows->chain->data, n);
  return n > 1;
}

/* Ends a group, when no more ends hang together with those of the chain. */
static void
end_group (Flows *flows)
{
  if (flows->chain->len && !give_arrow (flows) && !flows->served)
    flows->alone++;
  g_array_set_size (flows->chain, 0);
}

/* Joins the next of all ends, by flow and time.  A group reaches to the next beginning. */
static void
join (Flows *flows, const struct flow_end *end, gboolean same_flow)
{
  if (!same_flow || end->phase == FLOW_BEGIN) {
    end_group (flows);
    flows->begun = end->phase == FLOW_BEGIN;
    flows->served = FALSE;
  }
  g_array_append_vals (flows->chain, end, 1);
  if (end->phase != FLOW_END)
    return;
  if (give_arrow (flows))
    flows->served = flows->begun;
  else
    flows->alone++;
  g_array_set_size (flows->chain, flows->begun ? 1 : 0);
}

/* -- Runs ------------------------------------------------------------------ */

/* Sorts the ends of a run: first into buckets by the highest bits that flows have, each of which
 * then lies in the caches of a core. */
static void
sort_run (Flows *flows)
{
  enum { BITS = 12 };
  const guint n = flows->ends->len;
  struct flow_end *ends = (struct flow_end *) (void *) flows->ends->data;
  guint64 any = 0;
  for (guint i = 0; i < n; i++)
    any |= ends[i].flow;
  const guint shift = any >> BITS ? 64 - BITS - (guint) __builtin_clzll (any) : 0;
  g_autofree guint *behind = g_new0 (guint, (1u << BITS) + 1); /* each bucket's end, once filled */
  g_autofree struct flow_end *sorted = g_new (struct flow_end, n);
  for (guint i = 0; i < n; i++)
    behind[(ends[i].flow >> shift) + 1]++;
  for (guint k = 0; k < 1u << BITS; k++)
    behind[k + 1] += behind[k];
  for (guint i = 0; i < n; i++)
    sorted[behind[ends[i].flow >> shift]++] = ends[i];
  for (guint k = 0, from = 0; from < n; from = behind[k++])
    g_qsort_with_data (sorted + from, (gint) (behind[k] - from), sizeof *sorted, compare, NULL);
  if (n)
    memcpy (ends, sorted, n * sizeof *ends);
}

void
flows_add (Flows *flows, const struct flow_end *end)
{
  g_array_append_vals (flows->ends, end, 1);
  if (flows->ends->len < flows->run)
    return;
  sort_run (flows);
  spill_append (&flows->spill, flows->ends->data, flows->ends->len * sizeof *end);
  g_array_set_size (flows->ends, 0);
}

/* This is a sorted run while it is read back. */
struct cursor {
  const struct flow_end *next, *limit;
  struct flow_end *ends; /* READ_ENDS of them; NULL: the run is in memory whole */
  guint64 at, until;     /* what is still on disk                               */
};

static gboolean
refill (Flows *flows, struct cursor *c)
{
  gsize want = MIN (c->until - c->at, READ_ENDS * sizeof *c->ends);
  if (!c->ends || !want || spill_read (&flows->spill, c->at, c->ends, want) != want)
    return FALSE;
  c->at += want;
  c->next = c->ends;
  c->limit = c->ends + want / sizeof *c->ends;
  return TRUE;
}

/* Lets the cursor at `i` of a heap of n sink to its place. */
static void
sift_down (struct cursor *heap, guint n, guint i)
{
  for (guint child; (child = 2 * i + 1) < n; i = child) {
    child += child + 1 < n && compare (heap[child + 1].next, heap[child].next, NULL) < 0;
    if (compare (heap[i].next, heap[child].next, NULL) <= 0)
      return;
    struct cursor swapped = heap[i];
    heap[i] = heap[child];
    heap[child] = swapped;
  }
}

/* Merges the runs; ends that compare equal are the same arrow, so that it does not matter which run
 * is first. */
static void
merge (Flows *flows, struct cursor *heap, guint n)
{
  guint64 flow = 0; /* no row has it */
  for (guint i = n / 2; i-- > 0;)
    sift_down (heap, n, i);
  while (n) {
    join (flows, heap->next, heap->next->flow == flow);
    flow = heap->next->flow;
    if (++heap->next == heap->limit && !refill (flows, heap)) {
      g_free (heap->ends);
      *heap = heap[--n];
    }
    sift_down (heap, n, 0);
  }
  end_group (flows);
}

void
flows_finish (Flows *flows)
{
  guint64 run = flows->run * (guint64) sizeof (struct flow_end);
  guint n = 0;
  g_autofree struct cursor *heap = g_new0 (struct cursor, flows->spill.size / run + 1);
  sort_run (flows);
  if (flows->ends->len) {
    heap[n].next = (const struct flow_end *) (const void *) flows->ends->data;
    heap[n].limit = heap[n].next + flows->ends->len;
    n++;
  }
  for (guint64 at = 0; at < flows->spill.size && !flows->spill.failed; at += run) {
    struct cursor *c = heap + n;
    *c = (struct cursor){ .at = at, .until = at + run };
    c->ends = g_new (struct flow_end, READ_ENDS);
    if (refill (flows, c))
      n++;
    else
      g_free (c->ends);
  }
  merge (flows, heap, n);
}
