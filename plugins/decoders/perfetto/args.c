/* SPDX-License-Identifier: Apache-2.0 */
/* args.c - reads the annotations of events and the data of GPU work: as JSON, exact to the last bit
 * of an integer, in the order of the file; and those that become attributes of their own. */
#include "perfetto.h"

#include <errno.h>
#include <nprof/json.h>

/* One annotation: its name, and its value by the field that it stands in; 0: it has none. */
typedef struct {
  PbSpan body, name, text;
  const PfEntry *named; /* its name is interned, and is that; NULL: it is `name` */
  guint64 number;
  guint field;
} Arg;

typedef struct {
  const Perfetto *pf;
  const struct nprof_host *host;
  guint32 generation;
  struct nprof_buf *json;
  bool too_deep, has_proto;
} Reader;

static PbSpan
span_of (const struct nprof_host *host, nprof_str text)
{
  size_t len;
  const char *p = host->string (host, text, &len);
  return (PbSpan){ (const guint8 *) p, (const guint8 *) p + len };
}

static PbSpan
name_of (const Reader *r, const Arg *arg)
{
  return arg->named ? span_of (r->host, arg->named->text) : arg->name;
}

/* Returns the rule of args of its name; NULL: there is none. */
static const PfRule *
rule_of (const Reader *r, const Arg *arg)
{
  return arg->named
             ? arg->named->rule
             : pf_rule (r->pf, (const char *) arg->name.p, (gsize) (arg->name.end - arg->name.p));
}

static inline void
take_field (const Reader *r, Arg *arg, const PbField *f)
{
  const guint64 n = f->tag >> 3;
  const bool bytes = (f->tag & 7) == 2;
  if (n == ARG_NAME && bytes) {
    arg->name = f->span;
    arg->named = NULL;
  } else if (n == ARG_NAME_IID && !bytes) {
    arg->name = (PbSpan){ NULL, NULL };
    arg->named = pf_entry (r->pf, r->generation, INTERNED_ARG, f->value);
  } else if (n == ARG_STRING_IID && !bytes) {
    const PfEntry *e = pf_entry (r->pf, r->generation, INTERNED_STRING, f->value);
    arg->field = e ? ARG_STRING : 0;
    arg->text = e ? span_of (r->host, e->text) : arg->text;
  } else if (n >= ARG_BOOL && n <= ARG_PROTO && n != ARG_NAME) {
    const bool is_bytes = n == ARG_STRING || n >= ARG_NESTED;
    if (bytes != is_bytes || arg->field == ARG_MEMBER
        || (arg->field == ARG_ELEMENT && n != ARG_MEMBER))
      return; /* what has members is a dict, or else an array, whatever stands beside */
    arg->field = (guint) n;
    arg->number = f->value;
    arg->text = f->span;
  }
}

static bool
read_arg (const Reader *r, PbSpan body, Arg *arg)
{
  PbField f;
  *arg = (Arg){ .body = body };
  while (body.p < body.end) {
    if (!pb_field (&body.p, body.end, &f))
      return false;
    take_field (r, arg, &f);
  }
  return true;
}

/* -- As JSON ----------------------------------------------------------------------------------- */

static void
put_string (struct nprof_buf *to, PbSpan text)
{
  nprof_put_json_string (to, (const char *) text.p, (size_t) (text.end - text.p), 0);
}

static void put_value (Reader *r, const Arg *arg, guint depth);

static void
put_list (Reader *r, const Arg *list, guint depth)
{
  const bool dict = list->field == ARG_MEMBER;
  PbField f;
  Arg arg;
  bool first = true;
  nprof_put_char (r->json, dict ? '{' : '[');
  for (PbSpan rest = list->body; rest.p < rest.end && pb_field (&rest.p, rest.end, &f);) {
    if (f.tag != PB_BYTES (list->field) || !read_arg (r, f.span, &arg) || !arg.field)
      continue;
    if (!first)
      nprof_put_char (r->json, ',');
    first = false;
    if (dict) {
      put_string (r->json, name_of (r, &arg));
      nprof_put_char (r->json, ':');
    }
    put_value (r, &arg, depth + 1);
  }
  nprof_put_char (r->json, dict ? '}' : ']');
}

