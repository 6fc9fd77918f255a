/* SPDX-License-Identifier: Apache-2.0 */
/* footer-schema.c - reads the tree of columns, and what values mean by LogicalType and
 * ConvertedType. */
#include "parquet/footer-schema.h"

#include <string.h>

#define MAX_DEPTH 32

void
pq_read_text (struct pq_reader *r, unsigned type, char **text)
{
  size_t len;
  const char *read = pq_read_binary (r, type, &len);
  g_free (*text);
  *text = g_utf8_make_valid (read, (gssize) len);
}

/* Reads a TimeUnit: the member of the union that is set. */
static int
read_unit (struct pq_reader *r)
{
  int16_t id;
  unsigned type;
  int set = 0;
  if (!pq_open_struct (r))
    return 0;
  while (pq_next_field (r, &id, &type)) {
    set = id;
    pq_skip (r, type);
  }
  return set;
}

/* Reads fields 1 and 2 of the struct of a member of LogicalType. */
static void
read_logical_member (PqNode *n, struct pq_reader *r)
{
  int16_t id;
  unsigned type;
  if (!pq_open_struct (r))
    return;
  while (pq_next_field (r, &id, &type)) {
    if (n->logical == PQ_L_DECIMAL && id == 1)
      n->scale = pq_read_int (r, type);
    else if (n->logical == PQ_L_DECIMAL && id == 2)
      n->precision = pq_read_int (r, type);
    else if (n->logical == PQ_L_INTEGER && id == 2)
      n->is_unsigned = !pq_read_int (r, type);
    else if ((n->logical == PQ_L_TIME || n->logical == PQ_L_TIMESTAMP) && id == 1)
      n->utc = pq_read_int (r, type) != 0;
    else if ((n->logical == PQ_L_TIME || n->logical == PQ_L_TIMESTAMP) && id == 2
             && type == PQ_T_STRUCT)
      n->unit = read_unit (r);
    else
      pq_skip (r, type);
  }
}

static void
read_logical (PqNode *n, struct pq_reader *r)
{
  int16_t id;
  unsigned type;
  if (!pq_open_struct (r))
    return;
  while (pq_next_field (r, &id, &type)) {
    n->logical = id;
    if (type == PQ_T_STRUCT)
      read_logical_member (n, r);
    else
      pq_skip (r, type);
  }
}

/* Converts a ConvertedType, which older writers have instead. */
static void
convert (PqNode *n, gint64 converted)
{
  static const struct {
    guint8 logical, unit, is_unsigned;
  } as[] = { { PQ_L_STRING, 0, 0 },
             { PQ_L_MAP, 0, 0 },
             { PQ_L_MAP, 0, 0 }, /* MAP_KEY_VALUE */
             { PQ_L_LIST, 0, 0 },
             { PQ_L_ENUM, 0, 0 },
             { PQ_L_DECIMAL, 0, 0 },
             { PQ_L_DATE, 0, 0 },
             { PQ_L_TIME, PQ_MILLIS, 0 },
             { PQ_L_TIME, PQ_MICROS, 0 },
             { PQ_L_TIMESTAMP, PQ_MILLIS, 0 },
             { PQ_L_TIMESTAMP, PQ_MICROS, 0 },
             { PQ_L_INTEGER, 0, 1 },
             { PQ_L_INTEGER, 0, 1 },
             { PQ_L_INTEGER, 0, 1 },
             { PQ_L_INTEGER, 0, 1 },
             { PQ_L_INTEGER, 0, 0 },
             { PQ_L_INTEGER, 0, 0 },
             { PQ_L_INTEGER, 0, 0 },
             { PQ_L_INTEGER, 0, 0 },
             { PQ_L_JSON, 0, 0 },
             { PQ_L_BSON, 0, 0 } };
  if (n->logical || converted < 0 || converted >= (gint64) G_N_ELEMENTS (as))
    return;
  n->logical = as[converted].logical;
  n->unit = as[converted].unit;
  n->is_unsigned = as[converted].is_unsigned;
  n->utc = n->logical == PQ_L_TIMESTAMP; /* as LogicalTypes.md has it */
}

