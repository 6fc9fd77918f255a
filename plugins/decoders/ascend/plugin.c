/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - decoder ascend: databases of Ascend's profilers, torch_npu's, MindSpore's and
 * msprof's. This file has the entry, and the order in which parts are read. */
#include "ascend.h"

#include "producers/ascend-steps.h"
#include "producers/say-meaning.h"
#include "profile/collective-keys.h"

#include <string.h>

/* The names of tables stand in the schema, which of databases of many tables lies further on: then
 * the name of the chip is among the first rows. */
static int
ascend_probe (const void *head, size_t len, uint64_t size, const char *path)
{
  static const char *const tables[]
      = { "CANN_API", "PYTORCH_API", "COMMUNICATION_OP", "COMPUTE_TASK_INFO", "SESSION_TIME_INFO" };
  (void) size;
  if (len < 16 || memcmp (head, "SQLite format 3", 16) != 0)
    return 0;
  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    if (memmem (head, len, tables[i], strlen (tables[i])))
      return 90;
  if (memmem (head, len, "Ascend9", 7) || memmem (head, len, "Ascend3", 7))
    return 60;
  g_autofree char *name = g_path_get_basename (path ? path : "");
  return g_str_has_suffix (name, ".db")
                 && (g_str_has_prefix (name, "ascend_") || g_str_has_prefix (name, "msprof_"))
             ? 20
             : 0;
}

/* -- Life -------------------------------------------------------------------------------------- */

static void
learn_keys (Ascend *self)
{
  const struct {
    const char *key;
    nprof_str *str;
    bool *want;
  } keys[] = {
    { NPROF_KEY_CORRELATION_ID, &self->key_correlation, &self->want_correlation },
    { NPROF_KEY_STREAM, &self->key_stream, &self->want_stream },
    { NPROF_KEY_STEP, &self->key_step, &self->want_step },
    { NPROF_KEY_ENGINE, &self->key_engine, &self->want_engine },
    { NPROF_KEY_OPCODE, &self->key_opcode, &self->want_opcode },
    { NPROF_KEY_SHAPE, &self->key_shape, &self->want_shape },
    { NPROF_KEY_FLOPS, &self->key_flops, &self->want_flops },
    { NPROF_KEY_OPERATOR, &self->key_operator, &self->want_operator },
    { NPROF_KEY_COLLECTIVE, &self->key_collective, &self->want_collective },
    { COLLECTIVE_KEY_GROUP, &self->key_group, &self->want_group },
    { COLLECTIVE_KEY_SEQUENCE, &self->key_sequence, &self->want_sequence },
    { COLLECTIVE_KEY_ELEMENTS_IN, &self->key_elements_in, &self->want_elements_in },
    { COLLECTIVE_KEY_ELEMENTS_OUT, &self->key_elements_out, &self->want_elements_out },
    { COLLECTIVE_KEY_DTYPE, &self->key_dtype, &self->want_dtype },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++) {
    *keys[i].str = nprof_intern (self->host, keys[i].key);
    *keys[i].want = self->host->wanted (self->host, keys[i].key)
                    || self->host->row_want (self->host, keys[i].key, 0);
  }
}

/* The classes of work are no names of HCCL's, so each row says it itself. */
static nprof_status
learn_works (Ascend *self)
{
  const struct nprof_host *host = self->host;
  const nprof_str key = nprof_intern (host, NPROF_KEY_WORK);
  const uint8_t type = NPROF_STRING;
  for (guint i = 0; i < N_CLASSES; i++) {
    nprof_value value = { 0 };
    value.s = nprof_intern (host, ascend_classes[i][1]);
    self->category[i] = nprof_intern (host, ascend_classes[i][0]);
    if (host->wanted (host, NPROF_KEY_WORK)
        && !(self->work[i]
             = host->attrs (host, &(struct nprof_attrs){ sizeof (struct nprof_attrs), 1, &key,
                                                         &type, &value, NULL })))
      return nprof_fail (host, NPROF_E_NOMEM, "no memory for attributes");
  }
  return meaning_say (host);
}

