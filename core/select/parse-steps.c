/* SPDX-License-Identifier: Apache-2.0 */
/* parse-steps.c - ranges of steps as people type them. */

#include "base/error.h"
#include "select/row-filter.h"

#include <errno.h>
#include <string.h>

static gboolean
is_ordinal (const char *suffix)
{
  static const char *const suffixes[] = { "st", "nd", "rd", "th", NULL };
  return g_strv_contains (suffixes, suffix);
}

/* Parses "5", "2nd" or "last". */
static gboolean
parse_step (const char *text, gint64 *step, gint64 *nth)
{
  char *end;
  if (g_str_equal (text, "last")) {
    *nth = -1;
    return TRUE;
  }
  if (!g_ascii_isdigit (text[*text == '-']))
    return FALSE;
  errno = 0;
  gint64 number = g_ascii_strtoll (text, &end, 10);
  gboolean ordinal = is_ordinal (end) && number > 0 && number <= G_MAXINT32;
  *(ordinal ? nth : step) = number;
  return errno == 0 && (ordinal || !*end);
}

gboolean
np_parse_steps (const char *text, NpSelection *s, GError **error)
{
  const char *dots = strstr (text, "..");
  g_autofree char *from = dots ? g_strndup (text, (gsize) (dots - text)) : g_strdup (text);
  const char *to = dots ? dots + 2 : from;
  s->has_step = TRUE;
  s->step_first = G_MININT64;
  s->step_last = G_MAXINT64;
  s->step_first_nth = s->step_last_nth = 0;
  if ((!*from && !*to) || (*from && !parse_step (from, &s->step_first, &s->step_first_nth))
      || (*to && !parse_step (to, &s->step_last, &s->step_last_nth)))
    return np_error_set (error, NP_EXIT_USAGE,
                         "\"%s\": expected steps: 5, 3..7, 3.., ..7, last or 2nd", text);
  if (s->step_first > s->step_last)
    return np_error_set (error, NP_EXIT_USAGE,
                         "\"%s\": the first step is behind the last: write the smaller one first",
                         text);
  return TRUE;
}
