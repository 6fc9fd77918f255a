/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - decoder otlp: spans of OpenTelemetry, as a collector's file exporter or Jaeger's API
 * write them: one document, or one a line. */
#include "otlp.h"

#include "json/text.h"

#include <stdlib.h>
#include <string.h>

static int
probe (const void *head, size_t len, uint64_t size, const char *path)
{
  const char *end = (const char *) head + len, *p = te_space (head, end);
  (void) size, (void) path;
  if (p >= end || *p != '{' || te_mentions (head, len, "\"traceEvents\""))
    return 0;
  const bool spans = te_mentions (head, len, "\"resourceSpans\"");
  const bool jaeger = te_mentions (head, len, "\"data\"") && te_mentions (head, len, "\"traceID\"")
                      && te_mentions (head, len, "\"spans\"");
  return spans || jaeger ? 90 : 0;
}

static const char *const keys[OT_KEYS] = {
  [OT_KEY_TRACE] = NPROF_KEY_TRACE_ID,
  [OT_KEY_ARGS] = "args",
  [OT_KEY_ERROR] = "error",
  [OT_KEY_RID] = "rid",
  [OT_KEY_LAID_OUT] = "laid_out",
  [OT_KEY_SERVER] = "server",
  [OT_KEY_TPOT] = "tpot",
  [OT_KEY_FIGURES + OT_TTFT] = "ttft",
  [OT_KEY_FIGURES + OT_E2E] = "e2e",
  [OT_KEY_FIGURES + OT_QUEUE] = "queue_time",
  [OT_KEY_FIGURES + OT_PREFILL] = "prefill_time",
  [OT_KEY_FIGURES + OT_DECODE] = "decode_time",
  [OT_KEY_FIGURES + OT_PROMPT] = "prompt_tokens",
  [OT_KEY_FIGURES + OT_OUTPUT] = "output_tokens",
  [OT_KEY_FIGURES + OT_CACHED] = "cached_tokens",
};

static nprof_status
open_otlp (void *data, const struct nprof_host *host)
{
  static const char *const phases[] = { "queue", "prefill", "decode" };
  Otlp *self = data;
  self->host = host;
  self->with = te_scanner ();
  for (guint i = 0; i < OT_KEYS; i++) {
    self->key[i] = nprof_intern (host, keys[i]);
    self->want[i] = host->wanted (host, keys[i]);
  }
  for (guint i = 0; i < G_N_ELEMENTS (phases); i++)
    self->phase[i] = nprof_intern (host, phases[i]);
  self->otel = nprof_intern (host, "otel");
  self->request = nprof_intern (host, "request");
  self->event = nprof_intern (host, "event");
  self->args = g_string_new (NULL);
  self->slices = np_large_array_new (sizeof (OtSlice));
  return NPROF_OK;
}

static void
close_otlp (void *data)
{
  Otlp *self = data;
  np_large_free (self->seen, self->max_seen * sizeof *self->seen);
  if (self->args)
    g_string_free (self->args, TRUE);
  g_clear_pointer (&self->slices, np_large_array_free);
}

/* -- Documents ------------------------------------------------------------- */

static const char *
end_of_line (const Otlp *self, const char *p)
{
  const char *newline = memchr (p, '\n', (size_t) (self->end - p));
  return newline ? newline : self->end;
}

/* Reads the document at p: its line, or, of the first one, all that it takes.  NULL: it cannot be
 * read. */
static const char *
read_document (Otlp *self, const char *p, bool first, TeScan *scan, TeValue *document)
{
  *scan = (TeScan){ .with = self->with, .end = end_of_line (self, p) };
  const char *behind = self->with->value (scan, p, document);
  if (behind || !first)
    return behind;
  scan->end = self->end;
  return self->with->value (scan, p, document);
}

/* A collector that was stopped leaves the last line half written. */
static nprof_status
bad_line (Otlp *self, guint64 line, const TeScan *scan, bool last)
{
  const char *why = scan->why ? scan->why : "it is no object";
  if (!last)
    return nprof_damage (self->host, (guint64) (scan->bad - self->data),
                         "line %" G_GUINT64_FORMAT " of this file of spans cannot be read: %s",
                         line, why);
  nprof_log (self->host, NPROF_WARNING,
             "line %" G_GUINT64_FORMAT ", the last one, is cut off (%s) and left out", line, why);
  return NPROF_OK;
}

