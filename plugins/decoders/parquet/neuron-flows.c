/* SPDX-License-Identifier: Apache-2.0 */
/* neuron-flows.c - reads table Flow of Neuron Explorer, and puts the ends of flows behind the rows
 * that they are bound to. */
#include "neuron.h"

typedef struct {
  Parquet *p;
  guint64 n;
} Flows;

static void
add_end (Parquet *p, const Value *id, const Value *table, guint64 flow, nprof_str family,
         gboolean begins)
{
  FlowEnd e = { source_id (neuron_id_of_table (table->text.data, table->text.len), id->bits),
                source_id (neuron_id_of_flows (), flow), family, begins };
  g_array_append_val (p->flows, e);
}

/* The columns are in_id, in_table, out_id, out_table, dependency_type. */
static gboolean
take_flow (void *user, const Value *v, const gboolean *has)
{
  Flows *f = user;
  const struct nprof_host *h = f->p->host;
  nprof_str family
      = has[4] ? h->intern (h, v[4].text.data, v[4].text.len) : nprof_intern (h, "flow");
  f->n++;
  if (!has[0] || !has[1] || !has[2] || !has[3])
    return TRUE;
  add_end (f->p, &v[0], &v[1], f->n, family, TRUE);
  add_end (f->p, &v[2], &v[3], f->n, family, FALSE);
  return TRUE;
}

static int
by_bound (gconstpointer a, gconstpointer b)
{
  const FlowEnd *x = a, *y = b;
  return x->bound != y->bound ? (x->bound > y->bound) - (x->bound < y->bound)
                              : (x->flow > y->flow) - (x->flow < y->flow);
}

nprof_status
neuron_read_flows (Parquet *p, Source *s, guint64 *n)
{
  static const char *const columns[]
      = { "in_id", "in_table", "out_id", "out_table", "dependency_type" };
  static const guint8 texts[] = { 0, 1, 0, 1, 1 };
  Flows f = { p, *n };
  if (!p->flows)
    p->flows = g_array_new (FALSE, FALSE, sizeof (FlowEnd));
  for (gsize k = 0; k < G_N_ELEMENTS (columns); k++) {
    guint node = source_find (s, columns[k]);
    const PqNode *c = pq_node (s->footer, node);
    if (!node || c->n_children || c->repetition == PQ_REPEATED
        || (c->type == PQ_BYTE_ARRAY) != texts[k]
        || (!texts[k] && c->type != PQ_INT64 && c->type != PQ_INT32)) {
      p->host->skip (p->host, "table Flow", 0, "its columns are not those of schema 7.4.0");
      return NPROF_OK;
    }
    source_add (s, node, FIELD_ATTRIBUTE);
  }
  nprof_status status = table_each (p, s, take_flow, &f);
  *n = f.n;
  return status;
}

void
neuron_sort_flows (Parquet *p)
{
  if (p->flows)
    g_array_sort (p->flows, by_bound);
}

/* -- The ends of a slice of rows --------------------------------------------------------------- */

typedef struct { /* an end, at the row that it is bound to */
  FlowEnd end;
  gint64 at;
  guint64 id;
  nprof_track track;
} Bound;

nprof_status
neuron_flows (Rows *r)
{
  const struct nprof_writer *w = r->w;
  const GArray *flows = r->p->flows;
  for (guint i = r->first; r->by[FIELD_ID] >= 0 && i < w->n_rows; i++) {
    guint low = 0, high = flows->len;
    while (low < high) {
      guint middle = low + (high - low) / 2;
      if (g_array_index (flows, FlowEnd, middle).bound < w->id[i])
        low = middle + 1;
      else
        high = middle;
    }
    for (; low < flows->len && g_array_index (flows, FlowEnd, low).bound == w->id[i]; low++) {
      Bound b = { g_array_index (flows, FlowEnd, low), w->start[i], w->id[i], w->track[i] };
      if (b.end.begins)
        b.at += MAX (w->duration[i], 0);
      if (!r->ends)
        r->ends = g_array_new (FALSE, FALSE, sizeof (Bound));
      g_array_append_val (r->ends, b);
    }
  }
  return NPROF_OK;
}

nprof_status
neuron_put_ends (Rows *r)
{
  const Parquet *p = r->p;
  nprof_status status = NPROF_OK;
  for (guint k = 0; k < r->ends->len && !status; k++) {
    const Bound *b = &g_array_index (r->ends, Bound, k);
    status = nprof_row (r->w, NPROF_FLOW, b->track, b->end.family, b->at, 0);
    if (status)
      return status;
    nprof_set_category (r->w, b->end.family);
    nprof_set_flow (r->w, b->end.flow);
    nprof_set_parent (r->w, b->id);
    status = nprof_attr_str (r->w, p->flow_phase, b->end.begins ? p->begin : p->ends);
  }
  return status;
}
