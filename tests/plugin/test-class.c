/* SPDX-License-Identifier: Apache-2.0 */
/* test-class.c - what work is, by the categories and names of real producers. */

#include "devicekit/class.h"

#include <glib.h>

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
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++) {
    const AnClass class = an_class (meaning_of (ON_WORK, known[i].category, known[i].name));
    if (class != known[i].class)
      g_error ("%s, %s: class %d, expected %d", known[i].category, known[i].name, class,
               known[i].class);
  }
}

/* Each has a word of its own, by which analyzers know it. */
static void
test_words (void)
{
  g_assert_null (meaning_word (MEANS_NOTHING));
  for (guint k = MEANS_NOTHING + 1; k < N_MEANINGS; k++)
    for (guint other = MEANS_NOTHING + 1; other < k; other++)
      g_assert_cmpstr (meaning_word ((Meaning) k), !=, meaning_word ((Meaning) other));
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
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (an_goes_over_link (meaning_of (ON_WORK, rows[i].category, rows[i].name)) != rows[i].link)
      g_error ("%s, %s: expected %d", rows[i].category, rows[i].name, rows[i].link);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/class/known", test_known);
  g_test_add_func ("/class/links", test_links);
  g_test_add_func ("/class/words", test_words);
  return g_test_run ();
}
