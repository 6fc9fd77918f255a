/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer graphs: what replays of CUDA and HIP graphs run, and what runs
 * outside. */
#include "layers.h"

static nprof_status
graphs_open (void *self, const struct nprof_host *host)
{
  Graphs *g = self;
  g->host = host;
  g->clip = nprof_window_of (host);
  g->places = an_places_new (host);
  g->launch_keys = an_launch_keys (host);
  g->keys = an_graph_keys (host);
  g->key_replay = nprof_intern (host, GRAPH_KEY_REPLAY);
  g->key_layer = nprof_intern (host, NPROF_KEY_LAYER);
  g->families = an_families_new ();
  g->family = g_hash_table_new (NULL, NULL);
  g->known = g_byte_array_new ();
  g->host_steps = an_server_steps_by_input ();
  g->devices = g_array_new (FALSE, FALSE, sizeof (Device));
  g->by_track = g_ptr_array_new ();
  g->replays = np_large_array_new (sizeof (Replay));
  g->family_sums = np_large_array_new (sizeof (Sum));
  g->operator_sums = np_large_array_new (sizeof (Sum));
  g->content_sums = np_large_array_new (sizeof (Sum));
  g->outside_sums = np_large_array_new (sizeof (Sum));
  g->operator_calls = g_array_new (FALSE, TRUE, sizeof (guint64));
  an_key_table_init (&g->replay_keys, 4);
  an_key_table_init (&g->streams, 2);
  an_key_table_init (&g->calls, 4);
  an_key_table_init (&g->family_keys, FAMILY_WORDS);
  an_key_table_init (&g->operator_keys, OPERATOR_WORDS);
  an_key_table_init (&g->content_keys, 2);
  an_key_table_init (&g->outside_keys, OUTSIDE_WORDS);
  return an_traits_init (&g->traits, host, false);
}

static nprof_status
graphs_choose (void *self, const struct nprof_batch *batch, uint8_t *rows)
{
  graphs_choose_rows (self, batch, rows);
  return NPROF_OK;
}

static nprof_status
graphs_consume (void *self, const struct nprof_batch *batch)
{
  return graphs_rows (self, batch);
}

static nprof_status
graphs_finish (void *self)
{
  return graphs_write (self);
}

static void
graphs_close (void *self)
{
  Graphs *g = self;
  an_traits_clear (&g->traits);
  an_places_free (g->places);
  an_families_free (g->families);
  g_clear_pointer (&g->family, g_hash_table_unref);
  g_clear_pointer (&g->devices, g_array_unref);
  g_clear_pointer (&g->by_track, g_ptr_array_unref);
  g_clear_pointer (&g->replays, np_large_array_free);
  g_clear_pointer (&g->family_sums, np_large_array_free);
  g_clear_pointer (&g->operator_sums, np_large_array_free);
  g_clear_pointer (&g->content_sums, np_large_array_free);
  g_clear_pointer (&g->outside_sums, np_large_array_free);
  g_clear_pointer (&g->operator_calls, g_array_unref);
  an_key_table_clear (&g->replay_keys);
  an_key_table_clear (&g->streams);
  an_key_table_clear (&g->calls);
  an_key_table_clear (&g->family_keys);
  an_key_table_clear (&g->operator_keys);
  an_key_table_clear (&g->content_keys);
  an_key_table_clear (&g->outside_keys);
  an_launch_list_clear (&g->launches);
  g_clear_pointer (&g->known, g_byte_array_unref);
  g_clear_pointer (&g->host_steps, g_ptr_array_unref);
  layers_clear (g);
}

/* clang-format off */
static const struct nprof_component graphs = {
  .size = sizeof graphs,
  .kind = NPROF_ANALYZER,
  .name = "graphs",
  .summary = "replays of CUDA and HIP graphs: kernels, families, operators, time between them",
  .tables = (const struct nprof_table *const[]) { &graphs_table, &graph_contents_table,
                                                  &graph_replays_table, &graph_families_table,
                                                  &graph_operators_table, &graph_outside_table,
                                                  &graph_layers_table, NULL },
  .wants = (const char *const[]) { NPROF_KEY_WORK, AN_LAUNCH_KEYS, AN_GRAPH_KEYS, GRAPH_KEY_REPLAY,
                                   NPROF_KEY_LAYER, NULL },
  .order = NPROF_ORDER_DEVICE,
  .flags = NPROF_ANALYZER_NO_LINKS | NPROF_ANALYZER_CONTEXT,
  .instance_size = sizeof (Graphs),
  .open = graphs_open,
  .consume = graphs_consume,
  .finish = graphs_finish,
  .close = graphs_close,
  .choose = graphs_choose,
};
/* clang-format on */

NPROF_PLUGIN ("graphs", NPROF_VERSION, "Apache-2.0", &graphs)
