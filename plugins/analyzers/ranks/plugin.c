/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer ranks: the ranks of one job, their collectives matched, their clocks
 * found, who was late and why. */
#include "profile/collective-keys.h"
#include "ranks.h"

static nprof_status
ranks_open (void *self, const struct nprof_host *host)
{
  Ranks *r = self;
  r->host = host;
  r->clip = nprof_window_of (host);
  job_init (&r->job, host);
  r->devices = g_ptr_array_new_with_free_func (rk_device_free);
  r->by_track = g_ptr_array_new ();
  r->processes = g_ptr_array_new_with_free_func (rk_process_free);
  r->launches = g_ptr_array_new_with_free_func ((GDestroyNotify) g_hash_table_unref);
  r->exchanges_by_name = g_byte_array_new ();
  r->exchanges = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  r->lanes = g_array_new (FALSE, TRUE, sizeof (guint));
  r->places = an_places_new (host);
  r->key_collective = nprof_intern (host, NPROF_KEY_COLLECTIVE);
  r->launch_keys = an_launch_keys (host);
  if (!rk_check_pattern (r))
    return nprof_fail (host, NPROF_E_OPTION,
                       "rank=%s: expected a number, or a regular expression with a group, as "
                       "'rank-([0-9]+)'",
                       r->rank);
  nprof_status status = an_traits_init (&r->traits, host, false);
  return status ? status : nprof_reader_init (&r->pick, host, rk_keys);
}

static nprof_status
ranks_choose (void *self, const struct nprof_batch *batch, uint8_t *rows)
{
  rk_choose (self, batch, rows);
  return NPROF_OK;
}

static nprof_status
ranks_consume (void *self, const struct nprof_batch *batch)
{
  rk_rows (self, batch);
  return NPROF_OK;
}

static nprof_status
ranks_table_rows (void *self, const struct nprof_table *table, const struct nprof_cell *cells,
                  uint32_t n_rows)
{
  rk_mfu_table (self, table, cells, n_rows);
  return NPROF_OK;
}

static nprof_status
ranks_finish (void *self)
{
  Ranks *r = self;
  nprof_status status = rk_end (r, r->calls);
  if (!status)
    status = rk_check (r);
  return status ? status : rk_write (r);
}

static void
ranks_close (void *self)
{
  Ranks *r = self;
  job_clear (&r->job);
  g_clear_pointer (&r->uses, g_hash_table_unref);
  g_clear_pointer (&r->launches, g_ptr_array_unref);
  g_clear_pointer (&r->exchanges_by_name, g_byte_array_unref);
  g_clear_pointer (&r->exchanges, g_hash_table_unref);
  g_clear_pointer (&r->devices, g_ptr_array_unref);
  g_clear_pointer (&r->by_track, g_ptr_array_unref);
  g_clear_pointer (&r->processes, g_ptr_array_unref);
  g_clear_pointer (&r->lanes, g_array_unref);
  an_places_free (r->places);
  an_traits_clear (&r->traits);
  nprof_reader_clear (&r->pick);
}

/* clang-format off */
static const struct nprof_component ranks = {
  .size = sizeof ranks,
  .kind = NPROF_ANALYZER,
  .name = "ranks",
  .summary = "ranks of one job together: who was late and why, clocks, skew, ranks that are alike",
  .options = NPROF_OPTIONS (
      NPROF_STRING_OPTION (Ranks, rank, "rank", "", "number of the rank, or a regular expression whose group "
                                                    "matches it in the name of the input"),
      NPROF_BOOL_OPTION (Ranks, strict, "strict", "no", "a device of which nobody says which rank it is is an error"),
      NPROF_BOOL_OPTION (Ranks, calls, "calls", "no", "table collective_calls: each collective of each rank"),
      NPROF_STRING_OPTION (Ranks, label, "job", "job", "what the job is called in the column input")),
  .tables = (const struct nprof_table *const[]) { &job_table, &rank_spread_table, &ranks_table,
                                                  &stragglers_table, &job_collectives_table, &groups_table, &clocks_table, &rank_steps_table,
                                                  &step_skew_table, &rank_operators_table,
                                                  &collective_calls_table, NULL },
  .wants = (const char *const[]) { NPROF_KEY_WORK, NPROF_KEY_COLLECTIVE, AN_LAUNCH_KEYS, COLLECTIVE_KEY_COMMUNICATOR,
                                   COLLECTIVE_KEY_GROUP, COLLECTIVE_KEY_GROUP_LABEL, COLLECTIVE_KEY_GROUP_RANKS,
                                   COLLECTIVE_KEY_GROUP_SIZE, COLLECTIVE_KEY_SEQUENCE,
                                   COLLECTIVE_KEY_ELEMENTS_IN, COLLECTIVE_KEY_ELEMENTS_OUT,
                                   COLLECTIVE_KEY_DTYPE, NPROF_KEY_RUN_ID, NULL },
  .order = NPROF_ORDER_DEVICE,
  .flags = NPROF_ANALYZER_NO_LINKS | NPROF_ANALYZER_CONTEXT | NPROF_ANALYZER_NO_ROWS,
  .instance_size = sizeof (Ranks),
  .open = ranks_open,
  .consume = ranks_consume,
  .table = ranks_table_rows,
  .table_wants = (const char *const[]) { "mfu?", NULL },
  .finish = ranks_finish,
  .close = ranks_close,
  .save = rk_save,
  .merge = rk_merge,
  .choose = ranks_choose,
};
/* clang-format on */

NPROF_PLUGIN ("ranks", NPROF_VERSION, "Apache-2.0", &ranks)
