/* SPDX-License-Identifier: Apache-2.0 */
/* spans.c - goes through a document of OTLP: resources, their scopes, their spans. */
#include "json/text.h"
#include "otlp.h"

#include <string.h>

typedef struct {
  OtReader r;
  Otlp *self;
  nprof_track process;
} Walk;

typedef nprof_status Take (Walk *w, const TeValue *object);

static nprof_status
damaged (Walk *w)
{
  return nprof_damage (w->self->host, (guint64) (w->r.scan.bad - w->self->data),
                       "this file of spans cannot be read on: %s", w->r.scan.why);
}

/* Takes the objects of an array. */
static nprof_status
each (Walk *w, const TeValue *array, Take *take)
{
  TeValue item;
  nprof_status status = NPROF_OK;
  w->r.scan.why = NULL;
  if (array->kind != TE_ARRAY)
    return NPROF_OK;
  for (const char *p = te_inside (array); !status && (p = te_item (&w->r.scan, p, array, &item));)
    if (item.kind == TE_OBJECT)
      status = take (w, &item);
  return status || !w->r.scan.why ? status : damaged (w);
}

/* -- A span ---------------------------------------------------------------- */

static void
take_attributes (Walk *w, OtSpan *span, const TeValue *array)
{
  TeValue item;
  for (const char *p = te_inside (array); (p = te_item (&w->r.scan, p, array, &item));) {
    if (item.kind != TE_OBJECT)
      continue;
    const TeValue key = ot_member (&w->r, &item, "key"), value = ot_member (&w->r, &item, "value");
    ot_attribute (&w->r, span, &key, &value, true);
  }
}

static gint64
kind_of (const TeValue *value)
{
  return value->kind == TE_INT ? value->i : te_text_is (value, "SPAN_KIND_CLIENT") ? 3
         : te_text_is (value, "SPAN_KIND_SERVER")                                  ? 2
                                                                                   : 0;
}

static bool
is_error (Walk *w, const TeValue *status)
{
  const TeValue code = ot_member (&w->r, status, "code");
  return (code.kind == TE_INT && code.i == 2) || te_text_is (&code, "STATUS_CODE_ERROR");
}

/* 0: none, or not positive. */
static gint64
ns_of (const TeValue *value)
{
  int64_t ns;
  return te_whole (value, &ns) && ns > 0 ? ns : 0;
}

static nprof_status
take_events (Walk *w, nprof_track track, const TeValue *events)
{
  TeValue item;
  nprof_status status = NPROF_OK;
  for (const char *p = te_inside (events);
       !status && (p = te_item (&w->r.scan, p, events, &item));) {
    const TeValue name = ot_member (&w->r, &item, "name"),
                  at = ot_member (&w->r, &item, "timeUnixNano");
    const nprof_str text = te_str (w->self->host, &name);
    if (text && ns_of (&at))
      status = ot_event (w->self, track, text, ns_of (&at));
  }
  return status;
}

static nprof_status
take_span (Walk *w, const TeValue *object)
{
  TeValue key, value, events = { .kind = TE_NONE };
  OtSpan span;
  guint8 id[8], parent[8] = { 0 };
  bool has_trace = false, has_id = false;
  nprof_track track = 0;
  ot_span_clear (w->self, &span, object->p);
  span.process = w->process;
  for (const char *p = te_inside (object); (p = te_member (&w->r.scan, p, &key, &value));) {
    if (te_text_is (&key, "traceId"))
      has_trace = ot_id (&value, span.trace, sizeof span.trace);
    else if (te_text_is (&key, "spanId"))
      has_id = ot_id (&value, id, sizeof id);
    else if (te_text_is (&key, "parentSpanId"))
      ot_id (&value, parent, sizeof parent);
    else if (te_text_is (&key, "name"))
      span.name = te_str (w->self->host, &value);
    else if (te_text_is (&key, "kind"))
      span.kind = kind_of (&value);
    else if (te_text_is (&key, "startTimeUnixNano"))
      span.start = ns_of (&value);
    else if (te_text_is (&key, "endTimeUnixNano"))
      span.end = ns_of (&value);
    else if (te_text_is (&key, "attributes"))
      take_attributes (w, &span, &value);
    else if (te_text_is (&key, "status"))
      span.error = is_error (w, &value);
    else if (te_text_is (&key, "events"))
      events = value;
  }
  if (w->r.scan.why)
    return damaged (w);
  span.id = has_id ? ot_number_of_id (id) : 0;
  span.parent = ot_number_of_id (parent);
  if (!has_trace || !span.id) {
    w->self->host->skip (w->self->host, "span", (guint64) (object->p - w->self->data),
                         "its traceId or spanId is no id");
    return NPROF_OK;
  }
  nprof_status status = ot_write (w->self, &span, &track);
  return status || !track || events.kind != TE_ARRAY ? status : take_events (w, track, &events);
}

