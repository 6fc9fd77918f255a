/* SPDX-License-Identifier: Apache-2.0 */
/* args.c - gives a row the attributes of an event: well-known members of args by their own keys,
 * args as its source wrote it, and the members of the event that have no place elsewhere. */
#include "trace-event/trace-event.h"

#include "json/text.h"
#include "producers/pytorch.h"

#include <errno.h>

/* producers: Kineto, xprof, SGLang */
const ChArg ch_args[] = {
  { "correlation", NPROF_KEY_CORRELATION_ID, NPROF_UINT64 },
  { "Collective name", NPROF_KEY_COLLECTIVE, NPROF_STRING },
  { "correlation_id", NPROF_KEY_CORRELATION_ID, NPROF_UINT64 },
  { "step_num", NPROF_KEY_STEP, NPROF_INT64 },
  { "stream", NPROF_KEY_STREAM, NPROF_INT64 },
  { "device", "device", NPROF_INT64 },
  { "bytes", NPROF_KEY_BYTES, NPROF_INT64 },
  { "Bytes", NPROF_KEY_BYTES, NPROF_INT64 },
  { "External id", "external_id", NPROF_UINT64 },
  { "external id", "external_id", NPROF_UINT64 },
  { "step", NPROF_KEY_STEP, NPROF_INT64 },
  { "group_id", NPROF_KEY_STEP, NPROF_INT64 }, /* of xprof, as in XSpace */
  { "flops", NPROF_KEY_FLOPS, NPROF_INT64 },
  { "model_flops", NPROF_KEY_MODEL_FLOPS, NPROF_INT64 },
  { "bytes_accessed", NPROF_KEY_BYTES_ACCESSED, NPROF_INT64 },
  { "run_id", NPROF_KEY_RUN_ID, NPROF_UINT64 },
  { "program_id", NPROF_KEY_PROGRAM_ID, NPROF_UINT64 },
  { "hlo_op", NPROF_KEY_HLO_OP, NPROF_STRING },
  { "hlo_module", NPROF_KEY_HLO_MODULE, NPROF_STRING },
  { "hlo_category", NPROF_KEY_HLO_CATEGORY, NPROF_STRING },
  { "tf_op", NPROF_KEY_FRAMEWORK_OP, NPROF_STRING },
  { "source", NPROF_KEY_SOURCE, NPROF_STRING },
  { "wait_on_stream", "wait_on_stream", NPROF_INT64 },
  { "wait_on_cuda_event_record_corr_id", "wait_on_cuda_event_record_corr_id", NPROF_INT64 },
  { "rid", "rid", NPROF_STRING },
  /* These are in traces that nprof wrote; elsewhere the names may mean something else. */
  { "framework_op", NPROF_KEY_FRAMEWORK_OP, NPROF_STRING, true },
  { "deduplicated_name", NPROF_KEY_DEDUPLICATED, NPROF_STRING, true },
  { "hlo_text", NPROF_KEY_HLO_TEXT, NPROF_STRING, true },
  { "device_offset", NPROF_KEY_DEVICE_OFFSET, NPROF_INT64, true },
  { "device_duration", NPROF_KEY_DEVICE_DURATION, NPROF_INT64, true },
  { "bytes_read", NPROF_KEY_BYTES_READ, NPROF_INT64, true },
  { "bytes_written", NPROF_KEY_BYTES_WRITTEN, NPROF_INT64, true },
  { NULL, NULL, 0 },
};
G_STATIC_ASSERT (G_N_ELEMENTS (ch_args) - 1 <= TE_MOST_KEYS); /* the last ends them */
/* These are places in ch_args: steps are told by them too, and collectives. */
enum { ARG_CORRELATION, ARG_COLLECTIVE, ARG_CORRELATION_ID, ARG_STEP_NUMBER };

/* Returns the key when somebody reads it, else 0. */
static nprof_str
wanted (Chrome *c, const char *key, bool *want)
{
  *want = c->host->wanted (c->host, key);
  c->want_any |= *want;
  return nprof_intern (c->host, key);
}

/* Those who ask for some rows get what the file states of any. */
static nprof_str
wanted_as_stated (Chrome *c, const char *key, bool *want)
{
  nprof_str handle = wanted (c, key, want);
  *want |= c->host->row_want (c->host, key, 0) != NULL;
  c->want_any |= *want;
  return handle;
}

/* Looks for an arg unless nobody wants its attribute. */
static void
look_for (Chrome *c, unsigned arg)
{
  if (!c->arg_key[arg])
    te_keys_add (&c->arg_keys, arg, ch_args[arg].key);
  c->want_arg = true;
}

