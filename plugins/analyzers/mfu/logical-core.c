/* SPDX-License-Identifier: Apache-2.0 */
/* logical-core.c - adds up the cores that are one logical core of Neuron, whose peak is that of all
 * of them, and takes no transposes for work of the model. */
#include "devicekit/logical-core.h"
#include "mfu.h"

MfSum
mf_of_logical_core (const MfDevice *core)
{
  MfSum whole = core->all;
  const MfRun *run = core->run;
  const GArray *places = g_ptr_array_index (run->core_places, core->place);
  for (guint i = 0; i < places->len; i++) {
    const MfDevice *d = g_ptr_array_index (run->devices, g_array_index (places, guint, i));
    if (d != core)
      mf_sum_join (&whole, &d->all);
  }
  return whole;
}

static void
forget_model (MfSum *sum)
{
  sum->known &= (guint8) ~AN_KNOWS_MODEL;
  sum->model_flops = 0;
}

static void
forget_models (const MfSums *sums)
{
  for (guint i = 0; i < sums->sums->len; i++)
    forget_model (mf_sums_at (sums, i));
}

static void
forget_device (MfDevice *d)
{
  forget_model (&d->all);
  forget_models (&d->steps);
  forget_models (&d->layer_sums.operators);
  forget_models (&d->layer_sums.layers);
}

void
mf_forget_models (MfRun *run)
{
  g_autofree nprof_track *tracks = g_new (nprof_track, run->devices->len + 1);
  g_autofree bool *forgets = g_new0 (bool, run->devices->len + 1);
  for (guint i = 0; i < run->devices->len; i++) {
    MfDevice *d = g_ptr_array_index (run->devices, i);
    d->place = i;
    tracks[i] = d->track;
  }
  run->core_places = an_logical_core_places (run->host, tracks, run->devices->len);
  for (guint i = 0; i < run->devices->len; i++) {
    const MfDevice *d = g_ptr_array_index (run->devices, i);
    const MfSum whole = mf_of_logical_core (d);
    forgets[i] = !an_knows_model (an_logical_cores (run->host, d->track), whole.known);
  }
  for (guint i = 0; i < run->devices->len; i++)
    if (forgets[i])
      forget_device (g_ptr_array_index (run->devices, i));
}
