/* SPDX-License-Identifier: Apache-2.0 */
/* repeats.c - finds a period in what a device did without steps: a sequence of names of its work
 * that repeats, or else one name that comes at even distances. */
#include "verdict.h"

#include <string.h>

#define MIDDLE 20000u /* rows in which periods are sought; they are checked over all */
#define LEAST 3u      /* periods */
#define FEWEST_ROWS 12u
#define MOST_OF_NAME 400u
#define NEXT 4u /* distances are to the first four next of the name */
#define CANDIDATES 120u
#define SAMPLES 8000u
#define ALIKE 0.85 /* of the rows at least have the name of that a period behind them */

typedef struct {
  nprof_str name;
  gint64 start;
} Row;

typedef struct {
  guint distance, times, order; /* order: which came first */
} Candidate;

typedef struct {
  GArray *rows;          /* of Row: all but fills               */
  GHashTable *positions; /* name to GArray of guint             */
  GPtrArray *names;      /* their arrays, in the order of names */
  guint low, high;       /* the middle                          */
  double alike;          /* of all rows; ALIKE of the middle    */
} Search;

static const Row *
row_at (const Search *s, guint i)
{
  return &g_array_index (s->rows, Row, i);
}

static void
read_rows (Search *s, Steps *self, Device *d)
{
  AnSeriesReader reader;
  an_series_read (&reader, &d->work, &self->store);
  for (const Work *w; (w = an_series_next (&reader));) {
    const Row row = { w->name, w->start };
    if (!w->fills)
      g_array_append_val (s->rows, row);
  }
  an_series_reader_clear (&reader);
  const guint n = s->rows->len;
  s->low = n / 2 > MIDDLE / 2 ? n / 2 - MIDDLE / 2 : 0;
  s->high = MIN (n, n / 2 + MIDDLE / 2);
  for (guint i = 0; i < n; i++) {
    const gpointer key = GUINT_TO_POINTER (row_at (s, i)->name);
    GArray *at = g_hash_table_lookup (s->positions, key);
    if (!at) {
      at = g_array_new (FALSE, FALSE, sizeof (guint));
      g_hash_table_insert (s->positions, key, at);
      g_ptr_array_add (s->names, at);
    }
    g_array_append_val (at, i);
  }
}

/* -- Candidates -------------------------------------------------------------------------------- */

static void
count_distances (GHashTable *seen, GArray *found, const guint *at, guint n)
{
  for (guint k = 1; k <= NEXT; k++)
    for (guint i = 0; i + k < n; i++) {
      const guint distance = at[i + k] - at[i];
      const guint number
          = GPOINTER_TO_UINT (g_hash_table_lookup (seen, GUINT_TO_POINTER (distance)));
      const Candidate one = { distance, 1, found->len };
      if (number) {
        g_array_index (found, Candidate, number - 1).times++;
        continue;
      }
      g_array_append_val (found, one);
      g_hash_table_insert (seen, GUINT_TO_POINTER (distance), GUINT_TO_POINTER (found->len));
    }
}

static int
by_times (gconstpointer a, gconstpointer b)
{
  const Candidate *x = a, *y = b;
  if (x->times != y->times)
    return x->times > y->times ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

static int
by_distance (gconstpointer a, gconstpointer b)
{
  const Candidate *x = a, *y = b;
  return x->distance < y->distance ? -1 : x->distance > y->distance;
}

/* Returns the most frequent distances between rows of one name, the smallest first. */
static GArray *
candidates_of (const Search *s)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (Candidate));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < s->names->len; i++) {
    const GArray *at = g_ptr_array_index (s->names, i);
    const guint *first = (const guint *) (const void *) at->data, *end = first + at->len;
    while (first < end && *first < s->low)
      first++;
    while (end > first && end[-1] >= s->high)
      end--;
    const guint n = (guint) (end - first);
    if (n >= LEAST && n <= MOST_OF_NAME)
      count_distances (seen, found, first, n);
  }
  g_array_sort (found, by_times);
  g_array_set_size (found, MIN (found->len, CANDIDATES));
  g_array_sort (found, by_distance);
  return found;
}

/* -- How well a period repeats ----------------------------------------------------------------- */

/* Returns the share of rows from low on that have the name of the row p behind them. */
static double
repeats (const Search *s, guint low, guint high, guint p, guint stride)
{
  guint same = 0, all = 0;
  for (guint i = low; i + p < high; i += stride, all++)
    same += row_at (s, i)->name == row_at (s, i + p)->name;
  return all ? (double) same / (double) all : 0;
}

/* One name all the time is no pattern. */
static gboolean
has_two_names (const Search *s, guint p)
{
  const guint from = s->rows->len / 3;
  for (guint i = from + 1; i < from + p && i < s->rows->len; i++)
    if (row_at (s, i)->name != row_at (s, from)->name)
      return TRUE;
  return FALSE;
}

/* Returns the smallest period that repeats nearly as well as the best, as layers repeat within a
 * step, which repeats better; 0: none does. */
