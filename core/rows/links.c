/* SPDX-License-Identifier: Apache-2.0 */
/* links.c - ids of rows, and the way up from each to its ancestors. */

#include "rows/links.h"

typedef struct {
  guint64 id, parent;
  guint pass; /* that came by; a pass that comes to itself has found a circle */
} Link;

struct NpLinks {
  GHashTable *by_id; /* of Link, which owns it */
  guint most, pass;
};

NpLinks *
np_links_new (guint most)
{
  NpLinks *links = g_new0 (NpLinks, 1);
  links->by_id = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  links->most = most;
  return links;
}

void
np_links_free (NpLinks *links)
{
  if (!links)
    return;
  g_hash_table_unref (links->by_id);
  g_free (links);
}

gboolean
np_links_add (NpLinks *links, guint64 id, guint64 parent)
{
  if (g_hash_table_contains (links->by_id, &id))
    return FALSE;
  if (g_hash_table_size (links->by_id) == links->most)
    return TRUE;
  Link *link = g_new (Link, 1);
  *link = (Link){ id, parent, 0 };
  return g_hash_table_insert (links->by_id, &link->id, link);
}

guint64
np_links_circle (NpLinks *links)
{
  GHashTableIter all;
  gpointer from;
  g_hash_table_iter_init (&all, links->by_id);
  while (g_hash_table_iter_next (&all, NULL, &from)) {
    Link *at = from;
    const guint pass = ++links->pass;
    for (; at && !at->pass; at = g_hash_table_lookup (links->by_id, &at->parent))
      at->pass = pass;
    if (at && at->pass == pass)
      return at->id;
  }
  return 0;
}
