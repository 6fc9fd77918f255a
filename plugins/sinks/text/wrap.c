/* SPDX-License-Identifier: Apache-2.0 */
/* wrap.c - fills lines with words. */

#include "wrap.h"

#include "printable.h"

GStrv
wrap_new (const char *text, guint width)
{
  GPtrArray *lines = g_ptr_array_new ();
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  g_autoptr (GString) line = g_string_new (words[0]); /* none: "" */
  guint taken = words[0] ? printable_width (words[0]) : 0;
  for (guint i = 1; words[0] && words[i]; i++) {
    guint more = printable_width (words[i]);
    if (taken + 1 + more > width) {
      g_ptr_array_add (lines, g_strdup (line->str));
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
