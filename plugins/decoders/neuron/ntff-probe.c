/* SPDX-License-Identifier: Apache-2.0 */
/* ntff-probe.c - decides whether this could be an NTFF.  It has no magic number that is known, so
 * the bid is never higher than for a structure that fits. */
#include "tools/tools.h"

int
ntff_probe (const void *head, size_t len, uint64_t size, const char *path)
{
  const uint8_t *data = head;
  NtffGlance g = { 0 };
  int shape, score = nt_shape (head, len, &shape);
  if (score)
    return score;
  if (len > NTFF_HEADER)
    ntff_message_glance (&g, data, len, size);
  if (g.n && data[0] >= 1 && data[0] <= 6 && (g.by_header || g.version))
    return g.by_header && g.version ? 60 : 50;
  return path && g_str_has_suffix (path, ".ntff") ? 20 : 0;
}
