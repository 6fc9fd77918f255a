/* SPDX-License-Identifier: Apache-2.0 */
/* neuron.c - planes "/host:Neuron-runtime:.../FILE.json", in which torch-neuronx hides whole
 * files: operators as stats of the plane, timelines as one JSON trace event in each stat of
 * an event.  Operators become a table, trace events rows; on request the files are written
 * out again.  Source: torch_neuronx translate_to_tb_neuron.py. */
#include "xplane.h"

const struct nprof_table xp_neuron_table = {
  .size = sizeof xp_neuron_table,
  .name = "neuron_ops",
  .title = "Operators of a Neuron profile",
  .note = "records of neuron_framework_op.json and neuron_hlo_op.json as the runtime wrote them",
  .columns
  = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_STRING, "run", "", "folder that the runtime named"),
                   NPROF_KEY_COLUMN (NPROF_STRING, "file", "", "file that the runtime named"),
                   NPROF_KEY_COLUMN (NPROF_STRING, "op", "", "number of the record"),
                   NPROF_VALUE_COLUMN (NPROF_JSON, "record", "", "the record"))
};

#define PROGRESS_RECORDS 16384

typedef struct {
  Xplane *x;
  const XpGroup *group;
  nprof_str run, file;
  int64_t base; /* ps from the origin of the records' time 0         */
  bool ops;     /* a file of operators                               */
  GString *out; /* the file; NULL: not wanted                        */
  bool first;   /* nothing in its list yet                           */
  uint64_t n_records;
} Neuron;

/* -- The stats of a plane ------------------------------------------------------------ */

typedef nprof_status (*StatFn) (Neuron *n, const XpPlane *plane, const XpValue *value);

static nprof_status
each_stat (Neuron *n, StatFn fn)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < n->group->members->len; i++) {
    const XpPlane *plane = xp_plane (n->x, g_array_index (n->group->members, uint32_t, i));
    for (guint k = 0; k < plane->plane_stats->len && status == NPROF_OK; k++) {
      XpValue value;
      if (xp_value_read (plane->dict, g_array_index (plane->plane_stats, XpSpan, k), &value)
          && value.stat)
        status = fn (n, plane, &value);
    }
  }
  return status;
}

int64_t
xp_neuron_start (const XpPlane *plane)
{
  int64_t start = 0;
  if (xp_plane_kind (plane->name) != XP_OF_NEURON)
    return 0;
  for (guint k = 0; k < plane->plane_stats->len; k++) {
    XpValue value;
    int64_t ns;
    if (xp_value_read (plane->dict, g_array_index (plane->plane_stats, XpSpan, k), &value)
        && value.stat && xp_is (value.stat->name, "neuronStartTimestampNs")
        && xp_value_int (&value, &ns))
      start = ns;
  }
  return start;
}

/* -- Records of operators -------------------------------------------------------------- */

static bool
is_op (const XpValue *value)
{
  return value->kind == XP_VALUE_STR && xp_starts (value->stat->name, "op_");
}

static nprof_status
op_row (Neuron *n, const XpPlane *plane, const XpValue *value)
{
  (void) plane;
  if (!is_op (value))
    return NPROF_OK;
  struct nprof_cell record = xp_text_cell (n->x->host, value->span);
  record.type = record.type == NPROF_NULL ? NPROF_NULL : NPROF_JSON;
  if (record.type == NPROF_JSON && !xp_json_members (value->span, NULL, 0))
    return n->x->host->damage (n->x->host, xp_at (n->x, value->at),
                               "stat: a record of an operator is no JSON object");
  struct nprof_cell cells[]
      = { nprof_cell_str (n->x->input), nprof_cell_str (n->run), nprof_cell_str (n->file),
          nprof_cell_str (xp_stat_text (n->x->host, value->stat)), record };
  if (n->out) {
    g_string_append (n->out, n->first ? "\n" : ",\n");
    g_string_append_len (n->out, (const char *) value->span.p, (gssize) xp_len (value->span));
    n->first = false;
  }
  return n->x->host->row (n->x->host, &xp_neuron_table, cells);
}

