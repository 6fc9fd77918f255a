/* SPDX-License-Identifier: Apache-2.0 */
/* steps.c - finds the step that an event belongs to, where it does not say so itself: JAX and
 * TensorFlow annotate steps as spans of a host with a number.  They may stand anywhere in the file,
 * so they are looked for before events are read, as are the calls that launch work of GPUs: that
 * belongs to the step of its launch. A TPU's programs run at times of their own and have no
 * step. */
#include "producers/pytorch.h"
#include "producers/step-times.h"
#include "xplane.h"

typedef struct XpSteps {
  GPtrArray *of_group; /* of GArray of StepTime, by start; NULL: it has none */
  GArray *launches;    /* of StepLaunch, by id, then by start                */
} Steps;

void
xp_steps_free (Steps *steps)
{
  if (!steps)
    return;
  g_ptr_array_unref (steps->of_group);
  g_array_unref (steps->launches);
  g_free (steps);
}

static void
times_free (gpointer times)
{
  if (times)
    g_array_unref (times);
}

/* -- Events of hosts --------------------------------------------------------------------------- */

typedef struct {
  int64_t start, end;
  int64_t number;       /* of the step that it is; -1: none */
  uint64_t correlation; /* 0: none                          */
} Event;

typedef void (*EventFn) (Xplane *x, uint32_t group, const Event *event);

static bool
read_event (const Xplane *x, const XpLine *line, PbSpan body, Event *event)
{
  XpDict *dict = xp_plane (x, line->plane)->dict;
  int64_t offset = 0, duration = 0;
  PbField f;
  XpValue value;
  *event = (Event){ .number = -1 };
  while (body.p < body.end && pb_field (&body.p, body.end, &f)) {
    int64_t number;
    if (f.tag == PB_VARINT (2))
      offset = (int64_t) f.value;
    else if (f.tag == PB_VARINT (3))
      duration = (int64_t) f.value;
    else if (f.tag == PB_BYTES (4) && xp_value_read (dict, f.span, &value) && value.stat
             && value.stat->actions & XP_STAT_STEP && xp_value_int (&value, &number)) {
      if (value.stat->role == XP_ROLE_STEP_NUMBER)
        event->number = number;
      else
        event->correlation = (uint64_t) number;
    }
  }
  return duration >= 0 && !__builtin_add_overflow (line->base, offset, &event->start)
         && !__builtin_add_overflow (event->start, duration, &event->end);
}

static bool
is_of_host (const XpGroup *group)
{
  return group->kind == XP_OF_HOST || group->kind == XP_OF_OTHER;
}

/* Goes through events of hosts whose plane knows such stats. */
static void
each_event (Xplane *x, EventFn fn)
{
  for (guint i = 0; i < x->lines->len; i++) {
    const XpLine *line = xp_line (x, i);
    const XpPlane *plane = xp_plane (x, line->plane);
    if (!is_of_host (xp_group (x, plane->group)) || !(plane->dict->actions & XP_STAT_STEP))
      continue;
    PbField f;
    for (const uint8_t *p = line->first; p && p < line->last && pb_field (&p, line->last, &f);) {
      Event event;
      if (f.tag == PB_BYTES (4) && read_event (x, line, f.span, &event))
        fn (x, plane->group, &event);
    }
  }
}

static void
take_step (Xplane *x, uint32_t group, const Event *event)
{
  if (event->number < 0 || event->number >= PYTORCH_STEP_LIMIT)
    return;
  GArray *times = g_ptr_array_index (x->steps->of_group, group);
  if (!times)
    x->steps->of_group->pdata[group] = times = g_array_new (FALSE, FALSE, sizeof (StepTime));
  const StepTime step = { event->number, event->start, event->end };
  g_array_append_val (times, step);
}

static void
take_launch (Xplane *x, uint32_t group, const Event *event)
{
  const GArray *times = g_ptr_array_index (x->steps->of_group, group);
  const StepTime *step = times && event->correlation ? step_time_at (times, event->start) : NULL;
  const StepLaunch launch = { event->correlation, event->start, step ? step->number : -1 };
  if (event->correlation)
    g_array_append_val (x->steps->launches, launch);
}

/* -- All --------------------------------------------------------------------------------------- */

/* Marks the stats that tell of launches: nobody else may want them. */
static void
look_for_launches (Xplane *x)
{
  for (guint i = 0; i < x->planes->len; i++) {
    XpDict *dict = xp_plane (x, i)->dict;
    for (uint32_t k = 0; k < dict->stat_ids.n_slots; k++)
      if (dict->stats[k].key == x->key_correlation && dict->stats[k].name.p) {
        dict->stats[k].actions |= XP_STAT_STEP;
        dict->actions |= XP_STAT_STEP;
      }
  }
}

static bool
sort_steps (const Steps *steps)
{
  bool any = false;
  for (guint i = 0; i < steps->of_group->len; i++) {
    GArray *times = g_ptr_array_index (steps->of_group, i);
    if (times)
      step_times_sort (times);
    any |= times != NULL;
  }
  return any;
}

nprof_status
xp_steps (Xplane *x)
{
  x->key_step = nprof_intern (x->host, NPROF_KEY_STEP);
  x->key_correlation = nprof_intern (x->host, NPROF_KEY_CORRELATION_ID);
  if (!x->host->wanted (x->host, NPROF_KEY_STEP))
    return NPROF_OK;
  x->steps = g_new0 (Steps, 1);
  x->steps->of_group = g_ptr_array_new_with_free_func (times_free);
  x->steps->launches = g_array_new (FALSE, FALSE, sizeof (StepLaunch));
  g_ptr_array_set_size (x->steps->of_group, (int) x->groups->len);
  each_event (x, take_step);
  if (!sort_steps (x->steps)) {
    g_clear_pointer (&x->steps, xp_steps_free);
    return NPROF_OK;
  }
  look_for_launches (x);
  each_event (x, take_launch);
  g_array_sort (x->steps->launches, step_launch_compare);
  return NPROF_OK;
}

int64_t
xp_step_of (const Xplane *x, const XpGroup *group, int64_t start, uint64_t correlation)
{
  const GArray *times
      = g_ptr_array_index (x->steps->of_group, group - &g_array_index (x->groups, XpGroup, 0));
  if (is_of_host (group)) {
    const StepTime *step = times ? step_time_at (times, start) : NULL;
    return step ? step->number : -1;
  }
  const StepLaunch *launch
      = correlation ? step_launch_find (x->steps->launches, correlation, start) : NULL;
  return launch ? launch->step : -1;
}
