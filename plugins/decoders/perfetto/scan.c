/* SPDX-License-Identifier: Apache-2.0 */
/* scan.c - the hot loop: reads an event once.  Most bytes of a trace are annotations, and where
 * args are not asked for, few of their names say anything.  So what the names of a generation say
 * is kept as bits by their numbers, or by themselves where they stand in the annotation, filled in
 * as they are met, and of each annotation of an event only these bits are found, and that args.c
 * would find no more: it can be read to its end, and no other name stands behind the first.  Nearly
 * all are plain: the number of a name, and one value that ends where they do, which a few
 * comparisons show.  One of which that is not certain is odd:
 * it may say anything, and args.c reads it.  Annotations of a program are mostly those of the last
 * event of the same name: where their bytes are the same, they are gone over at once.  Who comes
 * back for some of the args of an event that has no odd ones looks at their first bytes alone. */
#include "perfetto.h"

/* -- What annotations say ---------------------------------------------------------------------- */

static guint8
bits_of (const Perfetto *pf, const PfEntry *e)
{
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
  if (!names->bits[iid]) {
    const PfEntry *e = pf_entry (w->pf, generation, INTERNED_ARG, iid);
    names->words[iid] = e ? e->own_word : 0;
    names->bits[iid] = bits_of (w->pf, e);
  }
  return names->bits[iid];
}

/* Returns what an arg says whose name is no number.  Its name is short, and not empty. */
static guint8
text_says (PfWalk *w, const guint8 *text, gsize len)
{
  const Perfetto *pf = w->pf;
  PfText *known = &w->names->texts[(len * 5 + text[0] * 3u + text[len - 1]) % PF_TEXTS];
  if (known->len == len && memcmp (known->text, text, len) == 0)
    return known->bits;
  PfEntry e = { .rule = pf_rule (pf, (const char *) text, len) };
  pf_own_name (pf, &e, (PbSpan){ text, text + len });
  *known = (PfText){ .bits = bits_of (pf, &e), .len = (guint8) len };
  memcpy (known->text, text, len);
  return known->bits;
}

/* Returns whether one number is all that is there. */
static inline bool
is_number (const guint8 *p, const guint8 *end)
{
  const guint8 *last = end - 1;
  while (p < last && *p & 0x80)
    p++;
  return p == last && !(*p & 0x80);
}

/* Returns whether the value of a plain annotation is all that is there.  Whether it is one
 * number is seen by nine bytes at most; longer ones are left to who reads any. */
static inline bool
is_value (const guint8 *p, const guint8 *end)
{
  if (end - p < 2)
    return false;
  switch (*p) {
  case PB_VARINT (ARG_BOOL):
  case PB_VARINT (ARG_UINT):
  case PB_VARINT (ARG_INT):
  case PB_VARINT (ARG_POINTER):
    return end - p <= 10 && is_number (p + 1, end);
  case PB_FIXED64 (ARG_DOUBLE):
    return end - p == 9;
  case PB_BYTES (ARG_STRING):
    return p[1] < 0x80 && end - p - 2 == p[1];
  case (PB_VARINT (ARG_STRING_IID) & 0x7f) | 0x80:
    return p[1] == PB_VARINT (ARG_STRING_IID) >> 7 && end - p > 2 && end - p <= 11
           && is_number (p + 2, end);
  default:
    return false;
  }
}

/* Returns whether no other name stands among fields that can be read to their end. */
static G_GNUC_NO_INLINE bool
is_even (const guint8 *p, const guint8 *end)
{
  PbField f;
  while (p < end)
    if (!pb_field_hot (&p, end, &f) || f.tag >> 3 == ARG_NAME_IID || f.tag >> 3 == ARG_NAME)
      return false;
  return true;
}

/* Returns the length of the short name with which an annotation begins; 0: it begins with none. */
static gsize
length_of_name (PbSpan arg)
{
  const gsize len = arg.end - arg.p > 2 && *arg.p == PB_BYTES (ARG_NAME) ? arg.p[1] : 0;
  return len <= PF_TEXT && (gsize) (arg.end - arg.p) >= len + 2 ? len : 0;
}

static G_GNUC_NO_INLINE guint8
named_arg_says (PfWalk *w, PbSpan arg)
{
  const gsize len = length_of_name (arg);
  const guint8 *p = arg.p + 2 + len;
  return len && (is_value (p, arg.end) || is_even (p, arg.end)) ? text_says (w, arg.p + 2, len)
                                                                : PF_SAYS_ANY | PF_IS_ODD;
}

static inline __attribute__ ((always_inline)) guint8
arg_says (PfWalk *w, guint32 generation, PbSpan arg)
{
  guint64 iid;
  if (arg.p == arg.end || *arg.p != PB_VARINT (ARG_NAME_IID))
    return named_arg_says (w, arg);
  const guint8 *p = pb_varint (arg.p + 1, arg.end, &iid);
  return p && (is_value (p, arg.end) || is_even (p, arg.end)) ? name_says (w, generation, iid)
                                                              : PF_SAYS_ANY | PF_IS_ODD;
}

