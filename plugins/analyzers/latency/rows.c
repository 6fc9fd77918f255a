/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - finds the group that a row belongs to, and how long its track was watched. */
#include "latency.h"

guint
rows_place (Latency *self, const guint32 *key)
{
  guint number = an_key_table_get (&self->place_keys, key);
  if (number == self->place->len)
    g_array_set_size (self->place, number + 1);
  return number;
}

static guint
new_place (Latency *self, nprof_track track)
{
  const struct nprof_host *h = self->host;
  const struct nprof_track_info *info = h->track_info (h, track);
  const struct nprof_track_info *process = info->process ? h->track_info (h, info->process) : NULL;
  bool whole = self->by == BY_PROCESS && process;
  const guint32 key[P_WORDS]
      = { h->input (h, info->input)->label, process ? nprof_track_label (process) : 0,
          whole ? 0 : nprof_track_label (info), whole ? process->number : info->number };
  guint number = rows_place (self, key);
  g_array_index (self->place, Place, number).track = whole ? info->process : track;
  return number;
}

static guint
place_of (Latency *self, nprof_track track)
{
  if (track >= self->place_of->len)
    g_array_set_size (self->place_of, MAX (track + 1, self->place_of->len * 2));
  guint *known = &g_array_index (self->place_of, guint, track);
  if (!*known)
    *known = 1 + new_place (self, track);
  return *known - 1;
}

/* It says where rows are: most have the track of the row before. */
typedef struct {
  nprof_track track;
  guint number;
  Place *place; /* until another is added */
} Here;

static void
move_to (Latency *self, Here *here, nprof_track track, gint64 start)
{
  here->track = track;
  here->number = place_of (self, track);
  here->place = &g_array_index (self->place, Place, here->number);
  if (!here->place->known)
    here->place->first = here->place->last = nprof_cut (&self->window, start);
  here->place->known = true;
}

static inline void
extend_watched (Place *place, gint64 start, gint64 end)
{
  place->first = MIN (place->first, start);
  place->last = MAX (place->last, end);
}

/* Returns whether the track is derived: such tracks tell the same time again, and under the same
 * names. */
static bool
is_derived (const Latency *self, nprof_track track)
{
  return self->host->track_info (self->host, track)->kind == NPROF_TRACK_DERIVED;
}

/* Finds the name that a row counts under, where that is not its own; FALSE: it does not count. */
static bool
name_of (Latency *self, const struct nprof_batch *batch, uint32_t i, nprof_str *name)
{
  if (self->by == BY_PROCESS)
    return !is_derived (self, batch->track[i]);
  if (self->by == BY_TRACK) {
    *name = 0;
    return true;
  }
  AnRole role = an_row_role (self->places, an_place (self->places, batch->track[i]), batch, i);
  if (self->by == BY_INFERENCE)
    return role == AN_MODULE || batch->name[i] == self->inference;
  *name = self->step;
  return role == AN_STEP;
}

static void
span (Latency *self, Here *here, const struct nprof_batch *batch, uint32_t i)
{
  nprof_str name = batch->name[i];
  gint64 start = batch->start[i], duration = batch->duration[i];
  if (batch->track[i] != here->track)
    move_to (self, here, batch->track[i], start);
  extend_watched (here->place, nprof_cut (&self->window, start),
                  nprof_cut (&self->window, start + MAX (duration, 0)));
  if (self->by != BY_NAME && !name_of (self, batch, i, &name))
    return;
  if (duration < 0) {
    self->unended++;
    return;
  }
  nprof_str category = self->by == BY_TRACK ? 0 : batch->category[i];
  gint64 inside = nprof_inside (&self->window, start, duration);
  groups_add_row (&self->groups, here->number, name, category, duration);
  if (inside != duration)
    groups_add_outside (&self->groups, here->number, name, category, duration - inside);
}

static void
gap (Latency *self, nprof_track track)
{
  if (track >= self->gaps->len)
    g_array_set_size (self->gaps, track + 1);
  g_array_index (self->gaps, guint64, track)++;
  g_clear_pointer (&self->gaps_below, g_array_unref);
}

void
rows_consume (Latency *self, const struct nprof_batch *batch)
{
  Here here = { 0 };
  an_ask_batch (self->places, batch);
  for (uint32_t i = 0; i < batch->n_rows; i++)
    if (batch->kind[i] == NPROF_SPAN)
      span (self, &here, batch, i);
    else if (batch->kind[i] == NPROF_GAP)
      gap (self, batch->track[i]);
}

/* Counts for each track the gaps on it and on the tracks below. */
static GArray *
gaps_below (const Latency *self)
{
  GArray *below = g_array_new (FALSE, TRUE, sizeof (guint64));
  g_array_set_size (below, self->gaps->len);
  for (guint t = 0; t < self->gaps->len; t++) {
    guint64 n = g_array_index (self->gaps, guint64, t);
    for (nprof_track up = n ? t : 0; up; up = self->host->track_info (self->host, up)->parent) {
      if (up >= below->len)
        g_array_set_size (below, up + 1);
      g_array_index (below, guint64, up) += n;
    }
  }
  return below;
}

/* Counts the gaps of a place: rows that are missing on its track, or on one above or below, may be
 * missing in its group. */
guint64
rows_gaps (Latency *self, const Place *place)
{
  guint64 sum = place->gaps;
  if (!place->track)
    return sum;
  if (!self->gaps_below)
    self->gaps_below = gaps_below (self);
  if (place->track < self->gaps_below->len)
    sum += g_array_index (self->gaps_below, guint64, place->track);
  nprof_track up = self->host->track_info (self->host, place->track)->parent;
  for (; up; up = self->host->track_info (self->host, up)->parent)
    if (up < self->gaps->len)
      sum += g_array_index (self->gaps, guint64, up);
  return sum;
}
