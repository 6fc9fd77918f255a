/* SPDX-License-Identifier: Apache-2.0 */
/* test-peaks.c - which peak holds for a device and what is said of its source, through an
 * analyzer that only prints them; and what share/devices knows. */

#include "devicekit/peaks.h"
#include "devices/device-rates.h"
#include "testhost.h"

#include <glib/gstdio.h>
#include <math.h>
#include <nprof/keys.h>

/* -- An analyzer that prints the peak of each track that has a span ------------------------- */

typedef struct {
  const struct nprof_host *host;
  AnPeaks *peaks;
  GArray *tracks;
  const char *devices;
  double flops, bandwidth;
} Printer;

static const struct nprof_table peaks_table = {
  .size = sizeof peaks_table,
  .name = "peaks",
  .title = "Peaks",
  .columns = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_STRING, "track", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_DOUBLE, "flops", "flop/s", ""),
                            NPROF_VALUE_COLUMN (NPROF_TEXT, "flops_source", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_DOUBLE, "bandwidth", "byte/s", ""),
                            NPROF_VALUE_COLUMN (NPROF_TEXT, "bandwidth_source", "", "")),
};

static nprof_status
printer_open (void *self, const struct nprof_host *host)
{
  Printer *p = self;
  p->host = host;
  p->tracks = g_array_new (FALSE, FALSE, sizeof (nprof_track));
  p->peaks = an_peaks_new (host, *p->devices ? p->devices : NULL, p->flops, p->bandwidth);
  return p->peaks ? host->table (host, &peaks_table) : NPROF_E_OPTION;
}

static nprof_status
printer_consume (void *self, const struct nprof_batch *batch)
{
  Printer *p = self;
  for (uint32_t i = 0; i < batch->n_rows; i++)
    if (batch->kind[i] != NPROF_FACT)
      g_array_append_val (p->tracks, batch->track[i]);
  return NPROF_OK;
}

static nprof_status
printer_finish (void *self)
{
  Printer *p = self;
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < p->tracks->len && status == NPROF_OK; i++) {
    nprof_track track = g_array_index (p->tracks, nprof_track, i);
    AnPeak peak = an_peaks_of (p->peaks, track);
    const struct nprof_cell cells[] = {
      nprof_cell_str (p->host->input (p->host, 0)->label),
      nprof_cell_str (p->host->track_info (p->host, track)->key),
      isnan (peak.flops) ? nprof_cell_null () : nprof_cell_double (peak.flops),
      nprof_cell_text (peak.flops_source),
      isnan (peak.bandwidth) ? nprof_cell_null () : nprof_cell_double (peak.bandwidth),
      nprof_cell_text (peak.bandwidth_source),
    };
    status = p->host->row (p->host, &peaks_table, cells);
  }
  return status;
}

static void
printer_close (void *self)
{
  Printer *p = self;
  an_peaks_free (p->peaks);
  g_array_unref (p->tracks);
}

static const struct nprof_component printer = {
  .size = sizeof printer,
  .kind = NPROF_ANALYZER,
  .name = "peaks",
  .summary = "prints peaks",
  .options
  = NPROF_OPTIONS (NPROF_STRING_OPTION (Printer, devices, "devices", "", "folder"),
                   NPROF_DOUBLE_OPTION (Printer, flops, "peak_flops", "0", "0.0..1e30", "flop/s"),
                   NPROF_DOUBLE_OPTION (Printer, bandwidth, "peak_bandwidth", "0", "0.0..1e30",
                                        "byte/s")),
  .tables = (const struct nprof_table *const[]){ &peaks_table, NULL },
  .wants = (const char *const[]){ AN_PEAK_KEYS, NULL },
  .instance_size = sizeof (Printer),
  .open = printer_open,
  .consume = printer_consume,
  .finish = printer_finish,
  .close = printer_close,
};

/* -- A run ------------------------------------------------------------------------------ */

