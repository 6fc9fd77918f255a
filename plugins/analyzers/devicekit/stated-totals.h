/* SPDX-License-Identifier: Apache-2.0 */
/* stated-totals.h - what a file states once of a whole execution, as facts: flops of a NEFF, bytes of
 * Neuron's summaries.  They hold where the rows state nothing. */
#ifndef AN_STATED_H
#define AN_STATED_H

#include <nprof/plugin.h>
#include <stdbool.h>

typedef struct _AnStated AnStated;

/* Of one execution; -1: unknown. */
typedef struct {
  int64_t flops, model_flops, bytes;
} AnOnce;

/* What a component that uses this lists in `wants`. */
#define AN_STATED_KEYS                                                                          \
  NPROF_KEY_MODEL_FLOPS, "hardware_flops", "transpose_flops", "hbm_read_bytes", "hbm_write_bytes"

AnStated *an_stated_new (const struct nprof_host *host);
void an_stated_free (AnStated *stated);

/* Give it each row of kind fact. */
void an_stated_fact (AnStated *stated, const struct nprof_batch *batch, uint32_t row);
/* When all facts are known; the nearest of the track and its ancestors counts. */
AnOnce an_stated_of (const AnStated *stated, nprof_track device);

#endif
