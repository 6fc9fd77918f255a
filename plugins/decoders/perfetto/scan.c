/* SPDX-License-Identifier: Apache-2.0 */
/* scan.c - the hot loop: reads an event once.  Most bytes of a trace are annotations, and where
 * args are not asked for, few of their names say anything.  So what the names of a generation say
 * is kept as bits by their numbers, filled in as they are met, and of each annotation of an event
 * only these bits are found, and that args.c would find no more: it can be read to its end, and no
 * other name stands behind the first.  One of which that is not certain may say anything, and
 * args.c reads it. */
#include "perfetto.h"

/* -- What annotations say ---------------------------------------------------------------------- */

static guint8
bits_of (const Perfetto *pf, guint32 generation, guint64 iid)
{
  const PfEntry *e = pf_entry (pf, generation, INTERNED_ARG, iid);
  const PfRule *rule = e ? e->rule : NULL;
  guint8 bits = PF_SAYS_NAME;
  if (rule && rule->meaning)
    bits |= PF_SAYS_FACT;
  if (rule && (rule->meaning == RULE_BEGIN_NS || rule->meaning == RULE_END_NS))
    bits |= PF_SAYS_END;
  if (e && e->own_says)
    bits |= PF_SAYS_OWN;
  if (rule && pf->want_rules && (rule->key || rule->meaning == RULE_COLLECTIVE))
    bits |= PF_SAYS_ROW;
  return bits;
}

static inline guint8
name_says (PfWalk *w, guint32 generation, guint64 iid)
{
  PfNames *names = w->names;
  if (iid >= PF_NAMES)
    return PF_SAYS_ANY;
  if (names->generation != generation)
    *names = (PfNames){ .generation = generation };
  if (!names->bits[iid])
    names->bits[iid] = bits_of (w->pf, generation, iid);
  return names->bits[iid];
}

static inline guint8
arg_says (PfWalk *w, guint32 generation, PbSpan arg)
{
  PbField f;
  guint64 iid;
  if (arg.p == arg.end || *arg.p != PB_VARINT (ARG_NAME_IID))
    return PF_SAYS_ANY;
  const guint8 *p = pb_varint (arg.p + 1, arg.end, &iid);
  if (!p)
    return PF_SAYS_ANY;
  while (p < arg.end)
    if (!pb_field_hot (&p, arg.end, &f) || f.tag >> 3 == ARG_NAME_IID || f.tag >> 3 == ARG_NAME)
      return PF_SAYS_ANY;
  return name_says (w, generation, iid);
}

bool
pf_next_arg (PfWalk *w, guint32 generation, guint8 says, PbSpan *event, PbSpan *arg)
{
  PbField f;
  while (event->p < event->end && pb_field_hot (&event->p, event->end, &f))
    if (f.tag == PB_BYTES (EVENT_ARG) && arg_says (w, generation, f.span) & says) {
      *arg = f.span;
      return true;
    }
  return false;
}

/* -- Reading ----------------------------------------------------------------------------------- */

/* Fields that may be repeated, packed or not, so that their type does not matter. */
static void
read_any (PfEvent *e, const PbField *f)
{
  switch (f->tag >> 3) {
  case EVENT_FLOW:
    e->has_flows = true;
    break;
  case EVENT_LAST_FLOW:
    e->has_last_flows = true;
    break;
  case EVENT_OLD_FLOW:
  case EVENT_OLD_LAST_FLOW:
    e->has_old_flows = true;
    break;
  case EVENT_MORE_COUNT:
  case EVENT_MORE_DOUBLE:
    e->has_more = true;
    break;
  case EVENT_CATEGORY:
  case EVENT_CATEGORY_IID:
    e->n_categories += e->n_categories < 2 ? 1 : 0;
    e->category = *f;
    break;
  case EVENT_TIME_DELTA:
  case EVENT_TIME:
  case EVENT_INSTRUCTIONS_DELTA:
  case EVENT_INSTRUCTIONS:
    e->has_thread_counts = true;
    break;
  default:
    e->has_unknown |= f->tag >> 3 >= EVENT_EXTENSIONS && f->tag >> 3 != EVENT_GPU_CORRELATION;
    break;
  }
}

static void
read_number (PfEvent *e, const PbField *f)
{
  switch (f->tag >> 3) {
  case EVENT_TYPE:
    e->has_type = true;
    e->type = f->value;
    break;
  case EVENT_TRACK:
    e->has_track = true;
    e->track = f->value;
    break;
  case EVENT_NAME_IID:
    e->has_name_iid = true;
    e->name_iid = f->value;
    break;
  case EVENT_DELTA_US:
    e->has_delta = true;
    e->delta_us = (gint64) f->value;
    break;
  case EVENT_ABSOLUTE_US:
    e->absolute_us = (gint64) f->value;
    break;
  case EVENT_COUNT:
    e->value_type = NPROF_INT64;
    e->value.i = (gint64) f->value;
    break;
  case EVENT_DOUBLE_COUNT:
    e->value_type = NPROF_DOUBLE;
    e->value.f = pf_double (f->value);
    break;
  case EVENT_SOURCE_IID:
    e->has_source = true;
    break;
  case EVENT_STACK_IID:
    e->has_stack = true;
    break;
  default:
    read_any (e, f);
    break;
  }
}

static void
read_bytes (PfEvent *e, const PbField *f)
{
  switch (f->tag >> 3) {
  case EVENT_NAME:
    e->name = f->span;
    break;
  case EVENT_LEGACY:
    e->legacy = f->span;
    break;
  case EVENT_SOURCE:
    e->has_source = true;
    break;
  case EVENT_STACK:
    e->has_stack = true;
    break;
  case EVENT_GPU_CORRELATION:
    e->has_gpu_correlation = true;
    break;
  default:
    read_any (e, f);
    break;
  }
}

bool
pf_event_read (PfWalk *w, guint32 generation, PbSpan body, PfEvent *e)
{
  PbField f;
  *e = (PfEvent){ .body = body, .flows = body, .track_place = PF_NONE };
  for (PbSpan rest = body; rest.p < rest.end;) {
    if (!pf_has_flow (e))
      e->flows.p = rest.p;
    if (!pb_field_hot (&rest.p, rest.end, &f))
      return false;
    if (f.tag == PB_BYTES (EVENT_ARG)) /* nearly all are */
      e->args |= w ? arg_says (w, generation, f.span) : PF_SAYS_ANY;
    else if ((f.tag & 7) == 2)
      read_bytes (e, &f);
    else
      read_number (e, &f);
  }
  return true;
}
