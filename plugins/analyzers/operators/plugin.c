/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer `operators`: its options, its tables, its life. */
#include "operators.h"

#include "profile/product-names.h"
#include <nprof/keys.h>
#include <string.h>

NPROF_TABLE (operator_flops, "Flops by shape",
             "each call once: the outermost operator whose arguments say enough", OPERATOR_FLOPS)

NPROF_TABLE (step_flops, "Flops by step",
             "of calls that begin in the step, on any thread of its process, and whose work "
             "ran on the device",
             STEP_FLOPS)

NPROF_TABLE (layers, "Layers",
             "A layer holds the layers below it. Flops, bytes and busy, the self time of "
             "its operators, are sums over all devices: operators that run at one time "
             "count one by one",
             LAYERS)

NPROF_TABLE (operators, "Operators",
             "the same time at several levels: never add levels; self time is without what "
             "lies in it",
             OPERATORS)

NPROF_TABLE (operators_linked, "Kernels and their launches",
             "other tools leave out kernels whose launch is not in the file; here linked "
             "says so",
             OPERATORS_LINKED)

/* clang-format off */
static const struct nprof_table *const tables[]
    = { &operators_table, &layers_table,         &operators_linked_table,
        &kernels_table,   &operator_flops_table, &step_flops_table,
        &operator_shapes_table, &copies_table, NULL };

static const struct nprof_option *const options[] = {
  NPROF_SIZE_OPTION (Operators, window, "window", "1M", "4k..4G",
                     "memory in which times of the device's clock are put in order, for each track"),
  NPROF_CHOICE_OPTION (Operators, kernels, "kernels", "name", "name|shape",
                       "a row of table kernels: of a name, or of a name and the arguments around its launch"),
  NULL,
};
/* clang-format on */

static const char *const wants[]
    = { NPROF_KEY_WORK, AN_FLOPS_KEYS, AN_LAUNCH_KEYS, AN_GRAPH_KEYS, KEY_ARGUMENTS,
        OPERATOR_KEYS,  AN_PEAK_KEYS,  NULL };

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