static guint64
count_lines (const char *p, const char *end)
{
  guint64 n = 0;
  for (; (p = memchr (p, '\n', (size_t) (end - p))); p++)
    n++;
  return n;
}

static nprof_status
documents (Otlp *self)
{
  nprof_status status = NPROF_OK;
  const char *p = self->data, *counted = p;
  guint64 line = 1;
  bool first = true;
  while (!status && (p = te_space (p, self->end)) < self->end) {
    TeScan scan;
    TeValue document;
    const char *behind = read_document (self, p, first, &scan, &document);
    line += count_lines (counted, p);
    counted = p;
    if (behind && document.kind == TE_OBJECT) {
      status = ot_document (self, &document);
    } else {
      if (behind)
        scan.bad = p;
      behind = end_of_line (self, p);
      status = bad_line (self, line, &scan, !first && te_space (behind, self->end) == self->end);
    }
    p = behind;
    first = false;
  }
  return status;
}

static void
tell (const Otlp *self)
{
  if (self->again)
    nprof_log (self->host, NPROF_INFO, "%" G_GUINT64_FORMAT " spans came again, and count once",
               self->again);
  if (self->unended)
    nprof_log (self->host, NPROF_WARNING,
               "%" G_GUINT64_FORMAT
               " spans have no end, or end before they start: their durations are unknown",
               self->unended);
  if (self->unfit)
    nprof_log (
        self->host, NPROF_WARNING,
        "of %" G_GUINT64_FORMAT
        " requests queue and prefill take longer than the first token: they are not laid out",
        self->unfit);
}

static nprof_status
decode (void *data, const void *bytes, uint64_t len)
{
  Otlp *self = data;
  self->data = bytes;
  self->end = self->data + len;
  self->w = self->host->writer (self->host);
  if (!self->w)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for the columns");
  nprof_status status = documents (self);
  if (!status)
    status = ot_joined_requests (self);
  if (!status && !self->has_base)
    status = self->host->origin (self->host, NPROF_NO_EPOCH);
  tell (self);
  return status ? status : self->host->progress (self->host, 0, len);
}

#define FIGURE(figure, unit, help) NPROF_ATTRIBUTE (NPROF_INT64, figure, unit, help)

static const struct nprof_component decoder = {
  .size = sizeof decoder,
  .kind = NPROF_DECODER,
  .name = "otlp",
  .summary = "spans of OpenTelemetry: requests of inference servers",
  .formats = "OTLP JSON, one document or one a line; JSON of Jaeger's API",
  .attributes = NPROF_ATTRIBUTES (
      NPROF_ATTRIBUTE (NPROF_ID128, NPROF_KEY_TRACE_ID, "", "of the trace"),
      NPROF_ATTRIBUTE (NPROF_JSON, "args", "", "all attributes of the span"),
      NPROF_ATTRIBUTE (NPROF_BOOL, "error", "", "it ended with an error"),
      NPROF_ATTRIBUTE (NPROF_STRING, "rid", "", "id of a request"),
      NPROF_ATTRIBUTE (NPROF_BOOL, "laid_out", "",
                       "placed by its duration alone: its start is not in the file"),
      NPROF_ATTRIBUTE (NPROF_STRING, "server", "", "whose words say what the request is"),
      FIGURE ("tpot", "ps", "of a request: time per output token behind the first"),
      FIGURE ("ttft", "ps", "arrival to first token"),
      FIGURE ("e2e", "ps", "arrival to last token"),
      FIGURE ("queue_time", "ps", "waiting for a place in the batch"),
      FIGURE ("prefill_time", "ps", "scheduled to first token"),
      FIGURE ("decode_time", "ps", "first to last token"),
      FIGURE ("prompt_tokens", "", "of the request"), FIGURE ("output_tokens", "", "of the answer"),
      FIGURE ("cached_tokens", "", "of the prompt that were not computed again")),
  .instance_size = sizeof (Otlp),
  .probe = probe,
  .open = open_otlp,
  .decode = decode,
  .close = close_otlp,
};

NPROF_PLUGIN ("otlp", NPROF_VERSION, "Apache-2.0", &decoder)
