/* SPDX-License-Identifier: Apache-2.0 */
/* devices.c - follows what a device did from moment to moment, whose work that was, and what ended
 * its idle time; the step of a moment is known only when all windows are. */
#include "devicekit/by-track.h"
#include "devicekit/device-sweep-loop.h"
#include "devicekit/logical-core.h"
#include "verdict.h"

#include <string.h>

/* Beyond these the oldest are forgotten: work in no step that ended long before the first step. */
#define MOST_ENDS 65536u

/* -- What is under way ------------------------------------------------------------------------- */

/* A span of the sweep keeps its owner, and this beside it. */
#define INFEED (G_GINT64_CONSTANT (1) << 32)
#define COMMUNICATES (G_GINT64_CONSTANT (1) << 33)
#define BUBBLE (G_GINT64_CONSTANT (1) << 34)

static inline void
put_segment (Device *d, gint64 start, guint32 owner, Busy busy)
{
  Steps *self = d->steps;
  Segment *s = an_series_add (&d->segments, &self->store);
  *s = (Segment){ start, owner, (guint8) busy };
}

/* Returns what hides the others: computing hides communication, which hides copies, which hide
 * control and setup. */
static inline Busy
busy_with (const Device *d, const AnActive *active)
{
  const guint32 work = active->any_work;
  if (work >> AN_COMPUTE & 1)
    return BUSY_COMPUTE;
  if (work >> AN_COMMUNICATION & 1)
    return d->n_bubbles < d->n_communications ? BUSY_COMMUNICATION : BUSY_BUBBLE;
  if (work >> AN_MEMORY & 1)
    return d->n_infeeds ? BUSY_INFEED : BUSY_COPY;
  return work ? BUSY_CONTROL : BUSY_NOT;
}

static inline bool
is_unlinked (const Device *d)
{
  const Owner *owners = d->owners;
  for (guint i = 0, n = d->n_owners; i < n; i++)
    if (owners[i].owner == OWNER_UNLINKED)
      return true;
  return false;
}

/* Puts segments of all owners but the first. */
static __attribute__ ((noinline)) void
put_others (Device *d, gint64 from, Busy busy)
{
  for (guint i = 1; i < d->n_last; i++)
    put_segment (d, from, d->owners[i].owner, busy);
}

/* It is called with from < to. Work that goes on as before needs no segment of its own while it has
 * one owner. */
static inline void
passed (gpointer user, gint64 from, gint64 to, const AnActive *active)
{
  (void) to;
  Device *d = user;
  Busy busy = busy_with (d, active);
  bool unlinked = busy && is_unlinked (d);
  guint n = busy && !unlinked ? MAX (d->n_owners, 1) : 1;
  guint32 owner = busy && d->n_owners ? d->owners[0].owner : OWNER_NONE;
  if (unlinked)
    owner = OWNER_UNLINKED;
  if (n == 1 && d->n_last == 1 && d->last.busy == busy && d->last.owner == owner)
    return;
  d->last = (Segment){ from, owner, (guint8) busy };
  d->n_last = n;
  put_segment (d, from, owner, busy);
  if (G_UNLIKELY (n > 1))
    put_others (d, from, busy);
}

static void
grow_owners (Device *d)
{
  d->owners_room = MAX (4, d->owners_room * 2);
  d->owners = g_renew (Owner, d->owners, d->owners_room);
}

static void
add_owner (Device *d, guint32 owner)
{
  for (guint i = 0; i < d->n_owners; i++)
    if (d->owners[i].owner == owner) {
      d->owners[i].n++;
      return;
    }
  if (d->n_owners == d->owners_room)
    grow_owners (d);
  d->owners[d->n_owners++] = (Owner){ owner, 1 };
}

static void
span_ended (gpointer user, const AnSpan *span)
{
  Device *d = user;
  guint32 owner = (guint32) span->item.step;
  guint i = 0;
  d->n_infeeds -= (span->item.step & INFEED) != 0;
  d->n_communications -= (span->item.step & COMMUNICATES) != 0;
  d->n_bubbles -= (span->item.step & BUBBLE) != 0;
  while (i < d->n_owners && d->owners[i].owner != owner)
    i++;
  if (i == d->n_owners || --d->owners[i].n)
    return;
  for (d->n_owners--; i < d->n_owners; i++)
    d->owners[i] = d->owners[i + 1];
}

/* -- Devices ----------------------------------------------------------------------------------- */

