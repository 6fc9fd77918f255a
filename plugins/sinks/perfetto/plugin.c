/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - sink perfetto: a trace in Perfetto's protobuf, smaller than JSON and exact.  This file
 * has the life of the instance; rows.c makes the events. */
#include "perfetto.h"

static nprof_status
check_options (struct perfetto_sink *self, const struct nprof_host *host)
{
  if (self->split_mb && host->target (host)->kind == NPROF_TARGET_STDOUT)
    return nprof_fail (host, NPROF_E_OPTION,
                       "split_mb=%" G_GINT64_FORMAT ": stdout cannot be split; write to a file",
                       self->split_mb);
  if (self->split_mb && self->compress)
    return nprof_fail (host, NPROF_E_OPTION,
                       "split_mb=%" G_GINT64_FORMAT " and compress=deflate exclude each other; "
                       "name the file trace.pftrace.gz to compress its parts",
                       self->split_mb);
  return NPROF_OK;
}

static nprof_status
perfetto_open (void *data, const struct nprof_host *host)
{
  struct perfetto_sink *self = data;
  const struct nprof_target *target = host->target (host);
  self->gzip = target->kind == NPROF_TARGET_FILE && g_str_has_suffix (target->name, ".gz");
  nprof_status status = check_options (self, host);
  if (status)
    return status;
  self->host = host;
  self->texts = (struct nprof_string_cache){ .host = host, .make = perfetto_make_text };
  static const char *const own[N_OWN]
      = { "start_ps", "duration_ps", "id", "parent", "flow", "value" };
  for (guint k = 0; k < N_OWN; k++)
    self->own[k] = nprof_intern (host, own[k]);
  self->args_key = nprof_intern (host, "args");
  self->unit_key = nprof_intern (host, NPROF_KEY_UNIT);
  self->tracks = g_array_new (FALSE, TRUE, sizeof (struct perfetto_track));
  self->lane_tracks = g_array_new (FALSE, TRUE, sizeof (guint32));
  self->links = np_large_array_new (sizeof (struct link));
  self->counters = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self->counter_names = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  static const guint fields[N_INTERNED] = { 1, 2, 3, 29 };
  for (guint k = 0; k < N_INTERNED; k++) {
    self->interned[k].field = fields[k];
    words_init (&self->interned[k].words);
  }
  lanes_init (&self->lanes);
  self->lanes.over = perfetto_span_over;
  self->lanes.user = self;
  spill_init (&self->spill, host);
  flows_init (&self->flows, host);
  self->flows.arrow = perfetto_arrow;
  self->flows.user = self;
  if (nprof_row_columns_init (&self->row_columns, host, NULL))
    return nprof_fail (host, NPROF_E_NOMEM, "no memory for attributes");
  return self->split_mb ? NPROF_OK : stream_open (&self->out, host, NULL, self->gzip);
}

/* The trace begins with the first row of the run; its timestamps count from the run's origin, or
 * from the first row where that lies before it, since Perfetto has none below 0. */
static void
begin_trace (struct perfetto_sink *self)
{
  const struct nprof_run_info *run = self->host->run (self->host);
  if (self->started)
    return;
  self->started = TRUE;
  if (run->first <= run->last)
    self->base = run->first / 1000 - (run->first % 1000 < 0);
  self->zero = MIN (self->base, 0);
  if (self->split_mb)
    split_init (&self->split, self->host, (guint64) self->split_mb * 1000000,
                run->last / 1000 - self->base);
  perfetto_put_head (self);
}

static nprof_status
perfetto_consume (void *data, const struct nprof_batch *batch)
{
  struct perfetto_sink *self = data;
  nprof_status status = NPROF_OK;
  begin_trace (self);
  self->own_only = *batch;
  self->own_only.shared = NULL;
  for (guint i = 0; i < batch->n_rows && status == NPROF_OK; i++)
    status = perfetto_row (self, batch, i);
  return status;
}

static nprof_status
perfetto_finish (void *data)
{
  struct perfetto_sink *self = data;
  begin_trace (self);
  lanes_close_all (&self->lanes);
  flows_finish (&self->flows);
  perfetto_put_about (self);
  nprof_status status = perfetto_write (self);
  if (status)
    return status;
  if (self->flows.spill.failed)
    return spill_fail (&self->flows.spill, self->host);
  stream_tell_loss (self->host, self->cut_arrows,
                    "flows go from one file of the trace to another, where Perfetto draws none");
  stream_tell_loss (self->host, self->flows.alone,
                    "ends of flows have no other end, so Perfetto draws none");
  stream_tell_loss (
      self->host, self->without_span,
      "ends of flows lie in no span, where Perfetto shows none, and were not written");
  stream_tell_loss (self->host, self->without_phase,
                    "ends of flows do not say whether they begin or end one and were not written");
  stream_tell_loss (self->host, self->before_zero,
                    "events lie before the first of the run: Perfetto drops them");
  stream_tell_loss (self->host, self->unknown_kinds, "rows of unknown kinds were skipped");
  stream_tell_loss (self->host, self->row_columns.unknown,
                    "attributes of unknown types were skipped");
  if (self->texts.failed)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for the names of events");
  return NPROF_OK;
}

static void
perfetto_close (void *data)
{
  struct perfetto_sink *self = data;
  if (!self->host)
    return;
  stream_clear (&self->out);
  split_clear (&self->split);
  nprof_string_cache_clear (&self->texts);
  nprof_row_columns_clear (&self->row_columns);
  nprof_buf_clear (&self->raw);
  nprof_buf_clear (&self->fresh);
  nprof_buf_clear (&self->scratch);
  nprof_buf_clear (&self->word);
  perfetto_forget_sets (self);
  nprof_buf_clear (&self->set_bytes);
  nprof_buf_clear (&self->body);
  nprof_buf_clear (&self->waiting);
  nprof_buf_clear (&self->facts);
  nprof_buf_clear (&self->originals);
  lanes_clear (&self->lanes);
  flows_clear (&self->flows);
  spill_clear (&self->spill);
  g_array_unref (self->tracks);
  g_array_unref (self->lane_tracks);
  np_large_array_free (self->links);
  g_hash_table_unref (self->counters);
  g_hash_table_unref (self->counter_names);
  for (guint k = 0; k < N_INTERNED; k++) {
    g_free (self->interned[k].number);
    words_clear (&self->interned[k].words);
  }
}

static const struct nprof_component perfetto = {
  .size = sizeof perfetto,
  .kind = NPROF_SINK,
  .name = "perfetto",
  .summary = "Perfetto's protobuf, for ui.perfetto.dev and trace_processor",
  .options = NPROF_OPTIONS (
      NPROF_INT_OPTION (struct perfetto_sink, split_mb, "split_mb", "0", "0..1000000",
                        "MB a file: trace.pftrace, trace-2.pftrace, ..., cut by time; 0: one file"),
      NPROF_CHOICE_OPTION (struct perfetto_sink, compress, "compress", "none", "none|deflate",
                           "packets of 512 kB are compressed each")),
  .wants = (const char *const[]){ "*", NULL },
  .order = NPROF_ORDER_TRACK,
  .flags = NPROF_SINK_FILE | NPROF_SINK_STDOUT,
  .default_name = "trace.pftrace",
  .instance_size = sizeof (struct perfetto_sink),
  .open = perfetto_open,
  .consume = perfetto_consume,
  .finish = perfetto_finish,
  .close = perfetto_close,
};

NPROF_PLUGIN ("perfetto", NPROF_VERSION, "Apache-2.0", &perfetto)
