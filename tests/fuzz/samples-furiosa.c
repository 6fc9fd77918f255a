/* SPDX-License-Identifier: Apache-2.0 */
/* samples-furiosa.c - the samples of Furiosa's formats, for replay.c. */
#include "replay.h"

#include "../tools/furiosa-samples.h"

const char replay_likely[] = ",\"\n\r0123456789{}[]:\\ -.eE";

GByteArray *
replay_sample (guint number)
{
  if (number >= G_N_ELEMENTS (ALL))
    return NULL;
  return g_byte_array_append (g_byte_array_new (), (const guint8 *) ALL[number],
                              (guint) strlen (ALL[number]));
}
