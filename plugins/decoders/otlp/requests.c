/* SPDX-License-Identifier: Apache-2.0 */
/* requests.c - finds the spans that are requests of inference, by what servers say of them, and
 * writes each as a row of category request, with the parts of its time. sources:
 * vllm/v1/engine/output_processor.py and vllm/tracing; sglang/srt/tracing/trace.py;
 * router/src/server.rs of TGI; SpanAttributes of TensorRT-LLM's tracing */
#include "otlp.h"

#include <string.h>

typedef struct {
  nprof_track track;
  guint8 trace[16];
  nprof_str rid;
  const char *server;
  guint64 parent;
  gint64 start, duration; /* ps; duration -1: unknown */
  gint64 figure[OT_N_FIGURES];
  gint64 phase[3][2]; /* queue, prefill, decode: start and end in ps; start UNKNOWN: not there */
  bool error, laid_out;
} Request;

/* -- Rows ------------------------------------------------------------------ */

/* Time per output token behind the first. */
static gint64
tpot_of (const gint64 *f)
{
  return f[OT_E2E] == UNKNOWN || f[OT_TTFT] == UNKNOWN || f[OT_OUTPUT] < 2 || f[OT_E2E] < f[OT_TTFT]
             ? UNKNOWN
             : (f[OT_E2E] - f[OT_TTFT]) / (f[OT_OUTPUT] - 1);
}

static nprof_status
put_figures (Otlp *self, const Request *q)
{
  nprof_status status = NPROF_OK;
  if (q->rid && self->want[OT_KEY_RID])
    status = nprof_attr_str (self->w, self->key[OT_KEY_RID], q->rid);
  if (!status && self->want[OT_KEY_TRACE])
    status = nprof_attr_bytes (self->w, self->key[OT_KEY_TRACE], NPROF_ID128, q->trace, 16);
  if (!status && self->want[OT_KEY_SERVER])
    status = nprof_attr_str (self->w, self->key[OT_KEY_SERVER],
                             nprof_intern (self->host, q->server));
  if (!status && q->error && self->want[OT_KEY_ERROR])
    status = nprof_attr (self->w, self->key[OT_KEY_ERROR], NPROF_BOOL, (nprof_value){ .u = 1 });
  for (guint i = 0; i < OT_N_FIGURES && !status; i++)
    status = ot_attr_int (self, OT_KEY_FIGURES + i, q->figure[i]);
  return status ? status : ot_attr_int (self, OT_KEY_TPOT, tpot_of (q->figure));
}

static nprof_status
put_phase (Otlp *self, const Request *q, guint phase)
{
  const gint64 start = q->phase[phase][0], end = q->phase[phase][1];
  if (start == UNKNOWN || end < start)
    return NPROF_OK;
  nprof_status status = nprof_span (self->w, q->track, self->phase[phase], start, end - start);
  if (status)
    return status;
  nprof_set_category (self->w, self->request);
  nprof_set_parent (self->w, q->parent);
  return q->laid_out && self->want[OT_KEY_LAID_OUT]
             ? nprof_attr (self->w, self->key[OT_KEY_LAID_OUT], NPROF_BOOL,
                           (nprof_value){ .u = 1 })
             : NPROF_OK;
}

static nprof_status
put_request (Otlp *self, const Request *q)
{
  nprof_status status
      = nprof_span (self->w, q->track, self->request, q->start, MAX (q->duration, -1));
  if (status)
    return status;
  nprof_set_category (self->w, self->request);
  nprof_set_parent (self->w, q->parent);
  status = put_figures (self, q);
  for (guint i = 0; i < 3 && !status; i++)
    status = put_phase (self, q, i);
  return status;
}

/* -- One span tells all ---------------------------------------------------- */

/* Durations of phases have no starts: prefill ends with the first token, queue where prefill
 * begins; what is left before it is the front end. */
static void
lay_out (Otlp *self, Request *q)
{
  const gint64 *f = q->figure;
  if (f[OT_TTFT] == UNKNOWN || f[OT_PREFILL] == UNKNOWN || f[OT_QUEUE] == UNKNOWN)
    return;
  if (f[OT_PREFILL] + f[OT_QUEUE] > f[OT_TTFT]) {
    self->unfit++;
    return;
  }
  const gint64 first = q->start + f[OT_TTFT], begins = first - f[OT_PREFILL];
  q->laid_out = true;
  q->phase[0][0] = begins - f[OT_QUEUE];
  q->phase[0][1] = q->phase[1][0] = begins;
  q->phase[1][1] = first;
  if (f[OT_DECODE] == UNKNOWN)
    return;
  q->phase[2][0] = first;
  q->phase[2][1] = first + f[OT_DECODE];
}

static Request
request_of (Otlp *self, const OtSpan *span, nprof_track track, const char *server)
{
  Request q = { .track = track,
                .rid = span->rid,
                .server = server,
                .parent = span->id,
                .duration = -1,
                .error = span->error };
  gint64 end;
  memcpy (q.trace, span->trace, sizeof q.trace);
  memcpy (q.figure, span->figure, sizeof q.figure);
  for (guint i = 0; i < 3; i++)
    q.phase[i][0] = UNKNOWN;
  ot_time (self, span->start, &q.start);
  if (span->end >= span->start && ot_time (self, span->end, &end))
    q.duration = end - q.start;
  if (q.figure[OT_E2E] == UNKNOWN && q.duration >= 0)
    q.figure[OT_E2E] = q.duration;
  return q;
}

