/* SPDX-License-Identifier: Apache-2.0 */
/* viewport.c - draws what is seen of a lane by the greedy cut: a row longer than a pixel is a
 * rectangle of its own; shorter rows join while all of them fit in one. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cut {
  struct np_cursor *c;
  int64_t t0, t1, p;
  uint32_t pixels, base; /* base: rectangles that were there before */
  struct nprof_rects *rects;
  bool open; /* there is a current rectangle */
  int64_t start, end;
  double busy, longest;
  uint32_t row, label;
  uint64_t count;
  double low, high; /* of counters */
};

/* -- Rectangles ----------------------------------------------------------------------- */

void
nprof_rects_clear (struct nprof_rects *r)
{
  free (r->x0);
  free (r->fill);
  memset (r, 0, sizeof *r);
}

/* Grows the seven columns of numbers, which are one piece of memory. */
static bool
grow (struct nprof_rects *r)
{
  enum { COLUMNS = 7 };
  uint32_t max = r->max ? r->max * 2 : 1024;
  uint32_t *numbers = max > r->max ? malloc ((size_t) max * COLUMNS * sizeof *numbers) : NULL;
  uint8_t *fill = numbers ? realloc (r->fill, max) : NULL;
  if (!fill) {
    free (numbers);
    r->failed = true;
    return false;
  }
  uint32_t **columns[COLUMNS]
      = { &r->x0, &r->x1, &r->row, &r->label, &r->count, &r->low, &r->high };
  uint32_t *old = r->x0;
  for (size_t k = 0; k < COLUMNS; k++) {
    if (r->n)
      memcpy (numbers + k * max, *columns[k], r->n * sizeof *numbers);
    *columns[k] = numbers + k * max;
  }
  free (old);
  r->fill = fill;
  r->max = max;
  return true;
}

/* Returns 1/16 pixels from t0, rounded down, or up. */
static uint32_t
pixel_of (const struct cut *c, int64_t t, bool up)
{
  uint64_t p = (uint64_t) c->p, most = (uint64_t) c->pixels * 16;
  if (t <= c->t0)
    return 0;
  uint64_t d = (uint64_t) t - (uint64_t) c->t0, rest = d % p;
  if (t >= c->t1 || d / p >= c->pixels)
    return (uint32_t) most;
  unsigned __int128 part = (unsigned __int128) rest * 16;
  uint64_t x = d / p * 16 + (uint64_t) ((part + (up ? p - 1 : 0)) / p);
  return (uint32_t) (x < most ? x : most);
}

static uint32_t
float_bits (double v)
{
  float f = (float) v;
  uint32_t bits;
  memcpy (&bits, &f, sizeof bits);
  return bits;
}

static bool
add_rect (struct cut *c, uint32_t x0, uint32_t x1, uint32_t low, uint32_t high, uint8_t fill)
{
  struct nprof_rects *r = c->rects;
  if (r->n == r->max && !grow (r))
    return np_query_no_memory (c->c->query, "the picture");
  r->x0[r->n] = x0;
  r->x1[r->n] = x1;
  r->row[r->n] = c->row;
  r->label[r->n] = c->label;
  r->count[r->n] = c->count < UINT32_MAX ? (uint32_t) c->count : UINT32_MAX;
  r->low[r->n] = low;
  r->high[r->n] = high;
  r->fill[r->n++] = fill;
  c->open = false;
  return true;
}

/* -- Spans, instants, flow ends, gaps --------------------------------------------------- */

static bool
flush (struct cut *c)
{
  if (!c->open)
    return true;
  double length = (double) np_far (c->start, c->end);
  double fill = c->count == 1 || length <= 0 ? 255 : 255 * (c->busy / length);
  double low = length <= 0 ? 65535 : 65535 * (c->longest / length);
  return add_rect (c, pixel_of (c, c->start, false), pixel_of (c, c->end, true),
                   low < 65535 ? (uint32_t) low : 65535, 0,
                   (uint8_t) (fill < 1     ? 1
                              : fill < 255 ? fill
                                           : 255));
}

static bool
take_rectangle (struct cut *c, int64_t start, int64_t end, double busy, double longest,
                uint32_t row, uint32_t label, uint64_t count)
{
  if (c->open && (uint64_t) end - (uint64_t) c->start <= (uint64_t) c->p) {
    c->end = end > c->end ? end : c->end;
    c->busy += busy;
    c->count += count;
    if (longest > c->longest) {
      c->longest = longest;
      c->row = row;
      c->label = label;
    }
    return true;
  }
  if (!flush (c))
    return false;
  c->open = true;
  c->start = start;
  c->end = end;
  c->busy = busy;
  c->longest = longest;
  c->row = row;
  c->label = label;
  c->count = count;
  return true;
}

