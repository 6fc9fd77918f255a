/* SPDX-License-Identifier: Apache-2.0 */
/* ntff-probe.c - decides whether this could be an NTFF.  It has no magic number, so the bid is
 * never higher than for a structure that fits. */
#include "common/wire.h"
#include "tools/tools.h"

enum { LONGEST_HEAD = 20 }; /* bytes that a field has before what it holds, or all of a number */
enum { FIRST_KNOWN = 4, LAST_KNOWN = 6, MOST = 8 }; /* versions: that are read, that may come */

/* Returns whether the header states a message that fits into the file, and fields follow it as far
 * as is seen. */
static bool
is_container (const uint8_t *data, uint64_t len, uint64_t size)
{
  uint64_t message, at = NTFF_HEADER;
  NeuronWire w;
  memcpy (&message, data + 1, sizeof message);
  message = GUINT64_FROM_LE (message);
  if (message < 16 || message > INT64_MAX || (size && message > size - NTFF_HEADER))
    return false;
  while (at < NTFF_HEADER + message && at + LONGEST_HEAD <= len)
    if (!neuron_wire_next (data, &at, NTFF_HEADER + message, &w))
      return false;
  return at > NTFF_HEADER;
}

int
ntff_probe (const void *head, size_t len, uint64_t size, const char *path)
{
  const uint8_t *data = head;
  int shape, score = nt_shape (head, len, &shape);
  if (score)
    return score;
  if (len > NTFF_HEADER && data[0] >= 1 && data[0] <= MOST && is_container (data, len, size))
    return data[0] >= FIRST_KNOWN && data[0] <= LAST_KNOWN ? 60 : 50;
  return path && g_str_has_suffix (path, ".ntff") ? 20 : 0;
}
