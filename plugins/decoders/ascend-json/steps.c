/* SPDX-License-Identifier: Apache-2.0 */
/* steps.c - splits steps by the vendor's rule: sums the rows of its own track that begin in the
 * window of a step, which goes from the first task that PyTorch launched in it to the last one, and
 * no less far than the step. rule: ascend.md 6 */
#include "layers.h"

#include "system/large.h"

#include <string.h>

/* A row of the vendor's track; ASCEND_BUBBLE: a collective that waits for another stage. */
typedef struct {
  AscendFigure figure;
  int64_t start, end;
} Overlap;

static const AscendFigure of_the_track[]
    = { ASCEND_COMPUTING, ASCEND_COMMUNICATION, ASCEND_NOT_OVERLAPPED, ASCEND_FREE };

typedef struct {
  AjSpot spot;
  int64_t end;
} Row;

typedef struct {
  int64_t begin;
  AjSpot end;
} Arrow;

/* A row of a device, and when PyTorch launched it. */
typedef struct {
  int64_t launch, start, end;
} Linked;

struct AjSplit {
  NpLargeArray *overlaps, *rows, *arrows; /* of Overlap, Row, Arrow */
  NpLargeArray *linked;                   /* of Linked, by launch   */
};

AjSplit *
aj_split_new (void)
{
  AjSplit *s = g_new0 (AjSplit, 1);
  s->overlaps = np_large_array_new (sizeof (Overlap));
  s->rows = np_large_array_new (sizeof (Row));
  s->arrows = np_large_array_new (sizeof (Arrow));
  s->linked = np_large_array_new (sizeof (Linked));
  return s;
}

void
aj_split_free (AjSplit *s)
{
  NpLargeArray *const arrays[] = { s->overlaps, s->rows, s->arrows, s->linked };
  for (gsize i = 0; i < G_N_ELEMENTS (arrays); i++)
    np_large_array_free (arrays[i]);
  g_free (s);
}

static void
add (NpLargeArray *array, gconstpointer element)
{
  np_large_array_extend (array, array->len + 1);
  memcpy (array->data + (gsize) (array->len - 1) * array->element, element, array->element);
}

/* -- What is read ------------------------------------------------------------------------------ */

