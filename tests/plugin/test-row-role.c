/* SPDX-License-Identifier: Apache-2.0 */
/* test-row-role.c - what rows of real layouts are to an analysis, by what the layer of producers
 * says of them: plugins/analyzers/devicekit/row-role.c, plugins/common/producers/meaning.c. */
#include "devicekit/row-role.h"
#include "producers/meaning.h"
#include "testhost.h"

#include <nprof/keys.h>

#define DEVICE NPROF_TRACK_DEVICE
#define CORE NPROF_TRACK_CORE
#define ENGINE NPROF_TRACK_ENGINE
#define QUEUE NPROF_TRACK_QUEUE
#define THREAD NPROF_TRACK_THREAD
#define PROCESS NPROF_TRACK_PROCESS
#define ASYNC NPROF_TRACK_ASYNC
#define DERIVED NPROF_TRACK_DERIVED

/* As decoders lay them out: `nprof info` of the traces of that producer shows the tracks. */
static const struct {
  struct {
    guint kind;
    const char *label;
  } path[4];
  const char *category, *name;
  AnRole role;
  const char *device; /* NULL: none */
} layouts[] = {
  /* xplane, TPU */
  { { { DEVICE, "/device:TPU:0" }, { ENGINE, "XLA Ops" } },
    "loop fusion",
    "fusion.1",
    AN_WORK,
    "/device:TPU:0" },
  { { { DEVICE, "/device:TPU:0" }, { ASYNC, "Async XLA Ops" } },
    "copy-start",
    "async-copy",
    AN_ASYNC,
    "/device:TPU:0" },
  { { { DEVICE, "/device:TPU:0" }, { THREAD, "XLA Modules" } },
    "",
    "jit_f(1)",
    AN_MODULE,
    "/device:TPU:0" },
  { { { DEVICE, "/device:TPU:0" }, { THREAD, "Steps" } }, "", "12", AN_STEP, "/device:TPU:0" },
  { { { DEVICE, "/device:TPU:0" }, { THREAD, "XLA TraceMe" } },
    "",
    "barrier",
    AN_NOTE,
    "/device:TPU:0" },
  { { { DEVICE, "/device:TPU:0" }, { THREAD, "Overlay" } }, "", "x", AN_NOTE, "/device:TPU:0" },
  { { { DEVICE, "/device:TPU:0 SparseCore 1" }, { THREAD, "Sparse Core Steps" } },
    "",
    "1",
    AN_STEP,
    "/device:TPU:0 SparseCore 1" },
  /* xplane, GPU; lines that TensorFlow 2.3 stored */
  { { { DEVICE, "/device:GPU:7" }, { QUEUE, "Stream #134(Compute)" } },
    "",
    "gemm",
    AN_WORK,
    "/device:GPU:7" },
  { { { DEVICE, "/device:GPU:7" }, { DERIVED, "Steps" } }, "", "3", AN_STEP, "/device:GPU:7" },
  { { { DEVICE, "/device:GPU:7" }, { DERIVED, "TensorFlow Ops" } },
    "",
    "Conv2D",
    AN_NOTE,
    "/device:GPU:7" },
  { { { PROCESS, "/host:CPU" }, { THREAD, "python" } }, "", "PjitFunction(f)", AN_HOST, NULL },
  { { { PROCESS, "/host:CPU" }, { THREAD, "XLA Modules" } }, "", "x", AN_HOST, NULL },
  /* Kineto */
  { { { DEVICE, "python3 (GPU 0)" }, { QUEUE, "stream 7 (sync)" } },
    "cuda_sync",
    "Stream Wait Event",
    AN_NOTE,
    "python3 (GPU 0)" },
  { { { DEVICE, "XPU 0" }, { QUEUE, "stream 7" } }, "xpu_sync", "wait", AN_NOTE, "XPU 0" },
  { { { DEVICE, "python3 (GPU 0)" }, { QUEUE, "stream 0" } },
    "cuda_profiler_range",
    "gemm",
    AN_NOTE,
    "python3 (GPU 0)" },
  { { { DEVICE, "MTIA 17" }, { QUEUE, "Stream 4" } },
    "mtia_ccp_events",
    "event_wait",
    AN_NOTE,
    "MTIA 17" },
  { { { DEVICE, "MTIA 17" }, { QUEUE, "Stream 4" } },
    "mtia_ccp_events",
    "pe_exe",
    AN_WORK,
    "MTIA 17" },
  { { { DEVICE, "python3 (GPU 0)" }, { QUEUE, "stream 7" } },
    "kernel",
    "event_wait",
    AN_WORK,
    "python3 (GPU 0)" },
  { { { PROCESS, "MTIA 17 (host)" }, { THREAD, "Stream 4 Submission Queue" } },
    "mtia_runtime",
    "synchronize",
    AN_HOST,
    NULL },
  { { { DEVICE, "python3 (GPU 0)" }, { QUEUE, "stream 7" } },
    "kernel",
    "k",
    AN_WORK,
    "python3 (GPU 0)" },
  { { { DEVICE, "python3 (GPU 0)" }, { QUEUE, "stream 7" } },
    "gpu_memcpy",
    "Memcpy",
    AN_WORK,
    "python3 (GPU 0)" },
  { { { DEVICE, "python3 (GPU 0)" }, { QUEUE, "stream 7" } },
    "gpu_user_annotation",
    "fwd",
    AN_NOTE,
    "python3 (GPU 0)" },
  { { { DEVICE, "python3 (GPU 0)" }, { QUEUE, "stream 7" } },
    "gpu_user_annotation",
    "ProfilerStep#6",
    AN_STEP,
    "python3 (GPU 0)" },
  { { { DEVICE, "python3 (GPU 0)" }, { THREAD, "thread 0 (python3)" } },
    "python_function",
    "threading.py",
    AN_NOTE,
    "python3 (GPU 0)" },
  { { { PROCESS, "python3 (CPU)" }, { THREAD, "thread 1" } }, "cpu_op", "aten::mm", AN_HOST, NULL },
  { { { PROCESS, "python3 (CPU)" }, { THREAD, "thread 1" } },
    "user_annotation",
    "ProfilerStep#6",
    AN_STEP,
    NULL },
  { { { PROCESS, "python3 (CPU)" }, { THREAD, "thread 1" } },
    "user_annotation",
    "fwd",
    AN_HOST,
    NULL },
  { { { PROCESS, "Spans" }, { THREAD, "PyTorch Profiler" } },
    "Trace",
    "PyTorch Profiler (0)",
    AN_HOST,
    NULL },
  /* Kineto of 2021, MTIA */
  { { { DEVICE, "python (GPU 0)" }, { QUEUE, "stream 7" } },
    "Kernel",
    "k",
    AN_WORK,
    "python (GPU 0)" },
  { { { DEVICE, "python (GPU 0)" }, { QUEUE, "stream 7" } },
    "Memset",
    "k",
    AN_WORK,
    "python (GPU 0)" },
  { { { DEVICE, "MTIA 9" }, { QUEUE, "Stream 1 FW" } },
    "mtia_ccp_events",
    "fc",
    AN_WORK,
    "MTIA 9" },
  { { { DEVICE, "MTIA 9" }, { THREAD, "DMA_REQUEST" } },
    "mtia_ccp_events",
    "dma",
    AN_WORK,
    "MTIA 9" },
  /* Neuron */
  { { { DEVICE, "Neuron device 0" }, { CORE, "NeuronCore 1" }, { ENGINE, "PE" } },
    "",
    "MATMUL",
    AN_WORK,
    "Neuron device 0/NeuronCore 1" },
  { { { DEVICE, "Neuron device 0" }, { CORE, "NeuronCore 1" }, { QUEUE, "DMA 3 queue 2" } },
    "",
    "q",
    AN_WORK,
    "Neuron device 0/NeuronCore 1" },
  /* Furiosa */
  { { { DEVICE, "NPU 0" } }, "NPU", "LowLevelConv2d", AN_WORK, "NPU 0" },
  { { { PROCESS, "Process 12" }, { THREAD, "45" } }, "Nux", "Inference", AN_HOST, NULL },
};

