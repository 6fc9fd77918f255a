/* SPDX-License-Identifier: Apache-2.0 */
/* work.h - the numbers that a row of work states: flops, bytes, its step and layer.  Each is
 * known or it is not; which is which of a format's keys is decided here. */
#ifndef AN_WORK_H
#define AN_WORK_H

#include "flops.h"
#include "line.h"

/* The numbers of a row, or of the set that rows share. */
typedef struct {
  guint8 known, custom; /* as in AnItem */
  bool has_transfer, has_correlation, has_step;
  int64_t flops, model_flops, bytes, device_duration;
  int64_t transfer, step;
  uint64_t correlation;
  nprof_str layer, framework_op;
} AnNumbers;

typedef struct {
  struct nprof_pick pick;
  nprof_str custom_call;        /* the category "custom-call"                          */
  nprof_str crosses;            /* the key that marks rows at the edges of a selection */
  AnNumbers row;                /* of the row last given                               */
  nprof_set *set;               /* AN_WORK_SETS: whose numbers are remembered there    */
  AnNumbers *of_set;
} AnWork;

/* In the order of time rows of all devices alternate, and with them thousands of sets. */
#define AN_WORK_SETS 16384u

/* What a component that uses this lists in `wants`, before its own keys. */
#define AN_WORK_KEYS                                                                            \
  AN_FLOPS_KEYS, NPROF_KEY_BYTES_ACCESSED, NPROF_KEY_BYTES_READ, NPROF_KEY_BYTES_WRITTEN,       \
      NPROF_KEY_HLO_CATEGORY, NPROF_KEY_DEVICE_DURATION, NPROF_KEY_BYTES,                       \
      NPROF_KEY_CORRELATION_ID, NPROF_KEY_STEP, NPROF_KEY_LAYER, NPROF_KEY_FRAMEWORK_OP,        \
      AN_KEY_HBM_READ, AN_KEY_HBM_WRITTEN

/* Of Neuron's tools (neuron-profile-schema.md, Summary and Instruction). */
#define AN_KEY_HBM_READ "hbm_read_bytes"
#define AN_KEY_HBM_WRITTEN "hbm_write_bytes"

nprof_status an_work_init (AnWork *work, const struct nprof_host *host);
void an_work_clear (AnWork *work);

/* Reads the numbers of row i into work->row, and those that an AnItem has into item. */
void an_work_row (AnWork *work, const struct nprof_batch *batch, uint32_t i, AnItem *item);

/* Row i reaches beyond the range that the user selected (NPROF_KEY_CROSSES_EDGE, which the
 * component wants).  Of what lies around work, the work beyond was not delivered: there it says
 * nothing of busy and idle. */
bool an_work_crosses (const AnWork *work, const struct nprof_batch *batch, uint32_t i);

#endif
