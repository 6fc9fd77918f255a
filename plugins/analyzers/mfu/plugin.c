/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer mfu: tells how much of what a device could do was done. */
#include "mfu.h"

static const struct nprof_table *const tables[] = { &mfu_table, NULL };

static nprof_status write_own (void *self);

static nprof_status
mfu_open (void *self, const struct nprof_host *host)
{
  MfRun *run = self;
  run->host = host;
  an_rows_init (&run->rows, host, "mfu", tables, NULL, write_own);
  run->places = an_places_new (host);
  run->shapes = mf_shapes_new (host);
  run->devices = g_ptr_array_new_with_free_func (mf_device_free);
  run->by_track = g_ptr_array_new ();
  run->tracks = g_ptr_array_new_with_free_func (g_free);
  run->peaks = an_peaks_new (host, *run->folder ? run->folder : NULL, run->peak_flops,
                             run->peak_bandwidth);
  if (!run->peaks)
    return NPROF_E_OPTION;
  nprof_status status = an_traits_init (&run->traits, host, false);
  if (status == NPROF_OK)
    status = an_work_init (&run->work, host, TRUE);
  return status == NPROF_OK ? host->table (host, &mfu_table) : status;
}

static nprof_status
mfu_choose (void *self, const struct nprof_batch *batch, uint8_t *rows)
{
  const MfRun *run = self;
  an_choose (run->places, AN_CHOOSE_WORK | AN_CHOOSE_AROUND, batch, rows);
  return NPROF_OK;
}

static nprof_status
mfu_consume (void *self, const struct nprof_batch *batch)
{
  return mf_rows (self, batch);
}

static nprof_status
take_table (void *self, const struct nprof_table *table, const struct nprof_cell *cells,
            uint32_t n_rows)
{
  mf_shapes_table (((MfRun *) self)->shapes, table, cells, n_rows);
  return NPROF_OK;
}

static int
by_place (gconstpointer a, gconstpointer b)
{
  const MfDevice *x = *(const MfDevice *const *) a, *y = *(const MfDevice *const *) b;
  return an_place_compare (x->run->host, x->track, y->track);
}

static nprof_status
write_own (void *self)
{
  MfRun *run = self;
  nprof_status status = NPROF_OK;
  g_ptr_array_sort (run->devices, by_place);
  for (guint i = 0; i < run->devices->len && status == NPROF_OK; i++) {
    mf_device_end (g_ptr_array_index (run->devices, i));
    mf_forget_model (g_ptr_array_index (run->devices, i));
    status = mf_device_rows (g_ptr_array_index (run->devices, i));
  }
  return status;
}

static void
mfu_close (void *self)
{
  MfRun *run = self;
  an_rows_clear (&run->rows);
  g_ptr_array_unref (run->devices);
  g_ptr_array_unref (run->tracks);
  g_ptr_array_unref (run->by_track);
  an_places_free (run->places);
  an_traits_clear (&run->traits);
  an_peaks_free (run->peaks);
  mf_shapes_free (run->shapes);
  an_work_clear (&run->work);
}

/* clang-format off */
static const struct nprof_row_want stated_step = { .size = sizeof stated_step, .key = AN_WORK_STATED_KEY };

static const struct nprof_component mfu = {
  .size = sizeof mfu,
  .kind = NPROF_ANALYZER,
  .name = "mfu",
  .summary = "MFU, HFU, MBU and the roofline of devices, steps, layers and operators",
  .options = NPROF_OPTIONS (
      NPROF_PATH_OPTION (MfRun, folder, "devices", "", "folder of peak rates, instead of nprof's own"),
      NPROF_DOUBLE_OPTION (MfRun, peak_flops, "peak_flops", "0", "0.0..1e30",
                           "flop/s of a device, before all other sources; 0: not given"),
      NPROF_DOUBLE_OPTION (MfRun, peak_bandwidth, "peak_bandwidth", "0", "0.0..1e30",
                           "byte/s of its main memory, before all other sources; 0: not given")),
  .tables = tables,
  .wants = (const char *const[]) { AN_WORK_KEYS, NPROF_KEY_CROSSES_EDGE, AN_PEAK_KEYS, NULL },
  .row_wants = (const struct nprof_row_want *const[]) { &stated_step, NULL },
  .order = NPROF_ORDER_DEVICE,
  .flags = NPROF_ANALYZER_NO_LINKS | NPROF_ANALYZER_NO_ROWS | NPROF_ANALYZER_CONTEXT,
  .instance_size = sizeof (MfRun),
  .open = mfu_open,
  .consume = mfu_consume,
  .table = take_table,
  .table_wants = (const char *const[]) { "operators?", "operator_flops?", "step_flops?", "step_breakdown?", NULL },
  .finish = an_rows_finish,
  .close = mfu_close,
  .choose = mfu_choose,
  .save = an_rows_save,
  .merge = an_rows_merge,
};
/* clang-format on */

NPROF_PLUGIN ("mfu", NPROF_VERSION, "Apache-2.0", &mfu)