static nprof_status
ignore (void *self G_GNUC_UNUSED, const struct nprof_batch *batch G_GNUC_UNUSED)
{
  return NPROF_OK;
}

static nprof_status
open_nothing (void *self G_GNUC_UNUSED, const struct nprof_host *host G_GNUC_UNUSED)
{
  return NPROF_OK;
}

static const struct nprof_component nothing = { .size = sizeof nothing,
                                                .kind = NPROF_ANALYZER,
                                                .name = "nothing",
                                                .summary = "",
                                                .instance_size = 1,
                                                .open = open_nothing,
                                                .consume = ignore };

static nprof_track
track_of (const struct nprof_host *h, guint layout)
{
  nprof_track track = 0;
  for (guint i = 0; i < 4 && layouts[layout].path[i].label; i++)
    track = h->track (h, track, layouts[layout].path[i].kind,
                      nprof_intern (h, layouts[layout].path[i].label), 0, 0);
  return track;
}

/* As a decoder says it, whose rows follow the layer of producers. */
static Meaning
says_of (const struct nprof_host *h, nprof_track track, guint layout)
{
  const struct nprof_track_info *info = h->track_info (h, track), *at = info;
  while (at && at->kind != DEVICE && at->kind != CORE)
    at = at->parent ? h->track_info (h, at->parent) : NULL;
  return meaning_of (meaning_place (at != NULL, info->kind, nprof_text (h, info->key)),
                     layouts[layout].category, layouts[layout].name);
}

