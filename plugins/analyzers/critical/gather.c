/* SPDX-License-Identifier: Apache-2.0 */
/* gather.c - keeps of rows while they come: spans of hosts, work of devices with its launch, what
 * calls waited for, and steps.  Their meaning is found when all are there. */
#include "critical.h"
#include "devicekit/bytes.h"
#include "devicekit/moved-bytes.h"
#include "devicekit/row-launch.h"

#include <string.h>

AnHostKind
host_kind (Critical *self, nprof_str category)
{
  if (category < self->kinds->len && self->kinds->data[category])
    return (AnHostKind) self->kinds->data[category];
  const char *text = nprof_text (self->host, category);
  AnHostKind kind = an_host_kind (text);
  if (kind == AN_HOST_OTHER && meaning_is_note (text))
    kind = AN_HOST_NOTE;
  *an_byte_of (self->kinds, category) = (guint8) kind;
  return kind;
}

/* Returns whether the input pipeline runs under a span of that name. source: PyTorch's DataLoader,
 * tf.data; frames of Python, as PyTorch's profiler writes them and JAX's, which leaves the folder
 * out */
static gboolean
is_loader (const char *name)
{
  static const char *const frames[] = { "torch/utils/data/", "dataloader.py(", "$dataloader.py:" };
  for (gsize i = 0; i < G_N_ELEMENTS (frames); i++)
    if (strstr (name, frames[i]))
      return TRUE;
  return g_str_has_prefix (name, "enumerate(DataLoader)") || g_str_has_prefix (name, "DataLoader")
         || strstr (name, "DataLoaderIter") || g_str_has_prefix (name, "IteratorGetNext");
}

/* Returns whether a span of that name waits until arrays are there: JAX's frames of Python, and
 * spans of its runtime. source: jax/_src/api.py (which waits within try_to_block), XLA's PjRt
 * buffers */
static gboolean
waits_for_arrays (const char *name)
{
  static const char *const words[]
      = { "block_until_ready", "batched_block_until_ready", "BlockHostUntilReady" };
  const char *word = name + strlen (name);
  while (word > name && !strchr (" .:", word[-1]))
    word--;
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (word > name && strcmp (word, words[i]) == 0)
      return TRUE;
  return g_str_has_suffix (name, "Buffer::Await")
         || (g_str_has_prefix (name, "$api.py:") && strcmp (word, "try_to_block") == 0);
}

static CallKind
look_at_call (const char *name)
{
  static const char *const all[] = { "DeviceSynchronize", "CtxSynchronize" };
  gboolean vendor = g_str_has_prefix (name, "cu") || g_str_has_prefix (name, "hip")
                    || g_str_has_prefix (name, "musa");
  if (is_loader (name))
    return CALL_LOADER;
  if (!vendor)
    return waits_for_arrays (name) ? CALL_READY : CALL_OTHER;
  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    if (g_str_has_suffix (name, all[i]))
      return CALL_SYNC_ALL;
  if (g_str_has_suffix (name, "StreamSynchronize"))
    return CALL_SYNC_STREAM;
  if (g_str_has_suffix (name, "EventSynchronize"))
    return CALL_SYNC_EVENT;
  if (g_str_has_suffix (name, "Query"))
    return CALL_QUERY;
  if (strstr (name, "EventRecord"))
    return CALL_RECORD;
  if (strstr (name, "Memset") && !g_str_has_suffix (name, "Async"))
    return CALL_COPY;
  return strstr (name, "Memcpy") ? CALL_COPY : CALL_OTHER;
}

CallKind
call_kind (Critical *self, nprof_str name)
{
  if (name < self->names->len && self->names->data[name])
    return (CallKind) self->names->data[name];
  CallKind kind = look_at_call (nprof_text (self->host, name));
  *an_byte_of (self->names, name) = (guint8) kind;
  return kind;
}

/* Returns whether it is the name of a function of a runtime or driver, and nothing beside: a
 * function of the user's may begin with the same letters, and frames of Python say where they are
 * from. */
