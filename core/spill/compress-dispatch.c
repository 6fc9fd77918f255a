/* SPDX-License-Identifier: Apache-2.0 */
/* compress-dispatch.c - chooses the way to compress columns for this processor; nprof is built for
 * any x86-64, so the processor is asked when it runs. */

#include "spill/compress-column.h"

#include <string.h>

#include "system/cpu.h"

extern const NpColumnCodec np_column_codec_plain;
#ifdef NP_HAVE_AVX2
extern const NpColumnCodec np_column_codec_avx2;
#endif

const NpColumnCodec *
np_column_codec (void)
{
#ifdef NP_HAVE_AVX2
  if (np_cpu_has_avx2 ())
    return &np_column_codec_avx2;
#endif
  return &np_column_codec_plain;
}

const NpColumnCodec *
np_column_codec_named (const char *name)
{
  const NpColumnCodec *const all[] = { np_column_codec (), &np_column_codec_plain };
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    if (g_str_equal (all[i]->name, name))
      return all[i];
  return NULL;
}
