/* SPDX-License-Identifier: Apache-2.0 */
/* steps.c - finds the step that an event belongs to, where it does not say so itself: Kineto writes
 * steps as annotations around all else, JAX and TensorFlow as spans with a number in args, ONNX
 * Runtime as runs of the model. They are
 * looked for before the events are read, because they may stand anywhere in the file: their names
 * or numbers while it is indexed, what they say when it is known where time begins. So are the
 * calls that launch work of devices, which belongs to the step of its launch and not to the step in
 * whose time it runs. */
#include "producers/pytorch.h"
#include "producers/step-times.h"
#include "trace-event/trace-event.h"

#define STEP_NUMBER "\"step_num\""

typedef struct {
  ChLabel of;    /* the pid, and the tid or none; no more of it is set              */
  bool device;   /* its steps are annotations of a device: gpu_user_annotation      */
  bool numbered; /* args tell some of its steps                                     */
  GArray *steps; /* of StepTime, by start                                               */
} Place;

struct ChSteps {
  GHashTable *places; /* of Place: threads that have steps, and their processes    */
  const Place *host;  /* the only process that is no device; NULL: there are more  */
  guint n;            /* of all places                                              */
  guint n_numbered;   /* of them, told by args                                      */
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

/* Returns whether the event is one of a host, by its category, else by the label of its process. */
static bool
is_of_host (const Chrome *c, const TeEvent *event, ChId pid)
{
  const TeValue *category = &event->value[TE_CAT];
  ChSide side = te_has (event, TE_CAT) ? ch_side_of_category (category) : CH_BY_LABEL;
  const ChLabel *process = side == CH_BY_LABEL ? ch_label_of (c, pid, (ChId){ 0 }) : NULL;
  return side != CH_DEVICE
         && !(process && (process->device || process->kind == NPROF_TRACK_DEVICE));
}

/* Returns whether it is what StepTraceAnnotation of JAX and profiler.experimental.Trace of
 * TensorFlow write around a step, a span of a host with the number of the step, or a run of ONNX
 * Runtime's, which the file numbers by its order. */
static bool
is_numbered (const Chrome *c, const TeEvent *event, ChId pid, int64_t *number)
{
  const TeValue *args = &event->value[TE_ARGS];
  TeValue value;
  if (ch_onnx_run (c, event, number))
    return true;
  return event->ph == 'X' && te_has (event, TE_ARGS)
         && memmem (args->p, args->len, STEP_NUMBER, sizeof STEP_NUMBER - 1)
         && ch_member_of_args (c->scanner, event, "step_num", &value)
         && ch_arg_number (&value, number) && *number >= 0 && *number < PYTORCH_STEP_LIMIT
         && is_of_host (c, event, pid);
}

/* Returns the name by which analyzers know steps. */
static nprof_str
step_name (ChPart *part, const TeEvent *event)
{
  int64_t number;
  if (!is_numbered (part->c, event, ch_pid (part->c, part->names, event), &number))
    return 0;
  g_autofree char *name = g_strdup_printf (PYTORCH_STEP_NAME "%" G_GINT64_FORMAT, number);
  return nprof_intern (part->host, name);
}

static Place *
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
  return place;
}

