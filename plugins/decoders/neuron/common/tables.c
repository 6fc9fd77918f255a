/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - the tables `tensors`, `neuron_details` and `neuron_memory`; the files that find their rows write them. */
#include "tables.h"

const struct nprof_table neuron_tensors_table = {
  .size = sizeof neuron_tensors_table,
  .name = "tensors",
  .title = "Tensors of the model",
  .note
  = "inputs and outputs with the model's shapes, then all other buffers that the compiler declares",
  .columns = NPROF_COLUMNS (
      NPROF_KEY_COLUMN (NPROF_TEXT, "name", "", "of several subgraphs: SUBGRAPH/NAME"),
      NPROF_KEY_COLUMN (NPROF_STRING, "usage", "",
                        "input, output, file, state-buffer, tmp-buf, virtual, pointer, dge-table"),
      NPROF_VALUE_COLUMN (NPROF_STRING, "shape", "", "of inputs and outputs"),
      NPROF_VALUE_COLUMN (NPROF_STRING, "dtype", "", "of inputs and outputs"),
      NPROF_VALUE_COLUMN (NPROF_UINT64, "bytes", "byte", "size of the buffer"),
      NPROF_VALUE_COLUMN (NPROF_TEXT, "parameter", "",
                          "what it is in the framework's model, by a metaneff beside it"))
};

const struct nprof_table neuron_details_table
    = { .size = sizeof neuron_details_table,
        .name = "neuron_details",
        .title = "What the Neuron tools say beside the events",
        .note = "one row for each member of each record of a section without times",
        .columns = NPROF_COLUMNS (
            NPROF_KEY_COLUMN (NPROF_STRING, "section", "", "nc_mem_usage, model_info, ..."),
            NPROF_KEY_COLUMN (NPROF_UINT64, "at", "byte", "where the record begins in the file"),
            NPROF_KEY_COLUMN (NPROF_STRING, "field", "", "name of the member"),
            NPROF_VALUE_COLUMN (NPROF_DOUBLE, "number", "", "where the value is one"),
            NPROF_VALUE_COLUMN (NPROF_TEXT, "text", "", "the value, as the tool writes it")) };

const struct nprof_table neuron_memory_table = {
  .size = sizeof neuron_memory_table,
  .name = "neuron_memory",
  .title = "Device memory by use",
  .note = "What the runtime held for the model while it was profiled; the file does not say when.",
  .columns = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_TEXT, "device", "", "core that it is held for"),
                            NPROF_KEY_COLUMN (NPROF_STRING, "use", "",
                                              "Tensors, Weights, Profiler Buffers, ..."),
                            NPROF_VALUE_COLUMN (NPROF_UINT64, "bytes", "byte", "held"))
};

nprof_status
neuron_memory_row (const struct nprof_host *host, nprof_str input, const char *device,
                   nprof_str use, uint64_t bytes)
{
  const struct nprof_cell cells[]
      = { nprof_cell_str (input), nprof_cell_text (device),
          use ? nprof_cell_str (use) : nprof_cell_null (), nprof_cell_uint (bytes) };
  return host->row (host, &neuron_memory_table, cells);
}
