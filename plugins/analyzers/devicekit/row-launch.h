/* SPDX-License-Identifier: Apache-2.0 */
/* row-launch.h - reads what a row itself says of its launch; most rows of a host say nothing. */
#ifndef AN_ROW_LAUNCH_H
#define AN_ROW_LAUNCH_H

#include "devicekit/row-keys.h"

#include <nprof/sdk.h>

/* These keys hold the id that joins a call to the work that it launched: what the model calls it,
 * which counts where a row has both, and what files call it. */
#define AN_LAUNCH_KEYS NPROF_KEY_LAUNCH, NPROF_KEY_CORRELATION_ID

typedef struct {
  nprof_str launch, correlation;
} AnLaunchKeys;

static inline AnLaunchKeys
an_launch_keys (const struct nprof_host *host)
{
  return (AnLaunchKeys){ nprof_intern (host, NPROF_KEY_LAUNCH),
                         nprof_intern (host, NPROF_KEY_CORRELATION_ID) };
}

static inline bool
an_is_launch (AnLaunchKeys keys, nprof_str key)
{
  return key == keys.correlation || key == keys.launch;
}

static inline bool
an_any_has_launch (const struct nprof_batch *batch, AnLaunchKeys keys)
{
  return an_any_has_key (batch, keys.correlation) || an_any_has_key (batch, keys.launch);
}

typedef struct {
  uint64_t correlation; /* 0: none                                     */
  bool collective;      /* the producer says that it communicates      */
} AnRowLaunch;

/* `collective` is NPROF_KEY_COLLECTIVE; 0 is not looked for. */
static inline AnRowLaunch
an_row_launch (const struct nprof_batch *batch, uint32_t i, AnLaunchKeys keys,
               nprof_str collective)
{
  AnRowLaunch said = { 0, false };
  if (!batch->attr_at)
    return said;
  bool launch = false;
  for (uint32_t j = batch->attr_at[i], end = batch->attr_at[i + 1]; j < end; j++) {
    nprof_str key = batch->attr_key[j];
    if (an_is_launch (keys, key) && batch->attr_type[j] == NPROF_UINT64) {
      if (!launch)
        said.correlation = batch->attr_value[j].u;
      launch |= key == keys.launch;
    } else if (key == collective && collective)
      said.collective = true;
  }
  return said;
}

#endif
