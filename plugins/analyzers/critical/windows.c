/* SPDX-License-Identifier: Apache-2.0 */
/* windows.c - finds the windows of steps: from the start on the host, or the end of the window
 * before, to the end on the host, or of the last work that the step launched.  The rule is that of
 * analyzer `steps`. */
#include "critical.h"
#include "devicekit/distribution.h"

void
window_clear (gpointer window)
{
  g_free (((Window *) window)->name);
}

/* Handles of tracks depend on which of several inputs is read first; places do not. */
static int
by_process (gconstpointer a, gconstpointer b, gpointer host)
{
  const Window *x = a, *y = b;
  if (x->process != y->process)
    return an_place_compare (host, x->process, y->process);
  return x->host_start != y->host_start ? (x->host_start < y->host_start ? -1 : 1) : 0;
}

/* Returns the inputs in which a host announces steps. */
static GHashTable *
announced_inputs (const Critical *self)
{
  GHashTable *inputs = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < self->steps->len; i++) {
    const AnyStep *s = &g_array_index (self->steps, AnyStep, i);
    if (!s->on_device)
      g_hash_table_add (inputs, GUINT_TO_POINTER (s->input));
  }
  return inputs;
}

static inline Window *
window_at (const GArray *windows, guint i)
{
  return &g_array_index (windows, Window, i);
}

/* Joins the parts that a step of a device has on several streams. */
static void
join_parts (GArray *windows)
{
  guint n = 0;
  for (guint i = 0; i < windows->len; i++) {
    Window *w = window_at (windows, i), *last = n ? window_at (windows, n - 1) : NULL;
    if (last && w->on_device && last->process == w->process && g_str_equal (last->name, w->name)) {
      last->host_end = MAX (last->host_end, w->host_end);
      last->shown |= w->shown;
      g_clear_pointer (&w->name, g_free);
      continue;
    }
    if (n++ != i) {
      *window_at (windows, n - 1) = *w;
      w->name = NULL;
    }
  }
  g_array_set_size (windows, n);
}

/* Steps of devices count where no host announces any. */
static GArray *
of_steps (const Critical *self)
{
  GArray *windows = g_array_new (FALSE, TRUE, sizeof (Window));
  g_autoptr (GHashTable) announced = announced_inputs (self);
  g_array_set_clear_func (windows, window_clear);
  for (guint i = 0; i < self->steps->len; i++) {
    const AnyStep *s = &g_array_index (self->steps, AnyStep, i);
    if (s->on_device
        && (self->window != WINDOW_STEP
            || g_hash_table_contains (announced, GUINT_TO_POINTER (s->input))))
      continue;
    const Window w = { .name = g_strdup (nprof_text (self->host, s->name)),
                       .input = s->input,
                       .process = s->process,
                       .thread = s->thread,
                       .on_device = s->on_device,
                       .host_start = s->start,
                       .host_end = MIN (s->end, MAX (self->last, s->start)),
                       .launched_end = G_MININT64,
                       .shown = s->shown,
                       .ended = s->end != G_MAXINT64 };
    g_array_append_val (windows, w);
  }
  g_array_sort_with_data (windows, by_process, (gpointer) self->host);
  join_parts (windows);
  return windows;
}

/* -- Whose work it is -------------------------------------------------------------------------- */

/* Returns the first step of that process or device under way then, of that thread if it is not 0;
 * NULL: none. */
static Window *
under_way (const GArray *windows, nprof_track process, nprof_track thread, gint64 moment)
{
  guint low = 0, high = windows->len;
  while (low < high) { /* the first window that may hold it: of this process, not over */
    guint at = (low + high) / 2;
    const Window *w = window_at (windows, at);
    if (w->process < process || (w->process == process && w->host_end <= moment))
      low = at + 1;
    else
      high = at;
  }
  for (; low < windows->len; low++) {
    Window *w = window_at (windows, low);
    if (w->process != process || w->host_start > moment)
      return NULL;
    if (moment < w->host_end && (!thread || w->thread == thread))
      return w;
  }
  return NULL;
}

/* Returns the first step of the process that the launch begins in, or of the device that the work
 * begins in. */
