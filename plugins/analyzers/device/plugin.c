/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer device: tells when devices were busy, with what, and what they waited
 * for. */
#include "device.h"
#include "devicekit/logical-core.h"

static const struct nprof_table *const tables[]
    = { &devices_table, &gaps_table,   &closed_gaps_table, &section_gaps_table,  &categories_table,
        &dma_table,     &linked_table, &engines_table,     &logical_cores_table, NULL };

static nprof_status write_own (void *self);

static nprof_status
device_open (void *self, const struct nprof_host *host)
{
  DvRun *run = self;
  run->host = host;
  an_rows_init (&run->rows, host, "device", tables, &gaps_table, write_own);
  run->places = an_places_new (host);
  run->gaps = g_array_new (FALSE, FALSE, sizeof (DvGap));
  run->waits = an_waits_new (host);
  an_held_init (&run->held, dv_held, run);
  run->devices = g_ptr_array_new_with_free_func (dv_device_free);
  run->wholes = g_ptr_array_new_with_free_func (dv_device_free);
  run->by_track = g_ptr_array_new ();
  run->tracks = g_ptr_array_new_with_free_func (dv_track_free);
  run->losses = g_array_new (FALSE, FALSE, sizeof (DvLoss));
  run->memories = g_ptr_array_new_with_free_func (dv_memory_free);
  an_key_table_init (&run->memory_keys, 3);
  run->launch_keys = an_launch_keys (host);
  run->key_args = nprof_intern (host, "args");
  run->name_memory = nprof_intern (host, "[memory]");
  run->peaks = an_peaks_new (host, *run->folder ? run->folder : NULL, run->peak_flops,
                             run->peak_bandwidth);
  if (!run->peaks)
    return NPROF_E_OPTION;
  nprof_status status = an_traits_init (&run->traits, host, true);
  if (status == NPROF_OK)
    status = an_work_init (&run->work, host, FALSE);
  return status == NPROF_OK ? dv_announce (run) : status;
}

static nprof_status
device_choose (void *self, const struct nprof_batch *batch, uint8_t *rows)
{
  dv_choose (self, batch, rows);
  return NPROF_OK;
}

static nprof_status
device_consume (void *self, const struct nprof_batch *batch)
{
  return dv_rows (self, batch);
}

static int
by_place (gconstpointer a, gconstpointer b)
{
  const Device *x = *(const Device *const *) a, *y = *(const Device *const *) b;
  return an_place_compare (x->run->host, x->track, y->track);
}

static nprof_status
write_own (void *self)
{
  DvRun *run = self;
  nprof_status status = NPROF_OK;
  an_held_end (&run->held);
  g_ptr_array_sort (run->devices, by_place);
  g_autofree nprof_track *tracks = g_new (nprof_track, run->devices->len + 1);
  for (guint i = 0; i < run->devices->len; i++) {
    Device *d = g_ptr_array_index (run->devices, i);
    d->place = i;
    tracks[i] = d->track;
    dv_device_end (d);
  }
  run->core_places = an_logical_core_places (run->host, tracks, run->devices->len);
  for (guint i = 0; i < run->devices->len && status == NPROF_OK; i++) {
    Device *d = g_ptr_array_index (run->devices, i);
    status = dv_device_rows (d);
    if (status == NPROF_OK)
      status = dv_counters (d);
  }
  if (status == NPROF_OK)
    status = dv_logical_write (run);
  if (status == NPROF_OK)
    status = dv_gaps_write (run);
  if (status == NPROF_OK)
    status = dv_closed_gaps_write (run);
  if (status == NPROF_OK)
    status = dv_memory_counters (run);
  if (run->unclosed)
    nprof_log (run->host, NPROF_WARNING,
               "spans of devices without an end in the file: %" G_GUINT64_FORMAT
               "; they are in no number",
               run->unclosed);
  return status;
}

static void
device_close (void *self)
{
  DvRun *run = self;
  g_ptr_array_unref (run->devices);
  g_ptr_array_unref (run->wholes);
  g_clear_pointer (&run->core_places, g_ptr_array_unref);
  g_ptr_array_unref (run->tracks);
  g_ptr_array_unref (run->memories);
  an_key_table_clear (&run->memory_keys);
  g_array_unref (run->losses);
  g_ptr_array_unref (run->by_track);
  g_array_unref (run->gaps);
  an_places_free (run->places);
  an_traits_clear (&run->traits);
  an_waits_free (run->waits);
  an_peaks_free (run->peaks);
  an_work_clear (&run->work);
  an_launches_clear (&run->launches);
  an_held_clear (&run->held);
  an_rows_clear (&run->rows);
}

/* clang-format off */
/* PyTorch says in these args what memory was allocated. */
static const struct nprof_row_want args_of_instants
    = { .size = sizeof args_of_instants, .kinds = 1u << NPROF_INSTANT, .key = "args" };

static const struct nprof_component device = {
  .size = sizeof device,
  .kind = NPROF_ANALYZER,
  .name = "device",
  .summary = "busy and idle devices, overlap, gaps and counters over time",
  .options = NPROF_OPTIONS (
      NPROF_INT_OPTION (DvRun, bin, "bin", "0", "0..1000000000000",
                        "width of a bin of the counters in ns; 0: 1/1000 of the run"),
      NPROF_INT_OPTION (DvRun, gap, "gap", "-1", "-1..1000000000000",
                        "gaps shorter than this, in ns, share a row; -1: than 10000, or 0.5 % of a "
                        "run that is shorter than 2 ms"),
      NPROF_PATH_OPTION (DvRun, folder, "devices", "", "folder of peak rates, instead of nprof's own"),
      NPROF_DOUBLE_OPTION (DvRun, peak_flops, "peak_flops", "0", "0.0..1e30",
                           "flop/s of a device, before all other sources; 0: not given"),
      NPROF_DOUBLE_OPTION (DvRun, peak_bandwidth, "peak_bandwidth", "0", "0.0..1e30",
                           "byte/s of its main memory, before all other sources; 0: not given")),
  .attributes = NPROF_ATTRIBUTES (NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_UNIT, "", "of a counter's values")),
  .tables = tables,
  .wants = (const char *const[]) { AN_AMOUNT_KEYS, NPROF_KEY_CROSSES_EDGE, AN_PEAK_KEYS, NULL },
  .row_wants = (const struct nprof_row_want *const[]) { &args_of_instants, NULL },
  .order = NPROF_ORDER_DEVICE,
  .flags = NPROF_ANALYZER_NO_LINKS | NPROF_ANALYZER_CONTEXT,
  .instance_size = sizeof (DvRun),
  .open = device_open,
  .consume = device_consume,
  .finish = an_rows_finish,
  .close = device_close,
  .choose = device_choose,
  .save = an_rows_save,
  .merge = an_rows_merge,
};
/* clang-format on */

NPROF_PLUGIN ("device", NPROF_VERSION, "Apache-2.0", &device)
