/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - sink chrome: a trace-event JSON file of which chrome://tracing and Perfetto drop
 * nothing.  This file has the life of the instance; rows.c writes the events. */
#include "chrome.h"

#include "trace-out/parts.h"


static void
make_inside (const void *user G_GNUC_UNUSED, struct nprof_buf *to, const char *text, size_t len)
{
  for (size_t k = 0; k < len; k++)
    if ((unsigned char) text[k] < 0x20 || text[k] == '"' || text[k] == '\\') {
      nprof_put_json_inside (to, text, len, NPROF_JSON_VIEWER);
      return;
    }
}

static void
open_texts (struct chrome_sink *self, const struct nprof_host *host)
{
  self->inside = (struct nprof_string_cache){ .host = host, .make = make_inside };
  self->cats = (struct nprof_string_cache){ .host = host, .make = chrome_make_cat };
  self->keys = (struct nprof_string_cache){ .host = host, .make = chrome_make_key };
  self->args_key = nprof_intern (host, "args");
}

static nprof_status
chrome_open (void *data, const struct nprof_host *host)
{
  struct chrome_sink *self = data;
  const struct nprof_target *target = host->target (host);
  self->gzip = target->kind == NPROF_TARGET_FILE && g_str_has_suffix (target->name, ".gz");
  if (self->split_mb && target->kind == NPROF_TARGET_STDOUT)
    return nprof_fail (host, NPROF_E_OPTION,
                       "split_mb=%" G_GINT64_FORMAT ": stdout cannot be split; write to a file",
                       self->split_mb);
  self->host = host;
  self->tracks = g_array_new (FALSE, TRUE, sizeof (struct chrome_track));
  self->pids = g_array_new (FALSE, TRUE, sizeof (guint32));
  self->threads = g_array_new (FALSE, TRUE, sizeof (guint32));
  self->counters = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  open_texts (self, host);
  lanes_init (&self->lanes);
  self->lanes.over = chrome_span_over;
  self->lanes.user = self;
  flows_init (&self->flows, host);
  self->flows.arrow = chrome_arrow;
  self->flows.user = self;
  if (nprof_row_columns_init (&self->row_columns, host, NULL))
    return nprof_fail (host, NPROF_E_NOMEM, "no memory for attributes");
  if (self->split_mb)
    return NPROF_OK;
  chrome_put_head (NULL, &self->out.buf);
  return stream_open (&self->out, host, NULL, self->gzip);
}

/* Finds ts 0, the first event of the run, rounded down to a ns: viewers drop events before 0, and
 * their doubles cannot hold times since 1970. */
static void
find_base (struct chrome_sink *self)
{
  const struct nprof_run_info *run = self->host->run (self->host);
  if (self->started)
    return;
  self->started = TRUE;
  if (run->first <= run->last)
    self->base = run->first / 1000 - (run->first % 1000 < 0);
  if (self->split_mb)
    split_init (&self->split, self->host, (guint64) self->split_mb * 1000000,
                run->last / 1000 - self->base);
}

static nprof_status
chrome_consume (void *data, const struct nprof_batch *batch)
{
  struct chrome_sink *self = data;
  nprof_status status = NPROF_OK;
  find_base (self);
  for (guint i = 0; i < batch->n_rows && status == NPROF_OK; i++)
    status = chrome_row (self, batch, i);
  return status;
}

static nprof_status
write_one_file (struct chrome_sink *self)
{
  flows_finish (&self->flows);
  chrome_put_tail (self, &self->out.buf, 1, 1);
  return stream_finish (&self->out);
}

static nprof_status
write_parts (struct chrome_sink *self)
{
  struct nprof_buf *buf = &self->out.buf;
  split_flush (&self->split, buf, TRUE);
  guint n = split_plan (&self->split);
  flows_finish (&self->flows);
  split_flush (&self->split, buf, TRUE);
  if (buf->failed)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for an event of this length");
  const struct parts parts = { .host = self->host,
                               .split = &self->split,
                               .gzip = self->gzip,
                               .first = "\n",
                               .separator = ",\n",
                               .head = chrome_put_head,
                               .tail = chrome_put_tail,
                               .user = self };
  nprof_status status = self->split.spill.failed ? NPROF_E_IO : parts_write (&parts, n);
  return self->split.spill.failed ? spill_fail (&self->split.spill, self->host) : status;
}

static nprof_status
chrome_finish (void *data)
{
  struct chrome_sink *self = data;
  find_base (self);
  lanes_close_all (&self->lanes);
  nprof_status status = self->split_mb ? write_parts (self) : write_one_file (self);
  if (status)
    return status;
  if (self->flows.spill.failed)
    return spill_fail (&self->flows.spill, self->host);
  stream_tell_loss (self->host, self->cut_arrows,
                    "flows go from one file of the trace to another and were not written");
  stream_tell_loss (self->host, self->flows.alone,
                    "ends of flows have no other end and were not written");
  stream_tell_loss (
      self->host, self->without_span,
      "ends of flows lie in no span of a thread, where viewers show none, and were not written");
  stream_tell_loss (self->host, self->without_phase,
                    "ends of flows do not say whether they begin or end one and were not written");
  stream_tell_loss (self->host, self->before_start,
                    "events lie before the first of the run: viewers drop them");
  stream_tell_loss (self->host, self->unknown_kinds, "rows of unknown kinds were skipped");
  stream_tell_loss (self->host, self->row_columns.unknown,
                    "attributes of unknown types were skipped");
  if (self->inside.failed || self->cats.failed || self->keys.failed)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for the names of events");
  return NPROF_OK;
}

static void
chrome_close (void *data)
{
  struct chrome_sink *self = data;
  if (!self->host)
    return;
  stream_clear (&self->out);
  split_clear (&self->split);
  nprof_string_cache_clear (&self->inside);
  nprof_string_cache_clear (&self->cats);
  nprof_string_cache_clear (&self->keys);
  nprof_row_columns_clear (&self->row_columns);
  nprof_buf_clear (&self->scratch);
  nprof_buf_clear (&self->facts);
  lanes_clear (&self->lanes);
  flows_clear (&self->flows);
  g_array_unref (self->tracks);
  g_array_unref (self->pids);
  g_array_unref (self->threads);
  g_hash_table_unref (self->counters);
}

static const struct nprof_component chrome = {
  .size = sizeof chrome,
  .kind = NPROF_SINK,
  .name = "chrome",
  .summary = "trace-event JSON for chrome://tracing, Perfetto and speedscope",
  .options = NPROF_OPTIONS (NPROF_INT_OPTION (
      struct chrome_sink, split_mb, "split_mb", "0", "0..1000000",
      "MB a file, before compression: trace.json, trace-2.json, ..., cut by time; 0: one file")),
  .wants = (const char *const[]){ "*", NULL },
  .order = NPROF_ORDER_TRACK,
  .flags = NPROF_SINK_FILE | NPROF_SINK_STDOUT,
  .default_name = "trace.json",
  .instance_size = sizeof (struct chrome_sink),
  .open = chrome_open,
  .consume = chrome_consume,
  .finish = chrome_finish,
  .close = chrome_close,
};

NPROF_PLUGIN ("chrome", NPROF_VERSION, "Apache-2.0", &chrome)
