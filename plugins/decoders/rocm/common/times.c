/* SPDX-License-Identifier: Apache-2.0 */
/* times.c - times of a clock that counts since the machine started: time 0 of the rows is the
 * second of the first; and the steps that ranges name. */
#include "producers/annotated-step.h"
#include "producers/step-times.h"
#include "rocm.h"

#define SECOND G_GINT64_CONSTANT (1000000000)
#define FAR (G_GINT64_CONSTANT (90) * 24 * 3600 * SECOND) /* no job lasts so long */

static gint64
floor_second (gint64 ns)
{
  const gint64 below = ns % SECOND;
  if (ns < G_MININT64 + SECOND)
    return ns; /* the second begins before what 64 bits hold */
  return ns - (below < 0 ? below + SECOND : below);
}

nprof_status
rocm_begin (Rocm *self, gint64 least)
{
  self->base = least == G_MAXINT64 ? 0 : floor_second (least);
  return self->host->origin (self->host, NPROF_NO_EPOCH);
}

bool
rocm_is_span (gint64 start, gint64 end)
{
  return start > 0 && end >= start;
}

bool
rocm_time (const Rocm *self, gint64 ns, gint64 *ps)
{
  gint64 since;
  return !__builtin_sub_overflow (ns, self->base, &since) && since < FAR && since > -FAR
         && !__builtin_mul_overflow (since, 1000, ps);
}

void
rocm_note_step (RocmProcess *p, const char *text, gint64 start, gint64 end)
{
  StepTime step = { .start = start, .end = end };
  if (rocm_is_span (start, end) && end > start
      && annotated_step (p->self->steps, text, &step.number))
    g_array_append_val (p->steps, step);
}

void
rocm_steps_noted (Rocm *self)
{
  for (guint i = 0; i < self->processes->len; i++)
    step_times_sort (((RocmProcess *) g_ptr_array_index (self->processes, i))->steps);
}
