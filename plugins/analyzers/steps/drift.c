/* SPDX-License-Identifier: Apache-2.0 */
/* drift.c - finds kernels that take longer late in a recording than early, where nothing else
 * became of them: calls of one name that take about as long as each other. */
#include "verdict.h"

#define LEAST_CALLS 10u /* in a third of the recording           */
#define SLOWER 105      /* hundredths of the early median        */
#define NEAR 20         /* a twentieth of a median is near it    */

typedef struct {
  gint64 time;
  GArray *lengths; /* of gint64, in the order of starts */
} Calls;

static void
calls_free (gpointer calls)
{
  g_array_unref (((Calls *) calls)->lengths);
  g_free (calls);
}

static Calls *
calls_of (GHashTable *all, nprof_str name)
{
  Calls *c = g_hash_table_lookup (all, GUINT_TO_POINTER (name));
  if (c)
    return c;
  c = g_new (Calls, 1);
  *c = (Calls){ 0, g_array_new (FALSE, FALSE, sizeof (gint64)) };
  g_hash_table_insert (all, GUINT_TO_POINTER (name), c);
  return c;
}

static int
by_value (gconstpointer a, gconstpointer b)
{
  const gint64 *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

/* Returns the median of n lengths, whose order it changes; 0: of some the work was another one, as
 * fewer than 8 of 10 are near it. */
static gint64
usual_length (GArray *lengths, guint from, guint n)
{
  gint64 *first = &g_array_index (lengths, gint64, from);
  qsort (first, n, sizeof *first, by_value);
  const gint64 median = first[(n - 1) / 2] + (first[n / 2] - first[(n - 1) / 2] + 1) / 2;
  guint near = 0;
  for (guint i = 0; i < n; i++)
    near += NEAR * (DistSum) ABS (first[i] - median) <= median;
  return 10 * near >= 8 * n ? median : 0;
}

/* Adds the calls where their last third is slower than their first. */
static void
add_slower (Drift *drift, nprof_str name, const Calls *c, double *late, gint64 *most)
{
  const guint n = c->lengths->len / 3;
  if (n < LEAST_CALLS)
    return;
  const gint64 early = usual_length (c->lengths, 0, n),
               then = usual_length (c->lengths, c->lengths->len - n, n);
  if (!early || 100 * (DistSum) then < SLOWER * (DistSum) early)
    return;
  drift->kernels++;
  drift->time += c->time;
  *late += (double) c->time * ((double) then / (double) early);
  if (c->time > *most || (c->time == *most && name < drift->name)) {
    *most = c->time;
    drift->name = name;
  }
}

Drift
st_find_drift (Steps *self, Device *d)
{
  g_autoptr (GHashTable) all = g_hash_table_new_full (NULL, NULL, NULL, calls_free);
  Drift drift = { 0 };
  gint64 computed = 0, most = -1;
  double late = 0;
  AnSeriesReader reader;
  an_series_read (&reader, &d->work, &self->store);
  for (const Work *w; (w = an_series_next (&reader));) {
    if (!w->computes || !w->shown)
      continue;
    Calls *c = calls_of (all, w->name);
    const gint64 length = w->end - w->start;
    g_array_append_val (c->lengths, length);
    c->time += length;
    computed += length;
  }
  an_series_reader_clear (&reader);
  GHashTableIter iter;
  gpointer name, calls;
  g_hash_table_iter_init (&iter, all);
  while (g_hash_table_iter_next (&iter, &name, &calls))
    add_slower (&drift, GPOINTER_TO_UINT (name), calls, &late, &most);
  if (!drift.time || 2 * (DistSum) drift.time < computed)
    return (Drift){ 0 };
  drift.slower = late / (double) drift.time - 1;
  return drift;
}
