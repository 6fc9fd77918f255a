/* SPDX-License-Identifier: Apache-2.0 */
/* products.c - counts calls of operators whose flops follow from the shapes of their arguments,
 * each once: the outermost whose arguments say enough counts, and nothing within it; a composite
 * one (aten::linear) counts only when nothing within it did.  A call that should count and says too
 * little is unknown, with its time.  Work that was launched within a call is its own.
 * product-tables.c sums them up. */
#include "operators.h"

#include "devicekit/bytes.h"

#include <string.h>

/* So many calls are remembered behind the last one, as launches are: a device lags behind its
 * host. */
#define CALLS 65536u

typedef enum { PASSED, PENDING, COUNTED, UNKNOWN } Verdict;

typedef struct {
  guint32 what;
  guint32 outer;      /* numbers of calls, 0: none: around it                                */
  guint32 target;     /* to which its work goes                                              */
  guint32 next, last; /* of those that have the same outermost call; last: in the outermost  */
  guint32 step;       /* 1 + index of the process's; 0: none                                 */
  nprof_track process, device; /* the latter of the first work; 0: none came                 */
  gint64 time, outside;        /* ps of its work that is shown, and of what is left out */
  guint8 kind, verdict, inputs, weights;
  bool resolved, shown, tf32;
  bool holds_product, holds_counted; /* one that counts lies in it */
} Call;

void
products_init (Operators *self)
{
  Products *p = &self->products;
  p->calls = np_large_array_new (sizeof (Call));
  p->first = 1;
  p->kinds = g_byte_array_new ();
  p->tf32 = g_byte_array_new ();
  p->works = np_large_array_new (sizeof (AnProductWork));
  p->sums = np_large_array_new (sizeof (ProductSum));
  p->step_sums = np_large_array_new (sizeof (StepSum));
  an_key_table_init (&p->whats, WHAT_WORDS);
  an_key_table_init (&p->keys, PRODUCT_WORDS);
  an_key_table_init (&p->step_keys, STEP_WORDS);
}

void
products_clear (Operators *self)
{
  Products *p = &self->products;
  g_clear_pointer (&p->calls, np_large_array_free);
  g_clear_pointer (&p->kinds, g_byte_array_unref);
  g_clear_pointer (&p->tf32, g_byte_array_unref);
  g_clear_pointer (&p->works, np_large_array_free);
  g_clear_pointer (&p->sums, np_large_array_free);
  g_clear_pointer (&p->step_sums, np_large_array_free);
  an_key_table_clear (&p->whats);
  an_key_table_clear (&p->keys);
  an_key_table_clear (&p->step_keys);
}

/* -- Each distinct product once --------------------------------------------------------------- */

static AnProductKind
kind_of (Operators *self, nprof_str name)
{
  const GByteArray *kinds = self->products.kinds;
  if (G_LIKELY (name < kinds->len && kinds->data[name]))
    return (AnProductKind) (kinds->data[name] - 1);
  AnProductKind kind = an_product_kind (nprof_text (self->host, name));
  *an_byte_of (self->products.kinds, name) = (guint8) (1 + kind);
  return kind;
}

static guint32
what_of (Operators *self, nprof_str name, nprof_str shape, guint inputs, guint weights)
{
  Products *p = &self->products;
  const guint32 key[WHAT_WORDS] = { name, shape, inputs, weights };
  guint what = an_key_table_get (&p->whats, key);
  if (what < p->works->len)
    return what;
  const AnProductWork work
      = an_product_work (nprof_text (self->host, name),
                         shape ? nprof_text (self->host, shape) : NULL, inputs, weights);
  np_large_array_extend (p->works, what + 1);
  g_array_index (p->works, AnProductWork, what) = work;
  return what;
}

static const AnProductWork *
work_of (const Operators *self, guint32 what)
{
  return &g_array_index (self->products.works, AnProductWork, what);
}

/* -- Sums -------------------------------------------------------------------------------------- */

static Call *
call_at (const Products *p, guint32 number)
{
  return number < p->first || number - p->first >= p->calls->len
             ? NULL
             : &g_array_index (p->calls, Call, number - p->first);
}

static nprof_str
precision_of (const Operators *self, const Call *call)
{
  const char *precision = work_of (self, call->what)->precision;
  if (call->verdict != COUNTED)
    return 0;
  bool tf32 = call->tf32 && g_strcmp0 (precision, "fp32") == 0;
  return nprof_intern (self->host, tf32 ? "tf32" : precision ? precision : "other");
}