static Device *
new_device (Steps *self, const AnPlace *place, nprof_track whole)
{
  Device *d = g_new0 (Device, 1);
  d->steps = self;
  d->track = whole;
  d->core = place->device;
  d->label = whole == place->device
                 ? place->label
                 : nprof_track_label (self->host->track_info (self->host, whole));
  d->input = place->input;
  d->programs = AN_IDLE_NO_PROGRAMS;
  d->gap.start = G_MININT64;
  d->open = g_array_new (FALSE, FALSE, sizeof (guint));
  d->lost = g_array_new (FALSE, FALSE, sizeof (Range));
  d->iterations = g_array_new (FALSE, FALSE, sizeof (AnServerStep));
  d->processes = g_hash_table_new (NULL, NULL);
  d->moved = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  an_key_table_init (&d->computed_names, 1);
  d->computed = g_array_new (FALSE, TRUE, sizeof (Computed));
  an_series_init (&d->segments, sizeof (Segment));
  an_series_init (&d->gaps, sizeof (Gap));
  an_series_init (&d->work, sizeof (Work));
  const AnSweepCalls calls = { passed, span_ended, d };
  d->sweep = an_sweep_new (&calls);
  g_ptr_array_add (self->devices, d);
  an_put_of_track (self->device_of, whole, d);
  return d;
}

Device *
st_device (Steps *self, const AnPlace *place)
{
  Device *d = an_of_track (self->device_of, place->device);
  if (d)
    return d;
  const nprof_track whole = an_logical_core_of (self->host, place->device);
  d = an_of_track (self->device_of, whole);
  if (!d)
    d = new_device (self, place, whole);
  an_put_of_track (self->device_of, place->device, d);
  return d;
}

void
st_device_free (gpointer device)
{
  Device *d = device;
  an_sweep_free (d->sweep);
  g_free (d->owners);
  g_array_unref (d->open);
  g_array_unref (d->lost);
  g_array_unref (d->iterations);
  g_free (d->ends.at);
  g_hash_table_unref (d->processes);
  an_series_clear (&d->segments);
  an_series_clear (&d->gaps);
  an_series_clear (&d->work);
  an_series_clear (&d->parts);
  an_series_clear (&d->causes);
  an_key_table_clear (&d->computed_names);
  g_array_unref (d->computed);
  g_hash_table_unref (d->moved);
  st_logical_core_free (d->logical);
  st_judged_free (d->judged);
  g_free (d);
}

bool
st_works_on (const Device *d, const Process *p)
{
  return g_hash_table_contains (d->processes, p);
}

/* -- Gaps -------------------------------------------------------------------------------------- */

static void
put_gap (Device *d)
{
  if (d->has_gap)
    *(Gap *) an_series_add (&d->gaps, &d->steps->store) = d->gap;
  d->has_gap = false;
}

static AnIdleEnd
end_of_gap (const Device *d, const DeviceWork *w)
{
  if (w->launch)
    return (AnIdleEnd){ .linked = true, .launched = w->launch->start, .thread = w->launch->thread };
  return (AnIdleEnd){ .launched = d->programs.begun,
                      .program_end = d->programs.end,
                      .other = an_idle_without_launch (d->steps->waits, w->class, w->category,
                                                       w->name, w->launchable) };
}

/* Makes it the gap from there on which the work ends. */
static void
begin_gap (Device *d, const DeviceWork *w, gint64 start)
{
  d->gap = (Gap){ .start = start,
                  .end = w->start,
                  .by = end_of_gap (d, w),
                  .call_end = w->launch ? w->launch->end : 0,
                  .call = w->launch ? w->launch->call : 0,
                  .work = w->name };
  d->has_gap = true;
}

/* Ends a gap; when several begin at once, the one that was launched first ends it. */
static void
end_gap (Device *d, const DeviceWork *w)
{
  if (w->start > d->programs.covered || !d->has_time) {
    put_gap (d);
    begin_gap (d, w, d->programs.covered);
  } else if (d->has_gap && w->start == d->gap.end && w->launch
             && (!d->gap.by.linked || w->launch->start < d->gap.by.launched)) {
    begin_gap (d, w, d->gap.start);
  }
}

/* -- Spans of the device around work ----------------------------------------------------------- */

