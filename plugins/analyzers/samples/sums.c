/* SPDX-License-Identifier: Apache-2.0 */
/* sums.c - adds up the rows of a step at their places. */
#include "sums.h"

#include <math.h>

/* It counts how many rows came of a (kernel, operator), or of an operator, in the step of that
 * stamp. */
typedef struct {
  guint32 stamp, n;
} SmCount;

void
sm_sums_init (SmSums *s)
{
  an_key_table_init (&s->places, PLACE_WORDS);
  an_key_table_init (&s->series, SERIES_WORDS);
  an_key_table_init (&s->counted, SERIES_WORDS);
  s->place = g_array_new (FALSE, TRUE, sizeof (SmPlace));
  s->blocks = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  s->block = g_array_new (FALSE, TRUE, sizeof (SmBlock));
  s->touched = g_array_new (FALSE, FALSE, sizeof (guint));
  s->count = g_array_new (FALSE, TRUE, sizeof (SmCount));
  s->width = 1;
}

void
sm_sums_clear (SmSums *s)
{
  if (!s->place)
    return;
  an_key_table_clear (&s->places);
  an_key_table_clear (&s->series);
  an_key_table_clear (&s->counted);
  g_array_unref (s->place);
  g_ptr_array_unref (s->blocks);
  g_array_unref (s->block);
  g_array_unref (s->touched);
  g_array_unref (s->count);
}

int
sm_row_compare (gconstpointer a, gconstpointer b)
{
  const SmRow *x = a, *y = b;
  if (x->order != y->order)
    return x->order < y->order ? -1 : 1;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

/* Returns how many of them came before in this step; counts one more. */
static guint32
ordinal (SmSums *s, nprof_str kernel, nprof_str operator)
{
  const guint32 key[SERIES_WORDS] = { kernel, operator, 0 };
  guint number = an_key_table_get (&s->counted, key);
  if (number >= s->count->len)
    g_array_set_size (s->count, number + 1);
  SmCount *count = &g_array_index (s->count, SmCount, number);
  if (count->stamp != s->steps + 1)
    *count = (SmCount){ s->steps + 1, 0 };
  return count->n++;
}

static guint64 *
block_sum (SmSums *s, const SmRow *row, nprof_str module)
{
  const guint32 key[SERIES_WORDS] = { row->kernel, row->operator, module };
  guint number = an_key_table_get (&s->series, key);
  if (number == s->blocks->len)
    g_ptr_array_add (s->blocks, g_array_new (FALSE, TRUE, sizeof (guint64)));
  GArray *sums = g_ptr_array_index (s->blocks, number);
  guint block = s->steps / s->width;
  if (sums->len <= block)
    g_array_set_size (sums, block + 1);
  return &g_array_index (sums, guint64, block);
}

static void
add_row (SmSums *s, const SmRow *row)
{
  guint32 among = ordinal (s, 0, row->operator);
  guint32 which = ordinal (s, row->kernel, row->operator);
  const guint32 key[PLACE_WORDS] = { row->kernel, row->operator, MIN (which, SM_ORDINALS - 1) };
  guint number = an_key_table_get (&s->places, key);
  if (number == s->place->len) {
    g_array_set_size (s->place, number + 1);
    g_array_index (s->place, SmPlace, number).among = among;
    g_array_index (s->place, SmPlace, number).module = row->module;
  }
  SmPlace *place = &g_array_index (s->place, SmPlace, number);
  if (place->stamp != s->steps + 1) {
    place->stamp = s->steps + 1;
    place->steps++;
    g_array_append_val (s->touched, number);
  }
  place->calls++;
  place->now += (guint64) row->duration;
  *block_sum (s, row, place->module) += (guint64) row->duration;
}

void
sm_sums_add (SmSums *s, const SmRow *rows, guint n, bool hidden)
{
  for (guint i = 0; i < n; i++)
    if (hidden || !rows[i].hidden)
      add_row (s, rows + i);
}

/* Doubles the steps of a block. */
static void
widen (SmSums *s)
{
  for (guint i = 0; i < s->blocks->len; i++) {
    GArray *sums = g_ptr_array_index (s->blocks, i);
    guint64 *at = (guint64 *) (void *) sums->data;
    guint n = (sums->len + 1) / 2;
    for (guint b = 0; b < n; b++)
      at[b] = at[2 * b] + (2 * b + 1 < sums->len ? at[2 * b + 1] : 0);
    g_array_set_size (sums, n);
  }
  for (guint b = 0; b < SM_BLOCKS / 2; b++) {
    SmBlock block = g_array_index (s->block, SmBlock, 2 * b);
    block.steps += g_array_index (s->block, SmBlock, 2 * b + 1).steps;
    g_array_index (s->block, SmBlock, b) = block;
  }
  g_array_set_size (s->block, SM_BLOCKS / 2);
  s->width *= 2;
}

void
sm_sums_end (SmSums *s, guint step)
{
  for (guint i = 0; i < s->touched->len; i++) {
    SmPlace *place = &g_array_index (s->place, SmPlace, g_array_index (s->touched, guint, i));
    place->squares += (unsigned __int128) place->now * place->now;
    place->sum += place->now;
    place->now = 0;
  }
  g_array_set_size (s->touched, 0);
  guint block = s->steps / s->width;
  if (block == s->block->len) {
    const SmBlock new = { .step = step };
    g_array_append_val (s->block, new);
  }
  g_array_index (s->block, SmBlock, block).steps++;
  s->steps++;
  if (s->steps == SM_BLOCKS * s->width)
    widen (s);
}

double
sm_variance (const SmPlace *place, guint steps)
{
  if (steps < 2)
    return NAN;
  unsigned __int128 n = steps, sum = place->sum;
  return (double) (n * place->squares - sum * sum) / ((double) steps * (steps - 1.0));
}
