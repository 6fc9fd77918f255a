/* SPDX-License-Identifier: Apache-2.0 */
/* random.c - asks the kernel for random bytes. */

#include "random.h"

#include <sys/random.h>

void
np_random_hex (char *text, guint n)
{
  guint8 bytes[32];
  guint have = 0;
  while (have < n / 2) {
    ssize_t got = getrandom (bytes + have, n / 2 - have, 0);
    have += got > 0 ? (guint) got : 0;
  }
  for (guint i = 0; i < n / 2; i++)
    g_snprintf (text + 2 * i, 3, "%02x", bytes[i]);
}
