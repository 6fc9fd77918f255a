/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - decoder nsys: SQLite that Nsight Systems exports.  This file has the entry, and the
 * order in which parts are read. */
#include "nsys.h"
#include "producers/say-meaning.h"

#include <string.h>

/* The names of tables stand in the schema, on the first pages. */
static int
nsys_probe (const void *head, size_t len, uint64_t size, const char *path)
{
  (void) size;
  if (len < 16 || memcmp (head, "SQLite format 3", 16) != 0)
    return 0;
  static const char *const tables[] = { "CUPTI_ACTIVITY_KIND", "TARGET_INFO_", "ENUM_NSYS_" };
  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    if (memmem (head, len, tables[i], strlen (tables[i])))
      return 90;
  return g_str_has_suffix (path, ".sqlite") ? 20 : 0;
}

static void
learn_keys (Nsys *self)
{
  const struct {
    const char *key;
    nprof_str *str;
    bool *want;
  } keys[] = {
    { NPROF_KEY_CORRELATION_ID, &self->key_correlation, &self->want_correlation },
    { NPROF_KEY_STREAM, &self->key_stream, &self->want_stream },
    { "device", &self->key_device, &self->want_device },
    { NPROF_KEY_BYTES, &self->key_bytes, &self->want_bytes },
    { NPROF_KEY_KERNEL, &self->key_kernel, &self->want_kernel },
    { NPROF_KEY_STEP, &self->key_step, &self->want_step },
    { "text", &self->key_text, &self->want_text },
    { "domain", &self->key_domain, &self->want_domain },
    { "args", &self->key_args, &self->want_args },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++) {
    *keys[i].str = nprof_intern (self->host, keys[i].key);
    *keys[i].want = self->host->wanted (self->host, keys[i].key);
  }
}

static nprof_status
nsys_open (void *data, const struct nprof_host *host)
{
  Nsys *self = data;
  self->host = host;
  ids_init (&self->strings, sizeof (NsString));
  learn_keys (self);
  return meaning_say (host);
}

static void
nsys_close (void *data)
{
  Nsys *self = data;
  GHashTable **maps[]
      = { &self->threads, &self->names,   &self->devices,  &self->queues,   &self->gpus,
          &self->numbers, &self->domains, &self->launches, &self->contexts, &self->waits };
  for (gsize i = 0; i < G_N_ELEMENTS (maps); i++)
    g_clear_pointer (maps[i], g_hash_table_unref);
  ids_clear (&self->strings);
  ns_graphs_free (self->graphs);
  g_clear_pointer (&self->annotated, g_array_unref);
  db_close (&self->db);
}

/* -- What the file says of itself -------------------------------------------------------------- */

static const struct {
  const char *name, *property;
} told[] = {
  { "EXPORT_SCHEMA_VERSION", "version" },
  { "EXPORT_PRODUCT_VERSION", "product_version" },
  { "EXPORT_TIME_UTC", "exported" },
};

static nprof_status
take_property (Nsys *self, const char *name, const char *value)
{
  for (gsize i = 0; i < G_N_ELEMENTS (told) && name && value && *value; i++)
    if (strcmp (name, told[i].name) == 0)
      return self->host->property (self->host, told[i].property, value);
  return NPROF_OK;
}

/* Describes the export; older ones call the table EXPORT_META_DATA. */
static nprof_status
describe (Nsys *self)
{
  static const char *const tables[] = { "META_DATA_EXPORT", "EXPORT_META_DATA" };
  nprof_status status = NPROF_OK;
  for (gsize i = 0; i < G_N_ELEMENTS (tables) && !status; i++) {
    NsRows rows;
    if (!ns_has (self, tables[i]))
      continue;
    status = ns_rows_begin (self, tables[i], &rows);
    int name = status ? -1 : ns_column (&rows, "name");
    int value = status ? -1 : ns_column (&rows, "value");
    while (!status && ns_rows_next (&rows, &status))
      status = take_property (self, ns_text (&rows, name), ns_text (&rows, value));
    ns_rows_end (&rows);
  }
  return status;
}

/* -- Decoding ---------------------------------------------------------------------------------- */