static gboolean
is_function_of_vendor (const char *name)
{
  static const char *const prefixes[] = { "cuda", "cu", "hip", "musa" };
  for (const char *p = name; *p; p++)
    if (!g_ascii_isalnum (*p) && *p != '_')
      return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (g_str_has_prefix (name, prefixes[i]) && g_ascii_isupper (name[strlen (prefixes[i])]))
      return TRUE;
  return FALSE;
}

CallKind
span_waits (Critical *self, const HostSpan *span)
{
  if (span->blocks)
    return span->correlation ? CALL_BLOCKS : CALL_SYNC_ALL;
  CallKind call = call_kind (self, span->name);
  AnHostKind kind = host_kind (self, span->category);
  if (call == CALL_READY)
    return kind == AN_HOST_OTHER ? CALL_SYNC_ALL : CALL_OTHER;
  /* XSpaces, and the JSON that is made of them, give calls of the runtime no category. */
  if (!span->category && call >= CALL_SYNC_ALL && call <= CALL_SYNC_EVENT
      && is_function_of_vendor (nprof_text (self->host, span->name)))
    return call;
  return kind == AN_HOST_CALL ? call : CALL_OTHER;
}

/* -- Hosts ------------------------------------------------------------------------------------- */

static inline AnRowLaunch
launch_of (const Critical *self, AnTraits traits, const struct nprof_batch *batch, uint32_t i)
{
  return an_launch_of (traits, batch, i, self->launch_keys, self->key_collective);
}

static gboolean
is_annotation (const Critical *self, nprof_str name)
{
  return *self->annotation && strstr (nprof_text (self->host, name), self->annotation);
}

static void
add_step (Critical *self, const struct nprof_batch *batch, uint32_t i, const AnPlace *place)
{
  const struct nprof_track_info *info = self->host->track_info (self->host, place->track);
  gint64 duration = batch->duration[i];
  const nprof_track host = info->process ? info->process : place->track;
  const AnyStep step = { .start = batch->start[i],
                         .end = duration < 0 ? G_MAXINT64 : batch->start[i] + duration,
                         .name = batch->name[i],
                         .thread = place->device ? 0 : place->track,
                         .process = place->device ? place->device : host,
                         .input = place->input,
                         .shown = !nprof_hidden (batch, i),
                         .on_device = place->device != 0 };
  g_array_append_val (self->steps, step);
}

gboolean
is_activity (AnHostKind kind)
{
  return kind != AN_HOST_NOTE && kind != AN_HOST_FRAME;
}

/* Returns whether a span is kept: activities, and what says that it loads data. */
static gboolean
is_kept (Critical *self, AnHostKind kind, nprof_str name)
{
  return is_activity (kind) || call_kind (self, name) == CALL_LOADER;
}

static guint8
says_blocks (const Critical *self, const struct nprof_batch *batch, uint32_t i)
{
  if (batch->attr_at)
    for (uint32_t j = batch->attr_at[i]; j < batch->attr_at[i + 1]; j++)
      if (batch->attr_key[j] == self->key_blocks && batch->attr_type[j] == NPROF_BOOL)
        return batch->attr_value[j].u == 1;
  return 0;
}

static void
host_row (Critical *self, AnTraits traits, const struct nprof_batch *batch, uint32_t i,
          const AnPlace *place)
{
  AnHostKind kind = host_kind (self, batch->category[i]);
  guint64 id = kind == AN_HOST_OPERATOR || kind == AN_HOST_FRAME
                   ? 0
                   : launch_of (self, traits, batch, i).correlation;
  gint64 start = batch->start[i], end = start + MAX (batch->duration[i], 0);
  if (*self->annotation && kind != AN_HOST_FRAME && is_annotation (self, batch->name[i]))
    add_step (self, batch, i, place);
  if (id) {
    const AnLaunch launch
        = { .id = id, .start = start, .end = end, .thread = place->track, .input = place->input };
    an_launches_add (&self->launches, &launch);
    an_held_launch (&self->held, &launch);
  }
  if (!is_kept (self, kind, batch->name[i]))
    return;
  *(HostSpan *) an_series_add (&self->spans, &self->store) = (HostSpan){
    start, end, id, batch->name[i], batch->category[i], place->track, says_blocks (self, batch, i)
  };
}

