/* SPDX-License-Identifier: Apache-2.0 */
/* windows.c - finds the window of each step that a host announces: from its start, or the end of
 * the window before, to its end, or the end of the last work that it launched on any device.  So
 * windows of a process never overlap, and a host that runs ahead is told by the time of its
 * devices. */
#include "steps.h"

/* End of the last work in no step that was over before the first work of the first step began, on
 * devices that steps of the process work on: one file may hold ranks that have nothing to do with
 * each other. */
static gint64
end_before (const Process *p)
{
  gint64 end = G_MININT64;
  if (p->first_work == G_MAXINT64)
    return end;
  for (guint i = 0; i < p->devices->len; i++) {
    const Device *d = g_ptr_array_index (p->devices, i);
    for (guint k = 0; k < d->ends.n; k++) {
      gint64 one = d->ends.at[k];
      end = one <= p->first_work ? MAX (end, one) : end;
    }
  }
  return end;
}

/* Gives the step of table steps the same times; annotations of one name are one step there. */
static void
tell_step (const Steps *self, const HostStep *s, bool again)
{
  Step *step = step_at (self, s->step);
  step->start = again ? MIN (step->start, s->window_start) : s->window_start;
  step->end = again ? MAX (step->end, s->window_end) : s->window_end;
}

static void
find_of_process (const Steps *self, const Process *p)
{
  gint64 before = end_before (p);
  for (guint i = 0; i < p->steps->len; i++) {
    HostStep *s = host_step_at (self, g_array_index (p->steps, guint, i));
    s->end = MIN (s->end, MAX (self->last, s->start)); /* without an end: until that of the file */
    s->window_start = MAX (s->start, before);
    s->window_end = MAX (MAX (s->end, s->window_start), s->last);
    before = s->window_end;
  }
}

void
find_windows (Steps *self)
{
  g_autofree bool *told = g_new0 (bool, self->steps->len + 1);
  for (guint i = 0; i < self->processes->len; i++) {
    const Process *p = g_ptr_array_index (self->processes, i);
    if (p->steps->len)
      find_of_process (self, p);
  }
  for (guint i = 0; i < self->host_steps->len; i++) {
    const HostStep *s = host_step_at (self, i);
    tell_step (self, s, told[s->step]);
    told[s->step] = true;
  }
}