/* -- Trace events ------------------------------------------------------------------------ */

enum { M_NAME, M_PH, M_CAT, M_TS, M_DUR, M_PID, M_TID, M_ARGS, N_MEMBERS };

static void
init_members (XpMember *m)
{
  static const char *const names[] = { "name", "ph", "cat", "ts", "dur", "pid", "tid", "args" };
  for (guint i = 0; i < N_MEMBERS; i++)
    m[i] = (XpMember){ names[i], { 0 } };
}

static nprof_str
member_str (Neuron *n, const XpMember *m)
{
  if (!m->value.p)
    return 0;
  g_autofree char *text = xp_json_text (m->value);
  return nprof_intern (n->x->host, text);
}

static nprof_track
process_track (Neuron *n, const XpMember *m, nprof_str label)
{
  nprof_str pid = member_str (n, &m[M_PID]);
  if (!pid)
    return n->group->track;
  return n->x->host->track (n->x->host, n->group->track, NPROF_TRACK_PROCESS, pid, label, 0);
}

static nprof_track
thread_track (Neuron *n, const XpMember *m, nprof_str label)
{
  nprof_track process = process_track (n, m, 0);
  nprof_str tid = member_str (n, &m[M_TID]);
  if (!tid || !process)
    return process;
  return n->x->host->track (n->x->host, process, NPROF_TRACK_THREAD, tid, label, 0);
}

/* Metadata events come anywhere, but labels must be known before the first row. */
static nprof_status
label_record (Neuron *n, XpSpan text)
{
  XpMember m[N_MEMBERS], name[] = { { "name", { 0 } } };
  init_members (m);
  if (!xp_json_members (text, m, N_MEMBERS) || !xp_is (m[M_PH].value, "\"M\"")
      || !xp_json_members (m[M_ARGS].value, name, 1))
    return NPROF_OK;
  nprof_str label = member_str (n, name);
  nprof_track track = n->group->track;
  if (xp_is (m[M_NAME].value, "\"process_name\""))
    track = process_track (n, m, label);
  else if (xp_is (m[M_NAME].value, "\"thread_name\""))
    track = thread_track (n, m, label);
  return track ? NPROF_OK : NPROF_E_NOMEM;
}

static nprof_status
bad_record (Neuron *n, XpSpan text, const char *what)
{
  return n->x->host->damage (n->x->host, xp_at (n->x, text.p), what);
}

static nprof_status
write_record (Neuron *n, const XpMember *m, XpSpan text, uint8_t kind)
{
  int64_t ts, dur = 0, start, end;
  if (!xp_json_us (m[M_TS].value, &ts) || (m[M_DUR].value.p && !xp_json_us (m[M_DUR].value, &dur))
      || dur < 0 || __builtin_add_overflow (n->base, ts, &start)
      || __builtin_add_overflow (start, dur, &end))
    return bad_record (n, text, "trace event: ts and dur must be microseconds within 106 days");
  struct nprof_writer *w = n->x->host->writer (n->x->host);
  nprof_track track = thread_track (n, m, 0);
  if (!w || !track)
    return NPROF_E_NOMEM;
  nprof_status status = nprof_row (w, kind, track, member_str (n, &m[M_NAME]), start, dur);
  if (status)
    return status;
  nprof_set_category (w, member_str (n, &m[M_CAT]));
  XpSpan args = m[M_ARGS].value;
  const struct nprof_host *h = n->x->host;
  if (!args.p || xp_is (args, "null")
      || (!h->wanted (h, "args") && !h->wanted (h, NPROF_WANT_ARGS_OF_FUSED)))
    return NPROF_OK;
  if (!g_utf8_validate_len ((const char *) args.p, xp_len (args), NULL))
    return bad_record (n, text, "trace event: its args are not UTF-8");
  return nprof_attr_bytes (w, nprof_intern (n->x->host, "args"), NPROF_JSON, args.p,
                           (uint32_t) xp_len (args));
}