static nprof_status
ascend_open (void *data, const struct nprof_host *host)
{
  Ascend *self = data;
  self->host = host;
  self->first_device = ASCEND_NONE;
  ids_init (&self->strings, sizeof (AscendText));
  ids_init (&self->types, sizeof (AscendText));
  ids_init (&self->kernels, sizeof (AscendKernel));
  ids_init (&self->parts, sizeof (gint64));
  ids_init (&self->links, sizeof (AscendLink));
  ids_init (&self->launches, sizeof (AscendLaunch));
  ids_init (&self->places, sizeof (AscendPlace));
  self->chips = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self->steps = g_array_new (FALSE, FALSE, sizeof (StepTime));
  self->windows = g_array_new (FALSE, TRUE, sizeof (AscendStepWindow));
  self->tasks = np_large_array_new (sizeof (AscendTask));
  self->kinds = g_array_new (FALSE, FALSE, sizeof (AscendType));
  self->tracks = g_hash_table_new_full (ascend_track_hash, ascend_track_equal, g_free, NULL);
  learn_keys (self);
  return learn_works (self);
}

static void
ascend_close (void *data)
{
  Ascend *self = data;
  Ids *const ids[] = { &self->strings, &self->types,    &self->kernels, &self->parts,
                       &self->links,   &self->launches, &self->places };
  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    ids_clear (ids[i]);
  g_clear_pointer (&self->chips, g_hash_table_unref);
  g_clear_pointer (&self->tracks, g_hash_table_unref);
  g_clear_pointer (&self->steps, g_array_unref);
  g_clear_pointer (&self->windows, g_array_unref);
  g_clear_pointer (&self->kinds, g_array_unref);
  np_large_array_free (self->tasks);
  db_close (&self->db);
}

/* -- Decoding ---------------------------------------------------------------------------------- */

/* Counts what no row was made of: counters of links and of the host, figures of kernels, stacks. */
static nprof_status
tell_unread (Ascend *self)
{
  nprof_status status = NPROF_OK;
  g_autoptr (GList) names = db_tables (&self->db);
  for (const GList *at = names; at && !status; at = at->next) {
    const DbTable *table = g_hash_table_lookup (self->db.tables, at->data);
    if (!table->read && !g_str_has_prefix (table->name, "ENUM_"))
      status
          = db_skip_table (&self->db, table->key, table->name, "nprof makes no rows of this table");
  }
  return status;
}

static nprof_status
ascend_decode (void *data, const void *bytes, uint64_t len)
{
  static nprof_status (*const parts[]) (Ascend *)
      = { ascend_load,  ascend_work,  ascend_host, ascend_counters,
          ascend_facts, ascend_steps, tell_unread };
  Ascend *self = data;
  self->w = self->host->writer (self->host);
  if (!self->w)
    return NPROF_E_NOMEM;
  nprof_status status
      = db_open (&self->db, self->host, "export the run anew, or copy it whole", bytes, len);
  if (!status && !db_has (&self->db, "STRING_IDS"))
    status = nprof_fail (self->host, NPROF_E_FORMAT,
                         "byte 100: the schema has no table STRING_IDS, to which all names refer: "
                         "name the ascend_pytorch_profiler.db or msprof.db of the run");
  for (gsize i = 0; i < G_N_ELEMENTS (parts) && !status; i++)
    status = parts[i](self);
  return status ? status : self->host->progress (self->host, 0, len);
}

static const struct nprof_component decoder = {
  .size = sizeof decoder,
  .kind = NPROF_DECODER,
  .name = "ascend",
  .summary = "databases of Ascend's profilers: torch_npu, MindSpore, msprof",
  .formats = "ascend_pytorch_profiler.db, ascend_mindspore_profiler.db and msprof.db of CANN, by "
             "the columns that are there",
  .attributes = NPROF_ATTRIBUTES (
      &meaning_attribute, ASCEND_ATTRIBUTES,
      NPROF_ATTRIBUTE (NPROF_STRING, COLLECTIVE_KEY_GROUP, "", "group of ranks of a collective"),
      NPROF_ATTRIBUTE (NPROF_INT64, COLLECTIVE_KEY_SEQUENCE, "",
                       "which of the group's collectives"),
      NPROF_ATTRIBUTE (NPROF_STRING, COLLECTIVE_KEY_DTYPE, "", "type of the elements"),
      COLLECTIVE_ELEMENT_ATTRIBUTES,
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_UNIT, "", "of a counter's values"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_DEVICE_TYPE, "", "of a device"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_CORE_COUNT, "", "cube cores of a device"),
      NPROF_ATTRIBUTE (NPROF_DOUBLE, NPROF_KEY_CLOCK_RATE, "Hz", "the highest of these cores")),
  .flags = NPROF_DECODER_FOLDER,
  .tables = (const struct nprof_table *const[]){ &ascend_steps_table, NULL },
  .instance_size = sizeof (Ascend),
  .probe = ascend_probe,
  .open = ascend_open,
  .decode = ascend_decode,
  .close = ascend_close,
};

NPROF_PLUGIN ("ascend", NPROF_VERSION, "Apache-2.0", &decoder)
