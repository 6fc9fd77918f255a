/* SPDX-License-Identifier: Apache-2.0 */
/* flops.h - tells what a row computed, and what of it is the model's: the one rule, so that mfu and
 * hfu mean the same in every table. source: xplane.md 2.4, neuron-outputs.md 3.5,
 * neuron-profile-schema.md (Summary, Instruction) */
#ifndef AN_FLOPS_H
#define AN_FLOPS_H

#include <nprof/keys.h>
#include <nprof/reader.h>

/* These are keys of Neuron's tools. */
#define AN_KEY_HARDWARE_FLOPS "hardware_flops"
#define AN_KEY_TRANSPOSE_FLOPS "transpose_flops"
#define AN_KEY_FLOPS_TRANSPOSE "flops_transpose" /* of an instruction */

/* These keys of a pick stand in this order and beside each other. */
#define AN_FLOPS_KEYS                                                                           \
  NPROF_KEY_FLOPS, NPROF_KEY_MODEL_FLOPS, AN_KEY_HARDWARE_FLOPS, AN_KEY_TRANSPOSE_FLOPS,        \
      AN_KEY_FLOPS_TRANSPOSE
enum { AN_FLOPS, AN_MODEL_FLOPS, AN_HARDWARE_FLOPS, AN_TRANSPOSE_FLOPS, AN_FLOPS_TRANSPOSE,
       AN_N_FLOPS_KEYS };

typedef struct {
  int64_t all, model;
  bool knows_all, knows_model;
  bool knows_transposes; /* the row states them, or the model's flops itself */
} AnFlops;

/* Reads a count; a negative one says nothing. */
static inline bool
an_amount (const struct nprof_reader *pick, uint32_t key, int64_t *value)
{
  return pick->field[key].type && nprof_reader_int (pick, key, value) && *value >= 0;
}

/* Reads the flops. model_flops falls back to all flops, as in xprof, less the transposes that
 * Neuron's compiler puts in.  `first` is the place of AN_FLOPS_KEYS in the pick. */
static inline AnFlops
an_flops (const struct nprof_reader *pick, uint32_t first)
{
  AnFlops f = { 0 };
  int64_t transposed = 0;
  f.knows_all = an_amount (pick, first + AN_HARDWARE_FLOPS, &f.all)
                || an_amount (pick, first + AN_FLOPS, &f.all);
  f.knows_model = f.knows_transposes = an_amount (pick, first + AN_MODEL_FLOPS, &f.model);
  if (f.knows_model || !f.knows_all)
    return f;
  f.knows_transposes = an_amount (pick, first + AN_TRANSPOSE_FLOPS, &transposed)
                       || an_amount (pick, first + AN_FLOPS_TRANSPOSE, &transposed);
  if (!f.knows_transposes)
    transposed = 0;
  f.model = f.all > transposed ? f.all - transposed : 0;
  f.knows_model = true;
  return f;
}

#endif