static bool
touches (const struct cut *c, int64_t start, int64_t end)
{
  return start < c->t1 && (end > c->t0 || (start == c->t0 && end == start));
}

static int
cut_row (struct cut *c, const struct np_item *x)
{
  if (!touches (c, x->start, x->end))
    return NP_PASS;
  double length = (double) np_far (x->start, x->end);
  return take_rectangle (c, x->start, x->end, length, length, (uint32_t) x->number,
                         (uint32_t) np_value (x->place, NPROF_STORE_C_LABEL, x->i), 1)
             ? NP_PASS
             : NP_FAIL;
}

/* Returns the longest row of a node; UINT32_MAX: a damaged one. */
static uint32_t
rep_of (const struct np_cursor *c, const struct np_item *x)
{
  uint64_t row
      = (x->number << (3 * x->level)) + (uint64_t) np_value (x->place, NPROF_STORE_N_REP, x->i);
  return row < c->lane->rows ? (uint32_t) row : UINT32_MAX;
}

static int
cut_item (void *user, const struct np_item *x)
{
  struct cut *c = user;
  if (x->start >= c->t1)
    return NP_STOP;
  if (x->end < c->t0)
    return NP_PASS;
  if (!x->level)
    return cut_row (c, x);
  if (x->start < c->t0 || x->end >= c->t1 || np_far (x->start, x->end) > (uint64_t) c->p)
    return NP_OPEN;
  double length = (double) np_far (x->start, x->end);
  uint32_t row = rep_of (c->c, x);
  if (row == UINT32_MAX)
    return np_query_fail (c->c->query, "lane %u: a node of the pyramid is damaged", c->c->number)
               ? NP_PASS
               : NP_FAIL;
  return take_rectangle (c, x->start, x->end,
                         length * (double) np_value (x->place, NPROF_STORE_N_FILL, x->i) / 255,
                         length * (double) np_value (x->place, NPROF_STORE_N_LONG, x->i) / 65535,
                         row, (uint32_t) np_value (x->place, NPROF_STORE_N_LABEL, x->i),
                         np_rows_of (c->c, x->level, x->number))
             ? NP_PASS
             : NP_FAIL;
}

/* -- Spans without an end ------------------------------------------------------------------ */

static bool
flush_unclosed (struct cut *c)
{
  return !c->open || add_rect (c, pixel_of (c, c->start, false), c->pixels * 16, 65535, 0, 255);
}

/* Joins all that began before the tile to one rectangle, because they look the same. */
static int
cut_unclosed (void *user, const struct np_item *x)
{
  struct cut *c = user;
  int64_t end = x->start > c->t0 ? x->end : c->t0; /* of starts */
  if (x->start >= c->t1)
    return NP_STOP;
  if (x->level
      && (x->end >= c->t1 || (x->end > c->t0 && x->start < c->t0)
          || (x->start >= c->t0 && np_far (x->start, x->end) > (uint64_t) c->p)))
    return NP_OPEN;
  int64_t start = x->start > c->t0 ? x->start : c->t0;
  uint32_t row = x->level ? rep_of (c->c, x) : (uint32_t) x->number;
  uint64_t count = x->level ? np_rows_of (c->c, x->level, x->number) : 1;
  if (c->open && (uint64_t) end - (uint64_t) c->start <= (uint64_t) c->p) {
    c->count += count;
    return NP_PASS;
  }
  if (row == UINT32_MAX)
    np_query_fail (c->c->query, "lane %u: a node of the pyramid is damaged", c->c->number);
  if (row == UINT32_MAX || !flush_unclosed (c))
    return NP_FAIL;
  c->open = true;
  c->start = start;
  c->row = row;
  c->label
      = (uint32_t) np_value (x->place, x->level ? NPROF_STORE_N_LABEL : NPROF_STORE_C_LABEL, x->i);
  c->count = count;
  return NP_PASS;
}

/* -- Counters -------------------------------------------------------------------------------- */

static double
double_of (const struct np_item *x, uint32_t column)
{
  int64_t bits = np_value (x->place, column, x->i);
  double v;
  memcpy (&v, &bits, sizeof v);
  return v;
}

/* Reads by a cursor of its own, because a walk may be under way. */
static bool
read_value (struct cut *c, uint32_t row, double *value)
{
  struct np_cursor own;
  if (!np_cursor_init (&own, c->c->query, c->c->number))
    return false;
  const struct np_place *p = np_cursor_block (&own, 0, row / NPROF_STORE_ROWS);
  struct np_item x = { .place = p, .i = row % NPROF_STORE_ROWS };
  if (p)
    *value = double_of (&x, NPROF_STORE_C_VALUE);
  return p != NULL;
}

