/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-memory-timeline.c - the decoder memory-timeline on any bytes; the first says whether it goes
 * on behind damage and who wants attributes. Built with libFuzzer, or with replay.c. */
#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (size == 0)
    return 0;
  fuzz_both (NULL, NULL, 3, data, size);
  return 0;
}
