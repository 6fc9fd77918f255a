/* SPDX-License-Identifier: Apache-2.0 */
/* ask-links.c - answers routes links and chain: the arrows of rows, and what hangs on them further
 * on. */

#include "ask.h"

#include <string.h>

#define MAX_ROWS 100
#define MAX_OF_ROW 1000
#define MAX_NODES 1000

/* The links of a row; transfer full. NULL with n 0 when it has none; FALSE: failed. *left_out grows
 * by those beyond the limit. */
static gboolean
links_of (NpAsk *ask, struct nprof_row row, struct nprof_link **links, guint32 *n,
          guint64 *left_out)
{
  struct nprof_event e;
  const struct nprof_link *found;
  uint32_t count;
  uint64_t totals[2];
  if (!nprof_store_event (ask->query, row, &e)
      || !nprof_store_links (ask->query, &e, MAX_OF_ROW, &found, &count, totals))
    return FALSE;
  *links = g_memdup2 (found, count * sizeof *found);
  *n = count;
  *left_out += totals[0] + totals[1] - count;
  return TRUE;
}

static void
put_arrow (NpAsk *ask, struct nprof_row row, const struct nprof_link *link, const char *name)
{
  NpJson *j = &ask->json;
  struct nprof_row from = link->depends ? link->row : row, to = link->depends ? row : link->row;
  np_json_object (j, NULL);
  np_json_row (j, "from", from.lane, from.row);
  np_json_row (j, "to", to.lane, to.row);
  np_json_text (j, "family", np_link_family (link));
  if (name)
    np_json_text (j, "name", name);
  np_json_end_object (j);
}

/* Returns the rows of the parameter; NULL: an error. */
static GArray *
rows_of (NpAsk *ask)
{
  const char *text = np_request_param (ask->request, "rows");
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (struct nprof_row));
  g_auto (GStrv) parts = g_strsplit (text ? text : "", ",", -1);
  if (!text) {
    np_ask_missing (ask, "rows");
    return NULL;
  }
  for (guint i = 0; parts[i]; i++) {
    struct nprof_row row;
    const struct nprof_store_lane *lane = NULL;
    if (!np_parse_row (parts[i], &row.lane, &row.row) || rows->len == MAX_ROWS) {
      np_ask_wrong (ask, "rows", "at most 100 of LANE.ROW, comma between");
      return NULL;
    }
    lane = nprof_store_lane_at (ask->store, row.lane);
    if (!lane || row.row >= lane->rows) {
      np_reply_fail (ask->reply, 404, "", "there is no row %u.%u in this profile", row.lane,
                     row.row);
      return NULL;
    }
    g_array_append_val (rows, row);
  }
  return g_steal_pointer (&rows);
}

static gboolean
put_arrows_of (NpAsk *ask, struct nprof_row row, guint64 *left_out)
{
  g_autofree struct nprof_link *links = NULL;
  guint32 n = 0;
  struct nprof_event other;
  if (!links_of (ask, row, &links, &n, left_out))
    return FALSE;
  for (guint32 i = 0; i < n; i++) {
    if (!nprof_store_event (ask->query, links[i].row, &other))
      return FALSE;
    const char *category = np_ask_string (ask, links[i].category);
    put_arrow (ask, row, &links[i], *category ? category : np_label_name (ask, other.label));
  }
  return TRUE;
}

gboolean
np_ask_links (NpAsk *ask)
{
  g_autoptr (GArray) rows = rows_of (ask);
  guint64 left_out = 0;
  if (!rows)
    return FALSE;
  np_json_object (&ask->json, NULL);
  np_json_array (&ask->json, "arrows");
  for (guint i = 0; i < rows->len; i++)
    if (!put_arrows_of (ask, g_array_index (rows, struct nprof_row, i), &left_out))
      return FALSE;
  np_json_end_array (&ask->json);
  np_json_number (&ask->json, "left_out", left_out);
  np_json_end_object (&ask->json);
  return TRUE;
}

/* -- chain -------------------------------------------------------------------------- */

typedef struct {
  struct nprof_row row;
  guint depth;
} Node;

typedef struct {
  struct nprof_row row;
  struct nprof_link link;
} Arrow;

static guint
row_hash (gconstpointer key)
{
  const struct nprof_row *row = key;
  return row->lane * 2654435761u ^ row->row;
}

static gboolean
row_equal (gconstpointer a, gconstpointer b)
{
  return !memcmp (a, b, sizeof (struct nprof_row));
}

static void
add_node (GHashTable *seen, GArray *nodes, struct nprof_row row, guint depth)
{
  if (nodes->len >= MAX_NODES || g_hash_table_contains (seen, &row))
    return;
  Node node = { row, depth };
  g_hash_table_add (seen, g_memdup2 (&row, sizeof row));
  g_array_append_val (nodes, node);
}

/* Follows links by breadth, so that near rows come first. */
static gboolean
follow_links (NpAsk *ask, struct nprof_row from, guint depth, GArray *nodes, GArray *arrows,
              guint64 *left_out)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (row_hash, row_equal, g_free, NULL);
  add_node (seen, nodes, from, 0);
  for (guint i = 0; i < nodes->len; i++) {
    Node node = g_array_index (nodes, Node, i);
    g_autofree struct nprof_link *links = NULL;
    guint32 n = 0;
    if (node.depth == depth)
      break;
    if (!links_of (ask, node.row, &links, &n, left_out))
      return FALSE;
    for (guint32 k = 0; k < n; k++) {
      gboolean known = g_hash_table_contains (seen, &links[k].row);
      add_node (seen, nodes, links[k].row, node.depth + 1);
      Arrow arrow = { node.row, links[k] };
      if (!known && g_hash_table_contains (seen, &links[k].row))
        g_array_append_val (arrows, arrow);
      else
        *left_out += !known;
    }
  }
  return TRUE;
}

gboolean
np_ask_chain (NpAsk *ask)
{
  struct nprof_event e;
  guint32 depth;
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (Node));
  g_autoptr (GArray) arrows = g_array_new (FALSE, FALSE, sizeof (Arrow));
  NpJson *j = &ask->json;
  guint64 left_out = 0;
  if (!np_ask_row (ask, "row", &e) || !np_ask_u32 (ask, "depth", 3, 20, &depth))
    return FALSE;
  if (!depth)
    return np_ask_wrong (ask, "depth", "a number from 1 to 20");
  if (!follow_links (ask, e.row, depth, nodes, arrows, &left_out))
    return FALSE;
  np_json_object (j, NULL);
  np_json_array (j, "nodes");
  for (guint i = 0; i < nodes->len; i++) {
    if (!nprof_store_event (ask->query, g_array_index (nodes, Node, i).row, &e))
      return FALSE;
    np_json_object (j, NULL);
    np_json_hit (ask, &e);
    np_json_end_object (j);
  }
  np_json_end_array (j);
  np_json_array (j, "arrows");
  for (guint i = 0; i < arrows->len; i++) {
    const Arrow *arrow = &g_array_index (arrows, Arrow, i);
    put_arrow (ask, arrow->row, &arrow->link, NULL);
  }
  np_json_end_array (j);
  np_json_number (j, "left_out", left_out);
  np_json_end_object (j);
  return TRUE;
}