static PqNode
read_node (struct pq_reader *r)
{
  PqNode n = { .type = -1 };
  gint64 converted = -1;
  int16_t id;
  unsigned type;
  if (!pq_open_struct (r))
    return n;
  while (pq_next_field (r, &id, &type)) {
    if (id == 1)
      n.type = (int) pq_read_int (r, type);
    else if (id == 2)
      n.length = pq_read_int (r, type);
    else if (id == 3)
      n.repetition = (int) pq_read_int (r, type);
    else if (id == 4)
      pq_read_text (r, type, &n.name);
    else if (id == 5)
      n.n_children = pq_read_int (r, type);
    else if (id == 6)
      converted = pq_read_int (r, type);
    else if (id == 7)
      n.scale = pq_read_int (r, type);
    else if (id == 8)
      n.precision = pq_read_int (r, type);
    else if (id == 10 && type == PQ_T_STRUCT)
      read_logical (&n, r);
    else
      pq_skip (r, type);
  }
  convert (&n, converted);
  return n;
}

/* Nodes come before their children, so `nodes` is the way to the next, and `left` how many children
 * each of them still has. */
typedef struct {
  guint nodes[MAX_DEPTH];
  gint64 left[MAX_DEPTH];
  guint depth;
} Way;

static PqNode *
node_at (PqFooter *footer, guint k)
{
  return &g_array_index (footer->nodes, PqNode, k);
}

/* Leaves the groups whose children have all been seen. */
static void
go_up (PqFooter *footer, Way *way)
{
  while (way->depth && way->left[way->depth - 1] == 0) {
    PqNode *done = node_at (footer, way->nodes[--way->depth]);
    done->next = footer->nodes->len;
    done->n_leaves = footer->leaves->len - done->leaf;
  }
}

static void
add_leaf (PqFooter *footer, const Way *way, guint node)
{
  const PqNode *n = node_at (footer, node);
  g_autoptr (GString) path = g_string_new (NULL);
  for (guint k = 1; k < way->depth; k++)
    g_string_append_printf (path, "%s.", node_at (footer, way->nodes[k])->name);
  PqLeaf leaf = { g_strconcat (path->str, n->name, NULL),
                  n->type,
                  n->length,
                  n->logical,
                  n->is_unsigned,
                  node,
                  n->max_def,
                  n->max_rep };
  g_array_append_val (footer->leaves, leaf);
}

/* Adds a node below the last one of the way. */
static gboolean
add_node (PqFooter *footer, Way *way, PqNode *n)
{
  go_up (footer, way);
  guint number = footer->nodes->len;
  if (!n->name || n->n_children < 0 || n->repetition < 0 || n->repetition > PQ_REPEATED
      || (number && !way->depth) || way->depth == MAX_DEPTH)
    return FALSE;
  if (way->depth) {
    way->left[way->depth - 1]--;
    n->parent = way->nodes[way->depth - 1];
    n->max_def = node_at (footer, n->parent)->max_def + (n->repetition != PQ_REQUIRED);
    n->max_rep = node_at (footer, n->parent)->max_rep + (n->repetition == PQ_REPEATED);
  }
  n->leaf = footer->leaves->len;
  n->next = number + 1;
  n->n_leaves = !n->n_children;
  g_array_append_val (footer->nodes, *n);
  n->name = NULL;
  if (!number || n->n_children) {
    way->left[way->depth] = n->n_children;
    way->nodes[way->depth++] = number;
  } else
    add_leaf (footer, way, number);
  return TRUE;
}

void
pq_read_schema (PqFooter *footer, struct pq_reader *r, unsigned type)
{
  unsigned element;
  size_t n = pq_read_list (r, type, &element);
  Way way = { .depth = 0 };
  for (size_t k = 0; k < n && !r->failed; k++) {
    PqNode node = read_node (r);
    if (!k)
      node.repetition = PQ_REQUIRED; /* the root has none, whatever is said */
    if (!r->failed && !add_node (footer, &way, &node))
      r->failed = true;
    g_free (node.name);
  }
  go_up (footer, &way);
  r->failed |= way.depth > 0; /* children are missing */
}
