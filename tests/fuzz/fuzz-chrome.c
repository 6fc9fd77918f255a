/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-chrome.c - the decoder chrome on any bytes, whichever instructions read the text and
 * whichever part comes first.  Built with libFuzzer, or with replay.c. */
#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (size == 0)
    return 0;
  gboolean small = data[0] & 4;
  fuzz_both (small ? "part=64" : NULL, small ? "part=64,scan=scalar" : "scan=scalar",
             data[0] & 8 ? 2 : 0, data, size);
  return 0;
}
