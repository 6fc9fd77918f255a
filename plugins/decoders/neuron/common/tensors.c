/* SPDX-License-Identifier: Apache-2.0 */
/* tensors.c - the table `tensors`, the same for a NEFF and for the files of the vendor's tools;
 * neff and tools write its rows. */
#include "tensors.h"

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
      NPROF_VALUE_COLUMN (NPROF_UINT64, "bytes", "byte", "size of the buffer"))
};
