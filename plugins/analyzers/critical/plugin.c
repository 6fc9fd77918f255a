/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer `critical`: its options, its life. */
#include "critical.h"

#include <string.h>

#include "profile/semaphore-keys.h"

#include <nprof/keys.h>

/* Kineto says these of waits for events; the decoder chrome gives them as attributes. */
#define KEY_STREAM "wait_on_stream"
#define KEY_RECORD "wait_on_cuda_event_record_corr_id"

/* clang-format off */
static const struct nprof_option *const options[] = {
  NPROF_INT_OPTION (Critical, n_steps, "steps", "8", "0..1000000",
                    "steps that are walked: the slowest, the median one, then the first; 0: all"),
  NPROF_CHOICE_OPTION (Critical, window, "window", "step", "step|launches|recording",
                       "until the last work of the step; of its thread alone, without the end of the step before; "
                       "or from the first to the last of everything"),
  NPROF_STRING_OPTION (Critical, annotation, "annotation", "",
                       "instead of steps, spans of hosts with this text in their name"),
  NPROF_BOOL_OPTION (Critical, path, "path", "yes", "make the table critical_path"),
  NPROF_INT_OPTION (Critical, n_what_if, "what_if", "10", "0..1000",
                    "operators of a step to replay faster; 0: none"),
  NULL,
};
/* clang-format on */

static const struct nprof_table *const tables[]
    = { &critical_table, &bound_table, &critical_path_table, &what_if_table, NULL };

static const char *const text_keys[] = { NPROF_KEY_HLO_TEXT, NULL };

static nprof_status
critical_open (void *instance, const struct nprof_host *host)
{
  static const char *const sync_names[]
      = { "Stream Wait Event", "Event Sync", "Stream Sync", "Context Sync" };
  Critical *self = instance;
  self->host = host;
  self->clip = nprof_window_of (host);
  self->places = an_places_new (host);
  self->launch_keys = an_launch_keys (host);
  self->key_collective = nprof_intern (host, NPROF_KEY_COLLECTIVE);
  self->key_stream = nprof_intern (host, KEY_STREAM);
  self->key_record = nprof_intern (host, KEY_RECORD);
  self->key_bytes = nprof_intern (host, NPROF_KEY_BYTES);
  self->key_blocks = nprof_intern (host, NPROF_KEY_BLOCKS);
  self->cuda_sync = nprof_intern (host, "cuda_sync");
  self->semaphore_wait = nprof_intern (host, "semaphore wait");
  self->semaphore = nprof_intern (host, "semaphore");
  self->dma = nprof_intern (host, "dma");
  self->key_waits = nprof_intern (host, SEMAPHORE_KEY_WAITS);
  self->key_signals = nprof_intern (host, SEMAPHORE_KEY_SIGNALS);
  self->key_dma = nprof_intern (host, SEMAPHORE_KEY_DMA);
  for (guint i = 0; i < G_N_ELEMENTS (sync_names); i++)
    self->sync_names[i] = nprof_intern (host, sync_names[i]);
  self->last = G_MININT64;
  an_held_init (&self->held, gather_held, self);
  an_store_init (&self->store, host, AN_STORE_BYTES);
  an_series_init (&self->ops, sizeof (Op));
  an_series_init (&self->spans, sizeof (HostSpan));
  an_series_init (&self->syncs, sizeof (Sync));
  an_series_init (&self->units, sizeof (Unit));
  an_series_init (&self->updates, sizeof (Update));
  an_key_table_init (&self->core_places, 2);
  self->core_rows = g_ptr_array_new_with_free_func (core_rows_free);
  self->steps = g_array_new (FALSE, FALSE, sizeof (AnyStep));
  self->queues = g_array_new (FALSE, TRUE, sizeof (QueueEnd));
  self->kinds = g_byte_array_new ();
  self->names = g_byte_array_new ();
  self->breakdowns = g_array_new (FALSE, FALSE, sizeof (Breakdown));
  g_array_set_clear_func (self->breakdowns, breakdown_clear);
  self->bounds = g_array_new (FALSE, FALSE, sizeof (Bounds));
  self->cut_off = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->computing = g_array_new (FALSE, TRUE, sizeof (gint64));
  self->linked = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->workers = g_array_new (FALSE, FALSE, sizeof (Worker));
  self->cores = g_array_new (FALSE, FALSE, sizeof (Core));
  self->others = g_byte_array_new ();
  self->orders = g_byte_array_new ();
  self->key_text = nprof_intern (host, NPROF_KEY_HLO_TEXT);
  self->texts = g_array_new (FALSE, TRUE, sizeof (nprof_str));
  self->segments = g_array_new (FALSE, FALSE, sizeof (Segment));
  self->replay = replay_new (self);
  nprof_status status = an_traits_init (&self->traits, host, true);
  return status ? status : nprof_reader_init (&self->text, host, text_keys);
}

