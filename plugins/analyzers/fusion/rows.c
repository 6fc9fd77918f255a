/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - rows of each track: their time and self time for the fusion that they belong to, and the
 * derived spans of consecutive rows of one fusion, which wait until all rows were read: rows of
 * devices come in no order among each other, and what is written must not depend on it. */
#include "fusion.h"

#include "devicekit/by-track.h"

typedef struct {
  Fusion *fusion;
  nprof_track track;
  const AnPlace *place;
  nprof_track section; /* the process of a device's timeline that it is of; 0: none */
  bool by_device, active;
  Run run;
  AnSeries runs;   /* of Run: those that ended                                        */
  AnWindow *order; /* NULL: no row was by the device's clock                          */
  GArray *group;   /* of Row: of a host, those that begin when the last one began     */
  struct nprof_sweep sweep;
} FusionTrack;

/* -- Time -------------------------------------------------------------------------------------- */

static void
add_time (Fusion *self, guint32 number, gint64 inside)
{
  if (number == NO_GROUP)
    return;
  Group *group = fusion_at (self, number);
  group->overflow |= __builtin_add_overflow (group->total, inside, &group->total);
  group->overflow |= __builtin_add_overflow (group->self, inside, &group->self);
}

static nprof_status
closed (void *user G_GNUC_UNUSED, const struct nprof_open *span G_GNUC_UNUSED,
        const struct nprof_open *parent G_GNUC_UNUSED, uint32_t depth G_GNUC_UNUSED)
{
  return NPROF_OK;
}

/* Takes the time of a span from the one that it lies in. */
static nprof_status
sweep (FusionTrack *t, gint64 start, gint64 duration, gint64 inside, guint32 number)
{
  nprof_status status = nprof_sweep_span (&t->sweep, start, duration, number);
  if (status)
    return nprof_fail (t->fusion->host, status, "no memory for spans within each other");
  guint32 around = t->sweep.n > 1 ? (guint32) t->sweep.open[t->sweep.n - 2].tag : NO_GROUP;
  if (around == NO_GROUP)
    return NPROF_OK;
  Group *group = fusion_at (t->fusion, around);
  group->overflow |= __builtin_sub_overflow (group->self, inside, &group->self);
  return NPROF_OK;
}

static nprof_status
take_ordered_rows (FusionTrack *t, bool all)
{
  nprof_status status = NPROF_OK;
  const Waiting *w;
  for (guint n; t->order && !status && (w = an_window_take (t->order, all, &n));)
    for (const Waiting *end = w + n; w < end && !status; w++) {
      t->fusion->late += w->span.late;
      if (!w->span.late)
        status = sweep (t, w->span.start, w->span.duration, w->inside, w->group);
    }
  return status;
}

static nprof_status
wait_in_order (FusionTrack *t, const AnClock *clock, gint64 inside, guint32 group)
{
  if (!t->order)
    t->order = an_window_new (t->fusion->window, sizeof (Waiting));
  Waiting *w = an_window_add (t->order, clock->start, clock->duration);
  w->inside = inside;
  w->group = group;
  return an_window_is_full (t->order) ? take_ordered_rows (t, false) : NPROF_OK;
}

static nprof_status
time_of (FusionTrack *t, const Row *row)
{
  AnClock clock = row->clock;
  if (!clock.has)
    clock = (AnClock){ row->start, row->duration, false };
  t->by_device |= clock.has;
  gint64 inside = nprof_inside (&t->fusion->clip, row->start, row->duration);
  inside = inside == row->duration ? clock.duration
                                   : nprof_prorate (clock.duration, inside, row->duration);
  add_time (t->fusion, row->which.group, inside);
  return t->by_device ? wait_in_order (t, &clock, inside, row->which.group)
                      : sweep (t, clock.start, clock.duration, inside, row->which.group);
}

/* -- Runs -------------------------------------------------------------------------------------- */

static void
end_run (FusionTrack *t)
{
  if (t->run.group != NO_GROUP)
    *(Run *) an_series_add (&t->runs, &t->fusion->store) = t->run;
  t->run.group = NO_GROUP;
}

/* Extends a run, or begins one: a run ends where another operator comes between, or where it begins
 * anew. */
