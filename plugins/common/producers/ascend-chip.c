/* SPDX-License-Identifier: Apache-2.0 */
/* ascend-chip.c - tells cores and clock of an Ascend device from what its kernels were given. */
#include "producers/ascend-chip.h"

#include "producers/ascend.h"

#include <nprof/keys.h>
#include <nprof/sdk.h>
#include <string.h>

enum { FEW_CORES = 20, MOST_CORES = 24, MOST_MHZ = 5000 };

void
ascend_chip_blocks (AscendChip *chip, const char *unit, int64_t blocks)
{
  const bool cube = strcmp (unit, "AI_CORE") == 0 || strcmp (unit, "MIX_AIC") == 0;
  if (cube && blocks <= MOST_CORES && blocks > chip->blocks)
    chip->blocks = blocks;
}

void
ascend_chip_clock (AscendChip *chip, int64_t mhz)
{
  if (mhz <= MOST_MHZ && mhz > chip->mhz)
    chip->mhz = mhz;
}

/* Chips of 910B and 910C have 20 or 24 cube cores; kernels of few blocks tell nothing. */
int64_t
ascend_chip_cores (const AscendChip *chip)
{
  if (chip->cores)
    return chip->cores;
  if (chip->blocks < FEW_CORES)
    return 0;
  return chip->blocks == FEW_CORES ? FEW_CORES : MOST_CORES;
}

static nprof_status
begin_fact (const struct nprof_host *host, struct nprof_writer *w, nprof_track device,
            nprof_str key, const char *from)
{
  nprof_status status = nprof_row (w, NPROF_FACT, device, key, 0, 0);
  if (!status)
    nprof_set_category (w, nprof_intern (host, from));
  return status;
}

nprof_status
ascend_chip_facts (const AscendChip *chip, const struct nprof_host *host, nprof_track device,
                   const char *from)
{
  struct nprof_writer *w = host->writer (host);
  const nprof_str key_cores = nprof_intern (host, NPROF_KEY_CORE_COUNT);
  const nprof_str key_clock = nprof_intern (host, NPROF_KEY_CLOCK_RATE);
  const int64_t cores = ascend_chip_cores (chip);
  nprof_status status = w ? NPROF_OK : NPROF_E_NOMEM;
  if (cores && !status) {
    status = begin_fact (host, w, device, key_cores,
                         chip->cores ? from : "blocks of kernels on cube cores");
    if (!status)
      status = nprof_attr_int (w, key_cores, cores);
  }
  if (chip->mhz && !status) {
    status = begin_fact (host, w, device, key_clock, from);
    if (!status)
      status = nprof_attr_double (w, key_clock, (double) chip->mhz * 1e6);
  }
  return status;
}