static Window *
owner_of (const Critical *self, const GArray *windows, const Op *op)
{
  const nprof_track device = an_place (self->places, op->queue)->device;
  Window *w = under_way (windows, device, 0, op->start);
  if (w || !op->thread)
    return w;
  return under_way (windows, process_of (self, op->thread),
                    self->window == WINDOW_LAUNCHES ? op->thread : 0, op->call_start);
}

gboolean
window_owns (const Critical *self, const Window *w, const Op *op)
{
  if (w->on_device)
    return an_place (self->places, op->queue)->device == w->process && op->start >= w->host_start
           && op->start < w->host_end;
  return op->thread && op->call_start >= w->host_start && op->call_start < w->host_end
         && (self->window == WINDOW_LAUNCHES ? op->thread == w->thread
                                             : process_of (self, op->thread) == w->process);
}

typedef struct {
  gint64 *first_work; /* of the first window of each process, at its place       */
  GHashTable *pairs;  /* of gint64: device and process whose windows work on it  */
} FirstWork;

static gint64
pair_of (const Critical *self, const Op *op, const Window *w)
{
  return (gint64) an_place (self->places, op->queue)->device << 32 | w->process;
}

static void
take_launches (Critical *self, GArray *windows, FirstWork *first)
{
  AnSeriesReader reader;
  an_series_read (&reader, &self->ops, &self->store);
  for (const Op *op; (op = an_series_next (&reader));) {
    Window *w = owner_of (self, windows, op);
    if (!w)
      continue;
    guint at = (guint) (w - window_at (windows, 0));
    w->launched_end = MAX (w->launched_end, op->end);
    w->shown |= op->shown;
    first->first_work[at] = MIN (first->first_work[at], op->start);
    gint64 pair = pair_of (self, op, w);
    if (!g_hash_table_contains (first->pairs, &pair))
      g_hash_table_add (first->pairs, g_memdup2 (&pair, sizeof pair));
  }
  an_series_reader_clear (&reader);
}

static gboolean
is_first (const GArray *windows, guint i)
{
  return i == 0 || window_at (windows, i - 1)->process != window_at (windows, i)->process;
}

/* Had the process nothing to do yet when this work in no step ended, on a device that it works
 * on? */
static gboolean
is_before (const Critical *self, const FirstWork *first, const GArray *windows, guint i,
           const Op *op)
{
  const Window *w = window_at (windows, i);
  gint64 pair = pair_of (self, op, w);
  return is_first (windows, i) && !w->on_device && first->first_work[i] != G_MAXINT64
         && op->end <= first->first_work[i] && g_hash_table_contains (first->pairs, &pair);
}

/* Takes the end of the last work in no step that was over before the first work of the first step
 * began. */
static void
take_before (Critical *self, const GArray *windows, const FirstWork *first, gint64 *before)
{
  gint64 last = G_MININT64;
  for (guint i = 0; i < windows->len; i++)
    if (is_first (windows, i) && first->first_work[i] != G_MAXINT64)
      last = MAX (last, first->first_work[i]);
  AnSeriesReader reader;
  an_series_read (&reader, &self->ops, &self->store);
  for (const Op *op; (op = an_series_next (&reader));) {
    if (op->end > last || owner_of (self, windows, op))
      continue;
    for (guint i = 0; i < windows->len; i++)
      if (is_before (self, first, windows, i, op))
        before[i] = MAX (before[i], op->end);
  }
  an_series_reader_clear (&reader);
}

/* -- From when until when ---------------------------------------------------------------------- */

static void
set_times (const Critical *self, GArray *windows, const gint64 *before)
{
  gint64 end = G_MININT64;
  for (guint i = 0; i < windows->len; i++) {
    Window *w = window_at (windows, i);
    if (is_first (windows, i))
      end = before[i];
    w->start = self->window == WINDOW_LAUNCHES ? w->host_start : MAX (w->host_start, end);
    w->end = MAX (w->host_end, w->start);
    end = w->end = w->on_device ? w->end : MAX (w->end, w->launched_end);
  }
}

