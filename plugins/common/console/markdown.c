/* SPDX-License-Identifier: Apache-2.0 */
/* markdown.c - escapes what GitHub's Markdown would obey within a cell of a table. */

#include "console/markdown.h"
#include "base/log.h"

#include <string.h>

char *
np_markdown_cell (const char *text)
{
  g_autofree char *shown = np_printable (text, -1);
  GString *cell = g_string_new (NULL);
  for (const char *c = shown; *c; c++) {
    if (*c == '<')
      g_string_append (cell, "&lt;");
    else if (*c == '&')
      g_string_append (cell, "&amp;");
    else {
      if (strchr ("\\|`*~[]", *c))
        g_string_append_c (cell, '\\');
      g_string_append_c (cell, *c);
    }
  }
  return g_string_free (cell, FALSE);
}