/* -- SGLang: joined from slices -------------------------------------------- */

static bool
is_name (const Otlp *self, nprof_str name, const char *text)
{
  return name && strcmp (nprof_text (self->host, name), text) == 0;
}

static bool
is_slice (const Otlp *self, nprof_str name)
{
  return is_name (self, name, "prefill_waiting") || is_name (self, name, "prefill_forward")
         || is_name (self, name, "decode_loop");
}

static void
keep_slice (Otlp *self, const OtSpan *span, nprof_track track, bool request)
{
  OtSlice slice = { span->id, span->parent, { 0 },       span->name, request ? span->rid : 0,
                    track,    span->start,  span->end,   span->error };
  memcpy (slice.trace, span->trace, sizeof slice.trace);
  np_large_array_extend (self->slices, self->slices->len + 1);
  g_array_index (self->slices, OtSlice, self->slices->len - 1) = slice;
}

static bool
is_of_sglang (const Otlp *self, const OtSpan *span)
{
  return span->rid && !span->named && span->name
         && strstr (nprof_text (self->host, span->name), "Req ");
}

nprof_status
ot_request (Otlp *self, const OtSpan *span, nprof_track track)
{
  const bool whole = is_name (self, span->name, "llm_request") || span->named
                     || (span->latencies && span->kind == 2);
  if (is_of_sglang (self, span) || span->thread || is_slice (self, span->name))
    keep_slice (self, span, track, is_of_sglang (self, span));
  else if (whole && span->kind != 3) {
    Request q = request_of (self, span, track, "gen_ai");
    lay_out (self, &q);
    return put_request (self, &q);
  } else if (span->queue_time && span->inference_time) {
    const Request q = request_of (self, span, track, "tgi");
    return put_request (self, &q);
  }
  return NPROF_OK;
}

/* The least times of the slices of a request, of all its ranks; ns. */
typedef struct {
  const OtSlice *slice;
  gint64 waits, begun, done, last;
} Joined;

static void
take_least (gint64 *to, gint64 ns)
{
  *to = *to == UNKNOWN ? ns : MIN (*to, ns);
}

static void
join_slice (const Otlp *self, Joined *j, const OtSlice *slice)
{
  if (is_name (self, slice->name, "prefill_waiting")) {
    take_least (&j->waits, slice->start);
  } else if (is_name (self, slice->name, "prefill_forward")) {
    take_least (&j->begun, slice->start);
    if (slice->end >= slice->start)
      take_least (&j->done, slice->end);
  } else if (is_name (self, slice->name, "decode_loop") && slice->end >= slice->start) {
    take_least (&j->last, slice->end);
  }
}

static gint64
between (gint64 from, gint64 to)
{
  gint64 ps;
  return from == UNKNOWN || to == UNKNOWN || to < from
                 || __builtin_mul_overflow (to - from, 1000, &ps)
             ? UNKNOWN
             : ps;
}

static void
set_phase (const Otlp *self, Request *q, guint phase, gint64 from, gint64 to)
{
  if (between (from, to) == UNKNOWN || !ot_time (self, from, &q->phase[phase][0])
      || !ot_time (self, to, &q->phase[phase][1]))
    q->phase[phase][0] = UNKNOWN;
}

static nprof_status
put_joined (Otlp *self, const Joined *j)
{
  const OtSlice *s = j->slice;
  OtSpan span = { .id = s->id, .rid = s->rid, .start = s->start, .end = s->end, .error = s->error };
  memcpy (span.trace, s->trace, sizeof span.trace);
  for (guint i = 0; i < OT_N_FIGURES; i++)
    span.figure[i] = UNKNOWN;
  span.figure[OT_TTFT] = between (s->start, j->done);
  span.figure[OT_QUEUE] = between (j->waits, j->begun);
  span.figure[OT_PREFILL] = between (j->begun, j->done);
  span.figure[OT_DECODE] = between (j->done, j->last);
  Request q = request_of (self, &span, s->track, "sglang");
  set_phase (self, &q, 0, j->waits, j->begun);
  set_phase (self, &q, 1, j->begun, j->done);
  set_phase (self, &q, 2, j->done, j->last);
  return put_request (self, &q);
}

/* Returns the request above a slice: of its thread, or its own parent. */
static Joined *
request_above (GHashTable *requests, GHashTable *threads, const OtSlice *slice)
{
  const OtSlice *thread = g_hash_table_lookup (threads, &slice->parent);
  return g_hash_table_lookup (requests, thread ? &thread->parent : &slice->parent);
}

nprof_status
ot_joined_requests (Otlp *self)
{
  g_autoptr (GHashTable) requests = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autoptr (GHashTable) threads = g_hash_table_new (g_int64_hash, g_int64_equal);
  const guint n = self->slices->len;
  g_autofree Joined *joined = g_new (Joined, n + 1);
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < n; i++) {
    OtSlice *s = &g_array_index (self->slices, OtSlice, i);
    joined[i] = (Joined){ s, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN };
    if (s->rid)
      g_hash_table_insert (requests, &s->id, &joined[i]);
    else if (!is_slice (self, s->name))
      g_hash_table_insert (threads, &s->id, s);
  }
  for (guint i = 0; i < n; i++) {
    Joined *above = request_above (requests, threads, joined[i].slice);
    if (above && is_slice (self, joined[i].slice->name))
      join_slice (self, above, joined[i].slice);
  }
  for (guint i = 0; i < n && !status; i++)
    if (joined[i].slice->rid)
      status = put_joined (self, &joined[i]);
  return status;
}
