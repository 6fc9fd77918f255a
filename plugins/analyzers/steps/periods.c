/* SPDX-License-Identifier: Apache-2.0 */
/* periods.c - finds the period of each step of a device: from the end of the last work of the step
 * before to that of its own, so that periods lie end to end and add up. */
#include "partition.h"

/* Returns the computing and communication of the step, else all of its work: copies may outlive
 * it. */
static const Reach *
reach_of (const Begun *step)
{
  return step->lasting.n ? &step->lasting : &step->all;
}

typedef struct {
  guint n;                      /* steps with work        */
  bool ends_rise, starts_rise;  /* from each to the next  */
} Order;

static Order
order_of (const Begun *steps, guint n_steps)
{
  Order order = { 0, true, true };
  const Reach *before = NULL;
  for (guint i = 0; i < n_steps; i++) {
    const Reach *r = reach_of (&steps[i]);
    if (!r->n)
      continue;
    order.ends_rise &= !before || r->last > before->last;
    order.starts_rise &= !before || r->first > before->first;
    before = r;
    order.n++;
  }
  return order;
}

/* Each period goes from the first work of a step to that of the next; the last step has none. */
static void
from_start_to_start (const Begun *steps, guint n_steps, Period *periods)
{
  const Reach *before = NULL;
  Period *open = NULL;
  for (guint i = 0; i < n_steps; i++) {
    const Reach *r = reach_of (&steps[i]);
    if (!r->n)
      continue;
    if (before)
      *open = (Period){ .start = before->first, .end = r->first, .known = true };
    before = r;
    open = &periods[i];
  }
}

/* The first one holds what the device still had to do. */
static void
from_end_to_end (const Begun *steps, const GArray *windows, Period *periods)
{
  bool any = false;
  gint64 end = 0;
  for (guint i = 0; i < windows->len; i++) {
    const Reach *r = reach_of (&steps[i]);
    if (!r->n)
      continue;
    gint64 start = any ? end : g_array_index (windows, Window, i).start;
    if (!any || r->last > end)
      periods[i]
          = (Period){ .start = start, .end = MAX (r->last, start), .known = true, .lag = !any };
    end = any ? MAX (end, r->last) : r->last;
    any = true;
  }
}

void
st_find_periods (const Begun *steps, const GArray *windows, Period *periods)
{
  Order order = order_of (steps, windows->len);
  if (order.n < 2)
    return;
  if (!order.ends_rise && order.n > 2 && order.starts_rise)
    from_start_to_start (steps, windows->len, periods);
  else
    from_end_to_end (steps, windows, periods);
}
