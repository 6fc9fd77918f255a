/* SPDX-License-Identifier: Apache-2.0 */
/* predecessors.c - draws an arrow from each instruction that the compiler's debug info lists
 * as one that another depends on to that one: the predecessors that the vendor's tool prints
 * (docs/vendor-guides.md, A25).  One instruction of the compiler may be several that run, as a load
 * of weights and a multiplication: each of them has an arrow to each. */
#include "file.h"

#include "../common/debug.h"

#define MOST_ARROWS 4194304 /* of a file */

static const char *const type_names[]
    = { "dependency", "ORDERED", "ANTI_DEPENDENCE", "OUTPUT_DEPENDENCE", "FLOW_DEPENDENCE" };

typedef struct {
  uint64_t at; /* the id of its row */
  int64_t start;
  nprof_track track;
} Place;

/* This is an instruction of the compiler that ran. */
typedef struct {
  NtffMade made;
  GArray *places; /* of Place                        */
  bool again;     /* a slot of it ran several times  */
} Ran;

typedef struct {
  NtffCompiled *compiled;
  bool read;
  GPtrArray *ran;    /* of Ran, in the order in which they were seen */
  GHashTable *by_id; /* the same, by the compiler's id               */
  GHashTable *slots; /* engines and slots that ran                   */
} Graph;

struct NtffPredecessors {
  GArray *graphs; /* of Graph */
  uint64_t flows;
};

/* -- What ran ---------------------------------------------------------------------------------- */

static void
ran_free (gpointer data)
{
  Ran *ran = data;
  g_array_unref (ran->places);
  g_free (ran);
}

static void
graph_clear (gpointer data)
{
  Graph *graph = data;
  g_clear_pointer (&graph->compiled, ntff_compiled_free);
  g_clear_pointer (&graph->ran, g_ptr_array_unref);
  g_clear_pointer (&graph->by_id, g_hash_table_unref);
  g_clear_pointer (&graph->slots, g_hash_table_unref);
}

void
ntff_predecessors_free (NtffPredecessors *p)
{
  if (!p)
    return;
  g_array_unref (p->graphs);
  g_free (p);
}

static Graph *
graph_of (NtffWalk *w, uint32_t number)
{
  if (!w->predecessors) {
    w->predecessors = g_new0 (NtffPredecessors, 1);
    w->predecessors->graphs = g_array_new (FALSE, TRUE, sizeof (Graph));
    g_array_set_clear_func (w->predecessors->graphs, graph_clear);
    g_array_set_size (w->predecessors->graphs, w->f->graphs->len);
  }
  Graph *graph = &g_array_index (w->predecessors->graphs, Graph, number);
  if (graph->read)
    return graph;
  graph->read = true;
  graph->compiled = ntff_compiled_new (w->n, ntff_graph (w->f, number));
  graph->ran = g_ptr_array_new_with_free_func (ran_free);
  graph->by_id = g_hash_table_new (g_int64_hash, g_int64_equal);
  graph->slots = g_hash_table_new (NULL, NULL);
  return graph;
}

static Ran *
ran_of (Graph *graph, const NtffMade *made)
{
  Ran *ran = g_hash_table_lookup (graph->by_id, &made->instruction->id);
  if (ran)
    return ran;
  ran = g_new0 (Ran, 1);
  ran->made = *made;
  ran->places = g_array_new (FALSE, FALSE, sizeof (Place));
  g_ptr_array_add (graph->ran, ran);
  g_hash_table_insert (graph->by_id, (gpointer) &made->instruction->id, ran);
  return ran;
}

bool
ntff_see_predecessors (NtffWalk *w, uint32_t graph, nprof_track track, const NtffInstruction *i)
{
  Graph *g = graph_of (w, graph);
  NtffMade made;
  if (!ntff_compiled_find (g->compiled, i->engine, i->slot, &made))
    return false;
  Ran *ran = ran_of (g, &made);
  const Place place = { i->at, i->start, track };
  g_array_append_val (ran->places, place);
  ran->again |= !g_hash_table_add (g->slots, GUINT_TO_POINTER ((i->slot << 3 | i->engine) + 1));
  return made.instruction->n_before > 0;
}

guint
ntff_kind_of (NtffWalk *w, uint32_t graph, const NtffInstruction *i)
{
  NtffMade made;
  return ntff_compiled_find (graph_of (w, graph)->compiled, i->engine, i->slot, &made)
             ? made.instruction->type
             : 0;
}

/* -- Arrows ------------------------------------------------------------------------------------ */

static nprof_status
end_row (const NtffWalk *w, const Place *place, const char *name, nprof_str phase)
{
  Ntff *n = w->n;
  nprof_status status = nprof_row (n->w, NPROF_FLOW, place->track, nprof_intern (n->host, name),
                                   place->start - w->origin, 0);
  if (status)
    return status;
  nprof_set_category (n->w, nprof_intern (n->host, "predecessor"));
  nprof_set_flow (n->w, NTFF_PREDECESSORS + w->predecessors->flows);
  nprof_set_parent (n->w, place->at);
  return nprof_attr_str (n->w, n->key_phase, phase);
}

static nprof_status
draw (NtffWalk *w, const Ran *from, const Ran *to, const char *name)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < from->places->len; i++)
    for (guint k = 0; k < to->places->len && !status; k++) {
      w->predecessors->flows++;
      status = end_row (w, &g_array_index (from->places, Place, i), name, w->n->phase_begin);
      status = status ? status
                      : end_row (w, &g_array_index (to->places, Place, k), name, w->n->phase_end);
    }
  return status;
}

/* Returns NULL, or why an arrow cannot be drawn. */
static const char *
against (const NtffWalk *w, const Ran *from, const Ran *to)
{
  if (!from)
    return "no instruction of it ran";
  if (from->again || to->again)
    return "its instructions ran several times, and nothing says which time it was";
  if (w->predecessors->flows + (uint64_t) from->places->len * to->places->len > MOST_ARROWS)
    return "there are more than " G_STRINGIFY (MOST_ARROWS);
  return NULL;
}

static nprof_status
draw_ran (NtffWalk *w, const Graph *graph, const Ran *to)
{
  const DebugInstruction *in = to->made.instruction;
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < in->n_before && !status; i++) {
    const DebugPredecessor *one
        = &g_array_index (to->made.file->before, DebugPredecessor, in->first_before + i);
    uint64_t key = one->id << 3 | one->type;
    if (!g_hash_table_add (seen, g_memdup2 (&key, sizeof key)))
      continue;
    const Ran *from = g_hash_table_lookup (graph->by_id, &one->id);
    const char *why = against (w, from, to);
    if (why)
      w->n->host->skip (w->n->host, "predecessor", g_array_index (to->places, Place, 0).at, why);
    else
      status = draw (w, from, to, type_names[one->type]);
  }
  return status;
}

nprof_status
ntff_draw_predecessors (NtffWalk *w)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; w->predecessors && i < w->predecessors->graphs->len; i++) {
    const Graph *graph = &g_array_index (w->predecessors->graphs, Graph, i);
    for (guint k = 0; graph->ran && k < graph->ran->len && !status; k++)
      status = draw_ran (w, graph, g_ptr_array_index (graph->ran, k));
  }
  return status;
}