/* Checks that the file has one of the tables that all exports have. */
static nprof_status
check_tables (Nsys *self)
{
  static const char *const beginnings[]
      = { "CUPTI_ACTIVITY_", "TARGET_INFO_", "META_DATA_", "ENUM_NSYS_", "NVTX_", "OSRT_" };
  GHashTableIter iter;
  gpointer name, any = NULL;
  g_hash_table_iter_init (&iter, self->db.tables);
  while (g_hash_table_iter_next (&iter, &name, NULL)) {
    any = !any || strcmp (name, any) < 0 ? name : any;
    for (gsize i = 0; i < G_N_ELEMENTS (beginnings); i++)
      if (g_str_has_prefix (name, beginnings[i]))
        return NPROF_OK;
  }
  return nprof_fail (
      self->host, NPROF_E_FORMAT,
      "byte 100: the schema has no table of Nsight Systems, but %s: name the .sqlite that "
      "nsys export --type sqlite wrote",
      any ? (const char *) any : "none at all");
}

static nprof_status
decode_nsys (Nsys *self)
{
  static const char *const timed[] = { "CUPTI_ACTIVITY_KIND_KERNEL",
                                       "CUPTI_ACTIVITY_KIND_MEMCPY",
                                       "CUPTI_ACTIVITY_KIND_RUNTIME",
                                       "NVTX_EVENTS",
                                       "OSRT_API",
                                       NULL };
  nprof_status status = ns_times_begin (self, timed);
  if (!status)
    status = ns_steps_load (self);
  if (!status)
    status = ns_waits_load (self);
  if (!status)
    status = ns_graphs_load (self);
  if (!status)
    status = ns_decode_ranges (self);
  if (!status)
    status = ns_decode_work (self);
  if (!status)
    status = ns_decode_metrics (self);
  if (!status)
    status = ns_decode_moments (self);
  return status ? status : ns_decode_hosts (self);
}

static nprof_status
nsys_decode (void *data, const void *bytes, uint64_t len)
{
  Nsys *self = data;
  self->w = self->host->writer (self->host);
  if (!self->w)
    return NPROF_E_NOMEM;
  nprof_status status = ns_database_open (self, bytes, len);
  if (!status)
    status = check_tables (self);
  if (!status)
    status = describe (self);
  if (!status)
    status = ns_strings_load (self, "StringIds", "id", "value");
  if (!status)
    status = ns_tracks_load (self);
  if (status)
    return status;
  status = decode_nsys (self);
  if (!status)
    status = ns_facts (self);
  if (!status)
    status = ns_tell_unread (self);
  return status ? status : self->host->progress (self->host, 0, len);
}

static const struct nprof_component decoder = {
  .size = sizeof decoder,
  .kind = NPROF_DECODER,
  .name = "nsys",
  .summary = "SQLite of Nsight Systems (nsys export)",
  .formats
  = "exports of Nsight Systems (.sqlite) by the columns that are there, tried with schemas "
    "3.1 to 3.25",
  .options = NPROF_OPTIONS (NPROF_STRING_OPTION (
      Nsys, steps, "steps", "",
      "pattern of the NVTX ranges that are steps; the last number in their text is the step's")),
  .attributes = NPROF_ATTRIBUTES (
      &meaning_attribute,
      NPROF_ATTRIBUTE (NPROF_UINT64, NPROF_KEY_CORRELATION_ID, "",
                       "joins a launch and its execution"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_STREAM, "", "stream of the device"),
      NPROF_ATTRIBUTE (NPROF_INT64, "device", "", "number of the device, as the process counts"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_BYTES, "byte", "size of a transfer or an allocation"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_KERNEL, "", "registers, shared memory, grid, block"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_UNIT, "", "of a metric's values"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_STEP, "", "number of the step"),
      NPROF_ATTRIBUTE (NPROF_TEXT, "text", "", "of a range or call, where its name is shorter"),
      NPROF_ATTRIBUTE (NPROF_STRING, "domain", "", "NVTX domain of a range"),
      NPROF_ATTRIBUTE (NPROF_JSON, "args", "", "of an allocation, as Kineto tells it")),
  .instance_size = sizeof (Nsys),
  .probe = nsys_probe,
  .open = nsys_open,
  .decode = nsys_decode,
  .close = nsys_close,
};

NPROF_PLUGIN ("nsys", NPROF_VERSION, "Apache-2.0", &decoder)
