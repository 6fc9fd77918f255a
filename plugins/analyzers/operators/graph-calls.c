/* SPDX-License-Identifier: Apache-2.0 */
/* graph-calls.c - gives kernels of graph replays to the calls of operators that they state: each
 * call of each replay counts once, and its flops and bytes, however many kernels it has. */
#include "operators.h"

#include "devicekit/bytes.h"

/* So many calls are remembered: kernels of one follow each other closely. */
#define CALLS 65536u

typedef struct {
  guint64 id;
  guint32 input, number; /* of the product; 0: it is none */
} GraphCall;

static guint
call_hash (gconstpointer call)
{
  const GraphCall *c = call;
  return (guint) (c->id * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) >> 32) + c->input;
}

static gboolean
call_equal (gconstpointer a, gconstpointer b)
{
  const GraphCall *x = a, *y = b;
  return x->id == y->id && x->input == y->input;
}

static GHashTable *
table_new (void)
{
  return g_hash_table_new_full (call_hash, call_equal, g_free, NULL);
}

void
graph_calls_init (Operators *self)
{
  GraphCalls *g = &self->graph_calls;
  g->keys = an_graph_keys (self->host);
  g->young = table_new ();
  g->old = table_new ();
  an_key_table_init (&g->operators, 2);
  g->counts = np_large_array_new (sizeof (guint64));
  g->devices = g_byte_array_new ();
}

void
graph_calls_clear (Operators *self)
{
  GraphCalls *g = &self->graph_calls;
  g_clear_pointer (&g->young, g_hash_table_unref);
  g_clear_pointer (&g->old, g_hash_table_unref);
  g_clear_pointer (&g->counts, np_large_array_free);
  g_clear_pointer (&g->devices, g_byte_array_unref);
  an_key_table_clear (&g->operators);
}

static void
count (GraphCalls *g, nprof_track device, nprof_str operator)
{
  guint number = an_key_table_get (&g->operators, (const guint32[]){ device, operator });
  if (number == g->counts->len)
    np_large_array_extend (g->counts, number + 1);
  g_array_index (g->counts, guint64, number)++;
}

guint64
graph_calls_of (Operators *self, nprof_track device, nprof_str operator)
{
  GraphCalls *g = &self->graph_calls;
  guint before = g->operators.n,
        number = an_key_table_get (&g->operators, (const guint32[]){ device, operator });
  if (number == before)
    np_large_array_extend (g->counts, number + 1);
  return g_array_index (g->counts, guint64, number);
}

/* Begins a product as if its call were on the thread of the replay's launch. */
static guint32
begin (Operators *self, uint32_t input, const AnGraphRow *row, const AnLaunchSite *launch)
{
  const AnHostSpan span = { .start = launch->start,
                            .end = launch->start,
                            .thread = launch->thread,
                            .name = row->operator,
                            .input = input,
                            .shape = row->shape,
                            .replay = launch };
  guint32 number = products_begin (self, &span, 0);
  if (number)
    products_end (self, number);
  return number;
}

static const GraphCall *
call_of (Operators *self, uint32_t input, nprof_track device, const AnGraphRow *row,
         const AnLaunchSite *launch)
{
  GraphCalls *g = &self->graph_calls;
  const GraphCall wanted = { row->call, input, 0 };
  const GraphCall *known = g_hash_table_lookup (g->young, &wanted);
  if (!known)
    known = g_hash_table_lookup (g->old, &wanted);
  if (known)
    return known;
  if (g_hash_table_size (g->young) == CALLS) {
    g_hash_table_unref (g->old);
    g->old = g->young;
    g->young = table_new ();
  }
  GraphCall *call = g_memdup2 (&wanted, sizeof wanted);
  call->number = begin (self, input, row, launch);
  count (g, device, row->operator);
  g_hash_table_add (g->young, call);
  return call;
}

void
graph_calls_on (Operators *self, nprof_track device)
{
  *an_byte_of (self->graph_calls.devices, device) = 1;
}

struct nprof_maybe_str
graph_calls_certainty (const Operators *self, nprof_track device, GraphMatch least)
{
  const GraphCalls *g = &self->graph_calls;
  if (!*an_byte_of (g->devices, device))
    return (struct nprof_maybe_str){ 0 };
  return nprof_any_str (least == GRAPH_CALLED ? nprof_intern (self->host, "launch")
                                              : g->keys.words[least]);
}

AnLaunchSite
graph_calls_site (Operators *self, uint32_t input, nprof_track device, const AnGraphRow *row,
                  const AnLaunchSite *launch)
{
  AnLaunchSite site = *launch;
  site.operator= row->operator;
  site.node = an_links_operator (self->links, row->operator);
  site.call = row->call ? call_of (self, input, device, row, launch)->number : 0;
  return site;
}
