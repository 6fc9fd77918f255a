/* SPDX-License-Identifier: Apache-2.0 */
/* collective.c - reads what an event says of a collective: its group of ranks and its elements.
 * Few events are collectives, so their args are walked a second time and those of all others not at
 * all. */
#include "profile/collective-keys.h"
#include "trace-event/trace-event.h"

#define LONGEST 4096 /* bytes: longer values stay in args */

/* The names of Kineto come before those that nprof writes, so that they count.
 * producers: output_json.cpp of Kineto */
const ChArg ch_collective_args[CH_COLLECTIVE_ARGS] = {
  { "Process Group Name", COLLECTIVE_KEY_GROUP, NPROF_STRING },
  { "Process Group ID", COLLECTIVE_KEY_GROUP, NPROF_STRING }, /* until 2024 */
  { "Process Group Description", COLLECTIVE_KEY_GROUP_LABEL, NPROF_STRING },
  { "Process Group Ranks", COLLECTIVE_KEY_GROUP_RANKS, NPROF_STRING },
  { "Group size", COLLECTIVE_KEY_GROUP_SIZE, NPROF_INT64 },
  { "Comms Id", COLLECTIVE_KEY_COMMUNICATOR, NPROF_STRING },
  { "Seq", COLLECTIVE_KEY_SEQUENCE, NPROF_INT64 },
  { "In msg nelems", COLLECTIVE_KEY_ELEMENTS_IN, NPROF_INT64 },
  { "Out msg nelems", COLLECTIVE_KEY_ELEMENTS_OUT, NPROF_INT64 },
  { "dtype", COLLECTIVE_KEY_DTYPE, NPROF_STRING },
  { "Dst Rank", COLLECTIVE_KEY_PEER, NPROF_INT64 },
  { "Src Rank", COLLECTIVE_KEY_PEER, NPROF_INT64 },
  { "External id", COLLECTIVE_KEY_OPERATOR, NPROF_UINT64 },
  { COLLECTIVE_KEY_GROUP, COLLECTIVE_KEY_GROUP, NPROF_STRING, true },
  { COLLECTIVE_KEY_GROUP_LABEL, COLLECTIVE_KEY_GROUP_LABEL, NPROF_STRING, true },
  { COLLECTIVE_KEY_GROUP_RANKS, COLLECTIVE_KEY_GROUP_RANKS, NPROF_STRING, true },
  { COLLECTIVE_KEY_GROUP_SIZE, COLLECTIVE_KEY_GROUP_SIZE, NPROF_INT64, true },
  { COLLECTIVE_KEY_COMMUNICATOR, COLLECTIVE_KEY_COMMUNICATOR, NPROF_STRING, true },
  { COLLECTIVE_KEY_SEQUENCE, COLLECTIVE_KEY_SEQUENCE, NPROF_INT64, true },
  { COLLECTIVE_KEY_ELEMENTS_IN, COLLECTIVE_KEY_ELEMENTS_IN, NPROF_INT64, true },
  { COLLECTIVE_KEY_ELEMENTS_OUT, COLLECTIVE_KEY_ELEMENTS_OUT, NPROF_INT64, true },
  { COLLECTIVE_KEY_PEER, COLLECTIVE_KEY_PEER, NPROF_INT64, true },
  { COLLECTIVE_KEY_OPERATOR, COLLECTIVE_KEY_OPERATOR, NPROF_UINT64, true },
};

bool
ch_collective_wants (Chrome *c)
{
  for (gsize i = 0; i < CH_COLLECTIVE_ARGS; i++) {
    const char *attribute = ch_collective_args[i].attribute;
    bool want = c->host->wanted (c->host, attribute);
    c->collective_key[i] = want ? nprof_intern (c->host, attribute) : 0;
    c->want_collective |= want;
  }
  return c->want_collective;
}

nprof_str
ch_collective_key (const Chrome *c, const char *attribute)
{
  gsize i = 0;
  while (i < CH_COLLECTIVE_ARGS && strcmp (ch_collective_args[i].attribute, attribute) != 0)
    i++;
  return i < CH_COLLECTIVE_ARGS ? c->collective_key[i] : 0;
}

