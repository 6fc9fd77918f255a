/* SPDX-License-Identifier: Apache-2.0 */
/* xplane-make.c - writes one of the samples of xplane-samples.h to stdout or a file. */
#include "xplane-samples.h"

#include <stdio.h>
#include <stdlib.h>

int
main (int argc, char **argv)
{
  g_autoptr (GByteArray) sample = argc > 1 ? xplane_sample (argv[1]) : NULL;
  if (!sample) {
    g_autofree char *names = g_strjoinv ("|", (char **) xplane_sample_names ());
    fprintf (stderr, "usage: %s %s [FILE]\n", argv[0], names);
    return EXIT_FAILURE;
  }
  FILE *out = argc > 2 ? fopen (argv[2], "wb") : stdout;
  if (!out || fwrite (sample->data, 1, sample->len, out) != sample->len || fclose (out) != 0) {
    perror (argc > 2 ? argv[2] : "stdout");
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