/* Returns the share of an amount that its work has which is shown, by time; of a call without such
 * work all of it. */
static gint64
inside_of (const Call *call, gint64 amount)
{
  return call->device && call->outside
             ? nprof_prorate (amount, call->time, call->time + call->outside)
             : amount;
}

static void
add_to_step (Operators *self, const Call *call, nprof_str precision)
{
  Products *p = &self->products;
  if (!call->step || !call->device)
    return;
  const guint32 key[STEP_WORDS] = { call->device, call->process, call->step, precision };
  guint number = an_key_table_get (&p->step_keys, key);
  if (number == p->step_sums->len)
    np_large_array_extend (p->step_sums, number + 1);
  StepSum *sum = &g_array_index (p->step_sums, StepSum, number);
  bool known = call->verdict == COUNTED;
  sum->calls += known;
  sum->unknown += !known;
  sum->flops += known ? inside_of (call, work_of (self, call->what)->flops) : 0;
}

static void
add_call (Operators *self, Call *call)
{
  Products *p = &self->products;
  if ((call->verdict != COUNTED && call->verdict != UNKNOWN) || (!call->shown && !call->device))
    return;
  if (call->inputs || call->weights) {
    const guint32 *what = an_key_table_key (&p->whats, call->what);
    call->what = what_of (self, what[WHAT_NAME], what[WHAT_SHAPE], call->inputs, call->weights);
  }
  nprof_str precision = precision_of (self, call);
  const guint32 key[PRODUCT_WORDS] = { call->device, call->process, call->what, precision };
  guint number = an_key_table_get (&p->keys, key);
  if (number == p->sums->len)
    np_large_array_extend (p->sums, number + 1);
  ProductSum *sum = &g_array_index (p->sums, ProductSum, number);
  sum->calls++;
  sum->time += call->time;
  const AnProductWork *work = work_of (self, call->what);
  sum->flops_outside += work->knows_flops ? work->flops - inside_of (call, work->flops) : 0;
  sum->bytes_outside += work->knows_bytes ? work->bytes - inside_of (call, work->bytes) : 0;
  add_to_step (self, call, precision);
}

/* Forgets the oldest calls, whose work has come. */
static void
forget_calls (Operators *self, guint keep)
{
  Products *p = &self->products;
  guint n = 0;
  while (p->calls->len - n > keep && g_array_index (p->calls, Call, n).resolved)
    add_call (self, &g_array_index (p->calls, Call, n++));
  if (!n)
    return;
  p->calls->len -= n;
  memmove (p->calls->data, &g_array_index (p->calls, Call, n), p->calls->len * sizeof (Call));
  p->first += n;
}

/* -- What counts ------------------------------------------------------------------------------- */

static bool
around (const Products *p, const Call *call, Verdict verdict)
{
  for (guint32 i = call->outer; i; i = call_at (p, i)->outer)
    if (call_at (p, i)->verdict == verdict)
      return true;
  return false;
}

static void
tell_outer (const Products *p, const Call *call)
{
  for (guint32 i = call->outer; i; i = call_at (p, i)->outer) {
    call_at (p, i)->holds_counted = true;
    call_at (p, i)->holds_product |= call->kind == AN_PRODUCT;
  }
}

static guint32
target_of (const Products *p, guint32 number)
{
  for (guint32 i = number; i; i = call_at (p, i)->outer)
    if (call_at (p, i)->verdict == COUNTED || call_at (p, i)->verdict == UNKNOWN)
      return i;
  return 0;
}

static void
give_work (const Products *p, Call *call, guint32 number)
{
  call->target = target_of (p, number);
  call->resolved = true;
  Call *target = call->target ? call_at (p, call->target) : NULL;
  if (!target || target == call || !call->device)
    return;
  target->time += call->time;
  target->outside += call->outside;
  target->tf32 |= call->tf32;
  target->device = target->device ? target->device : call->device;
}

/* Resolves the outermost call, which has ended: what lies in it is known, the outer ones come
 * first. */
static void
resolve (Operators *self, guint32 outermost)
{
  Products *p = &self->products;
  for (guint32 i = outermost; i; i = call_at (p, i)->next) {
    Call *call = call_at (p, i);
    if (call->kind != AN_COMPOSITE || call->holds_product
        || !work_of (self, call->what)->knows_flops || around (p, call, COUNTED))
      continue;
    call->verdict = COUNTED;
    tell_outer (p, call);
  }
  for (guint32 i = outermost; i; i = call_at (p, i)->next) {
    Call *call = call_at (p, i);
    if (call->verdict == PENDING && !call->holds_counted && !around (p, call, COUNTED)
        && !around (p, call, UNKNOWN))
      call->verdict = UNKNOWN;
  }
  for (guint32 i = outermost; i; i = call_at (p, i)->next)
    give_work (p, call_at (p, i), i);
}