static nprof_status
critical_choose (void *instance, const struct nprof_batch *batch, uint8_t *rows)
{
  gather_choose (instance, batch, rows);
  return NPROF_OK;
}

static nprof_status
critical_consume (void *instance, const struct nprof_batch *batch)
{
  gather_rows (instance, batch);
  return NPROF_OK;
}

static nprof_status
critical_from_table (void *instance, const struct nprof_table *table,
                     const struct nprof_cell *cells, uint32_t n_rows)
{
  return whole_table (instance, table, cells, n_rows);
}

static guint
unlinked_in (const Critical *self, const Loaded *l)
{
  const Window *w = l->window;
  guint n = 0;
  for (guint i = 0; i < l->ops->len; i++) {
    const Op *op = op_at (l, i);
    gboolean here = !w->on_device || an_place (self->places, op->queue)->device == w->process;
    n += here && !op->thread && op->end > w->start && op->start < w->end
         && nprof_touches (&self->clip, op->start, op->end);
  }
  return n;
}

static nprof_str
place_of (const Critical *self, const Window *w)
{
  const struct nprof_host *h = self->host;
  if (w->on_device)
    return an_place (self->places, w->process)->label;
  return w->process ? nprof_track_label (h->track_info (h, w->process)) : 0;
}

/* Judges a step by its path; by what its device did, as one without launches, where the path rests
 * on time that the device may have taken. */
static void
judge_path (Critical *self, Judged *j, const Path *path, const Exposed *exposed,
            const Evidence *evidence)
{
  const Breakdown *step = whole_step (self, j, evidence->device);
  j->groups = exposed->groups;
  j->host_raw = exposed->host_raw;
  j->on_host = TRUE;
  if (!step || !verdict_rests_on_gaps (exposed, &step->groups)) {
    verdict_find (self, j, &j->groups, path, evidence);
    return;
  }
  verdict_find (self, j, &step->groups, NULL, evidence);
  verdict_add_path (self, j, &exposed->groups, path);
}

static nprof_status
judge_window (Critical *self, const Loaded *l, GArray *judged)
{
  const Window *w = l->window;
  const struct nprof_window *clip = &self->clip;
  gint64 start = nprof_cut (clip, w->start), end = nprof_cut (clip, w->end);
  Path path = path_walk (self, l);
  const Evidence evidence = evidence_find (self, l);
  Judged j = { .name = g_strdup (w->name),
               .input = w->input,
               .place = place_of (self, w),
               .start = start,
               .duration = end - start,
               .choice = w->choice,
               .hand_offs = path.hand_offs,
               .unlinked = unlinked_in (self, l) };
  nprof_status status = self->n_what_if ? write_what_if (self, &j, l, &path) : NPROF_OK;
  path_cut (&path, clip); /* what a whole step would gain has no part in a window */
  const Exposed exposed = exposed_find (self, l, &path, evidence.device);
  judge_path (self, &j, &path, &exposed, &evidence);
  g_array_append_val (judged, j);
  if (!status && self->path)
    status = write_path (self, &j, &path);
  return status;
}

/* Returns whether the window has launches: steps of an input whose work has none are judged by its
 * devices. */
static gboolean
is_linked (const Critical *self, const Window *w)
{
  for (guint i = 0; i < self->linked->len; i++)
    if (g_array_index (self->linked, guint32, i) == w->input)
      return TRUE;
  return FALSE;
}

