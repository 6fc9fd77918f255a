/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - follows the allocated memory of devices over time, from the instants of PyTorch's
 * allocator: `[memory]` with "Total Allocated", "Device Id" and "Device Type" (0 is the host).
 * source: output_json.cpp of Kineto, c10/core/DeviceType.h */
#include "device.h"
#include "devicekit/json-member.h"

void
dv_memory_free (gpointer memory)
{
  DvMemory *m = memory;
  g_free (m->most);
  g_free (m->last);
  g_free (m->last_at);
  g_free (m);
}

static DvMemory *
memory_of (DvRun *run, guint32 input, gint64 number)
{
  const guint32 key[] = { input, (guint32) number, (guint32) ((guint64) number >> 32) };
  guint place = an_key_table_get (&run->memory_keys, key);
  if (place < run->memories->len)
    return g_ptr_array_index (run->memories, place);
  DvMemory *m = g_new0 (DvMemory, 1);
  m->input = input;
  m->number = number;
  m->most = g_new (double, run->n_bins);
  m->last = g_new (double, run->n_bins);
  m->last_at = g_new (gint64, run->n_bins);
  for (guint i = 0; i < run->n_bins; i++)
    m->most[i] = NAN;
  g_ptr_array_add (run->memories, m);
  return m;
}

static void
take_instant (DvRun *run, guint32 input, gint64 at, const char *json, gsize len)
{
  gint64 allocated, number, type;
  if (!an_json_int (json, len, "Total Allocated", &allocated) || allocated < 0
      || !an_json_int (json, len, "Device Id", &number)
      || !an_json_int (json, len, "Device Type", &type) || type == 0)
    return;
  DvMemory *m = memory_of (run, input, number);
  gint64 bin = (at - run->host->run (run->host)->first) / run->width;
  bin = CLAMP (bin, 0, (gint64) run->n_bins - 1);
  gboolean first = isnan (m->most[bin]);
  m->most[bin] = first ? (double) allocated : MAX (m->most[bin], (double) allocated);
  if (!first && at < m->last_at[bin]) /* told on the tracks of another device */
    return;
  m->last[bin] = (double) allocated;
  m->last_at[bin] = at;
}

void
dv_memory_row (DvRun *run, const struct nprof_batch *batch, uint32_t i)
{
  for (uint32_t j = batch->attr_at ? batch->attr_at[i] : 0;
       batch->attr_at && j < batch->attr_at[i + 1]; j++)
    if (batch->attr_key[j] == run->key_args && batch->attr_type[j] == NPROF_JSON)
      take_instant (run, batch->input, batch->start[i],
                    batch->bytes + batch->attr_value[j].bytes.at, batch->attr_value[j].bytes.len);
}

typedef struct {
  AnKeyTable keys;    /* input, key of the track */
  GPtrArray *devices; /* of Device: the first    */
} ByKey;

static ByKey
by_key (const DvRun *run)
{
  ByKey by = { .devices = g_ptr_array_new () };
  an_key_table_init (&by.keys, 2);
  for (guint i = 0; i < run->devices->len; i++) {
    Device *d = g_ptr_array_index (run->devices, i);
    const guint32 key[] = { d->input, run->host->track_info (run->host, d->track)->key };
    if (an_key_table_get (&by.keys, key) == by.devices->len)
      g_ptr_array_add (by.devices, d);
  }
  return by;
}

/* Returns the device that the allocator calls by that number: its key is the number. */
static Device *
device_of (const DvRun *run, const ByKey *by, const DvMemory *m)
{
  g_autofree char *number = g_strdup_printf ("%" G_GINT64_FORMAT, m->number);
  const guint32 key[] = { m->input, nprof_intern (run->host, number) };
  guint place;
  return an_key_table_find (&by->keys, key, &place) ? g_ptr_array_index (by->devices, place) : NULL;
}

/* Carries the allocated bytes to a bin, because what is allocated when it begins was so before,
 * also where nothing is told in it. */
static void
carry (const DvRun *run, DvMemory *m)
{
  double before = NAN;
  for (guint i = 0; i < run->n_bins; i++) {
    gboolean told = !isnan (m->most[i]);
    m->most[i] = fmax (m->most[i], before);
    before = told ? m->last[i] : before;
  }
}

static int
by_number (gconstpointer a, gconstpointer b)
{
  const DvMemory *x = *(const DvMemory *const *) a, *y = *(const DvMemory *const *) b;
  if (x->input != y->input)
    return x->input < y->input ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

nprof_status
dv_memory_counters (DvRun *run)
{
  nprof_status status = NPROF_OK;
  ByKey by = by_key (run);
  g_ptr_array_sort (run->memories, by_number);
  for (guint i = 0; i < run->memories->len && status == NPROF_OK; i++) {
    DvMemory *m = g_ptr_array_index (run->memories, i);
    Device *d = device_of (run, &by, m);
    carry (run, m);
    if (d)
      status = dv_counter_rows (d, "Device Memory", "byte", DV_N_COUNTERS, m->most);
    else
      nprof_log (run->host, NPROF_INFO,
                 "memory of device %" G_GINT64_FORMAT " has no counter: the device did no work",
                 m->number);
  }
  an_key_table_clear (&by.keys);
  g_ptr_array_unref (by.devices);
  return status;
}
