/* SPDX-License-Identifier: Apache-2.0 */
/* repeats.c - finds where a sequence repeats itself: where it equals itself, moved by a period. */
#include "repeats.h"

#include <stdbool.h>
#include <string.h>

typedef struct {
  guint first, period, length; /* length: of all that repeats, the last part of a period as well */
} Found;

static int
longest_first (gconstpointer a, gconstpointer b)
{
  const Found *x = a, *y = b;
  if (x->length != y->length)
    return x->length > y->length ? -1 : 1;
  if (x->period != y->period)
    return x->period < y->period ? -1 : 1;
  return (x->first < y->first) - (x->first > y->first);
}

static int
by_place (gconstpointer a, gconstpointer b)
{
  const Repeat *x = a, *y = b;
  return (x->first > y->first) - (x->first < y->first);
}

static bool
is_one_number (const guint32 *of, guint n)
{
  guint i = 1;
  while (i < n && of[i] == of[0])
    i++;
  return i >= n;
}

/* Adds the parts that equal what lies `period` further, often enough. */
static void
find_period (const guint32 *of, guint n, guint period, GArray *found)
{
  guint equal = 0;
  for (guint i = 0; i + period <= n; i++) {
    if (i + period < n && of[i] == of[i + period]) {
      equal++;
      continue;
    }
    const Found f = { i - equal, period, equal + period };
    if (equal >= period * (REPEATS_LEAST - 1) && !is_one_number (of + f.first, period))
      g_array_append_val (found, f);
    equal = 0;
  }
}

static bool
is_free (const guint8 *taken, guint from, guint to)
{
  while (from < to && !taken[from])
    from++;
  return from == to;
}

GArray *
repeats_find (const guint32 *of, guint n)
{
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (Found));
  g_autofree guint8 *taken = g_new0 (guint8, n + 1);
  GArray *repeats = g_array_new (FALSE, FALSE, sizeof (Repeat));
  for (guint period = 2; period <= MIN (n / REPEATS_LEAST, REPEATS_LONGEST); period++)
    find_period (of, n, period, found);
  g_array_sort (found, longest_first);
  for (guint i = 0; i < found->len; i++) {
    const Found *f = &g_array_index (found, Found, i);
    const Repeat repeat = { f->first, f->period, f->length / f->period };
    const guint end = f->first + repeat.times * f->period;
    if (!is_free (taken, f->first, end))
      continue;
    memset (taken + f->first, 1, end - f->first);
    g_array_append_val (repeats, repeat);
  }
  g_array_sort (repeats, by_place);
  return repeats;
}