static nprof_status
judge_windows (Critical *self, GArray *judged)
{
  g_autoptr (GArray) windows = windows_find (self);
  g_autoptr (GPtrArray) chosen = windows_choose (self, windows);
  for (guint i = chosen->len; i-- > 0;) {
    const Window *w = g_ptr_array_index (chosen, i);
    if (!is_linked (self, w) || !nprof_touches (&self->clip, w->start, w->end))
      g_ptr_array_remove_index (chosen, i);
  }
  g_autoptr (GPtrArray) loaded = load_windows (self, chosen);
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < loaded->len && !status; i++)
    status = judge_window (self, g_ptr_array_index (loaded, i), judged);
  return status ? status : an_store_check (&self->store);
}

static nprof_status
critical_finish (void *instance)
{
  Critical *self = instance;
  const struct nprof_host *h = self->host;
  an_held_end (&self->held);
  g_autoptr (GArray) judged = g_array_new (FALSE, FALSE, sizeof (Judged));
  g_array_set_clear_func (judged, judged_clear);
  nprof_status status = self->path ? h->table (h, &critical_path_table) : NPROF_OK;
  if (!status && self->n_what_if)
    status = h->table (h, &what_if_table);
  if (!status)
    status = judge_windows (self, judged);
  if (status)
    return status;
  const guint first = judged->len;
  whole_judge (self, judged);
  status = units_walk (self, judged, first);
  if (!status)
    status = tensorcore_walk (self, judged, first);
  return status ? status : write_judged (self, judged);
}

static void
critical_close (void *instance)
{
  Critical *self = instance;
  an_store_clear (&self->store);
  an_series_clear (&self->ops);
  an_series_clear (&self->spans);
  an_series_clear (&self->syncs);
  an_series_clear (&self->units);
  an_series_clear (&self->updates);
  an_key_table_clear (&self->core_places);
  g_clear_pointer (&self->core_rows, g_ptr_array_unref);
  g_clear_pointer (&self->texts, g_array_unref);
  g_clear_pointer (&self->segments, g_array_unref);
  g_clear_pointer (&self->replay, replay_free);
  nprof_reader_clear (&self->text);
  an_launches_clear (&self->launches);
  an_held_clear (&self->held);
  an_traits_clear (&self->traits);
  an_places_free (self->places);
  g_clear_pointer (&self->steps, g_array_unref);
  g_clear_pointer (&self->queues, g_array_unref);
  g_clear_pointer (&self->kinds, g_byte_array_unref);
  g_clear_pointer (&self->names, g_byte_array_unref);
  g_clear_pointer (&self->breakdowns, g_array_unref);
  g_clear_pointer (&self->bounds, g_array_unref);
  g_clear_pointer (&self->cut_off, g_array_unref);
  g_clear_pointer (&self->computing, g_array_unref);
  g_clear_pointer (&self->linked, g_array_unref);
  g_clear_pointer (&self->workers, g_array_unref);
  g_clear_pointer (&self->cores, g_array_unref);
  g_clear_pointer (&self->others, g_byte_array_unref);
  g_clear_pointer (&self->orders, g_byte_array_unref);
}

static const struct nprof_component component = {
  .size = sizeof component,
  .kind = NPROF_ANALYZER,
  .name = "critical",
  .summary = "the critical path of steps, what bounds them, and what a faster operator would gain",
  .options = options,
  .tables = tables,
  .wants
  = (const char *const[]){ NPROF_KEY_WORK, NPROF_KEY_BLOCKS, NPROF_KEY_BYTES, AN_LAUNCH_KEYS,
                           NPROF_KEY_COLLECTIVE, KEY_STREAM, KEY_RECORD, SEMAPHORE_KEY_WAITS,
                           SEMAPHORE_KEY_SIGNALS, SEMAPHORE_KEY_DMA, NPROF_KEY_HLO_TEXT, NULL },
  .order = NPROF_ORDER_DEVICE,
  .flags = NPROF_ANALYZER_NO_LINKS | NPROF_ANALYZER_CONTEXT | NPROF_ANALYZER_NO_ROWS,
  .instance_size = sizeof (Critical),
  .open = critical_open,
  .choose = critical_choose,
  .consume = critical_consume,
  .table = critical_from_table,
  .table_wants = (const char *const[]){ "step_breakdown?", "mfu?", NULL },
  .finish = critical_finish,
  .close = critical_close,
};

NPROF_PLUGIN ("critical", NPROF_VERSION, "Apache-2.0", &component)