/* -- Devices ----------------------------------------------------------------------------------- */

QueueEnd *
queue_end (Critical *self, nprof_track track)
{
  if (track >= self->queues->len)
    g_array_set_size (self->queues, MAX (track + 1, self->queues->len * 2));
  return &g_array_index (self->queues, QueueEnd, track);
}

static void
note_linked (Critical *self, guint32 input)
{
  for (guint i = 0; i < self->linked->len; i++)
    if (g_array_index (self->linked, guint32, i) == input)
      return;
  g_array_append_val (self->linked, input);
}

/* Whoever was found last comes first, as one process gives much work to one device. */
static void
note_worker (Critical *self, const AnLaunch *launch, nprof_track device)
{
  const Worker w = { process_of (self, launch->thread), device };
  for (guint i = 0; i < self->workers->len; i++) {
    Worker *known = &g_array_index (self->workers, Worker, i),
           *first = &g_array_index (self->workers, Worker, 0);
    if (known->process != w.process || known->device != w.device)
      continue;
    *known = *first;
    *first = w;
    return;
  }
  g_array_append_val (self->workers, w);
}

static void
take_work (Critical *self, AnTraits traits, const struct nprof_batch *batch, uint32_t i,
           const AnRowLaunch *said, const AnLaunch *launch)
{
  const AnPlace *place = an_place (self->places, batch->track[i]);
  AnClass class = an_class_of (traits, said->collective);
  gint64 start = batch->start[i];
  QueueEnd *queue = queue_end (self, place->track);
  Op op = { .start = start,
            .end = start + batch->duration[i],
            .call_start = launch ? launch->start : G_MININT64,
            .call_end = launch ? launch->end : G_MININT64,
            .before_end = queue->end,
            .correlation = said->correlation,
            .name = batch->name[i],
            .category = batch->category[i],
            .queue = place->track,
            .thread = launch ? launch->thread : 0,
            .before = queue->before,
            .bytes = an_copied_bytes (batch, i, self->key_bytes),
            .class = (guint8) class,
            .shown = !nprof_hidden (batch, i) };
  if (!queue->before || op.end >= queue->end)
    *queue = (QueueEnd){ (guint32) self->ops.n + 1, op.end };
  *(Op *) an_series_add (&self->ops, &self->store) = op;
  note_computing (self, place->input, &op);
  if (!launch)
    return;
  note_linked (self, place->input);
  note_worker (self, launch, place->device);
}

void
gather_held (gpointer user, const struct nprof_batch *row, const AnLaunch *launch)
{
  Critical *self = user;
  const AnTraits traits = an_traits_of_other (&self->traits, row)->of[0];
  const AnRowLaunch said = launch_of (self, traits, row, 0);
  take_work (self, traits, row, 0, &said, launch);
}

static void
work_row (Critical *self, AnTraits traits, const struct nprof_batch *batch, uint32_t i,
          const AnPlace *place)
{
  const AnRowLaunch said = launch_of (self, traits, batch, i);
  an_launches_follow (&self->launches);
  if (!said.correlation && !(traits.is & AN_IS_LAUNCHABLE)) {
    if (an_is_pipelined (self->places, batch->category[i]))
      units_row (self, traits, batch, i, place);
    else
      tensorcore_row (self, traits, batch, i, place, CORE_OPERATOR);
    return; /* what has no launches is judged by the table step_breakdown */
  }
  if (batch->duration[i] < 0)
    return;
  if (an_class_of (traits, said.collective) == AN_AROUND)
    return;
  const AnLaunch *launch = said.correlation ? an_launches_find (&self->launches, place->input,
                                                                said.correlation, batch->start[i])
                                            : NULL;
  if ((said.correlation && !launch) || an_held_holds (&self->held, place->device))
    an_held_add (&self->held, place->device, batch, i, said.correlation, launch);
  else
    take_work (self, traits, batch, i, &said, launch);
}

