/* SPDX-License-Identifier: Apache-2.0 */
/* kind.c - decides which file of a system profile this is, by its fields; only where these do not
 * tell, by its name. */
#include "system.h"

#include <string.h>

#define LOOKED_AT 8 /* records */

bool
system_is_time (uint64_t ns)
{
  return ns >= UINT64_C (1000000000) * 1000000000 && ns <= INT64_MAX; /* since 2001 */
}

static char *
base_name (const char *path)
{
  return path ? g_path_get_basename (path) : g_strdup ("");
}

/* -- Rows of records --------------------------------------------------------------------------- */

/* Says what a record is: CPU and memory have the same fields, but for the type of the first. */
static SystemKind
record_kind (const uint8_t *data, uint64_t from, uint64_t to)
{
  uint64_t time = 0, phase = 0, event = 0;
  bool whole = false, number = false, other = false;
  NeuronWire w;
  while (neuron_wire_next (data, &from, to, &w)) {
    time = w.number == 2 && w.wire == 0 ? w.value : time;
    phase = w.number == 14 && w.wire == 0 ? w.value : phase;
    event += w.number == 9 || w.number == 10 || w.number == 15;
    whole |= w.number == 1 && w.wire == 0;
    number |= (w.number == 1 && w.wire == 5) || (w.number == 3 && w.wire == 0);
    other |= w.number > 3 || w.wire == 2;
  }
  if (from != to || !system_is_time (time))
    return SYSTEM_NONE;
  if (other)
    return event && phase >= PHASE_START && phase <= PHASE_INSTANT ? SYSTEM_TRACE : SYSTEM_NONE;
  return whole && !number ? SYSTEM_MEMORY : !whole ? SYSTEM_CPU : SYSTEM_NONE;
}

/* Most records in sight are of one kind; a damaged one among them is for the decoder to report. CPU
 * and memory agree where a value is 0, which is absent, so one that states a number decides. */
static SystemKind
records_kind (const uint8_t *head, size_t len)
{
  uint64_t at = 0, from, to;
  SystemKind kind = SYSTEM_NONE;
  guint known = 0, unknown = 0;
  for (guint i = 0; i < LOOKED_AT && neuron_record_next (head, &at, len, &from, &to); i++) {
    SystemKind one = record_kind (head, from, to);
    bool apart
        = kind != SYSTEM_NONE && one != kind && (one == SYSTEM_TRACE || kind == SYSTEM_TRACE);
    if (one == SYSTEM_NONE || apart) {
      unknown++;
      continue;
    }
    known++;
    kind = kind == SYSTEM_MEMORY ? kind : one;
  }
  return known > unknown ? kind : SYSTEM_NONE;
}

/* -- Single messages --------------------------------------------------------------------------- */

static bool
is_info (const uint8_t *head, size_t len, const char *name)
{
  if (len < 2 || head[0] != 0x08)
    return false;
  return memmem (head, len, "ntrace_inspect_type", 19)
         || (g_str_has_prefix (name, "trace_info") && neuron_wire_whole (head, 0, len));
}

/* Reads a tensor as far as it says that it is one: {1 name, 2 packed shape, 3 type}. */
static bool
is_tensor (const uint8_t *head, const NeuronWire *tensor)
{
  uint64_t from = tensor->from;
  bool name = false, type = false;
  NeuronWire w;
  while (neuron_wire_next (head, &from, tensor->to, &w)) {
    name |= w.number == 1 && w.wire == 2 && w.to > w.from
            && g_utf8_validate ((const char *) head + w.from, (gssize) (w.to - w.from), NULL);
    type |= w.number == 3 && w.wire == 0 && w.value < 64;
    if (w.number > 16 || (w.number <= 2 && w.wire != 2) || (w.number == 3 && w.wire != 0))
      return false;
  }
  return from == tensor->to && name && type;
}

static bool
is_metaneff (const uint8_t *head, size_t len)
{
  uint64_t at = 0;
  NeuronWire w;
  guint n = 0;
  while (n < LOOKED_AT && neuron_wire_next (head, &at, len, &w)) {
    if (w.wire != 2 || w.number > 2)
      break;
    if (!is_tensor (head, &w))
      return false;
    n++;
  }
  return n > 0;
}

/* -- Together ---------------------------------------------------------------------------------- */

/* By its fields: the name only tells memory from the CPU, and information that lacks its key. */
SystemKind
system_kind (const uint8_t *head, size_t len, const char *path)
{
  g_autofree char *name = base_name (path);
  SystemKind kind = records_kind (head, len);
  if (kind == SYSTEM_CPU && g_str_has_prefix (name, "host_mem"))
    return SYSTEM_MEMORY;
  if (kind != SYSTEM_NONE)
    return kind;
  if (is_info (head, len, name))
    return SYSTEM_INFO;
  return is_metaneff (head, len) ? SYSTEM_METANEFF : SYSTEM_NONE;
}

int
system_probe (const void *head, size_t len, uint64_t size, const char *path)
{
  g_autofree char *name = base_name (path);
  SystemKind kind = system_kind (head, len, path);
  (void) size;
  if (kind == SYSTEM_METANEFF && !g_str_has_suffix (name, "metaneff"))
    return 60;
  return kind == SYSTEM_NONE ? 0 : 90;
}
