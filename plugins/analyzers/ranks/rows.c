/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - takes down what each device did, when its host launched it, and the steps that hosts
 * announce. */
#include "devicekit/by-track.h"
#include "devicekit/bytes.h"
#include "devicekit/row-launch.h"
#include "producers/collective-name.h"
#include "producers/pytorch.h"
#include "ranks.h"

#include <string.h>

/* A span is kept until it ends in these members of AnItem. */
#define ITEM_OPERATOR(item) ((item)->layer)
#define ITEM_LAUNCH(item) ((item)->time)
#define ITEM_LAUNCHED(item) ((item)->flops)

/* -- Devices ----------------------------------------------------------------------------------- */

void
rk_device_free (gpointer device)
{
  Device *d = device;
  an_sweep_free (d->line);
  g_array_unref (d->pieces);
  g_array_unref (d->kernels);
  g_array_unref (d->seen);
  g_array_unref (d->open);
  g_array_unref (d->executions);
  g_array_unref (d->sums);
  g_array_unref (d->steps);
  an_key_table_clear (&d->names);
  g_free (d);
}

void
rk_process_free (gpointer process)
{
  g_array_unref (((Process *) process)->steps);
  g_free (process);
}

static void
passed (gpointer user, gint64 from, gint64 to, const AnActive *active)
{
  Device *d = user;
  guint32 classes = active->any_work | active->any_apart << AN_SWEEP_CLASSES;
  Piece *last = d->pieces->len ? &g_array_index (d->pieces, Piece, d->pieces->len - 1) : NULL;
  if (last && last->end == from && last->classes == classes) {
    last->end = to;
    return;
  }
  const Piece piece = { from, to, classes };
  g_array_append_val (d->pieces, piece);
}

static void
ended (gpointer user, const AnSpan *span)
{
  Device *d = user;
  if (!span->leaf || span->kind.apart)
    return;
  Sum *sum = &g_array_index (d->sums, Sum, ITEM_OPERATOR (&span->item));
  sum->count++;
  sum->in_steps += span->item.step >= 0;
  sum->calls += nprof_touches (&d->run->clip, span->start, span->end);
  sum->total += nprof_inside (&d->run->clip, span->start, span->end - span->start);
  const Kernel kernel
      = { span->start, span->end, ITEM_LAUNCH (&span->item), ITEM_LAUNCHED (&span->item) };
  if (span->kind.class == AN_COMPUTE)
    g_array_append_val (d->kernels, kernel);
}

static Device *
device_of (Ranks *r, const AnPlace *place)
{
  Device *d = an_of_track (r->by_track, place->device);
  if (d)
    return d;
  d = g_new0 (Device, 1);
  d->run = r;
  d->track = place->device;
  d->input = place->input;
  d->label = place->label;
  d->number = NO_RANK;
  d->line = an_sweep_new (&(AnSweepCalls){ passed, ended, d });
  d->pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
  d->kernels = g_array_new (FALSE, FALSE, sizeof (Kernel));
  d->seen = g_array_new (FALSE, FALSE, sizeof (Seen));
  d->open = g_array_new (FALSE, FALSE, sizeof (guint));
  d->executions = g_array_new (FALSE, FALSE, sizeof (Execution));
  d->sums = g_array_new (FALSE, TRUE, sizeof (Sum));
  d->steps = g_array_new (FALSE, TRUE, sizeof (StepWork));
  an_key_table_init (&d->names, 2);
  g_ptr_array_add (r->devices, d);
  an_put_of_track (r->by_track, place->device, d);
  return d;
}

static guint
lane_of (Ranks *r, Device *d, nprof_track track)
{
  if (track >= r->lanes->len)
    g_array_set_size (r->lanes, MAX (track + 1, r->lanes->len * 2));
  guint *lane = &g_array_index (r->lanes, guint, track);
  if (!*lane)
    *lane = ++d->n_lanes;
  return *lane - 1;
}

static guint
operator_of (Device *d, nprof_str name, nprof_str category)
{
  guint number = an_key_table_get (&d->names, (const guint32[]){ name, category });
  if (number == d->sums->len)
    g_array_set_size (d->sums, number + 1);
  return number;
}

/* -- Hosts ------------------------------------------------------------------------------------- */

static Process *
process_of (Ranks *r, nprof_track thread)
{
  const struct nprof_track_info *info = r->host->track_info (r->host, thread);
  nprof_track track = info->process ? info->process : thread;
  for (guint i = r->processes->len; i > 0; i--) {
    Process *p = g_ptr_array_index (r->processes, i - 1);
    if (p->track == track)
      return p;
  }
  Process *p = g_new0 (Process, 1);
  p->track = track;
  p->steps = g_array_new (FALSE, FALSE, sizeof (HostStep));
  g_ptr_array_add (r->processes, p);
  return p;
}

