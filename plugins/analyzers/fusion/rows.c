/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - rows, track by track: to which fusion each belongs, its time and its self time, and
 * the derived spans of consecutive rows of one fusion. */
#include "fusion.h"
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
  AT_ARGS
};
static const char *const keys[] = { NPROF_KEY_HLO_OP,
                                    NPROF_KEY_HLO_MODULE,
                                    NPROF_KEY_HLO_CATEGORY,
                                    NPROF_KEY_PROGRAM_ID,
                                    NPROF_KEY_DEDUPLICATED,
                                    NPROF_KEY_DEVICE_OFFSET,
                                    NPROF_KEY_DEVICE_DURATION,
                                    "args",
                                    NULL };

/* -- Which fusion ----------------------------------------------------------------------------- */

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

/* 0: it is none.  XLA's category says it, else the program, else, without one, the name. */
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
  /* of clones, the one that the group is named after, else the first name */
  if (in
      && (!group->source || op[OP_NAME] == id[ID_NAME]
          || (group->source != id[ID_NAME]
              && strcmp (nprof_text (self->host, op[OP_NAME]),
                         nprof_text (self->host, group->source))
                     < 0)))
    group->source = op[OP_NAME];
  return number;
}

static guint32
group_of_work (Fusion *self, const struct nprof_batch *batch, uint32_t i, bool *gpu)
{
  uint64_t program = 0;
  nprof_pick_uint (&self->pick, AT_PROGRAM, &program);
  nprof_str hlo_op = nprof_pick_str (&self->pick, AT_HLO_OP), name = hlo_op;
  nprof_str category = nprof_pick_str (&self->pick, AT_CATEGORY);
  *gpu = hlo_op && !category;
  if (*gpu && strstr (nprof_text (self->host, hlo_op), "::"))
    name = nprof_intern (self->host, fusion_last_part (nprof_text (self->host, hlo_op)));
  const guint32 op[OP_WORDS] = {
    [OP_INPUT] = self->input,
    [OP_LOW] = (guint32) program,
    [OP_HIGH] = (guint32) (program >> 32),
    [OP_NAME] = name ? name : batch->name[i],
    [OP_CATEGORY] = category,
    [OP_DEDUPLICATED] = nprof_pick_str (&self->pick, AT_DEDUPLICATED),
    [OP_MODULE] = nprof_pick_str (&self->pick, AT_MODULE),
    [OP_GPU] = *gpu,
  };
  guint32 number = an_tuples_get (&self->op_ids, op);
  if (number == self->ops->len) {
    const guint32 id[ID_WORDS] = { op[OP_INPUT], op[OP_LOW], op[OP_HIGH], op[OP_NAME] };
    const Op new = { .group = classify (self, op) };
    an_tuples_get (&self->seen, id);
    g_array_append_val (self->ops, new);
  }
  return g_array_index (self->ops, Op, number).group;
}

/* Rows of the Neuron runtime's timelines list what was fused in their args. */
static guint32
group_of_args (Fusion *self, const struct nprof_batch *batch, uint32_t i)
{
  const struct nprof_field *args = &self->pick.field[AT_ARGS];
  const char *name = nprof_text (self->host, batch->name[i]);
  const guint32 id[ID_WORDS] = { self->input, 0, 0, batch->name[i] };
  an_tuples_get (&self->seen, id);
  if (args->type != NPROF_JSON || !fusion_is_name (name))
    return NO_GROUP;
  const char *json = args->bytes + args->value.bytes.at;
  if (!g_strstr_len (json, args->value.bytes.len, "\"fused\""))
    return NO_GROUP;
  char **members = fusion_members_of_args (json, args->value.bytes.len);
  if (!members)
    return NO_GROUP;
  guint32 number = fusion_group (self, id);
  Group *group = fusion_at (self, number);
  group->has_events = TRUE;
  if (!group->category)
    group->category = nprof_intern (self->host, "fusion");
  if (!group->members)
    group->members = g_steal_pointer (&members);
  g_strfreev (members);
  return number;
}

/* -- Time ----------------------------------------------------------------------------------------- */

static void
add_time (Fusion *self, guint32 number, gint64 total, gint64 own)
{
  if (number == NO_GROUP)
    return;
  Group *group = fusion_at (self, number);
  group->overflow |= __builtin_add_overflow (group->total, total, &group->total);
  group->overflow |= __builtin_add_overflow (group->self, own, &group->self);
}

static nprof_status
closed (void *user, const struct nprof_open *span, const struct nprof_open *parent G_GNUC_UNUSED,
        uint32_t depth G_GNUC_UNUSED)
{
  add_time (user, (guint32) span->tag, span->end - span->start, nprof_self (span));
  return NPROF_OK;
}

static nprof_status
sweep (Fusion *self, gint64 start, gint64 duration, guint32 op)
{
  nprof_status status = nprof_sweep_span (&self->sweep, start, duration, op);
  return status ? nprof_fail (self->host, status, "no memory for spans within each other")
                : NPROF_OK;
}

static nprof_status
take (Fusion *self, bool all)
{
  WindowSpan s;
  nprof_status status = NPROF_OK;
  while (!status && window_take (self->order, all, &s)) {
    self->late += s.late;
    if (s.late)
      add_time (self, s.op, s.duration, s.duration);
    else
      status = sweep (self, s.start, s.duration, s.op);
  }
  return status;
}