static void
take_annotation (Chrome *c, ChSteps *steps, const TeEvent *event)
{
  StepTime step;
  int64_t duration;
  const TeValue *name = &event->value[TE_NAME];
  ChId pid = ch_pid (c, &c->names, event), tid = ch_id (&c->names, event, TE_TID);
  bool named = te_has (event, TE_NAME) && pytorch_step_of_name (name->p, name->len, &step.number);
  bool numbered = !named && is_numbered (c, event, pid, &step.number);
  if (numbered)
    c->step_name = step_name;
  if (!steps || event->ph != 'X' || !(named || numbered) || !te_has (event, TE_TS)
      || !te_has (event, TE_DUR) || event->ts.state > TE_ROUNDED || event->dur.state > TE_ROUNDED
      || !te_time_ps (&event->ts, c->zero, &step.start) || !te_time_ps (&event->dur, 0, &duration)
      || duration < 0 || __builtin_add_overflow (step.start, duration, &step.end))
    return;
  bool device = te_has (event, TE_CAT) && te_text_is (&event->value[TE_CAT], "gpu_user_annotation");
  add_step (steps, pid, (ChId){ 0 }, device, &step)->numbered |= numbered;
  if (tid.kind != CH_NO_ID)
    add_step (steps, pid, tid, device, &step);
  steps->n++;
  steps->n_numbered += numbered;
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

/* Notes numbers of steps in args, by the p_n that few other words have.  Its p lies in from..to. */
static void
note_numbers (const Chrome *c, const char *from, const char *to, GPtrArray *found)
{
  static const size_t len = sizeof STEP_NUMBER - 1, before = sizeof "\"ste" - 1;
  const char *end = to + MIN (2, c->end - to);
  for (const char *p = from; (p = c->scanner->three (p, end, &STEP_NUMBER[before])); p++)
    if (p - c->data >= (ptrdiff_t) before && c->end - p >= (ptrdiff_t) (len - before)
        && !memcmp (p - before, STEP_NUMBER, len) && found->len < CH_MOST_NOTED)
      g_ptr_array_add (found, (gpointer) (p - before));
}

/* Notes a #, of which a trace has few. */
static void
note_names (const Chrome *c, const char *from, const char *to, GPtrArray *found)
{
  static const char quoted[] = "\"" PYTORCH_STEP_NAME;
  const ptrdiff_t before = sizeof quoted - 2; /* its last byte */
  for (const char *p = from; p < to && (p = memchr (p, '#', (size_t) (to - p))); p++)
    if (p - c->data >= before && !memcmp (p - before, quoted, (size_t) before)
        && found->len < CH_MOST_NOTED)
      g_ptr_array_add (found, (gpointer) (p - before));
}

static void
note_marks (Chrome *c, const char *from, const char *to, GPtrArray *found)
{
  ch_queues_note (c, from, to);
  ch_graphs_note (c, from, to);
  if (c->steps)
    note_names (c, from, to, found);
  note_numbers (c, from, to, found);
  ch_onnx_note (c, from, to, found);
}

void
ch_steps_begin (Chrome *c)
{
  c->note = note_marks;
  if (!c->host->wanted (c->host, NPROF_KEY_STEP))
    return;
  c->steps = g_new0 (ChSteps, 1);
  c->steps->places = g_hash_table_new_full (ch_label_hash, ch_label_equal, place_free, NULL);
  c->steps->launches = g_array_new (FALSE, FALSE, sizeof (StepLaunch));
}

int
ch_compare_places (gconstpointer a, gconstpointer b)
{
  const char *x = *(const char *const *) a, *y = *(const char *const *) b;
  return (x > y) - (x < y);
}

/* Reads all annotations; nothing is looked at twice, because an event begins behind the one
 * before. */
static void
find_all (Chrome *c, TeScan *scan)
{
  TeEvent event;
  GPtrArray *names = c->noted; /* where quoted ones begin */
  const char *floor = c->events;
  g_ptr_array_sort (names, ch_compare_places);
  for (guint i = 0; i < names->len; i++) {
    const char *p = g_ptr_array_index (names, i);
    if (p < floor)
      continue;
    bool arg = p[1] == STEP_NUMBER[1];
    const char *from = arg ? ch_event_start_of_arg (p, floor) : ch_event_start (p, floor);
    const char *behind = from ? scan->with->event (scan, from, &event) : NULL;
    if (behind) {
      ch_onnx_take (c, &event);
      take_annotation (c, c->steps, &event);
    }
    floor = MAX (behind, p + 1);
  }
}

/* -- Launches ---------------------------------------------------------------------------------- */

static void
take_call (Chrome *c, const TeEvent *event, uint64_t correlation)
{
  ChSteps *steps = c->steps;
  int64_t start;
  if (!te_has (event, TE_TS) || event->ts.state > TE_ROUNDED
      || !te_time_ps (&event->ts, c->zero, &start))
    return;
  const Place *process = place_of (steps, ch_pid (c, &c->names, event), (ChId){ 0 });
  const StepTime *step = process ? step_time_at (process->steps, start) : NULL;
  const StepLaunch launch
      = { ch_launch_of (c, event, correlation), start, step ? step->number : -1 };
  const GArray *before = steps->launches;
  steps->unordered
      |= before->len
         && step_launch_compare (&g_array_index (before, StepLaunch, before->len - 1), &launch) > 0;
  g_array_append_val (steps->launches, launch);
}

static void
take_call_of_host (Chrome *c, const TeEvent *event, uint64_t correlation)
{
  if (is_of_host (c, event, ch_pid (c, &c->names, event)))
    take_call (c, event, correlation);
}

static void
find_launches (Chrome *c, TeScan *scan)
{
  if (!c->steps || !c->steps->n)
    return;
  ch_calls_find (c, scan, take_call);
  if (c->steps->n_numbered)
    ch_calls_find_by_id (c, scan, take_call_of_host);
  if (c->steps->unordered)
    g_array_sort (c->steps->launches,
                  step_launch_compare); /* which leaves equal ones as they are */
}

nprof_status
ch_steps_find (Chrome *c)
{
  if (!c->steps && !c->noted->len)
    return NPROF_OK;
  TeScan scan = { .controls = &(TeControls){ 0 },
                  .with = c->scanner, .shapes = c->scanner->shapes_new (), .end = c->events_end };
  if (!scan.shapes)
    return nprof_fail (c->host, NPROF_E_NOMEM, "no memory for the shapes of events");
  find_all (c, &scan);
  if (c->steps)
    put_in_order (c->steps);
  find_launches (c, &scan);
  free (scan.shapes);
  if (c->noted->len == CH_MOST_NOTED)
    nprof_log (c->host, NPROF_WARNING, "more than %u names of steps: the rest is skipped",
               CH_MOST_NOTED);
  return NPROF_OK;
}

/* -- Asking ------------------------------------------------------------------------------------ */

static bool
is_of_device (ChPart *part, const TeEvent *event)
{
  ChSide side = ch_side (part, event);
  return side == CH_DEVICE
         || (side == CH_BY_LABEL
             && ch_labelled_device (part, event, ch_pid (part->c, part->names, event),
                                    ch_id (part->names, event, TE_TID)));
}

/* Finds the step of work of a device whose launch is in the file; a number below 0: launched in no
 * step. */
static bool
step_of_launch (ChPart *part, const TeEvent *event, int64_t start, int64_t *number)
{
  if (!part->correlation || !is_of_device (part, event))
    return false;
  const StepLaunch *launch = step_launch_find (part->c->steps->launches, part->correlation, start);
  if (launch)
    *number = launch->step;
  return launch != NULL;
}

/* Finds the step of its launch, else of its time: that of its thread, else of its process;
 * processes that have none go by the host's, but not where args tell the steps: XLA's programs run
 * at times of their own. */
bool
ch_step_of (ChPart *part, const TeEvent *event, int64_t start, int64_t *number)
{
  const ChSteps *steps = part->c->steps;
  if (!steps || steps->n == 0)
    return false;
  if (step_of_launch (part, event, start, number))
    return *number >= 0;
  ChId pid = ch_pid (part->c, part->names, event), tid = ch_id (part->names, event, TE_TID);
  const Place *process = place_of (steps, pid, (ChId){ 0 }),
              *thread = process ? place_of (steps, pid, tid) : NULL;
  const StepTime *step = thread ? step_time_at (thread->steps, start) : NULL;
  if (!process && steps->host && !steps->host->numbered)
    process = steps->host;
  if (!step && process)
    step = step_time_at (process->steps, start);
  if (step)
    *number = step->number;
  return step != NULL;
}
