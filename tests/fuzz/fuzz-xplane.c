/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-xplane.c - the decoder xplane on any bytes: no rule of the contract is broken, and the
 * rows are the same whichever way events are read.  The first byte says how it is run.
 * Built with libFuzzer, or with replay-xplane.c, which feeds it the samples. */
#include "testhost.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static char *
dump (const struct nprof_component *xplane, const char *options, const uint8_t *data, size_t size,
      const NpTestConfig *config)
{
  g_autoptr (NpTestRun) run = np_test_decode (xplane, options, data, size, config);
  if (run->n_broken)
    g_error ("%s", run->broken[0]);
  return np_test_dump (run);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const char *const none[] = { NULL };
  if (size == 0)
    return 0;
  NpTestConfig config
      = { .keep_going = data[0] & 1, .wanted = data[0] & 2 ? none : NULL, .log_level = -1 };
  const struct nprof_component *xplane = nprof_plugin_v1 ()->components[0];
  g_autofree char *fast
      = dump (xplane, data[0] & 4 ? "scan=fast" : NULL, data + 1, size - 1, &config);
  g_autofree char *plain = dump (xplane, "scan=plain", data + 1, size - 1, &config);
  if (strcmp (fast, plain) != 0)
    g_error ("scan=plain gives other rows:\n%s\nthan\n%s", plain, fast);
  np_test_probe (xplane, data + 1, size - 1, "x");
  return 0;
}
