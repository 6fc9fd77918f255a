/* SPDX-License-Identifier: Apache-2.0 */
/* vendor-name.c - the rule of names. */

#include "base/vendor-name.h"

#include <string.h>

static gboolean
is_reserved (const char *vendor, gsize len)
{
  static const char *const reserved[] = { "nprof", "draft", "team" };
  for (guint i = 0; i < G_N_ELEMENTS (reserved); i++)
    if (strlen (reserved[i]) == len && memcmp (reserved[i], vendor, len) == 0)
      return TRUE;
  return FALSE;
}

char *
np_vendor_name_problem (const char *name, char mark)
{
  char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789..";
  allowed[sizeof allowed - 2] = mark;
  if (!name || !*name || name[strspn (name, allowed)])
    return g_strdup_printf ("is not of [a-z0-9%c], with one dot behind its vendor", mark);
  const char *dot = strchr (name, '.');
  if (!dot)
    return NULL;
  if (dot == name || !dot[1] || strchr (dot + 1, '.'))
    return g_strdup ("is not vendor.name, with one dot");
  if (is_reserved (name, (gsize) (dot - name)))
    return g_strdup_printf ("begins with %.*s, which is nprof's own: take the name of your house",
                            (int) (dot - name), name);
  return NULL;
}
