/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-torch-memory.c - the decoder torch-memory on any bytes; the first says which frames it shows
 * and who wants attributes. Built with libFuzzer, or with replay.c. */
#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (size == 0)
    return 0;
  const char *options = data[0] & 4 ? "frames=all" : NULL;
  fuzz_both (options, options, 3, data, size);
  return 0;
}
