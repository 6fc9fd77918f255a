/* SPDX-License-Identifier: Apache-2.0 */
/* match.c - fits a replay to a plan: equal, in several streams, or by the least edits. */
#include "match.h"

#include <string.h>

#define MOST_EDITS 1024u /* memory of the least edits grows with the square of their number */
#define MOST_STREAMS 64u /* with more the order of names decides */
#define LONGEST_RUN 256u /* kernels by which one of several streams is chosen */

void
graph_fit_clear (gpointer data)
{
  GraphFit *fit = data;
  g_free (fit->place);
  g_free (fit->other);
}

static guint32 *
places_from (guint n, guint32 first)
{
  guint32 *place = g_new (guint32, n + 1);
  for (guint j = 0; j < n; j++)
    place[j] = first + j;
  return place;
}

static void
add (GArray *fits, GraphMatch match, guint edits, guint32 *place)
{
  const GraphFit fit = { match, edits, place, NULL };
  g_array_append_val (fits, fit);
}

/* -- Captures that name no kernels ------------------------------------------------------------- */

static bool
names_all (const GraphPlanKeys *plan)
{
  for (guint i = 0; i < plan->n; i++)
    if (!plan->keys[i])
      return false;
  return true;
}

static bool
is_one_stream (const GraphReplayKeys *replay)
{
  for (guint j = 1; j < replay->n; j++)
    if (replay->streams[j] != replay->streams[0])
      return false;
  return true;
}

static bool
names_fit (const GraphPlanKeys *plan, const GraphReplayKeys *replay)
{
  for (guint i = 0; i < plan->n; i++)
    if (plan->keys[i] && plan->keys[i] != replay->keys[i])
      return false;
  return true;
}

/* -- Several streams --------------------------------------------------------------------------- */

static int
by_number (gconstpointer a, gconstpointer b)
{
  const guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;
  return (x > y) - (x < y);
}

static bool
have_equal_counts (const GraphPlanKeys *plan, const GraphReplayKeys *replay)
{
  if (plan->n != replay->n || !plan->n)
    return false;
  g_autofree guint32 *a = g_new (guint32, plan->n), *b = g_new (guint32, plan->n);
  memcpy (a, plan->keys, plan->n * sizeof *a);
  memcpy (b, replay->keys, plan->n * sizeof *b);
  qsort (a, plan->n, sizeof *a, by_number);
  qsort (b, plan->n, sizeof *b, by_number);
  return memcmp (a, b, plan->n * sizeof *a) == 0;
}

/* Returns the next kernel of each one's stream, n: there is none; transfer full. */
static guint32 *
next_of_streams (const GraphReplayKeys *replay)
{
  guint32 *next = g_new (guint32, replay->n + 1);
  g_autoptr (GHashTable) later = g_hash_table_new (NULL, NULL); /* stream -> 1 + its first so far */
  for (guint j = replay->n; j-- > 0;) {
    gpointer stream = GUINT_TO_POINTER (replay->streams[j]);
    guint known = GPOINTER_TO_UINT (g_hash_table_lookup (later, stream));
    next[j] = known ? known - 1 : replay->n;
    g_hash_table_insert (later, stream, GUINT_TO_POINTER (j + 1));
  }
  return next;
}

/* Returns how many kernels of the stream, from j on, follow the plan from i on. */
static guint
run_length (const GraphPlanKeys *plan, guint i, const GraphReplayKeys *replay,
            const guint32 *next, guint j)
{
  guint n = 0;
  for (; n < LONGEST_RUN && j < replay->n && i + n < plan->n
         && replay->keys[j] == plan->keys[i + n];
       n++)
    j = next[j];
  return n;
}

/* Each stream is a part of the plan in its order.  `heads` are the next kernels of each. */
static guint
follow (const GraphPlanKeys *plan, const GraphReplayKeys *replay, GArray *heads, guint32 *place)
{
  g_autofree guint32 *next = next_of_streams (replay);
  guint placed = 0;
  for (guint i = 0; i < plan->n; i++) {
    guint32 *best = NULL;
    guint longest = 0;
    for (guint s = 0; s < heads->len; s++) {
      guint32 *head = &g_array_index (heads, guint32, s);
      if (*head >= replay->n || replay->keys[*head] != plan->keys[i])
        continue;
      guint length = run_length (plan, i, replay, next, *head);
      if (best && length <= longest)
        continue;
      best = head;
      longest = length;
    }
    if (!best)
      continue;
    place[*best] = i;
    *best = next[*best];
    placed++;
  }
  return placed;
}

