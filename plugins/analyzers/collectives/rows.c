/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - finds collectives among the work of devices, how long each took, and how much of that
 * time something computed. A collective that XLA starts and ends by two instructions lasts from the
 * start of the first to the end of the second. */
#include "collectives.h"
#include "devicekit/device-sweep-loop.h"

#include "devicekit/by-track.h"

#include <string.h>

/* This is an instruction that starts a collective. */
typedef struct {
  nprof_str name;
  gint64 at, computed; /* ps */
  guint group;
} Start;

/* This is a collective from the start of such an instruction to the end of the one that waits for
 * it. */
typedef struct {
  guint group;
  gint64 duration, inside, overlap; /* ps; inside the window */
} Pair;

/* A span keeps these until it ends, in members of AnItem. */
#define ITEM_GROUP(item) ((item)->name)    /* 1 + group; 0: no collective          */
#define ITEM_DONE(item) ((item)->layer)    /* name of what it ends; 0: it ends none */
#define ITEM_COMPUTED(item) ((item)->time) /* of its device when it began          */

/* -- Which rows are needed --------------------------------------------------------------------- */

/* Launches are needed, as what they lie in may say what a kernel does not. */
void
co_choose (Collectives *c, const struct nprof_batch *batch, uint8_t *rows)
{
  an_choose (c->places, AN_CHOOSE_WORK | AN_CHOOSE_ASYNC, batch, rows);
  bool any = an_any_has_key (batch, c->key_collective) || co_any_says (c, batch)
             || an_any_has_launch (batch, c->launch_keys);
  for (uint32_t i = 0; any && i < batch->n_rows; i++)
    if (an_has_key (batch, i, c->key_collective) || an_has_key (batch, i, c->key_elements)
        || an_has_key (batch, i, c->key_size)
        || an_row_launch (batch, i, c->launch_keys, 0).correlation)
      an_choose_row (rows, i);
}

/* -- Instructions that start and end a collective ---------------------------------------------- */

/* Compares the names without their numbers. */
static bool
same_opcode (const Collectives *c, nprof_str a, nprof_str b)
{
  const char *x = nprof_text (c->host, a), *y = nprof_text (c->host, b);
  size_t n = strcspn (x, ".");
  return n == strcspn (y, ".") && strncmp (x, y, n) == 0;
}

/* Returns the start of that name, else the first of that opcode. */
static gint
find_start (const Device *d, nprof_str name)
{
  gint found = -1;
  for (guint i = 0; i < d->starts->len; i++) {
    const Start *start = &g_array_index (d->starts, Start, i);
    if (start->name == name)
      return (gint) i;
    if (found < 0 && same_opcode (d->run, start->name, name))
      found = (gint) i;
  }
  return found;
}

static void
end_pair (Device *d, nprof_str name, gint64 end)
{
  gint i = find_start (d, name);
  if (i < 0) {
    d->lone++;
    return;
  }
  const Start *start = &g_array_index (d->starts, Start, i);
  const gint64 duration = end - start->at;
  const Pair pair = { start->group, duration, nprof_inside (&d->run->window, start->at, duration),
                      d->computed - start->computed };
  g_array_append_val (d->pairs, pair);
  g_array_remove_index (d->starts, (guint) i);
}

/* -- The sweep --------------------------------------------------------------------------------- */

static void
passed (gpointer user, gint64 from, gint64 to, const AnActive *active)
{
  Device *d = user;
  bool computes = active->any_work >> AN_COMPUTE & 1;
  bool communicates = (active->any_work | active->any_apart) >> AN_COMMUNICATION & 1;
  if (computes)
    d->computed += to - from;
  if (communicates)
    d->busy += (guint64) (to - from);
  if (communicates && computes)
    d->overlap += (guint64) (to - from);
}

static void
span_ended (gpointer user, const AnSpan *span)
{
  Device *d = user;
  const AnItem *item = &span->item;
  if (ITEM_GROUP (item))
    co_add (d->run, ITEM_GROUP (item) - 1, span->end - span->start,
            nprof_inside (&d->run->window, span->start, span->end - span->start),
            d->computed - ITEM_COMPUTED (item));
  else if (ITEM_DONE (item))
    end_pair (d, ITEM_DONE (item), span->end);
}

static Device *
device_of (Collectives *c, const AnPlace *place)
{
  Device *d = an_of_track (c->by_track, place->device);
  if (d)
    return d;
  d = co_device_new (c, c->host->input (c->host, place->input)->label, place->label);
  d->track = place->device;
  d->line = an_sweep_new (&(AnSweepCalls){ passed, span_ended, d });
  an_sweep_cut (d->line, &c->window);
  d->starts = g_array_new (FALSE, FALSE, sizeof (Start));
  d->pairs = g_array_new (FALSE, FALSE, sizeof (Pair));
  an_put_of_track (c->by_track, place->device, d);
  return d;
}

static Lane
begin_lane (Collectives *c, const AnPlace *place)
{
  if (place->track >= c->lanes->len)
    g_array_set_size (c->lanes, MAX (place->track + 1, c->lanes->len * 2));
  Lane *lane = &g_array_index (c->lanes, Lane, place->track);
  lane->device = device_of (c, place);
  lane->lane = lane->device->n_lanes++;
  return *lane;
}

static inline Lane
lane_of (Collectives *c, const AnPlace *place)
{
  if (place->track < c->lanes->len && g_array_index (c->lanes, Lane, place->track).device)
    return g_array_index (c->lanes, Lane, place->track);
  return begin_lane (c, place);
}

