/* SPDX-License-Identifier: Apache-2.0 */
/* declared-totals.h - what a file states once of a whole execution, as facts: flops of a NEFF, bytes of
 * Neuron's summaries.  They hold where the rows state nothing. */
#ifndef AN_DECLARED_TOTALS_H
#define AN_DECLARED_TOTALS_H

#include <nprof/plugin.h>
#include <stdbool.h>

typedef struct _AnDeclaredTotals AnDeclaredTotals;

/* Of one execution; -1: unknown. */
typedef struct {
  int64_t flops, model_flops, bytes;
} AnTotals;

/* What a component that uses this lists in `wants`. */
#define AN_DECLARED_TOTAL_KEYS                                                                     \
  NPROF_KEY_MODEL_FLOPS, "hardware_flops", "transpose_flops", "hbm_read_bytes", "hbm_write_bytes"

AnDeclaredTotals *an_declared_totals_new (const struct nprof_host *host);
void an_declared_totals_free (AnDeclaredTotals *stated);

/* Give it each row of kind fact. */
void an_declared_totals_fact (AnDeclaredTotals *stated, const struct nprof_batch *batch,
                              uint32_t row);
/* When all facts are known; the nearest of the track and its ancestors counts. */
AnTotals an_declared_totals_of (const AnDeclaredTotals *stated, nprof_track device);

#endif
