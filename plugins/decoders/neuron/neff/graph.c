/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c - reads inputs and outputs of the model by neff.json, a graph as TVM writes it: entry e
 * of node i is number node_row_ptr[i] + e, and shape and dltype are lists by that number. */
#include "neff.h"

#include <string.h>

typedef struct {
  JsonArray *nodes, *row_ptr, *shapes, *dtypes;
} Graph;

static JsonNode *
element (JsonArray *array, guint64 i)
{
  return array && i < json_array_get_length (array) ? json_array_get_element (array, (guint) i)
                                                    : NULL;
}

/* Reads attrs.KEY = ["list_shape", [...]]. */
static JsonArray *
typed_list (JsonObject *attrs, const char *key)
{
  return neff_node_array (element (neff_array (attrs, key), 1));
}

static bool
entry_number (const Graph *g, guint64 node, guint64 output, guint64 *entry)
{
  return neff_number (element (g->row_ptr, node), entry)
         && !__builtin_add_overflow (*entry, output, entry);
}

/* Returns "[2,290]"; NULL: a dimension is no number. */
static char *
shape_text (JsonArray *shape)
{
  if (!shape)
    return NULL;
  GString *text = g_string_new ("[");
  for (guint i = 0; i < json_array_get_length (shape); i++) {
    guint64 size;
    if (!neff_number (json_array_get_element (shape, i), &size)) {
      g_string_free (text, TRUE);
      return NULL;
    }
    g_string_append_printf (text, "%s%" G_GUINT64_FORMAT, i ? "," : "", size);
  }
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

/* Adds a tensor, once: each core of a logical core puts out all of them. */
static void
add_tensor (Neff *n, const Graph *g, const char *name, const char *usage, guint64 node,
            guint64 output)
{
  guint64 entry;
  const bool has_entry = entry_number (g, node, output, &entry);
  g_autofree char *shape
      = has_entry ? shape_text (neff_node_array (element (g->shapes, entry))) : NULL;
  const char *dtype = has_entry ? neff_node_string (element (g->dtypes, entry)) : NULL;
  g_autofree char *key = name ? g_strconcat (usage, "/", name, NULL) : NULL;
  const NeffTensor *same = key ? g_hash_table_lookup (n->interface, key) : NULL;
  if (same && !g_strcmp0 (same->shape, shape) && !g_strcmp0 (same->dtype, dtype))
    return;
  NeffTensor *t = g_new0 (NeffTensor, 1);
  t->name = g_strdup (name);
  t->usage = g_strdup (usage);
  t->shape = g_steal_pointer (&shape);
  t->dtype = g_strdup (dtype);
  g_ptr_array_add (n->tensors, t);
  if (key)
    g_hash_table_insert (n->interface, g_steal_pointer (&key), t);
}

static void
add_inputs (Neff *n, const Graph *g, JsonArray *arg_nodes)
{
  for (guint i = 0; arg_nodes && i < json_array_get_length (arg_nodes); i++) {
    guint64 node;
    if (!neff_number (json_array_get_element (arg_nodes, i), &node))
      continue;
    JsonObject *o = neff_node_object (element (g->nodes, node));
    const char *op = neff_string (o, "op");
    if (op && strcmp (op, "null") == 0)
      add_tensor (n, g, neff_string (o, "name"), "input", node, 0);
  }
}

static void
add_outputs (Neff *n, const Graph *g, JsonArray *heads)
{
  for (guint i = 0; heads && i < json_array_get_length (heads); i++) {
    JsonArray *head = neff_node_array (json_array_get_element (heads, i));
    guint64 node, output;
    if (!neff_number (element (head, 0), &node) || !neff_number (element (head, 1), &output))
      continue;
    JsonObject *o = neff_node_object (element (g->nodes, node));
    const char *name = neff_node_string (element (neff_array (o, "output_names"), output));
    add_tensor (n, g, name ? name : neff_string (o, "name"), "output", node, output);
  }
}

/* Finds the member that the node of the compiled code names. */
static char *
find_kelf (const Graph *g)
{
  for (guint i = 0; g->nodes && i < json_array_get_length (g->nodes); i++) {
    JsonObject *node = neff_node_object (json_array_get_element (g->nodes, i));
    const char *kelf = neff_string (neff_object (node, "attrs"), "kelf");
    if (kelf)
      return g_strdup (kelf);
  }
  return NULL;
}

nprof_status
neff_graph (Neff *n, char **kelf)
{
  const char *name
      = !neff_member (n, "neff.json") && neff_member (n, "kelp.json") ? "kelp.json" : "neff.json";
  g_autoptr (JsonNode) root = NULL;
  nprof_status status = neff_json (n, name, &root);
  if (!root)
    return status;
  JsonObject *o = json_node_get_object (root), *attrs = neff_object (o, "attrs");
  Graph g = { neff_array (o, "nodes"), neff_array (o, "node_row_ptr"), typed_list (attrs, "shape"),
              typed_list (attrs, "dltype") };
  add_inputs (n, &g, neff_array (o, "arg_nodes"));
  add_outputs (n, &g, neff_array (o, "heads"));
  *kelf = find_kelf (&g);
  return NPROF_OK;
}