static void
run_of (FusionTrack *t, const Row *row)
{
  guint32 group = row->which.group;
  gint64 end = row->start + row->duration;
  if (group != NO_GROUP && t->run.group == group && row->name != t->run.first) {
    t->run.end = MAX (t->run.end, end);
    fusion_at (t->fusion, group)->occurrences += !row->which.gpu;
    return;
  }
  end_run (t);
  if (group == NO_GROUP)
    return;
  fusion_at (t->fusion, group)->occurrences++;
  t->run = (Run){ group, row->name, row->start, end };
}

static nprof_track
derived_track (const FusionTrack *t)
{
  const struct nprof_host *host = t->fusion->host;
  const struct nprof_track_info *info = host->track_info (host, t->track);
  nprof_track parent = t->place->device ? t->place->device : info->process;
  if (!parent)
    parent = host->input (host, info->input)->root;
  return host->track (host, parent, NPROF_TRACK_DERIVED, nprof_intern (host, "fusions"),
                      nprof_intern (host, "Fusions"), G_MAXINT32);
}

static nprof_status
write_run (Fusion *self, nprof_track track, const Run *run)
{
  struct nprof_writer *w = self->host->writer (self->host);
  nprof_str name = an_key_table_key (&self->group_ids, run->group)[ID_NAME];
  if (!w)
    return NPROF_E_NOMEM;
  nprof_status status = nprof_span (w, track, name, run->start, run->end - run->start);
  if (!status)
    nprof_set_category (w, fusion_at (self, run->group)->category);
  return status;
}

static nprof_status
write_runs (FusionTrack *t)
{
  AnSeriesReader reader;
  const Run *run;
  nprof_track track = t->runs.n ? derived_track (t) : 0;
  nprof_status status = t->runs.n && !track ? NPROF_E_NOMEM : NPROF_OK;
  an_series_read (&reader, &t->runs, &t->fusion->store);
  while (!status && (run = an_series_next (&reader)))
    status = write_run (t->fusion, track, run);
  an_series_reader_clear (&reader);
  return status;
}

/* -- Rows -------------------------------------------------------------------------------------- */

static nprof_status
take_row (FusionTrack *t, const Row *row)
{
  nprof_status status = time_of (t, row);
  if (!status)
    run_of (t, row);
  return status;
}

/* The longer rows of a host contain the shorter ones that begin at the same time. */
static int
longer_first (gconstpointer a, gconstpointer b)
{
  const Row *x = a, *y = b;
  return (x->duration < y->duration) - (x->duration > y->duration);
}

static nprof_status
take_group (FusionTrack *t)
{
  nprof_status status = NPROF_OK;
  if (t->group->len > 1)
    g_array_sort (t->group, longer_first); /* which leaves equal ones as they are */
  for (guint i = 0; i < t->group->len && !status; i++)
    status = take_row (t, &g_array_index (t->group, Row, i));
  g_array_set_size (t->group, 0);
  return status;
}

static nprof_status
add_host_row (FusionTrack *t, const Row *row)
{
  nprof_status status = NPROF_OK;
  if (t->group->len && g_array_index (t->group, Row, 0).start != row->start)
    status = take_group (t);
  g_array_append_val (t->group, *row);
  return status;
}

static void
add_to_section (FusionTrack *t, const struct nprof_batch *batch, uint32_t i, guint32 group)
{
  const SectionSpan span = { .device = t->place->device,
                             .section = t->section,
                             .framework_op = fusion_framework_op (t->fusion, batch, i),
                             .group = group,
                             .start = batch->start[i],
                             .end = batch->start[i] + batch->duration[i] };
  fusion_parallel_span (t->fusion, &span);
}

static nprof_status
add_span (FusionTrack *t, AnTraits traits, const struct nprof_batch *batch, uint32_t i)
{
  Fusion *self = t->fusion;
  const AnRole role = (AnRole) traits.role;
  if (role != AN_WORK && role != AN_HOST)
    return NPROF_OK;
  Row row;
  row.start = batch->start[i];
  row.duration = batch->duration[i];
  row.name = batch->name[i];
  if (row.duration < 0) {
    self->unended += role == AN_WORK;
    return NPROF_OK;
  }
  row.which = role == AN_WORK ? fusion_of_work (self, traits.own, batch, i, &row.clock)
                              : fusion_of_args (self, batch, i, &row.clock);
  if (role == AN_WORK && t->section)
    add_to_section (t, batch, i, row.which.group);
  t->active |= role == AN_WORK || row.which.group != NO_GROUP;
  if (!t->active) /* a host's track before its first fusion: nothing to take time from */
    return NPROF_OK;
  return t->place->device ? take_row (t, &row) : add_host_row (t, &row);
}

