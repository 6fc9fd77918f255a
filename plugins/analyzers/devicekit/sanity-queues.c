/* SPDX-License-Identifier: Apache-2.0 */
/* sanity-queues.c - judges rows by those that follow on their queue: whether one is there twice,
 * and whether one runs over others, which a stream cannot. Rows of a queue mostly come by start;
 * only where they do not are they sorted. */
#include "devicekit/sanity-rules.h"

#include <stdlib.h>

#define LEAST_COVERED 3 /* whole rows under one */
#define TIMES_MEDIAN 10
#define LOOKS_A_ROW 64u /* then rows overlap so much that none is too long */

static AnSanityWork *
work_at (const AnSanityInput *in, guint32 i)
{
  return &g_array_index (in->work, AnSanityWork, i);
}

/* -- Queues ------------------------------------------------------------------------------------ */

static int
by_time (gconstpointer a, gconstpointer b)
{
  const AnSanityWork *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->end != y->end ? (x->end > y->end ? -1 : 1) : 0;
}

static bool
comes_before (const AnSanityWork *a, const AnSanityWork *b)
{
  return by_time (a, b) < 0;
}

/* Joins the rows of each queue as they stand; FALSE: some are not in the order of time. */
static bool
join (AnSanityInput *in)
{
  g_autoptr (GArray) last = g_array_new (FALSE, TRUE, sizeof (guint32)); /* by track: 1 + number */
  for (guint32 i = 0; i < in->work->len; i++) {
    AnSanityWork *w = work_at (in, i);
    w->next = AN_SANITY_NONE;
    if (!w->queue)
      continue;
    if (w->queue >= last->len)
      g_array_set_size (last, MAX (w->queue + 1, last->len * 2));
    guint32 *before = &g_array_index (last, guint32, w->queue);
    if (*before && comes_before (w, work_at (in, *before - 1)))
      return false;
    if (*before)
      work_at (in, *before - 1)->next = i;
    *before = i + 1;
  }
  return true;
}

/* -- Rows -------------------------------------------------------------------------------------- */

/* Takes rows that are there again out of the queue, and counts them. */
static guint64
drop_duplicates (AnSanityInput *in)
{
  guint64 n = 0;
  for (guint32 i = 0; i < in->work->len; i++) {
    AnSanityWork *w = work_at (in, i);
    guint32 *next = &w->next;
    while (w->queue && *next != AN_SANITY_NONE && work_at (in, *next)->start == w->start) {
      AnSanityWork *other = work_at (in, *next);
      if (!an_sanity_is_copy (w, other)) {
        next = &other->next;
        continue;
      }
      n++;
      other->queue = 0;
      *next = other->next;
    }
  }
  return n;
}

/* This row runs over others. */
typedef struct {
  guint32 number;
  guint64 covered; /* whole later rows */
} Over;

typedef struct {
  guint64 rows, overlapped; /* of which another one begins before the end */
  GArray *over;             /* of Over                                    */
} Overlap;

static guint64
covered_by (const AnSanityInput *in, const AnSanityWork *w, guint64 *budget)
{
  guint64 n = 0;
  for (guint32 k = w->next; k != AN_SANITY_NONE && *budget; k = work_at (in, k)->next, --*budget) {
    const AnSanityWork *later = work_at (in, k);
    if (later->start >= w->end)
      break;
    n += later->end <= w->end && later->end > later->start;
  }
  return n;
}

static void
find_overlap (const AnSanityInput *in, Overlap *o)
{
  guint64 budget = (guint64) in->work->len * LOOKS_A_ROW;
  for (guint32 i = 0; i < in->work->len; i++) {
    const AnSanityWork *w = work_at (in, i);
    if (!w->queue || w->side_by_side)
      continue;
    o->rows++;
    if (w->next == AN_SANITY_NONE || work_at (in, w->next)->start >= w->end)
      continue;
    o->overlapped++;
    const Over over = { i, covered_by (in, w, &budget) };
    if (over.covered >= LEAST_COVERED && !w->communicates)
      g_array_append_val (o->over, over);
  }
  if (!budget)
    g_array_set_size (o->over, 0);
}

/* -- How long rows of a name are --------------------------------------------------------------- */

static int
by_length (gconstpointer a, gconstpointer b)
{
  const gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;
  return (x > y) - (x < y);
}

