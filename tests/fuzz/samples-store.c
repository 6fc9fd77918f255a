/* SPDX-License-Identifier: Apache-2.0 */
/* samples-store.c - changes to a store, for replay.c: fields of blocks, of the index and of meta
 * that a hostile writer would choose. */
#include "replay.h"

#include <nprof/store.h>

const char replay_likely[] = "\x01\x02\x04\x08\x10\x40\x7f\x80\xff\xfe";

static const struct {
  guint8 file;
  guint32 at;
  guint8 n;
  guint8 bytes[8];
} patches[] = {
  { NPROF_STORE_F_ROWS, 4, 4, { 0xff, 0xff, 0xff, 0x7f } }, /* bytes of a block       */
  { NPROF_STORE_F_ROWS, 20, 2, { 0xff, 0xff } },            /* rows of a block        */
  { NPROF_STORE_F_ROWS, 24, 2, { 0xff, 0x0f } },            /* columns                */
  { NPROF_STORE_F_ROWS,
    48,
    8,
    { 0xf0, 0xff, 0xff, 0xff, 0, 0, 9, 1 } },  /* a column's place and width */
  { NPROF_STORE_F_P1, 12, 4, { 1, 0, 0, 0 } }, /* lane                   */
  { NPROF_STORE_F_P1,
    40,
    8,
    { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f } }, /* greatest start */
  { NPROF_STORE_F_P2, 22, 1, { 11 } },                    /* level                  */
  { NPROF_STORE_F_CELLS, 12, 4, { 1, 0, 0, 0 } },         /* another table's block  */
  { NPROF_STORE_F_CELLS, 16, 4, { 0, 2, 0, 0 } },         /* other rows of it       */
  { NPROF_STORE_F_CELLS, 20, 2, { 0, 2 } },               /* more rows              */
  { NPROF_STORE_F_CELLS, 24, 2, { 1, 0 } },               /* columns that lack      */
  { NPROF_STORE_F_CELLS, 44, 4, { 99, 0, 1, 0 } },        /* a column's key, width  */
  { NPROF_STORE_F_INDEX, 0, 8, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff } },
  { NPROF_STORE_F_INDEX, 2000, 8, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff } },
  { NPROF_STORE_F_INDEX, 4000, 8, { 0, 0, 0, 0x80, 0, 0, 0, 0x80 } },
  { NPROF_STORE_F_LINKS, 8, 8, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff } },
  { NPROF_STORE_F_LISTS, 0, 4, { 0xff, 0xff, 0xff, 0xff } },
  { NPROF_STORE_F_POST, 0, 4, { 0xff, 0xff, 0xff, 0xff } },
  { NPROF_STORE_F_TEXT, 0, 4, { 0xff, 0xff, 0xff, 0xff } },
  { NPROF_STORE_FILES,
    200,
    8,
    { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff } }, /* meta: sections */
};

GByteArray *
replay_sample (guint number)
{
  if (number >= G_N_ELEMENTS (patches) / 5)
    return NULL;
  GByteArray *bytes = g_byte_array_new ();
  for (guint k = 0; k < 5; k++) {
    guint i = (number * 5 + k) % G_N_ELEMENTS (patches);
    const guint8 head[] = { patches[i].file, (guint8) patches[i].at, (guint8) (patches[i].at >> 8),
                            0, (guint8) (patches[i].n - 1) };
    g_byte_array_append (bytes, head, sizeof head);
    g_byte_array_append (bytes, patches[i].bytes, patches[i].n);
  }
  return bytes;
}
