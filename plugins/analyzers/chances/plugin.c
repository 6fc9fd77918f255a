/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer chances: which communication could run beside compute, and which kernels
 * that follow each other could be one. */
#include "chances.h"

#include <nprof/keys.h>

static nprof_status
chances_open (void *self, const struct nprof_host *host)
{
  Chances *c = self;
  c->host = host;
  c->clip = nprof_window_of (host);
  c->places = an_places_new (host);
  c->launch_keys = an_launch_keys (host);
  c->graph_keys = an_graph_keys (host);
  c->collective = nprof_intern (host, NPROF_KEY_COLLECTIVE);
  c->links = an_links_new (
      host, c->places, &(AnLinkCalls){ .span = chances_host_span, .begin = chances_operator }, c);
  an_links_want_shapes (c->links);
  c->families = an_families_new ();
  c->family = g_hash_table_new (NULL, NULL);
  c->devices = g_ptr_array_new_with_free_func (chances_device_free);
  c->by_track = g_ptr_array_new ();
  c->waits = g_ptr_array_new_with_free_func ((GDestroyNotify) np_large_array_free);
  c->waiting = g_byte_array_new ();
  c->chains = g_byte_array_new ();
  c->bytes = g_array_new (FALSE, FALSE, sizeof (gint64));
  c->pairs = np_large_array_new (sizeof (Pair));
  c->patterns = g_hash_table_new_full (g_bytes_hash, g_bytes_equal,
                                       (GDestroyNotify) g_bytes_unref, pattern_free);
  c->alike = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  an_key_table_init (&c->wrote, WROTE_WORDS);
  an_key_table_init (&c->pair_keys, PAIR_WORDS);
  return an_traits_init (&c->traits, host, false);
}

static nprof_status
chances_choose (void *self, const struct nprof_batch *batch, uint8_t *rows)
{
  chances_choose_rows (self, batch, rows);
  return NPROF_OK;
}

static nprof_status
chances_consume (void *self, const struct nprof_batch *batch)
{
  return chances_rows (self, batch);
}

static nprof_status
chances_finish (void *self)
{
  Chances *c = self;
  an_links_end (c->links);
  for (guint i = 0; i < c->devices->len; i++) {
    overlap_end (c, g_ptr_array_index (c->devices, i));
    patterns_end (c, g_ptr_array_index (c->devices, i));
  }
  return chances_write (c);
}

static void
chances_close (void *self)
{
  Chances *c = self;
  an_links_free (c->links);
  an_traits_clear (&c->traits);
  an_places_free (c->places);
  an_families_free (c->families);
  g_clear_pointer (&c->family, g_hash_table_unref);
  g_clear_pointer (&c->by_track, g_ptr_array_unref);
  g_clear_pointer (&c->devices, g_ptr_array_unref);
  g_clear_pointer (&c->waits, g_ptr_array_unref);
  g_clear_pointer (&c->waiting, g_byte_array_unref);
  g_clear_pointer (&c->chains, g_byte_array_unref);
  g_clear_pointer (&c->bytes, g_array_unref);
  g_clear_pointer (&c->pairs, np_large_array_free);
  g_clear_pointer (&c->patterns, g_hash_table_unref);
  g_clear_pointer (&c->alike, g_hash_table_unref);
  an_key_table_clear (&c->wrote);
  an_key_table_clear (&c->pair_keys);
}

/* clang-format off */
static const struct nprof_component chances = {
  .size = sizeof chances,
  .kind = NPROF_ANALYZER,
  .name = "chances",
  .summary = "communication that could run beside compute, kernels in a row that could be one",
  .tables = (const struct nprof_table *const[]) { &overlap_chances_table, &fusion_patterns_table, NULL },
  .wants = (const char *const[]) { NPROF_KEY_WORK, AN_LAUNCH_KEYS, AN_GRAPH_KEYS, NPROF_KEY_COLLECTIVE, KEY_ARGUMENTS,
                                   NULL },
  .order = NPROF_ORDER_DEVICE,
  .flags = NPROF_ANALYZER_NO_LINKS | NPROF_ANALYZER_CONTEXT | NPROF_ANALYZER_NO_ROWS,
  .instance_size = sizeof (Chances),
  .open = chances_open,
  .consume = chances_consume,
  .finish = chances_finish,
  .close = chances_close,
  .choose = chances_choose,
};
/* clang-format on */

NPROF_PLUGIN ("chances", NPROF_VERSION, "Apache-2.0", &chances)
