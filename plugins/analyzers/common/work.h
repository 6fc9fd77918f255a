/* SPDX-License-Identifier: Apache-2.0 */
/* work.h - the numbers that a row of work states: flops, bytes, its step and layer.  Each is
 * known or it is not; which is which of a format's keys is decided here. */
#ifndef AN_WORK_H
#define AN_WORK_H

#include "line.h"

#include <nprof/pick.h>

typedef struct {
  struct nprof_pick pick;
  nprof_str custom_call; /* the category "custom-call" */
} AnWork;

/* What a component that uses this lists in `wants`, before its own keys. */
#define AN_WORK_KEYS                                                                            \
  NPROF_KEY_FLOPS, NPROF_KEY_MODEL_FLOPS, NPROF_KEY_BYTES_ACCESSED, NPROF_KEY_BYTES_READ,       \
      NPROF_KEY_BYTES_WRITTEN, NPROF_KEY_HLO_CATEGORY, NPROF_KEY_DEVICE_DURATION,               \
      NPROF_KEY_BYTES, NPROF_KEY_CORRELATION_ID, NPROF_KEY_STEP, NPROF_KEY_LAYER,               \
      NPROF_KEY_FRAMEWORK_OP, AN_KEY_HARDWARE_FLOPS, AN_KEY_TRANSPOSE_FLOPS

/* Of Neuron's tools (neuron-profile-schema.md, Summary and Instruction). */
#define AN_KEY_HARDWARE_FLOPS "hardware_flops"
#define AN_KEY_TRANSPOSE_FLOPS "transpose_flops"

nprof_status an_work_init (AnWork *work, const struct nprof_host *host);
void an_work_clear (AnWork *work);

/* Picks row i; then the numbers of it. */
void an_work_row (AnWork *work, const struct nprof_batch *batch, uint32_t i, AnItem *item);
/* Of the row last picked. */
bool an_work_transfer (const AnWork *work, int64_t *bytes);
bool an_work_correlation (const AnWork *work, uint64_t *id);
bool an_work_step (const AnWork *work, int64_t *step);
nprof_str an_work_layer (const AnWork *work);        /* stated; 0: not */
nprof_str an_work_framework_op (const AnWork *work); /* 0: none        */

#endif
