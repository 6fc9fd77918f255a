/* SPDX-License-Identifier: Apache-2.0 */
/* predecessors.c - draws an arrow from each predecessor that an instruction names: at the end,
 * since a predecessor may follow its successor in the file. */
#include "tools.h"

#include <nprof/keys.h>

typedef struct {
  nprof_track track;
  int64_t start;
  uint64_t span; /* id of the row: the byte where its record begins */
  bool twice;    /* another instruction has the same id             */
} Place;

typedef struct {
  uint64_t from; /* the vendor's id                                 */
  Place to;
  nprof_str type; /* as the vendor says: FLOW_DEPENDENCE, ORDERED, ... */
  const char *at;
} Edge;

struct NtEdges {
  GHashTable *places; /* of Place, by the vendor's id */
  GArray *edges;      /* of Edge */
};

/* Reads an unsigned 64-bit id; 0: none. */
static uint64_t
id_of (const TeValue *v)
{
  uint64_t id = 0;
  if (!v || (v->kind != TE_INT && v->kind != TE_WORD && v->kind != TE_TEXT) || !v->len)
    return 0;
  for (size_t i = 0; i < v->len; i++)
    if (!g_ascii_isdigit (v->p[i]) || __builtin_mul_overflow (id, 10, &id)
        || __builtin_add_overflow (id, (uint64_t) (v->p[i] - '0'), &id))
      return 0;
  return id;
}

static void
add_edges (Nt *t, const TeValue *list, const Place *to)
{
  const char *p = list->p + 1;
  while (nt_next (t, &p, ']')) {
    const char *at = p;
    p = *at == '{' ? nt_record (t, at, &t->inner) : NULL;
    if (!p)
      return;
    const TeValue *type = nt_see (&t->inner, NT_K_TYPE);
    const Edge edge = { id_of (nt_see (&t->inner, NT_K_ID)), *to,
                        type && type->kind == TE_TEXT ? nt_text (t, type)
                                                      : nt_literal (t, "dependency"),
                        at };
    g_array_append_val (t->edges->edges, edge);
  }
}

void
nt_predecessors (Nt *t, const NtRecord *r, nprof_track track, int64_t start)
{
  uint64_t id = id_of (nt_see (r, NT_K_ID));
  const TeValue *list = nt_see (r, NT_K_PREDECESSORS);
  const Place place = { .track = track, .start = start, .span = nt_byte (t, r->at) };
  if (!t->edges) {
    t->edges = g_new0 (NtEdges, 1);
    t->edges->places = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
    t->edges->edges = g_array_new (FALSE, FALSE, sizeof (Edge));
  }
  nprof_set_id (t->w, place.span);
  Place *known = id ? g_hash_table_lookup (t->edges->places, &id) : NULL;
  if (known)
    known->twice = true;
  else if (id)
    g_hash_table_insert (t->edges->places, g_memdup2 (&id, sizeof id),
                         g_memdup2 (&place, sizeof place));
  if (list && list->kind == TE_ARRAY)
    add_edges (t, list, &place);
}

static nprof_status
end_row (Nt *t, const Edge *edge, const Place *place, uint64_t flow, const char *phase)
{
  nprof_status status = nprof_row (t->w, NPROF_FLOW, place->track, edge->type, place->start, 0);
  if (status)
    return status;
  nprof_set_category (t->w, nt_literal (t, "predecessor"));
  nprof_set_flow (t->w, flow);
  nprof_set_parent (t->w, place->span);
  return nprof_attr_str (t->w, nt_literal (t, NPROF_KEY_FLOW_PHASE), nt_literal (t, phase));
}

nprof_status
nt_draw_edges (Nt *t)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; t->edges && i < t->edges->edges->len && !status; i++) {
    const Edge *edge = &g_array_index (t->edges->edges, Edge, i);
    const Place *from = g_hash_table_lookup (t->edges->places, &edge->from);
    if (!from || from->twice) {
      nt_skip_record (t, edge->at, "predecessor",
                      from ? "several instructions have that id"
                           : "no instruction of that id is in the file");
      continue;
    }
    status = end_row (t, edge, from, i + 1, "begin");
    status = status ? status : end_row (t, edge, &edge->to, i + 1, "end");
  }
  return status;
}

void
nt_edges_free (NtEdges *edges)
{
  if (!edges)
    return;
  g_hash_table_unref (edges->places);
  g_array_unref (edges->edges);
  g_free (edges);
}
