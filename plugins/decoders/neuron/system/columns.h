/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of table neuron_parameters. */
#pragma once

#include <nprof/table.h>

#define NEURON_PARAMETERS(C)                                                                       \
  C (TEXT_KEY, name, "of the tensor, as the NEFF has it")                                          \
  C (KEY, usage, "input, output")                                                                  \
  C (TEXT, parameter, "name in the framework's model")                                             \
  C (STRING, shape, "as 4096,128")                                                                 \
  C (COUNT, type, "number of the element's type")                                                  \
  C (COUNT, kind, "number of what the tensor is for")
NPROF_TABLE_ROW (neuron_parameters, NEURON_PARAMETERS)
