/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - declares the tables of the decoder and writes their rows.  The layers have a file of
 * their own. */
#include "neff.h"

NPROF_TABLE (dma_queues, "DMA queues",
             "what the compiler laid out; descriptors made at run time are not in the file",
             DMA_QUEUES)

NPROF_TABLE (dma_tensors, "DMA by queue and tensor",
             "a descriptor counts at the tensor that it writes and at each that it reads, "
             "with the bytes that it writes",
             DMA_TENSORS)

NPROF_TABLE (instructions, "Instructions by engine and opcode",
             "as they stand in the program, loops counted once; names of opcodes are "
             "likely, not documented",
             INSTRUCTIONS)

static struct nprof_maybe_str
str (const Neff *n, const char *s)
{
  return nprof_str_if (s, s ? nprof_intern (n->host, s) : 0);
}

static nprof_status
tensor_rows (Neff *n, nprof_str label)
{
  nprof_status status = n->host->table (n->host, &tensors_table);
  for (guint i = 0; i < n->tensors->len && status == NPROF_OK; i++) {
    const NeffTensor *t = n->tensors->pdata[i];
    const struct tensors_row row = {
      .name = nprof_some_text (t->name),
      .usage = str (n, t->usage),
      .shape = str (n, t->shape),
      .dtype = str (n, t->dtype),
      .bytes = nprof_uint_if (t->sized, t->bytes),
      .parameter = nprof_some_text (t->parameter),
    };
    status = n->host->row (n->host, &tensors_table,
                           tensors_cells (nprof_cell_str (label), &row).cells);
  }
  return status;
}

/* Writes queues; one of type dynamic gets its descriptors at run time. */
static nprof_status
queue_rows (Neff *n, nprof_str label)
{
  nprof_status status = n->host->table (n->host, &dma_queues_table);
  for (guint i = 0; i < n->queues->len && status == NPROF_OK; i++) {
    const NeffQueue *q = n->queues->pdata[i];
    gboolean counted
        = !q->uncounted && !(q->descriptors == 0 && g_strcmp0 (q->type, "dynamic") == 0);
    const struct dma_queues_row row = {
      .queue = str (n, q->name),
      .type = str (n, q->type),
      .descriptors = nprof_uint_if (counted, q->descriptors),
      .bytes = nprof_uint_if (counted && !q->unknown, q->bytes),
    };
    status = n->host->row (n->host, &dma_queues_table,
                           dma_queues_cells (nprof_cell_str (label), &row).cells);
  }
  return status;
}

static nprof_status
use_rows (Neff *n, nprof_str label, const NeffQueue *q)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < q->uses->len && status == NPROF_OK; i++) {
    const NeffUse *u = q->uses->pdata[i];
    const struct dma_tensors_row row = {
      .queue = str (n, q->name),
      .tensor = nprof_some_text (u->tensor),
      .access = str (n, u->writes ? "write" : "read"),
      .descriptors = nprof_uint_if (!q->uncounted, u->descriptors),
      .bytes = nprof_uint_if (!q->uncounted && !u->unknown, u->bytes),
    };
    status = n->host->row (n->host, &dma_tensors_table,
                           dma_tensors_cells (nprof_cell_str (label), &row).cells);
  }
  return status;
}

static nprof_status
dma_rows (Neff *n, nprof_str label)
{
  nprof_status status = n->host->table (n->host, &dma_tensors_table);
  for (guint i = 0; i < n->queues->len && status == NPROF_OK; i++)
    status = use_rows (n, label, n->queues->pdata[i]);
  return status;
}

static nprof_status
instructions_row (Neff *n, nprof_str label, const struct instructions_row *row)
{
  return n->host->row (n->host, &instructions_table,
                       instructions_cells (nprof_cell_str (label), row).cells);
}

static nprof_status
opcode_rows (Neff *n, nprof_str label, const NeffEngine *e)
{
  nprof_status status = NPROF_OK;
  struct instructions_row row = { .engine = str (n, e->engine) };
  if (e->unknown)
    return instructions_row (n, label, &row);
  for (guint i = 0; i < 256 && status == NPROF_OK; i++) {
    char opcode[8];
    g_snprintf (opcode, sizeof opcode, "0x%02x", i);
    if (!e->counts[i])
      continue;
    row.opcode = str (n, opcode);
    row.name = str (n, neff_opcode ((guint8) i));
    row.count = nprof_some_uint (e->counts[i]);
    status = instructions_row (n, label, &row);
  }
  return status;
}

nprof_status
neff_tables (Neff *n, nprof_str label)
{
  nprof_status status = tensor_rows (n, label);
  if (status == NPROF_OK)
    status = queue_rows (n, label);
  if (status == NPROF_OK)
    status = dma_rows (n, label);
  if (status == NPROF_OK)
    status = n->host->table (n->host, &instructions_table);
  for (guint i = 0; i < n->engines->len && status == NPROF_OK; i++)
    status = opcode_rows (n, label, n->engines->pdata[i]);
  return status;
}
