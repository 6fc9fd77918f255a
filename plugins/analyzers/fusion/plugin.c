/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer fusion: groups of fused operators, what they were made of, and when
 * they ran. */
#include "fusion.h"

#include <nprof/keys.h>

static nprof_status
fusion_open (void *self, const struct nprof_host *host)
{
  Fusion *f = self;
  f->host = host;
  f->clip = nprof_window_of (host);
  f->opcode_fusion = nprof_intern (host, "fusion");
  f->opcode_parameter = nprof_intern (host, "parameter");
  an_key_table_init (&f->instruction_ids, ID_WORDS);
  an_key_table_init (&f->group_ids, ID_WORDS);
  an_key_table_init (&f->seen, ID_WORDS);
  an_key_table_init (&f->op_ids, OP_WORDS);
  f->instructions = np_large_array_new (sizeof (Instruction));
  f->programs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  f->groups = g_array_new (FALSE, TRUE, sizeof (Group));
  g_array_set_clear_func (f->groups, fusion_group_clear);
  f->ops = np_large_array_new (sizeof (Op));
  nprof_status status = fusion_rows_open (f);
  if (!status)
    status = host->table (host, &fusions_table);
  return status ? status : host->table (host, &fusion_members_table);
}

static nprof_status
fusion_consume (void *self, const struct nprof_batch *batch)
{
  return fusion_rows (self, batch);
}

/* Chooses all spans of a host, since any may be fused or lie in one that is. */
static nprof_status
fusion_choose (void *self, const struct nprof_batch *batch, uint8_t *rows)
{
  an_choose (((Fusion *) self)->places, AN_CHOOSE_WORK | AN_CHOOSE_HOSTS, batch, rows);
  return NPROF_OK;
}

/* Rows come in order, so when all is decoded: the tables of the decoders come before them. */
static nprof_status
fusion_table (void *self, const struct nprof_table *table, const struct nprof_cell *cells,
              uint32_t n_rows)
{
  if (strcmp (table->name, "hlo_instructions") == 0)
    fusion_hlo_table (self, table, cells, n_rows);
  else if (strcmp (table->name, "neff_layers") == 0)
    fusion_neff_table (self, table, cells, n_rows);
  return NPROF_OK;
}

static nprof_status
fusion_finish (void *self)
{
  Fusion *f = self;
  nprof_status status = fusion_rows_end (f);
  if (status)
    return status;
  if (f->unended)
    nprof_log (f->host, NPROF_WARNING,
               "spans without an end in the file: %" G_GUINT64_FORMAT "; they are in no fusion",
               f->unended);
  if (f->late)
    nprof_log (f->host, NPROF_WARNING,
               "%" G_GUINT64_FORMAT
               " spans came later than the window by the device's clock; their time is counted "
               "as their own: set a larger window=",
               f->late);
  fusion_add_unseen (f);
  return fusion_write (f);
}

static void
fusion_close (void *self)
{
  Fusion *f = self;
  fusion_rows_clear (f);
  an_key_table_clear (&f->instruction_ids);
  an_key_table_clear (&f->group_ids);
  an_key_table_clear (&f->seen);
  an_key_table_clear (&f->op_ids);
  np_large_array_free (f->instructions);
  g_hash_table_unref (f->programs);
  g_array_unref (f->groups);
  np_large_array_free (f->ops);
}

/* clang-format off */
/* The Neuron runtime lists in these args what was fused. */
static const struct nprof_row_want args_of_fused
    = { .size = sizeof args_of_fused, .key = "args", .member = "fused" };

static const struct nprof_component fusion = {
  .size = sizeof fusion,
  .kind = NPROF_ANALYZER,
  .name = "fusion",
  .summary = "fused operators: their time, what they were made of, and a timeline of them",
  .options = NPROF_OPTIONS (
      NPROF_SIZE_OPTION (Fusion, window, "window", "1M", "4k..4G",
                         "memory in which times of the device's clock are put in order, of each track")),
  .tables = (const struct nprof_table *const[]) { &fusions_table, &fusion_members_table, NULL },
  .wants = (const char *const[]) { NPROF_KEY_WORK, NPROF_KEY_HLO_OP, NPROF_KEY_HLO_MODULE, NPROF_KEY_HLO_CATEGORY,
                                   NPROF_KEY_PROGRAM_ID, NPROF_KEY_DEDUPLICATED, NPROF_KEY_DEVICE_OFFSET,
                                   NPROF_KEY_DEVICE_DURATION, NPROF_KEY_FRAMEWORK_OP, NULL },
  .row_wants = (const struct nprof_row_want *const[]) { &args_of_fused, NULL },
  .order = NPROF_ORDER_DEVICE,
  .flags = NPROF_ANALYZER_NO_LINKS,
  .instance_size = sizeof (Fusion),
  .open = fusion_open,
  .consume = fusion_consume,
  .table = fusion_table,
  .table_wants = (const char *const[]) { "hlo_instructions?", "neff_layers?", NULL },
  .finish = fusion_finish,
  .close = fusion_close,
  .choose = fusion_choose,
};
/* clang-format on */

NPROF_PLUGIN ("fusion", NPROF_VERSION, "Apache-2.0", &fusion)