static void
test_layouts (void)
{
  g_autoptr (NprofTestRun) run = nprof_test_open (&nothing, NULL, NULL);
  const struct nprof_host *h = nprof_test_host (run);
  AnPlaces *places = an_places_new (h);
  for (guint twice = 0; twice < 2; twice++)
    for (guint i = 0; i < G_N_ELEMENTS (layouts); i++) {
      nprof_track track = track_of (h, i);
      const AnPlace *place = an_place (places, track);
      g_test_message ("%s %s", layouts[i].path[0].label, layouts[i].name);
      g_assert_cmpint (an_role (place, says_of (h, track, i)), ==, layouts[i].role);
      g_assert_cmpuint (place->track, ==, track);
      g_assert_cmpstr (place->device ? nprof_text (h, place->label) : NULL, ==, layouts[i].device);
    }
  an_places_free (places);
}

/* Many tracks and strings: arrays by handle grow, and places stay where they are. */
static void
test_many (void)
{
  g_autoptr (NprofTestRun) run = nprof_test_open (&nothing, NULL, NULL);
  const struct nprof_host *h = nprof_test_host (run);
  AnPlaces *places = an_places_new (h);
  nprof_track device = h->track (h, 0, DEVICE, nprof_intern (h, "d"), 0, 0);
  const AnPlace *first = an_place (places, device);
  for (int i = 0; i < 5000; i++) {
    g_autofree char *name = g_strdup_printf ("ProfilerStep%c%d", i % 2 ? '#' : ' ', i);
    const AnPlace *place
        = an_place (places, h->track (h, device, QUEUE, nprof_intern (h, name), 0, i));
    g_assert_cmpuint (place->device, ==, device);
    g_assert_cmpint (an_role (place, meaning_of (ON_WORK, name, name)), ==,
                     i % 2 ? AN_STEP : AN_WORK);
  }
  g_assert_true (an_place (places, device) == first);
  an_places_free (places);
  an_places_free (NULL);
}

/* -- Choosing ---------------------------------------------------------------------------- */

#define EACH 3 /* rows: a span, one end of an arrow, a fact */

