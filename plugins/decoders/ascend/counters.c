/* SPDX-License-Identifier: Apache-2.0 */
/* counters.c - counters of devices: memory of each component of PyTorch's, the frequency of the
 * cores, and the bandwidth of the main memory. */
#include "ascend.h"

typedef struct {
  const char *table, *time;
  const char *values[3];            /* columns; NULL: none */
  const char *names[3], *unit, *by; /* by: a column of text that stands before the name */
  double factor;
} Source;

static const Source sources[] = {
  { "MEMORY_RECORD",
    "timestamp",
    { "totalAllocated", "totalReserved" },
    { "allocated", "reserved" },
    "byte",
    "component",
    1 },
  { "AICORE_FREQ", "timestampNs", { "freq" }, { "AI core frequency" }, "Hz", NULL, 1e6 },
};

typedef struct {
  const Source *source;
  nprof_set unit;
} Counting;

static nprof_status
take_sample (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  const Counting *c = user;
  const gint64 time = ascend_int (rows, columns[0]), device = ascend_int (rows, columns[1]);
  const nprof_str by
      = c->source->by ? ascend_text (&self->strings, ascend_int (rows, columns[2])) : 0;
  nprof_status status = NPROF_OK;
  for (guint i = 0; c->source->values[i] && !status; i++) {
    const gint64 value = ascend_int (rows, columns[3 + i]);
    g_autofree char *both
        = by ? g_strdup_printf ("%s %s", nprof_text (self->host, by), c->source->names[i])
             : g_strdup (c->source->names[i]);
    const nprof_str name = nprof_intern (self->host, both);
    bool begun;
    if (value < 0)
      continue; /* null: this row tells of the other */
    status = ascend_row (self, rows, NPROF_COUNTER,
                         ascend_counter (self, device < 0 ? self->first_device : device, name),
                         name, time, time, &begun);
    if (status || !begun)
      continue;
    nprof_set_value (self->w, (double) value * c->source->factor);
    nprof_set_shared (self->w, c->unit);
  }
  return status;
}

nprof_status
ascend_counters (Ascend *self)
{
  nprof_status status = NPROF_OK;
  for (gsize i = 0; i < G_N_ELEMENTS (sources) && !status; i++) {
    const Source *s = &sources[i];
    Counting c = { s, nprof_unit (self->host, s->unit) };
    if (!c.unit)
      return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for attributes");
    status = ascend_each (self, s->table,
                          ASCEND_COLUMNS (s->time, "deviceId", s->by ? s->by : "", s->values[0],
                                          s->values[1] ? s->values[1] : ""),
                          1, false, take_sample, &c);
  }
  return status;
}
