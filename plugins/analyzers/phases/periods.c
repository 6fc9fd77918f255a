/* SPDX-License-Identifier: Apache-2.0 */
/* periods.c - finds the period of each step: from the end of the work of the step before to that of
 * its own.  What a host annotates may begin long before and end long before its work does. */
#include "phases.h"

/* Returns the computing and communication of a step, else all of its work. */
static Reach
reach_of (const GArray *done, guint step)
{
  if (step >= done->len)
    return (Reach){ 0 };
  const Done *of = &g_array_index (done, Done, step);
  return of->lasting.any ? of->lasting : of->all;
}

static Phase
phase_at (const GArray *steps, guint step)
{
  return g_array_index (steps, AnServerStep, step).said.phase;
}

static bool
gives_tokens (Phase phase)
{
  return phase == PHASE_DECODE || phase == PHASE_MIXED || phase == PHASE_VERIFY;
}

/* Returns whether the work of each step ends behind that of the one before. */
static bool
ends_rise (const GArray *steps, const GArray *done)
{
  Reach before = { 0 };
  for (guint i = 0; i < steps->len; i++) {
    const Reach r = reach_of (done, i);
    if (r.any && before.any && r.last <= before.last)
      return false;
    before = r.any ? r : before;
  }
  return true;
}

/* Sets the period of step i, that of one phase alone; `from`, `to`: moments at which it begins and
 * ends. */
static void
set (Period *periods, const GArray *steps, guint i, guint other, gint64 from, gint64 to)
{
  if (to > from && phase_at (steps, i) == phase_at (steps, other))
    periods[i].duration = to - from;
}

Period *
ph_periods (const GArray *steps, const GArray *done)
{
  Period *periods = g_new (Period, steps->len + 1);
  const bool by_end = ends_rise (steps, done);
  Reach before = { 0 }, gave = { 0 };
  guint last = 0;
  for (guint i = 0; i < steps->len; i++) {
    const Reach r = reach_of (done, i);
    periods[i] = (Period){ -1, -1 };
    if (!r.any)
      continue;
    if (before.any && by_end)
      set (periods, steps, i, last, before.last, r.last);
    else if (before.any) /* of the step before: until this one begins */
      set (periods, steps, last, i, before.first, r.first);
    if (gives_tokens (phase_at (steps, i))) {
      periods[i].between = gave.any && r.last > gave.last ? r.last - gave.last : -1;
      gave = r;
    }
    before = r;
    last = i;
  }
  return periods;
}
