/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-ntff-tools.c - what the Neuron tools write, as any bytes, through the decoder ntff; the last
 * says how it is run.  Built with libFuzzer, or with REPLAY: then it runs the files that are named,
 * in each way, whole, cut, and changed. */
#include "testhost.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const char *const none[] = { NULL }, *const units[] = { NULL, "unit=ns", "unit=ps", NULL };
  uint8_t how = size ? data[size - 1] : 0;
  NprofTestConfig config = { .wanted = how & 1 ? none : NULL,
                             .log_level = -1,
                             .rows = how & 2 ? 3 : 64,
                             .keep_going = how & 4 };
  const struct nprof_component *ntff = nprof_plugin_v1 ()->components[0];
  g_autoptr (NprofTestRun) run
      = nprof_test_decode (ntff, units[how >> 3 & 3], data, size ? size - 1 : 0, &config);
  if (run->n_broken)
    g_error ("%s", run->broken[0]);
  nprof_test_probe (ntff, data, size, "x");
  return 0;
}

#ifdef REPLAY
#include <stdlib.h>

/* Most changes put in what means something in JSON. */
static uint8_t
any_byte (GRand *rand)
{
  static const char own[] = "\",:{}[]\\ \n0123456789-.eE";
  return g_rand_boolean (rand) ? (uint8_t) own[g_rand_int_range (rand, 0, sizeof own)]
                               : (uint8_t) g_rand_int (rand);
}

static void
replay (const char *data, gsize len, GRand *rand, guint i)
{
  g_autofree uint8_t *copy = g_malloc (len + 1);
  gsize size = i & 32 ? (gsize) g_rand_int_range (rand, 0, (gint32) len) : len;
  memcpy (copy, data, len);
  for (guint k = i < 32 ? 0 : i % 8; k > 0; k--)
    copy[g_rand_int_range (rand, 0, (gint32) len)] = any_byte (rand);
  copy[size] = (uint8_t) i;
  LLVMFuzzerTestOneInput (copy, size + 1);
}

int
main (int argc, char **argv)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  for (int a = 1; a < argc; a++) {
    g_autofree char *data = NULL;
    gsize len;
    if (!g_file_get_contents (argv[a], &data, &len, NULL) || len < 50)
      return EXIT_FAILURE;
    for (guint i = 0; i < 300; i++)
      replay (data, len, rand, i);
  }
  return EXIT_SUCCESS;
}
#endif