static void
in_order_of_names (const GraphPlanKeys *plan, const GraphReplayKeys *replay, guint32 *place)
{
  g_autoptr (GHashTable) next = g_hash_table_new (NULL, NULL); /* name -> 1 + where it was last */
  for (guint j = 0; j < replay->n; j++) {
    gpointer name = GUINT_TO_POINTER (replay->keys[j]);
    guint i = GPOINTER_TO_UINT (g_hash_table_lookup (next, name));
    while (plan->keys[i] != replay->keys[j])
      i++;
    place[j] = i;
    g_hash_table_insert (next, name, GUINT_TO_POINTER (i + 1));
  }
}

static void
by_streams (const GraphPlanKeys *plan, const GraphReplayKeys *replay, GArray *fits)
{
  g_autoptr (GArray) heads = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  for (guint32 j = 0; j < replay->n; j++)
    if (g_hash_table_add (seen, GUINT_TO_POINTER (replay->streams[j])))
      g_array_append_val (heads, j);
  guint32 *place = places_from (replay->n, 0);
  bool all
      = heads->len <= MOST_STREAMS && follow (plan, replay, heads, place) == replay->n;
  if (!all)
    in_order_of_names (plan, replay, place);
  add (fits, all ? GRAPH_ALIGNED : GRAPH_ORDER, 0, place);
}

/* -- The least edits (Myers) ------------------------------------------------------------------- */

/* Furthest places by diagonal after d edits: from -d - 1 to d + 1, -1 where none was reached. */
static gint *
furthest_new (guint d)
{
  gint *v = g_new (gint, 2 * d + 3);
  for (guint k = 0; k < 2 * d + 3; k++)
    v[k] = -1;
  return v;
}

static bool
comes_down (const gint *v, gint middle, gint k, gint d)
{
  return k == -d || (k != d && v[middle + k - 1] < v[middle + k + 1]);
}

/* Walks back and places what is equal. */
static void
place_equal (GPtrArray *trace, const GraphPlanKeys *plan, const GraphReplayKeys *replay,
             guint32 *place)
{
  gint x = (gint) plan->n, y = (gint) replay->n;
  for (gint d = (gint) trace->len - 1; d >= 0; d--) {
    const gint *before = g_ptr_array_index (trace, d);
    const gint k = x - y, middle = d + 1,
               from = comes_down (before, middle, k, d) ? k + 1 : k - 1;
    const gint from_x = MAX (before[middle + from], 0), from_y = from_x - from;
    while (x > from_x && y > from_y && x > 0 && y > 0) {
      x--, y--;
      place[y] = (guint32) x;
    }
    if (d) {
      x = from_x;
      y = from_y;
    }
  }
}

/* Returns whether at most `most` edits turn the plan into the replay; place gets the kernel of the
 * plan for each equal one of the replay. */
static bool
align (const GraphPlanKeys *plan, const GraphReplayKeys *replay, guint most, guint32 *place)
{
  const gint n = (gint) plan->n, m = (gint) replay->n;
  g_autoptr (GPtrArray) trace = g_ptr_array_new_with_free_func (g_free);
  gint *last = furthest_new (0);
  last[2] = 0; /* diagonal 1 */
  for (gint d = 0; d <= (gint) MIN (most, plan->n + replay->n); d++) {
    g_ptr_array_add (trace, last);
    gint *next = furthest_new ((guint) d + 1);
    const gint middle = d + 1;
    memcpy (next + 1, last, (size_t) (2 * d + 3) * sizeof *last);
    for (gint k = -d; k <= d; k += 2) {
      gint x = comes_down (last, middle, k, d) ? MAX (last[middle + k + 1], 0)
                                               : MAX (last[middle + k - 1], 0) + 1;
      while (x < n && x - k < m && plan->keys[x] == replay->keys[x - k])
        x++;
      last[middle + k] = next[middle + 1 + k] = x;
      if (x < n || x - k < m)
        continue;
      g_free (next);
      place_equal (trace, plan, replay, place);
      return true;
    }
    last = next;
  }
  g_free (last);
  return false;
}