/* Values of the older form: {1 type, 2 keys, 3 values, 4 elements, 5 int, 6 double, 7 bool, 8
 * text}. */
static void
put_nested (Reader *r, PbSpan body, guint depth)
{
  PbField f;
  bool dict = false, array = false, first = true;
  PbSpan keys = body;
  for (PbSpan rest = body; rest.p < rest.end && pb_field (&rest.p, rest.end, &f);) {
    dict |= f.tag == PB_BYTES (3);
    array |= f.tag == PB_BYTES (4);
  }
  r->too_deep |= depth > PF_DEPTH;
  if (depth > PF_DEPTH || (!dict && !array)) {
    PbField leaf = { 0 };
    for (PbSpan rest = body; rest.p < rest.end && pb_field (&rest.p, rest.end, &f);)
      if (f.tag >> 3 >= 5 && f.tag >> 3 <= 8)
        leaf = f;
    if (leaf.tag >> 3 == 5)
      nprof_put_i64 (r->json, (int64_t) leaf.value);
    else if (leaf.tag >> 3 == 6)
      nprof_put_json_double (r->json, pf_double (leaf.value));
    else if (leaf.tag >> 3 == 7)
      nprof_put_text (r->json, leaf.value ? "true" : "false");
    else if (leaf.tag == PB_BYTES (8))
      put_string (r->json, leaf.span);
    else
      nprof_put_text (r->json, "null");
    return;
  }
  nprof_put_char (r->json, dict ? '{' : '[');
  for (PbSpan rest = body; rest.p < rest.end && pb_field (&rest.p, rest.end, &f);) {
    if (f.tag != PB_BYTES (dict ? 3 : 4))
      continue;
    if (!first)
      nprof_put_char (r->json, ',');
    first = false;
    if (dict) {
      PbField key = { 0 };
      while (keys.p < keys.end && pb_field (&keys.p, keys.end, &key) && key.tag != PB_BYTES (2))
        continue;
      put_string (r->json, key.tag == PB_BYTES (2) ? key.span : (PbSpan){ NULL, NULL });
      nprof_put_char (r->json, ':');
    }
    put_nested (r, f.span, depth + 1);
  }
  nprof_put_char (r->json, dict ? '}' : ']');
}

static void
put_value (Reader *r, const Arg *arg, guint depth)
{
  switch (arg->field) {
  case ARG_BOOL:
    nprof_put_text (r->json, arg->number ? "true" : "false");
    break;
  case ARG_UINT:
  case ARG_POINTER:
    nprof_put_u64 (r->json, arg->number);
    break;
  case ARG_INT:
    nprof_put_i64 (r->json, (int64_t) arg->number);
    break;
  case ARG_DOUBLE:
    nprof_put_json_double (r->json, pf_double (arg->number));
    break;
  case ARG_STRING:
    put_string (r->json, arg->text);
    break;
  case ARG_JSON:
    nprof_put_json (r->json, (const char *) arg->text.p, (size_t) (arg->text.end - arg->text.p), 0);
    break;
  case ARG_NESTED:
    put_nested (r, arg->text, depth);
    break;
  case ARG_MEMBER:
  case ARG_ELEMENT:
    if (depth < PF_DEPTH) {
      put_list (r, arg, depth);
      break;
    }
    r->too_deep = true;
    nprof_put_text (r->json, "null");
    break;
  default:
    r->has_proto = true;
    nprof_put_text (r->json, "null");
    break;
  }
}

/* -- As attributes ----------------------------------------------------------------------------- */

