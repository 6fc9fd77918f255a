/* SPDX-License-Identifier: Apache-2.0 */
/* attributes.c - takes what attributes of a span say of a request, and all of them as JSON. */
#include "json/text.h"
#include "otlp.h"

#include <string.h>

#define DEPTH 16

TeValue
ot_member (OtReader *r, const TeValue *object, const char *name)
{
  TeValue key, value, found = { .kind = TE_NONE };
  for (const char *p = te_inside (object);
       object->kind == TE_OBJECT && (p = te_member (&r->scan, p, &key, &value));)
    if (te_text_is (&key, name))
      found = value;
  return found;
}

void
ot_span_clear (Otlp *self, OtSpan *span, const char *at)
{
  g_string_truncate (self->args, 0);
  *span = (OtSpan){ .at = at, .args = self->args, .pid = UNKNOWN, .tp_rank = UNKNOWN };
  for (guint i = 0; i < OT_N_FIGURES; i++)
    span->figure[i] = UNKNOWN;
}

/* -- Values ---------------------------------------------------------------- */

static void put_value (OtReader *r, GString *to, const TeValue *value, bool typed, guint depth);

static void
put_list (OtReader *r, GString *to, const TeValue *object, bool pairs, guint depth)
{
  TeValue key, values, item;
  const char *p = te_inside (object);
  g_string_append_c (to, pairs ? '{' : '[');
  while ((p = te_member (&r->scan, p, &key, &values))) {
    if (!te_text_is (&key, "values"))
      continue;
    bool first = true;
    for (const char *q = te_inside (&values); (q = te_item (&r->scan, q, &values, &item));
         first = false) {
      TeValue name = { .kind = TE_NONE }, value = item, k, v;
      for (const char *m = te_inside (&item);
           pairs && item.kind == TE_OBJECT && (m = te_member (&r->scan, m, &k, &v));) {
        name = te_text_is (&k, "key") ? v : name;
        value = te_text_is (&k, "value") ? v : value;
      }
      if (pairs && name.kind != TE_TEXT)
        continue;
      g_string_append (to, first ? "" : ",");
      if (pairs)
        g_string_append_printf (to, "\"%.*s\":", (int) MIN (name.len, 4096), name.p);
      put_value (r, to, &value, true, depth);
    }
  }
  g_string_append_c (to, pairs ? '}' : ']');
}

/* Unwraps {"stringValue": X} into *value, and its key into *as; false: it is no such object. */
static bool
unwrap (OtReader *r, const TeValue *object, TeValue *value, TeValue *as)
{
  return object->kind == TE_OBJECT && te_member (&r->scan, te_inside (object), as, value);
}

static void
put_value (OtReader *r, GString *to, const TeValue *value, bool typed, guint depth)
{
  TeValue inner, as = { .kind = TE_NONE };
  if (typed && !unwrap (r, value, &inner, &as)) {
    g_string_append (to, "null");
    return;
  }
  const TeValue *v = typed ? &inner : value;
  int64_t i;
  if ((te_text_is (&as, "arrayValue") || te_text_is (&as, "kvlistValue")) && v->kind == TE_OBJECT)
    if (depth)
      put_list (r, to, v, te_text_is (&as, "kvlistValue"), depth - 1);
    else
      g_string_append (to, "null");
  else if (v->kind == TE_TEXT && te_text_is (&as, "intValue") && te_whole (v, &i))
    g_string_append_len (to, v->p, (gssize) v->len);
  else if (v->kind == TE_TEXT)
    g_string_append_len (to, v->p - 1, (gssize) v->len + 2);
  else
    g_string_append_len (to, v->p, (gssize) v->len);
}

/* -- What requests need ---------------------------------------------------- */

static void
take_seconds (OtSpan *span, OtFigure figure, const TeValue *v)
{
  gint64 ps;
  if ((v->kind == TE_INT || v->kind == TE_WORD) && ot_decimal (v->p, v->len, 12, &ps))
    span->figure[figure] = ps;
}

