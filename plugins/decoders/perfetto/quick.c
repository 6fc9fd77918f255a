/* SPDX-License-Identifier: Apache-2.0 */
/* quick.c - the hot loop: steps over what nobody wants.  Most bytes of a trace are annotations, and
 * where args are not asked for, few of their names say anything.  So what the names of a generation
 * say is kept as bits by their numbers, filled in as they are met, and an annotation whose name is
 * silent is read only as far as proves what args.c would find: that it can be read to its end, and
 * that no other name stands behind the first.  At all else it stops, and args.c reads that one. */
#include "perfetto.h"

enum { KNOWN = 1 }; /* beside PF_SAYS_... */

static guint8
bits_of (const Perfetto *pf, guint32 generation, guint64 iid)
{
  const PfEntry *e = pf_entry (pf, generation, INTERNED_ARG, iid);
  const PfRule *rule = e ? e->rule : NULL;
  guint8 bits = KNOWN;
  if (rule && rule->meaning)
    bits |= PF_SAYS_FACT;
  if (pf->own.is ? e && e->own_says
                 : rule && pf->want_rules && (rule->key || rule->meaning == RULE_COLLECTIVE))
    bits |= PF_SAYS_ROW;
  return bits;
}

static bool
is_silent (const Perfetto *pf, PfQuick *quick, guint32 generation, guint64 iid, guint8 says)
{
  if (iid >= PF_QUICK_NAMES)
    return false;
  if (quick->generation != generation || quick->own != pf->own.is)
    *quick = (PfQuick){ .generation = generation, .own = pf->own.is };
  guint8 *bits = &quick->names[iid];
  if (!*bits)
    *bits = bits_of (pf, generation, iid);
  return !(*bits & says);
}

/* Returns whether the fields of an annotation behind its name can be read, and name it no more. */
static bool
is_value (const guint8 *p, const guint8 *end)
{
  PbField f;
  while (p < end)
    if (!pb_field (&p, end, &f) || f.tag >> 3 == ARG_NAME_IID || f.tag >> 3 == ARG_NAME)
      return false;
  return true;
}

bool
pf_quick_arg (const Perfetto *pf, PfQuick *quick, guint32 generation, guint8 says, PbSpan *event,
              PbSpan *arg)
{
  PbField f;
  guint64 iid;
  while (event->p < event->end && pb_field (&event->p, event->end, &f)) {
    if (f.tag != PB_BYTES (EVENT_ARG))
      continue;
    *arg = f.span;
    const guint8 *p = f.span.p;
    if (p == f.span.end || *p != PB_VARINT (ARG_NAME_IID))
      return true;
    p = pb_varint (p + 1, f.span.end, &iid);
    if (!p || !is_silent (pf, quick, generation, iid, says) || !is_value (p, f.span.end))
      return true;
  }
  return false;
}