typedef struct {
  nprof_track track[G_N_ELEMENTS (layouts) * EACH];
  nprof_str name[G_N_ELEMENTS (layouts) * EACH], category[G_N_ELEMENTS (layouts) * EACH];
  nprof_set shared[G_N_ELEMENTS (layouts) * EACH];
  uint8_t kind[G_N_ELEMENTS (layouts) * EACH];
  Meaning says[G_N_ELEMENTS (layouts) * EACH];
} Rows;

static nprof_set
set_of (const struct nprof_host *h, Meaning says)
{
  const char *word = meaning_word (says);
  const nprof_str key = nprof_intern (h, NPROF_KEY_WORK);
  const uint8_t type = NPROF_STRING;
  const nprof_value value = { .s = word ? nprof_intern (h, word) : 0 };
  const struct nprof_attrs set = { sizeof set, 1, &key, &type, &value, NULL };
  return word ? h->attrs (h, &set) : 0;
}

/* Rows in any order, which say what they are. */
static void
fill_rows (Rows *rows, const struct nprof_host *h, GRand *rand)
{
  static const uint8_t kinds[EACH] = { NPROF_SPAN, NPROF_FLOW, NPROF_FACT };
  for (guint i = 0; i < G_N_ELEMENTS (rows->kind); i++) {
    guint l = (guint) g_rand_int_range (rand, 0, G_N_ELEMENTS (layouts));
    rows->track[i] = track_of (h, l);
    rows->name[i] = nprof_intern (h, layouts[l].name);
    rows->category[i] = nprof_intern (h, layouts[l].category);
    rows->kind[i] = kinds[i % EACH];
    rows->says[i] = says_of (h, rows->track[i], l);
    rows->shared[i] = set_of (h, rows->says[i]);
  }
}

/* By what it is when all is known. */
static guint
flags_of (AnPlaces *places, const Rows *rows, guint i)
{
  if (rows->kind[i] != NPROF_SPAN)
    return 0;
  const AnPlace *place = an_place (places, rows->track[i]);
  const AnRole role = an_role (place, rows->says[i]);
  if (!place->device)
    return AN_CHOOSE_HOSTS | (rows->category[i] ? AN_CHOOSE_CATEGORIES : 0)
           | (role == AN_STEP ? AN_CHOOSE_AROUND : 0);
  switch (role) {
  case AN_WORK:
    return AN_CHOOSE_WORK;
  case AN_ASYNC:
    return AN_CHOOSE_ASYNC;
  case AN_STEP:
  case AN_MODULE:
    return AN_CHOOSE_AROUND;
  default:
    return 0;
  }
}

/* Rows that are asked for are chosen, and no others. */
static void
test_choose (void)
{
  g_autoptr (NprofTestRun) run = nprof_test_open (&nothing, NULL, NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  AnPlaces *places = an_places_new (nprof_test_host (run));
  for (guint what = 0; what < 32; what++) {
    Rows rows;
    uint8_t bits[G_N_ELEMENTS (rows.kind) / 8 + 1] = { 1 }; /* chosen by somebody else */
    fill_rows (&rows, nprof_test_host (run), rand);
    const struct nprof_batch batch = { .size = sizeof batch,
                                       .n_rows = G_N_ELEMENTS (rows.kind),
                                       .track = rows.track,
                                       .name = rows.name,
                                       .category = rows.category,
                                       .shared = rows.shared,
                                       .kind = rows.kind };
    an_choose (places, what, &batch, bits);
    for (guint i = 0; i < batch.n_rows; i++) {
      gboolean chosen = bits[i / 8] >> i % 8 & 1,
               wanted = (flags_of (places, &rows, i) & what) != 0;
      g_assert_true (chosen || !wanted);
      g_assert_true (wanted || !chosen || i == 0);
    }
  }
  an_places_free (places);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/roles/layouts", test_layouts);
  g_test_add_func ("/roles/many", test_many);
  g_test_add_func ("/roles/choose", test_choose);
  return g_test_run ();
}
