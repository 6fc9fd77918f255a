/* SPDX-License-Identifier: Apache-2.0 */
/* probe.c - decides whether this is an XSpace.  Protobuf has no magic number, so the first plane
 * must look like one: its name comes early, and XLA's planes have few names. */
#include "xplane.h"

static bool
is_plane_name (PbSpan name)
{
  static const char *const names[]
      = { "/host:",   "/device:", "/virtualdevice:", "Task Environment", "Host CPUs",
          "Syscalls", "#Chip" };
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (xp_starts (name, names[i]))
      return true;
  return false;
}

/* Finds the name among the first fields of a plane; the plane may go on beyond what we see. */
static bool
names_plane (PbSpan body)
{
  PbField f;
  for (int i = 0; i < 4 && body.p < body.end && pb_field (&body.p, body.end, &f); i++) {
    if (f.tag == PB_BYTES (2))
      return is_plane_name (f.span);
    if (f.tag != PB_VARINT (1))
      return false;
  }
  return false;
}

/* Returns 90 for a plane of a known name that fits the file; 60 for one that runs past its end. */
static int
score_for (PbSpan head, uint64_t size)
{
  const uint8_t *p = head.p;
  for (int i = 0; i < 64 && p < head.end; i++) {
    uint64_t tag, n;
    p = pb_varint (p, head.end, &tag);
    p = p ? pb_varint (p, head.end, &n) : NULL;
    if (!p || (tag & 7) != 2 || tag >> 3 == 0 || tag >> 3 > 4)
      return 0;
    bool beyond = n > (uint64_t) (head.end - p);
    bool fits = !beyond || size == 0 || n <= size - (uint64_t) (p - head.p);
    if (tag == PB_BYTES (1) && names_plane ((PbSpan){ p, beyond ? head.end : p + n }))
      return fits ? 90 : 60;
    if (beyond)
      return 0;
    p += n;
  }
  return 0;
}

int
xp_probe (const void *head, size_t len, uint64_t size, const char *path)
{
  const uint8_t *p = head;
  if (xp_is_translated (head, len, path))
    return 95; /* trace events, too, which decoder chrome reads file by file */
  int score = len ? score_for ((PbSpan){ p, p + len }, size) : 0;
  if (score == 0 && path && g_str_has_suffix (path, ".xplane.pb"))
    score = 20;
  return score;
}
