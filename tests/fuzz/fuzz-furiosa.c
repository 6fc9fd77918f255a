/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-furiosa.c - the decoder furiosa on any bytes; the first says how it is run.  Built with
 * libFuzzer, or with replay.c. */
#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const char *const options[] = { NULL, "clock=1.6e9", "part=64", "clock=1,part=1" };
  if (size == 0)
    return 0;
  NprofTestConfig config = fuzz_config (data[0]);
  g_free (fuzz_dump (options[data[0] >> 2 & 3], data + 1, size - 1, &config));
  nprof_test_probe (nprof_plugin_v1 ()->components[0], data + 1, size - 1, "x");
  return 0;
}