static bool
whole_number (const Arg *arg, gint64 *i, guint64 *u)
{
  char digits[24], *end;
  const gsize len = (gsize) (arg->text.end - arg->text.p);
  *i = (gint64) arg->number;
  *u = arg->number;
  if (arg->field == ARG_INT || arg->field == ARG_UINT || arg->field == ARG_POINTER)
    return arg->field == ARG_INT || *i >= 0;
  if (arg->field != ARG_STRING || !len || len >= sizeof digits)
    return false;
  memcpy (digits, arg->text.p, len);
  digits[len] = '\0';
  errno = 0;
  *i = g_ascii_strtoll (digits, &end, 10);
  *u = (guint64) *i;
  return !*end && !errno && g_ascii_isdigit (digits[len - 1]) && digits[0] != ' ';
}

static bool
has_attribute (const struct nprof_writer *w, nprof_str key)
{
  for (uint32_t j = w->attr_at[w->n_rows - 1]; j < w->n_attrs; j++)
    if (w->attr_key[j] == key)
      return true;
  return false;
}

static nprof_status
add_text (PfPartState *part, Reader *r, nprof_str key, const Arg *arg)
{
  if (arg->field == ARG_STRING)
    return nprof_attr_str (part->w, key, pf_text (part->host, arg->text));
  struct nprof_buf *json = r->json;
  part->word.len = 0;
  r->json = &part->word;
  put_value (r, arg, 1);
  r->json = json;
  return part->word.failed
             ? NPROF_E_NOMEM
             : nprof_attr_str (part->w, key,
                               part->host->intern (part->host, part->word.data, part->word.len));
}

static nprof_status
add_rule (PfPartState *part, Reader *r, const PfRule *rule, const Arg *arg)
{
  gint64 i;
  guint64 u;
  if (has_attribute (part->w, rule->key))
    return NPROF_OK; /* the first is the value */
  if (rule->type == NPROF_STRING)
    return add_text (part, r, rule->key, arg);
  const bool whole = whole_number (arg, &i, &u);
  if (rule->type == NPROF_INT64)
    return whole ? nprof_attr_int (part->w, rule->key, i) : NPROF_OK; /* it stays in args */
  const bool unsigned_one
      = arg->field == ARG_UINT || arg->field == ARG_POINTER || (whole && i >= 0);
  return unsigned_one ? nprof_attr_uint (part->w, rule->key, u) : NPROF_OK;
}

/* What is kept until it is known whether the row is a collective. */
enum { MOST_PENDING = 16 };

typedef struct {
  Reader r;
  PfPartState *part;
  bool collective;
  guint n_pending;
  const PfRule *rules[MOST_PENDING];
  Arg args[MOST_PENDING];
} Taker;

static void
put_member (Taker *t, const Arg *arg)
{
  if (!t->r.json)
    return;
  nprof_put_char (t->r.json, t->r.json->len ? ',' : '{');
  put_string (t->r.json, name_of (&t->r, arg));
  nprof_put_char (t->r.json, ':');
  put_value (&t->r, arg, 1);
}

/* Adds an attribute that the sink wrote by its key, with its type. */
static nprof_status
add_own (PfPartState *part, Reader *r, const PfRule *rule, const Arg *arg)
{
  struct nprof_buf *json = r->json;
  if (rule->type == NPROF_DOUBLE)
    return arg->field == ARG_DOUBLE
               ? nprof_attr_double (part->w, rule->key, pf_double (arg->number))
               : NPROF_OK;
  if (rule->type != NPROF_JSON)
    return add_rule (part, r, rule, arg);
  part->word.len = 0;
  r->json = &part->word;
  put_value (r, arg, 1);
  r->json = json;
  return part->word.failed ? NPROF_E_NOMEM
                           : nprof_attr_bytes (part->w, rule->key, NPROF_JSON, part->word.data,
                                               (uint32_t) part->word.len);
}

#define LARGE (G_GUINT64_CONSTANT (1) << 53) /* integers beyond it are no exact doubles */

