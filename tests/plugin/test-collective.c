/* SPDX-License-Identifier: Apache-2.0 */
/* test-collective.c - names of communication and names that only look like it:
 * plugins/analyzers/devicekit/collective.c. */
#include "producers/collective-name.h"

static const struct {
  const char *name, *kind;
} communication[] = {
  { "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "all_reduce" },
  { "ncclKernel_ReduceScatter_RING_LL_Sum_half(ncclWorkElem)", "reduce_scatter" },
  { "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "all_gather" },
  { "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", "send_recv" },
  { "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)", "collective" },
  { "ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "collective" },
  { "ncclSymDevKernel_AllReduce_AGxLL_R_sum<__nv_bfloat16>(ncclSymDevArgs)", "all_reduce" },
  { "rcclKernel(int)", "collective" },
  { "mscclKernel_Sum_half_LL(mscclWork*)", "collective" },
  { "void mscclpp::allreduce2<__half>(...)", "all_reduce" },
  { "void mscclpp_kernel<int>(...)", "collective" },
  { "hccl_kernel", "collective" },
  { "hcom_allReduce__123_0_1", "all_reduce" },
  { "hccl::all_reduce", "all_reduce" },
  { "oneccl_allreduce_large<float>", "all_reduce" },
  { "onecclKernel", "collective" },
  { "xccl::broadcast", "collective" },
  { "nvshmemi_barrier_kernel", "collective" },
  { "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 2>(vllm::RankData*, vllm::RankSignals)",
    "all_reduce" },
  { "_ZN4vllm25cross_device_reduce_2stageI14__hip_bfloat16Li8EEvPNS_8RankDataE", "all_reduce" },
  { "void aiter::cross_device_reduce_2stage_naive<bf16, 8>(...)", "all_reduce" },
  { "two_shot_all_reduce_kernel", "all_reduce" },
  { "void c10d::symmetric_memory::(anonymous namespace)::one_shot_all_reduce_kernel<bf16>(x)",
    "all_reduce" },
  { "multimem_all_reduce_kernel", "all_reduce" },
  { "multimem_all_gather_kernel", "all_gather" },
  { "c10d::symmetric_memory::barrier_kernel(unsigned int**, unsigned long)", "collective" },
  { "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<1, 2>(p)",
    "all_reduce" },
  { "void tensorrt_llm::kernels::ar_fusion::allreduce_fusion_kernel_twoshot_sync<5>(p)",
    "all_reduce" },
  { "trtllm::allReduce", "all_reduce" },
  { "tensorrt_llm::kernels::oneShotAllReduceKernel", "all_reduce" },
  { "void tensorrt_llm::kernels::mnnvl::moeAlltoAllKernel<1>(x)", "all_to_all" },
  { "quickreduce::allreduce_prototype_twoshot<x>", "all_reduce" },
  { "all2all_intranode_kernel", "all_to_all" },
  { "void deep_ep::internode::dispatch<true, 8>(int4*, float*)", "dispatch" },
  { "void deep_ep::internode_ll::combine<7168>(void*)", "combine" },
  { "void deep_ep::intranode::notify_dispatch<8>(int const*)", "dispatch" },
  { "void deep_ep::intranode::cached_notify_combine<8>(int const*)", "collective" },
  { "deep_ep::intranode::barrier<8>(int**, int)", "barrier" },
  { "void dpsk::ep::internode::notify_dispatch<8>(int)", "dispatch" },
  { "_ZN7deep_ep9internode7combineILi8EEEvPv", "combine" },
  { "void hybrid_ep::dispatch_kernel<x>(y)", "dispatch" },
  { "mori::moe::EpDispatchIntraNodeKernel<bf16>", "dispatch" },
  { "mori::moe::EpCombineInterNodeKernel<bf16>", "combine" },
  { "userbuffers_fp16_sum_inplace_gpu_rr_rw<8>", "collective" },
  { "kuserbuffers_pushrecv", "collective" },
  /* HLO, by name and by category */
  { "all-reduce.12", "all_reduce" },
  { "all-reduce-start.1", "all_reduce" },
  { "all-reduce-scatter fusion", "all_reduce" },
  { "reduce-scatter", "reduce_scatter" },
  { "all-gather-done.3", "all_gather" },
  { "ragged-all-to-all.2", "all_to_all" },
  { "collective-permute-start.7", "permute" },
  { "collective-broadcast.1", "broadcast" },
  { "send", "send_recv" },
  { "recv.12", "send_recv" },
  { "send-done.1", "send_recv" },
};

static const char *const others[] = {
  "",
  "gemm",
  "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn",
  /* whose functors, types or arguments name one */
  ("void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cutlass::gemm::collective::"
   "CollectiveMma<int>>>(params)"),
  "void softmax_kernel<oneflow::cuda::softmax::BlockAllReduce<float>>(float*)",
  "void elementwise_kernel<4, AllReduceFunctor>(int, AllReduceFunctor)",
  "void pack(ncclComm*)",
  "warpAllReduceSum",
  "layernorm_block_all_reduce",
  /* that compute while they communicate */
  "all_gather_matmul_kernel",
  "allgather_gemm",
  /* fusions are named after what is in them */
  "triton_poi_fused_all_reduce_wait_tensor_3",
  "triton_red_fused__to_copy_all_gather_into_tensor_0",
  /* words that hold these letters */
  "small_reduce_kernel",
  "overall_reduce",
  "reduce_kernel",
  "scatter_reduce",
  "void at::native::reduce_kernel<512, 1, x>(y)",
  "hcompress_kernel",
  "occlusion_kernel",
  "circcl",
  "broadcast_kernel",
  "barrier",
  "send_buffer_kernel",
  "recvmsg",
  "sender",
  "send.x",
  "send-to-expert",
  "collective",
  "permute",
  /* what experts do by themselves */
  "void deep_ep::layout::get_dispatch_layout<256>(long const*)",
  "void moe::dispatch_tokens<8>(int*)",
  "dispatch",
  "combine_kernel",
  "topk_gating",
  /* names that are damaged */
  "_Z",
  "_ZN",
  "_ZN9999999999999999999999nccl",
  "_ZN4096",
  "<<<<<nccl",
  "(nccl",
};

static void
test_communication (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (communication); i++)
    if (g_strcmp0 (collective_of_name (communication[i].name), communication[i].kind))
      g_error ("%s is %s, expected %s", communication[i].name,
               collective_of_name (communication[i].name), communication[i].kind);
}

static void
test_others (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    if (collective_of_name (others[i]))
      g_error ("%s is taken for %s", others[i], collective_of_name (others[i]));
}

static void
test_ends (void)
{
  static const char *const names[][3] = { { "all-reduce-start.3", "-start", "all-reduce.3" },
                                          { "all-gather-done", "-done", "all-gather" },
                                          { "all-reduce-start.3", "-done", NULL },
                                          { "all-reduce-started", "-start", NULL } };
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *found = collective_without (names[i][0], names[i][1]);
    g_assert_cmpstr (found, ==, names[i][2]);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/collective/communication", test_communication);
  g_test_add_func ("/collective/others", test_others);
  g_test_add_func ("/collective/ends", test_ends);
  return g_test_run ();
}