/* -- Resources ------------------------------------------------------------- */

static nprof_status
take_scope (Walk *w, const TeValue *object)
{
  const TeValue spans = ot_member (&w->r, object, "spans");
  nprof_status status = each (w, &spans, take_span);
  return status ? status
                : w->self->host->progress (w->self->host, 0, (guint64) (object->p - w->self->data));
}

static void
take_resource_attribute (Walk *w, const TeValue *item, nprof_str *service, nprof_str *machine,
                         char **pid)
{
  const TeValue key = ot_member (&w->r, item, "key"), value = ot_member (&w->r, item, "value");
  TeValue as, inner;
  if (value.kind != TE_OBJECT || !te_member (&w->r.scan, value.p + 1, &as, &inner))
    return;
  if (te_text_is (&key, "service.name"))
    *service = te_str (w->self->host, &inner);
  else if (te_text_is (&key, "host.name"))
    *machine = te_str (w->self->host, &inner);
  else if (te_text_is (&key, "process.pid") && !*pid)
    *pid = g_strndup (inner.p, MIN (inner.len, 20));
}

static nprof_track
process_of (Walk *w, const TeValue *resource)
{
  const TeValue attributes = ot_member (&w->r, resource, "attributes");
  nprof_str service = 0, machine = 0;
  g_autofree char *pid = NULL;
  TeValue item;
  for (const char *p = te_inside (&attributes); (p = te_item (&w->r.scan, p, &attributes, &item));)
    if (item.kind == TE_OBJECT)
      take_resource_attribute (w, &item, &service, &machine, &pid);
  return ot_process (w->self, service, machine, pid ? pid : "");
}

/* Scopes had another name until OTLP 0.15. */
static nprof_status
take_resource (Walk *w, const TeValue *object)
{
  const TeValue resource = ot_member (&w->r, object, "resource");
  TeValue scopes = ot_member (&w->r, object, "scopeSpans");
  if (scopes.kind != TE_ARRAY)
    scopes = ot_member (&w->r, object, "instrumentationLibrarySpans");
  w->process = process_of (w, &resource);
  return w->process ? each (w, &scopes, take_scope)
                    : nprof_fail (w->self->host, NPROF_E_NOMEM, "no memory for a track");
}

nprof_status
ot_document (Otlp *self, const TeValue *document)
{
  Walk w
      = { .r = { { .with = self->with, .end = document->p + document->len }, self }, .self = self };
  TeValue key, value;
  nprof_status status = NPROF_OK;
  for (const char *p = te_inside (document);
       !status && (p = te_member (&w.r.scan, p, &key, &value));) {
    const bool others = te_text_is (&key, "resourceMetrics") || te_text_is (&key, "resourceLogs");
    if (te_text_is (&key, "resourceSpans"))
      status = each (&w, &value, take_resource);
    else if (te_text_is (&key, "data") && value.kind == TE_ARRAY)
      status = ot_jaeger (self, &value);
    else if (others)
      self->host->skip (self->host, key.p[8] == 'M' ? "metrics" : "logs",
                        (guint64) (key.p - self->data), "they are no spans");
    w.r.scan.why = NULL;
  }
  return status || !w.r.scan.why ? status : damaged (&w);
}
