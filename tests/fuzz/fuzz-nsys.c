/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-nsys.c - the decoder nsys on any bytes; the first says whether it goes on behind damage and
 * who wants attributes. Built with libFuzzer, or with replay.c. */
#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (size == 0)
    return 0;
  const char *options = data[0] & 4 ? "steps=*" : NULL;
  fuzz_both (options, options, 3, data, size);
  return 0;
}
