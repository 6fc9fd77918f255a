/* SPDX-License-Identifier: Apache-2.0 */
/* row-operator.c - finds the fusion that a row belongs to.  Rows that share a set of attributes
 * mostly are of one: it is remembered for each set. */
#include "fusion.h"

#include "devicekit/bytes.h"
#include "devicekit/set-memory.h"
#include "members.h"

#include <nprof/keys.h>

enum {
  AT_HLO_OP,
  AT_MODULE,
  AT_CATEGORY,
  AT_PROGRAM,
  AT_DEDUPLICATED,
  AT_OFFSET,
  AT_DURATION,
  AT_ARGS,
  AT_FRAMEWORK_OP
};
static const char *const keys[] = { NPROF_KEY_HLO_OP,          NPROF_KEY_HLO_MODULE,
                                    NPROF_KEY_HLO_CATEGORY,    NPROF_KEY_PROGRAM_ID,
                                    NPROF_KEY_DEDUPLICATED,    NPROF_KEY_DEVICE_OFFSET,
                                    NPROF_KEY_DEVICE_DURATION, "args",
                                    NPROF_KEY_FRAMEWORK_OP,    NULL };

/* Rows of a set that are of one input and name are of this fusion. */
struct _Known {
  AnOfSet of;
  Which which;
};

nprof_status
fusion_row_operator_open (Fusion *self)
{
  self->known = g_new0 (Known, AN_SETS);
  self->seen_names = g_byte_array_new ();
  return nprof_reader_init (&self->pick, self->host, keys);
}

void
fusion_row_operator_clear (Fusion *self)
{
  g_clear_pointer (&self->known, g_free);
  g_clear_pointer (&self->seen_names, g_byte_array_unref);
  nprof_reader_clear (&self->pick);
}

/* -- Each distinct operator once --------------------------------------------------------------- */

static nprof_str
program_text (const Fusion *self, nprof_str module, guint64 program)
{
  const char *name = nprof_text (self->host, module);
  if (!program || g_str_has_suffix (name, ")"))
    return module;
  g_autofree char *both
      = g_strdup_printf (*name ? "%s(%" G_GUINT64_FORMAT ")" : "%s%" G_GUINT64_FORMAT, name,
                         program);
  return nprof_intern (self->host, both);
}

/* Returns 0 when it is none.  XLA's category says it, else the program, else, without one, the
 * name. */
static nprof_str
category_of (Fusion *self, const guint32 *op, const Instruction *in)
{
  const char *category = nprof_text (self->host, op[OP_CATEGORY]);
  if (fusion_is_category (category))
    return op[OP_CATEGORY];
  if (in && in->opcode != self->opcode_fusion)
    return 0;
  if (in) {
    g_autofree char *kind = fusion_category_of_kind (nprof_text (self->host, in->kind));
    return nprof_intern (self->host, kind);
  }
  bool guess = op[OP_GPU]
               && !fusion_has_program (self, op[OP_INPUT], (guint64) op[OP_HIGH] << 32 | op[OP_LOW])
               && fusion_is_name (nprof_text (self->host, op[OP_NAME]));
  return guess ? nprof_intern (self->host, "fusion (by name)") : 0;
}

static guint32
classify (Fusion *self, const guint32 *op)
{
  guint32 id[ID_WORDS] = { op[OP_INPUT], op[OP_LOW], op[OP_HIGH], op[OP_NAME] };
  const Instruction *in = fusion_instruction (self, id);
  nprof_str category = category_of (self, op, in);
  if (!category)
    return NO_GROUP;
  if (op[OP_DEDUPLICATED])
    id[ID_NAME] = op[OP_DEDUPLICATED];
  guint32 number = fusion_group (self, id);
  Group *group = fusion_at (self, number);
  group->has_events = TRUE;
  if (!group->category)
    group->category = category;
  if (in && in->program) /* the program may lack the clone that came first */
    group->program = in->program;
  else if (!group->program)
    group->program = program_text (self, op[OP_MODULE], (guint64) op[OP_HIGH] << 32 | op[OP_LOW]);
  /* A clone has the name that the group is named after, else the first name. */
  if (in
      && (!group->source || op[OP_NAME] == id[ID_NAME]
          || (group->source != id[ID_NAME]
              && strcmp (nprof_text (self->host, op[OP_NAME]),
                         nprof_text (self->host, group->source))
                     < 0)))
    group->source = op[OP_NAME];
  return number;
}

/* Returns the operator of the row that was picked. */
static Which
picked (Fusion *self, nprof_str row_name)
{
  uint64_t program = 0;
  nprof_reader_uint (&self->pick, AT_PROGRAM, &program);
  nprof_str hlo_op = nprof_reader_str (&self->pick, AT_HLO_OP), name = hlo_op;
  nprof_str category = nprof_reader_str (&self->pick, AT_CATEGORY);
  bool gpu = hlo_op && !category;
  if (gpu && strstr (nprof_text (self->host, hlo_op), "::"))
    name = nprof_intern (self->host, fusion_last_part (nprof_text (self->host, hlo_op)));
  const guint32 op[OP_WORDS] = {
    [OP_INPUT] = self->input,
    [OP_LOW] = (guint32) program,
    [OP_HIGH] = (guint32) (program >> 32),
    [OP_NAME] = name ? name : row_name,
    [OP_CATEGORY] = category,
    [OP_DEDUPLICATED] = nprof_reader_str (&self->pick, AT_DEDUPLICATED),
    [OP_MODULE] = nprof_reader_str (&self->pick, AT_MODULE),
    [OP_GPU] = gpu,
  };
  guint32 number = an_key_table_get (&self->op_ids, op);
  if (number == self->ops->len) {
    const guint32 id[ID_WORDS] = { op[OP_INPUT], op[OP_LOW], op[OP_HIGH], op[OP_NAME] };
    guint32 group = classify (self, op);
    an_key_table_get (&self->seen, id);
    np_large_array_extend (self->ops, number + 1);
    g_array_index (self->ops, Op, number).group = group;
  }
  return (Which){ g_array_index (self->ops, Op, number).group, gpu };
}