/* Returns what an annotation of an event without odd ones says. */
static inline guint8
even_arg_says (PfWalk *w, guint32 generation, PbSpan arg)
{
  guint64 iid = 0;
  const gsize len = length_of_name (arg);
  if (len)
    return text_says (w, arg.p + 2, len);
  pb_varint (arg.p + 1, arg.end, &iid);
  return name_says (w, generation, iid);
}

bool
pf_next_arg (PfWalk *w, guint32 generation, guint8 says, PfArgs *args, PbSpan *arg)
{
  PbField f;
  if (!(args->say & says))
    return false;
  while ((args->telling || says & PF_SAYS_NAME) && args->rest.p < args->rest.end
         && pb_field_hot (&args->rest.p, args->rest.end, &f)) {
    if (f.tag != PB_BYTES (EVENT_ARG))
      continue;
    args->telling -= args->telling && args->telling < PF_MOST_TELLING;
    const guint8 bits = args->say & PF_IS_ODD ? arg_says (w, generation, f.span)
                                              : even_arg_says (w, generation, f.span);
    if (!(bits & says))
      continue;
    *arg = f.span;
    return true;
  }
  return false;
}

/* -- Annotations as in the event before -------------------------------------------------------- */

/* The run of an event that is being learnt: those of it that end before `same`. */
typedef struct {
  PfRun *to, run;
  gsize same;
} Learning;

static gsize
count_same (const guint8 *a, const guint8 *b, gsize most)
{
  gsize n = 0;
  for (guint64 x, y; most - n >= 8; n += 8) {
    memcpy (&x, a + n, 8);
    memcpy (&y, b + n, 8);
    if (x != y)
      break;
  }
  while (n < most && a[n] == b[n])
    n++;
  return n;
}

/* Returns the end of the run that begins at `p`, if the last event of this name and track has the
 * same bytes; else NULL, and the run is to be learnt: what both have, if that is half of it. */
static const guint8 *
find_run (PfWalk *w, guint32 generation, const guint8 *p, const PfEvent *e, Learning *learning)
{
  const gsize left = (gsize) (e->body.end - p);
  *learning = (Learning){ .to = NULL };
  if (p < w->pf->data || p >= w->pf->end) /* in a block, which goes */
    return NULL;
  PfRun *last = w->runs + e->name_iid % PF_RUNS;
  const bool is = last->p && last->generation == generation;
  const gsize same = is ? count_same (p, last->p, MIN (last->len, left)) : 0;
  if (same && same == last->len) {
    learning->run.n = last->n;
    return p + same;
  }
  *learning = (Learning){ .to = last, .same = same > last->len / 2 ? same : left };
  learning->run = (PfRun){ .p = p, .generation = generation };
  return NULL;
}

/* Takes one more annotation, which ends at `end`. */
static inline void
learn_arg (Learning *learning, const guint8 *end)
{
  const gsize len = (gsize) (end - learning->run.p);
  if (len > learning->same)
    return;
  learning->run.len = (guint32) len;
  learning->run.n++;
}

static inline void
end_learning (Learning *learning)
{
  if (learning->to)
    *learning->to = learning->run;
  learning->to = NULL;
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
pf_event_read (PfWalk *w, guint32 generation, PbSpan body, const PfArgs *known, PfEvent *e)
{
  PbField f;
  guint8 say = known ? known->say : 0;
  guint n_args = 0, telling = 0;
  Learning learning = { .to = NULL };
  bool sought = false;
  *e = (PfEvent){ .body = body, .flows = body, .track_place = PF_NONE };
  for (const guint8 *p = body.p; p < body.end;) {
    const guint8 *from = p;
    if (!pb_field_hot (&p, body.end, &f))
      return false;
    if (f.tag == PB_BYTES (EVENT_ARG)) { /* nearly all are */
      if (known)
        continue;
      const guint8 says = arg_says (w, generation, f.span);
      say |= says;
      n_args++;
      if (says != PF_SAYS_NAME) {
        telling = says & ~PF_SAYS_NAME ? n_args : telling;
        end_learning (&learning);
        continue;
      }
      if (!sought) {
        const guint8 *end = find_run (w, generation, from, e, &learning);
        sought = true;
        if (end) {
          n_args += learning.run.n - 1;
          p = end;
          continue;
        }
      }
      if (learning.to)
        learn_arg (&learning, p);
      continue;
    }
    end_learning (&learning);
    const bool had_flow = pf_has_flow (e);
    if ((f.tag & 7) == 2)
      read_bytes (e, &f);
    else
      read_number (e, &f);
    if (!had_flow && pf_has_flow (e))
      e->flows.p = from;
  }
  end_learning (&learning);
  e->args = say;
  e->telling = known ? known->telling : (guint8) MIN (telling, PF_MOST_TELLING);
  return true;
}
