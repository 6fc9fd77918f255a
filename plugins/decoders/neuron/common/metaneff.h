/* SPDX-License-Identifier: Apache-2.0 */
/* metaneff.h - what a framework says of the inputs and outputs of a compiled model, in a file of
 * its own: which parameter of its model each is. */
#pragma once

#include "wire.h"

/* A tensor: {1 name, 2 packed shape, 3 type, 6 parameter, 7 kind}; types and kinds are numbers of a
 * list that is not public. */
typedef struct {
  char *name, *parameter, *shape; /* owned, UTF-8; shape as "4096,128".  NULL: not in the file */
  uint64_t type, kind,
      elements; /* elements: product of the shape, 1 without one; 0: beyond 64 bits */
  bool has_type, has_kind;
} NeuronParameter;

/* Returns "input" or "output", which a field of a metaneff is; NULL: it is no tensor. */
static inline const char *
neuron_metaneff_usage (const NeuronWire *field)
{
  if (field->wire != 2)
    return NULL;
  return field->number == 1 ? "input" : field->number == 2 ? "output" : NULL;
}

/* Reads the tensor that the field holds; false: it is none.  Clear it in both cases. */
bool neuron_parameter_read (const uint8_t *data, const NeuronWire *field, NeuronParameter *to);
void neuron_parameter_clear (NeuronParameter *parameter);