/* It stands apart, so that the usual case saves no registers. */
static __attribute__ ((noinline)) void
remember (Fusion *self, Known *k, nprof_set set, nprof_str name)
{
  k->of = an_of_set (&self->pick, AT_OFFSET, AT_DURATION, set, self->input, name, 0);
  k->which = picked (self, name);
}

/* Returns what the args of the row that was picked list as fused; NULL: nothing. */
static char **
listed_members (const Fusion *self)
{
  const struct nprof_field *args = &self->pick.field[AT_ARGS];
  if (args->type != NPROF_JSON)
    return NULL;
  const char *json = args->bytes + args->value.bytes.at;
  if (!g_strstr_len (json, args->value.bytes.len, "\"fused\""))
    return NULL;
  return fusion_members_of_args (json, args->value.bytes.len);
}

/* Looks at each name of the input once. */
static void
see_name (Fusion *self, nprof_str name)
{
  const guint32 id[ID_WORDS] = { self->input, 0, 0, name };
  guint8 *seen = an_byte_of (self->seen_names, name);
  if (!*seen)
    an_key_table_get (&self->seen, id);
  *seen = 1;
}

/* Takes what the row that was picked says beside its set: which operators were fused, and the
 * operator of the framework, which it stands for on the timeline. */
static void
take_row (Fusion *self, guint32 number)
{
  Group *group = number == NO_GROUP ? NULL : fusion_at (self, number);
  nprof_str path = nprof_reader_str (&self->pick, AT_FRAMEWORK_OP);
  if (group && !group->members && (group->members = listed_members (self)))
    group->category = nprof_intern (self->host, "fusion");
  if (path)
    see_name (self, path);
}

static __attribute__ ((noinline)) Which
pick_all (Fusion *self, const struct nprof_batch *batch, uint32_t i, AnClock *clock)
{
  nprof_reader_row (&self->pick, batch, i);
  *clock = an_clock (&self->pick, AT_OFFSET, AT_DURATION);
  Which which = picked (self, batch->name[i]);
  take_row (self, which.group);
  return which;
}

/* Returns the fusion of the row's set alone, unless rows of the set differ. */
Which
fusion_of_work (Fusion *self, guint8 own, const struct nprof_batch *batch, uint32_t i,
                AnClock *clock)
{
  nprof_set set = an_set_of_row (&self->pick, AT_OFFSET, AT_DURATION, own, batch, i, clock);
  if (!set)
    return pick_all (self, batch, i, clock);
  nprof_str name = batch->name[i];
  Known *k = self->known + set % AN_SETS;
  if (G_UNLIKELY (!an_of_set_is (&k->of, set, self->input, name, 0))) {
    remember (self, k, set, name);
    nprof_reader_row (&self->pick, batch, i); /* with what is its own */
    take_row (self, k->which.group);
  }
  return k->of.has_clock ? pick_all (self, batch, i, clock) : k->which;
}

nprof_str
fusion_framework_op (Fusion *self, const struct nprof_batch *batch, uint32_t i)
{
  nprof_reader_row (&self->pick, batch, i);
  return nprof_reader_str (&self->pick, AT_FRAMEWORK_OP);
}

/* Returns whether all that the row says is at most a clock of its own, as for most rows of
 * hosts. */
static bool
says_nothing (Fusion *self, const struct nprof_batch *batch, uint32_t i, AnClock *clock)
{
  nprof_set set = batch->shared ? batch->shared[i] : 0;
  if (!an_own_clock (&self->pick, AT_OFFSET, AT_DURATION, batch, i, clock))
    return false;
  const struct nprof_field *field = set ? nprof_reader_set (&self->pick, set) : NULL;
  return !field || !(field[AT_OFFSET].type || field[AT_DURATION].type || field[AT_ARGS].type);
}

/* Returns the fusion of a row of the Neuron runtime's timelines, which list in their args what was
 * fused. */
Which
fusion_of_args (Fusion *self, const struct nprof_batch *batch, uint32_t i, AnClock *clock)
{
  const Which none = { NO_GROUP, false };
  see_name (self, batch->name[i]);
  if (says_nothing (self, batch, i, clock))
    return none;
  nprof_reader_row (&self->pick, batch, i);
  *clock = an_clock (&self->pick, AT_OFFSET, AT_DURATION);
  char **members
      = fusion_is_name (nprof_text (self->host, batch->name[i])) ? listed_members (self) : NULL;
  if (!members)
    return none;
  const guint32 id[ID_WORDS] = { self->input, 0, 0, batch->name[i] };
  guint32 number = fusion_group (self, id);
  Group *group = fusion_at (self, number);
  group->has_events = TRUE;
  if (!group->category)
    group->category = nprof_intern (self->host, "fusion");
  if (!group->members)
    group->members = g_steal_pointer (&members);
  g_strfreev (members);
  return (Which){ number, false };
}
