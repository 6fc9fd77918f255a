/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - writes what an NTFF says is held of the memory of the device, by use, in the
 * words of the vendor's tools.  format: ntff.md, 4.4.1.11 */
#include "file.h"

#include "../common/tables.h"

#include <string.h>

/* source: neuron-profile 2.27, as it writes the nc_mem_usage of 117 real files */
static const struct {
  const char *file, *tools;
} uses[] = {
  { "generic", "Generic" },
  { "pe", "Tensor Instructions" },
  { "act", "Scalar Instructions" },
  { "pool", "GpSimd Instructions" },
  { "dve", "Vector Instructions" },
  { "sp", "Sync Instructions" },
  { "io", "IO" },
  { "spill", "DRAM Spill" },
  { "weight", "Weights" },
  { "profiler buffers", "Profiler Buffers" },
  { "act table", "Scalar Table" },
  { "shared scratchpad", "Shared Scratchpad" },
  { "tensor", "Tensors" },
  { "ucode", "Ucode lib" },
  { "pool stdio", "GpSimd STDIO" },
  { "collectives", "Collectives" },
  { "scratchpad", "Scratchpad" },
  { "xt cc", "XT CC (unused)" },
  { "dma rings runtime", "DMA Rings Runtime" },
  { "dma rings spill", "DMA Rings Spill" },
  { "dma rings io", "DMA Rings IO" },
  { "dma rings collectives", "DMA Rings Collectives" },
};

/* What is not known keeps its own word. */
static nprof_str
use_of (const Ntff *n, nprof_str use)
{
  for (gsize i = 0; use && i < G_N_ELEMENTS (uses); i++)
    if (strcmp (nprof_text (n->host, use), uses[i].file) == 0)
      return nprof_intern (n->host, uses[i].tools);
  return use;
}

static nprof_status
write_graph (const Ntff *n, const NtffGraph *g)
{
  g_autofree char *device
      = g_strdup_printf ("Neuron device %" G_GUINT64_FORMAT "/NeuronCore %" G_GUINT64_FORMAT,
                         g->device, g->number);
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < g->memory->len && !status; i++) {
    const NtffMemory *m = &g_array_index (g->memory, NtffMemory, i);
    status = neuron_memory_row (n->host, n->input_label, device, use_of (n, m->use), m->bytes);
  }
  return status;
}

nprof_status
ntff_memory (const Ntff *n, const NtffFile *f)
{
  nprof_status status = n->host->table (n->host, &neuron_memory_table);
  for (guint i = 0; i < f->graphs->len && !status; i++)
    status = write_graph (n, ntff_graph (f, i));
  return status;
}