static const struct nprof_attribute *const attributes[] = {
  NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_DEVICE_TYPE, "", ""),
  NPROF_ATTRIBUTE (NPROF_DOUBLE, NPROF_KEY_PEAK_FLOPS, "flop/s", ""),
  NPROF_ATTRIBUTE (NPROF_DOUBLE, NPROF_KEY_PEAK_BANDWIDTH, "byte/s", ""),
  NPROF_ATTRIBUTE (NPROF_DOUBLE, NPROF_KEY_CORE_COUNT, "", ""),
  NPROF_ATTRIBUTE (NPROF_DOUBLE, NPROF_KEY_CLOCK_RATE, "Hz", ""),
  NULL,
};

static char *
share_devices (void)
{
  return g_build_filename (g_getenv ("NPROF_SHARE"), "devices", NULL);
}

static NprofTestRun *
open_run (const char *options)
{
  return nprof_test_open (&printer, options,
                          &(NprofTestConfig){ .attributes = attributes,
                                              .data_folder = g_getenv ("NPROF_SHARE") });
}

static nprof_track
track_of (NprofTestRun *run, nprof_track parent, guint kind, const char *key)
{
  const struct nprof_host *h = nprof_test_host (run);
  return h->track (h, parent, kind, nprof_intern (h, key), 0, 0);
}

static void
span (NprofTestRun *run, nprof_track track)
{
  const struct nprof_host *h = nprof_test_host (run);
  g_assert_cmpint (nprof_span (h->writer (h), track, nprof_intern (h, "x"), 0, 1), ==, NPROF_OK);
}

static struct nprof_writer *
fact (NprofTestRun *run, nprof_track track, const char *key, const char *source)
{
  const struct nprof_host *h = nprof_test_host (run);
  struct nprof_writer *w = h->writer (h);
  g_assert_cmpint (nprof_row (w, NPROF_FACT, track, nprof_intern (h, key), 0, 0), ==, NPROF_OK);
  nprof_set_category (w, nprof_intern (h, source));
  return w;
}

static void
rate_fact (NprofTestRun *run, nprof_track track, const char *key, double rate)
{
  struct nprof_writer *w = fact (run, track, key, "stat of the file");
  nprof_attr_double (w, nprof_intern (nprof_test_host (run), key), rate);
}

static void
type_fact (NprofTestRun *run, nprof_track track, const char *type)
{
  const struct nprof_host *h = nprof_test_host (run);
  struct nprof_writer *w = fact (run, track, NPROF_KEY_DEVICE_TYPE, "name");
  nprof_attr_str (w, nprof_intern (h, NPROF_KEY_DEVICE_TYPE), nprof_intern (h, type));
}

static void
expect (NprofTestRun *run, const char *flops, const char *flops_source, const char *bandwidth,
        const char *bandwidth_source)
{
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_cmpstr (nprof_test_cell (run, "peaks", 0, "flops"), ==, flops);
  g_assert_cmpstr (nprof_test_cell (run, "peaks", 0, "flops_source"), ==, flops_source);
  g_assert_cmpstr (nprof_test_cell (run, "peaks", 0, "bandwidth"), ==, bandwidth);
  g_assert_cmpstr (nprof_test_cell (run, "peaks", 0, "bandwidth_source"), ==, bandwidth_source);
}

/* -- Which source wins --------------------------------------------------------------------- */

static void
test_nothing_known (void)
{
  g_autoptr (NprofTestRun) run = open_run (NULL);
  nprof_track device = track_of (run, 0, NPROF_TRACK_DEVICE, "d");
  type_fact (run, device, "a chip of 2031");
  rate_fact (run, device, NPROF_KEY_PEAK_FLOPS, 0);
  rate_fact (run, device, NPROF_KEY_PEAK_BANDWIDTH, -1);
  span (run, device);
  expect (run, NULL, NULL, NULL, NULL);
}

static void
test_share_devices (void)
{
  g_autoptr (NprofTestRun) run = open_run (NULL);
  nprof_track device = track_of (run, 0, NPROF_TRACK_DEVICE, "d");
  type_fact (run, device, "TPU v5 Lite");
  span (run, device);
  expect (run, "197000000000000", "share/devices/tpu.json (TPU v5e, bf16)", "819000000000",
          "share/devices/tpu.json (TPU v5e)");
}

