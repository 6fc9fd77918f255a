/* SPDX-License-Identifier: Apache-2.0 */
/* steps.c - finds the step of a row: of a host by its time, of a device by the launch of its work.
 * */
#include "perfetto.h"

static GArray *
steps_of (Perfetto *pf, guint32 process)
{
  const gpointer key = GUINT_TO_POINTER (process);
  GArray *steps = g_hash_table_lookup (pf->steps, key);
  if (!steps) {
    steps = g_array_new (FALSE, FALSE, sizeof (StepTime));
    g_hash_table_insert (pf->steps, key, steps);
  }
  return steps;
}

static void
settle_spans (Perfetto *pf)
{
  for (guint i = 0; i < pf->step_spans->len; i++) {
    const PfStepSpan *span = &g_array_index (pf->step_spans, PfStepSpan, i);
    const PfHalf *half = pf_half (pf, span->half);
    const PfTrack *t = pf_track (pf, half->track);
    const gint64 duration = pf_half_duration (pf, span->half);
    if (duration < 0 || t->on_device)
      continue;
    const StepTime step = { span->number, half->time, half->time + duration };
    g_array_append_val (steps_of (pf, t->process), step);
  }
  GHashTableIter iter;
  gpointer steps;
  g_hash_table_iter_init (&iter, pf->steps);
  while (g_hash_table_iter_next (&iter, NULL, &steps)) {
    step_times_sort (steps);
    pf->only_steps = g_hash_table_size (pf->steps) == 1 ? steps : NULL;
  }
}

static const GArray *
of_process (const Perfetto *pf, guint32 process)
{
  const GArray *steps = g_hash_table_lookup (pf->steps, GUINT_TO_POINTER (process));
  return steps ? steps : pf->only_steps;
}

void
pf_steps_settle (Perfetto *pf)
{
  guint n = 0;
  settle_spans (pf);
  for (guint i = 0; i < pf->launches->len && g_hash_table_size (pf->steps); i++) {
    StepLaunch launch = g_array_index (pf->launches, StepLaunch, i);
    const PfTrack *t = pf_track (pf, (guint32) launch.step);
    const GArray *steps = of_process (pf, t->process);
    if (t->on_device)
      continue;
    const StepTime *step = steps ? step_time_at (steps, launch.start) : NULL;
    launch.step = step ? step->number : -1;
    g_array_index (pf->launches, StepLaunch, n++) = launch;
  }
  g_array_set_size (pf->launches, n);
  g_array_sort (pf->launches, step_launch_compare);
}

bool
pf_step_of (const Perfetto *pf, const PfTrack *t, guint64 correlation, gint64 ns, gint64 *number)
{
  const StepLaunch *launch
      = t->on_device && correlation ? step_launch_find (pf->launches, correlation, ns) : NULL;
  if (launch) {
    *number = launch->step;
    return launch->step >= 0;
  }
  const GArray *steps = of_process (pf, t->process);
  const StepTime *step = steps ? step_time_at (steps, ns) : NULL;
  if (step)
    *number = step->number;
  return step != NULL;
}
