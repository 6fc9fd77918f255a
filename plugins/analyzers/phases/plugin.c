/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer phases: tells prefill and decode of inference apart. */
#include "phases.h"

static nprof_status
phases_open (void *self, const struct nprof_host *host)
{
  Phases *p = self;
  p->host = host;
  p->clip = nprof_window_of (host);
  p->places = an_places_new (host);
  p->launch_keys = an_launch_keys (host);
  p->collective = nprof_intern (host, NPROF_KEY_COLLECTIVE);
  p->key_replay = nprof_intern (host, GRAPH_KEY_REPLAY);
  p->known = g_byte_array_new ();
  p->devices = g_ptr_array_new_with_free_func (ph_device_free);
  p->by_track = g_ptr_array_new ();
  p->annotated = g_hash_table_new (NULL, NULL);
  p->host_steps = an_server_steps_by_input ();
  return an_traits_init (&p->traits, host, false);
}

static nprof_status
phases_choose (void *self, const struct nprof_batch *batch, uint8_t *rows)
{
  ph_choose (self, batch, rows);
  return NPROF_OK;
}

static nprof_status
phases_consume (void *self, const struct nprof_batch *batch)
{
  ph_rows (self, batch);
  return NPROF_OK;
}

static nprof_status
phases_finish (void *self)
{
  ph_end (self);
  return ph_write (self);
}

static void
phases_close (void *self)
{
  Phases *p = self;
  an_traits_clear (&p->traits);
  an_places_free (p->places);
  g_clear_pointer (&p->known, g_byte_array_unref);
  g_clear_pointer (&p->annotated, g_hash_table_unref);
  g_clear_pointer (&p->by_track, g_ptr_array_unref);
  g_clear_pointer (&p->devices, g_ptr_array_unref);
  g_clear_pointer (&p->host_steps, g_ptr_array_unref);
  an_launch_list_clear (&p->launches);
}

/* clang-format off */
static const struct nprof_component phases = {
  .size = sizeof phases,
  .kind = NPROF_ANALYZER,
  .name = "phases",
  .summary = "prefill and decode of inference: steps, tokens, time per output token",
  .tables = (const struct nprof_table *const[]) { &phases_table, &server_steps_table, NULL },
  .wants = (const char *const[]) { NPROF_KEY_WORK, AN_LAUNCH_KEYS, NPROF_KEY_COLLECTIVE,
                                   GRAPH_KEY_REPLAY, NULL },
  .order = NPROF_ORDER_DEVICE,
  .flags = NPROF_ANALYZER_NO_LINKS | NPROF_ANALYZER_CONTEXT | NPROF_ANALYZER_NO_ROWS,
  .instance_size = sizeof (Phases),
  .open = phases_open,
  .consume = phases_consume,
  .finish = phases_finish,
  .close = phases_close,
  .choose = phases_choose,
};
/* clang-format on */

NPROF_PLUGIN ("phases", NPROF_VERSION, "Apache-2.0", &phases)
