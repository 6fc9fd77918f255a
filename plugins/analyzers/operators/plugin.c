/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer `operators`: its options, its tables, its life. */
#include "operators.h"

#include "profile/product-names.h"
#include <nprof/keys.h>
#include <string.h>

#define TEXT_KEY(name, help) NPROF_KEY_COLUMN (NPROF_STRING, name, "", help)
#define PS(name, help) NPROF_VALUE_COLUMN (NPROF_INT64, name, "ps", help)
#define INT(name, unit, help) NPROF_VALUE_COLUMN (NPROF_INT64, name, unit, help)
#define RATIO(name, help) NPROF_VALUE_COLUMN (NPROF_DOUBLE, name, "1", help)

/* clang-format off */
const struct nprof_table operators_table = {
  .size = sizeof operators_table, .name = "operators", .title = "Operators",
  .note = "the same time at several levels: never add levels; self time is without what lies in it",
  .columns = NPROF_COLUMNS (
      TEXT_KEY ("device", "device or core; of operators of a host, its process"),
      NPROF_LEVEL_COLUMN ("level", "framework, hlo, opcode, layer; name and category where those say nothing"),
      NPROF_KEY_COLUMN (NPROF_TEXT, "operator", "", "unknown: work that says nothing at this level"),
      TEXT_KEY ("category", "of the rows; of a framework's path its type of operator"),
      INT ("calls", "", "that have an end in the file"),
      PS ("total_ns", "sum of durations"),
      PS ("self_ns", "sum of durations without those directly within them"),
      RATIO ("share", "of the self time of the device"),
      PS ("mean_ns", "of whole durations"),
      INT ("flops", "flop", "all that were computed, as declared, of calls in which no other lies"),
      INT ("bytes", "byte", "read and written, as declared, of calls in which no other lies"),
      RATIO ("mfu", "model flops / (self time x peak of the device)"),
      INT ("duplicates", "", "clones that were merged into this operator"),
      RATIO ("hfu", "flops / (self time x peak of the device)"),
      PS ("host_self_ns", "of the operator on the host, without spans directly within"),
      NPROF_VALUE_COLUMN (NPROF_STRING, "top_kernel", "", "the work that took most of its self time"),
      NPROF_VALUE_COLUMN (NPROF_STRING, "flops_source", "", "file, or shapes: of the arguments"),
      INT ("unknown_calls", "", "calls of a matrix product whose arguments say too little for its flops")),
};

const struct nprof_table operator_flops_table = {
  .size = sizeof operator_flops_table, .name = "operator_flops", .title = "Flops by shape",
  .note = "each call once: the outermost operator whose arguments say enough",
  .columns = NPROF_COLUMNS (
      TEXT_KEY ("device", "where its work ran; none: nowhere"),
      TEXT_KEY ("operator", "matrix product, convolution, attention"),
      TEXT_KEY ("precision", "of the first matrix, tf32 by its kernels; other: another type"),
      TEXT_KEY ("shape", "of the arguments"),
      NPROF_KEY_COLUMN (NPROF_INT64, "gradients", "", "that cudnn of 2021 computed within"),
      TEXT_KEY ("process", "that called it"),
      INT ("calls", "", ""),
      INT ("flops", "flop", "multiply and add are two"),
      INT ("bytes", "byte", "each tensor read once, the result written once"),
      PS ("device_ns", "of all that was launched within")),
};

const struct nprof_table step_flops_table = {
  .size = sizeof step_flops_table, .name = "step_flops", .title = "Flops by step",
  .note = "of calls that begin in the step, on any thread of its process, and whose work ran on the device",
  .columns = NPROF_COLUMNS (
      TEXT_KEY ("device", "device or core"),
      TEXT_KEY ("step", "name of the step"),
      TEXT_KEY ("precision", "as in table operator_flops"),
      INT ("calls", "", ""),
      INT ("flops", "flop", "multiply and add are two")),
};

const struct nprof_table layers_table = {
  .size = sizeof layers_table, .name = "layers", .title = "Layers",
  .note = "A layer holds the layers below it. Flops, bytes and busy, the self time of its operators, are sums over all devices: operators that run at one time count one by one",
  .columns = NPROF_COLUMNS (
      TEXT_KEY ("layer", "path in the model"),
      PS ("start_ns", "start of the first operator"),
      PS ("end_ns", "end of the last operator"),
      PS ("busy_ns", "sum of the self time of its operators, on all devices"),
      INT ("flops", "flop", "as declared"),
      INT ("bytes", "byte", "read and written, as declared"),
      RATIO ("mfu", "model flops / (busy time x peak of the device)"),
      RATIO ("hfu", "flops / (busy time x peak of the device)")),
};