/* Gives requests more than they ask when there are more than there is room for, or names that the
 * scanner cannot look for. */
static void
ask_for_args_of (Chrome *c, const struct nprof_row_want *want)
{
  c->want_any = true;
  if (c->n_args_of == G_N_ELEMENTS (c->args_of)) {
    c->want_args = true;
    return;
  }
  ChArgsOf *of = &c->args_of[c->n_args_of++];
  size_t len = want->member ? strlen (want->member) : 0;
  of->kinds = want->kinds ? want->kinds : ~0u;
  if (len < 2 || len + 3 > sizeof of->member || !g_str_is_ascii (want->member))
    return;
  of->len = (size_t) g_snprintf (of->member, sizeof of->member, "\"%s\"", want->member);
  te_pairs_add (&of->pairs, want->member);
}

void
ch_wants (Chrome *c)
{
  bool always;
  c->key_phase = wanted (c, "phase", &c->want_phase);
  c->key_async_id = wanted (c, "async_id", &c->want_async_id);
  c->key_args = wanted (c, "args", &c->want_args);
  const struct nprof_row_want *request;
  for (uint32_t i = 0; !c->want_args && (request = c->host->row_want (c->host, "args", i)); i++)
    ask_for_args_of (c, request);
  c->key_end_args = wanted (c, "end_args", &c->want_end_args);
  c->key_fields = wanted (c, "fields", &c->want_fields);
  c->key_text = wanted (c, "text", &c->want_text);
  c->key_layer
      = c->host->wanted (c->host, NPROF_KEY_LAYER) ? nprof_intern (c->host, NPROF_KEY_LAYER) : 0;
  for (gsize i = 0; ch_args[i].key; i++) {
    bool want;
    nprof_str key = wanted_as_stated (c, ch_args[i].attribute, &want);
    c->arg_key[i] = want ? key : 0;
    c->want_arg |= want;
    if (want)
      te_keys_add (&c->arg_keys, (unsigned) i, ch_args[i].key);
  }
  if (c->host->wanted (c->host, NPROF_KEY_STEP)) {
    look_for (c, ARG_CORRELATION);
    look_for (c, ARG_CORRELATION_ID);
  }
  if (ch_collective_wants (c))
    look_for (c, ARG_COLLECTIVE);
  ch_shapes_want (c);
  ch_allocator_want (c);
  c->want_any |= c->want_shapes || c->want_allocator;
  c->key_source = wanted_as_stated (c, NPROF_KEY_SOURCE, &c->want_source);
  bool any = c->want_any;
  c->key_flow_phase = wanted (c, NPROF_KEY_FLOW_PHASE, &always);
  c->key_value = wanted (c, NPROF_KEY_VALUE, &always);
  c->key_launch = wanted (c, NPROF_KEY_LAUNCH, &c->want_launch);
  c->key_step = nprof_intern (c->host, NPROF_KEY_STEP);
  c->want_any = any;
}

/* -- Members of args --------------------------------------------------------------- */

/* Reads a whole number beyond int64, written as people write it. */
static bool
large_number (const TeValue *v, uint64_t *u)
{
  char text[21], *end;
  if ((v->kind != TE_WORD && v->kind != TE_TEXT) || v->len < 19 || v->len >= sizeof text
      || *v->p == '0')
    return false;
  memcpy (text, v->p, v->len);
  text[v->len] = '\0';
  for (const char *p = text; *p; p++)
    if (!g_ascii_isdigit (*p))
      return false;
  errno = 0;
  *u = g_ascii_strtoull (text, &end, 10);
  return errno == 0;
}

/* A whole number below 2^63; writers that know no whole numbers write 7.0. */
bool
ch_arg_number (const TeValue *v, int64_t *i)
{
  return te_whole (v, i) || (v->kind == TE_WORD && ch_whole_number (v, i));
}

static nprof_status
add_arg (ChPart *part, const ChArg *arg, nprof_str key, const TeValue *v)
{
  int64_t i;
  uint64_t u;
  if (arg->own && !part->c->own.is)
    return NPROF_OK;
  if (arg->type == NPROF_STRING)
    return v->kind == TE_TEXT ? nprof_attr_str (part->w, key, ch_name (part->names, v)) : NPROF_OK;
  bool fits = ch_arg_number (v, &i);
  if (arg->type == NPROF_INT64)
    return fits ? nprof_attr_int (part->w, key, i) : NPROF_OK; /* it stays in args */
  if (fits)
    return i >= 0 ? nprof_attr_uint (part->w, key, (uint64_t) i) : NPROF_OK;
  return large_number (v, &u) ? nprof_attr_uint (part->w, key, u) : NPROF_OK;
}

