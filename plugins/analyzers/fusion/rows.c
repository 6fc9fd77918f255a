/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - rows, track by track: their time and self time for the fusion that they belong to, and
 * the derived spans of consecutive rows of one fusion. */
#include "fusion.h"

/* -- Time ----------------------------------------------------------------------------------------- */

static void
add_time (Fusion *self, guint32 number, gint64 duration)
{
  if (number == NO_GROUP)
    return;
  Group *group = fusion_at (self, number);
  group->overflow |= __builtin_add_overflow (group->total, duration, &group->total);
  group->overflow |= __builtin_add_overflow (group->self, duration, &group->self);
}

/* The time of what lies in it is not its own. */
static nprof_status
closed (void *user, const struct nprof_open *span, const struct nprof_open *parent G_GNUC_UNUSED,
        uint32_t depth G_GNUC_UNUSED)
{
  if (!span->children || span->tag == NO_GROUP)
    return NPROF_OK;
  Group *group = fusion_at (user, (guint32) span->tag);
  group->overflow |= __builtin_sub_overflow (group->self, span->children, &group->self);
  return NPROF_OK;
}

static nprof_status
sweep (Fusion *self, gint64 start, gint64 duration, guint32 group)
{
  nprof_status status = nprof_sweep_span (&self->sweep, start, duration, group);
  return status ? nprof_fail (self->host, status, "no memory for spans within each other")
                : NPROF_OK;
}

static nprof_status
take (Fusion *self, bool all)
{
  nprof_status status = NPROF_OK;
  const Waiting *w;
  for (guint n; !status && (w = an_window_take (self->order, all, &n));)
    for (const Waiting *end = w + n; w < end && !status; w++) {
      self->late += w->span.late;
      if (!w->span.late)
        status = sweep (self, w->span.start, w->span.duration, w->group);
    }
  return status;
}

static nprof_status
time_of (Fusion *self, const struct nprof_batch *batch, uint32_t i, guint32 group, AnClock clock)
{
  if (!clock.has)
    clock = (AnClock){ batch->start[i], batch->duration[i], false };
  self->by_device |= clock.has;
  add_time (self, group, clock.duration);
  if (!self->by_device)
    return sweep (self, clock.start, clock.duration, group);
  Waiting *w = an_window_add (self->order, clock.start, clock.duration);
  w->group = group;
  return an_window_is_full (self->order) ? take (self, false) : NPROF_OK;
}

/* -- Derived spans ------------------------------------------------------------------------------------ */

static nprof_status
end_run (Fusion *self)
{
  Run run = self->run;
  self->run.group = NO_GROUP;
  if (run.group == NO_GROUP)
    return NPROF_OK;
  struct nprof_writer *w = self->host->writer (self->host);
  if (!w)
    return NPROF_E_NOMEM;
  nprof_status status = nprof_span (w, self->derived, run.name, run.start, run.end - run.start);
  if (!status)
    nprof_set_category (w, fusion_at (self, run.group)->category);
  return status;
}

static nprof_track
derived_track (Fusion *self)
{
  const struct nprof_host *host = self->host;
  const struct nprof_track_info *info = host->track_info (host, self->place->track);
  nprof_track parent = self->place->device ? self->place->device : info->process;
  if (!parent)
    parent = host->input (host, info->input)->root;
  return host->track (host, parent, NPROF_TRACK_DERIVED, nprof_intern (host, "fusions"),
                      nprof_intern (host, "Fusions"), G_MAXINT32);
}

/* A run ends where another operator comes between, or where it begins anew. */
static nprof_status
run_of (Fusion *self, const struct nprof_batch *batch, uint32_t i, Which which)
{
  guint32 group = which.group;
  gint64 start = batch->start[i], end = start + batch->duration[i];
  Run *run = &self->run;
  if (group != NO_GROUP && run->group == group && batch->name[i] != run->first) {
    run->end = MAX (run->end, end);
    fusion_at (self, group)->occurrences += !which.gpu;
    return NPROF_OK;
  }
  nprof_status status = end_run (self);
  if (status || group == NO_GROUP)
    return status;
  fusion_at (self, group)->occurrences++;
  if (!self->derived && !(self->derived = derived_track (self)))
    return NPROF_E_NOMEM;
  *run = (Run){ group, batch->name[i], an_key_table_key (&self->group_ids, group)[ID_NAME], start,
                end };
  return NPROF_OK;
}

/* -- Rows ----------------------------------------------------------------------------------------------- */

nprof_status
fusion_rows_end (Fusion *self)
{
  if (!self->place)
    return NPROF_OK;
  nprof_status status = take (self, true);
  if (!status)
    status = nprof_sweep_end (&self->sweep);
  if (!status)
    status = end_run (self);
  self->place = NULL;
  self->derived = 0;
  self->by_device = self->active = false;
  return status;
}

static nprof_status
add_span (Fusion *self, const struct nprof_batch *batch, uint32_t i)
{
  AnRole role = an_role (self->places, self->place, batch->category[i], batch->name[i]);
  AnClock clock;
  if (role != AN_WORK && role != AN_HOST)
    return NPROF_OK;
  if (batch->duration[i] < 0) {
    self->unended += role == AN_WORK;
    return NPROF_OK;
  }
  Which which = (role == AN_WORK ? fusion_of_work : fusion_of_args) (self, batch, i, &clock);
  self->active |= role == AN_WORK || which.group != NO_GROUP;
  if (!self->active) /* a host's track before its first fusion: nothing to take time from */
    return NPROF_OK;
  nprof_status status = time_of (self, batch, i, which.group, clock);
  return status ? status : run_of (self, batch, i, which);
}

static void
begin_input (Fusion *self, nprof_str input)
{
  if (input == self->input)
    return;
  self->input = input;
  g_byte_array_set_size (self->seen_names, 0);
}

nprof_status
fusion_rows (Fusion *self, const struct nprof_batch *batch)
{
  nprof_status status = NPROF_OK;
  begin_input (self, self->host->input (self->host, batch->input)->label);
  for (uint32_t i = 0; i < batch->n_rows && !status; i++) {
    if (batch->kind[i] != NPROF_SPAN)
      continue;
    if (!self->place || self->place->track != batch->track[i]) {
      status = fusion_rows_end (self);
      self->place = an_place (self->places, batch->track[i]);
    }
    status = status ? status : add_span (self, batch, i);
  }
  return status;
}

nprof_status
fusion_rows_open (Fusion *self)
{
  self->places = an_places_new (self->host);
  self->order = an_window_new (self->window, sizeof (Waiting));
  self->sweep = (struct nprof_sweep){ .closed = closed, .user = self };
  self->run.group = NO_GROUP;
  return fusion_row_operator_open (self);
}

void
fusion_rows_clear (Fusion *self)
{
  an_places_free (self->places);
  an_window_free (self->order);
  nprof_sweep_clear (&self->sweep);
  fusion_row_operator_clear (self);
}
