/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - writes the tables samples, kernel_steps and kernel_places. */
#include "samples.h"

#include <math.h>
#include <nprof/sdk.h>

NPROF_TABLE (samples, "Samples", "what the tables kernel_steps and kernel_places are of", SAMPLES)

NPROF_TABLE (kernel_steps, "Kernels by step", "of more than 256 steps, neighbours are added up",
             KERNEL_STEPS)

NPROF_TABLE (kernel_places, "Kernels by place in a step",
             "the k-th row of a kernel under an operator in each step, in the order of "
             "launches",
             KERNEL_PLACES)

static const char *const class_names[] = { "compute", "communication", "copy", "control", "setup" };

static struct nprof_cell
input_cell (const SmDevice *d)
{
  const struct nprof_host *h = d->samples->host;
  return nprof_cell_str (h->input (h, d->input)->label);
}

static nprof_status
write_device (const SmDevice *d, const SmChoice *choice)
{
  const SmCollector *c = choice->collector;
  const struct samples_row row = {
    .device = nprof_any_str (d->label),
    .by = nprof_some_text (choice->by),
    .program = nprof_some_str (choice->program),
    .steps = nprof_some_int (c->sums.steps),
    .cut = nprof_some_int (choice->cut),
    .block_steps = nprof_some_int (c->sums.width),
    .rows = nprof_some_int ((gint64) d->rows),
    .duration = nprof_some_int (d->work),
    .outside_rows = nprof_some_int ((gint64) choice->outside.rows),
    .outside = nprof_some_int (choice->outside.time),
    .unlinked_rows = nprof_some_int ((gint64) d->unlinked),
    .unlinked = nprof_some_int (d->unlinked_time),
    .late_rows = nprof_some_int ((gint64) c->late),
  };
  return d->samples->host->row (d->samples->host, &samples_table,
                                samples_cells (input_cell (d), &row).cells);
}

static nprof_status
write_block (const SmDevice *d, const SmChoice *choice, guint number)
{
  const struct nprof_host *h = d->samples->host;
  const SmSums *s = &choice->collector->sums;
  const SmBlock *block = &g_array_index (s->block, SmBlock, number);
  g_autofree char *step = sm_step_name (d, choice, block->step);
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < s->series.n && !status; i++) {
    const guint32 *key = an_key_table_key (&s->series, i);
    const GArray *sums = g_ptr_array_index (s->blocks, i);
    if (number >= sums->len || !g_array_index (sums, guint64, number))
      continue;
    const struct kernel_steps_row row = {
      .device = nprof_any_str (d->label),
      .block = nprof_some_int (number),
      .step = nprof_some_text (step),
      .kernel = nprof_any_str (key[SERIES_KERNEL]),
      .operator= nprof_some_str (key[SERIES_OPERATOR]),
      .module = nprof_some_str (key[SERIES_MODULE]),
      .steps = nprof_some_int (block->steps),
      .duration = nprof_some_int ((gint64) g_array_index (sums, guint64, number)),
    };
    status = h->row (h, &kernel_steps_table, kernel_steps_cells (input_cell (d), &row).cells);
  }
  return status;
}

static nprof_status
write_place (const SmDevice *d, const SmChoice *choice, guint number)
{
  const Samples *self = d->samples;
  const SmSums *s = &choice->collector->sums;
  const SmPlace *place = &g_array_index (s->place, SmPlace, number);
  const guint32 *key = an_key_table_key (&s->places, number);
  double variance = sm_variance (place, s->steps);
  const struct kernel_places_row row = {
    .device = nprof_any_str (d->label),
    .kernel = nprof_any_str (key[PLACE_KERNEL]),
    .operator= nprof_some_str (key[PLACE_OPERATOR]),
    .ordinal = nprof_some_int (key[PLACE_ORDINAL]),
    .class = nprof_some_text (class_names[self->class_of->data[key[PLACE_KERNEL]] - 1]),
    .module = nprof_some_str (place->module),
    .among = nprof_some_int (place->among),
    .steps = nprof_some_int (place->steps),
    .calls = nprof_some_int ((gint64) place->calls),
    .duration = nprof_some_int ((gint64) place->sum),
    .variance = nprof_some_double (variance),
  };
  return self->host->row (self->host, &kernel_places_table,
                          kernel_places_cells (input_cell (d), &row).cells);
}

static int
by_place (gconstpointer a, gconstpointer b)
{
  const SmDevice *x = *(const SmDevice *const *) a, *y = *(const SmDevice *const *) b;
  return an_place_compare (x->samples->host, x->track, y->track);
}

nprof_status
sm_write (Samples *self)
{
  nprof_status status = NPROF_OK;
  g_ptr_array_sort (self->devices, by_place);
  for (guint i = 0; i < self->devices->len && !status; i++) {
    SmDevice *d = g_ptr_array_index (self->devices, i);
    if (!d->rows)
      continue;
    const SmChoice choice = sm_device_end (d);
    const SmSums *s = &choice.collector->sums;
    status = write_device (d, &choice);
    for (guint b = 0; b < s->block->len && !status; b++)
      status = write_block (d, &choice, b);
    for (guint p = 0; p < s->place->len && !status; p++)
      status = write_place (d, &choice, p);
  }
  return status;
}