/* Ends the one before where this one begins. */
static void
end_previous (struct cut *c, uint32_t x0)
{
  if (c->rects->n > c->base)
    c->rects->x1[c->rects->n - 1] = x0;
}

static bool
add_values (struct cut *c, uint32_t x0, double low, double high)
{
  end_previous (c, x0);
  return add_rect (c, x0, c->pixels * 16, float_bits (low), float_bits (high), 255);
}

/* Adds a rectangle of no row for the last of joined values, which holds for more than a pixel
 * behind them; `next` is where another begins. */
static bool
add_hold (struct cut *c, int64_t next)
{
  uint32_t x0 = pixel_of (c, c->end, true), first = c->rects->x0[c->rects->n - 1];
  double last;
  x0 = x0 > first ? x0 : first + 16;
  if (x0 >= pixel_of (c, next, false))
    return true;
  if (!read_value (c, c->row, &last))
    return false;
  c->count = 0;
  return add_values (c, x0, last, last);
}

static bool
flush_counter (struct cut *c, int64_t next)
{
  if (!c->open)
    return true;
  bool joined = c->count > 1 && (uint64_t) next - (uint64_t) c->end > (uint64_t) c->p;
  return add_values (c, pixel_of (c, c->start, false), c->low, c->high)
         && (!joined || add_hold (c, next));
}

static int
take_values (struct cut *c, const struct np_item *x, double low, double high, uint32_t last,
             uint64_t count)
{
  if (c->open && count && c->count && (uint64_t) x->end - (uint64_t) c->start <= (uint64_t) c->p) {
    c->low = low < c->low ? low : c->low;
    c->high = high > c->high ? high : c->high;
    c->row = last;
    c->end = x->end;
    c->count += count;
    return NP_PASS;
  }
  if (!flush_counter (c, x->start))
    return NP_FAIL;
  c->open = true;
  c->start = x->start > c->t0 ? x->start : c->t0;
  c->end = x->end;
  c->low = low;
  c->high = high;
  c->row = last;
  c->label = c->c->lane->label;
  c->count = count;
  return NP_PASS;
}

static int
cut_counter (void *user, const struct np_item *x)
{
  struct cut *c = user;
  if (x->start >= c->t1)
    return NP_STOP;
  if (x->end < c->t0)
    return NP_PASS;
  if (!x->level) {
    double v = double_of (x, NPROF_STORE_C_VALUE);
    return x->start < c->t0 ? NP_PASS : take_values (c, x, v, v, (uint32_t) x->number, 1);
  }
  if (x->start < c->t0 || x->end >= c->t1 || np_far (x->start, x->end) > (uint64_t) c->p)
    return NP_OPEN;
  uint64_t count = np_rows_of (c->c, x->level, x->number);
  return take_values (c, x, double_of (x, NPROF_STORE_N_MIN), double_of (x, NPROF_STORE_N_MAX),
                      (uint32_t) ((x->number << (3 * x->level)) + count - 1), count);
}

/* Cuts the value at t0, which began before it. */
static bool
cut_held (struct cut *c)
{
  uint32_t row;
  bool found;
  if (c->t0 == INT64_MIN)
    return true;
  if (!nprof_store_before (c->c->query, c->c->number, c->t0 - 1, &row, &found) || !found)
    return !found || !*c->c->query->error;
  struct np_item x = { .start = c->t0, .end = c->t0 };
  double v;
  if (!read_value (c, row, &v))
    return false;
  return take_values (c, &x, v, v, row, 0) == NP_PASS;
}

/* -- Questions --------------------------------------------------------------------------------- */

static int64_t
end_of (int64_t t0, uint32_t pixels, int64_t p)
{
  int64_t length, t1;
  if (__builtin_mul_overflow ((int64_t) pixels, p, &length)
      || __builtin_add_overflow (t0, length, &t1))
    return INT64_MAX;
  return t1;
}

static bool
cut_lane (struct cut *c)
{
  switch (c->c->lane->type) {
  case NPROF_STORE_LANE_FACT:
    return true;
  case NPROF_STORE_LANE_UNCLOSED:
    return np_walk (c->c, cut_unclosed, c) && flush_unclosed (c);
  case NPROF_STORE_LANE_COUNTER:
    return cut_held (c) && np_walk (c->c, cut_counter, c) && flush_counter (c, c->t1);
  default:
    return np_walk (c->c, cut_item, c) && flush (c);
  }
}

