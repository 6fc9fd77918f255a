/* SPDX-License-Identifier: Apache-2.0 */
/* samples-sql.c - questions for replay.c, which asks each in all ways. */
#include "replay.h"

const char replay_likely[] = "";

/* A column of the answer, how many terms, how they are joined; column, operator and constant of
 * each. */
static const guint8 samples[][16] = {
  { 0, 1, 0, 0, 0, 1 },           /* name = 'op1_gemm'                     */
  { 0, 1, 0, 0, 0, 7 },           /* a blob where the column is text       */
  { 1, 1, 0, 8, 0, 8 },           /* rowid = '5'                           */
  { 2, 2, 0, 8, 0, 9, 7, 6, 14 }, /* one row, and what it must be like     */
  { 3, 3, 128, 3, 4, 60, 9, 3, 1, 70, 0, 9, 0, 9 },
  { 9, 2, 1, 4, 6, 2, 10, 5, 4 },
};

GByteArray *
replay_sample (guint number)
{
  if (number >= G_N_ELEMENTS (samples))
    return NULL;
  return g_byte_array_append (g_byte_array_new (), samples[number], sizeof samples[number]);
}