/* Annotations of one number on several threads are one step. */
static void
step_row (Ranks *r, const struct nprof_batch *batch, uint32_t i)
{
  HostStep step = { .start = batch->start[i], .end = G_MAXINT64 };
  const char *name = nprof_text (r->host, batch->name[i]);
  if (!pytorch_step_of_name (name, strlen (name), &step.number))
    return;
  if (batch->duration[i] >= 0)
    step.end = step.start + batch->duration[i];
  GArray *steps = process_of (r, batch->track[i])->steps;
  HostStep *last = steps->len ? &g_array_index (steps, HostStep, steps->len - 1) : NULL;
  if (last && last->number == step.number)
    last->end = MAX (last->end, step.end);
  else
    g_array_append_val (steps, step);
}

/* PyTorch annotates a collective: what its kernels, which only send and receive, are for. source:
 * ProcessGroupNCCL.cpp, titles of its calls */
typedef struct {
  gint64 start, end;
} Exchange;

enum { NAME_OTHER = 1, NAME_EXCHANGES };

static bool
names_exchange (Ranks *r, nprof_str name)
{
  guint8 *known = an_byte_of (r->exchanges_by_name, name);
  if (!*known)
    *known = g_str_has_prefix (nprof_text (r->host, name), "nccl:all_to_all") ? NAME_EXCHANGES
                                                                              : NAME_OTHER;
  return *known == NAME_EXCHANGES;
}

static void
note_exchange (Ranks *r, const struct nprof_batch *batch, uint32_t i)
{
  const gpointer thread = GUINT_TO_POINTER (batch->track[i]);
  Exchange *e = g_hash_table_lookup (r->exchanges, thread);
  if (!e)
    g_hash_table_insert (r->exchanges, thread, e = g_new (Exchange, 1));
  *e = (Exchange){ batch->start[i], batch->start[i] + MAX (batch->duration[i], 0) };
}

static bool
lies_in_exchange (const Ranks *r, nprof_track thread, gint64 at)
{
  const Exchange *e = g_hash_table_lookup (r->exchanges, GUINT_TO_POINTER (thread));
  return e && e->start <= at && at < e->end;
}

/* The last two of one id: ids may come again. Many inputs at once leave no room for a table of
 * fixed size. */
typedef struct {
  guint64 id;
  gint64 start[2];
  nprof_track thread[2];
  bool exchanges[2];
} Launch;

static GHashTable *
launches_of (Ranks *r, uint32_t input)
{
  while (r->launches->len <= input)
    g_ptr_array_add (r->launches,
                     g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free));
  return g_ptr_array_index (r->launches, input);
}

static void
host_row (Ranks *r, const struct nprof_batch *batch, uint32_t i)
{
  const AnRowLaunch said = an_row_launch (batch, i, r->launch_keys, 0);
  if (!said.correlation && names_exchange (r, batch->name[i]))
    note_exchange (r, batch, i);
  if (!said.correlation)
    return;
  GHashTable *all = launches_of (r, batch->input);
  Launch *launch = g_hash_table_lookup (all, &said.correlation);
  if (!launch) {
    launch = g_new (Launch, 1);
    *launch = (Launch){ said.correlation, { G_MAXINT64, G_MAXINT64 }, { 0, 0 }, { false, false } };
    g_hash_table_insert (all, &launch->id, launch);
  }
  launch->start[1] = launch->start[0];
  launch->thread[1] = launch->thread[0];
  launch->exchanges[1] = launch->exchanges[0];
  launch->start[0] = batch->start[i];
  launch->thread[0] = batch->track[i];
  launch->exchanges[0] = lies_in_exchange (r, batch->track[i], batch->start[i]);
}

/* The step that the call is in: its number in the list of the process; -1: none. */
static gint
step_at (const Process *p, gint64 at)
{
  for (guint i = p->steps->len; i > 0; i--) {
    const HostStep *s = &g_array_index (p->steps, HostStep, i - 1);
    if (s->start <= at)
      return at < s->end ? (gint) i - 1 : -1;
  }
  return -1;
}

/* -- Work -------------------------------------------------------------------------------------- */

/* When the host launched it, and in which of its steps. */
typedef struct {
  gint64 at;
  gint step;
  bool known, exchanges;
} Launched;

static Launched
launch_of (Ranks *r, Device *d, const struct nprof_batch *batch, uint32_t i, guint64 id)
{
  const Launch *launch = id ? g_hash_table_lookup (launches_of (r, d->input), &id) : NULL;
  guint which = launch && launch->start[0] > batch->start[i] ? 1 : 0;
  if (!launch || launch->start[which] > batch->start[i])
    return (Launched){ batch->start[i], -1, false, false };
  d->process = process_of (r, launch->thread[which]);
  return (Launched){ launch->start[which], step_at (d->process, launch->start[which]), true,
                     launch->exchanges[which] };
}

static void
note_step (Device *d, gint step, gint64 end)
{
  if (step < 0)
    return;
  if ((guint) step >= d->steps->len)
    g_array_set_size (d->steps, (guint) step + 1);
  StepWork *work = &g_array_index (d->steps, StepWork, step);
  work->last = work->used ? MAX (work->last, end) : end;
  work->used = true;
}

