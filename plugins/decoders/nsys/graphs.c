/* SPDX-License-Identifier: Apache-2.0 */
/* graphs.c - gives work of graph replays the ranges of NVTX in which its nodes were created.  A
 * node that ran is a clone; the rows of clones lead back to the node that the program made, whose
 * row has the moment and the thread.  source: CUDA_GRAPH_NODE_EVENTS as the layer-wise benchmarks
 * of TensorRT-LLM read it */
#include "nsys.h"
#include "profile/graph-keys.h"
#include "profile/graph-match.h"

#define NODES "CUDA_GRAPH_NODE_EVENTS"
#define MOST_CLONES 64      /* of clones; beyond, they form a circle */
#define MOST_RANGES 1000u   /* one within the other */
#define LONGEST_LAYER 4096u /* bytes; what follows is "..." */

/* Of a node or of a launch: a process counts them apart. */
typedef struct {
  gint64 process, id;
} Key;

typedef struct {
  Key key; /* process and correlation of the launch */
  gint64 start;
  guint work;
  guint number;      /* by start */
  nprof_str unknown; /* what an unknown operator of it is called */
} Replay;

typedef struct {
  Key key;
  gint64 start, thread;
  gint64 original;           /* 0: the program made it */
  nprof_str operator, layer; /* 0: none lay around its creation */
  guint32 call;              /* which call of the operator, from 1 */
} Node;

struct NsGraphs {
  GHashTable *replays, *nodes; /* of Replay, of Node: each is its key */
  nprof_str key_operator, key_match, key_replay, key_call, key_layer;
  nprof_str node, none; /* words of graph_match */
};

static guint
key_hash (gconstpointer key)
{
  const Key *k = key;
  return g_int64_hash (&k->process) * 31 + g_int64_hash (&k->id);
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  const Key *x = a, *y = b;
  return x->process == y->process && x->id == y->id;
}

void
ns_graphs_free (NsGraphs *g)
{
  if (!g)
    return;
  g_hash_table_unref (g->replays);
  g_hash_table_unref (g->nodes);
  g_free (g);
}

static int
order_of (gint64 a, gint64 b)
{
  return (a > b) - (a < b);
}

/* Returns them in no order; transfer container. */
static GPtrArray *
values_of (GHashTable *table)
{
  GPtrArray *values = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer value;
  g_hash_table_iter_init (&iter, table);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    g_ptr_array_add (values, value);
  return values;
}

/* -- Replays ----------------------------------------------------------------------------------- */

static void
count_work (NsGraphs *g, const Key *key, gint64 start)
{
  Replay *r = g_hash_table_lookup (g->replays, key);
  if (!r) {
    r = g_new0 (Replay, 1);
    *r = (Replay){ .key = *key, .start = start };
    g_hash_table_add (g->replays, r);
  }
  r->work++;
  r->start = MIN (r->start, start);
}

static nprof_status
count_table (Nsys *self, const char *table)
{
  NsRows rows;
  nprof_status status = ns_rows_begin (self, table, &rows);
  if (status)
    return status;
  const int start = ns_column (&rows, "start"), process = ns_column (&rows, "globalPid");
  const int correlation = ns_column (&rows, "correlationId");
  const int node = ns_column (&rows, "graphNodeId");
  Key key = { 0 };
  gint64 at, id;
  while (node >= 0 && !status && ns_rows_next (&rows, &status))
    if (ns_int (&rows, node, &id) && id && ns_int (&rows, start, &at)
        && ns_int (&rows, correlation, &key.id)) {
      ns_int (&rows, process, &key.process);
      count_work (self->graphs, &key, at);
    }
  ns_rows_end_again (&rows);
  return status;
}

static int
by_start (gconstpointer a, gconstpointer b)
{
  const Replay *x = *(const Replay *const *) a, *y = *(const Replay *const *) b;
  int order = order_of (x->start, y->start);
  if (!order)
    order = order_of (x->key.process, y->key.process);
  return order ? order : order_of (x->key.id, y->key.id);
}

static void
number_replays (const Nsys *self)
{
  g_autoptr (GPtrArray) replays = values_of (self->graphs->replays);
  g_ptr_array_sort (replays, by_start);
  for (guint i = 0; i < replays->len; i++) {
    Replay *r = g_ptr_array_index (replays, i);
    g_autofree char *unknown = g_strdup_printf (GRAPH_UNKNOWN "%u)", r->work);
    r->number = i;
    r->unknown = nprof_intern (self->host, unknown);
  }
}

