/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-neff.c - the decoder neff on any bytes; the first says how it is run.  Built with
 * libFuzzer, or with -DREPLAY: then it runs the samples of a folder (tests/tools/neff-make.py),
 * whole, cut and changed in a way that is the same each time, or writes them as a corpus. */
#include "testhost.h"

#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* A plain tar is changed where it matters more often than gzip: the hash is only a warning. */
int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (size == 0)
    return 0;
  NprofTestConfig config = { .keep_going = data[0] & 1, .log_level = -1, .rows = 64 };
  const char *options = data[0] & 2 ? "inflate_limit=8M,member_limit=64k" : "inflate_limit=8M";
  const struct nprof_component *neff = nprof_plugin_v1 ()->components[0];
  g_autoptr (NprofTestRun) run = nprof_test_decode (neff, options, data + 1, size - 1, &config);
  if (run->n_broken)
    g_error ("%s", run->broken[0]);
  nprof_test_probe (neff, data + 1, size - 1, "x");
  return 0;
}

#ifdef REPLAY
#include <stdlib.h>

#define MAX_SEED 65536 /* larger samples are for other tests */

static void
change (GByteArray *bytes, GRand *rand)
{
  for (gint k = g_rand_int_range (rand, 1, 6); k > 0; k--)
    bytes->data[g_rand_int_range (rand, 1, (gint32) bytes->len)] = (guint8) g_rand_int (rand);
  if (g_rand_int_range (rand, 0, 4) == 0)
    g_byte_array_set_size (bytes, (guint) g_rand_int_range (rand, 1, (gint32) bytes->len));
}

static GByteArray *
seed (const char *data, gsize len, guint8 how)
{
  GByteArray *bytes = g_byte_array_new ();
  g_byte_array_append (bytes, &how, 1);
  g_byte_array_append (bytes, (const guint8 *) data, (guint) len);
  return bytes;
}

static void
replay (const char *data, gsize len)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1); /* one a file: folders have no order */
  for (guint i = 0; i < 60; i++) {
    g_autoptr (GByteArray) bytes = seed (data, len, (guint8) (i & 3));
    if (i >= 4)
      change (bytes, rand);
    LLVMFuzzerTestOneInput (bytes->data, bytes->len);
  }
}

static void
write_seeds (const char *data, gsize len, const char *to, const char *name)
{
  for (guint8 how = 0; how < 4; how++) {
    g_autoptr (GByteArray) bytes = seed (data, len, how);
    g_autofree char *path = g_strdup_printf ("%s/%s-%u", to, name, how);
    g_file_set_contents (path, (const char *) bytes->data, (gssize) bytes->len, NULL);
  }
}

/* FOLDER [CORPUS] */
int
main (int argc, char **argv)
{
  g_autoptr (GDir) dir = g_dir_open (argc > 1 ? argv[1] : ".", 0, NULL);
  guint n = 0;
  if (!dir)
    return EXIT_FAILURE;
  for (const char *name; (name = g_dir_read_name (dir));) {
    g_autofree char *path = g_build_filename (argv[1], name, NULL), *data = NULL;
    gsize len;
    if (!g_file_get_contents (path, &data, &len, NULL) || len > MAX_SEED)
      continue;
    n++;
    if (argc > 2)
      write_seeds (data, len, argv[2], name);
    else
      replay (data, len);
  }
  return n > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
#endif
