/* SPDX-License-Identifier: Apache-2.0 */
/* text-number.c - numbers texts. */
#include "console/text-number.h"

guint32
np_text_number (GHashTable *numbers, GPtrArray *texts, const char *text)
{
  gpointer known = g_hash_table_lookup (numbers, text);
  if (known)
    return GPOINTER_TO_UINT (known) - 1;
  char *own = g_strdup (text);
  g_ptr_array_add (texts, own);
  g_hash_table_insert (numbers, own, GUINT_TO_POINTER (texts->len));
  return texts->len - 1;
}