static void
sync_row (Critical *self, const struct nprof_batch *batch, uint32_t i)
{
  Sync sync = { .start = batch->start[i],
                .correlation = an_row_launch (batch, i, self->launch_keys, 0).correlation,
                .stream = -1,
                .queue = batch->track[i] };
  guint kind = 0;
  while (kind < G_N_ELEMENTS (self->sync_names) && self->sync_names[kind] != batch->name[i])
    kind++;
  if (kind == G_N_ELEMENTS (self->sync_names) || !batch->attr_at)
    return;
  sync.kind = (SyncKind) kind;
  for (uint32_t j = batch->attr_at[i]; j < batch->attr_at[i + 1]; j++) {
    nprof_str key = batch->attr_key[j];
    if (key == self->key_stream && batch->attr_type[j] == NPROF_INT64)
      sync.stream = batch->attr_value[j].i;
    else if (key == self->key_record && batch->attr_type[j] == NPROF_INT64)
      sync.record = batch->attr_value[j].i > 0 ? (guint64) batch->attr_value[j].i : 0;
  }
  if (sync.correlation)
    *(Sync *) an_series_add (&self->syncs, &self->store) = sync;
}

/* -- Rows -------------------------------------------------------------------------------------- */

static void
span_row (Critical *self, AnTraits traits, const struct nprof_batch *batch, uint32_t i,
          const AnPlace *place)
{
  const AnRole role = (AnRole) traits.role;
  if (place->device && !cores_pass (self, batch->category[i]))
    cores_note (self, place, traits, batch->category[i]);
  switch (role) {
  case AN_STEP:
    if (!*self->annotation)
      add_step (self, batch, i, place);
    break;
  case AN_HOST:
    host_row (self, traits, batch, i, place);
    break;
  case AN_WORK:
    work_row (self, traits, batch, i, place);
    break;
  case AN_ASYNC:
    tensorcore_row (self, traits, batch, i, place, CORE_TRANSFER);
    break;
  case AN_MODULE:
    tensorcore_row (self, traits, batch, i, place, CORE_PROGRAM);
    break;
  case AN_NOTE:
    if (batch->category[i] == self->cuda_sync)
      sync_row (self, batch, i);
    else if (batch->category[i] == self->semaphore_wait)
      units_row (self, traits, batch, i, place);
    break;
  default:
    break;
  }
}

static void
gap_row (Critical *self, const struct nprof_batch *batch, uint32_t i)
{
  const struct nprof_host *host = self->host;
  const guint32 input = host->track_info (host, batch->track[i])->input;
  if (an_is_cut_off (host, batch->track[i], batch->duration[i]))
    g_array_append_val (self->cut_off, input);
}

void
gather_rows (Critical *self, const struct nprof_batch *batch)
{
  const AnBatchTraits *traits = an_traits_of (&self->traits, batch);
  batch = traits->rows;
  const AnPlace *place = NULL;
  for (uint32_t i = 0; i < batch->n_rows; i++) {
    if (batch->kind[i] == NPROF_INSTANT)
      units_instant (self, batch, i);
    else if (batch->kind[i] == NPROF_GAP)
      gap_row (self, batch, i);
    if (batch->kind[i] != NPROF_SPAN)
      continue;
    if (!place || place->track != batch->track[i])
      place = an_place (self->places, batch->track[i]);
    self->last = MAX (self->last, batch->start[i] + MAX (batch->duration[i], 0));
    span_row (self, traits->of[i], batch, i, place);
  }
}

void
gather_choose (Critical *self, const struct nprof_batch *batch, uint8_t *rows)
{
  const guint beside = units_wanted (self) ? AN_CHOOSE_ASYNC | AN_CHOOSE_AROUND : 0;
  an_choose (self->places, AN_CHOOSE_WORK | AN_CHOOSE_HOSTS | beside, batch, rows);
  for (uint32_t i = 0; i < batch->n_rows; i++)
    if (batch->kind[i] == NPROF_SPAN
            ? batch->category[i] == self->cuda_sync || batch->category[i] == self->semaphore_wait
            : batch->kind[i] == NPROF_GAP
                  || (batch->category[i] == self->semaphore && units_wanted (self)))
      an_choose_row (rows, i);
}
