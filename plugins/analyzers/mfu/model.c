/* SPDX-License-Identifier: Apache-2.0 */
/* model.c - takes no transposes of Neuron for work of the model. */
#include "devicekit/logical-core.h"
#include "mfu.h"

static void
forget_sum (MfSum *sum)
{
  sum->known &= (guint8) ~AN_KNOWS_MODEL;
  sum->model_flops = 0;
}

static void
forget_sums (const MfSums *sums)
{
  for (guint i = 0; i < sums->sums->len; i++)
    forget_sum (mf_sums_at (sums, i));
}

void
mf_forget_model (MfDevice *d)
{
  if (an_knows_model (an_logical_cores (d->run->host, d->core), d->all.known))
    return;
  forget_sum (&d->all);
  forget_sums (&d->steps);
  forget_sums (&d->layer_sums.operators);
  forget_sums (&d->layer_sums.layers);
}
