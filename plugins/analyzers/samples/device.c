/* SPDX-License-Identifier: Apache-2.0 */
/* device.c - gives the rows of a device to its steps: by their launches where these are known, else
 * by their start and what the device's own lines say, else all to one. */
#include "devicekit/by-track.h"
#include "samples.h"

#include <nprof/sdk.h>

static void
series_free (gpointer data)
{
  SmSeries *series = data;
  g_array_unref (series->windows);
  sm_collector_free (series->collector);
  g_free (series);
}

void
sm_device_free (gpointer data)
{
  SmDevice *d = data;
  sm_collector_free (d->launched);
  sm_collector_free (d->whole);
  sm_collector_free (d->by_start);
  g_ptr_array_unref (d->series);
  g_free (d);
}

/* The steps of hosts that launched the work of the device; NULL: there are none. */
static const GArray *
steps_of (const SmDevice *d)
{
  const GArray *steps = d->process ? an_links_steps (d->samples->links, d->process) : NULL;
  return steps && steps->len ? steps : NULL;
}

/* -- By start ------------------------------------------------------------------------------- */

static SmExtent
count_window (gpointer user, guint step, bool has_shown)
{
  const SmSeries *series = user;
  if (!g_array_index (series->windows, SmWindow, step).hidden)
    return SM_ALL;
  return has_shown ? SM_SHOWN : SM_NOTHING;
}

static SmSeries *
series_of (SmDevice *d, SmSource source, guint32 of)
{
  for (guint i = 0; i < d->series->len; i++) {
    SmSeries *series = g_ptr_array_index (d->series, i);
    if (series->source == source && series->of == of)
      return series;
  }
  SmSeries *series = g_new0 (SmSeries, 1);
  series->source = source;
  series->of = of;
  series->outside = d->by_start_so_far;
  series->windows = g_array_new (FALSE, FALSE, sizeof (SmWindow));
  series->collector = sm_collector_new ();
  g_ptr_array_add (d->series, series);
  return series;
}

/* Joins a part of a step that another queue has as well; FALSE: it is the first.  Queues lag behind
 * each other by few steps. */
static bool
join_part (GArray *windows, const SmWindow *part)
{
  for (guint i = windows->len; i > 0 && windows->len - i < SM_OPEN_STEPS; i--) {
    SmWindow *window = &g_array_index (windows, SmWindow, i - 1);
    if (window->name != part->name)
      continue;
    window->end = MAX (window->end, part->end);
    window->hidden = window->hidden && part->hidden;
    return true;
  }
  return false;
}

void
sm_window (SmDevice *d, SmSource source, guint32 of, const SmWindow *said)
{
  if (steps_of (d) || (source == SM_HOST && d->linked))
    return;
  SmSeries *series = series_of (d, source, of);
  GArray *windows = series->windows;
  if (source == SM_NOTES && join_part (windows, said))
    return;
  gint64 before
      = windows->len ? g_array_index (windows, SmWindow, windows->len - 1).end : said->start;
  SmWindow window = *said;
  window.ordinal = windows->len;
  window.start = MAX (said->start, before);
  window.end = MAX (said->end, window.start);
  series->duration += window.end - window.start;
  g_array_append_val (windows, window);
}

void
sm_host_step (Samples *self, uint32_t input, nprof_track process, const SmWindow *window)
{
  const SmHostStep step = { input, process, *window };
  g_array_append_val (self->host_steps, step);
  for (guint i = 0; i < self->devices->len; i++) {
    SmDevice *d = g_ptr_array_index (self->devices, i);
    if (d->input == input)
      sm_window (d, SM_HOST, process, window);
  }
}

/* Tells a device that comes late. */
static void
take_host_steps (SmDevice *d)
{
  const GArray *steps = d->samples->host_steps;
  for (guint i = 0; i < steps->len; i++) {
    const SmHostStep *step = &g_array_index (steps, SmHostStep, i);
    if (step->input == d->input)
      sm_window (d, SM_HOST, step->process, &step->window);
  }
}

