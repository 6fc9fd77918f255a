/* SPDX-License-Identifier: Apache-2.0 */
/* step-times.c - looks for steps and launches in sorted arrays. */
#include "producers/step-times.h"

static int
by_start (gconstpointer a, gconstpointer b)
{
  const StepTime *x = a, *y = b;
  return x->start != y->start ? (x->start < y->start ? -1 : 1)
                              : (x->number > y->number) - (x->number < y->number);
}

static void
join_parts (GArray *steps)
{
  guint n = 0;
  for (guint i = 0; i < steps->len; i++) {
    StepTime *last = n ? &g_array_index (steps, StepTime, n - 1) : NULL;
    const StepTime *step = &g_array_index (steps, StepTime, i);
    if (last && last->number == step->number && step->start <= last->end)
      last->end = MAX (last->end, step->end);
    else
      g_array_index (steps, StepTime, n++) = *step;
  }
  g_array_set_size (steps, n);
}

void
step_times_sort (GArray *steps)
{
  g_array_sort (steps, by_start);
  join_parts (steps);
}

const StepTime *
step_time_at (const GArray *steps, int64_t at)
{
  guint low = 0, high = steps->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (g_array_index (steps, StepTime, middle).start <= at)
      low = middle + 1;
    else
      high = middle;
  }
  for (guint i = low; i > 0 && i + 2 > low; i--)
    if (at < g_array_index (steps, StepTime, i - 1).end)
      return &g_array_index (steps, StepTime, i - 1);
  return NULL;
}

int
step_launch_compare (gconstpointer a, gconstpointer b)
{
  const StepLaunch *x = a, *y = b;
  if (x->correlation != y->correlation)
    return x->correlation < y->correlation ? -1 : 1;
  return (x->start > y->start) - (x->start < y->start);
}

/* Returns how many come before the first launch of that id that begins later. */
static guint
launches_until (const GArray *launches, uint64_t correlation, int64_t start)
{
  const StepLaunch wanted = { .correlation = correlation, .start = start };
  guint low = 0, high = launches->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (step_launch_compare (&g_array_index (launches, StepLaunch, middle), &wanted) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const StepLaunch *
step_launch_find (const GArray *launches, uint64_t correlation, int64_t start)
{
  guint n = launches_until (launches, correlation, start);
  for (guint i = n ? n - 1 : 0; i <= n && i < launches->len; i++) {
    const StepLaunch *launch = &g_array_index (launches, StepLaunch, i);
    if (launch->correlation == correlation)
      return launch;
  }
  return NULL;
}
