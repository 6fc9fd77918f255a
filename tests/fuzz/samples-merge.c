/* SPDX-License-Identifier: Apache-2.0 */
/* samples-merge.c - saved states of the analyzer that this is built with, for replay.c: of no rows, and of rows
 * of every sort. */
#include "fuzz-merge.h"
#include "replay.h"

const char replay_likely[] = "\x01\x02\x40\x7f\x80\xff";

enum { VARIANTS = 3 };

GByteArray *
replay_sample (guint number)
{
  if (number > VARIANTS)
    return NULL;
  g_autoptr (NprofTestRun) run = merge_opened (number);
  if (number)
    nprof_test_feed (run);
  return g_bytes_unref_to_array (nprof_test_save (run));
}