/* Returns whether it may be a collective.  Kernels of NCCL and RCCL say no more than their names in
 * traces before 2024; the operator that has their external id does, and until PyTorch 2.1 the
 * arguments of what they are launched in.  In traces that nprof wrote the args may be those of
 * another format. */
bool
ch_may_be_collective (const ChPart *part, const TeEvent *event)
{
  const TeValue *name = &event->value[TE_NAME], *args = &event->value[TE_ARGS];
  if (part->c->own.is)
    return memmem (args->p, args->len, "\"" COLLECTIVE_KEY_DTYPE "\"",
                   strlen (COLLECTIVE_KEY_DTYPE) + 2)
           || memmem (args->p, args->len, "\"" COLLECTIVE_KEY_GROUP_SIZE "\"",
                      strlen (COLLECTIVE_KEY_GROUP_SIZE) + 2)
           || memmem (args->p, args->len, "\"" COLLECTIVE_KEY_GROUP_RANKS "\"",
                      strlen (COLLECTIVE_KEY_GROUP_RANKS) + 2);
  return te_has (event, TE_NAME) && name->len > 4
         && (memcmp (name->p, "nccl", 4) == 0 || te_text_is (name, TORCH_COMMS));
}

/* Returns text as it is; numbers and lists as they are written. */
static nprof_str
text_of (ChPart *part, const TeValue *v)
{
  TeValue plain = *v;
  if (v->len > LONGEST || v->kind == TE_OBJECT)
    return 0;
  if (v->kind != TE_TEXT)
    plain.escaped = false;
  return ch_name (part->names, &plain);
}

static nprof_status
add (ChPart *part, const ChArg *arg, nprof_str key, const TeValue *v)
{
  int64_t i = v->i;
  if (arg->type == NPROF_STRING) {
    nprof_str text = text_of (part, v);
    return text ? nprof_attr_str (part->w, key, text) : NPROF_OK;
  }
  bool fits = v->kind == TE_INT || (v->kind == TE_TEXT && te_int (v->p, v->p + v->len, &i));
  if (fits && arg->type == NPROF_UINT64)
    return i >= 0 ? nprof_attr_uint (part->w, key, (uint64_t) i) : NPROF_OK;
  return fits ? nprof_attr_int (part->w, key, i) : NPROF_OK;
}

static gsize
find (const Chrome *c, const TeValue *key)
{
  gsize i = 0;
  while (i < CH_COLLECTIVE_ARGS
         && (!c->collective_key[i] || (ch_collective_args[i].own && !c->own.is)
             || !te_text_is (key, ch_collective_args[i].key)))
    i++;
  return i;
}

nprof_status
ch_collective (ChPart *part, const TeEvent *event)
{
  const Chrome *c = part->c;
  const TeValue *args = &event->value[TE_ARGS];
  TeScan s = { .controls = &part->controls, .with = part->scan.with, .end = args->p + args->len };
  TeValue key, found[CH_COLLECTIVE_ARGS];
  uint32_t there = 0;
  const char *next;
  TeValue value;
  for (const char *p = args->p + 1; (next = te_member (&s, p, &key, &value)); p = next) {
    gsize i = find (c, &key);
    if (i < CH_COLLECTIVE_ARGS) {
      found[i] = value;
      there |= 1u << i;
    }
  }
  nprof_status status = NPROF_OK;
  for (gsize i = 0; i < CH_COLLECTIVE_ARGS && !status; i++)
    if (there >> i & 1 && !ch_has_attr (part->w, c->collective_key[i]))
      status = add (part, &ch_collective_args[i], c->collective_key[i], &found[i]);
  const nprof_str elements = ch_collective_key (c, COLLECTIVE_KEY_ELEMENTS_IN);
  if (status || c->own.is || !elements || ch_has_attr (part->w, elements))
    return status;
  return ch_collective_arguments (part, event);
}
