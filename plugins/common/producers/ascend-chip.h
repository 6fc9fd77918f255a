/* SPDX-License-Identifier: Apache-2.0 */
/* ascend-chip.h - the cores and the clock of an Ascend device, by which its peak is told: its files
 * name the family of a chip at most.
 * rates of a core: share/devices/ascend.json; cores: CANN's platform_config of 910B1 to 910B4 */
#ifndef PRODUCERS_ASCEND_CHIP_H
#define PRODUCERS_ASCEND_CHIP_H

#include <nprof/plugin.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  int64_t
      blocks; /* of the kernel on cube cores with the most, of those that cores can run at once */
  int64_t cores; /* as the file states them; 0: it does not */
  int64_t mhz;   /* the highest clock of the cores; 0: unknown */
} AscendChip;

/* Takes the number of blocks of a kernel, which runs on cores of this unit. */
void ascend_chip_blocks (AscendChip *chip, const char *unit, int64_t blocks);
void ascend_chip_clock (AscendChip *chip, int64_t mhz);
/* Returns how many cube cores the chip has; 0: nothing tells it. */
int64_t ascend_chip_cores (const AscendChip *chip);
/* Writes what is known of the chip as facts of the device; `from` is where the clock is told. */
nprof_status ascend_chip_facts (const AscendChip *chip, const struct nprof_host *host,
                                nprof_track device, const char *from);

#endif