/* Transfer full. */
static guint32 *
turned (const guint32 *keys, guint n)
{
  guint32 *back = g_new (guint32, n + 1);
  for (guint i = 0; i < n; i++)
    back[i] = keys[n - 1 - i];
  return back;
}

/* Places as `align` does, but from the last kernels on. */
static void
align_from_end (const GraphPlanKeys *plan, const GraphReplayKeys *replay, guint most,
                guint32 *place)
{
  g_autofree guint32 *launches = turned (plan->keys, plan->n),
                     *kernels = turned (replay->keys, replay->n),
                     *back = g_new (guint32, replay->n + 1);
  memset (back, 0xff, replay->n * sizeof *back);
  align (&(GraphPlanKeys){ .keys = launches, .n = plan->n },
         &(GraphReplayKeys){ .keys = kernels, .n = replay->n }, most, back);
  for (guint j = 0; j < replay->n; j++) {
    const guint32 at = back[replay->n - 1 - j];
    place[j] = at == GRAPH_NO_PLACE ? at : plan->n - 1 - at;
  }
}

static void
by_edits (const GraphPlanKeys *plan, const GraphReplayKeys *replay, GArray *fits)
{
  guint shorter = MIN (plan->n, replay->n), apart = MAX (plan->n, replay->n) - shorter,
        most = MIN (MAX (2, shorter / 10), MOST_EDITS), placed = 0;
  if (apart > most)
    return;
  g_autofree guint32 *place = g_new (guint32, replay->n + 1);
  memset (place, 0xff, replay->n * sizeof *place);
  if (!align (plan, replay, most, place))
    return;
  for (guint j = 0; j < replay->n; j++)
    placed += place[j] != GRAPH_NO_PLACE;
  GraphFit fit = { .match = GRAPH_ALIGNED, .edits = plan->n + replay->n - 2 * placed };
  fit.place = g_steal_pointer (&place);
  fit.other = g_new (guint32, replay->n + 1);
  align_from_end (plan, replay, most, fit.other);
  g_array_append_val (fits, fit);
}

/* -- Together ---------------------------------------------------------------------------------- */

/* Adds where all of the replay stands in a longer run, each place behind the one before. */
static void
occurrences (const GraphPlanKeys *plan, const GraphReplayKeys *replay, GArray *fits)
{
  for (guint i = 0; replay->n > 1 && i + replay->n <= plan->n;) {
    bool same = plan->keys[i] == replay->keys[0]
                && memcmp (plan->keys + i, replay->keys, replay->n * sizeof *plan->keys) == 0;
    if (same)
      add (fits, GRAPH_EXACT, 0, places_from (replay->n, i));
    i += same ? replay->n : 1;
  }
}

void
graph_fits (const GraphPlanKeys *plan, const GraphReplayKeys *replay, GraphAgrees agrees,
            gconstpointer user, GArray *fits)
{
  const guint before = fits->len;
  if (!replay->n)
    return;
  if (plan->is_run && plan->n > replay->n)
    occurrences (plan, replay, fits);
  if (fits->len > before)
    return;
  if (plan->n == replay->n
      && memcmp (plan->keys, replay->keys, plan->n * sizeof *plan->keys) == 0) {
    add (fits, GRAPH_EXACT, 0, places_from (replay->n, 0));
  } else if (!plan->is_run && !names_all (plan)) {
    if (plan->n == replay->n && is_one_stream (replay) && names_fit (plan, replay)
        && agrees (user, replay))
      add (fits, GRAPH_POSITION, 0, places_from (replay->n, 0));
  } else if (!is_one_stream (replay) && have_equal_counts (plan, replay)) {
    by_streams (plan, replay, fits);
  } else {
    by_edits (plan, replay, fits);
  }
}
