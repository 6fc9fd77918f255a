/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - writes the tables samples, kernel_steps and kernel_places. */
#include "samples.h"

#include "devicekit/cells.h"

#include <math.h>
#include <nprof/sdk.h>

#define KEY(name, help) NPROF_KEY_COLUMN (NPROF_STRING, name, "", help)
#define PS(name, help) NPROF_VALUE_COLUMN (NPROF_INT64, name, "ps", help)
#define INT(name, help) NPROF_VALUE_COLUMN (NPROF_INT64, name, "", help)

/* clang-format off */
const struct nprof_table sm_samples_table = {
  .size = sizeof sm_samples_table, .name = "samples", .title = "Samples",
  .note = "what the tables kernel_steps and kernel_places are of",
  .columns = NPROF_COLUMNS (
      KEY ("device", "device or core; with of=host, a process"),
      NPROF_VALUE_COLUMN (NPROF_TEXT, "by", "", "launch: rows belong to the step that launched them; "
                          "start: to the step that they begin in; recording: all are one step"),
      NPROF_VALUE_COLUMN (NPROF_STRING, "program", "", "whose executions are the steps"),
      INT ("steps", "that were counted"),
      INT ("cut", "that the profile cut; they are not counted"),
      INT ("block_steps", "steps that a row of kernel_steps adds up; the last block may have fewer"),
      INT ("rows", "of work, in counted steps and outside"),
      PS ("duration_ns", "sum of their durations; of rows that contain others, the rest"),
      INT ("outside_rows", "launched in no step, or by=start, that begin in none"),
      PS ("outside_ns", "sum of their durations"),
      INT ("unlinked_rows", "whose launch is not in the file"),
      PS ("unlinked_ns", "sum of their durations"),
      INT ("late_rows", "that came when their step was complete, and are not counted")),
};

const struct nprof_table sm_steps_table = {
  .size = sizeof sm_steps_table, .name = "kernel_steps", .title = "Kernels by step",
  .note = "of more than 256 steps, neighbours are added up",
  .columns = NPROF_COLUMNS (
      KEY ("device", "device or core; with of=host, a process"),
      NPROF_KEY_COLUMN (NPROF_INT64, "block", "", "0, 1, ...: which of the device's blocks of steps"),
      NPROF_KEY_COLUMN (NPROF_TEXT, "step", "", "name of the step, of the first of several"),
      KEY ("kernel", "name of the rows"),
      KEY ("operator", "operator of the framework that launched them"),
      KEY ("module", "path of modules around the launch; modules=yes"),
      INT ("steps", "that are added up here"),
      PS ("duration_ns", "sum of durations")),
};

const struct nprof_table sm_places_table = {
  .size = sizeof sm_places_table, .name = "kernel_places", .title = "Kernels by place in a step",
  .note = "the k-th row of a kernel under an operator in each step, in the order of launches",
  .columns = NPROF_COLUMNS (
      KEY ("device", "device or core; with of=host, a process"),
      KEY ("kernel", "name of the row"),
      KEY ("operator", "operator of the framework that launched it"),
      NPROF_KEY_COLUMN (NPROF_INT64, "ordinal", "", "0, 1, ...: which row of them in a step; 1023: and all behind it"),
      NPROF_VALUE_COLUMN (NPROF_TEXT, "class", "", "compute, communication, copy, control or setup"),
      NPROF_VALUE_COLUMN (NPROF_STRING, "module", "", "path of modules around the launch, in the first step that has it; modules=yes"),
      INT ("among", "ordinal among all rows of the operator, in the first step that has it"),
      INT ("steps", "that have such a row"),
      INT ("calls", "rows"),
      PS ("duration_ns", "sum of durations over the steps"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "variance", "", "between the steps, in ps^2")),
};
/* clang-format on */

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
  const struct nprof_cell cells[] = {
    input_cell (d),
    nprof_cell_str (d->label),
    nprof_cell_text (choice->by),
    an_str_cell (choice->program),
    nprof_cell_int (c->sums.steps),
    nprof_cell_int (choice->cut),
    nprof_cell_int (c->sums.width),
    nprof_cell_int ((gint64) d->rows),
    nprof_cell_int (d->work),
    nprof_cell_int ((gint64) choice->outside.rows),
    nprof_cell_int (choice->outside.time),
    nprof_cell_int ((gint64) d->unlinked),
    nprof_cell_int (d->unlinked_time),
    nprof_cell_int ((gint64) c->late),
  };
  return d->samples->host->row (d->samples->host, &sm_samples_table, cells);
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
    const struct nprof_cell cells[] = {
      input_cell (d),
      nprof_cell_str (d->label),
      nprof_cell_int (number),
      nprof_cell_text (step),
      nprof_cell_str (key[SERIES_KERNEL]),
      an_str_cell (key[SERIES_OPERATOR]),
      an_str_cell (key[SERIES_MODULE]),
      nprof_cell_int (block->steps),
      nprof_cell_int ((gint64) g_array_index (sums, guint64, number)),
    };
    status = h->row (h, &sm_steps_table, cells);
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
  const struct nprof_cell cells[] = {
    input_cell (d),
    nprof_cell_str (d->label),
    nprof_cell_str (key[PLACE_KERNEL]),
    an_str_cell (key[PLACE_OPERATOR]),
    nprof_cell_int (key[PLACE_ORDINAL]),
    nprof_cell_text (class_names[self->class_of->data[key[PLACE_KERNEL]] - 1]),
    an_str_cell (place->module),
    nprof_cell_int (place->among),
    nprof_cell_int (place->steps),
    nprof_cell_int ((gint64) place->calls),
    nprof_cell_int ((gint64) place->sum),
    an_double_cell (variance),
  };
  return self->host->row (self->host, &sm_places_table, cells);
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
