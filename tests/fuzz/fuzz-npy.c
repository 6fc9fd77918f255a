/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-npy.c - any bytes as an .npy file: what is taken must lie within it, and be what its shape
 * promises. Built with libFuzzer, or with replay.c. */
#include "capture/npy.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void
demand (gboolean holds)
{
  if (!holds)
    abort ();
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  g_autofree uint8_t *own = g_memdup2 (data, size); /* so that a sanitizer sees its end */
  NpNpy npy;
  if (!np_npy_parse (own, size, "x.npy", &npy, &error)) {
    demand (error && strstr (error->message, "x.npy: byte "));
    return 0;
  }
  demand (!error && npy.offset + npy.bytes == size && npy.n_dims <= NP_NPY_DIMS && npy.width > 0);
  __uint128_t product = npy.width;
  for (guint i = 0; i < npy.n_dims && product; i++)
    product *= npy.shape[i];
  demand (product == npy.bytes);
  g_autofree char *text = np_npy_text (&npy);
  demand (text[0] == npy.kind);
  return 0;
}
