/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-neuron-system.c - the decoder neuron-system on any bytes; the first says who wants
 * attributes, and whether damage ends the run. Built with libFuzzer, or with replay.c. */
#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (size == 0)
    return 0;
  const char *options = data[0] & 4 ? "private=yes" : NULL;
  fuzz_both (options, options, 3, data, size);
  return 0;
}