/* -- Rows -------------------------------------------------------------------------------------- */

/* It says what the span is, before it goes into the sweep. */
typedef struct {
  guint group; /* 1 + group; 0: it is no whole collective */
  nprof_str done;
} Found;

static Found
look_at (Device *d, const struct nprof_batch *batch, uint32_t i, AnRole role)
{
  Collectives *c = d->run;
  const char *name = nprof_text (c->host, batch->name[i]);
  g_autofree char *started = role == AN_WORK ? collective_without (name, "-start") : NULL;
  g_autofree char *done = role == AN_WORK ? collective_without (name, "-done") : NULL;
  if (done)
    return (Found){ .done = nprof_intern (c->host, done) };
  Call call = co_call (c, batch, i);
  guint group = co_group (c, d->number, &call);
  if (!started) {
    d->has_async |= role == AN_ASYNC;
    return (Found){ .group = group + 1 };
  }
  const Start start = { nprof_intern (c->host, started), batch->start[i], d->computed, group };
  g_array_append_val (d->starts, start);
  return (Found){ 0 };
}

/* Returns whether the category fills memory, which is no computing that could hide a collective. */
static bool
is_memset (const Collectives *c, nprof_str category)
{
  for (guint i = 0; i < G_N_ELEMENTS (c->memsets); i++)
    if (category == c->memsets[i])
      return true;
  return false;
}

static void
work_row (Collectives *c, const AnPlace *place, AnTraits traits, const struct nprof_batch *batch,
          uint32_t i, bool stated)
{
  const AnRole role = (AnRole) traits.role;
  AnClass class = an_class_of (traits, stated);
  gint64 duration = batch->duration[i];
  if (class >= AN_N_CLASSES)
    return;
  if ((class == AN_COMMUNICATION && nprof_hidden (batch, i)) || is_memset (c, batch->category[i]))
    class = AN_CONTROL; /* it is neither shown nor does it compute */
  if (duration < 0) {
    c->unended += class == AN_COMMUNICATION;
    return;
  }
  const Lane lane = lane_of (c, place);
  Device *d = lane.device;
  an_sweep_pass_by (d->line, batch->start[i], passed, span_ended, d);
  Found found = { 0 };
  if (class == AN_COMMUNICATION)
    found = look_at (d, batch, i, role);
  if (duration == 0) {
    if (found.group)
      co_add (c, found.group - 1, 0, 0, 0);
    if (found.done)
      end_pair (d, found.done, batch->start[i]);
    return;
  }
  bool apart = role == AN_ASYNC;
  bool overlaps = apart || (traits.is & AN_IS_BESIDE);
  AnKind kind
      = { .class = (guint8) class, .apart = apart, .lane = overlaps ? AN_NO_LANE : lane.lane };
  AnItem *item = an_sweep_add_by (d->line, batch->start[i], duration, kind, TRUE);
  ITEM_GROUP (item) = found.group;
  ITEM_DONE (item) = found.done;
  ITEM_COMPUTED (item) = d->computed;
}

/* stated: the row itself says that it is a collective. */
static void
span_row (Collectives *c, const AnPlace *place, AnTraits traits, const struct nprof_batch *batch,
          uint32_t i, bool stated)
{
  if (!place->device) {
    if (stated)
      co_note_for_kernels (c, batch, i);
    else
      co_host_row (c, batch, i);
    return;
  }
  if (traits.role == AN_UNSURE)
    device_of (c, place)->unsure = true;
  if (traits.role == AN_WORK || traits.role == AN_ASYNC)
    work_row (c, place, traits, batch, i, stated);
}

void
co_rows (Collectives *c, const struct nprof_batch *batch)
{
  const AnBatchTraits *traits = an_traits_of (&c->traits, batch);
  batch = traits->rows;
  const AnPlace *place = NULL;
  const bool any = an_any_has_key (batch, c->key_collective);
  for (uint32_t i = 0; i < batch->n_rows; i++) {
    if (batch->kind[i] != NPROF_SPAN)
      continue;
    if (!place || place->track != batch->track[i])
      place = an_place (c->places, batch->track[i]);
    span_row (c, place, traits->of[i], batch, i, any && an_has_key (batch, i, c->key_collective));
  }
}

/* Ends a device.  Where spans tell a collective from start to end, the instructions at both ends
 * say nothing more. */
static void
end_device (Device *d)
{
  if (!d->line)
    return;
  an_sweep_end (d->line);
  for (guint i = 0; i < d->pairs->len && !d->has_async; i++) {
    const Pair *pair = &g_array_index (d->pairs, Pair, i);
    co_add (d->run, pair->group, pair->duration, pair->inside, pair->overlap);
  }
  d->lone = d->has_async ? 0 : d->lone + d->starts->len;
  g_array_set_size (d->pairs, 0);
  g_array_set_size (d->starts, 0);
}

void
co_end (Collectives *c)
{
  for (guint i = 0; i < c->devices->len; i++) {
    Device *d = co_device (c, i);
    end_device (d);
    if (d->lone)
      nprof_log (c->host, NPROF_WARNING,
                 "%s: of %" G_GUINT64_FORMAT
                 " asynchronous collectives the start or the end is not in "
                 "the file; they are in no number",
                 nprof_text (c->host, d->label), d->lone);
    d->lone = 0;
  }
}
