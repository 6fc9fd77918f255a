/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-parquet.c - the decoder parquet on any bytes; the first says whether it goes on behind
 * damage, as most pages and columns are read only then.  Built with libFuzzer, or with replay.c. */
#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (size == 0)
    return 0;
  NpTestConfig config = fuzz_config (data[0]);
  g_free (fuzz_dump (NULL, data + 1, size - 1, &config));
  np_test_probe (nprof_plugin_v1 ()->components[0], data + 1, size - 1, "x");
  return 0;
}
