/* SPDX-License-Identifier: Apache-2.0 */
/* info.c - reads trace_info.pb: the dictionaries that name numbers of the other files, and what the
 * machine was. Who it was (addresses, names of instances and processes) the user has to ask for. */
#include "system.h"

#include <string.h>

enum {
  INFO_PROCESS = 2,
  INFO_INSTANCE = 4,
  INFO_TRACE = 6,
  INFO_MACHINE = 7,
  INFO_DICTIONARY = 10,
  INFO_START = 11,
  INFO_ADDRESS = 13,
  INFO_TYPE = 15,
  INFO_HOST = 17
};

/* -- Properties -------------------------------------------------------------------------------- */

static nprof_status
text_property (System *s, const SystemFile *file, const char *key, const NeuronWire *w)
{
  if (w->wire != 2)
    return NPROF_OK;
  g_autofree char *text = g_strndup ((const char *) file->data + w->from, w->to - w->from);
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  return *valid ? s->host->property (s->host, key, valid) : NPROF_OK;
}

static nprof_status
number_property (System *s, const char *key, const NeuronWire *w)
{
  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, w->value);
  return w->wire == 0 && w->value ? s->host->property (s->host, key, text) : NPROF_OK;
}

static nprof_status
machine (System *s, const SystemFile *file, const NeuronWire *whole)
{
  uint64_t at = whole->from;
  nprof_status status = NPROF_OK;
  NeuronWire w;
  while (!status && neuron_wire_next (file->data, &at, whole->to, &w))
    status = w.number == 1   ? number_property (s, "cpus", &w)
             : w.number == 2 ? text_property (s, file, "cpu_model", &w)
             : w.number == 3 ? number_property (s, "host_memory_bytes", &w)
                             : NPROF_OK;
  return status;
}

static nprof_status
property (System *s, const SystemFile *file, const NeuronWire *w)
{
  switch (w->number) {
  case INFO_MACHINE:
    return w->wire == 2 ? machine (s, file, w) : NPROF_OK;
  case INFO_TYPE:
    return text_property (s, file, "instance_type", w);
  case INFO_PROCESS:
    return s->private ? number_property (s, "process_id", w) : NPROF_OK;
  case INFO_INSTANCE:
    return s->private ? text_property (s, file, "instance_id", w) : NPROF_OK;
  case INFO_ADDRESS:
    return s->private ? text_property (s, file, "address", w) : NPROF_OK;
  case INFO_HOST:
    return s->private ? text_property (s, file, "host_name", w) : NPROF_OK;
  default:
    return NPROF_OK;
  }
}

/* -- Dictionaries ------------------------------------------------------------------------------ */

/* Calls fn for each entry of a dictionary {1 name, 2 rows {1 number, 2 text}}. */
typedef nprof_status (*Entry) (System *s, const char *dictionary, uint64_t at,
                               const NeuronPair *entry);

static nprof_status
each_entry (System *s, const SystemFile *file, const NeuronWire *whole, Entry fn)
{
  uint64_t at = whole->from;
  g_autofree char *name = NULL;
  nprof_status status = NPROF_OK;
  NeuronWire w;
  while (neuron_wire_next (file->data, &at, whole->to, &w) && !name)
    if (w.number == 1 && w.wire == 2)
      name = g_strndup ((const char *) file->data + w.from, w.to - w.from);
  for (at = whole->from; !status && neuron_wire_next (file->data, &at, whole->to, &w);) {
    NeuronPair pair;
    if (w.number == 2 && w.wire == 2 && neuron_wire_pair (file->data, &w, &pair))
      status = fn (s, name ? name : "", w.from, &pair);
  }
  return status;
}

static nprof_status
learn (System *s, const char *dictionary, uint64_t at, const NeuronPair *entry)
{
  GHashTable *names = g_str_equal (dictionary, "ntrace_inspect_type") ? s->types
                      : g_str_equal (dictionary, "system_trace")      ? s->models
                                                                      : NULL;
  (void) at;
  if (!names || !entry->value)
    return NPROF_OK;
  nprof_str name = s->host->intern (s->host, entry->value, entry->value_len);
  g_hash_table_replace (names, g_memdup2 (&entry->number, sizeof entry->number),
                        GUINT_TO_POINTER (name));
  return NPROF_OK;
}

static nprof_status
tell (System *s, const char *dictionary, uint64_t at, const NeuronPair *entry)
{
  g_autofree char *text = entry->value ? g_strndup (entry->value, entry->value_len) : g_strdup ("");
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_autofree char *number = g_strdup_printf ("%" G_GUINT64_FORMAT, entry->number);
  g_autofree char *section = g_utf8_make_valid (dictionary, -1);
  const struct neuron_details_row row = {
    .section = nprof_any_str (nprof_intern (s->host, section)),
    .at = nprof_some_uint (at),
    .field = nprof_any_str (nprof_intern (s->host, number)),
    .number = nprof_some_double ((double) entry->number),
    .text = nprof_some_text (valid),
  };
  return s->host->row (s->host, &neuron_details_table,
                       neuron_details_cells (nprof_cell_own_input (s->host), &row).cells);
}

/* Calls fn for the entries of all dictionaries. */
static nprof_status
dictionaries (System *s, const SystemFile *file, Entry fn)
{
  uint64_t at = 0;
  nprof_status status = NPROF_OK;
  NeuronWire w;
  while (!status && neuron_wire_next (file->data, &at, file->len, &w))
    if (w.number == INFO_DICTIONARY && w.wire == 2)
      status = each_entry (s, file, &w, fn);
  return status;
}

nprof_status
system_dictionaries (System *s, const SystemFile *file)
{
  return dictionaries (s, file, tell);
}

/* -- The whole --------------------------------------------------------------------------------- */

nprof_status
system_info_time (System *s, const SystemFile *file)
{
  uint64_t at = 0;
  NeuronWire w;
  while (!s->has_origin && neuron_wire_next (file->data, &at, file->len, &w))
    if (w.number == INFO_START && w.wire == 0 && system_is_time (w.value))
      return system_origin (s, (int64_t) w.value);
  return NPROF_OK;
}

nprof_status
system_info (System *s, const SystemFile *file)
{
  uint64_t at = 0;
  NeuronWire w;
  nprof_status status = dictionaries (s, file, learn);
  while (!status && neuron_wire_next (file->data, &at, file->len, &w)) {
    if (w.number == INFO_TRACE && w.wire == 2)
      s->stated += neuron_wire_int (file->data, w.from, w.to, 3);
    status = property (s, file, &w);
  }
  s->has_info = true;
  return status;
}

nprof_status
system_info_end (System *s, const SystemFile *file)
{
  uint64_t at = 0;
  NeuronWire w;
  while (neuron_wire_next (file->data, &at, file->len, &w))
    ;
  if (at == file->len)
    return NPROF_OK;
  return system_damage (s, file, at,
                        "this is no field of a message: the file ends within one, or is "
                        "damaged; names of types behind it are missing");
}
