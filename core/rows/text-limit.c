/* SPDX-License-Identifier: Apache-2.0 */
/* text-limit.c - cuts one text at a limit, with a mark that says how long it was. */

#include "rows/text-limit.h"

#include <string.h>

#define SHOWN 24 /* bytes of it that a warning quotes */

/* Returns where the character that lies across `at` begins. */
static gsize
before (const char *text, gsize at)
{
  for (guint back = 0; back < 3 && at && ((guchar) text[at] & 0xc0) == 0x80; back++)
    at--;
  return at;
}

char *
np_text_cut (const char *text, gsize len, gsize most, gsize *kept)
{
  g_autofree char *mark = g_strdup_printf ("… (cut, %" G_GSIZE_FORMAT " bytes)", len);
  g_autoptr (GString) cut = g_string_new (NULL);
  g_string_append_len (cut, text, (gssize) before (text, most - strlen (mark)));
  g_string_append (cut, mark);
  *kept = cut->len;
  return g_string_free (g_steal_pointer (&cut), FALSE);
}

char *
np_text_cut_words (const char *text, gsize len, gsize most)
{
  g_autofree char *begin = g_utf8_make_valid (text, (gssize) before (text, MIN (len - 1, SHOWN)));
  return g_strdup_printf ("a text of %" G_GSIZE_FORMAT
                          " bytes, \"%s...\", is cut at %" G_GSIZE_FORMAT
                          ": --text-max SIZE keeps more",
                          len, begin, most);
}