static nprof_track
section_of (const FusionTrack *t)
{
  const struct nprof_host *host = t->fusion->host;
  nprof_track parent = host->track_info (host, t->track)->parent;
  bool is_section = t->place->device && parent
                    && host->track_info (host, parent)->kind == NPROF_TRACK_PROCESS;
  return is_section ? parent : 0;
}

static __attribute__ ((noinline)) FusionTrack *
new_track (Fusion *self, nprof_track track)
{
  FusionTrack *t = g_new0 (FusionTrack, 1);
  an_put_of_track (self->tracks, track, t);
  t->fusion = self;
  t->track = track;
  t->place = an_place (self->places, track);
  t->section = section_of (t);
  t->run.group = NO_GROUP;
  t->group = g_array_new (FALSE, FALSE, sizeof (Row));
  t->sweep = (struct nprof_sweep){ .closed = closed, .user = self };
  an_series_init (&t->runs, sizeof (Run));
  return t;
}

static inline FusionTrack *
track_of (Fusion *self, nprof_track track)
{
  FusionTrack *t = an_of_track (self->tracks, track);
  return G_LIKELY (t) ? t : new_track (self, track);
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
  const AnBatchTraits *traits = an_traits_of (&self->traits, batch);
  batch = traits->rows;
  nprof_status status = NPROF_OK;
  begin_input (self, self->host->input (self->host, batch->input)->label);
  for (uint32_t i = 0; i < batch->n_rows && !status; i++)
    if (batch->kind[i] == NPROF_SPAN)
      status = add_span (track_of (self, batch->track[i]), traits->of[i], batch, i);
  return status;
}

/* -- Life -------------------------------------------------------------------------------------- */

static int
by_number (gconstpointer a, gconstpointer b)
{
  const FusionTrack *x = *(FusionTrack *const *) a, *y = *(FusionTrack *const *) b;
  const struct nprof_host *host = x->fusion->host;
  guint32 m = host->track_info (host, x->track)->number,
          n = host->track_info (host, y->track)->number;
  return (m > n) - (m < n);
}

/* In the order of their first rows; transfer container. */
static GPtrArray *
tracks_in_order (const Fusion *self)
{
  GPtrArray *tracks = g_ptr_array_new ();
  for (guint i = 0; i < self->tracks->len; i++)
    if (self->tracks->pdata[i])
      g_ptr_array_add (tracks, self->tracks->pdata[i]);
  g_ptr_array_sort (tracks, by_number);
  return tracks;
}

static nprof_status
end_track (FusionTrack *t)
{
  nprof_status status = take_group (t);
  if (!status)
    status = take_ordered_rows (t, true);
  if (!status)
    status = nprof_sweep_end (&t->sweep);
  end_run (t);
  return status;
}

nprof_status
fusion_rows_end (Fusion *self)
{
  g_autoptr (GPtrArray) tracks = tracks_in_order (self);
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < tracks->len && !status; i++)
    status = end_track (g_ptr_array_index (tracks, i));
  for (guint i = 0; i < tracks->len && !status; i++)
    status = write_runs (g_ptr_array_index (tracks, i));
  fusion_parallel_end (self);
  return status ? status : an_store_check (&self->store);
}

static void
track_free (gpointer data)
{
  FusionTrack *t = data;
  if (!t)
    return;
  an_series_clear (&t->runs);
  g_clear_pointer (&t->order, an_window_free);
  g_array_unref (t->group);
  nprof_sweep_clear (&t->sweep);
  g_free (t);
}

nprof_status
fusion_rows_open (Fusion *self)
{
  self->places = an_places_new (self->host);
  self->tracks = g_ptr_array_new_with_free_func (track_free);
  an_store_init (&self->store, self->host, AN_STORE_BYTES);
  fusion_parallel_open (self);
  nprof_status status = an_traits_init (&self->traits, self->host, false);
  return status ? status : fusion_row_operator_open (self);
}

void
fusion_rows_clear (Fusion *self)
{
  g_clear_pointer (&self->tracks, g_ptr_array_unref);
  an_store_clear (&self->store);
  an_traits_clear (&self->traits);
  an_places_free (self->places);
  fusion_parallel_clear (self);
  fusion_row_operator_clear (self);
}
