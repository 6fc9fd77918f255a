/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - reads types and opcodes in operators' names; nprof-analyzer-operators(7) states the grammar. */
#include "names.h"

#include "devicekit/layer-path.h"

#include <string.h>

char *
type_of_path (const char *path)
{
  const char *end = an_path_end (path), *at = path;
  if (*end && end[1])
    return g_strdup (end + 1);
  for (const char *next = an_path_component_end (at, end); next < end;
       next = an_path_component_end (at, end))
    at = next + 1;
  const char *digits = end;
  while (digits > at && g_ascii_isdigit (digits[-1]))
    digits--;
  if (digits < end && digits > at + 1 && (digits[-1] == '_' || digits[-1] == '.'))
    end = digits - 1;
  return end > at ? g_strndup (at, (gsize) (end - at)) : NULL;
}

/* Returns what is behind the shape, which is one word, or a tuple in parentheses. */
static const char *
skip_shape (const char *at)
{
  int depth = 0;
  for (; *at && (depth > 0 || *at != ' '); at++)
    depth += (*at == '(') - (*at == ')');
  return *at ? at + 1 : at;
}

char *
opcode_of_text (const char *text)
{
  const char *shape = strstr (text, " = ");
  if (!shape)
    return NULL;
  const char *at = skip_shape (shape + 3);
  gsize len = strcspn (at, "( ");
  return len && at[len] == '(' ? g_strndup (at, len) : NULL;
}
