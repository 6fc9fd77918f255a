/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer collectives: communication between devices, how fast it was and how much
 * of it computing hid. */
#include "collectives.h"
#include "profile/collective-keys.h"

static nprof_status
collectives_open (void *self, const struct nprof_host *host)
{
  Collectives *c = self;
  c->host = host;
  c->places = an_places_new (host);
  c->devices = g_ptr_array_new_with_free_func (co_device_free);
  c->by_track = g_ptr_array_new ();
  c->lanes = g_array_new (FALSE, TRUE, sizeof (Lane));
  c->groups = g_array_new (FALSE, TRUE, sizeof (Group));
  g_array_set_clear_func (c->groups, co_group_clear);
  c->window = nprof_window_of (host);
  an_key_table_init (&c->keys, G_WORDS);
  c->key_collective = nprof_intern (host, NPROF_KEY_COLLECTIVE);
  c->key_elements = nprof_intern (host, COLLECTIVE_KEY_ELEMENTS_IN);
  c->key_size = nprof_intern (host, COLLECTIVE_KEY_GROUP_SIZE);
  c->launch_keys = an_launch_keys (host);
  static const char *const memsets[] = { "gpu_memset", "memset", "Memset" };
  for (guint i = 0; i < G_N_ELEMENTS (memsets); i++)
    c->memsets[i] = nprof_intern (host, memsets[i]);
  c->peaks = an_peaks_new (host, *c->folder ? c->folder : NULL, 0, 0);
  if (!c->peaks)
    return NPROF_E_OPTION;
  an_peaks_set_link (c->peaks, c->link);
  an_key_table_init (&c->kind_keys, 3);
  c->kinds = g_byte_array_new ();
  nprof_status status = an_traits_init (&c->traits, host, false);
  return status ? status : nprof_reader_init (&c->pick, host, co_keys);
}

static nprof_status
collectives_choose (void *self, const struct nprof_batch *batch, uint8_t *rows)
{
  co_choose (self, batch, rows);
  return NPROF_OK;
}

static nprof_status
collectives_consume (void *self, const struct nprof_batch *batch)
{
  co_rows (self, batch);
  return NPROF_OK;
}

static nprof_status
collectives_finish (void *self)
{
  Collectives *c = self;
  co_end (c);
  co_settle (c);
  if (c->unended)
    nprof_log (c->host, NPROF_WARNING,
               "collectives without an end in the file: %" G_GUINT64_FORMAT
               "; they are in no number",
               c->unended);
  return co_write (c);
}

static void
collectives_close (void *self)
{
  Collectives *c = self;
  g_clear_pointer (&c->devices, g_ptr_array_unref);
  g_clear_pointer (&c->by_track, g_ptr_array_unref);
  g_clear_pointer (&c->lanes, g_array_unref);
  g_clear_pointer (&c->groups, g_array_unref);
  g_clear_pointer (&c->stated, g_hash_table_unref);
  g_clear_pointer (&c->around, g_hash_table_unref);
  g_clear_pointer (&c->launched, g_hash_table_unref);
  an_key_table_clear (&c->keys);
  an_places_free (c->places);
  an_traits_clear (&c->traits);
  an_peaks_free (c->peaks);
  nprof_reader_clear (&c->pick);
  an_key_table_clear (&c->kind_keys);
  g_clear_pointer (&c->kinds, g_byte_array_unref);
}

/* clang-format off */
static const struct nprof_component collectives = {
  .size = sizeof collectives,
  .kind = NPROF_ANALYZER,
  .name = "collectives",
  .summary = "communication between devices: bandwidth, share of the links, overlap with computing",
  .options = NPROF_OPTIONS (
      NPROF_PATH_OPTION (Collectives, folder, "devices", "", "folder of peak rates, instead of nprof's own"),
      NPROF_DOUBLE_OPTION (Collectives, link, "link", "0", "0.0..1e30",
                           "byte/s of the links of a device, one way, also between nodes; 0: not given")),
  .tables = (const struct nprof_table *const[]) { &collectives_table, &communication_table, NULL },
  .wants = (const char *const[]) { NPROF_KEY_WORK, NPROF_KEY_COLLECTIVE,
                                   COLLECTIVE_KEY_GROUP, COLLECTIVE_KEY_GROUP_LABEL,
                                   COLLECTIVE_KEY_GROUP_RANKS, COLLECTIVE_KEY_GROUP_SIZE,
                                   COLLECTIVE_KEY_ELEMENTS_IN, COLLECTIVE_KEY_ELEMENTS_OUT,
                                   COLLECTIVE_KEY_DTYPE, COLLECTIVE_KEY_INPUT_SIZE,
                                   COLLECTIVE_KEY_OUTPUT_SIZE, COLLECTIVE_KEY_OPERATOR,
                                   AN_LAUNCH_KEYS, AN_PEAK_KEYS, NULL },
  .order = NPROF_ORDER_DEVICE,
  .flags = NPROF_ANALYZER_NO_LINKS | NPROF_ANALYZER_CONTEXT | NPROF_ANALYZER_NO_ROWS,
  .instance_size = sizeof (Collectives),
  .open = collectives_open,
  .consume = collectives_consume,
  .finish = collectives_finish,
  .close = collectives_close,
  .save = co_save,
  .merge = co_merge,
  .choose = collectives_choose,
};
/* clang-format on */

NPROF_PLUGIN ("collectives", NPROF_VERSION, "Apache-2.0", &collectives)
