/* SPDX-License-Identifier: Apache-2.0 */
/* test-class.c - what work is, by the categories and names of real producers. */

#include "devicekit/class.h"
#include "testhost.h"

typedef struct {
  int unused;
} None;

static nprof_status
none_consume (void *self, const struct nprof_batch *batch)
{
  (void) self;
  (void) batch;
  return NPROF_OK;
}

/* An analyzer for the host that a test gets with it. */
static const struct nprof_component none = {
  .size = sizeof none,
  .kind = NPROF_ANALYZER,
  .name = "none",
  .summary = "does nothing",
  .instance_size = sizeof (None),
  .consume = none_consume,
};

static const struct {
  const char *category, *name;
  AnClass class;
} known[] = {
  /* Kineto */
  { "kernel", "ampere_bf16_s16816gemm_bf16_128x128", AN_COMPUTE },
  { "kernel", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    AN_COMMUNICATION },
  { "Kernel", "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", AN_COMMUNICATION },
  { "kernel", "void vllm::cross_device_reduce_1stage<__half, 2>(RankData*)", AN_COMMUNICATION },
  { "kernel", "__amd_rocclr_copyBuffer", AN_MEMORY },
  { "kernel", "__amd_rocclr_fillBufferAligned", AN_COMPUTE },
  { "gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", AN_MEMORY },
  { "Memcpy", "Memcpy DtoH (Device -> Pageable)", AN_MEMORY },
  { "gpu_memset", "Memset (Device)", AN_COMPUTE },
  { "mtia_ccp_events", "dma_request", AN_MEMORY },
  { "mtia_ccp_events", "fc-dtype_Float", AN_COMPUTE },
  /* XLA */
  { "convolution fusion", "fusion.12", AN_COMPUTE },
  { "all-reduce-scatter fusion", "fusion.13", AN_COMMUNICATION },
  { "all-gather-start", "all-gather-start.1", AN_COMMUNICATION },
  { "collective-permute-done", "collective-permute-done.3", AN_COMMUNICATION },
  { "copy-done", "copy-done.2", AN_MEMORY },
  { "host send-done", "send-done.1", AN_MEMORY },
  { "while", "while.4", AN_CONTROL },
  { "custom-call", "splash_mha", AN_COMPUTE },
  { "compute", "loop_add_fusion", AN_COMPUTE },
  { "memcpy", "MemcpyD2D", AN_MEMORY },
  { "", "all-reduce.7", AN_COMMUNICATION },
  { "", "send.3", AN_COMMUNICATION },
  { "send-done", "send-done.3", AN_COMMUNICATION },
  { "", "send_buffer_kernel", AN_COMPUTE },
  { "", "MemcpyH2D", AN_MEMORY },
  { "", "", AN_COMPUTE },
  /* Neuron */
  { "execution", "execution", AN_AROUND },
  { "dma", "qSyncIO0", AN_MEMORY },
  { "collective", "AllReduce", AN_COMMUNICATION },
  { "instruction", "MATMUL (likely)", AN_COMPUTE },
  { "instruction", "EVENT_SET (likely)", AN_CONTROL },
  { "instruction", "NOP (likely)", AN_SETUP },
  { "instruction", "Load", AN_COMPUTE },
  /* Furiosa */
  { "NPU", "Execution", AN_AROUND },
  { "NPU", "Task", AN_AROUND },
  { "NPU", "Load", AN_MEMORY },
  { "NPU", "DMA (3)", AN_MEMORY },
  { "NPU", "LowLevelConv2d", AN_COMPUTE },
};

static void
test_known (void)
{
  g_autoptr (NprofTestRun) run = nprof_test_open (&none, NULL, NULL);
  const struct nprof_host *h = nprof_test_host (run);
  AnClasses *classes = an_classes_new (h);
  for (int twice = 0; twice < 2; twice++)
    for (gsize i = 0; i < G_N_ELEMENTS (known); i++) {
      AnClass class = an_class (classes, nprof_intern (h, known[i].category),
                                nprof_intern (h, known[i].name), FALSE);
      if (class != known[i].class)
        g_error ("%s, %s: class %d, expected %d", known[i].category, known[i].name, class,
                 known[i].class);
      g_assert_cmpint (an_class_of_texts (known[i].category, known[i].name), ==, class);
    }
  nprof_str kernel = nprof_intern (h, "kernel"), gemm = nprof_intern (h, "gemm");
  g_assert_cmpint (an_class (classes, kernel, gemm, TRUE), ==, AN_COMMUNICATION);
  g_assert_cmpint (an_class (classes, kernel, gemm, FALSE), ==, AN_COMPUTE);
  an_classes_free (classes);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
}

/* A copy within a device takes its memory alone; communication and the host are behind links. */
static void
test_links (void)
{
  static const struct {
    const char *category, *name;
    bool link;
  } rows[] = {
    { "all-reduce", "all-reduce.1", true },
    { "", "ncclDevKernel_AllGather_RING_LL", true },
    { "infeed", "infeed.3", true },
    { "outfeed", "outfeed", true },
    { "host send-done", "send.1", true },
    { "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", true },
    { "gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", true },
    { "", "MemcpyD2H", true },
    { "", "CopyHostToDevice", true },
    { "gpu_memcpy", "Memcpy DtoD (Device -> Device)", false },
    { "copy", "copy.2", false },
    { "dma", "qSyncIO0", false },
    { "loop fusion", "fusion.1", false },
    { "kernel", "infeed_kernel", false },
  };
  g_autoptr (NprofTestRun) run = nprof_test_open (&none, NULL, NULL);
  const struct nprof_host *h = nprof_test_host (run);
  AnClasses *classes = an_classes_new (h);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    nprof_str category = nprof_intern (h, rows[i].category), name = nprof_intern (h, rows[i].name);
    AnClass class = an_class (classes, category, name, FALSE);
    if (an_goes_over_link (classes, class, category, name) != rows[i].link)
      g_error ("%s, %s: expected %d", rows[i].category, rows[i].name, rows[i].link);
  }
  an_classes_free (classes);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/class/known", test_known);
  g_test_add_func ("/class/links", test_links);
  return g_test_run ();
}
