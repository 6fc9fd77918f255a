/* SPDX-License-Identifier: Apache-2.0 */
/* answers-steps.c - sums over the steps of each device. */

#include "answers-steps.h"

static DeviceSteps *
device_of (Answers *a, const Reader *r)
{
  nprof_str input = word (r, "input"), device = word (r, "device");
  for (guint i = 0; i < a->devices->len; i++) {
    DeviceSteps *d = g_ptr_array_index (a->devices, i);
    if (d->input == input && d->device == device)
      return d;
  }
  DeviceSteps *d = g_new0 (DeviceSteps, 1);
  d->input = input;
  d->device = device;
  g_ptr_array_add (a->devices, d);
  return d;
}

void
answers_take_breakdown (Answers *a, const Reader *r)
{
  static const char *const columns[PARTS]
      = { "window_ns",       "idle_ns",      "compute_ns",     "exposed_communication_ns",
          "exposed_copy_ns", "idle_host_ns", "idle_launch_ns", "idle_wait_ns",
          "idle_unlinked_ns" };
  DeviceSteps *d = device_of (a, r);
  const struct nprof_cell *cut = cell (r, "cut");
  gboolean is_cut = cut->type == NPROF_BOOL && cut->v.u;
  gboolean counts = cell (r, "counted_ns")->type != NPROF_NULL;
  StepSums *s = counts ? &d->counted : is_cut ? &d->cut : &d->whole;
  d->named |= cell (r, "step")->type != NPROF_NULL;
  s->n++;
  for (guint i = 0; i < PARTS; i++)
    s->part[i] += MAX (number (r, columns[i]), 0);
  s->unsure |= number (r, "idle_ns") < 0;
}

const StepSums *
answers_steps (const DeviceSteps *device)
{
  return device->counted.n ? &device->counted : device->whole.n ? &device->whole : &device->cut;
}

double
answers_mean (const DeviceSteps *device, Part part)
{
  const StepSums *s = answers_steps (device);
  return s->n ? (double) s->part[part] / (double) s->n : 0;
}