/* -- Calls ------------------------------------------------------------------------------------- */

static guint32
outermost_of (const Products *p, guint32 number)
{
  while (call_at (p, number)->outer)
    number = call_at (p, number)->outer;
  return number;
}

static void
join_outermost (Products *p, guint32 number, guint32 outer)
{
  Call *first = call_at (p, outer ? outermost_of (p, outer) : number);
  if (outer)
    call_at (p, first->last)->next = number;
  first->last = number;
}

static void
note_gradient (Products *p, guint32 outer, AnProductKind kind)
{
  Call *call = outer ? call_at (p, outer) : NULL;
  if (!call)
    return;
  call->inputs = (guint8) (call->inputs + (kind == AN_INPUT_GRADIENT && call->inputs < G_MAXUINT8));
  call->weights
      = (guint8) (call->weights + (kind == AN_WEIGHT_GRADIENT && call->weights < G_MAXUINT8));
}

static guint32
begin (Operators *self, const AnHostSpan *span, AnProductKind kind, guint32 outer)
{
  Products *p = &self->products;
  if (p->followed && p->calls->len > CALLS + CALLS / 2)
    forget_calls (self, CALLS);
  p->followed = false;
  Call call = { .what = what_of (self, span->name, span->shape, 0, 0),
                .outer = outer,
                .kind = (guint8) kind,
                .verdict = PENDING,
                .shown = !span->hidden };
  call.step = an_links_step (self->links, span, &call.process);
  if (kind == AN_PRODUCT && work_of (self, call.what)->knows_flops)
    call.verdict = COUNTED;
  guint32 number = p->first + p->calls->len;
  np_large_array_extend (p->calls, p->calls->len + 1);
  *call_at (p, number) = call;
  join_outermost (p, number, outer);
  if (call.verdict == COUNTED)
    tell_outer (p, &call);
  return number;
}

/* Begins a call; nothing within a call that counts matters. */
guint32
products_begin (gpointer operators, const AnHostSpan *span, guint32 outer)
{
  Operators *self = operators;
  Products *p = &self->products;
  AnProductKind kind = kind_of (self, span->name);
  if (kind == AN_NO_PRODUCT)
    return outer;
  if (kind == AN_INPUT_GRADIENT || kind == AN_WEIGHT_GRADIENT) {
    note_gradient (p, outer, kind);
    return outer;
  }
  if (outer && call_at (p, outer)->verdict == COUNTED)
    return outer;
  return begin (self, span, kind, outer);
}

void
products_end (gpointer operators, guint32 number)
{
  Operators *self = operators;
  if (!call_at (&self->products, number)->outer)
    resolve (self, number);
}

nprof_str
products_shape (const Operators *self, guint32 number)
{
  const Call *call = number ? call_at (&self->products, number) : NULL;
  return call ? an_key_table_key (&self->products.whats, call->what)[WHAT_SHAPE] : 0;
}

/* Says whether a kernel over float operands computes in TF32: cuBLAS and CUTLASS name the
 * instruction in the kernel, and s1688 (m16n8k8 with float sums) has only TF32 for them. */
static bool
is_tf32 (Operators *self, nprof_str kernel)
{
  guint8 *seen = an_byte_of (self->products.tf32, kernel);
  if (!*seen) {
    g_autofree char *lower = g_ascii_strdown (nprof_text (self->host, kernel), -1);
    *seen = strstr (lower, "tf32") || strstr (nprof_text (self->host, kernel), "s1688") ? 2 : 1;
  }
  return *seen == 2;
}

void
products_work (Operators *self, guint32 number, nprof_track device, nprof_str kernel,
               gint64 duration, gint64 inside)
{
  Products *p = &self->products;
  if (!number)
    return;
  Call *call = call_at (p, number);
  p->late += !call;
  if (call && call->resolved)
    call = call->target ? call_at (p, call->target) : NULL;
  if (!call)
    return;
  call->time += inside;
  call->outside += duration - inside;
  call->device = call->device ? call->device : device;
  call->tf32 |= is_tf32 (self, kernel);
}

void
products_finish (Operators *self)
{
  forget_calls (self, 0);
}