static nprof_status
find_replays (Nsys *self)
{
  static const char *const tables[] = { "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY",
                                        "CUPTI_ACTIVITY_KIND_MEMSET" };
  nprof_status status = NPROF_OK;
  for (gsize i = 0; i < G_N_ELEMENTS (tables) && !status; i++)
    if (ns_has (self, tables[i]))
      status = count_table (self, tables[i]);
  number_replays (self);
  return status;
}

/* -- Nodes ------------------------------------------------------------------------------------- */

/* Keeps a row that leads on to another node, else the first. */
static void
take_node (NsGraphs *g, const Node *node)
{
  Node *known = g_hash_table_lookup (g->nodes, &node->key);
  if (!known)
    g_hash_table_add (g->nodes, g_memdup2 (node, sizeof *node));
  else if (!known->original && (node->original || node->start < known->start))
    *known = *node;
}

static nprof_status
read_nodes (Nsys *self)
{
  NsRows rows;
  nprof_status status = ns_rows_begin (self, NODES, &rows);
  if (status)
    return status;
  const int start = ns_column (&rows, "start"), thread = ns_column (&rows, "globalTid");
  const int id = ns_column (&rows, "graphNodeId");
  const int original = ns_column (&rows, "originalGraphNodeId");
  while (ns_rows_next (&rows, &status)) {
    Node node = { 0 };
    if (!ns_int (&rows, id, &node.key.id) || !ns_int (&rows, start, &node.start)
        || !ns_int (&rows, thread, &node.thread))
      continue;
    node.key.process = NS_PROCESS (node.thread);
    ns_int (&rows, original, &node.original);
    take_node (self->graphs, &node);
  }
  ns_rows_end_again (&rows);
  return status;
}

/* Returns the node that the program made; NULL: the file does not lead there. */
static const Node *
made_of (const NsGraphs *g, gint64 process, gint64 id)
{
  Key key = { process, id };
  for (guint i = 0; i < MOST_CLONES; i++) {
    const Node *node = g_hash_table_lookup (g->nodes, &key);
    if (!node || !node->original)
      return node;
    key.id = node->original;
  }
  return NULL;
}

/* -- Ranges around them ------------------------------------------------------------------------ */

static int
by_thread (gconstpointer a, gconstpointer b)
{
  const NsRange *x = a, *y = b;
  int order = order_of (x->thread, y->thread);
  if (!order)
    order = order_of (x->start, y->start);
  return order ? order : order_of (y->end, x->end);
}

static int
by_creation (gconstpointer a, gconstpointer b)
{
  const Node *x = *(const Node *const *) a, *y = *(const Node *const *) b;
  int order = order_of (x->thread, y->thread);
  if (!order)
    order = order_of (x->start, y->start);
  return order ? order : order_of (x->key.id, y->key.id);
}

static void
describe (const Nsys *self, Node *node, const GArray *ranges, const GArray *stack)
{
  const NsRange *innermost = NULL;
  g_autoptr (GString) layer = g_string_new (NULL);
  for (guint i = 0; i < stack->len; i++) {
    const NsRange *r = &g_array_index (ranges, NsRange, g_array_index (stack, guint, i));
    if (r->end < node->start)
      continue;
    if (r->is_operator)
      innermost = r;
    else if (layer->len < LONGEST_LAYER)
      g_string_append_printf (layer, "%s%s", layer->len ? "/" : "",
                              nprof_text (self->host, r->name));
  }
  if (innermost) {
    node->operator= innermost->name;
    node->call = (guint32) (innermost - &g_array_index (ranges, NsRange, 0)) + 1;
  }
  if (layer->len >= LONGEST_LAYER) {
    g_string_truncate (layer, LONGEST_LAYER);
    g_autofree char *valid = g_utf8_make_valid (layer->str, -1);
    g_string_printf (layer, "%s...", valid);
  }
  node->layer = layer->len ? nprof_intern (self->host, layer->str) : 0;
}

/* Lets go of the ranges of a stack that ended before a moment. */
static void
unwind (GArray *stack, const GArray *ranges, gint64 at)
{
  while (stack->len) {
    const guint top = g_array_index (stack, guint, stack->len - 1);
    if (g_array_index (ranges, NsRange, top).end > at)
      return;
    g_array_set_size (stack, stack->len - 1);
  }
}

