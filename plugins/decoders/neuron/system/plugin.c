/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the decoder neuron-system: declarations, and the order in which the other files
 * work. */
#include "system.h"

#include "producers/say-meaning.h"

#define SECOND_NS INT64_C (1000000000)
#define FAR_NS (INT64_C (100) * 86400 * SECOND_NS)

/* -- Times, tracks, errors --------------------------------------------------------------------- */

nprof_status
system_origin (System *s, int64_t time)
{
  if (s->has_origin)
    return NPROF_OK;
  s->has_origin = true;
  s->origin = time / SECOND_NS * SECOND_NS;
  return s->host->origin (s->host, s->origin);
}

bool
system_ps (const System *s, int64_t time, int64_t *ps)
{
  int64_t since;
  if (__builtin_sub_overflow (time, s->origin, &since) || since > FAR_NS || since < -FAR_NS)
    return false;
  *ps = since * 1000;
  return true;
}

nprof_track
system_machine (System *s)
{
  if (!s->machine)
    s->machine
        = s->host->track (s->host, 0, NPROF_TRACK_HOST, nprof_intern (s->host, "host"), 0, 0);
  return s->machine;
}

nprof_track
system_device (System *s)
{
  if (!s->device)
    s->device = s->host->track (s->host, 0, NPROF_TRACK_DEVICE, nprof_intern (s->host, "nd"),
                                nprof_intern (s->host, "Neuron device"), 0);
  return s->device;
}

nprof_status
system_damage (System *s, const SystemFile *file, uint64_t at, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  return file->name ? nprof_damage (s->host, at, "of %s beside it: %s", file->name, what)
                    : nprof_damage (s->host, at, "%s", what);
}

/* -- Decoding ---------------------------------------------------------------------------------- */

/* Calls fn for each file of that kind. */
static nprof_status
each_file (System *s, SystemKind kind, nprof_status (*fn) (System *s, const SystemFile *file))
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < s->files->len && !status; i++) {
    const SystemFile *file = &g_array_index (s->files, SystemFile, i);
    if (file->kind == kind)
      status = fn (s, file);
  }
  return status;
}

/* The rows of trace_info.pb are those of the profile's first file. */
static nprof_status
read_tables (System *s, const SystemFile *file)
{
  nprof_status status = s->host->table (s->host, &neuron_details_table);
  return status ? status : system_dictionaries (s, file);
}

static nprof_status
trace (System *s, const SystemFile *file)
{
  g_autoptr (GArray) records = g_array_new (FALSE, FALSE, sizeof (SystemRecord));
  nprof_status status = system_records (s, file, records);
  g_array_set_size (s->syncs, 0);
  neuron_syncs_read (s->syncs, file->data, file->len);
  return status ? status : system_rows (s, file, records);
}

/* Gives the origin before the first row, which may be one of kind gap. */
static nprof_status
first_time (System *s, const SystemFile *file)
{
  uint64_t at = 0, from, to;
  while (!s->has_origin && neuron_record_next (file->data, &at, file->len, &from, &to)) {
    uint64_t time = neuron_wire_int (file->data, from, to, 2);
    if (system_is_time (time))
      return system_origin (s, (int64_t) time);
  }
  return NPROF_OK;
}

static nprof_status
own_is_known (System *s)
{
  const SystemFile *own = &g_array_index (s->files, SystemFile, 0);
  if (own->kind != SYSTEM_NONE)
    return NPROF_OK;
  return nprof_fail (
      s->host, NPROF_E_FORMAT,
      "byte 0: this is no file of a system profile of Neuron: ntrace.pb, cpu_util.pb and "
      "host_mem.pb are records that begin with their length, u32, and have a time in field 2; "
      "trace_info.pb is a message with dictionaries");
}

static nprof_status
system_decode (void *self, const void *data, uint64_t len)
{
  System *s = self;
  s->w = s->host->writer (s->host);
  if (!s->w)
    return NPROF_E_NOMEM;
  nprof_status status = system_files (s, data, len);
  status = status ? status : own_is_known (s);
  status = status ? status : each_file (s, SYSTEM_INFO, system_info_time);
  status = status ? status : each_file (s, SYSTEM_TRACE, first_time);
  status = status ? status : each_file (s, SYSTEM_CPU, first_time);
  status = status ? status : each_file (s, SYSTEM_MEMORY, first_time);
  status = status ? status : each_file (s, SYSTEM_INFO, system_info);
  status = status ? status : each_file (s, SYSTEM_INFO, system_info_end);
  status = status ? status : each_file (s, SYSTEM_INFO, read_tables);
  status = status ? status : each_file (s, SYSTEM_METANEFF, system_metaneff);
  status = status ? status : each_file (s, SYSTEM_TRACE, trace);
  status = status ? status : system_memory_rows (s);
  status = status ? status : each_file (s, SYSTEM_CPU, system_samples);
  status = status ? status : each_file (s, SYSTEM_MEMORY, system_samples);
  return status ? status : s->host->progress (s->host, 0, len);
}

