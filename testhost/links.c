/* SPDX-License-Identifier: Apache-2.0 */
/* links.c - checks, when all rows of a decoder are there, that an id stands on one row, and that
 * no row is its own ancestor. */

#include "test-run.h"

typedef struct {
  guint64 id, parent;
  guint pass; /* that came by; a pass that comes to itself has found a circle */
} Link;

/* Returns the rows with an id, by id; says which ids stand on several. */
static GHashTable *
links_by_id (NprofTestState *test, Link *links)
{
  GHashTable *by_id = g_hash_table_new (g_int64_hash, g_int64_equal);
  for (guint i = 0; i < test->rows->len; i++) {
    const NprofTestRow *row = &g_array_index (test->rows, NprofTestRow, i);
    if (!row->id || row->kind == NPROF_FLOW)
      continue;
    links[i] = (Link){ row->id, row->parent, 0 };
    if (g_hash_table_contains (by_id, &links[i].id))
      state_broke (test, "row \"%.60s\": id %" G_GUINT64_FORMAT " stands on an earlier row as well",
                   row->name, row->id);
    else
      g_hash_table_insert (by_id, &links[i].id, &links[i]);
  }
  return by_id;
}

/* Goes up from a row until there is no parent, or one where an earlier pass has been. */
static void
go_up (NprofTestState *test, GHashTable *by_id, Link *from, guint pass)
{
  Link *at = from;
  for (; at && !at->pass; at = g_hash_table_lookup (by_id, &at->parent))
    at->pass = pass;
  if (at && at->pass == pass)
    state_broke (test, "the row of id %" G_GUINT64_FORMAT " is its own ancestor", at->id);
}

void
rules_links (NprofTestState *test)
{
  g_autofree Link *links = g_new0 (Link, test->rows->len + 1);
  g_autoptr (GHashTable) by_id = links_by_id (test, links);
  for (guint i = 0; i < test->rows->len; i++)
    if (links[i].id)
      go_up (test, by_id, &links[i], i + 1);
}
