/* SPDX-License-Identifier: Apache-2.0 */
/* neuron-timeline.c - writes rows of a timeline of torch-neuronx: each stat of an event of its
 * plane is one JSON trace event. neuron-device.c knows which of them are work of the device. */
#include "neuron.h"

#include <nprof/keys.h>

#define PROGRESS_RECORDS 16384

enum { M_NAME, M_PH, M_CAT, M_TS, M_DUR, M_PID, M_TID, M_ARGS, N_MEMBERS };

static void
init_members (XpMember *m)
{
  static const char *const names[] = { "name", "ph", "cat", "ts", "dur", "pid", "tid", "args" };
  for (guint i = 0; i < N_MEMBERS; i++)
    m[i] = (XpMember){ names[i], { 0 } };
}

static nprof_str
member_str (NeuronTimeline *t, const XpMember *m)
{
  if (!m->value.p)
    return 0;
  g_autofree char *text = xp_json_text (m->value);
  return nprof_intern (t->x->host, text);
}

void
neuron_add_record (GString *records, bool *more, PbSpan text)
{
  g_string_append (records, *more ? ",\n" : "\n");
  g_string_append_len (records, (const char *) text.p, (gssize) xp_len (text));
  *more = true;
}

static bool
is_span (const XpMember *m)
{
  return xp_is (m[M_PH].value, "\"X\"");
}

/* Reads times in ps; FALSE: not within 106 days of the origin, or no numbers. */
static bool
read_times (const NeuronTimeline *t, const XpMember *m, int64_t *start, int64_t *duration)
{
  int64_t ts, end;
  *duration = 0;
  return xp_json_us (m[M_TS].value, &ts)
         && (!m[M_DUR].value.p || xp_json_us (m[M_DUR].value, duration)) && *duration >= 0
         && !__builtin_add_overflow (t->base, ts, start)
         && !__builtin_add_overflow (*start, *duration, &end);
}

/* -- Before the first row: labels, which stand anywhere, and where spans lie ------------- */

static void
look_at_label (NeuronTimeline *t, const XpMember *m)
{
  XpMember name[] = { { "name", { 0 } } };
  if (!xp_json_members (m[M_ARGS].value, name, 1))
    return;
  nprof_str pid = member_str (t, &m[M_PID]), label = member_str (t, name);
  if (xp_is (m[M_NAME].value, "\"process_name\""))
    neuron_device_label (t->device, pid, 0, label);
  else if (xp_is (m[M_NAME].value, "\"thread_name\""))
    neuron_device_label (t->device, pid, member_str (t, &m[M_TID]), label);
}

/* Looks at a label, or a span: the device learns from both which of its threads hold work. */
static nprof_status
look_at_record (NeuronTimeline *t, PbSpan text)
{
  XpMember m[N_MEMBERS];
  init_members (m);
  if (!xp_json_members (text, m, N_MEMBERS))
    return NPROF_OK;
  int64_t start, duration;
  if (xp_is (m[M_PH].value, "\"M\""))
    look_at_label (t, m);
  else if (is_span (m) && read_times (t, m, &start, &duration))
    neuron_device_span (t->device, &(NeuronSpan){ .pid = member_str (t, &m[M_PID]),
                                                  .tid = member_str (t, &m[M_TID]),
                                                  .name = member_str (t, &m[M_NAME]),
                                                  .start = start,
                                                  .end = start + duration });
  return NPROF_OK;
}

/* -- Rows --------------------------------------------------------------------------------- */

static nprof_status
bad_record (NeuronTimeline *t, PbSpan text, const char *what)
{
  return t->x->host->damage (t->x->host, xp_at (t->x, text.p), what);
}

static nprof_status
set_text (struct nprof_writer *w, const struct nprof_host *h, const char *key, nprof_str value)
{
  return value && h->wanted (h, key) ? nprof_attr_str (w, nprof_intern (h, key), value) : NPROF_OK;
}

/* Sets the category of work of the device, which its process tells; that of the file stays beside
 * it. */
static nprof_status
set_work (NeuronTimeline *t, struct nprof_writer *w, const NeuronPlace *place, const XpMember *m,
          uint32_t number)
{
  nprof_status status = set_text (w, t->x->host, "cat", member_str (t, &m[M_CAT]));
  if (status == NPROF_OK && place->hlo)
    status = set_text (w, t->x->host, NPROF_KEY_HLO_OP, member_str (t, &m[M_NAME]));
  if (status == NPROF_OK && is_span (m))
    status = set_text (w, t->x->host, NPROF_KEY_FRAMEWORK_OP,
                       neuron_device_framework (t->device, number));
  return status;
}

static nprof_status
set_args (NeuronTimeline *t, struct nprof_writer *w, PbSpan text, PbSpan args)
{
  const struct nprof_host *h = t->x->host;
  if (!args.p || xp_is (args, "null") || !nprof_wanted_of (h, "args", NPROF_SPAN))
    return NPROF_OK;
  if (!g_utf8_validate_len ((const char *) args.p, xp_len (args), NULL))
    return bad_record (t, text, "trace event: its args are not UTF-8");
  return nprof_attr_bytes (w, nprof_intern (h, "args"), NPROF_JSON, args.p,
                           (uint32_t) xp_len (args));
}