/* A GPU without a name gets what its architecture does in a cycle, times what the file says of
 * it. */
static void
test_cores_and_clock (void)
{
  static const struct {
    const char *type;
    double cores, clock;
    const char *flops, *source;
  } cases[] = {
    { "AMD compute capability 9.4", 304, 2.1e9, "1.3074432e+15",
      "share/devices/amd.json (CDNA 3, gfx942, bf16: 2048 flop a core and cycle), file: 304 cores "
      "of 2.1 GHz" },
    { "gfx942:sramecc+:xnack-", 304, 2.1e9, "1.3074432e+15",
      "share/devices/amd.json (CDNA 3, gfx942, bf16: 2048 flop a core and cycle), file: 304 cores "
      "of 2.1 GHz" },
    { "Nvidia compute capability 8.0", 108, 1.41e9, "311869440000000",
      "share/devices/nvidia.json (compute capability 8.0, bf16: 2048 flop a core and cycle), "
      "file: 108 cores of 1.41 GHz" },
    { "Nvidia compute capability 8.0", 108, 0, NULL, NULL },
    { "Nvidia compute capability 8.0", 0, 1.41e9, NULL, NULL },
    { "Nvidia compute capability 8.9", 58, 2e9, NULL,
      NULL }, /* GeForce does half of what L4 does */
    { "NVIDIA H100 80GB HBM3", 132, 1.98e9, "989500000000000",
      "share/devices/nvidia.json (H100 SXM, bf16)" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (NprofTestRun) run = open_run (NULL);
    nprof_track device = track_of (run, 0, NPROF_TRACK_DEVICE, "d");
    type_fact (run, device, cases[i].type);
    rate_fact (run, device, NPROF_KEY_CORE_COUNT, cases[i].cores);
    rate_fact (run, device, NPROF_KEY_CLOCK_RATE, cases[i].clock);
    span (run, device);
    nprof_test_finish (run);
    g_assert_cmpstr (nprof_test_cell (run, "peaks", 0, "flops"), ==, cases[i].flops);
    g_assert_cmpstr (nprof_test_cell (run, "peaks", 0, "flops_source"), ==, cases[i].source);
  }
}

static void
test_file_before_share (void)
{
  g_autoptr (NprofTestRun) run = open_run (NULL);
  nprof_track device = track_of (run, 0, NPROF_TRACK_DEVICE, "d");
  nprof_track core = track_of (run, device, NPROF_TRACK_CORE, "c");
  type_fact (run, device, "NVIDIA H100 80GB HBM3");
  rate_fact (run, device, NPROF_KEY_PEAK_FLOPS, 5e14);
  rate_fact (run, device, NPROF_KEY_PEAK_FLOPS, 6e14); /* the first wins */
  span (run, core);
  expect (run, "500000000000000", "file: stat of the file", "3350000000000",
          "share/devices/nvidia.json (H100 SXM)");
}

static void
test_nearest_wins (void)
{
  g_autoptr (NprofTestRun) run = open_run (NULL);
  nprof_track device = track_of (run, 0, NPROF_TRACK_DEVICE, "d");
  nprof_track core = track_of (run, device, NPROF_TRACK_CORE, "c");
  type_fact (run, device, "TPU v4");
  type_fact (run, core, "TPU v3");
  rate_fact (run, device, NPROF_KEY_PEAK_FLOPS, 2);
  rate_fact (run, core, NPROF_KEY_PEAK_FLOPS, 1);
  span (run, core);
  expect (run, "1", "file: stat of the file", "450000000000", "share/devices/tpu.json (TPU v3)");
}

static void
test_option_first (void)
{
  g_autoptr (NprofTestRun) run = open_run ("peak_flops=7,peak_bandwidth=3");
  nprof_track device = track_of (run, 0, NPROF_TRACK_DEVICE, "d");
  type_fact (run, device, "TPU v4");
  rate_fact (run, device, NPROF_KEY_PEAK_FLOPS, 2);
  span (run, device);
  expect (run, "7", "option peak_flops", "3", "option peak_bandwidth");
}

/* -- A folder of one's own, and what can be wrong with it ------------------------------------- */

static char *
folder_with (const char *json)
{
  char *folder = g_dir_make_tmp ("nprof-peaks-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "own.json", NULL);
  g_assert_true (g_file_set_contents (path, json, -1, NULL));
  return folder;
}

static void
remove_folder (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "own.json", NULL);
  g_remove (path);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
test_own_folder (void)
{
  g_autofree char *folder
      = folder_with ("{\"devices\": [{\"name\": \"Mine\", \"match\": [\"my *\"],"
                     " \"peaks\": {\"x\": 4, \"y\": 5}, \"default\": \"y\"}]}");
  g_autofree char *options = g_strdup_printf ("devices=%s", folder);
  g_autoptr (NprofTestRun) run = open_run (options);
  nprof_track device = track_of (run, 0, NPROF_TRACK_DEVICE, "d");
  type_fact (run, device, "MY Chip");
  span (run, device);
  expect (run, "5", "option devices: own.json (Mine, y)", NULL, NULL);
  remove_folder (folder);
}

#define MINE(flops)                                                                                \
  "{\"devices\": [{\"name\": \"Mine\", \"match\": [\"*\"], \"peaks\": {\"x\": " flops              \
  "}, \"default\": \"x\"}]}"

static NpDeviceRates *
rates_of (const char *folder)
{
  NpDeviceRates *rates = np_device_rates_new ();
  g_assert_true (np_device_rates_read (rates, folder, NULL));
  return rates;
}

/* What was read for a run stands as long as the run; the next one reads only what has changed. */
static void
test_read_once (void)
{
  g_autofree char *folder = folder_with (MINE ("4"));
  g_autofree char *path = g_build_filename (folder, "own.json", NULL);
  NpDeviceRates *first = rates_of (folder), *second = rates_of (folder);
  const struct nprof_device *device = np_device_rates_find (first, folder, "any");
  g_assert_true (np_device_rates_find (second, folder, "any") == device);

  g_assert_true (g_file_set_contents (path, MINE ("55"), -1, NULL));
  NpDeviceRates *third = rates_of (folder);
  g_assert_cmpfloat (np_device_rates_find (third, folder, "any")->flops, ==, 55);
  g_assert_true (np_device_rates_find (second, folder, "any") == device);
  g_assert_cmpfloat (device->flops, ==, 4);
  np_device_rates_free (second);
  np_device_rates_free (first);
  np_device_rates_free (third);
  remove_folder (folder);
}

static gpointer
find_mine (gpointer folder)
{
  NpDeviceRates *rates = rates_of (folder);
  g_assert_cmpstr (np_device_rates_find (rates, folder, "any")->name, ==, "Mine");
  np_device_rates_free (rates);
  return NULL;
}

static void
test_several_threads (void)
{
  g_autofree char *folder = folder_with (MINE ("4"));
  GThread *threads[4];
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("finds", find_mine, folder);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  remove_folder (folder);
}

static void
test_bad_files (void)
{
  static const struct {
    const char *json, *said;
  } cases[] = {
    { "", "own.json: the file is empty: expected JSON" },
    { "{\"devices\": []} []", "own.json:1: something stands behind the end of the document" },
    { "{", "own.json:1:1: Parse error" },
    { "[]", "own.json: expected an object with \"devices\", a list" },
    { "{\"devices\": [7]}", "own.json: device 1 (no name): expected an object" },
    { "{\"devices\": [{}]}", "own.json: device 1 (no name): expected \"name\", a text" },
    { "{\"devices\": [{\"name\": \"A\", \"match\": []}]}",
      "own.json: device 1 (A): expected \"match\", a list of patterns of device_type" },
    { "{\"devices\": [{\"name\": \"A\", \"match\": [1]}]}",
      "expected \"match\", a list of patterns of device_type" },
    { "{\"devices\": [{\"name\": \"A\", \"match\": [\"a\"], \"default\": \"bf16\"}]}",
      "expected \"default\", a text, and \"peaks\", an object" },
    { "{\"devices\": [{\"name\": \"A\", \"match\": [\"a\"], \"default\": \"bf16\", \"peaks\": "
      "{\"fp8\": 1}}]}",
      "expected \"default\" to name one of \"peaks\", in flop/s" },
    { "{\"devices\": [{\"name\": \"A\", \"match\": [\"a\"], \"default\": \"bf16\", \"peaks\": "
      "{\"bf16\": -1}}]}",
      "expected \"default\" to name one of \"peaks\", in flop/s" },
    { "{\"devices\": [{\"name\": \"A\", \"match\": [\"a\"], \"default\": \"b\", \"peaks\": {\"b\": "
      "1}, "
      "\"bandwidth\": \"fast\"}]}",
      "expected \"bandwidth\" to be a number of bytes a second" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *folder = folder_with (cases[i].json);
    g_autofree char *options = g_strdup_printf ("devices=%s", folder);
    g_autoptr (NprofTestRun) run = open_run (options);
    nprof_test_finish (run);
    nprof_test_assert_fails (run, NPROF_E_OPTION, cases[i].said);
    remove_folder (folder);
  }
}

static void
test_no_folder (void)
{
  g_autofree char *folder = folder_with ("{}");
  remove_folder (folder);
  g_autofree char *options = g_strdup_printf ("devices=%s", folder);
  g_autoptr (NprofTestRun) run = open_run (options);
  nprof_test_finish (run);
  nprof_test_assert_fails (run, NPROF_E_OPTION, "No such file");
}

/* -- What is in share/devices ------------------------------------------------------------------ */

static void
test_real_names (void)
{
  /* as public files write them */
  static const struct {
    const char *type, *name;
    double tflops;
  } known[] = {
    { "TPU v6 Lite", "TPU v6e", 918 },
    { "TPU v5 Lite", "TPU v5e", 197 },
    { "TPU v5p", "TPU v5p", 229.5 },
    { "NVIDIA H100 80GB HBM3", "H100 SXM", 989.5 },
    { "NVIDIA A100-PG509-200", "A100 40GB", 312 },
    { "Tesla V100-DGXS-32GB", "V100 SXM2", 125 },
    { "AMD Instinct MI210", "Instinct MI210", 181 },
    { "trn1.2xlarge", "Trainium and Inferentia2 (NeuronCore-v2)", 91.7504 },
    { "trn2.48xlarge", "Trainium2 (NeuronCore-v3)", 78.6432 },
  };
  g_autofree char *folder = share_devices ();
  g_autoptr (GError) error = NULL;
  NpDeviceRates *rates = np_device_rates_new ();
  g_assert_true (np_device_rates_read (rates, folder, &error));
  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++) {
    const struct nprof_device *d = np_device_rates_find (rates, folder, known[i].type);
    g_assert_nonnull (d);
    g_assert_cmpstr (d->name, ==, known[i].name);
    g_assert_cmpfloat_with_epsilon (d->flops, known[i].tflops * 1e12, 1);
  }
  g_assert_null (
      np_device_rates_find (rates, folder, "AMD Radeon Graphics")); /* whatever that is */
  g_assert_null (np_device_rates_find (rates, folder, "NVIDIA L40"));
  g_assert_null (np_device_rates_find (rates, folder, ""));
  np_device_rates_free (rates);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/peaks/nothing-known", test_nothing_known);
  g_test_add_func ("/peaks/share-devices", test_share_devices);
  g_test_add_func ("/peaks/cores-and-clock", test_cores_and_clock);
  g_test_add_func ("/peaks/file-before-share", test_file_before_share);
  g_test_add_func ("/peaks/nearest-wins", test_nearest_wins);
  g_test_add_func ("/peaks/option-first", test_option_first);
  g_test_add_func ("/peaks/own-folder", test_own_folder);
  g_test_add_func ("/peaks/read-once", test_read_once);
  g_test_add_func ("/peaks/several-threads", test_several_threads);
  g_test_add_func ("/peaks/bad-files", test_bad_files);
  g_test_add_func ("/peaks/no-folder", test_no_folder);
  g_test_add_func ("/peaks/real-names", test_real_names);
  return g_test_run ();
}
