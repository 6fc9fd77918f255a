/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-ntff.c - the decoder ntff on any bytes; the last says how it is run, so that files of
 * tests/tools/ntff_make.py are seeds as they are.  Built with libFuzzer, or with REPLAY: then it
 * runs the files that are named, in each way, whole, cut, and changed. */
#include "testhost.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const char *const none[] = { NULL };
  uint8_t how = size ? data[size - 1] : 0;
  NprofTestFile files[]
      = { { "x.neff", data, size }, { NULL, NULL, 0 } }; /* what could be a NEFF */
  NprofTestConfig config = { .wanted = how & 1 ? none : NULL,
                             .log_level = -1,
                             .rows = how & 2 ? 3 : 64,
                             .siblings = how & 4 ? files : NULL };
  const struct nprof_component *ntff = nprof_plugin_v1 ()->components[0];
  g_autoptr (NprofTestRun) run = nprof_test_decode (ntff, NULL, data, size, &config);
  if (run->n_broken)
    g_error ("%s", run->broken[0]);
  nprof_test_probe (ntff, data, size, "x");
  return 0;
}

#ifdef REPLAY
#include <stdlib.h>

static void
replay (const char *data, gsize len, GRand *rand, guint i)
{
  g_autofree uint8_t *copy = g_malloc (len + 1);
  memcpy (copy, data, len);
  copy[len] = (uint8_t) i;
  for (guint k = i < 8 ? 0 : i % 16; k > 0; k--)
    copy[g_rand_int_range (rand, 0, k & 1 ? (gint32) len : 2000)] = (uint8_t) g_rand_int (rand);
  LLVMFuzzerTestOneInput (copy,
                          i & 32 ? (size_t) g_rand_int_range (rand, 0, (gint32) len) : len + 1);
}

int
main (int argc, char **argv)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  for (int a = 1; a < argc; a++) {
    g_autofree char *data = NULL;
    gsize len;
    if (!g_str_has_suffix (argv[a], ".ntff"))
      continue;
    if (!g_file_get_contents (argv[a], &data, &len, NULL) || len < 2000)
      return EXIT_FAILURE;
    for (guint i = 0; i < 100; i++)
      replay (data, len, rand, i);
  }
  return EXIT_SUCCESS;
}
#endif