/* Finds the cut steps: the first and the last that are shorter than half of the median, and those
 * without an end. */
static void
find_cut (GArray *windows, guint from, guint to)
{
  Dist d = { 0 };
  for (guint i = from; i < to; i++)
    if (window_at (windows, i)->ended)
      dist_add (&d, window_at (windows, i)->end - window_at (windows, i)->start);
  gint64 median = d.count ? dist_percentile (&d, 500, false) : 0;
  for (guint i = from; i < to; i++) {
    Window *w = window_at (windows, i);
    gboolean edge = i == from || i == to - 1;
    w->rank = i - from;
    w->cut = !w->ended || (edge && w->end - w->start < median - median / 2);
  }
  dist_clear (&d);
}

static void
find_cuts (GArray *windows)
{
  for (guint from = 0, to; from < windows->len; from = to) {
    for (to = from + 1; to < windows->len && !is_first (windows, to); to++)
      ;
    find_cut (windows, from, to);
  }
}

/* -- Without steps ----------------------------------------------------------------------------- */

static gboolean
has_windows (const GArray *windows, guint32 input)
{
  for (guint i = 0; i < windows->len; i++)
    if (window_at (windows, i)->input == input)
      return TRUE;
  return FALSE;
}

static void
stretch (Window *w, gint64 start, gint64 end)
{
  w->start = MIN (w->start, start);
  w->end = MAX (w->end, end);
}

static void
each_op (Critical *self, Window *w)
{
  AnSeriesReader reader;
  an_series_read (&reader, &self->ops, &self->store);
  for (const Op *op; (op = an_series_next (&reader));) {
    if (input_of (self, op->queue) != w->input)
      continue;
    stretch (w, op->start, op->end);
    w->launched_end = MAX (w->launched_end, op->end);
    w->shown |= op->shown;
    if (!w->process && op->thread)
      w->process = process_of (self, op->thread);
  }
  an_series_reader_clear (&reader);
}

static void
each_span (Critical *self, Window *w)
{
  AnSeriesReader reader;
  an_series_read (&reader, &self->spans, &self->store);
  for (const HostSpan *s; (s = an_series_next (&reader));) {
    if (input_of (self, s->thread) != w->input || !is_activity (host_kind (self, s->category)))
      continue;
    if (s->end > w->end)
      w->thread = s->thread;
    stretch (w, s->start, s->end);
  }
  an_series_reader_clear (&reader);
}

static int
by_input (gconstpointer a, gconstpointer b)
{
  const guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;
  return (x > y) - (x < y);
}

/* Adds one window from the first to the last work of the input, or with the host's spans as
 * well. */
static void
add_whole (Critical *self, GArray *windows, guint32 input)
{
  Window w = { .input = input,
               .start = G_MAXINT64,
               .end = G_MININT64,
               .launched_end = G_MININT64,
               .ended = TRUE };
  each_op (self, &w);
  if (self->window != WINDOW_STEP)
    each_span (self, &w);
  w.host_start = w.start;
  w.host_end = w.end;
  if (w.end >= w.start)
    g_array_append_val (windows, w);
}

GArray *
windows_find (Critical *self)
{
  if (self->window == WINDOW_RECORDING)
    g_array_set_size (self->steps, 0);
  GArray *windows = of_steps (self);
  g_autofree gint64 *first_work = g_new (gint64, windows->len + 1),
                    *before = g_new (gint64, windows->len + 1);
  for (guint i = 0; i < windows->len; i++) {
    first_work[i] = G_MAXINT64;
    before[i] = G_MININT64;
  }
  g_autoptr (GHashTable) pairs = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  FirstWork first = { first_work, pairs };
  if (windows->len) {
    take_launches (self, windows, &first);
    take_before (self, windows, &first, before);
  }
  set_times (self, windows, before);
  find_cuts (windows);
  g_array_sort (self->linked, by_input);
  for (guint i = 0; i < self->linked->len; i++) {
    guint32 input = g_array_index (self->linked, guint32, i);
    if (!has_windows (windows, input) && !*self->annotation)
      add_whole (self, windows, input);
  }
  return windows;
}