/* Returns 1 + the number of the program that is under way then, or 0 where none is. */
static guint32
execution_at (const Device *d, gint64 at)
{
  const GArray *all = d->executions;
  return all->len && at < g_array_index (all, Execution, all->len - 1).end ? all->len : 0;
}

/* Ends the oldest of the collectives that an instruction of that name began. */
static void
end_started (Device *d, nprof_str started, gint64 end)
{
  for (guint i = 0; i < d->open->len; i++) {
    Seen *seen = &g_array_index (d->seen, Seen, g_array_index (d->open, guint, i));
    if (seen->started != started)
      continue;
    seen->end = MAX (seen->end, end);
    seen->ended = true;
    g_array_remove_index (d->open, i);
    return;
  }
}

static nprof_str
without (const Ranks *r, const struct nprof_batch *batch, uint32_t i, const char *word)
{
  g_autofree char *name = collective_without (nprof_text (r->host, batch->name[i]), word);
  return name ? nprof_intern (r->host, name) : 0;
}

static void
collective_row (Device *d, const struct nprof_batch *batch, uint32_t i, const Launched *launched,
                bool async)
{
  gint64 end = batch->start[i] + batch->duration[i];
  nprof_str done = async ? 0 : without (d->run, batch, i, "-done");
  if (done) {
    end_started (d, done, end);
    return;
  }
  Seen seen = { .start = batch->start[i],
                .end = end,
                .launch = launched->at,
                .step = NO_STEP,
                .kernels = 1,
                .exchanges = launched->exchanges,
                .execution = execution_at (d, batch->start[i]),
                .started = async ? 0 : without (d->run, batch, i, "-start") };
  if (launched->step >= 0)
    seen.step = g_array_index (d->process->steps, HostStep, launched->step).number;
  rk_fields (d->run, batch, i, &seen);
  if (async || seen.started)
    seen.signature[S_KIND] |= ALONE;
  d->has_async |= async;
  if (seen.started)
    g_array_append_val (d->open, d->seen->len);
  g_array_append_val (d->seen, seen);
}

static void
work_row (Ranks *r, const AnPlace *place, AnTraits traits, const struct nprof_batch *batch,
          uint32_t i)
{
  const AnRowLaunch said = an_row_launch (batch, i, r->launch_keys, r->key_collective);
  AnClass class = an_class_of (traits, said.collective);
  gint64 start = batch->start[i], duration = batch->duration[i];
  if (class >= AN_N_CLASSES || duration < 0)
    return;
  Device *d = device_of (r, place);
  Launched launched = launch_of (r, d, batch, i, said.correlation);
  an_sweep_pass (d->line, start);
  note_step (d, launched.step, start + duration);
  bool apart = traits.role == AN_ASYNC;
  if (class == AN_COMMUNICATION)
    collective_row (d, batch, i, &launched, apart);
  if (duration == 0)
    return;
  AnKind kind = { .class = (guint8) class, .apart = apart, .lane = AN_NO_LANE };
  if (!apart && !(traits.is & AN_IS_BESIDE))
    kind.lane = lane_of (r, d, batch->track[i]);
  AnItem *item = an_sweep_add (d->line, start, duration, kind);
  ITEM_OPERATOR (item) = operator_of (d, batch->name[i], batch->category[i]);
  ITEM_LAUNCH (item) = launched.at;
  ITEM_LAUNCHED (item) = launched.known;
  item->step = launched.step;
}

static void
span_row (Ranks *r, AnTraits traits, const struct nprof_batch *batch, uint32_t i)
{
  const AnPlace *place = an_place (r->places, batch->track[i]);
  const AnRole role = (AnRole) traits.role;
  if (place->device && (role == AN_WORK || role == AN_ASYNC))
    work_row (r, place, traits, batch, i);
  else if (place->device && role == AN_MODULE)
    rk_execution (r, device_of (r, place), batch, i);
  else if (!place->device && role == AN_STEP)
    step_row (r, batch, i);
  else if (!place->device)
    host_row (r, batch, i);
}

/* Rows that the selection leaves out are none, but for those beyond the window of --clip: by all of
 * them collectives are matched and clocks found. */
static bool
is_left_out (const Ranks *r, const struct nprof_batch *batch, uint32_t i)
{
  gint64 end = batch->duration[i] < 0 ? G_MAXINT64 : batch->start[i] + batch->duration[i];
  return nprof_hidden (batch, i)
         && (!r->clip.cuts || nprof_touches (&r->clip, batch->start[i], end));
}

void
rk_rows (Ranks *r, const struct nprof_batch *batch)
{
  const AnBatchTraits *traits = an_traits_of (&r->traits, batch);
  batch = traits->rows;
  for (uint32_t i = 0; i < batch->n_rows; i++)
    if (batch->kind[i] == NPROF_SPAN && !is_left_out (r, batch, i))
      span_row (r, traits->of[i], batch, i);
}

void
rk_choose (Ranks *r, const struct nprof_batch *batch, uint8_t *rows)
{
  an_choose (r->places, AN_CHOOSE_WORK | AN_CHOOSE_ASYNC | AN_CHOOSE_AROUND | AN_CHOOSE_CATEGORIES,
             batch, rows);
}
