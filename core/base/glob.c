/* SPDX-License-Identifier: Apache-2.0 */
/* glob.c - matches globs without recursion, so that names of any length cost no more than
 * they should (fnmatch can take exponential time, and depends on the locale). */

#include "base/glob.h"

#include <string.h>

/* Returns the next character; a byte that is no UTF-8 stands for itself. */
static gunichar
next_char (const char **at, const char *end)
{
  gunichar c = g_utf8_get_char_validated (*at, end - *at);
  if (c < 0x80000000u) {
    *at = g_utf8_next_char (*at);
    return c;
  }
  return 0x110000u + (guint8) * (*at)++;
}

/* Returns the byte behind the `]` that closes the set which begins at `at`, or NULL. */
static const char *
set_end (const char *at, const char *end)
{
  if (at < end && (*at == '!' || *at == '^'))
    at++;
  if (at < end && *at == ']')
    at++;
  at = memchr (at, ']', (gsize) (end - at));
  return at ? at + 1 : NULL;
}

/* `end` is the `]` that closes the set. */
static gboolean
set_has (const char *at, const char *end, gunichar c)
{
  gboolean others = *at == '!' || *at == '^', found = FALSE;
  at += others;
  while (at < end) {
    gunichar first = next_char (&at, end), last = first;
    if (at + 1 < end && *at == '-') {
      at++;
      last = next_char (&at, end);
    }
    found |= first <= c && c <= last;
  }
  return found != others;
}

/* Matches one character of the text against one item of the glob that is not `*`. */
static gboolean
match_one (const char **glob, const char *glob_end, const char **text, const char *text_end)
{
  if (*glob == glob_end)
    return FALSE;
  const char *g = *glob;
  gunichar want = next_char (&g, glob_end), c = next_char (text, text_end);
  const char *close = want == '[' ? set_end (g, glob_end) : NULL;
  gboolean ok = close ? set_has (g, close - 1, c) : want == '?' || want == c;
  *glob = close ? close : g;
  return ok;
}

gboolean
np_glob_match (const char *glob, const char *text, gsize len)
{
  const char *g_end = glob + strlen (glob), *end = text + len;
  const char *star = NULL, *star_text = NULL; /* where to take the last `*` up again */
  while (text < end) {
    if (glob < g_end && *glob == '*') {
      star = ++glob;
      star_text = text;
    } else if (!match_one (&glob, g_end, &text, end)) {
      if (!star)
        return FALSE;
      next_char (&star_text, end);
      glob = star;
      text = star_text;
    }
  }
  while (glob < g_end && *glob == '*')
    glob++;
  return glob == g_end;
}
