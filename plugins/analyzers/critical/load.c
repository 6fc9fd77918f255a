/* SPDX-License-Identifier: Apache-2.0 */
/* load.c - reads the kept rows once and shares them out to the windows that are walked. */
#include "critical.h"

#include <stdlib.h>

guint32
input_of (const Critical *self, nprof_track track)
{
  return self->host->track_info (self->host, track)->input;
}

nprof_track
process_of (const Critical *self, nprof_track track)
{
  nprof_track process = self->host->track_info (self->host, track)->process;
  return process ? process : track;
}

static void
array_unref (gpointer array)
{
  if (array)
    g_array_unref (array);
}

static void
blocked_free (gpointer blocked)
{
  g_array_unref (((Blocked *) blocked)->sources);
  g_free (blocked);
}

void
loaded_free (gpointer loaded)
{
  Loaded *l = loaded;
  g_array_unref (l->ops);
  g_array_unref (l->numbers);
  g_array_unref (l->spans);
  g_array_unref (l->syncs);
  g_hash_table_unref (l->thread_of);
  g_array_unref (l->stops);
  g_ptr_array_unref (l->threads);
  g_ptr_array_unref (l->queues);
  g_array_unref (l->calls);
  g_hash_table_unref (l->blocked);
  g_ptr_array_unref (l->waits);
  g_clear_pointer (&l->unsure, g_hash_table_unref);
  g_clear_pointer (&l->programs, g_hash_table_unref);
  g_free (l);
}

Loaded *
loaded_new (Window *window)
{
  Loaded *l = g_new0 (Loaded, 1);
  l->window = window;
  const AnIdlePrograms none = AN_IDLE_NO_PROGRAMS;
  l->behind = an_idle_behind_all (&none, true, false);
  l->ops = g_array_new (FALSE, FALSE, sizeof (Op));
  l->numbers = g_array_new (FALSE, FALSE, sizeof (guint32));
  l->spans = g_array_new (FALSE, FALSE, sizeof (HostSpan));
  l->syncs = g_array_new (FALSE, FALSE, sizeof (Sync));
  l->threads = g_ptr_array_new_with_free_func (thread_free);
  l->thread_of = g_hash_table_new (NULL, NULL);
  l->stops = g_array_new (FALSE, FALSE, sizeof (HandOff));
  l->queues = g_ptr_array_new_with_free_func (queue_free);
  l->calls = g_array_new (FALSE, FALSE, sizeof (Call));
  l->blocked = g_hash_table_new_full (NULL, NULL, NULL, blocked_free);
  l->waits = g_ptr_array_new_with_free_func (array_unref);
  return l;
}

void
loaded_again (Loaded *l, Window *window)
{
  l->window = window;
  g_array_set_size (l->ops, 0);
  g_array_set_size (l->numbers, 0);
  g_ptr_array_set_size (l->waits, 0);
  g_hash_table_remove_all (l->programs);
}

guint
op_numbered (const Loaded *l, guint32 number)
{
  guint low = 0, high = l->numbers->len;
  if (number < high && g_array_index (l->numbers, guint32, number) == number)
    return number; /* none before it is missing */
  while (low < high) {
    guint at = (low + high) / 2;
    if (g_array_index (l->numbers, guint32, at) < number)
      low = at + 1;
    else
      high = at;
  }
  return low < l->numbers->len && g_array_index (l->numbers, guint32, low) == number ? low : NOBODY;
}

/* -- Sharing out ------------------------------------------------------------------------------- */

/* The work that ends the last gap of a window begins behind it. */
typedef struct {
  nprof_track device;
  gboolean taken;
} Behind;

void
add_op (Loaded *l, const Op *op, guint32 number)
{
  g_array_append_vals (l->ops, op, 1);
  g_array_append_val (l->numbers, number);
}

/* Returns whether work is of the window or was launched before its end: a call waits for what was
 * launched last, even if that begins later. */
static gboolean
is_in_sight (const Window *w, const Op *op)
{
  return op->start <= w->end || (op->thread && op->call_start < w->end);
}

static gboolean
is_first_behind (Critical *self, GHashTable *behind, const Op *op)
{
  const AnPlace *place = an_place (self->places, op->queue);
  return op->end > op->start && g_hash_table_add (behind, GUINT_TO_POINTER (place->device));
}

