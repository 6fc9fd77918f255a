/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-chrome.c - the decoder chrome on any bytes: no rule of the contract is broken, and the
 * rows are the same whichever instructions read the text and whichever part comes first.  The
 * first byte says how it is run.  Built with libFuzzer, or with replay-chrome.c. */
#include "testhost.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static char *
dump (const struct nprof_component *chrome, const char *options, const uint8_t *data, size_t size,
      const NpTestConfig *config)
{
  g_autoptr (NpTestRun) run = np_test_decode (chrome, options, data, size, config);
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
  const struct nprof_component *chrome = nprof_plugin_v1 ()->components[0];
  gboolean small = data[0] & 4;
  g_autofree char *quick = dump (chrome, small ? "part=64" : NULL, data + 1, size - 1, &config);
  config.threads = data[0] & 8 ? 2 : 0;
  g_autofree char *plain
      = dump (chrome, small ? "part=64,scan=scalar" : "scan=scalar", data + 1, size - 1, &config);
  if (strcmp (quick, plain) != 0)
    g_error ("scan=scalar gives other rows:\n%s\nthan\n%s", plain, quick);
  np_test_probe (chrome, data + 1, size - 1, "x");
  return 0;
}