SmDevice *
sm_device (Samples *self, nprof_track track, nprof_str label, uint32_t input)
{
  SmDevice *d = an_of_track (self->by_track, track);
  if (d)
    return d;
  d = g_new0 (SmDevice, 1);
  *d = (SmDevice){ .samples = self, .track = track, .label = label, .input = input };
  d->series = g_ptr_array_new_with_free_func (series_free);
  d->launched = sm_collector_new ();
  d->whole = sm_collector_new ();
  d->by_start = sm_collector_new ();
  g_ptr_array_add (self->devices, d);
  an_put_of_track (self->by_track, track, d);
  take_host_steps (d);
  return d;
}

static void
add_outside (SmOutside *outside, const SmRow *row)
{
  outside->rows += !row->hidden;
  outside->time += row->hidden ? 0 : row->inside;
}

static void
add_by_window (SmSeries *series, const SmRow *row)
{
  for (guint i = series->windows->len; i > 0; i--) {
    const SmWindow *window = &g_array_index (series->windows, SmWindow, i - 1);
    if (row->start < window->start)
      continue;
    if (row->start >= window->end)
      break;
    sm_collect (series->collector, i - 1, row, count_window, series);
    return;
  }
  add_outside (&series->outside, row);
}

static void
add_by_start (SmDevice *d, const SmRow *row)
{
  add_outside (&d->by_start_so_far, row);
  for (guint i = 0; i < d->series->len; i++)
    add_by_window (g_ptr_array_index (d->series, i), row);
}

/* Forgets the rows so far, and no windows. */
static void
series_restart (SmSeries *series)
{
  sm_collector_free (series->collector);
  series->collector = sm_collector_new ();
  series->outside = (SmOutside){ 0 };
}

/* -- By launch ---------------------------------------------------------------------------- */

/* Decides what counts of a step.  Where the selection shows steps, these count, whole.  Where it
 * shows none, but rows by their names or tracks, these rows count.  A row that is shown while its
 * step is not begins in a later step, which is shown, and known by now. */
static SmExtent
count_step (gpointer user, guint step, bool has_shown)
{
  SmDevice *d = user;
  const GArray *steps = steps_of (d);
  for (; d->looked_at < steps->len; d->looked_at++)
    d->any_shown |= !g_array_index (steps, AnHostStep, d->looked_at).hidden;
  if (!g_array_index (steps, AnHostStep, step).hidden)
    return SM_ALL;
  return has_shown && !d->any_shown ? SM_SHOWN : SM_NOTHING;
}

/* Collects the part of a row within the window, as sums of a recording that is compared as one are
 * cut at its edges. */
static void
collect_inside (SmCollector *collector, const SmRow *row)
{
  SmRow inside = *row;
  inside.duration = row->inside;
  sm_collect_whole (collector, &inside);
}

static void
take_linked (SmDevice *d, const AnLaunchSite *launch)
{
  d->linked++;
  if (!d->process)
    d->process = launch->process;
  if (!d->by_start)
    return;
  /* Rows without launches are compared only where no row has one. */
  g_clear_pointer (&d->by_start, sm_collector_free);
  d->by_start_so_far = (SmOutside){ 0 };
  for (guint i = d->series->len; i-- > 0;) {
    SmSeries *series = g_ptr_array_index (d->series, i);
    if (series->source == SM_HOST)
      g_ptr_array_remove_index (d->series, i);
    else
      series_restart (series);
  }
}

void
sm_launched (SmDevice *d, SmRow *row, const AnLaunchSite *launch)
{
  take_linked (d, launch);
  row->order = launch->start;
  row->operator= row->of_graph ? row->of_graph : launch->operator;
  row->module = launch->module;
  if (d->whole && steps_of (d)) {
    g_clear_pointer (&d->whole, sm_collector_free);
    g_ptr_array_set_size (d->series, 0);
  }
  if (d->whole) {
    collect_inside (d->whole, row);
    add_by_start (d, row);
  }
  if (launch->step && launch->process == d->process) {
    sm_collect (d->launched, launch->step - 1, row, count_step, d);
    return;
  }
  add_outside (&d->outside, row);
}

