/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-layer-times.c - the decoders trtexec, openvino, proton and chakra on any bytes; the first says
 * which, whether it goes on behind damage and who wants attributes. Built with libFuzzer, or with
 * replay.c. */
#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (size == 0)
    return 0;
  const struct nprof_component *decoder = nprof_plugin_v1 ()->components[(data[0] >> 2) % 4];
  const NprofTestConfig config = fuzz_config (data[0]);
  g_autoptr (NprofTestRun) run = nprof_test_decode (decoder, NULL, data + 1, size - 1, &config);
  if (run->n_broken)
    fuzz_fail ("%s\n", run->broken[0]);
  nprof_test_probe (decoder, data + 1, size - 1, "x");
  return 0;
}
