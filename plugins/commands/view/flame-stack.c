/* SPDX-License-Identifier: Apache-2.0 */
/* flame-stack.c - finds nodes of trees of stacks by their parent and name, and sums them up. */

#include "flame.h"

#include <string.h>

typedef struct {
  guint32 parent, name;
} Key;

static guint
key_hash (gconstpointer key)
{
  const Key *k = key;
  return k->parent * 2654435761u ^ k->name * 40503u;
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  return !memcmp (a, b, sizeof (Key));
}

GHashTable *
np_stack_finder (void)
{
  return g_hash_table_new_full (key_hash, key_equal, g_free, NULL);
}

guint32
np_stack_child (GArray *nodes, GHashTable *find, guint32 parent, guint32 name)
{
  Key key = { parent, name };
  gpointer found = g_hash_table_lookup (find, &key);
  if (!found) {
    NpStack node = { .parent = parent, .name = name, .order = nodes->len };
    found = GUINT_TO_POINTER (nodes->len + 1);
    g_array_append_val (nodes, node);
    g_hash_table_insert (find, g_memdup2 (&key, sizeof key), found);
  }
  return GPOINTER_TO_UINT (found) - 1;
}

void
np_flame_sum (GArray *nodes)
{
  for (guint i = nodes->len; i-- > 0;) {
    NpStack *node = &g_array_index (nodes, NpStack, i);
    node->total += node->self;
    if (i)
      g_array_index (nodes, NpStack, node->parent).total += node->total;
  }
}