static nprof_status
trace_record (Neuron *n, XpSpan text)
{
  XpMember m[N_MEMBERS];
  init_members (m);
  if (!xp_json_members (text, m, N_MEMBERS))
    return bad_record (n, text, "trace event: expected a JSON object");
  if (n->out) {
    g_string_append (n->out, n->first ? "\n" : ",\n");
    g_string_append_len (n->out, (const char *) text.p, (gssize) xp_len (text));
    n->first = false;
  }
  if (xp_is (m[M_PH].value, "\"M\""))
    return NPROF_OK;
  if (xp_is (m[M_PH].value, "\"X\""))
    return write_record (n, m, text, NPROF_SPAN);
  if (xp_is (m[M_PH].value, "\"i\"") || xp_is (m[M_PH].value, "\"I\""))
    return write_record (n, m, text, NPROF_INSTANT);
  g_autofree char *what
      = g_strdup_printf ("trace event of phase %.*s", (int) MIN (xp_len (m[M_PH].value), 16),
                         m[M_PH].value.p ? (const char *) m[M_PH].value.p : "");
  n->x->host->skip (n->x->host, what, xp_at (n->x, text.p),
                    "no rule for it in a plane of the Neuron runtime");
  return NPROF_OK;
}

/* -- Events of a plane ----------------------------------------------------------------------- */

typedef nprof_status (*RecordFn) (Neuron *n, XpSpan text);

static nprof_status
event_records (Neuron *n, const XpPlane *plane, XpSpan body, RecordFn fn)
{
  nprof_status status = NPROF_OK;
  XpField f;
  while (status == NPROF_OK && body.p < body.end) {
    if (!xp_field (&body.p, body.end, &f))
      return fn == label_record ? NPROF_OK
                                : xp_damage (n->x, body.p, body.end, XP_EVENT,
                                             g_array_index (n->group->members, uint32_t, 0));
    XpValue value;
    if (f.tag == XP_BYTES (4) && xp_value_read (plane->dict, f.span, &value)
        && value.kind == XP_VALUE_STR)
      status = fn (n, value.span);
    if (status == NPROF_OK && ++n->n_records % PROGRESS_RECORDS == 0)
      status = n->x->host->progress (n->x->host, xp_at (n->x, body.p), xp_at (n->x, body.p));
  }
  return status;
}

static nprof_status
line_records (Neuron *n, const XpPlane *plane, const XpLine *line, RecordFn fn)
{
  nprof_status status = NPROF_OK;
  const uint8_t *p = line->first;
  XpField f;
  while (status == NPROF_OK && p && p < line->last && xp_field (&p, line->last, &f))
    if (f.tag == XP_BYTES (4))
      status = event_records (n, plane, f.span, fn);
  return status;
}

static nprof_status
each_record (Neuron *n, RecordFn fn)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < n->group->members->len; i++) {
    const XpPlane *plane = xp_plane (n->x, g_array_index (n->group->members, uint32_t, i));
    for (uint32_t k = 0; k < plane->n_lines && status == NPROF_OK; k++)
      status = line_records (n, plane, xp_line (n->x, plane->first_line + k), fn);
  }
  return status;
}

/* -- The file ---------------------------------------------------------------------------------- */

/* total_time, displayTimeUnit, neuronStartTimestampNs and what else the plane has. */
static nprof_status
head_member (Neuron *n, const XpPlane *plane, const XpValue *value)
{
  if (is_op (value))
    return NPROF_OK;
  g_autofree char *name
      = g_utf8_make_valid ((const char *) value->stat->name.p, (gssize) xp_len (value->stat->name));
  xp_json_string (n->out, name, strlen (name));
  g_string_append (n->out, ": ");
  xp_value_json (plane->dict, value, n->out);
  g_string_append (n->out, ",\n");
  return NPROF_OK;
}

