/* SPDX-License-Identifier: Apache-2.0 */
/* steps.c - finds the step that an event belongs to, where it does not say so itself: Kineto writes
 * steps as annotations around all else.  They are looked for before the events are read, because
 * they may stand anywhere in the file: their names while it is indexed, what they say when it is
 * known where time begins.  So are the calls that launch work of devices, which belongs to the step
 * of its launch and not to the step in whose time it runs. */
#include "producers/pytorch.h"
#include "producers/step-times.h"
#include "trace-event/trace-event.h"

typedef struct {
  ChLabel of;    /* the pid, and the tid or none; no more of it is set              */
  bool device;   /* its steps are annotations of a device: gpu_user_annotation      */
  GArray *steps; /* of StepTime, by start                                               */
} Place;

struct ChSteps {
  GHashTable *places; /* of Place: threads that have steps, and their processes    */
  const Place *host;  /* the only process that is no device; NULL: there are more  */
  guint n;            /* of all places                                              */
  GArray *launches;   /* of StepLaunch, by correlation, then by start                   */
  bool unordered;     /* they are not yet                                           */
};

static void
place_free (gpointer data)
{
  Place *place = data;
  g_array_unref (place->steps);
  g_free (place);
}

void
ch_steps_free (ChSteps *steps)
{
  if (!steps)
    return;
  g_hash_table_unref (steps->places);
  g_array_unref (steps->launches);
  g_free (steps);
}

/* -- Finding them ----------------------------------------------------------------------------- */

static Place *
place_of (const ChSteps *steps, ChId pid, ChId tid)
{
  const ChLabel wanted = { .pid = pid, .tid = tid };
  return g_hash_table_lookup (steps->places, &wanted);
}

static void
add_step (ChSteps *steps, ChId pid, ChId tid, bool device, const StepTime *step)
{
  Place *place = place_of (steps, pid, tid);
  if (!place) {
    place = g_new0 (Place, 1);
    place->of = (ChLabel){ .pid = pid, .tid = tid };
    place->steps = g_array_new (FALSE, FALSE, sizeof (StepTime));
    g_hash_table_add (steps->places, place);
  }
  place->device |= device;
  g_array_append_val (place->steps, *step);
}

static void
take_annotation (Chrome *c, ChSteps *steps, const TeEvent *event)
{
  StepTime step;
  int64_t duration;
  const TeValue *name = &event->value[TE_NAME];
  if (event->ph != 'X' || !te_has (event, TE_NAME) || !te_has (event, TE_TS)
      || !te_has (event, TE_DUR) || !pytorch_step_of_name (name->p, name->len, &step.number)
      || event->ts.state > TE_ROUNDED || event->dur.state > TE_ROUNDED
      || !te_time_ps (&event->ts, c->zero, &step.start) || !te_time_ps (&event->dur, 0, &duration)
      || duration < 0 || __builtin_add_overflow (step.start, duration, &step.end))
    return;
  ChId pid = ch_id (&c->names, event, TE_PID), tid = ch_id (&c->names, event, TE_TID);
  bool device = te_has (event, TE_CAT) && te_text_is (&event->value[TE_CAT], "gpu_user_annotation");
  add_step (steps, pid, (ChId){ 0 }, device, &step);
  if (tid.kind != CH_NO_ID)
    add_step (steps, pid, tid, device, &step);
  steps->n++;
}

static void
put_in_order (ChSteps *steps)
{
  GHashTableIter iter;
  gpointer key;
  guint hosts = 0;
  g_hash_table_iter_init (&iter, steps->places);
  while (g_hash_table_iter_next (&iter, &key, NULL)) {
    Place *place = key;
    step_times_sort (place->steps);
    if (!place->device && place->of.tid.kind == CH_NO_ID)
      steps->host = hosts++ ? NULL : place;
  }
}

/* Notes a #, of which a trace has few. */
static void
note_marks (const Chrome *c, const char *from, const char *to, GPtrArray *found)
{
  static const char quoted[] = "\"" PYTORCH_STEP_NAME;
  const ptrdiff_t before = sizeof quoted - 2; /* its last byte */
  for (const char *p = from; p < to && (p = memchr (p, '#', (size_t) (to - p))); p++)
    if (p - c->data >= before && !memcmp (p - before, quoted, (size_t) before)
        && found->len < CH_MOST_NOTED)
      g_ptr_array_add (found, (gpointer) (p - before));
}

