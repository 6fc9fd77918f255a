/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-furiosa.c - the decoder furiosa on any bytes; the first says how it is run.  Built with
 * libFuzzer, or with replay-furiosa.c, which feeds it what it makes from the samples. */
#include "testhost.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const char *const options[] = { NULL, "clock=1.6e9", "part=64", "clock=1,part=1" };
  static const char *const none[] = { NULL };
  if (size == 0)
    return 0;
  NpTestConfig config
      = { .keep_going = data[0] & 1, .wanted = data[0] & 2 ? none : NULL, .log_level = -1 };
  const struct nprof_component *furiosa = nprof_plugin_v1 ()->components[0];
  g_autoptr (NpTestRun) run
      = np_test_decode (furiosa, options[data[0] >> 2 & 3], data + 1, size - 1, &config);
  if (run->n_broken)
    g_error ("%s", run->broken[0]);
  np_test_probe (furiosa, data + 1, size - 1, "x");
  return 0;
}