/* In a trace that nprof wrote, args are its own, attributes by their keys, and members of args. */
static nprof_status
take_own (Taker *t, const Arg *arg)
{
  const Perfetto *pf = t->r.pf;
  if (arg->named && !arg->named->own_says && !t->r.json)
    return NPROF_OK;
  Arg plain = *arg;
  plain.name = name_of (&t->r, arg);
  plain.named = NULL;
  const uint8_t type = arg->field == ARG_DOUBLE                          ? NPROF_DOUBLE
                       : arg->field == ARG_INT || arg->field == ARG_UINT ? NPROF_INT64
                                                                         : NPROF_NULL;
  const guint word = arg->named ? arg->named->own_word : pf_own_word (plain.name);
  if (type != NPROF_NULL && pf_own_arg (t->part, word, type, arg->number))
    return NPROF_OK;
  const bool hidden = pf_own_hidden (&plain.name);
  const bool exact = arg->field == ARG_INT || arg->field == ARG_UINT;
  const bool large = exact && (arg->number + LARGE) > 2 * LARGE;
  const PfRule *rule = hidden && !large ? NULL
                       : arg->named     ? arg->named->attribute
                                        : pf_own_rule (pf, plain.name);
  if (!rule)
    put_member (t, &plain);
  return rule && rule->key ? add_own (t->part, &t->r, rule, &plain) : NPROF_OK;
}

static nprof_status
take (Taker *t, const Arg *arg)
{
  const Perfetto *pf = t->r.pf;
  if (pf->own.is)
    return take_own (t, arg);
  put_member (t, arg);
  const PfRule *rule = pf->want_rules ? rule_of (&t->r, arg) : NULL;
  if (!rule)
    return NPROF_OK;
  t->collective |= rule->meaning == RULE_COLLECTIVE;
  if (!rule->key)
    return NPROF_OK;
  if (!rule->group)
    return add_rule (t->part, &t->r, rule, arg);
  if (t->n_pending < MOST_PENDING) {
    t->rules[t->n_pending] = rule;
    t->args[t->n_pending++] = *arg;
  }
  return NPROF_OK;
}

static nprof_status
finish (Taker *t, nprof_str key, const PfPacket *packet)
{
  nprof_status status = NPROF_OK;
  struct nprof_buf *json = t->r.json;
  for (guint i = 0; i < t->n_pending && t->collective && !status; i++)
    status = add_rule (t->part, &t->r, t->rules[i], &t->args[i]);
  if (t->r.too_deep)
    t->part->host->skip (t->part->host, "arg", pf_byte (t->r.pf, packet->place),
                         "it is nested more than 100 levels deep: cut there");
  if (t->r.has_proto)
    t->part->host->skip (t->part->host, "arg", pf_byte (t->r.pf, packet->place),
                         "a message of a type that only its program knows");
  if (status || !json || (!json->len && !json->failed))
    return status;
  nprof_put_char (json, '}');
  if (json->failed || json->len > UINT32_MAX)
    return nprof_fail (t->part->host, NPROF_E_NOMEM, "no memory for the args of an event");
  return nprof_attr_bytes (t->part->w, key, NPROF_JSON, json->data, (uint32_t) json->len);
}

static void
begin (Taker *t, PfPartState *part, guint32 generation, nprof_str key)
{
  const Perfetto *pf = part->walk.pf;
  const nprof_str name = part->w->name[part->w->n_rows - 1];
  t->part = part;
  t->r = (Reader){ pf, part->host, generation, key ? &part->json : NULL, false, false };
  t->n_pending = 0;
  part->json.len = 0;
  t->collective = pf->want_rules && strncmp (nprof_text (part->host, name), "nccl", 4) == 0;
}