void
st_device_span (Steps *self, Device *d, guint step, bool program)
{
  const Step *s = step_at (self, step);
  if (program)
    an_idle_program (&d->programs, s->start, s->ended ? s->end : G_MAXINT64);
  if (s->ended && s->end > s->start)
    g_array_append_val (d->open, step);
}

static void
begin_in (const struct nprof_window *clip, Step *s, const DeviceWork *w)
{
  Begun *b = &s->begun;
  gint64 start = nprof_cut (clip, w->start), until = nprof_cut (clip, w->end);
  gint64 end = MIN (until, nprof_cut (clip, s->end));
  b->rows += nprof_touches (clip, w->start, w->end);
  b->shown += w->shown;
  b->launched += until - start;
  b->own += MAX (0, end - MAX (start, b->covered));
  b->covered = MAX (b->covered, end);
  b->outside += until - end;
}

/* Begins work in spans: in each series the window of a span begins where the one before ends, so
 * that work belongs to the first that has not ended. */
static void
begin_in_spans (Device *d, const DeviceWork *w)
{
  Steps *self = d->steps;
  for (guint i = 0; i < d->open->len;) {
    Step *s = step_at (self, g_array_index (d->open, guint, i));
    if (s->end <= w->start) {
      g_array_remove_index (d->open, i);
      continue;
    }
    bool first = s->start <= w->start;
    for (guint k = 0; k < i && first; k++)
      first = step_at (self, g_array_index (d->open, guint, k))->series != s->series;
    if (first)
      begin_in (&self->clip, s, w);
    i++;
  }
}

/* -- Work -------------------------------------------------------------------------------------- */

static void
make_room (Ends *ends)
{
  if (ends->n == MOST_ENDS) {
    ends->n = MOST_ENDS / 2;
    memcpy (ends->at, ends->at + MOST_ENDS / 2, ends->n * sizeof *ends->at);
    return;
  }
  ends->room = MAX (64, ends->room * 2);
  ends->at = g_renew (gint64, ends->at, ends->room);
}

static inline void
note_end (Ends *ends, gint64 end)
{
  if (ends->n == ends->room)
    make_room (ends);
  ends->at[ends->n++] = end;
}

/* Notes until when the step goes on, and what came before the first one. */
static void
take_owner (Steps *self, Device *d, const DeviceWork *w, guint32 owner)
{
  if (owner < OWNER_STEP) {
    note_end (&d->ends, w->end);
    return;
  }
  HostStep *s = host_step_at (self, owner - OWNER_STEP);
  Process *p = st_thread (self, s->thread)->process;
  s->last = MAX (s->last, w->end);
  if (s->first)
    p->first_work = MIN (p->first_work, w->start);
  if (g_hash_table_add (d->processes, p))
    g_ptr_array_add (p->devices, d);
}

static guint32
owner_of (Steps *self, const DeviceWork *w)
{
  if (w->launch)
    return st_owner (self, st_thread (self, w->launch->thread), w->launch->start);
  return w->launchable ? OWNER_UNLINKED : OWNER_NONE;
}

static void
take_time (Device *d, const DeviceWork *w, guint32 owner)
{
  const AnKind kind = { .class = (guint8) w->class, .linked = w->launch != NULL, .lane = w->lane };
  an_sweep_pass_by (d->sweep, w->start, passed, span_ended, d);
  end_gap (d, w);
  an_sweep_add_by (d->sweep, w->start, w->end - w->start, kind, TRUE)->step
      = owner | (w->infeed ? INFEED : 0) | (w->class == AN_COMMUNICATION ? COMMUNICATES : 0)
        | (w->bubble ? BUBBLE : 0);
  add_owner (d, owner);
  d->n_infeeds += w->infeed;
  d->n_communications += w->class == AN_COMMUNICATION;
  d->n_bubbles += w->bubble;
  an_idle_work (&d->programs, w->end);
  d->has_time = true;
}

/* Returns the time that counts, of work that is selected. */
static gint64
counted_time (const Device *d, const DeviceWork *w)
{
  return nprof_inside (&d->steps->clip, w->start, w->end - w->start);
}

static void
note_computed (Device *d, const DeviceWork *w)
{
  if (!w->shown || w->class == AN_COMMUNICATION || w->class == AN_MEMORY)
    return;
  const guint number = an_key_table_get (&d->computed_names, &w->name);
  if (number == d->computed->len)
    g_array_set_size (d->computed, number + 1);
  Computed *c = &g_array_index (d->computed, Computed, number);
  c->time += counted_time (d, w);
  c->compiled += w->launch && w->launch->compiled ? counted_time (d, w) : 0;
}

