/* SPDX-License-Identifier: Apache-2.0 */
/* values.c - keeps the values of a file, and finds what stands at a key. */

#include "pickle/values.h"

#include <string.h>

#define MAX_KEYS 128

/* -- Keeping --------------------------------------------------------------- */

static void
items_free (gpointer data)
{
  PkItems *items = data;
  g_free (items->value);
  g_free (items);
}

Pickle *
pk_new (const void *data, guint64 len)
{
  Pickle *p = g_new0 (Pickle, 1);
  p->data = data;
  p->len = len;
  p->stack = g_array_new (FALSE, FALSE, sizeof (PkValue));
  p->marks = g_array_new (FALSE, FALSE, sizeof (guint));
  p->memo = g_array_new (FALSE, FALSE, sizeof (PkValue));
  p->all = g_ptr_array_new_with_free_func (items_free);
  p->texts = g_ptr_array_new_with_free_func (g_free);
  return p;
}

void
pk_free (Pickle *p)
{
  if (!p)
    return;
  g_array_unref (p->stack);
  g_array_unref (p->marks);
  g_array_unref (p->memo);
  g_ptr_array_unref (p->all);
  g_ptr_array_unref (p->texts);
  g_free (p->problem);
  g_free (p);
}

PkItems *
pk_items_new (Pickle *p)
{
  PkItems *items = g_new0 (PkItems, 1);
  g_ptr_array_add (p->all, items);
  return items;
}

void
pk_items_append (PkItems *items, const PkValue *values, guint n)
{
  if (items->max - items->n < n) {
    items->max = MAX (items->max * 2, items->n + n);
    items->value = g_renew (PkValue, items->value, items->max);
  }
  if (n)
    memcpy (items->value + items->n, values, n * sizeof *values);
  items->n += n;
}

/* -- Looking --------------------------------------------------------------- */

gboolean
pk_is (const PkValue *value, const char *text)
{
  return value->type == PK_TEXT && value->len == strlen (text)
         && memcmp (value->text, text, value->len) == 0;
}

/* Dicts of PyTorch have a dozen keys; a large one that is shared a million times would take for
 * ever. */
const PkValue *
pk_get (const PkValue *dict, const char *key)
{
  if (dict->type != PK_DICT || dict->items->n > MAX_KEYS * 2)
    return NULL;
  for (guint32 i = dict->items->n; i >= 2;
       i -= 2) /* of equal keys the last one counts, as in Python */
    if (pk_is (&dict->items->value[i - 2], key))
      return &dict->items->value[i - 1];
  return NULL;
}

PkItems *
pk_list (const PkValue *dict, const char *key)
{
  const PkValue *value = pk_get (dict, key);
  return value && value->type == PK_LIST ? value->items : NULL;
}

gint64
pk_int (const PkValue *dict, const char *key, gint64 other)
{
  const PkValue *value = pk_get (dict, key);
  return value && value->type == PK_INT ? value->i : other;
}
