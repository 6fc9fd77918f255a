/* SPDX-License-Identifier: Apache-2.0 */
/* jaeger.c - goes through what Jaeger's API gives: traces, each with its spans and the processes
 * that they are of. Its times are whole microseconds. */
#include "json/text.h"
#include "otlp.h"

#include <string.h>

typedef struct {
  OtReader r;
  Otlp *self;
  TeValue processes;
} Walk;

static nprof_track
process_of (Walk *w, const TeValue *id)
{
  TeValue key, value;
  for (const char *p = te_inside (&w->processes);
       w->processes.kind == TE_OBJECT && (p = te_member (&w->r.scan, p, &key, &value));)
    if (id->kind == TE_TEXT && key.len == id->len && memcmp (key.p, id->p, id->len) == 0) {
      const TeValue name = ot_member (&w->r, &value, "serviceName");
      return ot_process (w->self, te_str (w->self->host, &name), 0, "");
    }
  return ot_process (w->self, 0, 0, "");
}

static guint64
parent_of (Walk *w, const TeValue *references)
{
  TeValue item;
  guint8 id[8];
  for (const char *p = te_inside (references); (p = te_item (&w->r.scan, p, references, &item));) {
    const TeValue type = ot_member (&w->r, &item, "refType"),
                  span = ot_member (&w->r, &item, "spanID");
    if (te_text_is (&type, "CHILD_OF") && ot_id (&span, id, sizeof id))
      return ot_number_of_id (id);
  }
  return 0;
}

static void
take_tags (Walk *w, OtSpan *span, const TeValue *tags)
{
  TeValue item;
  for (const char *p = te_inside (tags); (p = te_item (&w->r.scan, p, tags, &item));) {
    const TeValue key = ot_member (&w->r, &item, "key"), value = ot_member (&w->r, &item, "value");
    const bool yes = te_text_is (&value, "true")
                     || (value.kind == TE_WORD && value.len == 4 && !memcmp (value.p, "true", 4));
    if (key.kind != TE_TEXT)
      continue;
    span->error |= (te_text_is (&key, "error") && yes)
                   || (te_text_is (&key, "otel.status_code") && te_text_is (&value, "ERROR"));
    if (te_text_is (&key, "span.kind"))
      span->kind = te_text_is (&value, "client") ? 3 : te_text_is (&value, "server") ? 2 : 0;
    ot_attribute (&w->r, span, &key, &value, false);
  }
}

/* Returns ns of whole microseconds; 0: it is none. */
static gint64
time_of (const TeValue *value)
{
  int64_t us;
  gint64 ns;
  return te_whole (value, &us) && us > 0 && !__builtin_mul_overflow (us, 1000, &ns) ? ns : 0;
}

static nprof_status
take_span (Walk *w, const TeValue *object)
{
  OtSpan span;
  guint8 id[8];
  nprof_track track;
  int64_t us;
  ot_span_clear (w->self, &span, object->p);
  const TeValue trace = ot_member (&w->r, object, "traceID"),
                own = ot_member (&w->r, object, "spanID"),
                name = ot_member (&w->r, object, "operationName"),
                process = ot_member (&w->r, object, "processID"),
                start = ot_member (&w->r, object, "startTime"),
                lasts = ot_member (&w->r, object, "duration"),
                tags = ot_member (&w->r, object, "tags"),
                references = ot_member (&w->r, object, "references");
  if (!ot_id (&trace, span.trace, sizeof span.trace) || !ot_id (&own, id, sizeof id)) {
    w->self->host->skip (w->self->host, "span", (guint64) (object->p - w->self->data),
                         "its traceID or spanID is no id");
    return NPROF_OK;
  }
  span.id = ot_number_of_id (id);
  span.parent = parent_of (w, &references);
  span.name = te_str (w->self->host, &name);
  span.process = process_of (w, &process);
  span.start = time_of (&start);
  if (te_whole (&lasts, &us) && us >= 0 && us < G_MAXINT64 / 2000 && span.start
      && __builtin_add_overflow (span.start, us * 1000, &span.end))
    span.end = 0;
  take_tags (w, &span, &tags);
  return span.process ? ot_write (w->self, &span, &track)
                      : nprof_fail (w->self->host, NPROF_E_NOMEM, "no memory for a track");
}

static nprof_status
take_trace (Walk *w, const TeValue *object)
{
  const TeValue spans = ot_member (&w->r, object, "spans");
  TeValue item;
  nprof_status status = NPROF_OK;
  w->processes = ot_member (&w->r, object, "processes");
  for (const char *p = te_inside (&spans); !status && (p = te_item (&w->r.scan, p, &spans, &item));)
    if (item.kind == TE_OBJECT)
      status = take_span (w, &item);
  return status;
}

nprof_status
ot_jaeger (Otlp *self, const TeValue *data)
{
  Walk w = { .r = { { .with = self->with, .end = data->p + data->len }, self }, .self = self };
  TeValue item;
  nprof_status status = NPROF_OK;
  for (const char *p = te_inside (data); !status && (p = te_item (&w.r.scan, p, data, &item));)
    if (item.kind == TE_OBJECT)
      status = take_trace (&w, &item);
  if (status || !w.r.scan.why)
    return status;
  return nprof_damage (self->host, (guint64) (w.r.scan.bad - self->data),
                       "this file of spans cannot be read on: %s", w.r.scan.why);
}