static void
lengths_free (gpointer lengths)
{
  g_array_unref (lengths);
}

/* Returns the lengths of all rows that have the names of rows that run over others, by name. */
static GHashTable *
lengths_of (const AnSanityInput *in, const GArray *over)
{
  GHashTable *lengths = g_hash_table_new_full (NULL, NULL, NULL, lengths_free);
  for (guint i = 0; i < over->len; i++) {
    const AnSanityWork *w = work_at (in, g_array_index (over, Over, i).number);
    if (!g_hash_table_contains (lengths, GUINT_TO_POINTER (w->name)))
      g_hash_table_insert (lengths, GUINT_TO_POINTER (w->name),
                           g_array_new (FALSE, FALSE, sizeof (gint64)));
  }
  for (guint32 i = 0; i < in->work->len; i++) {
    const AnSanityWork *w = work_at (in, i);
    GArray *of = w->queue ? g_hash_table_lookup (lengths, GUINT_TO_POINTER (w->name)) : NULL;
    const gint64 length = w->end - w->start;
    if (of)
      g_array_append_val (of, length);
  }
  GHashTableIter iter;
  gpointer of;
  g_hash_table_iter_init (&iter, lengths);
  while (g_hash_table_iter_next (&iter, NULL, &of))
    g_array_sort (of, by_length);
  return lengths;
}

/* Leaves those that are far longer than others of their name, or the only one. */
static void
keep_too_long (const AnSanityInput *in, GArray *over)
{
  g_autoptr (GHashTable) lengths = lengths_of (in, over);
  guint n = 0;
  for (guint i = 0; i < over->len; i++) {
    const Over o = g_array_index (over, Over, i);
    const AnSanityWork *w = work_at (in, o.number);
    const GArray *of = g_hash_table_lookup (lengths, GUINT_TO_POINTER (w->name));
    const gint64 median = g_array_index (of, gint64, (of->len - 1) / 2);
    if (of->len == 1 || (w->end - w->start) / TIMES_MEDIAN >= MAX (median, 1))
      g_array_index (over, Over, n++) = o;
  }
  g_array_set_size (over, n);
}

/* -- The rules --------------------------------------------------------------------------------- */

static void
cut_rows (const AnSanityInput *in, const AnSanityTold *told, const GArray *over)
{
  AnSanityFinding found = { .rule = AN_SANITY_RUNS_OVER, .input = in->input, .rows = over->len };
  for (guint i = 0; i < over->len; i++) {
    const Over *o = &g_array_index (over, Over, i);
    const AnSanityWork *w = work_at (in, o->number);
    const gint64 end = MAX (w->start, work_at (in, w->next)->start);
    found.of += o->covered;
    found.worst = MAX (found.worst, w->end - end);
    told->mark (told->user, w, (AnSanityMark){ false, end });
  }
  told->found (told->user, &found);
}

static void
put_in_order (AnSanityInput *in)
{
  if (join (in))
    return;
  qsort (in->work->data, in->work->len, sizeof (AnSanityWork), by_time);
  join (in);
}

void
an_sanity_twice (AnSanityInput *in, const AnSanityTold *told)
{
  put_in_order (in);
  const guint64 twice = drop_duplicates (in);
  if (!twice)
    return;
  const AnSanityFinding found
      = { .rule = AN_SANITY_DUPLICATES, .input = in->input, .rows = twice, .left_out = twice };
  told->found (told->user, &found);
}

void
an_sanity_overlap (AnSanityInput *in, const AnSanityTold *told, bool streams)
{
  g_autoptr (GArray) over = g_array_new (FALSE, FALSE, sizeof (Over));
  Overlap o = { .over = over };
  put_in_order (in); /* rows of before may be out */
  find_overlap (in, &o);
  if (!streams)
    g_array_set_size (over, 0);
  if (over->len)
    keep_too_long (in, over);
  const guint64 others = o.overlapped - over->len;
  if (over->len && others * 20 <= o.rows)
    cut_rows (in, told, over);
  const guint64 left = others * 20 <= o.rows ? others : o.overlapped;
  if (left * 20 > o.rows && o.rows > 20) {
    const AnSanityFinding found
        = { .rule = AN_SANITY_STREAM_OVERLAP, .input = in->input, .rows = left, .of = o.rows };
    told->found (told->user, &found);
  }
}
