/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - writes a span on the track of its trace or thread, once. */
#include "otlp.h"

#include <stdlib.h>
#include <string.h>

#define SECOND G_GINT64_CONSTANT (1000000000)
#define FAR (G_GINT64_CONSTANT (90) * 24 * 3600 * SECOND)

/* -- Which came before ----------------------------------------------------- */

static guint64
mix (guint64 h)
{
  h ^= h >> 33;
  h *= G_GUINT64_CONSTANT (0xff51afd7ed558ccd);
  h ^= h >> 33;
  h *= G_GUINT64_CONSTANT (0xc4ceb9fe1a85ec53);
  return h ^ h >> 33;
}

static bool
put_hash (guint64 *seen, gsize max, guint64 hash)
{
  gsize at = hash & (max - 1);
  while (seen[at] && seen[at] != hash)
    at = (at + 1) & (max - 1);
  if (seen[at])
    return false;
  seen[at] = hash;
  return true;
}

static bool
grow (Otlp *self)
{
  const gsize max = self->max_seen ? self->max_seen * 2 : 4096;
  guint64 *more = np_large_try_grow (NULL, 0, max * sizeof *more);
  if (!more)
    return false;
  for (gsize i = 0; i < self->max_seen; i++)
    if (self->seen[i])
      put_hash (more, max, self->seen[i]);
  np_large_free (self->seen, self->max_seen * sizeof *self->seen);
  self->seen = more;
  self->max_seen = max;
  return true;
}

/* Exporters resend a batch when the acknowledgement is lost. */
static nprof_status
is_new (Otlp *self, const OtSpan *span, bool *new)
{
  const guint64 hash
      = mix (span->id
             ^ mix (ot_number_of_id (span->trace) ^ mix (ot_number_of_id (span->trace + 8))));
  if (self->n_seen * 2 >= self->max_seen && !grow (self))
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for the ids of spans");
  *new = put_hash (self->seen, self->max_seen, hash ? hash : 1);
  self->n_seen += *new;
  self->again += !*new;
  return NPROF_OK;
}

/* -- Times ----------------------------------------------------------------- */

bool
ot_time (const Otlp *self, gint64 ns, gint64 *ps)
{
  const gint64 since = ns - self->base_ns; /* both are above 0 */
  *ps = since > -FAR && since < FAR ? since * 1000 : 0;
  return since > -FAR && since < FAR;
}

static nprof_status
begin (Otlp *self, gint64 ns)
{
  if (self->has_base)
    return NPROF_OK;
  self->has_base = true;
  self->base_ns = ns - ns % SECOND;
  return self->host->origin (self->host, self->base_ns);
}

/* -- Tracks ---------------------------------------------------------------- */

static nprof_track
track_of (Otlp *self, const OtSpan *span)
{
  const struct nprof_host *host = self->host;
  char key[64];
  if (span->thread) {
    g_autoptr (GString) label = g_string_new (nprof_text (host, span->thread));
    if (span->tp_rank != UNKNOWN)
      g_string_append_printf (label, " TP %" G_GINT64_FORMAT, span->tp_rank);
    if (span->pid != UNKNOWN)
      g_string_append_printf (label, " %" G_GINT64_FORMAT, span->pid);
    return host->track (host, span->process, NPROF_TRACK_THREAD, nprof_intern (host, label->str), 0,
                        0);
  }
  for (guint i = 0; i < 16; i++)
    g_snprintf (key + 2 * i, 3, "%02x", span->trace[i]);
  return host->track (host, span->process, NPROF_TRACK_ASYNC, nprof_intern (host, key), 0, 0);
}

/* -- Rows ------------------------------------------------------------------ */

nprof_status
ot_attr_int (Otlp *self, guint key, gint64 value)
{
  return value != UNKNOWN && self->want[key] ? nprof_attr_int (self->w, self->key[key], value)
                                             : NPROF_OK;
}

static nprof_status
put_attributes (Otlp *self, const OtSpan *span)
{
  nprof_status status = NPROF_OK;
  if (self->want[OT_KEY_TRACE])
    status = nprof_attr_bytes (self->w, self->key[OT_KEY_TRACE], NPROF_ID128, span->trace, 16);
  if (!status && span->error && self->want[OT_KEY_ERROR])
    status = nprof_attr (self->w, self->key[OT_KEY_ERROR], NPROF_BOOL, (nprof_value){ .u = 1 });
  if (status || !span->args->len || !self->want[OT_KEY_ARGS])
    return status;
  g_string_prepend_c (span->args, '{');
  g_string_append_c (span->args, '}');
  return nprof_attr_bytes (self->w, self->key[OT_KEY_ARGS], NPROF_JSON, span->args->str,
                           (guint32) MIN (span->args->len, G_MAXUINT32));
}

static nprof_status
put_span (Otlp *self, const OtSpan *span, gint64 start, nprof_track track)
{
  gint64 end = -1;
  const bool ended = span->end >= span->start && ot_time (self, span->end, &end);
  self->unended += !ended;
  nprof_status status = nprof_span (self->w, track,
                                    span->name ? span->name
                                               : nprof_intern (self->host, "span without a name"),
                                    start, ended ? end - start : -1);
  if (status)
    return status;
  nprof_set_category (self->w, self->otel);
  nprof_set_id (self->w, span->id);
  if (span->parent)
    nprof_set_parent (self->w, span->parent);
  return put_attributes (self, span);
}

nprof_status
ot_write (Otlp *self, const OtSpan *span, nprof_track *track)
{
  bool new = true;
  gint64 start;
  *track = 0;
  if (span->start <= 0) {
    self->host->skip (self->host, "span", (guint64) (span->at - self->data), "it has no start");
    return NPROF_OK;
  }
  nprof_status status = begin (self, span->start);
  if (!status)
    status = is_new (self, span, &new);
  if (status || !new)
    return status;
  if (!ot_time (self, span->start, &start)) {
    self->host->skip (self->host, "span", (guint64) (span->at - self->data),
                      "its times are months from those of the first span");
    return NPROF_OK;
  }
  *track = track_of (self, span);
  if (!*track)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for a track");
  status = put_span (self, span, start, *track);
  return status ? status : ot_request (self, span, *track);
}

nprof_status
ot_event (Otlp *self, nprof_track track, nprof_str name, gint64 ns)
{
  gint64 at;
  if (!ot_time (self, ns, &at))
    return NPROF_OK;
  nprof_status status = nprof_instant (self->w, track, name, at);
  if (!status)
    nprof_set_category (self->w, self->event);
  return status;
}