uint64_t
ch_arg_id (const TeValue *v)
{
  int64_t i;
  uint64_t u;
  if (ch_arg_number (v, &i))
    return i > 0 ? (uint64_t) i : 0;
  return large_number (v, &u) ? u : 0;
}

/* SGLang's converter numbers arrows between requests in args, by the name of Kineto's ids of
 * launches. */
static bool
numbers_arrows (const TeEvent *event)
{
  return te_has (event, TE_CAT) && te_text_is (&event->value[TE_CAT], "sglang");
}

static nprof_status
add_args (ChPart *part, const TeEvent *event)
{
  const Chrome *c = part->c;
  const TeValue *args = &event->value[TE_ARGS];
  const TeScanner *with = part->scan.with;
  TeWalk walk
      = { args->p + 1, with->mention (args->p, args->p + args->len, &c->arg_keys.pairs), 0 };
  TeScan s = { .controls = &part->controls,
               .with = with, .shapes = part->arg_shapes, .end = part->scan.end };
  TeValue value, step = { .kind = TE_NONE };
  bool collective = false;
  nprof_status status = NPROF_OK;
  for (unsigned i;
       !status && (i = with->wanted (&s, &walk, &c->arg_keys, &value)) < TE_MOST_KEYS;) {
    if (i == ARG_CORRELATION && numbers_arrows (event))
      continue; /* it stays in args */
    if (i == ARG_CORRELATION || i == ARG_CORRELATION_ID)
      part->correlation = ch_launch_of (c, event, ch_arg_id (&value));
    collective |= i == ARG_COLLECTIVE;
    if (i == ARG_STEP_NUMBER)
      step = value;
    else if (c->arg_key[i])
      status = add_arg (part, &ch_args[i], c->arg_key[i], &value);
  }
  if (!status && step.p && !ch_has_attr (part->w, c->key_step)) /* a group's is above it */
    status = add_arg (part, &ch_args[ARG_STEP_NUMBER], c->key_step, &step);
  if (!status && c->by_rank && c->want_launch && part->correlation)
    status = nprof_attr_uint (part->w, c->key_launch, part->correlation);
  if (status || !c->want_collective || !(collective || ch_may_be_collective (part, event)))
    return status;
  return ch_collective (part, event);
}

/* -- Values as they stand ------------------------------------------------------------- */

static bool
has_place (const TeValue *key)
{
  static const char *const keys[] = { "ph", "ts", "dur", "pid", "tid", "name", "cat", "args" };
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    if (te_text_is (key, keys[i]))
      return true;
  return false;
}

/* Adds the other members, as an object. */
static nprof_status
add_fields (ChPart *part, const TeEvent *event)
{
  TeScan s = { .controls = &part->controls, .with = part->scan.with, .end = event->end };
  TeValue key, value;
  g_autoptr (GString) json = g_string_new ("{");
  const char *next;
  for (const char *p = event->at + 1; (next = te_member (&s, p, &key, &value)); p = next) {
    if (has_place (&key))
      continue;
    const char *from = key.p - 1;
    if (json->len > 1)
      g_string_append_c (json, ',');
    g_string_append_len (json, from, next - from);
  }
  if (json->len == 1)
    return NPROF_OK;
  g_string_append_c (json, '}');
  return ch_attr_json (part, part->c->key_fields, json->str, json->len);
}

static nprof_status
add_async_id (ChPart *part, const TeEvent *event)
{
  const TeValue *id = &event->value[te_has (event, TE_ID) ? TE_ID : TE_ID2];
  nprof_str key = part->c->key_async_id;
  if (id->len < 64 && !id->escaped && g_utf8_validate (id->p, (gssize) id->len, NULL))
    return nprof_attr_bytes (part->w, key, NPROF_TEXT, id->p, (uint32_t) id->len);
  g_autofree char *plain = g_malloc (id->len + 1);
  size_t len = te_unescape (plain, id->p, id->len);
  g_autofree char *text = g_utf8_make_valid (plain, (gssize) len);
  return nprof_attr_bytes (part->w, key, NPROF_TEXT, text,
                           (uint32_t) MIN (strlen (text), UINT32_MAX));
}

static nprof_status
add_phase (ChPart *part, const TeEvent *event)
{
  const TeValue *ph = &event->value[TE_PH];
  return nprof_attr_str (part->w, part->c->key_phase, ch_name (part->names, ph));
}