void
ch_steps_begin (Chrome *c)
{
  if (!c->host->wanted (c->host, NPROF_KEY_STEP))
    return;
  c->steps = g_new0 (ChSteps, 1);
  c->steps->places = g_hash_table_new_full (ch_label_hash, ch_label_equal, place_free, NULL);
  c->steps->launches = g_array_new (FALSE, FALSE, sizeof (StepLaunch));
  c->note = note_marks;
}

/* Reads all annotations; nothing is looked at twice, because an event begins behind the one
 * before. */
static void
find_all (Chrome *c, TeScan *scan)
{
  TeEvent event;
  const GPtrArray *names = c->noted; /* where quoted ones begin */
  const char *floor = c->events;
  for (guint i = 0; i < names->len; i++) {
    const char *p = g_ptr_array_index (names, i);
    if (p < floor)
      continue;
    const char *from = ch_event_start (p, floor);
    const char *behind = from ? scan->with->event (scan, from, &event) : NULL;
    if (behind)
      take_annotation (c, c->steps, &event);
    floor = MAX (behind, p + 1);
  }
}

/* -- Launches ------------------------------------------------------------------------------------ */

static void
take_call (Chrome *c, const TeEvent *event, uint64_t correlation)
{
  ChSteps *steps = c->steps;
  int64_t start;
  if (!te_has (event, TE_TS) || event->ts.state > TE_ROUNDED
      || !te_time_ps (&event->ts, c->zero, &start))
    return;
  const Place *process = place_of (steps, ch_id (&c->names, event, TE_PID), (ChId){ 0 });
  const StepTime *step = process ? step_time_at (process->steps, start) : NULL;
  const StepLaunch launch = { correlation, start, step ? step->number : -1 };
  const GArray *before = steps->launches;
  steps->unordered
      |= before->len && step_launch_compare (&g_array_index (before, StepLaunch, before->len - 1), &launch) > 0;
  g_array_append_val (steps->launches, launch);
}

static void
find_launches (Chrome *c, TeScan *scan)
{
  if (!c->steps->n)
    return;
  ch_calls_find (c, scan, take_call);
  if (c->steps->unordered)
    g_array_sort (c->steps->launches, step_launch_compare); /* which leaves equal ones as they are */
}

nprof_status
ch_steps_find (Chrome *c)
{
  if (!c->steps)
    return NPROF_OK;
  TeScan scan = { .with = c->scanner, .shapes = c->scanner->shapes_new (), .end = c->events_end };
  if (!scan.shapes)
    return nprof_fail (c->host, NPROF_E_NOMEM, "no memory for the shapes of events");
  find_all (c, &scan);
  put_in_order (c->steps);
  find_launches (c, &scan);
  free (scan.shapes);
  if (c->noted->len == CH_MOST_NOTED)
    nprof_log (c->host, NPROF_WARNING, "more than %u names of steps: the rest is passed over",
               CH_MOST_NOTED);
  return NPROF_OK;
}

/* -- Asking ------------------------------------------------------------------------------------- */

/* Finds the step of work of a device whose launch is in the file; a number below 0: launched in no
 * step. */
static bool
step_of_launch (ChPart *part, const TeEvent *event, int64_t start, int64_t *number)
{
  if (!part->correlation || ch_side (part, event) != CH_DEVICE)
    return false;
  const StepLaunch *launch = step_launch_find (part->c->steps->launches, part->correlation, start);
  if (launch)
    *number = launch->step;
  return launch != NULL;
}

/* Finds the step of its launch, else of its time: that of its thread, else of its process;
 * processes that have none go by the host's. */
bool
ch_step_of (ChPart *part, const TeEvent *event, int64_t start, int64_t *number)
{
  const ChSteps *steps = part->c->steps;
  if (!steps || steps->n == 0)
    return false;
  if (step_of_launch (part, event, start, number))
    return *number >= 0;
  ChId pid = ch_id (part->names, event, TE_PID), tid = ch_id (part->names, event, TE_TID);
  const Place *process = place_of (steps, pid, (ChId){ 0 }),
              *thread = process ? place_of (steps, pid, tid) : NULL;
  const StepTime *step = thread ? step_time_at (thread->steps, start) : NULL;
  if (!process)
    process = steps->host;
  if (!step && process)
    step = step_time_at (process->steps, start);
  if (step)
    *number = step->number;
  return step != NULL;
}
