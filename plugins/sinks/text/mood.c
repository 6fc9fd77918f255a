/* SPDX-License-Identifier: Apache-2.0 */
/* mood.c - has one table of limits. */

#include "mood.h"

#include <string.h>

static const struct {
  const char *name;
  gboolean low; /* little of it is bad */
  double warn, bad;
} limits[] = {
  { "busy", TRUE, 80, 50 },
  { "exposed", FALSE, 5, 10 },
  { "lost", FALSE, 0, 1 },
  { "not recorded", FALSE, 0, 1 },
};

Mood
mood_of (const char *name, const char *text)
{
  char *end;
  const char *digits = *text == '<' ? text + 1 : text; /* "<0.1 %" */
  double value = g_ascii_strtod (digits, &end);
  if (strcmp (text, "unknown") == 0)
    return MOOD_DIM;
  if (end == digits || !g_str_has_prefix (end, " %"))
    return MOOD_PLAIN;
  for (guint i = 0; i < G_N_ELEMENTS (limits); i++) {
    if (strcmp (limits[i].name, name) != 0)
      continue;
    double over = limits[i].low ? -value : value, sign = limits[i].low ? -1 : 1;
    return over > sign * limits[i].bad    ? MOOD_BAD
           : over > sign * limits[i].warn ? MOOD_WARN
                                          : MOOD_PLAIN;
  }
  return MOOD_PLAIN;
}