/* Takes an arg that the sink itself puts, if it is plain: the number of its name, and its value. */
static inline bool
take_number (PfPartState *part, guint32 generation, PbSpan arg)
{
  const PfNames *names = part->walk.names;
  guint64 iid, number = 0;
  if (arg.p == arg.end || *arg.p != PB_VARINT (ARG_NAME_IID) || names->generation != generation)
    return false;
  const guint8 *p = pb_varint (arg.p + 1, arg.end, &iid);
  if (!p || p == arg.end || iid >= PF_NAMES || !names->words[iid]
      || (*p != PB_VARINT (ARG_INT) && *p != PB_VARINT (ARG_UINT)))
    return false;
  return pb_varint (p + 1, arg.end, &number) == arg.end
         && pf_own_arg (part, names->words[iid], NPROF_INT64, number);
}

nprof_status
pf_add_args (PfPartState *part, guint32 generation, PfArgs args, nprof_str key,
             const PfPacket *packet)
{
  Taker t;
  Arg arg;
  PbSpan body;
  nprof_status status = NPROF_OK;
  begin (&t, part, generation, key);
  const guint8 says = pf_row_says (part->walk.pf, key);
  while (!status && pf_next_arg (&part->walk, generation, says, &args, &body)) {
    if (part->walk.pf->own.is && take_number (part, generation, body))
      continue;
    if (!read_arg (&t.r, body, &arg))
      status = pf_damaged (&part->walk, PF_ROWS, packet, "debug_annotation: a field is cut off");
    else if (arg.field)
      status = take (&t, &arg);
  }
  return status ? status : finish (&t, key, packet);
}

/* -- Work of GPUs ------------------------------------------------------------------------------ */

/* Reads an arg of a kernel: {1 name_iid, 2 name, 3 int, 4 uint, 5 double, 6 text, 7 text's iid}. */
static void
read_kernel_arg (const Reader *r, PbSpan body, Arg *arg)
{
  static const guint fields[]
      = { [3] = ARG_INT, [4] = ARG_UINT, [5] = ARG_DOUBLE, [6] = ARG_STRING };
  PbField f;
  *arg = (Arg){ .body = body };
  while (body.p < body.end && pb_field (&body.p, body.end, &f)) {
    const guint64 n = f.tag >> 3;
    if (n == 1)
      arg->name
          = span_of (r->host, pf_interned (r->pf, r->generation, INTERNED_KERNEL_ARG, f.value));
    else if (n == 2)
      arg->name = f.span;
    else if (n == 7) {
      arg->field = ARG_STRING;
      arg->text = span_of (r->host, pf_interned (r->pf, r->generation, INTERNED_STRING, f.value));
    } else if (n < G_N_ELEMENTS (fields) && fields[n] && ((f.tag & 7) == 2) == (n == 6)) {
      arg->field = fields[n];
      arg->number = f.value;
      arg->text = f.span;
    }
  }
}

static nprof_status
take_texts (Taker *t, PbSpan body)
{
  static const char *const names[]
      = { [2] = "kernel_name", [3] = "kernel_demangled_name", [4] = "arch" };
  PbField f;
  Arg arg;
  nprof_status status = NPROF_OK;
  while (!status && body.p < body.end && pb_field (&body.p, body.end, &f)) {
    const guint64 n = f.tag >> 3;
    if (n == 5) {
      read_kernel_arg (&t->r, f.span, &arg);
    } else if (n < G_N_ELEMENTS (names) && names[n] && (f.tag & 7) == 2) {
      const guint8 *name = (const guint8 *) names[n];
      arg = (Arg){ .name = { name, name + strlen (names[n]) },
                   .text = f.span,
                   .field = ARG_STRING };
    } else {
      continue;
    }
    if (arg.field)
      status = take (t, &arg);
  }
  return status;
}

/* Puts {1 x, 2 y, 3 z} as a list. */
static void
put_dimensions (Taker *t, const char *name, PbSpan body)
{
  PbField f;
  bool first = true;
  if (!t->r.json)
    return;
  nprof_put_char (t->r.json, t->r.json->len ? ',' : '{');
  put_string (t->r.json, (PbSpan){ (const guint8 *) name, (const guint8 *) name + strlen (name) });
  nprof_put_text (t->r.json, ":[");
  while (body.p < body.end && pb_field (&body.p, body.end, &f)) {
    if (!first)
      nprof_put_char (t->r.json, ',');
    first = false;
    nprof_put_u64 (t->r.json, f.value);
  }
  nprof_put_char (t->r.json, ']');
}

