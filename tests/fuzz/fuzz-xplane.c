/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-xplane.c - the decoder xplane on any bytes, whichever way events are read.  Built with
 * libFuzzer, or with replay.c. */
#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (size)
    fuzz_both (data[0] & 4 ? "scan=fast" : NULL, "scan=plain", 0, data, size);
  return 0;
}