static void
take_count (OtSpan *span, OtFigure figure, const TeValue *v)
{
  int64_t n;
  if (te_whole (v, &n) && n >= 0)
    span->figure[figure] = n;
}

static bool
take_figure (OtSpan *span, const TeValue *key, const TeValue *v)
{
  static const struct {
    const char *key;
    OtFigure figure;
    bool seconds;
  } figures[] = { { "gen_ai.latency.time_to_first_token", OT_TTFT, true },
                  { "gen_ai.latency.e2e", OT_E2E, true },
                  { "gen_ai.latency.time_in_queue", OT_QUEUE, true },
                  { "gen_ai.latency.time_in_model_prefill", OT_PREFILL, true },
                  { "gen_ai.latency.time_in_model_decode", OT_DECODE, true },
                  { "gen_ai.usage.prompt_tokens", OT_PROMPT, false },
                  { "gen_ai.usage.input_tokens", OT_PROMPT, false },
                  { "gen_ai.usage.completion_tokens", OT_OUTPUT, false },
                  { "gen_ai.usage.output_tokens", OT_OUTPUT, false },
                  { "gen_ai.usage.cached_tokens", OT_CACHED, false },
                  { "prompt_tokens", OT_PROMPT, false },       /* of TGI, as texts */
                  { "generated_tokens", OT_OUTPUT, false } };
  for (gsize i = 0; i < G_N_ELEMENTS (figures); i++)
    if (te_text_is (key, figures[i].key)) {
      (figures[i].seconds ? take_seconds : take_count) (span, figures[i].figure, v);
      return true;
    }
  return false;
}

static void
take_known (OtReader *r, OtSpan *span, const TeValue *key, const TeValue *v)
{
  const struct nprof_host *host = r->self->host;
  gint64 ps;
  int64_t n;
  span->latencies |= key->len > 15 && memcmp (key->p, "gen_ai.latency.", 15) == 0;
  if (take_figure (span, key, v))
    return;
  if (te_text_is (key, "gen_ai.request.id")) {
    span->rid = te_str (host, v);
    span->named = true;
  } else if (te_text_is (key, "rid")) {
    span->rid = te_str (host, v);
  } else if (te_text_is (key, "thread_label")) {
    span->thread = te_str (host, v);
  } else if (te_text_is (key, "pid")) {
    span->pid = te_whole (v, &n) ? n : UNKNOWN;
  } else if (te_text_is (key, "tp_rank")) {
    span->tp_rank = te_whole (v, &n) ? n : UNKNOWN;
  } else if (te_text_is (key, "queue_time") && v->kind == TE_TEXT) {
    span->queue_time = ot_rust_duration (v->p, v->len, &ps);
    span->figure[OT_QUEUE] = span->queue_time ? ps : span->figure[OT_QUEUE];
  } else if (te_text_is (key, "inference_time") && v->kind == TE_TEXT) {
    span->inference_time = ot_rust_duration (v->p, v->len, &ps);
  }
}

void
ot_attribute (OtReader *r, OtSpan *span, const TeValue *key, const TeValue *value, bool typed)
{
  TeValue inner, as;
  if (key->kind != TE_TEXT)
    return;
  if (!typed || unwrap (r, value, &inner, &as))
    take_known (r, span, key, typed ? &inner : value);
  if (!r->self->want[OT_KEY_ARGS] || value->kind == TE_NONE)
    return;
  g_string_append (span->args, span->args->len ? "," : "");
  g_string_append_len (span->args, key->p - 1, (gssize) key->len + 2);
  g_string_append_c (span->args, ':');
  put_value (r, span->args, value, typed, DEPTH);
}

nprof_track
ot_process (Otlp *self, nprof_str service, nprof_str machine, const char *pid)
{
  const struct nprof_host *host = self->host;
  const char *name = service ? nprof_text (host, service) : "unknown service";
  g_autofree char *key = g_strdup_printf ("%s %s %s", name,
                                          machine ? nprof_text (host, machine) : "", pid);
  return host->track (host, 0, NPROF_TRACK_PROCESS, nprof_intern (host, key),
                      nprof_intern (host, name), 0);
}
