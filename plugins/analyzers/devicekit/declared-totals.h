/* SPDX-License-Identifier: Apache-2.0 */
/* declared-totals.h - what a file states once of a whole execution, as facts: flops of a NEFF,
 * bytes of Neuron's summaries. They hold where the rows state nothing. */
#ifndef AN_DECLARED_TOTALS_H
#define AN_DECLARED_TOTALS_H

#include <nprof/plugin.h>
#include <stdbool.h>

/* These are of one execution; -1: unknown. */
typedef struct {
  int64_t flops, model_flops, bytes;
} AnTotals;

/* A component that uses this lists these in `wants`. */
#define AN_DECLARED_TOTAL_KEYS                                                                     \
  NPROF_KEY_MODEL_FLOPS, "hardware_flops", "transpose_flops", "hbm_read_bytes", "hbm_write_bytes"

/* Reads the totals when all facts are known (host->fact); each number is that of the track or its
 * nearest ancestor. */
AnTotals an_declared_totals (const struct nprof_host *host, nprof_track device);

#endif
