/* SPDX-License-Identifier: Apache-2.0 */
/* replay-furiosa.c - runs the fuzz target without libFuzzer: on the files that are named, or on the
 * samples, whole, cut and changed in a way that is the same each time.  --seeds FOLDER writes the
 * samples as a corpus. */
#include "../tools/furiosa-samples.h"

#include <glib.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static GByteArray *
seed (const char *sample, guint8 how)
{
  GByteArray *bytes = g_byte_array_new ();
  g_byte_array_append (bytes, &how, 1);
  g_byte_array_append (bytes, (const guint8 *) sample, (guint) strlen (sample));
  return bytes;
}

/* Most changes put in what means something to these formats. */
static guint8
any_byte (GRand *rand)
{
  static const char own[] = ",\"\n\r0123456789{}[]:\\ -.eE";
  return g_rand_boolean (rand) ? (guint8) own[g_rand_int_range (rand, 0, sizeof own)]
                               : (guint8) g_rand_int (rand);
}

static void
change (GByteArray *bytes, GRand *rand)
{
  for (gint k = g_rand_int_range (rand, 1, 6); k > 0; k--)
    bytes->data[g_rand_int_range (rand, 1, (gint32) bytes->len)] = any_byte (rand);
  if (g_rand_int_range (rand, 0, 4) == 0)
    g_byte_array_set_size (bytes, (guint) g_rand_int_range (rand, 1, (gint32) bytes->len));
}

static void
replay_samples (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  for (guint sample = 0; sample < G_N_ELEMENTS (ALL); sample++)
    for (guint i = 0; i < 400; i++) {
      g_autoptr (GByteArray) bytes = seed (ALL[sample], (guint8) i);
      if (i >= 16)
        change (bytes, rand);
      LLVMFuzzerTestOneInput (bytes->data, bytes->len);
    }
}

static int
write_seeds (const char *folder)
{
  for (guint sample = 0; sample < G_N_ELEMENTS (ALL); sample++)
    for (guint8 how = 0; how < 16; how++) {
      g_autoptr (GByteArray) bytes = seed (ALL[sample], how);
      g_autofree char *path = g_strdup_printf ("%s/%u-%u", folder, sample, how);
      if (!g_file_set_contents (path, (const char *) bytes->data, (gssize) bytes->len, NULL))
        return EXIT_FAILURE;
    }
  return EXIT_SUCCESS;
}

int
main (int argc, char **argv)
{
  if (argc == 3 && g_str_equal (argv[1], "--seeds"))
    return write_seeds (argv[2]);
  for (int i = 1; i < argc; i++) {
    g_autofree char *data = NULL;
    gsize len;
    if (!g_file_get_contents (argv[i], &data, &len, NULL))
      return EXIT_FAILURE;
    LLVMFuzzerTestOneInput ((const uint8_t *) data, len);
  }
  if (argc == 1)
    replay_samples ();
  return EXIT_SUCCESS;
}
