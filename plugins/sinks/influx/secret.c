/* SPDX-License-Identifier: Apache-2.0 */
/* secret.c - reads, wipes and crosses out tokens and passwords. */
#include "secret.h"

#include <string.h>

void
secret_free (char *secret)
{
  if (secret)
    explicit_bzero (secret, strlen (secret));
  g_free (secret);
}

/* Checks for control characters: a header line ends at one, so a secret with one could write
 * headers. */
static gboolean
check (char **secret, const char *where, char **why)
{
  size_t len = strlen (*secret);
  while (len && strchr (" \t\r\n", (*secret)[len - 1]))
    (*secret)[--len] = '\0';
  gboolean clean = TRUE;
  for (size_t k = 0; k < len; k++)
    clean &= (guchar) (*secret)[k] >= 0x20 && (*secret)[k] != 0x7f;
  if (len && clean)
    return TRUE;
  *why = g_strdup_printf (len ? "%s: holds a control character: expected one line"
                              : "%s: is empty: expected the secret in it",
                          where);
  g_clear_pointer (secret, secret_free);
  return FALSE;
}

gboolean
secret_read (const char *file, const char *variable, char **secret, char **why)
{
  *secret = NULL;
  if (file && *file) {
    g_autoptr (GError) error = NULL;
    gsize len;
    if (!g_file_get_contents (file, secret, &len, &error)) {
      *why = g_strdup (error->message);
      return FALSE;
    }
    if (strlen (*secret) == len)
      return check (secret, file, why);
    *why = g_strdup_printf ("%s: holds a NUL: expected one line of text", file);
    g_clear_pointer (secret, g_free);
    return FALSE;
  }
  const char *value = g_getenv (variable);
  if (!value || !*value)
    return TRUE;
  *secret = g_strdup (value);
  return check (secret, variable, why);
}

void
secret_cross_out (const char *secret, char *text)
{
  size_t len = secret ? strlen (secret) : 0;
  if (!len || !text)
    return;
  for (char *at = text; (at = strstr (at, secret)); at += len)
    memset (at, '*', len);
}
