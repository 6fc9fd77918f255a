/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - declares the tables of the decoder and writes their rows.  The layers have a file of
 * their own. */
#include "neff.h"

const struct nprof_table neff_queues_table
    = { .size = sizeof neff_queues_table,
        .name = "dma_queues",
        .title = "DMA queues",
        .note = "what the compiler laid out; descriptors made at run time are not in the file",
        .columns
        = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_STRING, "queue", "",
                                           "of several subgraphs: SUBGRAPH/NAME"),
                         NPROF_VALUE_COLUMN (NPROF_STRING, "type", "",
                                             "in, out, data, embedding_update, dynamic"),
                         NPROF_VALUE_COLUMN (NPROF_UINT64, "descriptors", "", "static descriptors"),
                         NPROF_VALUE_COLUMN (NPROF_UINT64, "bytes", "byte", "that they write")) };

const struct nprof_table neff_dma_table
    = { .size = sizeof neff_dma_table,
        .name = "dma_tensors",
        .title = "DMA by queue and tensor",
        .note = "a descriptor counts at the tensor that it writes and at each that it reads, with "
                "the bytes that it writes",
        .columns = NPROF_COLUMNS (
            NPROF_KEY_COLUMN (NPROF_STRING, "queue", "", "of several subgraphs: SUBGRAPH/NAME"),
            NPROF_KEY_COLUMN (NPROF_TEXT, "tensor", "", "of several subgraphs: SUBGRAPH/NAME"),
            NPROF_KEY_COLUMN (NPROF_STRING, "access", "", "read, write"),
            NPROF_VALUE_COLUMN (NPROF_UINT64, "descriptors", "", "static descriptors"),
            NPROF_VALUE_COLUMN (NPROF_UINT64, "bytes", "byte", "that they write")) };

const struct nprof_table neff_instructions_table = {
  .size = sizeof neff_instructions_table,
  .name = "instructions",
  .title = "Instructions by engine and opcode",
  .note
  = "as they stand in the program, loops counted once; names of opcodes are likely, not documented",
  .columns = NPROF_COLUMNS (
      NPROF_KEY_COLUMN (NPROF_STRING, "engine", "", "tensor, vector, scalar, gpsimd, sync"),
      NPROF_KEY_COLUMN (NPROF_STRING, "opcode", "",
                        "first byte of the instruction; none: the stream cannot be read"),
      NPROF_VALUE_COLUMN (NPROF_STRING, "name", "", "likely mnemonic"),
      NPROF_VALUE_COLUMN (NPROF_UINT64, "count", "", "instructions of all subgraphs"))
};

static struct nprof_cell
text (const char *s)
{
  return nprof_cell_text (s);
}

static struct nprof_cell
str (const Neff *n, const char *s)
{
  return s ? nprof_cell_str (nprof_intern (n->host, s)) : nprof_cell_null ();
}

static struct nprof_cell
number (gboolean known, guint64 u)
{
  return known ? nprof_cell_uint (u) : nprof_cell_null ();
}

#define ROW(table, ...)                                                                            \
  n->host->row (n->host, (table), (struct nprof_cell[]){ nprof_cell_str (label), __VA_ARGS__ })

static nprof_status
tensor_rows (Neff *n, nprof_str label)
{
  nprof_status status = n->host->table (n->host, &neuron_tensors_table);
  for (guint i = 0; i < n->tensors->len && status == NPROF_OK; i++) {
    const NeffTensor *t = n->tensors->pdata[i];
    status = ROW (&neuron_tensors_table, text (t->name), str (n, t->usage), str (n, t->shape),
                  str (n, t->dtype), number (t->sized, t->bytes),
                  t->parameter ? text (t->parameter) : nprof_cell_null ());
  }
  return status;
}

/* Writes queues; one of type dynamic gets its descriptors at run time. */
static nprof_status
queue_rows (Neff *n, nprof_str label)
{
  nprof_status status = n->host->table (n->host, &neff_queues_table);
  for (guint i = 0; i < n->queues->len && status == NPROF_OK; i++) {
    const NeffQueue *q = n->queues->pdata[i];
    gboolean counted
        = !q->uncounted && !(q->descriptors == 0 && g_strcmp0 (q->type, "dynamic") == 0);
    status = ROW (&neff_queues_table, str (n, q->name), str (n, q->type),
                  number (counted, q->descriptors), number (counted && !q->unknown, q->bytes));
  }
  return status;
}

static nprof_status
use_rows (Neff *n, nprof_str label, const NeffQueue *q)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < q->uses->len && status == NPROF_OK; i++) {
    const NeffUse *u = q->uses->pdata[i];
    status = ROW (&neff_dma_table, str (n, q->name), text (u->tensor),
                  str (n, u->writes ? "write" : "read"), number (!q->uncounted, u->descriptors),
                  number (!q->uncounted && !u->unknown, u->bytes));
  }
  return status;
}

static nprof_status
dma_rows (Neff *n, nprof_str label)
{
  nprof_status status = n->host->table (n->host, &neff_dma_table);
  for (guint i = 0; i < n->queues->len && status == NPROF_OK; i++)
    status = use_rows (n, label, n->queues->pdata[i]);
  return status;
}

static nprof_status
opcode_rows (Neff *n, nprof_str label, const NeffEngine *e)
{
  nprof_status status = NPROF_OK;
  if (e->unknown)
    return ROW (&neff_instructions_table, str (n, e->engine), nprof_cell_null (),
                nprof_cell_null (), nprof_cell_null ());
  for (guint i = 0; i < 256 && status == NPROF_OK; i++) {
    char opcode[8];
    g_snprintf (opcode, sizeof opcode, "0x%02x", i);
    if (e->counts[i])
      status = ROW (&neff_instructions_table, str (n, e->engine), str (n, opcode),
                    str (n, neff_opcode ((guint8) i)), nprof_cell_uint (e->counts[i]));
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
    status = n->host->table (n->host, &neff_instructions_table);
  for (guint i = 0; i < n->engines->len && status == NPROF_OK; i++)
    status = opcode_rows (n, label, n->engines->pdata[i]);
  return status;
}