void
sm_unlinked (SmDevice *d, SmRow *row)
{
  d->unlinked += !row->hidden;
  d->unlinked_time += row->hidden ? 0 : row->inside;
  if (!d->by_start)
    return;
  row->order = row->start;
  collect_inside (d->by_start, row);
  add_by_start (d, row);
}

/* -- Which of them ---------------------------------------------------------------------------- */

/* Returns the first of its sources that it has, of programs that which ran longest. */
static SmSeries *
best_series (const SmDevice *d)
{
  SmSeries *best = NULL;
  for (guint i = 0; i < d->series->len; i++) {
    SmSeries *series = g_ptr_array_index (d->series, i);
    if (!series->collector->rows || (series->source == SM_HOST && !d->launchable))
      continue;
    if (!best || series->source < best->source
        || (series->source == best->source && series->duration > best->duration))
      best = series;
  }
  return best;
}

static SmChoice
choose (SmDevice *d)
{
  const SmSeries *series = NULL;
  if (d->linked && steps_of (d))
    return (SmChoice){
      .by = "launch", .collector = d->launched, .steps = steps_of (d)->len, .outside = d->outside
    };
  if ((series = best_series (d)))
    return (SmChoice){ .by = "start",
                       .program = series->source == SM_PROGRAM ? series->of : 0,
                       .collector = series->collector,
                       .steps = series->windows->len,
                       .outside = series->outside };
  return (SmChoice){ .by = "recording", .collector = d->linked ? d->whole : d->by_start };
}

char *
sm_step_name (const SmDevice *d, const SmChoice *choice, guint step)
{
  const struct nprof_host *host = d->samples->host;
  if (!choice->steps)
    return NULL;
  if (g_str_equal (choice->by, "launch"))
    return g_strdup (nprof_text (host, g_array_index (steps_of (d), AnHostStep, step).name));
  for (guint i = 0; i < d->series->len; i++) {
    const SmSeries *series = g_ptr_array_index (d->series, i);
    if (series->collector != choice->collector)
      continue;
    const SmWindow *window = &g_array_index (series->windows, SmWindow, step);
    const char *name = nprof_text (host, window->name);
    return series->source == SM_PROGRAM ? g_strdup_printf ("%s#%u", name, window->ordinal)
                                        : g_strdup (name);
  }
  return NULL;
}

typedef struct {
  const bool *cut; /* by step */
  SmCounts counts;
  gpointer user;
} Ending;

static SmExtent
count_whole (gpointer user, guint step, bool has_shown)
{
  const Ending *e = user;
  return e->cut[step] ? SM_NOTHING : e->counts (e->user, step, has_shown);
}

static SmSeries *
series_with (const SmDevice *d, const SmCollector *collector)
{
  for (guint i = 0; i < d->series->len; i++) {
    SmSeries *series = g_ptr_array_index (d->series, i);
    if (series->collector == collector)
      return series;
  }
  return NULL;
}

/* Ends a device.  Only the first and the last step can be cut, and both are still open.  When all
 * are, all count. */
SmChoice
sm_device_end (SmDevice *d)
{
  SmChoice choice = choose (d);
  if (!choice.steps) {
    sm_collector_end_whole (choice.collector);
    return choice;
  }
  g_autofree bool *cut = g_new0 (bool, choice.steps);
  for (guint i = 0; i < choice.steps; i++) {
    g_autofree char *name = sm_step_name (d, &choice, i);
    cut[i] = sm_is_cut (d->samples, d, name);
    choice.cut += cut[i];
  }
  if (choice.cut == choice.steps) {
    memset (cut, 0, choice.steps * sizeof *cut);
    choice.cut = 0;
  }
  SmSeries *series = series_with (d, choice.collector);
  Ending ending = { cut, series ? count_window : count_step, series ? (gpointer) series : d };
  sm_collector_end (choice.collector, choice.steps, count_whole, &ending);
  return choice;
}
