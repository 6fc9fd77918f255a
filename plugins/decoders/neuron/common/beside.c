/* SPDX-License-Identifier: Apache-2.0 */
/* beside.c - reads a whole file by a call that copies its beginning: again with more room until it
 * fits. */
#include "beside.h"

#include <nprof/draft/sibling-head.h>

#define FIRST_BYTES (UINT64_C (1) << 20)

GByteArray *
neuron_read_beside (const struct nprof_host *host, const char *name, uint64_t most)
{
  const struct nprof_sibling_head *sibling = host->extension (host, NPROF_SIBLING_HEAD);
  for (uint64_t size = FIRST_BYTES; sibling && size <= most; size *= 4) {
    g_autofree uint8_t *bytes = g_try_malloc (size);
    size_t got = bytes ? sibling->read (host, name, bytes, size) : 0;
    if (!got)
      return NULL;
    if (got < size)
      return g_byte_array_new_take (g_steal_pointer (&bytes), got);
  }
  return NULL;
}