static void
add_moved (Device *d, nprof_str name, gint64 time, gint64 bytes, bool copies)
{
  Moved *m = g_hash_table_lookup (d->moved, GUINT_TO_POINTER (name));
  if (!m)
    g_hash_table_insert (d->moved, GUINT_TO_POINTER (name), m = g_new0 (Moved, 1));
  m->time += time;
  m->bytes += bytes;
  m->calls += bytes > 0;
  m->copies = copies;
}

static void
note_copy (Device *d, const DeviceWork *w)
{
  const gint64 whole = w->end - w->start, time = counted_time (d, w),
               bytes = whole > 0 ? nprof_prorate (w->bytes, time, whole) : w->bytes;
  if (bytes)
    add_moved (d, w->name, time, bytes, true);
}

/* An operator counts once, with its first work, and all of its work takes its time: so one whose
 * first work is selected counts whole, as its bytes are not known by work. */
static void
note_moved (Steps *self, Device *d, const DeviceWork *w)
{
  const AnLaunch *l = w->launch;
  if (w->bytes && w->shown)
    note_copy (d, w);
  if (!l || !l->operator_name)
    return;
  Counted *last = &self->counted[l->operator_number % ST_COUNTED];
  const bool again = last->number == l->operator_number;
  if (!again)
    *last = (Counted){ l->operator_number, w->shown };
  if (last->shown)
    add_moved (d, l->operator_name, w->end - w->start, again ? 0 : l->moves, false);
}

static void
note_launch (Steps *self, Device *d, const DeviceWork *w)
{
  const guint says = st_name_said (self->names_say, w->launch->call, AN_HOST_CALL);
  const gint64 time = w->shown ? counted_time (d, w) : 0;
  d->launched += time;
  d->by_graphs += says & NAME_LAUNCHES_GRAPH ? time : 0;
  st_note_launched (self, w->name, w->launch);
}

static void
add_work (Steps *self, Device *d, const DeviceWork *w, guint32 owner)
{
  const Process *p = w->launch ? st_thread (self, w->launch->thread)->process : NULL;
  *(Work *) an_series_add (&d->work, &self->store)
      = (Work){ .start = w->start,
                .end = w->end,
                .name = w->name,
                .owner = owner,
                .iteration
                = p ? (guint32) an_server_steps_at (p->iterations, w->launch->start) + 1 : 0,
                .shown = w->shown,
                .lasting = w->lasting,
                .fills = w->fills,
                .computes = w->class != AN_COMMUNICATION && w->class != AN_MEMORY && !w->fills,
                .process = p ? p->number & ((1u << 28) - 1) : 0 };
}

/* Rows may lie within each other: their time counts once. */
static void
reach_shown (Device *d, const DeviceWork *w)
{
  const struct nprof_window *clip = &d->steps->clip;
  const gint64 before = d->shown.n ? MAX (w->start, d->shown.last) : w->start;
  d->busy += MAX (0, nprof_cut (clip, w->end) - nprof_cut (clip, before));
  st_reach (&d->shown, w->start, w->end);
}

/* Work without length takes no time and ends no gap, but it is work of its step. */
void
st_device_work (Steps *self, Device *d, const DeviceWork *w)
{
  guint32 owner = owner_of (self, w);
  if (w->end > w->start)
    take_time (d, w, owner);
  begin_in_spans (d, w);
  take_owner (self, d, w, owner);
  note_computed (d, w);
  note_moved (self, d, w);
  if (w->launch)
    note_launch (self, d, w);
  if (w->launchable || !d->open->len)
    add_work (self, d, w, owner);
  d->first = d->n_work ? MIN (d->first, w->start) : w->start;
  d->end = d->n_work ? MAX (d->end, w->end) : w->end;
  d->n_work++;
  d->n_launchable += w->launchable;
  d->n_linked += w->launch != NULL;
  if (w->shown)
    reach_shown (d, w);
}

/* Ends a device; the last segment is idle time without an end. */
void
st_device_end (Steps *self, Device *d)
{
  gint64 end = an_sweep_end (d->sweep);
  put_gap (d);
  st_losses_end (self, d);
  d->peak = an_peaks_of (self->peaks, d->core);
  if (d->n_work)
    put_segment (d, end, OWNER_NONE, BUSY_NOT);
}
