/* SPDX-License-Identifier: Apache-2.0 */
/* samples-parquet.c - small Parquet files of our sink, for replay.c. */
#include "replay.h"

#include "../tools/parquet-samples.h"

const char replay_likely[] = "\x15\x16\x19\x1c\x2c\x4c\x18\x28\x01\x02\x7f\xff";

static const struct {
  const char *options;
  guint n_rows;
} samples[] = { { "compression=none", 10 }, { "compression=gzip", 40 }, { "compression=none", 0 } };

GByteArray *
replay_sample (guint number)
{
  if (number >= G_N_ELEMENTS (samples))
    return NULL;
  return g_bytes_unref_to_array (
      parquet_sample (PARQUET_SINK, samples[number].options, samples[number].n_rows));
}