static nprof_status
take_launch (Taker *t, PbSpan body)
{
  PbField f;
  Arg arg;
  nprof_status status = NPROF_OK;
  while (!status && body.p < body.end && pb_field (&body.p, body.end, &f)) {
    if (f.tag == PB_BYTES (1))
      put_dimensions (t, "grid", f.span);
    else if (f.tag == PB_BYTES (2))
      put_dimensions (t, "block", f.span);
    else if (f.tag == PB_BYTES (3)) {
      read_kernel_arg (&t->r, f.span, &arg);
      status = arg.field ? take (t, &arg) : NPROF_OK;
    }
  }
  return status;
}

static nprof_status
take_data (Taker *t, PbSpan stage)
{
  PbField f;
  nprof_status status = NPROF_OK;
  while (!status && stage.p < stage.end && pb_field (&stage.p, stage.end, &f)) {
    if (f.tag != PB_BYTES (6))
      continue;
    Arg arg = { .name = pf_bytes (f.span, 1), .text = pf_bytes (f.span, 2), .field = ARG_STRING };
    status = take (t, &arg);
  }
  return status;
}

nprof_status
pf_add_stage_args (PfPartState *part, const PfPacket *packet, const PfStageEvent *e)
{
  const Perfetto *pf = part->walk.pf;
  const guint32 generation = packet->state->generation;
  Taker t;
  begin (&t, part, generation, pf->want_args ? pf->key_args : 0);
  nprof_status status = take_data (&t, e->body);
  const PfEntry *kernel
      = e->has_kernel ? pf_entry (pf, generation, INTERNED_KERNEL, e->kernel) : NULL;
  if (!status && kernel)
    status = take_texts (&t, kernel->message);
  if (!status && e->launch.p)
    status = take_launch (&t, e->launch);
  return status ? status : finish (&t, pf->key_args, packet);
}

/* -- What plan asks ---------------------------------------------------------------------------- */

/* Reads "GPU-0", "GPU [1]"; -1: it is no GPU. */
static gint64
agent_number (PbSpan text)
{
  const char *p = (const char *) text.p, *end = (const char *) text.end;
  const char *gpu = p ? memmem (p, (gsize) (end - p), "GPU", 3) : NULL;
  gint64 number = -1;
  for (p = gpu; p && p < end && !g_ascii_isdigit (*p);)
    p++;
  for (; p && p < end && g_ascii_isdigit (*p) && number < G_MAXINT32 / 10; p++)
    number = MAX (number, 0) * 10 + (*p - '0');
  return number;
}

static void
note_fact (PfFacts *facts, const PfRule *rule, const Arg *arg, gint64 *from)
{
  gint64 i;
  guint64 u;
  const bool whole = whole_number (arg, &i, &u);
  switch (rule->meaning) {
  case RULE_DEVICE:
    facts->device = whole && i <= G_MAXINT32 ? MAX (i, -1) : -1;
    break;
  case RULE_STREAM:
    facts->stream = whole ? MAX (i, -1) : -1;
    break;
  case RULE_AGENT:
  case RULE_TO:
    facts->says |= 1u << rule->meaning;
    if (arg->field == ARG_STRING && facts->agent < 0)
      facts->agent = agent_number (arg->text);
    break;
  case RULE_FROM:
    *from = arg->field == ARG_STRING ? agent_number (arg->text) : -1;
    break;
  case RULE_CORRELATION:
    facts->correlation = whole ? u : facts->correlation;
    break;
  case RULE_BEGIN_NS:
    facts->begin_ns = whole ? i : facts->begin_ns;
    break;
  case RULE_END_NS:
    facts->end_ns = whole ? i : facts->end_ns;
    break;
  default:
    facts->says |= 1u << rule->meaning;
    break;
  }
}