static nprof_status
system_declare (void *self, const void *data, uint64_t len, struct nprof_declaration *out)
{
  nprof_status status = NPROF_OK;
  out->is_part = system_is_part (self, data, len, &status);
  return status;
}

/* -- Life -------------------------------------------------------------------------------------- */

static nprof_status
system_open (void *self, const struct nprof_host *host)
{
  System *s = self;
  s->host = host;
  s->files = g_array_new (FALSE, FALSE, sizeof (SystemFile));
  g_array_set_clear_func (s->files, system_file_clear);
  s->types = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  s->models = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  s->threads = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  s->cores = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  s->syncs = g_array_new (FALSE, FALSE, sizeof (NeuronSync));
  system_launches_open (s);
  system_memory_open (s);
  s->runtime = nprof_intern (host, "runtime");
  s->hardware = nprof_intern (host, "hardware");
  s->execution = nprof_intern (host, "execution");
  s->setup = nprof_intern (host, "runtime setup");
  s->running = nprof_intern (host, "nc_exec_running");
  s->switching = nprof_intern (host, "nc_model_switch");
  s->key = (SystemKeys){
    .args = nprof_intern (host, "args"),
    .bytes = nprof_intern (host, NPROF_KEY_BYTES),
    .neff = nprof_intern (host, "neff"),
    .execution = nprof_intern (host, "execution"),
    .usage = nprof_intern (host, "usage_type"),
    .phase = nprof_intern (host, NPROF_KEY_FLOW_PHASE),
    .begin = nprof_intern (host, "begin"),
    .end = nprof_intern (host, "end"),
  };
  return meaning_say (host);
}

static void
system_close (void *self)
{
  System *s = self;
  GHashTable **tables[] = { &s->types, &s->models, &s->threads, &s->cores, &s->launches };
  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    g_clear_pointer (tables[i], g_hash_table_unref);
  g_clear_pointer (&s->files, g_array_unref);
  g_clear_pointer (&s->syncs, g_array_unref);
  system_memory_close (s);
}

static const struct nprof_component decoder = {
  .size = sizeof decoder,
  .kind = NPROF_DECODER,
  .name = "neuron-system",
  .summary = "system profiles of AWS Neuron in their own files, and names of a model's tensors",
  .formats
  = "ntrace.pb, trace_info.pb, cpu_util.pb and host_mem.pb of the Neuron runtime, of one folder "
    "together; metaneff",
  .flags = NPROF_DECODER_FOLDER,
  .options = NPROF_OPTIONS (
      NPROF_BOOL_OPTION (System, private, "private", "no",
                         "print instance and process ids, host names and addresses of the file")),
  .attributes = NPROF_ATTRIBUTES (
      &meaning_attribute,
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_BYTES, "byte",
                       "of a tensor, copy, allocation or free"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_UNIT, "", "of a counter's values"),
      NPROF_ATTRIBUTE (NPROF_INT64, "execution", "",
                       "number of the execution on its core: exec_id"),
      NPROF_ATTRIBUTE (NPROF_STRING, "neff", "", "NEFF of the model, by the file's own dictionary"),
      NPROF_ATTRIBUTE (NPROF_STRING, "usage_type", "", "what memory is for, as the file says"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_FLOW_PHASE, "",
                       "begin (the host begins an execution), end (the device runs it)"),
      NPROF_ATTRIBUTE (NPROF_JSON, "args", "", "all else, with the file's own keys")),
  .tables
  = (const struct nprof_table *const[]){ &neuron_details_table, &neuron_parameters_table, NULL },
  .instance_size = sizeof (System),
  .probe = system_probe,
  .open = system_open,
  .declare = system_declare,
  .decode = system_decode,
  .close = system_close,
};

NPROF_PLUGIN ("neuron-system", NPROF_VERSION, "Apache-2.0", &decoder)
