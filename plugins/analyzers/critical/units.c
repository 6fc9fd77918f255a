/* SPDX-License-Identifier: Apache-2.0 */
/* units.c - keeps the instructions of NeuronCores, which nobody launches, and walks the critical
 * path of their steps. What an instruction waited for is found in semaphores.c. */
#include "critical.h"

gboolean
units_wanted (const Critical *self)
{
  return self->path || self->n_what_if;
}

/* -- Rows -------------------------------------------------------------------------------------- */

static void
take_texts (const Critical *self, const struct nprof_batch *batch, uint32_t i, Unit *u)
{
  for (uint32_t j = batch->attr_at ? batch->attr_at[i] : 0;
       batch->attr_at && j < batch->attr_at[i + 1]; j++) {
    if (batch->attr_type[j] != NPROF_STRING)
      continue;
    if (batch->attr_key[j] == self->key_waits)
      u->waits = batch->attr_value[j].s;
    else if (batch->attr_key[j] == self->key_signals)
      u->signals = batch->attr_value[j].s;
    else if (batch->attr_key[j] == self->key_dma)
      u->dma = batch->attr_value[j].s;
  }
}

void
units_row (Critical *self, AnTraits traits, const struct nprof_batch *batch, uint32_t i,
           const AnPlace *place)
{
  gboolean waits = batch->category[i] == self->semaphore_wait;
  const AnClass class = (AnClass) traits.class;
  if (!units_wanted (self) || batch->duration[i] < 0 || batch->category[i] == self->dma
      || (class == AN_AROUND && !waits))
    return;
  QueueEnd *queue = queue_end (self, place->track);
  Unit u = { .op = { .start = batch->start[i],
                     .end = batch->start[i] + batch->duration[i],
                     .call_start = G_MININT64,
                     .call_end = G_MININT64,
                     .before_end = queue->end,
                     .name = batch->name[i],
                     .category = batch->category[i],
                     .queue = place->track,
                     .before = queue->before,
                     .class = waits ? OP_WAITS : (guint8) class,
                     .shown = !nprof_hidden (batch, i) } };
  take_texts (self, batch, i, &u);
  if (!queue->before || u.op.end >= queue->end)
    *queue = (QueueEnd){ (guint32) self->units.n + 1, u.op.end };
  *(Unit *) an_series_add (&self->units, &self->store) = u;
}

/* Returns the value of a semaphore; -1: it can be none. */
static gint64
whole (double value)
{
  return value >= 0 && value <= G_MAXUINT32 ? (gint64) value : -1;
}

void
units_instant (Critical *self, const struct nprof_batch *batch, uint32_t i)
{
  if (batch->category[i] != self->semaphore || !units_wanted (self))
    return;
  *(Update *) an_series_add (&self->updates, &self->store)
      = (Update){ .at = batch->start[i],
                  .value = batch->value ? whole (batch->value[i]) : -1,
                  .name = batch->name[i],
                  .track = batch->track[i] };
}

/* -- Windows ----------------------------------------------------------------------------------- */

typedef struct {
  Judged *judged;
  Window window;
  Units units;
  GArray *programs; /* of CoreRow, by start */
} Walked;

static void
walked_free (gpointer walked)
{
  Walked *w = walked;
  loaded_free (w->units.loaded);
  g_array_unref (w->units.units);
  g_array_unref (w->units.updates);
  g_array_unref (w->programs);
  g_free (w);
}

static Walked *
walked_new (Judged *j)
{
  Walked *w = g_new0 (Walked, 1);
  w->judged = j;
  w->window = judged_window (j);
  w->units.loaded = loaded_new (&w->window);
  w->units.loaded->unsure = g_hash_table_new (NULL, NULL);
  w->units.units = g_array_new (FALSE, FALSE, sizeof (Unit));
  w->units.updates = g_array_new (FALSE, FALSE, sizeof (Update));
  w->programs = g_array_new (FALSE, FALSE, sizeof (CoreRow));
  return w;
}

static gboolean
is_of (Critical *self, const Walked *w, nprof_track track)
{
  const AnPlace *place = an_place (self->places, track);
  return place->label == w->judged->place && place->input == w->window.input;
}

/* Shares the units to the windows in which they were under way. */
static void
share_units (Critical *self, const GPtrArray *all)
{
  AnSeriesReader reader;
  an_series_read (&reader, &self->units, &self->store);
  guint32 number = 0;
  for (const Unit *u; (u = an_series_next (&reader)); number++)
    for (guint i = 0; i < all->len; i++) {
      Walked *w = g_ptr_array_index (all, i);
      if (u->op.end < w->window.start || u->op.start > w->window.end
          || !is_of (self, w, u->op.queue))
        continue;
      w->window.process = an_place (self->places, u->op.queue)->device;
      g_array_append_vals (w->units.units, u, 1);
      add_op (w->units.loaded, &u->op, number);
    }
  an_series_reader_clear (&reader);
}

static void
share_programs (Critical *self, Walked *w)
{
  const AnSeries *rows = core_rows_of (self, w->judged->place, w->window.input);
  if (!rows)
    return;
  AnSeriesReader reader;
  an_series_read (&reader, rows, &self->store);
  for (const CoreRow *row; (row = an_series_next (&reader));)
    if (row->kind == CORE_PROGRAM && row->end >= w->window.start && row->start <= w->window.end)
      g_array_append_vals (w->programs, row, 1);
  an_series_reader_clear (&reader);
}

static void
share_updates (Critical *self, const GPtrArray *all)
{
  AnSeriesReader reader;
  an_series_read (&reader, &self->updates, &self->store);
  for (const Update *u; (u = an_series_next (&reader));)
    for (guint i = 0; i < all->len; i++) {
      Walked *w = g_ptr_array_index (all, i);
      if (u->at <= w->window.end && is_of (self, w, u->track))
        g_array_append_vals (w->units.updates, u, 1);
    }
  an_series_reader_clear (&reader);
}

/* Returns whether the file says what instructions wait for and which of them do work: no path rests
 * on the order of the engines alone. */
static gboolean
tells_of_waits (const Walked *w)
{
  const GArray *units = w->units.units;
  for (guint i = 0; i < units->len && !w->judged->unsure; i++)
    if (g_array_index (units, Unit, i).waits)
      return TRUE;
  return FALSE;
}

static nprof_status
walk (Critical *self, Walked *w)
{
  if (!tells_of_waits (w))
    return NPROF_OK;
  programs_find (w->units.loaded, w->programs);
  semaphores_find (self, &w->units);
  return judged_walk (self, w->judged, w->units.loaded);
}

nprof_status
units_walk (Critical *self, GArray *judged, guint from)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (walked_free);
  for (guint i = from; i < judged->len && units_wanted (self); i++) {
    Judged *j = &g_array_index (judged, Judged, i);
    if (!j->no_launches)
      g_ptr_array_add (all, walked_new (j));
  }
  if (!all->len || !self->units.n)
    return NPROF_OK;
  share_units (self, all);
  share_updates (self, all);
  for (guint i = 0; i < all->len; i++)
    share_programs (self, g_ptr_array_index (all, i));
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < all->len && !status; i++)
    status = walk (self, g_ptr_array_index (all, i));
  return status ? status : an_store_check (&self->store);
}