static nprof_status
write_record (NeuronTimeline *t, const XpMember *m, PbSpan text, uint8_t kind)
{
  int64_t start, duration;
  if (!read_times (t, m, &start, &duration))
    return bad_record (t, text, "trace event: ts and dur must be microseconds within 106 days");
  uint32_t number = kind == NPROF_SPAN ? t->n_spans++ : 0;
  struct nprof_writer *w = t->x->host->writer (t->x->host);
  const NeuronPlace *place
      = neuron_device_place (t->device, member_str (t, &m[M_PID]), member_str (t, &m[M_TID]));
  if (!w || !place)
    return NPROF_E_NOMEM;
  nprof_status status
      = nprof_row (w, kind, place->track, member_str (t, &m[M_NAME]), start, duration);
  if (status)
    return status;
  nprof_set_category (w, place->category ? place->category : member_str (t, &m[M_CAT]));
  status = place->category ? set_work (t, w, place, m, number) : NPROF_OK;
  return status ? status : set_args (t, w, text, m[M_ARGS].value);
}

static nprof_status
read_record (NeuronTimeline *t, PbSpan text)
{
  XpMember m[N_MEMBERS];
  init_members (m);
  if (!xp_json_members (text, m, N_MEMBERS))
    return bad_record (t, text, "trace event: expected a JSON object");
  if (t->records)
    neuron_add_record (t->records, &t->more, text);
  if (t->copy || xp_is (m[M_PH].value, "\"M\""))
    return NPROF_OK;
  if (is_span (m))
    return write_record (t, m, text, NPROF_SPAN);
  if (xp_is (m[M_PH].value, "\"i\"") || xp_is (m[M_PH].value, "\"I\""))
    return write_record (t, m, text, NPROF_INSTANT);
  g_autofree char *what
      = g_strdup_printf ("trace event of phase %.*s", (int) MIN (xp_len (m[M_PH].value), 16),
                         m[M_PH].value.p ? (const char *) m[M_PH].value.p : "");
  t->x->host->skip (t->x->host, what, xp_at (t->x, text.p),
                    "no rule for it in a plane of the Neuron runtime");
  return NPROF_OK;
}

/* -- Events of a plane ---------------------------------------------------------------------- */

typedef nprof_status (*RecordFn) (NeuronTimeline *t, PbSpan text);

static nprof_status
event_records (NeuronTimeline *t, const XpPlane *plane, PbSpan body, RecordFn fn)
{
  nprof_status status = NPROF_OK;
  PbField f;
  while (status == NPROF_OK && body.p < body.end) {
    if (!pb_field (&body.p, body.end, &f))
      return fn != read_record ? NPROF_OK : xp_damage (t->x, body.p, body.end, XP_EVENT);
    XpValue value;
    if (f.tag == PB_BYTES (4) && xp_value_read (plane->dict, f.span, &value)
        && value.kind == XP_VALUE_STR)
      status = fn (t, value.span);
    if (status == NPROF_OK && ++t->n_records % PROGRESS_RECORDS == 0)
      status = t->x->host->progress (t->x->host, xp_at (t->x, body.p), xp_at (t->x, body.p));
  }
  return status;
}

static nprof_status
line_records (NeuronTimeline *t, const XpPlane *plane, const XpLine *line, RecordFn fn)
{
  nprof_status status = NPROF_OK;
  const uint8_t *p = line->first;
  PbField f;
  while (status == NPROF_OK && p && p < line->last && pb_field (&p, line->last, &f))
    if (f.tag == PB_BYTES (4))
      status = event_records (t, plane, f.span, fn);
  return status;
}

static nprof_status
each_record (NeuronTimeline *t, RecordFn fn)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < t->group->members->len; i++) {
    const XpPlane *plane = xp_plane (t->x, g_array_index (t->group->members, uint32_t, i));
    for (uint32_t k = 0; k < plane->n_lines && status == NPROF_OK; k++)
      status = line_records (t, plane, xp_line (t->x, plane->first_line + k), fn);
  }
  return status;
}

static nprof_status
digest_record (NeuronTimeline *t, PbSpan text)
{
  uint64_t len = xp_len (text);
  if (!t->digest)
    t->digest = g_checksum_new (G_CHECKSUM_SHA256);
  g_checksum_update (t->digest, (const guchar *) &len, sizeof len);
  g_checksum_update (t->digest, text.p, (gssize) len);
  return NPROF_OK;
}

char *
neuron_timeline_digest (NeuronTimeline *t)
{
  char *digest = NULL;
  if (each_record (t, digest_record) == NPROF_OK && t->digest)
    digest = g_strdup (g_checksum_get_string (t->digest));
  g_clear_pointer (&t->digest, g_checksum_free);
  return digest;
}

nprof_status
neuron_timeline (NeuronTimeline *t)
{
  t->device
      = neuron_device_new (t->x->host, t->group->track, t->group->kind == XP_OF_NEURON_DEVICE);
  nprof_status status = each_record (t, look_at_record);
  if (status == NPROF_OK)
    status = each_record (t, read_record);
  g_clear_pointer (&t->device, neuron_device_free);
  return status;
}