void
aj_split_overlap (AjSplit *s, const TeValue *name, int64_t start, int64_t end)
{
  static const struct {
    const char *name;
    AscendFigure figure;
  } names[] = {
    { "Computing", ASCEND_COMPUTING },
    { "Communication", ASCEND_COMMUNICATION },
    { "Communication(Not Overlapped)", ASCEND_NOT_OVERLAPPED },
    { "Free", ASCEND_FREE },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (te_text_is (name, names[i].name)) {
      const Overlap overlap = { names[i].figure, start, end };
      add (s->overlaps, &overlap);
    }
}

void
aj_split_row (AjSplit *s, const AjSpot *spot, int64_t end, bool receives)
{
  const Row row = { *spot, end };
  const Overlap bubble = { ASCEND_BUBBLE, spot->start, end };
  add (s->rows, &row);
  if (receives)
    add (s->overlaps, &bubble);
}

void
aj_split_arrow (AjSplit *s, int64_t begin, const AjSpot *end)
{
  const Arrow arrow = { begin, *end };
  add (s->arrows, &arrow);
}

/* -- Orders ------------------------------------------------------------------------------------ */

static int
compare (int64_t a, int64_t b)
{
  return (a > b) - (a < b);
}

static int
by_spot (gconstpointer a, gconstpointer b)
{
  const Row *x = a, *y = b;
  const int first = compare (x->spot.start, y->spot.start),
            second = compare (x->spot.pid, y->spot.pid);
  return first ? first : second ? second : compare (x->spot.tid, y->spot.tid);
}

static int
by_launch (gconstpointer a, gconstpointer b)
{
  return compare (((const Linked *) a)->launch, ((const Linked *) b)->launch);
}

static int
by_start (gconstpointer a, gconstpointer b)
{
  return compare (((const Overlap *) a)->start, ((const Overlap *) b)->start);
}

/* Returns the place of the first element that is not before `key`. */
static guint
first_of (const NpLargeArray *array, GCompareFunc order, gconstpointer key)
{
  const guint size = array->element;
  guint low = 0, high = array->len;
  while (low < high) {
    const guint middle = low + (high - low) / 2;
    if (order (array->data + (gsize) middle * size, key) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* -- Steps ------------------------------------------------------------------------------------- */

/* All rows at the spot of an arrow's end are of its launch. */
static void
link_rows (AjSplit *s)
{
  np_large_array_sort (s->rows, by_spot);
  for (guint i = 0; i < s->arrows->len; i++) {
    const Arrow *arrow = &g_array_index (s->arrows, Arrow, i);
    const Row key = { arrow->end, 0 };
    for (guint k = first_of (s->rows, by_spot, &key); k < s->rows->len; k++) {
      const Row *row = &g_array_index (s->rows, Row, k);
      const Linked linked = { arrow->begin, row->spot.start, row->end };
      if (by_spot (row, &key) != 0)
        break;
      add (s->linked, &linked);
    }
  }
  np_large_array_sort (s->linked, by_launch);
}

/* Finds the window of a step: false: no task is known to be of it. */
static bool
window_of (const AjSplit *s, const StepTime *step, AscendSpan *window)
{
  const Linked key = { .launch = step->start };
  const guint first = first_of (s->linked, by_launch, &key);
  int64_t last = 0;
  bool any = false;
  for (guint i = first; i < s->linked->len; i++) {
    const Linked *linked = &g_array_index (s->linked, Linked, i);
    if (linked->launch > step->end)
      break;
    if (!any || linked->launch > last)
      window->end = step->end;
    window->end = MAX (window->end, linked->end); /* of those that were launched last */
    window->start = any ? MIN (window->start, linked->start) : linked->start;
    last = linked->launch;
    any = true;
  }
  return any;
}

static void
split (const AjSplit *s, const StepTime *time, const AscendSpan *window, AscendStep *step)
{
  const Overlap key = { .start = window->start };
  int64_t first = 0, last = 0, work = 0, sums[ASCEND_FIGURES] = { 0 };
  int64_t rows[ASCEND_FIGURES] = { 0 };
  bool any = false, works = false, fits = true;
  for (guint i = first_of (s->overlaps, by_start, &key); i < s->overlaps->len; i++) {
    const Overlap *o = &g_array_index (s->overlaps, Overlap, i);
    if (o->start >= window->end)
      break;
    fits &= !__builtin_add_overflow (sums[o->figure], o->end - o->start, &sums[o->figure]);
    rows[o->figure]++;
    if (o->figure == ASCEND_BUBBLE)
      continue;
    first = any ? first : o->start;
    last = any ? MAX (last, o->end) : o->end;
    any = true;
    if (!works && o->figure != ASCEND_FREE) {
      work = o->start;
      works = true;
    }
  }
  if (!works || !fits)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (of_the_track); i++) {
    step->by_rule[of_the_track[i]] = nprof_some_int (sums[of_the_track[i]]);
    step->rows[of_the_track[i]] = nprof_some_int (rows[of_the_track[i]]);
  }
  step->by_rule[ASCEND_BUBBLE] = nprof_some_int (sums[ASCEND_BUBBLE]);
  ascend_step_settle (step, first, last, work, time->start);
}

/* The vendor's track is its own figure of the whole file. */
static void
sum_whole (const AjSplit *s, AscendStep *whole)
{
  int64_t sums[ASCEND_FIGURES] = { 0 }, rows[ASCEND_FIGURES] = { 0 };
  bool fits = true;
  for (guint i = 0; i < s->overlaps->len; i++) {
    const Overlap *o = &g_array_index (s->overlaps, Overlap, i);
    fits &= !__builtin_add_overflow (sums[o->figure], o->end - o->start, &sums[o->figure]);
    rows[o->figure]++;
  }
  for (gsize i = 0; i < G_N_ELEMENTS (of_the_track); i++) {
    whole->vendor[of_the_track[i]] = nprof_int_if (fits, sums[of_the_track[i]]);
    whole->rows[of_the_track[i]] = nprof_some_int (rows[of_the_track[i]]);
  }
  whole->source = "Overlap Analysis";
}

void
aj_split_steps (AjSplit *s, const GArray *steps, nprof_str device, AscendSteps *to)
{
  if (!s->overlaps->len)
    return;
  sum_whole (s, ascend_step_of (to, ASCEND_WHOLE, device));
  link_rows (s);
  np_large_array_sort (s->overlaps, by_start);
  for (guint i = 0; i < steps->len; i++) {
    const StepTime *time = &g_array_index (steps, StepTime, i);
    AscendSpan window;
    if (window_of (s, time, &window))
      split (s, time, &window, ascend_step_of (to, time->number, device));
  }
}
