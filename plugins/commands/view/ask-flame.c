/* SPDX-License-Identifier: Apache-2.0 */
/* ask-flame.c - answers route flame. */

#include "flame.h"

#include <string.h>

#define MAX_NODES 20000 /* that are sent */

static int
by_weight (gconstpointer a, gconstpointer b, gpointer nodes)
{
  const NpStack *x = &g_array_index ((GArray *) nodes, NpStack, *(const guint *) a);
  const NpStack *y = &g_array_index ((GArray *) nodes, NpStack, *(const guint *) b);
  if (x->total != y->total)
    return x->total < y->total ? 1 : -1;
  return (x->order > y->order) - (x->order < y->order);
}

static gboolean
is_below (const GArray *nodes, guint node, guint root)
{
  while (node != root && node)
    node = g_array_index (nodes, NpStack, node).parent;
  return node == root;
}

/* Returns whether the node is in the window: a lane begins with a row that may end before it. */
static gboolean
is_seen (const NpStack *node)
{
  return node->count || node->total;
}

/* `texts` are names of nodes; NULL: they are strings of the store. */
static const char *
name_text (NpAsk *ask, const GPtrArray *texts, guint32 name)
{
  return texts ? g_ptr_array_index (texts, name) : np_ask_string (ask, name);
}

static void
put_nodes (NpAsk *ask, GArray *nodes, const GPtrArray *texts, guint root, gboolean in_time)
{
  g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (guint));
  NpJson *j = &ask->json;
  for (guint i = 1; i < nodes->len; i++)
    if (is_seen (&g_array_index (nodes, NpStack, i)) && is_below (nodes, i, root))
      g_array_append_val (order, i);
  if (!in_time || order->len > MAX_NODES)
    g_array_sort_with_data (order, by_weight, nodes);
  np_json_array (j, "nodes");
  for (guint i = 0; i < order->len && i < MAX_NODES; i++) {
    guint id = g_array_index (order, guint, i);
    const NpStack *node = &g_array_index (nodes, NpStack, id);
    np_json_object (j, NULL);
    np_json_number (j, "id", id);
    np_json_number (j, "parent", node->parent);
    np_json_text (j, "name", name_text (ask, texts, node->name));
    np_json_i64 (j, "self", node->self);
    np_json_i64 (j, "total", node->total);
    np_json_number (j, "count", node->count);
    np_json_end_object (j);
  }
  np_json_end_array (j);
  np_json_number (j, "left_out", order->len > MAX_NODES ? order->len - MAX_NODES : 0);
}

/* Returns the name of the nodes with this text; G_MAXUINT32: there is none. */
static guint32
name_of (NpAsk *ask, const GArray *nodes, const GPtrArray *texts, const char *text)
{
  for (guint i = 1; i < nodes->len; i++) {
    guint32 name = g_array_index (nodes, NpStack, i).name;
    if (!strcmp (name_text (ask, texts, name), text))
      return name;
  }
  return G_MAXUINT32;
}

static void
put_part (NpAsk *ask, const char *part, GArray *nodes, const GPtrArray *texts, gboolean in_time)
{
  np_json_object (&ask->json, part);
  put_nodes (ask, nodes, texts, 0, in_time);
  np_json_end_object (&ask->json);
}

/* Puts who called a name and what it called; FALSE: no stack has it. */
static gboolean
put_around (NpAsk *ask, GArray *nodes, const GPtrArray *texts, const char *about, gboolean in_time)
{
  g_autoptr (GArray) callers = g_array_new (FALSE, FALSE, sizeof (NpStack)),
                     callees = g_array_new (FALSE, FALSE, sizeof (NpStack));
  guint32 name = name_of (ask, nodes, texts, about);
  if (name != G_MAXUINT32)
    np_flame_around (nodes, name, callers, callees);
  np_json_text (&ask->json, "about", about);
  put_part (ask, "callers", callers, texts, in_time);
  put_part (ask, "callees", callees, texts, in_time);
  return callees->len && is_seen (&g_array_index (callees, NpStack, 1));
}

gboolean
np_ask_flame (NpAsk *ask)
{
  static const char *const needs[] = { "", "needs layers, which no row of the window has",
                                       "needs source lines, which no row of the window has",
                                       "needs work of devices, which the window has none of" };
  gint64 t0, t1;
  guint by, in_time;
  guint32 root;
  g_autoptr (NpParts) parts = NULL;
  g_autoptr (GArray) tracks = np_ask_chosen (ask, &parts);
  if (!tracks || !np_ask_range (ask, &t0, &t1)
      || !np_ask_word (ask, "by", "name|layer|source|launch", &by)
      || !np_ask_word (ask, "order", "weight|time", &in_time)
      || !np_ask_u32 (ask, "root", 0, G_MAXUINT32, &root))
    return FALSE;
  const char *about = np_request_param (ask->request, "about");
  if (about && np_request_param (ask->request, "root"))
    return np_reply_fail (ask->reply, 400, "ask for one of them",
                          "root names a node and about a name: an answer is of one of them");
  g_autoptr (GPtrArray) texts
      = by == NP_STACK_LAUNCH ? g_ptr_array_new_with_free_func (g_free) : NULL;
  const gint64 window[] = { t0, t1 };
  gboolean whole = !np_request_param (ask->request, "t0") && !np_request_param (ask->request, "t1");
  g_autoptr (GArray) nodes = texts ? np_flame_launched (ask, whole ? NULL : window, texts)
                                   : np_flame (ask, t0, t1, tracks, parts, by);
  if (!nodes)
    return texts && ask->reply->status == 202;
  if (root >= nodes->len)
    return np_reply_fail (ask->reply, 404, "", "there is no node %u", root);
  np_json_object (&ask->json, NULL);
  np_json_i64 (&ask->json, "total", g_array_index (nodes, NpStack, root).total);
  const char *unknown = by && nodes->len == 1 ? needs[by] : NULL;
  if (!about)
    put_nodes (ask, nodes, texts, root, in_time);
  else if (!put_around (ask, nodes, texts, about, in_time) && !unknown)
    unknown = "needs a frame of this name, which no stack of the window has";
  if (unknown)
    np_json_text (&ask->json, "unknown", unknown);
  np_json_end_object (&ask->json);
  return TRUE;
}