/* Begins a picture; false: of that size there is none. */
static bool
begin (struct nprof_query *query, uint32_t pixels, int64_t p)
{
  if (p < 1 || !pixels || pixels > 1u << 20)
    return np_query_fail (query, "expected 1 to 1048576 pixels of at least 1 ps");
  *query->error = 0;
  return true;
}

static struct cut
cut_of (struct np_cursor *c, int64_t t0, uint32_t pixels, int64_t p, struct nprof_rects *rects)
{
  return (struct cut){ .c = c,
                       .t0 = t0,
                       .t1 = end_of (t0, pixels, p),
                       .p = p,
                       .pixels = pixels,
                       .base = rects->n,
                       .rects = rects };
}

bool
nprof_store_viewport (struct nprof_query *query, uint32_t lane, int64_t t0, uint32_t pixels,
                      int64_t p, struct nprof_rects *rects)
{
  struct np_cursor cursor;
  if (!begin (query, pixels, p) || !np_cursor_init (&cursor, query, lane))
    return false;
  struct cut c = cut_of (&cursor, t0, pixels, p, rects);
  bool holds = cursor.lane->type == NPROF_STORE_LANE_UNCLOSED
               || cursor.lane->type == NPROF_STORE_LANE_COUNTER;
  if (cursor.lane->first >= c.t1 || (cursor.lane->last < t0 && !holds))
    return true;
  return cut_lane (&c);
}

/* -- By groups --------------------------------------------------------------------------------- */

struct parted {
  const struct nprof_store_groups *groups;
  struct cut *cuts; /* of each group */
  int (*cut) (void *user, const struct np_item *x);
};

/* Nodes do not say of which groups their rows are, so that rows are cut one by one. */
static int
cut_block (struct parted *p, const struct np_place *place)
{
  int64_t start[NPROF_STORE_ROWS], duration[NPROF_STORE_ROWS];
  np_values (place, NPROF_STORE_C_START, start);
  np_values (place, NPROF_STORE_C_DURATION, duration);
  for (uint32_t i = 0; i < place->block->n; i++) {
    if (start[i] >= p->cuts->t1)
      return NP_STOP;
    uint32_t group = p->groups->group (p->groups->user, place->block, i);
    struct np_item x = { .number = place->block->first + i,
                         .start = start[i],
                         .end = np_end (start[i], duration[i] > 0 ? duration[i] : 0),
                         .place = place,
                         .i = i };
    if (group < p->groups->n && p->cut (p->cuts + group, &x) == NP_FAIL)
      return NP_FAIL;
  }
  return NP_PASS;
}

/* Finds the last row that begins before the window, as those before it have ended; of spans without
 * an end none has. */
static bool
first_block (struct np_cursor *c, int64_t t0, uint64_t *number)
{
  uint32_t row = 0;
  bool found = false, holds = c->lane->type == NPROF_STORE_LANE_UNCLOSED || t0 == INT64_MIN;
  if (!holds && !nprof_store_before (c->query, c->number, t0 - 1, &row, &found))
    return false;
  *number = found ? row / NPROF_STORE_ROWS : 0;
  return true;
}

static bool
cut_parts (struct np_cursor *c, struct parted *p)
{
  bool unclosed = c->lane->type == NPROF_STORE_LANE_UNCLOSED;
  uint64_t k;
  int verdict = NP_PASS;
  p->cut = unclosed ? cut_unclosed : cut_item;
  if (!first_block (c, p->cuts->t0, &k))
    return false;
  for (; verdict == NP_PASS && k * NPROF_STORE_ROWS < c->lane->rows; k++) {
    const struct np_place *place = np_query_stopped (c->query) ? NULL : np_cursor_block (c, 0, k);
    verdict = place ? cut_block (p, place) : NP_FAIL;
  }
  bool good = verdict != NP_FAIL;
  for (uint32_t i = 0; good && i < p->groups->n; i++)
    good = unclosed ? flush_unclosed (p->cuts + i) : flush (p->cuts + i);
  return good;
}

