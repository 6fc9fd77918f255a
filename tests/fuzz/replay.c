/* SPDX-License-Identifier: Apache-2.0 */
/* replay.c - runs a fuzz target without libFuzzer: on the files that are named, or on the samples
 * of its format, whole, cut and changed in a way that is the same each time.  --seeds FOLDER
 * writes the samples as a corpus.  The first byte of each says how the target is run. */
#include "replay.h"

#include <glib/gstdio.h>
#include <stdint.h>
#include <string.h>

#define WAYS 16 /* to run a target */
#define CHANGES 384

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static GByteArray *
seed (guint number, guint8 how)
{
  GByteArray *bytes = replay_sample (number);
  if (bytes)
    g_byte_array_prepend (bytes, &how, 1);
  return bytes;
}

static guint8
any_byte (GRand *rand)
{
  gint32 n = (gint32) strlen (replay_likely);
  return n && g_rand_boolean (rand) ? (guint8) replay_likely[g_rand_int_range (rand, 0, n)]
                                    : (guint8) g_rand_int (rand);
}

static void
change (GByteArray *bytes, GRand *rand)
{
  for (gint k = g_rand_int_range (rand, 1, 6); k > 0 && bytes->len > 2; k--) {
    guint at = (guint) g_rand_int_range (rand, 1, (gint32) bytes->len);
    if (g_rand_int_range (rand, 0, 5) == 0)
      g_byte_array_remove_index (bytes, at);
    else
      bytes->data[at] = any_byte (rand);
  }
  if (g_rand_int_range (rand, 0, 4) == 0)
    g_byte_array_set_size (bytes, (guint) g_rand_int_range (rand, 1, (gint32) bytes->len + 1));
}

static void
replay_samples (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  GByteArray *bytes;
  for (guint number = 0; (bytes = seed (number, 0)); number++) {
    g_byte_array_unref (bytes);
    for (guint i = 0; i < WAYS + CHANGES; i++) {
      bytes = seed (number, i % WAYS);
      if (i >= WAYS)
        change (bytes, rand);
      LLVMFuzzerTestOneInput (bytes->data, bytes->len);
      g_byte_array_unref (bytes);
    }
  }
}

static void
write_seeds (const char *folder)
{
  GByteArray *bytes;
  g_mkdir_with_parents (folder, 0777);
  for (guint k = 0; (bytes = seed (k / WAYS, k % WAYS)); k++) {
    g_autofree char *path = g_strdup_printf ("%s/%u-%u", folder, k / WAYS, k % WAYS);
    if (!g_file_set_contents (path, (const char *) bytes->data, (gssize) bytes->len, NULL))
      g_error ("%s cannot be written", path);
    g_byte_array_unref (bytes);
  }
}

int
main (int argc, char **argv)
{
  if (argc == 3 && g_str_equal (argv[1], "--seeds")) {
    write_seeds (argv[2]);
    return 0;
  }
  for (int i = 1; i < argc; i++) {
    g_autofree char *data = NULL;
    gsize len;
    if (!g_file_get_contents (argv[i], &data, &len, NULL))
      g_error ("%s cannot be read", argv[i]);
    LLVMFuzzerTestOneInput ((const uint8_t *) data, len);
  }
  if (argc == 1)
    replay_samples ();
  return 0;
}
