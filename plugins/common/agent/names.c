/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - cleans words of a profile, which may be written to mislead who reads them. */
#include "agent/names.h"

#include "base/log.h"

#include <string.h>

/* Returns whether nobody would see the character: soft hyphen, zero widths, selectors, tags. */
static gboolean
is_invisible (gunichar c)
{
  return c == 0xad || c == 0x180e || (c >= 0x200b && c <= 0x200d) || (c >= 0x2060 && c <= 0x206f)
         || (c >= 0xfe00 && c <= 0xfe0f) || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb)
         || (c >= 0xe0000 && c <= 0xe0fff);
}

/* Cuts at characters; the escapes that the middle began or ended in may be cut, too. */
static char *
cut_middle (const char *text)
{
  glong n = g_utf8_strlen (text, -1), half = (NP_NAME_CHARACTERS - 1) / 2;
  if (n <= NP_NAME_CHARACTERS)
    return g_strdup (text);
  g_autofree char *head = g_utf8_substring (text, 0, half);
  g_autofree char *tail = g_utf8_substring (text, n - half, n);
  return g_strconcat (head, "\u2026", tail, NULL);
}

char *
np_name_clean (const char *text, gssize len)
{
  const char *end = text + (len < 0 ? (gssize) strlen (text) : len);
  g_autoptr (GString) out = g_string_sized_new ((gsize) (end - text) + 1);
  while (text < end) {
    gunichar c = g_utf8_get_char_validated (text, end - text);
    gboolean valid = *text && c != (gunichar) -1 && c != (gunichar) -2;
    if (!valid)
      g_string_append_printf (out, "\\u{%x}", (guchar) *text);
    else if (np_is_harmless (c) && !is_invisible (c))
      g_string_append_unichar (out, c);
    else
      g_string_append_printf (out, "\\u{%x}", c);
    text = valid ? g_utf8_next_char (text) : text + 1;
  }
  return cut_middle (out->str);
}