/* ranges: by thread and start, the outer ones first. */
static void
describe_nodes (const Nsys *self, const GArray *ranges)
{
  g_autoptr (GPtrArray) nodes = values_of (self->graphs->nodes);
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint));
  gint64 thread = 0;
  bool is_deep = false;
  g_ptr_array_sort (nodes, by_creation);
  for (guint i = 0, at = 0; i < nodes->len; i++) {
    Node *node = g_ptr_array_index (nodes, i);
    for (; at < ranges->len; at++) {
      const NsRange *r = &g_array_index (ranges, NsRange, at);
      if (r->thread > node->thread || (r->thread == node->thread && r->start > node->start))
        break;
      if (r->thread != node->thread)
        continue;
      if (thread != r->thread)
        g_array_set_size (stack, 0);
      thread = r->thread;
      unwind (stack, ranges, r->start);
      if (stack->len < MOST_RANGES)
        g_array_append_val (stack, at);
      else
        is_deep = true;
    }
    if (thread == node->thread)
      describe (self, node, ranges, stack);
  }
  if (is_deep)
    nprof_log (self->host, NPROF_WARNING,
               "more than %u ranges of NVTX lie one within the other: nodes of graphs have the "
               "outer ones",
               MOST_RANGES);
}

/* -- Together ---------------------------------------------------------------------------------- */

/* A recorder that was not asked for nodes has a row for each replay, and nothing of its kernels. */
static nprof_status
say_whole_graphs (Nsys *self)
{
  NsRows rows;
  nprof_status status = ns_rows_begin (self, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", &rows);
  const bool any = !status && ns_rows_next (&rows, &status);
  ns_rows_end (&rows);
  if (any)
    nprof_log (self->host, NPROF_WARNING,
               "replays of graphs are here without their kernels: record with "
               "nsys profile --cuda-graph-trace=node");
  return status;
}

static NsGraphs *
graphs_new (const struct nprof_host *h)
{
  NsGraphs *g = g_new0 (NsGraphs, 1);
  g->replays = g_hash_table_new_full (key_hash, key_equal, g_free, NULL);
  g->nodes = g_hash_table_new_full (key_hash, key_equal, g_free, NULL);
  g->key_operator = nprof_intern (h, GRAPH_KEY_OPERATOR);
  g->key_match = nprof_intern (h, GRAPH_KEY_MATCH);
  g->key_replay = nprof_intern (h, GRAPH_KEY_REPLAY);
  g->key_call = nprof_intern (h, GRAPH_KEY_CALL);
  g->key_layer = nprof_intern (h, NPROF_KEY_LAYER);
  g->node = nprof_intern (h, graph_match_word (GRAPH_NODE));
  g->none = nprof_intern (h, graph_match_word (GRAPH_NONE));
  return g;
}

nprof_status
ns_graphs_load (Nsys *self)
{
  nprof_status status = NPROF_OK;
  if (!self->host->wanted (self->host, GRAPH_KEY_OPERATOR))
    return status;
  self->graphs = graphs_new (self->host);
  if (ns_has (self, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"))
    status = say_whole_graphs (self);
  if (!status)
    status = find_replays (self);
  if (status || !g_hash_table_size (self->graphs->replays) || !ns_has (self, NODES))
    return status;
  status = read_nodes (self);
  if (status || !ns_has (self, "NVTX_EVENTS"))
    return status;
  g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (NsRange));
  status = ns_ranges_read (self, ranges);
  g_array_sort (ranges, by_thread);
  describe_nodes (self, ranges);
  return status;
}

nprof_status
ns_graph_of (Nsys *self, gint64 process, gint64 id, gint64 correlation)
{
  const NsGraphs *g = self->graphs;
  struct nprof_writer *w = self->w;
  const Key launch = { process, correlation };
  const Replay *replay = g && id ? g_hash_table_lookup (g->replays, &launch) : NULL;
  if (!replay)
    return NPROF_OK;
  const Node *node = made_of (g, process, id);
  const bool has_operator = node && node->operator;
  nprof_status status
      = nprof_attr_str (w, g->key_operator, has_operator ? node->operator: replay->unknown);
  if (!status)
    status = nprof_attr_str (w, g->key_match, node ? g->node : g->none);
  if (!status)
    status = nprof_attr_int (w, g->key_replay, replay->number);
  if (!status && node && node->layer)
    status = nprof_attr_str (w, g->key_layer, node->layer);
  if (!status && has_operator)
    status = nprof_attr_uint (w, g->key_call, ((guint64) replay->number + 1) << 32 | node->call);
  return status;
}