/* The name comes from the input, so it must consist of harmless characters and not be empty. */
static char *
harmless (const char *text)
{
  char *name = g_strdup_printf ("%.200s", *text ? text : "_");
  for (char *p = name; *p; p++)
    if (!g_ascii_isalnum (*p) && *p != '-' && *p != '_' && (*p != '.' || p == name))
      *p = '_';
  return name;
}

/* The layout is that of torch-neuronx: RUN/FILE. */
static char *
output_name (Neuron *n)
{
  g_autofree char *run = harmless (nprof_text (n->x->host, n->run));
  g_autofree char *file = harmless (nprof_text (n->x->host, n->file));
  return g_build_filename (n->x->extract, run, file, NULL);
}

static nprof_status
write_file (Neuron *n)
{
  g_string_append (n->out, "\n]}\n");
  g_autofree char *name = output_name (n);
  struct nprof_output *out = n->x->host->output (n->x->host, name);
  if (!out)
    return NPROF_E_IO;
  nprof_status status = out->write (out, n->out->str, n->out->len);
  return status ? status : out->close (out);
}

/* Part `back` of the plane's name, counted from its end; torch-neuronx does the same. */
static nprof_str
path_part (Neuron *n, guint back)
{
  g_autofree char *name = g_strndup ((const char *) n->group->name.p, xp_len (n->group->name));
  g_auto (GStrv) parts = g_strsplit (name, "/", -1);
  guint count = g_strv_length (parts);
  return back <= count ? nprof_intern (n->x->host, parts[count - back]) : 0;
}

static nprof_status
read_plane (Neuron *n)
{
  nprof_status status = NPROF_OK;
  if (n->out) {
    g_string_append (n->out, "{");
    status = each_stat (n, head_member);
    g_string_append (n->out, n->ops ? "\"ops\": [" : "\"traceEvents\": [");
  }
  if (status == NPROF_OK)
    status = each_stat (n, op_row);
  if (status == NPROF_OK)
    status = each_record (n, trace_record);
  return status || !n->out ? status : write_file (n);
}

static nprof_status
neuron_plane (Xplane *x, const XpGroup *group)
{
  Neuron n = { .x = x, .group = group, .first = true };
  n.file = path_part (&n, 1);
  n.run = path_part (&n, 7);
  const char *file = nprof_text (x->host, n.file);
  n.ops
      = strcmp (file, "neuron_framework_op.json") == 0 || strcmp (file, "neuron_hlo_op.json") == 0;
  int64_t start = 0;
  for (guint i = 0; i < group->members->len && !start; i++)
    start = xp_neuron_start (xp_plane (x, g_array_index (group->members, uint32_t, i)));
  __int128 base = x->origin && start ? ((__int128) start - x->origin) * XP_PS_PER_NS : 0;
  n.base = (int64_t) base;
  if (n.base != base)
    return x->host->damage (x->host, xp_at (x, group->name.p),
                            "plane: neuronStartTimestampNs is more than 106 days from the origin");
  n.out = *x->extract ? g_string_new (NULL) : NULL;
  nprof_status status = read_plane (&n);
  if (n.out)
    g_string_free (n.out, TRUE);
  return status;
}

nprof_status
xp_neuron (Xplane *x)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < x->groups->len && status == NPROF_OK; i++) {
    Neuron n = { .x = x, .group = xp_group (x, i) };
    if (n.group->kind == XP_OF_NEURON)
      status = each_record (&n, label_record);
  }
  for (guint i = 0; i < x->groups->len && status == NPROF_OK; i++)
    if (xp_group (x, i)->kind == XP_OF_NEURON)
      status = neuron_plane (x, xp_group (x, i));
  return status;
}