bool
nprof_store_viewport_by (struct nprof_query *query, uint32_t lane, int64_t t0, uint32_t pixels,
                         int64_t p, const struct nprof_store_groups *groups,
                         struct nprof_rects *rects)
{
  struct np_cursor cursor;
  if (!begin (query, pixels, p) || !np_cursor_init (&cursor, query, lane))
    return false;
  if (cursor.lane->type == NPROF_STORE_LANE_COUNTER)
    return np_query_fail (query, "lane %u: rows of a counter cannot be parted", lane);
  int64_t t1 = end_of (t0, pixels, p);
  bool holds = cursor.lane->type == NPROF_STORE_LANE_UNCLOSED;
  if (!groups->n || cursor.lane->type == NPROF_STORE_LANE_FACT || cursor.lane->first >= t1
      || (cursor.lane->last < t0 && !holds))
    return true;
  struct parted parted = { groups, calloc (groups->n, sizeof *parted.cuts), NULL };
  for (uint32_t i = 0; parted.cuts && i < groups->n; i++)
    parted.cuts[i] = cut_of (&cursor, t0, pixels, p, rects + i);
  bool good
      = parted.cuts ? cut_parts (&cursor, &parted) : np_query_no_memory (query, "the picture");
  free (parted.cuts);
  return good;
}

/* -- Of pieces --------------------------------------------------------------------------------- */

/* Returns the first piece that ends at or behind t0. */
static uint64_t
first_piece (const struct nprof_store_piece *pieces, uint64_t n, int64_t t0)
{
  uint64_t low = 0, high = n;
  while (low < high) {
    uint64_t middle = (low + high) / 2;
    if (pieces[middle].end < t0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

bool
nprof_store_viewport_of (struct nprof_query *query, const struct nprof_store_piece *pieces,
                         uint64_t n, int64_t t0, uint32_t pixels, int64_t p,
                         struct nprof_rects *rects)
{
  struct np_cursor cursor = { .query = query };
  if (!begin (query, pixels, p))
    return false;
  struct cut c = cut_of (&cursor, t0, pixels, p, rects);
  for (uint64_t i = first_piece (pieces, n, t0); i < n && pieces[i].start < c.t1; i++) {
    const struct nprof_store_piece *x = &pieces[i];
    if (touches (&c, x->start, x->end)
        && !take_rectangle (&c, x->start, x->end, x->busy, x->longest, x->row, x->label, x->count))
      return false;
  }
  return flush (&c);
}

bool
nprof_store_over (struct nprof_query *query, uint32_t lane, struct nprof_rects *rects)
{
  struct nprof_store *s = query->store;
  const struct nprof_store_span *span = np_store_elements (s, NPROF_STORE_S_OVER, lane, 1);
  uint64_t bytes = span ? ((uint64_t) span->n * 29 + 3) & ~3ull : 0;
  memset (rects, 0, sizeof *rects);
  if (!span || span->from % 4 || !np_store_pages (s, NPROF_STORE_F_OVER, span->from, bytes))
    return np_query_damaged (query, NPROF_STORE_F_OVER, span ? span->from : 0,
                             "the picture is damaged, or the lane does not exist");
  if (!span->n)
    return true;
  uint32_t n = span->n, *v = (uint32_t *) (s->file[NPROF_STORE_F_OVER].p + span->from);
  *rects = (struct nprof_rects){ .n = n,
                                 .x0 = v,
                                 .x1 = v + n,
                                 .row = v + 2 * (size_t) n,
                                 .label = v + 3 * (size_t) n,
                                 .count = v + 4 * (size_t) n,
                                 .low = v + 5 * (size_t) n,
                                 .high = v + 6 * (size_t) n,
                                 .fill = (uint8_t *) (v + 7 * (size_t) n) };
  return true;
}

struct tally {
  const struct np_cursor *c;
  int64_t t0, t1;
  uint64_t n;
};

static int
count_item (void *user, const struct np_item *x)
{
  struct tally *t = user;
  bool unclosed = t->c->lane->type == NPROF_STORE_LANE_UNCLOSED;
  if (x->start >= t->t1)
    return NP_STOP;
  if (x->end < t->t0 && !unclosed)
    return NP_PASS;
  if (x->level && x->end < t->t1 && (unclosed || x->start >= t->t0))
    return t->n += np_rows_of (t->c, x->level, x->number), NP_PASS;
  if (x->level)
    return NP_OPEN;
  t->n += unclosed || x->end > t->t0 || (x->start == t->t0 && x->end == x->start);
  return NP_PASS;
}

bool
nprof_store_touching (struct nprof_query *query, uint32_t lane, int64_t t0, int64_t t1, uint64_t *n)
{
  struct np_cursor cursor;
  struct tally t = { &cursor, t0, t1, 0 };
  *query->error = 0;
  if (!np_cursor_init (&cursor, query, lane))
    return false;
  bool ok = cursor.lane->type == NPROF_STORE_LANE_FACT || np_walk (&cursor, count_item, &t);
  *n = t.n;
  return ok;
}
