/* SPDX-License-Identifier: Apache-2.0 */
/* row-launch.h - reads what a row itself says of its launch; most rows of a host say nothing. */
#ifndef AN_ROW_LAUNCH_H
#define AN_ROW_LAUNCH_H

#include <nprof/plugin.h>
#include <stdbool.h>

typedef struct {
  uint64_t correlation; /* 0: none                                     */
  bool collective;      /* the producer says that it communicates      */
} AnRowLaunch;

/* `correlation` and `collective` are the names NPROF_KEY_CORRELATION_ID and NPROF_KEY_COLLECTIVE; 0
 * is not looked for. */
static inline AnRowLaunch
an_row_launch (const struct nprof_batch *batch, uint32_t i, nprof_str correlation,
               nprof_str collective)
{
  AnRowLaunch said = { 0, false };
  if (!batch->attr_at)
    return said;
  for (uint32_t j = batch->attr_at[i], end = batch->attr_at[i + 1]; j < end; j++) {
    nprof_str key = batch->attr_key[j];
    if (key == correlation && batch->attr_type[j] == NPROF_UINT64)
      said.correlation = batch->attr_value[j].u;
    else if (key == collective && collective)
      said.collective = true;
  }
  return said;
}

#endif
