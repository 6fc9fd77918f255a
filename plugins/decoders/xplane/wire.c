/* SPDX-License-Identifier: Apache-2.0 */
/* wire.c - says why a field cannot be read, after the fact, so that reading stays lean; and chooses
 * the way of reading varints that suits this processor. */
#include "wire.h"
#include "system/cpu.h"

#include <stdio.h>

static const char *
message_name (XpMessage message)
{
  static const char *const names[]
      = { "message",        "plane",         "line",           "event",         "stat",
          "event metadata", "stat metadata", "event metadata", "stat metadata", "HLO proto" };
  return names[message];
}

static const char *
record_name (XpMessage in, uint64_t tag)
{
  switch (in) {
  case XP_SPACE:
    return tag == PB_BYTES (1) ? "plane" : "text";
  case XP_PLANE:
    return tag == PB_BYTES (3)   ? "line"
           : tag == PB_BYTES (4) ? "event metadata"
           : tag == PB_BYTES (5) ? "stat metadata"
           : tag == PB_BYTES (6) ? "stat"
                                 : "field";
  case XP_LINE:
    return tag == PB_BYTES (4) ? "event" : "field";
  case XP_EVENT:
    return tag == PB_BYTES (4) ? "stat" : "field";
  case XP_META:
    return tag == PB_BYTES (5) ? "stat" : "field";
  default:
    return "field";
  }
}

void
xp_why (const uint8_t *file, const uint8_t *p, const uint8_t *end, XpMessage in, char *text,
        size_t size)
{
  unsigned long long at = (unsigned long long) (p - file), last = (unsigned long long) (end - file);
  const char *parent = message_name (in);
  uint64_t tag, n = 0;
  const uint8_t *q = pb_varint (p, end, &tag);
  if (!q || tag >> 3 == 0) {
    snprintf (text, size, "no field of a %s begins here: %s", parent,
              q              ? "field number 0"
              : end - p < 10 ? "the varint is cut off"
                             : "the varint has more than 10 bytes");
    return;
  }
  const char *record = record_name (in, tag);
  unsigned type = tag & 7;
  const uint8_t *v = type == 0 || type == 2 ? pb_varint (q, end, &n) : q;
  if (type > 5 || type == 3 || type == 4)
    snprintf (text, size, "%s: wire type %u does not occur in this format", record, type);
  else if (!v)
    snprintf (text, size, "%s: %s", record,
              end - q < 10 ? "the varint is cut off" : "the varint has more than 10 bytes");
  else if (type == 2 && in == XP_SPACE)
    snprintf (text, size, "length %llu at byte %llu runs past the end %llu of its %s",
              (unsigned long long) n, at, last, parent);
  else if (type == 2)
    snprintf (text, size, "%s: length %llu runs past the end %llu of its %s", record,
              (unsigned long long) n, last, parent);
  else
    snprintf (text, size, "%s: cut off at the end %llu of its %s", record, last, parent);
}

bool
xp_has_bmi2 (void)
{
#ifdef XP_HAVE_BMI2
  return np_cpu_has_bmi2 ();
#else
  return false;
#endif
}

int
xp_best_mode (void)
{
#ifdef XP_HAVE_BMI2
  /* The first two Zen generations run pext as slow microcode. */
  if (xp_has_bmi2 () && !np_cpu_is_early_zen ())
    return XP_BMI2;
#endif
  return XP_SWAR;
}
