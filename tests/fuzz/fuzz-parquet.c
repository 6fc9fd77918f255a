/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-parquet.c - the decoder parquet on any bytes, its row groups in order and on threads; the
 * first byte says whether it goes on behind damage, who wants attributes, and whether it tells of
 * the file as well. Built with libFuzzer, or with replay.c. */
#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (size == 0)
    return 0;
  const char *options = data[0] & 4 ? "file=yes" : data[0] & 8 ? "unit=us" : NULL;
  fuzz_both (options, options, 3, data, size);
  return 0;
}
