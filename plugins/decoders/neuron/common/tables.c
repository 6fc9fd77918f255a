/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - the tables `tensors`, `neuron_details` and `neuron_memory`; the files that find their
 * rows write them. */
#include "tables.h"

NPROF_TABLE (tensors, "Tensors of the model",
             "inputs and outputs with the model's shapes, then all other buffers that the "
             "compiler declares",
             TENSORS)

NPROF_TABLE (neuron_details, "What the Neuron tools say beside the events",
             "one row for each member of each record of a section without times", NEURON_DETAILS)

NPROF_TABLE (neuron_memory, "Device memory by use",
             "What the runtime held for the model while it was profiled; the file does not "
             "say when.",
             NEURON_MEMORY)

nprof_status
neuron_memory_row (const struct nprof_host *host, nprof_str input, const char *device,
                   nprof_str use, uint64_t bytes)
{
  const struct neuron_memory_row row = {
    .device = nprof_some_text (device),
    .use = nprof_some_str (use),
    .bytes = nprof_some_uint (bytes),
  };
  return host->row (host, &neuron_memory_table,
                    neuron_memory_cells (nprof_cell_str (input), &row).cells);
}
