/* SPDX-License-Identifier: Apache-2.0 */
/* printable.c - makes text safe, measures it, and fills lines with words. */
#include "printable.h"

#include <string.h>

gboolean
printable_unsafe (gunichar c)
{
  if (c < 0x20 || (c >= 0x7f && c < 0xa0))
    return TRUE;
  return c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e)
         || (c >= 0x2066 && c <= 0x2069);
}

static void
append_escaped (GString *out, const char *bytes, gsize n)
{
  for (gsize i = 0; i < n; i++)
    g_string_append_printf (out, "\\x%02x", (guchar) bytes[i]);
}

char *
printable_new (const char *text, gsize len)
{
  GString *out = g_string_sized_new (len + 1);
  const char *end = text + len;
  while (text < end) {
    gunichar c = g_utf8_get_char_validated (text, end - text);
    /* G_MAXUINT32 and one less are GLib's words for broken and unfinished characters. */
    gsize n = c >= (gunichar) -2 || !*text ? 1 : (gsize) (g_utf8_next_char (text) - text);
    if (c >= (gunichar) -2 || printable_unsafe (c))
      append_escaped (out, text, n);
    else
      g_string_append_len (out, text, (gssize) n);
    text += n;
  }
  return g_string_free (out, FALSE);
}

static guint
width_of (gunichar c)
{
  return g_unichar_iszerowidth (c) ? 0 : g_unichar_iswide (c) ? 2 : 1;
}

guint
printable_width (const char *text)
{
  guint width = 0;
  for (; *text; text = g_utf8_next_char (text))
    width += width_of (g_utf8_get_char (text));
  return width;
}

/* Returns the end of the longest beginning that takes at most width columns. */
static const char *
head_end (const char *text, guint width)
{
  while (*text) {
    guint w = width_of (g_utf8_get_char (text));
    if (w > width)
      break;
    width -= w;
    text = g_utf8_next_char (text);
  }
  return text;
}

/* Returns the begin of the longest ending that takes at most width columns; combining characters
 * stay with the one that they belong to. */
static const char *
tail_begin (const char *text, guint width)
{
  const char *begin = text + strlen (text);
  for (const char *p = begin; p > text;) {
    p = g_utf8_prev_char (p);
    guint w = width_of (g_utf8_get_char (p));
    if (w > width)
      break;
    width -= w;
    if (w > 0)
      begin = p;
  }
  return begin;
}

char *
printable_cut (const char *text, guint width)
{
  if (printable_width (text) <= width)
    return g_strdup (text);
  if (width == 0)
    return g_strdup ("");
  guint tail = (width - 1) / 3; /* names of one family often differ in their last letters */
  const char *end = head_end (text, width - 1 - tail);
  g_autofree char *head = g_strndup (text, (gsize) (end - text));
  return g_strconcat (head, "…", tail_begin (end, tail), NULL);
}

char *
printable_short (const char *text, guint width)
{
  g_autofree char *safe = printable_new (text, strlen (text));
  return printable_cut (safe, width);
}

/* Returns whether the word is an amount, which its unit follows: 12.5, <0.1, (3. */
static gboolean
is_number (const char *word)
{
  word += strspn (word, "<>(~");
  return g_ascii_isdigit (*word) && !word[strspn (word, "0123456789.,x")];
}

/* Punctuation may follow. */
static gboolean
is_unit (const char *word)
{
  static const char *const units[]
      = { "%", "ps", "ns", "us", "ms", "s", "min", "h", "B", "kB", "MB", "GB", "TB", "KiB", "MiB",
          "GiB", "TiB", "kB/s", "MB/s", "GB/s", "TB/s", NULL };
  g_autofree char *bare = g_strndup (word, strcspn (word, ",.;:)"));
  return g_strv_contains (units, bare);
}

/* Joins each option of a command line with its value, and each amount with its unit, so that both
 * stay on one line. */
static void
join_pairs (GStrv words)
{
  guint to = 0;
  for (guint i = 0; words[i]; i++) {
    char *word = words[i];
    const char *before = to > 0 && *word ? words[to - 1] : "";
    if (!g_str_equal (before, "--only") && !(is_number (before) && is_unit (word))) {
      words[to++] = word;
      continue;
    }
    char *both = g_strconcat (before, " ", word, NULL);
    g_free (words[to - 1]);
    g_free (word);
    words[to - 1] = both;
  }
  words[to] = NULL;
}

GStrv
wrap_new (const char *text, guint width)
{
  GPtrArray *lines = g_ptr_array_new ();
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  join_pairs (words);
  g_autoptr (GString) line = g_string_new (words[0]); /* none: "" */
  guint taken = words[0] ? printable_width (words[0]) : 0;
  for (guint i = 1; words[0] && words[i]; i++) {
    guint more = printable_width (words[i]);
    if (taken + 1 + more > width) {
      g_ptr_array_add (lines, g_strdup (g_strchomp (line->str)));
      g_string_assign (line, words[i]);
      taken = more;
    } else {
      g_string_append_printf (line, " %s", words[i]);
      taken += 1 + more;
    }
  }
  g_ptr_array_add (lines, g_strdup (line->str));
  g_ptr_array_add (lines, NULL);
  return (GStrv) g_ptr_array_free (lines, FALSE);
}