#define CH_PLACELESS (~0u << TE_ID) /* fields without a column of their own */

static bool
is_asked_for (const ChPart *part, const ChArgsOf *of, const TeValue *args)
{
  if (!(of->kinds & 1u << part->w->kind[part->w->n_rows - 1]))
    return false;
  return !of->len
         || (part->scan.with->mention (args->p, args->p + args->len, &of->pairs)
             && memmem (args->p, args->len, of->member, of->len));
}

/* Returns whether somebody reads args of the row that was just begun. */
static bool
wants_args (const ChPart *part, const TeEvent *event)
{
  const Chrome *c = part->c;
  const TeValue *args = &event->value[TE_ARGS];
  if (c->want_args || !te_has (event, TE_ARGS))
    return c->want_args;
  for (unsigned i = 0; i < c->n_args_of; i++)
    if (is_asked_for (part, &c->args_of[i], args))
      return true;
  return false;
}

bool
ch_has_attr (const struct nprof_writer *w, nprof_str key)
{
  for (uint32_t j = w->attr_at[w->n_rows - 1]; j < w->n_attrs; j++)
    if (w->attr_key[j] == key)
      return true;
  return false;
}

/* Adds what the event is called where its row is called by the number of its step. */
static nprof_status
add_text (ChPart *part, const TeEvent *event)
{
  nprof_str text = ch_text (part, event, TE_NAME);
  if (!part->c->step_name || !text || text == part->w->name[part->w->n_rows - 1])
    return NPROF_OK;
  return nprof_attr_str (part->w, part->c->key_text, text);
}

static nprof_status
add_step (ChPart *part, const TeEvent *event)
{
  struct nprof_writer *w = part->w;
  int64_t number;
  if (!ch_step_of (part, event, w->start[w->n_rows - 1], &number)
      || ch_has_attr (w, part->c->key_step))
    return NPROF_OK;
  return nprof_attr_int (w, part->c->key_step, number);
}

/* Frames of Python say by their name where in the program they are. */
static nprof_status
add_source (ChPart *part, const TeEvent *event)
{
  struct nprof_writer *w = part->w;
  uint32_t line;
  if (!te_has (event, TE_CAT) || !te_text_is (&event->value[TE_CAT], PYTORCH_FRAME)
      || ch_has_attr (w, part->c->key_source))
    return NPROF_OK;
  const char *name = nprof_text (part->host, w->name[w->n_rows - 1]);
  const size_t len = pytorch_frame_file (name, &line);
  if (!len)
    return NPROF_OK;
  g_autofree char *place = g_strdup_printf ("%.*s:%u", (int) len, name, line);
  const TeValue source = { .p = place, .len = strlen (place), .kind = TE_TEXT };
  return nprof_attr_str (w, part->c->key_source,
                         strchr (place, '\\') /* a file would write that as two */
                             ? nprof_intern (part->host, place)
                             : ch_name (part->names, &source));
}

nprof_status
ch_attrs (ChPart *part, const TeEvent *event, const TeEvent *end)
{
  const Chrome *c = part->c;
  part->correlation = 0;
  nprof_status status = c->want_phase ? add_phase (part, event) : NPROF_OK;
  if (!status && c->want_async_id && (te_has (event, TE_ID) || te_has (event, TE_ID2)))
    status = add_async_id (part, event);
  if (!status && c->want_arg && te_has (event, TE_ARGS) && event->value[TE_ARGS].kind == TE_OBJECT)
    status = add_args (part, event);
  if (!status && c->want_shapes && te_has (event, TE_ARGS)
      && event->value[TE_ARGS].kind == TE_OBJECT)
    status = ch_shape (part, event);
  if (!status && c->want_allocator && te_has (event, TE_ARGS)
      && event->value[TE_ARGS].kind == TE_OBJECT)
    status = ch_allocator (part, event);
  if (!status && c->want_source)
    status = add_source (part, event);
  if (!status && c->steps)
    status = add_step (part, event);
  if (!status && c->graphs)
    status = ch_graph_attrs (part, event);
  if (!status && c->want_text && event->ph == 'X')
    status = add_text (part, event);
  if (!status && wants_args (part, event))
    status = ch_attr_args (part, c->key_args, event);
  if (!status && end && c->want_end_args)
    status = ch_attr_args (part, c->key_end_args, end);
  if (!status && c->want_fields && event->has & CH_PLACELESS)
    status = add_fields (part, event);
  return status;
}
