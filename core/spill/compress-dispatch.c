/* SPDX-License-Identifier: Apache-2.0 */
/* compress-dispatch.c - the way to squeeze columns for this processor; nprof is built for any x86-64, so what
 * it can do is asked when it runs. */

#include "spill/compress-column.h"

#include <string.h>

extern const NpSqueezer np_squeezer_plain;
#ifdef NP_HAVE_AVX2
extern const NpSqueezer np_squeezer_avx2;
#endif

const NpSqueezer *
np_squeezer (void)
{
#ifdef NP_HAVE_AVX2
  if (__builtin_cpu_supports ("avx2"))
    return &np_squeezer_avx2;
#endif
  return &np_squeezer_plain;
}

const NpSqueezer *
np_squeezer_named (const char *name)
{
  const NpSqueezer *const all[] = { np_squeezer (), &np_squeezer_plain };
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    if (g_str_equal (all[i]->name, name))
      return all[i];
  return NULL;
}
