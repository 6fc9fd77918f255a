/* SPDX-License-Identifier: Apache-2.0 */
/* samples-npy.c - arrays as numpy writes them, for replay.c. */
#include "replay.h"

const char replay_likely[] = "{}()':,<>=|iufbV0123456789L \n\x93NUMPY";

static const struct {
  guint8 version;
  const char *dict;
  guint bytes;
} samples[] = {
  { 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24 },
  { 1, "{'descr': '|u1', 'fortran_order': True, 'shape': (1, 5)}", 5 },
  { 2, "{'descr': '<i8', 'fortran_order': False, 'shape': (), }", 8 },
  { 3, "{\"shape\": (2L,), \"fortran_order\": False, \"descr\": '|V2'}", 4 },
  { 1, "{'descr': '=f2', 'fortran_order': False, 'shape': (0, 9)}", 0 },
};

GByteArray *
replay_sample (guint number)
{
  if (number >= G_N_ELEMENTS (samples))
    return NULL;
  GByteArray *file = g_byte_array_new ();
  guint len = (guint) strlen (samples[number].dict);
  const guint8 head[]
      = { 0x93, 'N', 'U', 'M', 'P', 'Y', samples[number].version, 0, (guint8) len, 0, 0, 0 };
  static const guint8 zeros[32];
  g_byte_array_append (file, head, samples[number].version == 1 ? 10 : 12);
  g_byte_array_append (file, (const guint8 *) samples[number].dict, len);
  return g_byte_array_append (file, zeros, samples[number].bytes);
}
