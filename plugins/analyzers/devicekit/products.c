/* SPDX-License-Identifier: Apache-2.0 */
/* products.c - what a call computes and moves, by the formula of its operator. */
#include "devicekit/product-call.h"

AnProductKind
an_product_kind (const char *name)
{
  const AnProductFormula *formula = an_product_formula (name);
  return formula ? formula->kind : AN_NO_PRODUCT;
}

/* Returns a negative number when it is unknown. */
static __int128
bytes_of (const AnProductCall *call, const AnProductFound *found)
{
  const char *precision;
  __int128 sum = 0;
  guint width = an_product_type (&call->arg[found->read[0]], &precision);
  for (guint i = 0; i < found->n_read; i++) {
    const AnProductArgument *arg = &call->arg[found->read[i]];
    if (found->read[i] >= call->n || !arg->n)
      continue;
    guint each = an_product_type (arg, &precision);
    __int128 bytes = an_product_times (an_product_elements (arg->size, arg->n), each);
    if (!each || bytes < 0)
      return -1;
    sum += bytes;
  }
  for (guint i = 0; i < found->n_written; i++) {
    __int128 bytes
        = an_product_times (an_product_elements (found->written[i].size, found->written[i].n),
                            width);
    if (!width || bytes < 0)
      return -1;
    sum += bytes;
  }
  return sum;
}

AnProductWork
an_product_work (const char *name, const char *shape, guint inputs, guint weights)
{
  AnProductWork work = { 0 };
  AnProductCall call = { .inputs = inputs, .weights = weights };
  AnProductFound found = { 0 };
  const AnProductFormula *formula = an_product_formula (name);
  if (!formula || !shape || !an_product_call (shape, &call)
      || !formula->find (&call, formula->how, &found))
    return work;
  if (found.flops < 0 || found.flops > G_MAXINT64)
    return work;
  work.flops = (gint64) found.flops;
  work.knows_flops = true;
  an_product_type (&call.arg[found.typed], &work.precision);
  __int128 bytes = found.no_bytes ? -1 : bytes_of (&call, &found);
  work.knows_bytes = bytes >= 0 && bytes <= G_MAXINT64;
  work.bytes = work.knows_bytes ? (gint64) bytes : 0;
  return work;
}
