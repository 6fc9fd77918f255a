/* SPDX-License-Identifier: Apache-2.0 */
/* samples-merge.c - saved states of the analyzer that this is built with, for replay.c: of no rows,
 * and of rows of every sort. */
#include "fuzz-merge.h"
#include "replay.h"

const char replay_likely[] = "\x01\x02\x40\x7f\x80\xff";

enum { VARIANTS = 3 };

#define STATE(text) text, sizeof text - 1
#define ZEROS_8 "\0\0\0\0\0\0\0\0"
#define TWO_TO_63 "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"
/* Input 1, no host and device, a number, eleven zeros, no step, an operator with one call, no
 * anchor. */
#define RANK(number, total) "\1\0\0" number ZEROS_8 "\0\0\0\0\1\0\1\0" total "\0"

/* What no rows give: a part without bytes, and an operator that takes longer than 64 bits with a
 * sign can say. */
static const struct {
  const char *bytes;
  gsize len;
} by_hand[] = {
  { STATE ("nprof device 1\n\1\0") },
  { STATE ("nprof mfu 1\n\1\0") },
  { STATE ("nprof operators 1\n\1\0") },
  { STATE ("nprof steps 1\n\1\0") },
  { STATE ("nprof ranks 2\n\1\1a\0\0\1\1\0\0\2" RANK ("\0", TWO_TO_63) RANK ("\2", TWO_TO_63)) },
};

GByteArray *
replay_sample (guint number)
{
  if (number > VARIANTS + G_N_ELEMENTS (by_hand))
    return NULL;
  if (number > VARIANTS)
    return g_byte_array_append (g_byte_array_new (),
                                (const guint8 *) by_hand[number - VARIANTS - 1].bytes,
                                (guint) by_hand[number - VARIANTS - 1].len);
  g_autoptr (NprofTestRun) run = merge_opened (number);
  if (number)
    nprof_test_feed (run);
  return g_bytes_unref_to_array (nprof_test_save (run));
}