void
pf_facts (PfWalk *w, guint32 generation, const PfEvent *e, guint8 says, PfFacts *facts)
{
  const Perfetto *pf = w->pf;
  Reader r = { pf, pf->host, generation, NULL, false, false };
  Arg arg;
  PfArgs args = { e->body, e->args, e->telling };
  PbSpan body;
  gint64 from = -1;
  *facts = (PfFacts){ -1, -1, -1, 0, PF_NO_TIME, PF_NO_TIME, 0 };
  while (pf_next_arg (w, generation, says, &args, &body)) {
    if (!read_arg (&r, body, &arg))
      continue;
    const PfRule *rule = rule_of (&r, &arg);
    if (rule && rule->meaning)
      note_fact (facts, rule, &arg, &from);
  }
  if (facts->agent < 0)
    facts->agent = from;
}

/* -- Stacks and places ------------------------------------------------------------------------- */

static void
put_frame (struct nprof_buf *to, PbSpan function, PbSpan file, guint64 line)
{
  if (to->len)
    nprof_put_char (to, '\n');
  nprof_put (to, file.p, (size_t) (file.end - file.p));
  if (line) {
    nprof_put_char (to, ':');
    nprof_put_u64 (to, line);
  }
  if (to->len && file.p && function.p)
    nprof_put_char (to, ' ');
  nprof_put (to, function.p, (size_t) (function.end - function.p));
}

static nprof_status
add_word (PfPartState *part, nprof_str key)
{
  if (part->word.failed)
    return nprof_fail (part->host, NPROF_E_NOMEM, "no memory for a stack");
  return part->word.len
             ? nprof_attr_str (part->w, key,
                               part->host->intern (part->host, part->word.data, part->word.len))
             : NPROF_OK;
}

nprof_status
pf_add_stack (PfPartState *part, guint32 generation, PbSpan event)
{
  const Perfetto *pf = part->walk.pf;
  const PbSpan stack = pf_bytes (event, EVENT_STACK);
  PbField f;
  part->word.len = 0;
  for (PbSpan rest = stack; rest.p < rest.end && pb_field (&rest.p, rest.end, &f);)
    if (f.tag == PB_BYTES (1))
      put_frame (&part->word, pf_bytes (f.span, 1), pf_bytes (f.span, 2), pf_number (f.span, 3, 0));
  const PfEntry *interned
      = stack.p ? NULL
                : pf_entry (pf, generation, INTERNED_STACK, pf_number (event, EVENT_STACK_IID, 0));
  guint64 id;
  PfNumbers frames = pf_numbers (interned ? interned->message : (PbSpan){ NULL, NULL }, 2, false);
  while (pf_next_number (&frames, &id)) {
    const PfEntry *frame = pf_entry (pf, generation, INTERNED_FRAME, id);
    const nprof_str function
        = frame ? pf_interned (pf, generation, INTERNED_FUNCTION, pf_number (frame->message, 2, 0))
                : 0;
    if (function)
      put_frame (&part->word, span_of (part->host, function), (PbSpan){ NULL, NULL }, 0);
  }
  return add_word (part, pf->key_stack);
}

nprof_status
pf_add_source (PfPartState *part, guint32 generation, PbSpan event)
{
  const Perfetto *pf = part->walk.pf;
  PbSpan source = pf_bytes (event, EVENT_SOURCE);
  const PfEntry *interned = source.p ? NULL
                                     : pf_entry (pf, generation, INTERNED_SOURCE,
                                                 pf_number (event, EVENT_SOURCE_IID, 0));
  source = interned ? interned->message : source;
  part->word.len = 0;
  if (source.p)
    put_frame (&part->word, (PbSpan){ NULL, NULL }, pf_bytes (source, 2), pf_number (source, 4, 0));
  return add_word (part, pf->key_source);
}