static void
share_ops (Critical *self, const GPtrArray *all)
{
  g_autoptr (GPtrArray) behind
      = g_ptr_array_new_with_free_func ((GDestroyNotify) g_hash_table_unref);
  for (guint i = 0; i < all->len; i++)
    g_ptr_array_add (behind, g_hash_table_new (NULL, NULL));
  AnSeriesReader reader;
  an_series_read (&reader, &self->ops, &self->store);
  guint32 number = 0;
  for (const Op *op; (op = an_series_next (&reader)); number++) {
    for (guint i = 0; i < all->len; i++) {
      Loaded *l = g_ptr_array_index (all, i);
      const Window *w = l->window;
      if (op->end < w->start || w->input != input_of (self, op->queue))
        continue;
      if (is_in_sight (w, op) || is_first_behind (self, g_ptr_array_index (behind, i), op))
        add_op (l, op, number);
    }
  }
  an_series_reader_clear (&reader);
}

static int
by_start (gconstpointer a, gconstpointer b)
{
  const Loaded *x = *(Loaded *const *) a, *y = *(Loaded *const *) b;
  return x->window->start != y->window->start ? (x->window->start < y->window->start ? -1 : 1) : 0;
}

/* Shares a span to those of windows first..n that it meets, which are by start. */
static void
share_span (Critical *self, Loaded **windows, guint first, guint n, const HostSpan *s)
{
  for (guint i = first; i < n && windows[i]->window->start <= s->end; i++) {
    const Window *w = windows[i]->window;
    if (s->start <= w->end && w->input == input_of (self, s->thread))
      g_array_append_vals (windows[i]->spans, s, 1);
  }
}

/* Shares spans, which come by start: a window that ended before one has no more of them. */
static void
share_spans (Critical *self, const GPtrArray *all)
{
  g_autofree Loaded **windows = g_new (Loaded *, all->len + 1);
  for (guint i = 0; i < all->len; i++)
    windows[i] = g_ptr_array_index (all, i);
  qsort (windows, all->len, sizeof *windows, by_start);
  AnSeriesReader reader;
  an_series_read (&reader, &self->spans, &self->store);
  guint first = 0;
  for (const HostSpan *s; (s = an_series_next (&reader));) {
    while (first < all->len && windows[first]->window->end < s->start)
      first++;
    share_span (self, windows, first, all->len, s);
  }
  an_series_reader_clear (&reader);
}

static void
share_syncs (Critical *self, const GPtrArray *all)
{
  AnSeriesReader reader;
  an_series_read (&reader, &self->syncs, &self->store);
  for (const Sync *s; (s = an_series_next (&reader));) {
    guint32 input = input_of (self, s->queue);
    for (guint i = 0; i < all->len; i++) {
      Loaded *l = g_ptr_array_index (all, i);
      if (l->window->input == input)
        g_array_append_vals (l->syncs, s, 1);
    }
  }
  an_series_reader_clear (&reader);
}

static int
by_id (gconstpointer a, gconstpointer b)
{
  const Call *x = a, *y = b;
  if (x->id != y->id)
    return x->id < y->id ? -1 : 1;
  return x->span < y->span ? -1 : x->span > y->span;
}

static void
index_calls (Loaded *l)
{
  guint64 last = 0;
  gboolean sorted = TRUE;
  for (guint i = 0; i < l->spans->len; i++) {
    const Call call = { span_at (l, i)->correlation, i };
    if (!call.id)
      continue;
    sorted = sorted && call.id >= last;
    last = call.id;
    g_array_append_val (l->calls, call);
  }
  if (!sorted)
    g_array_sort (l->calls, by_id);
}

GPtrArray *
load_windows (Critical *self, const GPtrArray *windows)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (loaded_free);
  for (guint i = 0; i < windows->len; i++)
    g_ptr_array_add (all, loaded_new (g_ptr_array_index (windows, i)));
  share_ops (self, all);
  share_spans (self, all);
  share_syncs (self, all);
  for (guint i = 0; i < all->len; i++) {
    Loaded *l = g_ptr_array_index (all, i);
    index_calls (l);
    threads_find (self, l);
    depend_find (self, l);
  }
  return all;
}