static guint
best_period (const Search *s)
{
  g_autoptr (GArray) candidates = candidates_of (s);
  const guint n = s->rows->len;
  g_autofree double *share = g_new0 (double, candidates->len + 1);
  double best = 0;
  for (guint i = 0; i < candidates->len; i++) {
    const guint p = g_array_index (candidates, Candidate, i).distance;
    if (p < 2 || p > n / LEAST)
      continue;
    const guint middle = s->high - s->low > p ? s->high - s->low - p : 0;
    if (repeats (s, s->low, s->high, p, MAX (1, middle / SAMPLES)) < ALIKE || !has_two_names (s, p))
      continue;
    const double whole = repeats (s, 0, n, p, 1);
    share[i] = whole < s->alike ? 0 : whole;
    best = MAX (best, share[i]);
  }
  for (guint i = 0; i < candidates->len && best > 0; i++)
    if (share[i] >= best - 0.01)
      return g_array_index (candidates, Candidate, i).distance;
  return 0;
}

/* -- Edges ------------------------------------------------------------------------------------- */

static int
by_value (gconstpointer a, gconstpointer b)
{
  const gint64 *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

/* Returns the distances in time between rows of one name, sorted. */
static GArray *
distances_of (const Search *s, const GArray *at)
{
  GArray *d = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint i = 1; i < at->len; i++) {
    const gint64 one = row_at (s, g_array_index (at, guint, i))->start
                       - row_at (s, g_array_index (at, guint, i - 1))->start;
    g_array_append_val (d, one);
  }
  g_array_sort (d, by_value);
  return d;
}

static GArray *
ranges_of (const Search *s, const GArray *at)
{
  GArray *ranges = g_array_new (FALSE, FALSE, sizeof (Range));
  for (guint i = 1; i < at->len; i++) {
    const Range r = { row_at (s, g_array_index (at, guint, i - 1))->start,
                      row_at (s, g_array_index (at, guint, i))->start };
    g_array_append_val (ranges, r);
  }
  return ranges;
}

/* Returns how far distances are from their median, as a share of that; < 0: it is 0. */
static double
unevenness (const Search *s, const GArray *at)
{
  g_autoptr (GArray) d = distances_of (s, at);
  const double median = (double) g_array_index (d, gint64, d->len / 2);
  double sum = 0;
  for (guint i = 0; i < d->len; i++)
    sum += ABS ((double) g_array_index (d, gint64, i) - median);
  return median > 0 ? sum / (double) d->len / median : -1;
}

static guint
times_in_pattern (const Search *s, nprof_str name, guint p)
{
  const guint from = s->rows->len / 3;
  guint n = 0;
  for (guint i = from; i < from + p && i < s->rows->len; i++)
    n += row_at (s, i)->name == name;
  return n;
}

/* Returns the rows of the name that comes once in each period, the most evenly; NULL: none does. */
static const GArray *
anchor_of (const Search *s, guint p)
{
  const GArray *best = NULL;
  double least = 0;
  for (guint i = 0; i < s->names->len; i++) {
    const GArray *at = g_ptr_array_index (s->names, i);
    if (at->len < LEAST
        || times_in_pattern (s, row_at (s, g_array_index (at, guint, 0))->name, p) != 1)
      continue;
    const double uneven = unevenness (s, at);
    if (uneven < 0 || (best && (uneven > least || (uneven >= least && at->len <= best->len))))
      continue;
    best = at;
    least = uneven;
  }
  return best;
}

static GArray *
every (const Search *s, guint p)
{
  g_autoptr (GArray) at = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < s->rows->len; i += p)
    g_array_append_val (at, i);
  return ranges_of (s, at);
}

/* -- Loops whose body varies ------------------------------------------------------------------- */

/* Returns the median distance of rows of one name where 8 of 10 lie within a tenth of it, and they
 * span half of the recording; else 0. */
static gint64
even_distance (const Search *s, const GArray *at)
{
  if (at->len < 5 || at->len > 2000)
    return 0;
  g_autoptr (GArray) d = distances_of (s, at);
  const gint64 median = g_array_index (d, gint64, d->len / 2);
  const gint64 span = row_at (s, g_array_index (at, guint, at->len - 1))->start
                      - row_at (s, g_array_index (at, guint, 0))->start,
               all = row_at (s, s->rows->len - 1)->start - row_at (s, 0)->start;
  guint near = 0;
  for (guint i = 0; i < d->len; i++)
    near += (DistSum) ABS (g_array_index (d, gint64, i) - median) * 10 <= median;
  return median > 0 && 2 * (DistSum) span >= all && near * 10 >= 8 * d->len ? median : 0;
}

/* Returns the rows of a name that comes evenly, the seldomest of all. */
static const GArray *
even_name (const Search *s)
{
  gint64 most = 0;
  const GArray *best = NULL;
  for (guint i = 0; i < s->names->len; i++) {
    const gint64 distance = even_distance (s, g_ptr_array_index (s->names, i));
    if (distance <= most)
      continue;
    most = distance;
    best = g_ptr_array_index (s->names, i);
  }
  return best;
}

GArray *
st_find_repeats (Steps *self, Device *d, double of)
{
  Search s
      = { .alike = of * ALIKE,
          .rows = g_array_new (FALSE, FALSE, sizeof (Row)),
          .positions = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref),
          .names = g_ptr_array_new () };
  GArray *found = NULL;
  read_rows (&s, self, d);
  const guint p = s.rows->len >= FEWEST_ROWS ? best_period (&s) : 0;
  const GArray *at = p ? anchor_of (&s, p) : s.rows->len >= FEWEST_ROWS ? even_name (&s) : NULL;
  if (at)
    found = ranges_of (&s, at);
  else if (p)
    found = every (&s, p);
  g_ptr_array_unref (s.names);
  g_hash_table_unref (s.positions);
  g_array_unref (s.rows);
  return found;
}