const struct nprof_table linked_table = {
  .size = sizeof linked_table, .name = "operators_linked", .title = "Kernels and their launches",
  .note = "other tools leave out kernels whose launch is not in the file; here linked says so",
  .columns = NPROF_COLUMNS (
      TEXT_KEY ("device", "where it ran"),
      TEXT_KEY ("queue", "stream of the device"),
      TEXT_KEY ("launcher", "innermost operator of the framework around the launch"),
      TEXT_KEY ("operator", "kernel or copy"),
      TEXT_KEY ("category", "of the rows"),
      NPROF_KEY_COLUMN (NPROF_BOOL, "linked", "", "its launch is in the file"),
      INT ("calls", "", "that have an end in the file"),
      PS ("total_ns", "sum of durations"),
      PS ("min_ns", "shortest"),
      PS ("max_ns", "longest"),
      NPROF_VALUE_COLUMN (NPROF_TEXT, "reason", "", "why it is not linked")),
};

static const struct nprof_table *const tables[]
    = { &operators_table, &layers_table,         &linked_table,
        &kernels_table,   &operator_flops_table, &step_flops_table,
        &operator_shapes_table, NULL };

static const struct nprof_option *const options[] = {
  NPROF_SIZE_OPTION (Operators, window, "window", "1M", "4k..4G",
                     "memory in which times of the device's clock are put in order, for each track"),
  NPROF_CHOICE_OPTION (Operators, kernels, "kernels", "name", "name|shape",
                       "a row of table kernels: of a name, or of a name and the arguments around its launch"),
  NULL,
};
/* clang-format on */

static const char *const wants[]
    = { NPROF_KEY_WORK, AN_FLOPS_KEYS, AN_LAUNCH_KEYS, KEY_ARGUMENTS, OPERATOR_KEYS, AN_PEAK_KEYS, NULL };

static nprof_status write_own (void *instance);

static nprof_status
operators_open (void *instance, const struct nprof_host *host)
{
  Operators *self = instance;
  self->host = host;
  an_rows_init (&self->rows, host, "operators", tables, NULL, write_own);
  return rows_init (self);
}

static nprof_status
operators_consume (void *instance, const struct nprof_batch *batch)
{
  return rows_consume (instance, batch);
}

static nprof_status
operators_choose (void *instance, const struct nprof_batch *batch, uint8_t *rows)
{
  rows_choose (instance, batch, rows);
  return NPROF_OK;
}

/* Rows come in order, so when all is decoded: the tables of the decoders come before them. */
static nprof_status
operators_take_table (void *instance, const struct nprof_table *table,
                      const struct nprof_cell *cells, uint32_t n_rows)
{
  if (strcmp (table->name, "hlo_instructions") == 0)
    shapes_take (instance, table, cells, n_rows);
  return NPROF_OK;
}

static void
warn (const Operators *self)
{
  if (self->unended)
    nprof_log (self->host, NPROF_WARNING,
               "spans without an end in the file: %" G_GUINT64_FORMAT
               "; they are left out of operators",
               self->unended);
  if (self->late)
    nprof_log (
        self->host, NPROF_WARNING,
        "%" G_GUINT64_FORMAT " spans came later than the window by the device's clock; their "
        "time is counted as their own and not taken from what they lie in: set a larger window=",
        self->late);
  if (self->products.late)
    nprof_log (self->host, NPROF_WARNING,
               "%" G_GUINT64_FORMAT
               " kernels began when more than 65536 matrix products had been called "
               "behind theirs; the time of their products is too short",
               self->products.late);
}

static nprof_status
write_own (void *instance)
{
  Operators *self = instance;
  nprof_status (*const write[]) (Operators *)
      = { levels_write, layers_write, launched_write, kernels_write, products_write, shapes_write };
  nprof_status status = rows_end (self);
  if (!status)
    warn (self);
  for (guint i = 0; i < G_N_ELEMENTS (write) && !status; i++)
    status = write[i](self);
  return status;
}

static void
operators_close (void *instance)
{
  Operators *self = instance;
  rows_clear (self);
  an_rows_clear (&self->rows);
}

static const struct nprof_component component = {
  .size = sizeof component,
  .kind = NPROF_ANALYZER,
  .name = "operators",
  .summary = "operators and layers: calls, total and self time, flop, bytes",
  .options = options,
  .tables = tables,
  .wants = wants,
  .order = NPROF_ORDER_DEVICE,
  .flags = NPROF_ANALYZER_NO_LINKS | NPROF_ANALYZER_CONTEXT | NPROF_ANALYZER_NO_ROWS,
  .instance_size = sizeof (Operators),
  .open = operators_open,
  .consume = operators_consume,
  .table = operators_take_table,
  .table_wants = (const char *const[]){ "hlo_instructions?", NULL },
  .finish = an_rows_finish,
  .close = operators_close,
  .choose = operators_choose,
  .save = an_rows_save,
  .merge = an_rows_merge,
};

NPROF_PLUGIN ("operators", NPROF_VERSION, "Apache-2.0", &component)
