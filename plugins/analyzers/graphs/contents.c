/* SPDX-License-Identifier: Apache-2.0 */
/* contents.c - writes what one launch of each graph runs, by family.  Replays of a graph run the
 * same kernels, so the sums of all are divided by their number. */
#include "write.h"

#include <string.h>

NPROF_TABLE (graph_contents, "What a graph runs",
             "by family; kernels and mean of one replay, busy of all.", GRAPH_CONTENTS)

enum { CONTENT_GRAPH, CONTENT_FAMILY, CONTENT_WORDS };

typedef struct {
  const Replay *one;
  gint64 replays, busy;
} Whole;

typedef struct {
  const Graphs *g;
  Whole *graphs;   /* as Replay.graph counts them */
  AnKeyTable keys; /* CONTENT_WORDS */
  GArray *sums;    /* of Sum */
} Contents;

static guint
sum_up (Contents *c)
{
  const Graphs *g = c->g;
  guint n = 0;
  for (guint i = 0; i < g->replays->len; i++) {
    const Replay *r = &g_array_index (g->replays, Replay, i);
    Whole *whole = &c->graphs[r->graph];
    whole->one = r;
    whole->replays++;
    whole->busy += r->busy;
  }
  for (guint i = 0; i < g->content_sums->len; i++) {
    const guint32 *of = an_key_table_key (&g->content_keys, i);
    const Sum *sum = &g_array_index (g->content_sums, Sum, i);
    const guint32 key[CONTENT_WORDS]
        = { g_array_index (g->replays, Replay, of[CONTENT_GRAPH]).graph, of[CONTENT_FAMILY] };
    const guint at = an_key_table_get (&c->keys, key);
    n = MAX (n, at + 1);
    g_array_set_size (c->sums, n);
    g_array_index (c->sums, Sum, at).kernels += sum->kernels;
    g_array_index (c->sums, Sum, at).busy += sum->busy;
  }
  return n;
}

/* Sorts by graph, most time first. */
static int
by_graph_and_time (gconstpointer a, gconstpointer b, gpointer user)
{
  const Contents *c = user;
  const guint i = *(const guint *) a, j = *(const guint *) b;
  const guint32 *x = an_key_table_key (&c->keys, i), *y = an_key_table_key (&c->keys, j);
  const gint64 m = g_array_index (c->sums, Sum, i).busy, n = g_array_index (c->sums, Sum, j).busy;
  if (x[CONTENT_GRAPH] != y[CONTENT_GRAPH])
    return x[CONTENT_GRAPH] < y[CONTENT_GRAPH] ? -1 : 1;
  if (m != n)
    return m > n ? -1 : 1;
  return strcmp (nprof_text (c->g->host, x[CONTENT_FAMILY]),
                 nprof_text (c->g->host, y[CONTENT_FAMILY]));
}

static nprof_status
write_content (const Contents *c, guint i)
{
  const struct nprof_host *h = c->g->host;
  const guint32 *key = an_key_table_key (&c->keys, i);
  const Sum *sum = &g_array_index (c->sums, Sum, i);
  const Whole *whole = &c->graphs[key[CONTENT_GRAPH]];
  const Device *d = graphs_device (c->g, whole->one->device);
  g_autofree char *name = graphs_name (whole->one);
  const struct graph_contents_row row = {
    .device = nprof_any_str (d->label),
    .graph = nprof_any_str (nprof_intern (h, name)),
    .number = nprof_some_int (whole->one->number),
    .family = nprof_any_str (key[CONTENT_FAMILY]),
    .kernels = nprof_some_int ((gint64) sum->kernels / whole->replays),
    .mean = nprof_some_int (sum->busy / whole->replays),
    .busy = nprof_some_int (sum->busy),
    .share = nprof_double_if (whole->busy, (double) sum->busy / (double) whole->busy),
  };
  return h->row (h, &graph_contents_table,
                 graph_contents_cells (graphs_input_cell (c->g, d), &row).cells);
}

nprof_status
contents_write (const Graphs *g)
{
  g_autofree Whole *graphs = g_new0 (Whole, g->replays->len);
  g_autoptr (GArray) sums = g_array_new (FALSE, TRUE, sizeof (Sum));
  Contents c = { .g = g, .graphs = graphs, .sums = sums };
  an_key_table_init (&c.keys, CONTENT_WORDS);
  const guint n = sum_up (&c);
  g_autofree guint *order = g_new (guint, n + 1);
  for (guint i = 0; i < n; i++)
    order[i] = i;
  g_qsort_with_data (order, (gint) n, sizeof *order, by_graph_and_time, &c);
  nprof_status status = g->host->table (g->host, &graph_contents_table);
  for (guint i = 0; i < n && !status; i++)
    status = write_content (&c, order[i]);
  an_key_table_clear (&c.keys);
  return status;
}
