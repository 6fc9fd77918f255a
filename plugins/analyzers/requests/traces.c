/* SPDX-License-Identifier: Apache-2.0 */
/* traces.c - tries each trace alone, for ranks of a server run the same steps, then all of them
 * together by one clock, for replicas share the requests. */
#include "traces.h"

static const Trace *
trace_at (const GArray *traces, guint i)
{
  return &g_array_index (traces, Trace, i);
}

static void
trace_clear (gpointer data)
{
  g_array_unref (((Trace *) data)->ends);
}

static GArray *
traces_of (const Served *served)
{
  GArray *traces = g_array_new (FALSE, FALSE, sizeof (Trace));
  g_array_set_clear_func (traces, trace_clear);
  const guint32 n = served->host->run (served->host)->n_inputs;
  for (guint32 input = 0; input < n; input++) {
    g_autoptr (GArray) ends = served_first_ends (served, input);
    if (!ends->len)
      continue;
    const Trace trace
        = { .input = input, .ends = g_array_ref (ends), .device = served_busiest (served, input) };
    g_array_append_val (traces, trace);
  }
  return traces;
}

/* Whether a trace, with its clock, is rather the one to tell of than another that fits as well. */
static bool
goes_before (const Served *served, const Trace *a, const Join *of_a, const Trace *b,
             const Join *of_b)
{
  const bool agrees = join_ahead (of_a) == 0, other = join_ahead (of_b) == 0;
  if (of_a->n != of_b->n)
    return of_a->n > of_b->n;
  return agrees != other ? agrees : served_goes_before (served, a->device, b->device);
}

/* Keeps the one trace that made the first tokens; returns false where none alone did. */
static bool
join_one (const Served *served, const GArray *first, Traces *t)
{
  gint best = -1;
  for (guint i = 0; i < t->traces->len; i++) {
    Trace *trace = &g_array_index (t->traces, Trace, i);
    const bool fits = join_find (first, trace->ends, &trace->alone);
    const Join join = trace->alone;
    if (best < 0 && (!i || join.n > t->join.n))
      t->join = join;
    if (!fits
        || (best >= 0 && !goes_before (served, trace, &join, trace_at (t->traces, best), &t->join)))
      continue;
    best = (gint) i;
    t->join = join;
  }
  if (best < 0)
    return false;
  g_array_set_size (t->traces, (guint) best + 1);
  g_array_remove_range (t->traces, 0, (guint) best);
  return true;
}

/* Returns whether a step of the trace, whose clock is so far ahead, made a first token. */
static bool
made (const Trace *trace, gint64 first, gint64 ahead)
{
  guint low = 0, high = trace->ends->len; /* the first that ends behind it */
  gint64 moment;
  if (__builtin_add_overflow (first, ahead, &moment))
    return false;
  while (low < high) {
    const guint middle = low + (high - low) / 2;
    if (g_array_index (trace->ends, gint64, middle) <= moment)
      low = middle + 1;
    else
      high = middle;
  }
  return low && moment - g_array_index (trace->ends, gint64, low - 1) <= JOIN_SLACK;
}

/* Keeps of traces those that made one of the first tokens. */
static void
keep_those_that_serve (const GArray *first, Traces *t)
{
  const gint64 ahead = join_ahead (&t->join);
  for (guint i = t->traces->len; i-- > 0;) {
    bool any = false;
    for (guint k = 0; k < first->len && !any; k++)
      any = made (trace_at (t->traces, i), g_array_index (first, gint64, k), ahead);
    if (!any)
      g_array_remove_index (t->traces, i);
  }
}

static bool
join_all (const GArray *first, Traces *t)
{
  g_autoptr (GArray) ends = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint i = 0; i < t->traces->len; i++) {
    const GArray *of = trace_at (t->traces, i)->ends;
    g_array_append_vals (ends, of->data, of->len);
  }
  g_array_sort (ends, join_by_time);
  if (!join_find (first, ends, &t->join))
    return false;
  keep_those_that_serve (first, t);
  return true;
}

Traces
traces_join (const Served *served, const GArray *first)
{
  Traces t = { .served = served, .traces = traces_of (served) };
  t.joined = join_one (served, first, &t) || (t.traces->len > 1 && join_all (first, &t));
  return t;
}

void
traces_clear (Traces *t)
{
  g_clear_pointer (&t->traces, g_array_unref);
}

/* Whether all steps that make first tokens end together, as those of ranks of a server do. */
static bool
are_of_one_server (const Trace *a, const Trace *b)
{
  if (a->ends->len != b->ends->len)
    return false;
  for (guint i = 0; i < a->ends->len; i++)
    if (ABS (g_array_index (a->ends, gint64, i) - g_array_index (b->ends, gint64, i)) > JOIN_SLACK)
      return false;
  return true;
}

const ServedDevice *
traces_device (const Traces *t, gint64 first)
{
  const Trace *found = NULL;
  if (!t->joined)
    return NULL;
  if (t->traces->len == 1)
    return trace_at (t->traces, 0)->device;
  for (guint i = 0; i < t->traces->len; i++) {
    const Trace *trace = trace_at (t->traces, i);
    if (!made (trace, first, join_ahead (&t->join)))
      continue;
    if (found && !are_of_one_server (found, trace))
      return NULL;
    if (!found || served_goes_before (t->served, trace->device, found->device))
      found = trace;
  }
  return found ? found->device : NULL;
}
