/* SPDX-License-Identifier: Apache-2.0 */
/* samples.c - writes cpu_util.pb and host_mem.pb as counters of the machine. A value of 0 is absent
 * from its record, as proto3 has it. */
#include "system.h"

#include <string.h>

typedef struct {
  uint64_t time, number, bytes; /* number: of the CPU                                   */
  float percent;
  bool finite;
} Sample;

static bool
read_sample (const SystemFile *file, uint64_t from, uint64_t to, Sample *sample)
{
  NeuronWire w;
  *sample = (Sample){ .finite = true };
  while (neuron_wire_next (file->data, &from, to, &w)) {
    if (w.number == 1 && w.wire == 5) {
      uint32_t bits;
      memcpy (&bits, file->data + w.from, sizeof bits);
      bits = GUINT32_FROM_LE (bits);
      memcpy (&sample->percent, &bits, sizeof bits);
      sample->finite = sample->percent >= 0 && sample->percent <= 1e6f;
    } else if (w.number == 1 && w.wire == 0) {
      sample->bytes = w.value;
    } else if (w.number == 2 && w.wire == 0) {
      sample->time = w.value;
    } else if (w.number == 3 && w.wire == 0) {
      sample->number = w.value;
    }
  }
  return from == to;
}

static nprof_status
put_sample (System *s, const SystemFile *file, const Sample *sample, uint64_t at)
{
  const struct nprof_host *h = s->host;
  bool cpu = file->kind == SYSTEM_CPU;
  int64_t start;
  if (!system_ps (s, (int64_t) sample->time, &start))
    return system_damage (s, file, at, "its time lies more than 100 days from the first");
  if (cpu && !sample->finite) {
    h->skip (h, "CPU sample", at, "its value is no percentage");
    return NPROF_OK;
  }
  g_autofree char *name = cpu ? g_strdup_printf ("cpu_util/%" G_GUINT64_FORMAT, sample->number)
                              : g_strdup ("mem_usage/used_bytes");
  nprof_str key = nprof_intern (h, name);
  nprof_track parent = system_machine (s);
  nprof_track track = parent ? h->track (h, parent, NPROF_TRACK_COUNTER, key, 0,
                                         (int64_t) MIN (sample->number, INT32_MAX))
                             : 0;
  if (!track)
    return NPROF_E_NOMEM;
  return nprof_counter_in (s->w, track, key, nprof_unit (h, cpu ? "%" : "byte"), start,
                           cpu ? (double) sample->percent : (double) sample->bytes);
}

static nprof_status
one_sample (System *s, const SystemFile *file, uint64_t from, uint64_t to)
{
  Sample sample;
  if (!read_sample (file, from, to, &sample))
    return system_damage (s, file, from, "the record of %" G_GUINT64_FORMAT " bytes is no message",
                          to - from);
  if (!system_is_time (sample.time))
    return system_damage (s, file, from,
                          "the sample has no time: field 2 was expected, ns since 1970");
  nprof_status status = system_origin (s, (int64_t) sample.time);
  return status ? status : put_sample (s, file, &sample, from);
}

nprof_status
system_samples (System *s, const SystemFile *file)
{
  uint64_t at = 0, from, to;
  nprof_status status = NPROF_OK;
  while (!status && neuron_record_next (file->data, &at, file->len, &from, &to))
    status = one_sample (s, file, from, to);
  if (!status && at != file->len)
    status = system_damage (s, file, at,
                            "a record begins whose length goes beyond the end of the file");
  return status;
}
