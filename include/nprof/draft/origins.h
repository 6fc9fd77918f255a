/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/draft/origins.h - tells sinks who made which rows and tables.
 *
 * A draft: it may change or go in every release. */
#ifndef NPROF_DRAFT_ORIGINS_H
#define NPROF_DRAFT_ORIGINS_H

#include <nprof/plugin.h>

/* Sinks: who made what. Origin 0 are the decoders, k the k-th analyzer of the run,
 * NPROF_ORIGIN_CORE the core itself; batches say theirs. */
#define NPROF_ORIGINS "draft.origins"
#define NPROF_ORIGIN_CORE UINT32_MAX
struct nprof_origins {
  uint32_t size, reserved;
  /* The analyzer as it would be written on the command line, with the options that were given; NULL
   * beyond the last. Valid for the run. [instance] */
  const char *(*name) (const struct nprof_host *host, uint32_t origin);
  uint32_t (*of_table) (const struct nprof_host *host, const char *table); /* by name  [instance] */
  /* columns that decoders declare: the first ones [instance] */
  uint32_t (*n_decoded) (const struct nprof_host *host);
};

#endif