static nprof_status
time_of (Fusion *self, const struct nprof_batch *batch, uint32_t i, guint32 group)
{
  int64_t start, duration;
  bool device = nprof_pick_int (&self->pick, AT_OFFSET, &start)
                && nprof_pick_int (&self->pick, AT_DURATION, &duration) && duration >= 0;
  self->by_device |= device;
  if (!self->by_device)
    return sweep (self, batch->start[i], batch->duration[i], group);
  window_add (self->order, (WindowSpan){ .start = device ? start : batch->start[i],
                                         .duration = device ? duration : batch->duration[i],
                                         .op = group });
  return take (self, false);
}

/* -- Derived spans ------------------------------------------------------------------------------------ */

static nprof_status
end_run (Fusion *self)
{
  Run run = self->run;
  self->run.group = NO_GROUP;
  if (run.group == NO_GROUP)
    return NPROF_OK;
  struct nprof_writer *w = self->host->writer (self->host);
  if (!w)
    return NPROF_E_NOMEM;
  nprof_status status = nprof_span (w, self->derived, run.name, run.start, run.end - run.start);
  if (!status)
    nprof_set_category (w, fusion_at (self, run.group)->category);
  return status;
}

static nprof_track
derived_track (Fusion *self)
{
  const struct nprof_host *host = self->host;
  const struct nprof_track_info *info = host->track_info (host, self->place->track);
  nprof_track parent = self->place->device ? self->place->device : info->process;
  if (!parent)
    parent = host->input (host, info->input)->root;
  return host->track (host, parent, NPROF_TRACK_DERIVED, nprof_intern (host, "fusions"),
                      nprof_intern (host, "Fusions"), G_MAXINT32);
}

/* A run ends where another operator comes between, or where it begins anew. */
static nprof_status
run_of (Fusion *self, const struct nprof_batch *batch, uint32_t i, guint32 group, bool gpu)
{
  gint64 start = batch->start[i], end = start + batch->duration[i];
  Run *run = &self->run;
  if (group != NO_GROUP && run->group == group && batch->name[i] != run->first) {
    run->end = MAX (run->end, end);
    fusion_at (self, group)->occurrences += !gpu;
    return NPROF_OK;
  }
  nprof_status status = end_run (self);
  if (status || group == NO_GROUP)
    return status;
  fusion_at (self, group)->occurrences++;
  if (!self->derived && !(self->derived = derived_track (self)))
    return NPROF_E_NOMEM;
  *run = (Run){ group, batch->name[i], an_tuple (&self->group_ids, group)[ID_NAME], start, end };
  return NPROF_OK;
}

/* -- Rows ----------------------------------------------------------------------------------------------- */

nprof_status
fusion_rows_end (Fusion *self)
{
  if (!self->place)
    return NPROF_OK;
  nprof_status status = take (self, true);
  if (!status)
    status = nprof_sweep_end (&self->sweep);
  if (!status)
    status = end_run (self);
  self->place = NULL;
  self->derived = 0;
  self->by_device = self->active = false;
  return status;
}

static nprof_status
add_span (Fusion *self, const struct nprof_batch *batch, uint32_t i)
{
  AnRole role = an_role (self->places, self->place, batch->category[i], batch->name[i]);
  bool gpu = false;
  if (role != AN_WORK && role != AN_HOST)
    return NPROF_OK;
  if (batch->duration[i] < 0) {
    self->unended += role == AN_WORK;
    return NPROF_OK;
  }
  nprof_pick_row (&self->pick, batch, i);
  guint32 group
      = role == AN_WORK ? group_of_work (self, batch, i, &gpu) : group_of_args (self, batch, i);
  self->active |= role == AN_WORK || group != NO_GROUP;
  if (!self->active) /* a host's track before its first fusion: nothing to take time from */
    return NPROF_OK;
  nprof_status status = time_of (self, batch, i, group);
  return status ? status : run_of (self, batch, i, group, gpu);
}

nprof_status
fusion_rows (Fusion *self, const struct nprof_batch *batch)
{
  nprof_status status = NPROF_OK;
  self->input = self->host->input (self->host, batch->input)->label;
  for (uint32_t i = 0; i < batch->n_rows && !status; i++) {
    if (batch->kind[i] != NPROF_SPAN)
      continue;
    if (!self->place || self->place->track != batch->track[i]) {
      status = fusion_rows_end (self);
      self->place = an_place (self->places, batch->track[i]);
    }
    status = status ? status : add_span (self, batch, i);
  }
  return status;
}

nprof_status
fusion_rows_open (Fusion *self)
{
  self->places = an_places_new (self->host);
  self->order = window_new (self->window);
  self->sweep = (struct nprof_sweep){ .closed = closed, .user = self };
  self->run.group = NO_GROUP;
  return nprof_pick_init (&self->pick, self->host, keys);
}

void
fusion_rows_clear (Fusion *self)
{
  an_places_free (self->places);
  window_free (self->order);
  nprof_sweep_clear (&self->sweep);
  nprof_pick_clear (&self->pick);
}
