/* SPDX-License-Identifier: Apache-2.0 */
/* json-member.c - finds the first member of that name, wherever it stands. */
#include "devicekit/json-member.h"

#include <stdlib.h>
#include <string.h>

gboolean
an_json_int (const char *json, gsize len, const char *name, gint64 *value)
{
  g_autofree char *quoted = g_strdup_printf ("\"%s\"", name);
  const char *at = memmem (json, len, quoted, strlen (quoted)), *end = json + len;
  if (!at)
    return FALSE;
  at += strlen (quoted);
  while (at < end && (*at == ':' || *at == ' '))
    at++;
  char digits[24];
  gsize n = 0;
  while (at < end && n + 1 < sizeof digits && (g_ascii_isdigit (*at) || (*at == '-' && !n)))
    digits[n++] = *at++;
  digits[n] = '\0';
  *value = strtoll (digits, NULL, 10);
  return n > 0;
}
