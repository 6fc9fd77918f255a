# SPDX-License-Identifier: Apache-2.0
"""families.py - the family of a kernel in table kernels, by names as frameworks give them: what
each computes is written beside it by hand, with the names that mislead."""

import csv
import io
import json

from harness import check, check_same, main, run, test, write

# Of vLLM, SGLang, TensorRT-LLM, FlashInfer, AITER, Composable Kernel, Triton and llama.cpp.
SERVING = {
    'communication': [
        'void vllm::cross_device_reduce_2stage<__nv_bfloat16, 8>(vllm::RankData*)',
        'void sglang::cross_device_reduce_1stage<__hip_bfloat16, 8>',
        'void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<__half>',
    ],
    'routing': [
        'void moe_fused_gate_kernel<__nv_bfloat16, 8>',
        'void moe::dev::routing::routingDeepSeek::routingMainKernel<KernelParams<float> >',
        'aiter::grouped_topk_opt_sort_kernel<__hip_bfloat16>',
        'void aiter::opus_moe_sorting_entry<aiter::MoeSortingKernel>',
        'void ck_tile::kentry<2, ck_tile::MoeSortingMultiPhaseKernel_P23<ck_tile::MoeSortingProblemMp<int> > >',
        'void ck_tile::kentry<ck_tile::gfx950_t, 2, ck_tile::MoeSortingKernel<ck_tile::Problem<int> > >',
        'count_and_sort_expert_tokens_kernel',
        'moe_align_block_size_small_batch_expert_kernel',
    ],
    'moe gemm': [
        'fused_moe_kernel_gptq_awq',
        'void marlin_moe_wna16::Marlin<__nv_bfloat16, 1125899906909960l, 256>',
        'aiter::fmoe_bf16_pertokenFp8_g1u1_vs_silu_1tg_ps_32x512',
        'void ck::kernel_moe_gemm<ck::GridwiseMoeGemm<int>, true>',
        '_matmul_ogs_NNT_bf16xbf16xmxfp4_16x256x128x1',
        'void ck_tile::kentry<1, ck_tile::GroupedGemmKernel<ck_tile::GemmSpatiallyLocalTilePartitioner<int> > >',
    ],
    'kv cache': [
        'void vllm::concat_and_cache_mla_kernel<__nv_bfloat16, (vllm::Fp8KVCacheDataType)0>',
        'void vllm::indexer_k_quant_and_cache_kernel<__nv_bfloat16>',
        'void vllm::gather_and_maybe_dequant_cache<__nv_bfloat16>',
        'void flashinfer::AppendPagedKVCacheKernel<64, 8, __nv_bfloat16>',
        'void flashinfer::AppendPagedKVCacheDecodeKernel<128, 16>',
        'void tensorrt_llm::kernels::applyBiasRopeUpdateKVCacheV2<__nv_bfloat16>',
        'set_mla_kv_buffer_kernel',
        'create_flashinfer_kv_indices_triton',
        'copy_all_layer_kv_cache_tiled',
        'void trt_edgellm::kernel::instantiateKVCacheKernel<__half, 128, true>',
        'initKVCacheKernel',
    ],
    'rope': [
        'void flashinfer::BatchQKApplyRotaryPosIdsCosSinCacheEnhancedKernel<true, 128>',
        'void tensorrt_llm::kernels::applyMLARopeAndAssignQKVKernelGeneration<__nv_bfloat16>',
        'void flashinfer::RopeQuantizeKernel<true>',
        'void tensorrt_llm::kernels::fusedQKNormRopeKernel<128, false>',
    ],
    'attention': [
        'void flashinfer::BatchDecodeWithPagedKVCacheKernel<(flashinfer::PosEncodingMode)0, 2u, 1u, 8u>',
        'void flashinfer::BatchPrefillWithRaggedKVCacheKernel<flashinfer::KernelTraits<1> >',
        'void flashinfer::BatchPrefillWithPagedKVCacheKernel<flashinfer::KernelTraits<1> >',
        'void flashinfer::BatchDecodeWithPagedKVCacheKernelMLA<flashinfer::Traits>',
        'void flashinfer::SinglePrefillWithKVCacheKernel<flashinfer::KernelTraits<1> >',
        'void flashinfer::SingleDecodeWithKVCacheKernel<(flashinfer::PosEncodingMode)0>',
        'void flashinfer::PersistentVariableLengthMergeStatesKernel<8u, 16u, 4u, float>',
        'void flashinfer::mla::BatchMLAPagedAttentionKernel<flashinfer::mla::Traits>',
        'fmhaSm100fKernel_QkvBfloat16OBfloat16HQk576HV512HVPerCta256PagedKvDenseP64MultiCtasKvVarSeqQ16Kv128',
        'FmhaFwdPagedKVCacheKernel',
        'void ck_tile::kentry<1, ck_tile::FmhaFwdPagedKVKernel<ck_tile::KVCachePipeline<int> > >',
        'void ck_tile::kentry<ck_tile::gfx942_t, 2, ck_tile::FmhaFwdSplitKVKernel<ck_tile::Pipe<int> > >',
        'fmha_v2_flash_attention_bf16_64_128_S_q_paged_kv_128_causal_tma_ws_sm90_kernel',
        'void tensorrt_llm::kernels::mmha::masked_multihead_attention_kernel<uint16_t, KVBlockArray>',
        'void trtllm::mmhaKVCacheKernel<128>',
        'kernel_mha',
        'void FlashMlaWithKvCacheKernel<128>',
        '_fwd_grouped_kernel_stage1',
        '_fwd_kernel_stage2',
        '_fwd_kernel',
        'kernel_unified_attention_3d',
        'reduce_segments',
        'void vllm::merge_attn_states_kernel<__nv_bfloat16, 128u>',
        'void merge_state_kernel<__half>',
        'paged_attention_ll4mi_QKV_mfma16_kernel',
        'aiter::mla_dec_stage1_bf16_a16w16_subQ16_mqa16',
        'aiter::pa_bf16_noquant_gqa8_1tg_4w',
        'aiter::fmha_fwd_hd128_bf16_causal_group',
        'void kn_mla_reduce_v1_ps<MlaReduceTraits<512, 16> >',
        'qk_int8_sv_f8_accum_f32_attn_inst_buf',
    ],
    'sampling': [
        'void flashinfer::sampling::TopKTopPSamplingFromProbKernel<1024u>',
        'void flashinfer::sampling::RadixTopKKernel_Unified<256u>',
        'void vllm::apply_repetition_penalties_kernel<float>',
    ],
    'gemm': [
        'void marlin::Marlin<__nv_bfloat16, 1125899906909960l, 256>',
        'void cutlass::device_kernel<machete::MacheteKernel<int> >',
        'void wvSplitK_hf_sml_<__hip_bfloat16, 64, 2, 16, 8, 2, 4>',
        'void LLGemm1_kernel<__half, 4>',
        'void mul_mat_vec_q<(ggml_type)12, 1, false>',
        'void mul_mat_q<(ggml_type)39, 128, false>',
        'void dsv3_router_gemm_kernel<__nv_bfloat16, 384, 8, 2, 256, 7168>',
        'bmm_E4m3_E4m3E4m3_Fp32_t128x64x128u2_s6_et64x64',
        'void gemm_half_q_half_gptq_4bit_kernel<true, 1>',
        '_gemm_a8w8_blockscale_kernel',
    ],
    'norm': [
        'void vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>',
        'void flashinfer::norm::FusedAddRMSNormKernel<8u, __nv_bfloat16>',
        'void ck_tile::kentry<1, ck_tile::Rmsnorm2dFwd<ck_tile::Rmsnorm2dFwdPipelineOnePass<int> > >',
        'void aiter::add_rmsnorm_quant_kernel<__hip_bfloat16, 256>',
    ],
    'activation': ['void flashinfer::activation::act_and_mul_kernel<__half, &silu>'],
    'quantize': [
        'void per_token_group_quant_8bit_kernel<__nv_bfloat16, 16>',
        'void vllm::dynamic_per_token_scaled_fp8_quant_kernel_strided<c10::BFloat16>',
        'void vllm::cvt_fp16_to_fp4<__nv_bfloat16, false>',
        '_silu_mul_fp8_quant_deep_gemm',
    ],
}

NAMES = {
    'communication': [
        'ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)',
        'void vllm::cross_device_reduce_1stage<float, 2>',
        'void deep_ep::internode::dispatch<false, 8, true, 8>(int4*, float*, long*)',
        'void dpsk::ep::internode::combine<false, 8, __nv_bfloat16, 8, 2, 16, 24>(int4*)',
    ],
    'copy': ['Memcpy HtoD (Pageable -> Device)', 'Memset (Device)', '__amd_rocclr_copyBuffer'],
    'routing': [
        'vllm::moe::moe_align_block_size_kernel<int>',
        'void vllm::moe::topkGatingSoftmax<4, 8>',
    ],
    'moe gemm': ['fused_moe_kernel', '_ZN7cutlass13device_kernelINS_4gemm13GroupProblemShapeIE'],
    'kv cache': [
        'void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, (vllm::Fp8KVCacheDataType)0>'
    ],
    'rope': ['void vllm::rotary_embedding_kernel<c10::BFloat16, true>'],
    'attention': [
        'void flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64> >',
        'fmha_cutlassF_f16_aligned_64x64_rf_sm80',
        'cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_3_64x64x128',
        'void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<cutlass::'
        'arch::Sm90> > >(flash::Params)',
        'void cutlass::device_kernel<vllm::enable_sm100f_only<cutlass::fmha::kernel::Sm100FmhaMla> >',
        'void cutlass::device_kernel<flash::FlashAttnFwdCombine<cute::tuple<cute::C<64> > > >',
        'void at::native::attn_kernel<(vllm::Fp8KVCacheDataType)0>',
    ],
    'sampling': ['void at::native::(anonymous namespace)::multinomial_step<float>'],
    'gemm': [
        'sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128',
        'nvjet_tst_128x256_64x4',
        'void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int> > >',
        'void cutlass::device_kernel<at::cuda::detail::enable_3x_kernel_for_sm9x<cutlass::gemm::'
        'kernel::GemmUniversal<Property> > >',
        'void cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm_relu_f16_256x128_32x3_nn_align8>',
        'void cutlass::device_kernel<something::Unknown<flash_like> >',
        'Cijk_Ailk_Bljk_BBS_BH_MT64x64x64',
        'triton_tem_fused_mm_3',
        'volta_igemm_int8_128x128_ldg4_nt',
        'void deep_gemm::fp8_wgrad_gemm_kernel<7168u, 2048u>',
        'void cutlass__5x_cublas::Kernel<cutlass_80_tensorop_s1688gemm_128x128_16x5_tn_align4>',
    ],
    'layout': [
        'void cudnn::ops::nchwToNhwcKernel<__half, __half>',
        'SubTensorOpWithScalar1d',
        'SubTensorOpWithCastTensor1d',
    ],
    'convolution': [
        'void implicit_convolve_kernel<float>',
        'void implicit_convolve_sgemm<float, float, 1024, 5, 5, 3, 3, 3, 1, false>',
        'igemm_fwd_gtcx3_nhwc_fp16_bx0_ex0_bt128x128x32_wt32x32x8_ws1x1_wr2x2',
        'igemm_wrw_gtcx3_nhwc_fp16_bx0_ex0_bt256x256x32_wt32x32x8_ws2x2_wr2x2_gkgs',
        'sm80_xmma_wgrad_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128',
        'void cutlass_cudnn_infer::Kernel<cutlass_tensorop_s1688fprop_optimized_tf32_128x64>',
        'cudnn_infer_volta_scudnn_128x64_relu_medium_nn_v1',
        'volta_fp16_s884cudnn_fp16_256x128_ldg8_relu_f2f_exp_small_nhwc_tn_v1',
        'void cudnn::winograd::generateWinogradTilesKernel<0, float>',
    ],
    'norm': [
        'void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>',
        'void cudnn::bn_bw_1C11_singleread<float>',
    ],
    'embedding': [
        'void at::native::(anonymous namespace)::indexSelectLargeIndex<float>',
        'void at::native::vectorized_gather_kernel<16, long>',
    ],
    'optimizer': [
        'void at::native::(anonymous namespace)::multi_tensor_apply_kernel<TensorListMetadata<4> >'
    ],
    'softmax': ['void (anonymous namespace)::cunn_SoftMaxForward<8, float>'],
    'activation': ['void vllm::act_and_mul_kernel<c10::BFloat16, &vllm::silu_kernel>'],
    'cast': [
        'void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)>'
    ],
    'reduction': ['void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> >'],
    'elementwise': [
        'void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >',
        'void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::lambda> >',
    ],
    'fused': [
        'triton_poi_fused_add_mul_0',
        'triton_red_fused__softmax_3',
        'loop_fusion_12',
        'fusion',
    ],
    'other': ['my_kernel', 'void nothing<int>()', 'a' * 9000],
}


# What names tell beside the family: of the column marks.
MARKS = {
    'fused': [
        'void flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64> >',
        'fmha_cutlassF_f16_aligned_64x64_rf_sm80',
        'attn_fwd',
        '_attn_bwd_dkdv',
        'bwd_kernel_fuse',
        'kernel_unified_attention_2d',
        'void vllm::paged_attention_v2_kernel<__nv_bfloat16, (vllm::Fp8KVCacheDataType)0>',
        'void flashinfer::BatchPrefillWithRaggedKVCacheKernel<float>',
        'aclnnFlashAttentionScore_FlashAttentionScore_FlashAttentionScore',
        'aclnnFusedInferAttentionScoreV2_FusedInferAttentionScore',
        'cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_3_64x64x128',
        'FusedAttention',
        'fmhaSm100fKernel_QkvBfloat16OBfloat16H128PagedKvCausalP64VarSeqQ128Kv128',
    ],
    'fused_small': [
        'fmhaSm100aKernel_QkvE4m3OBfloat16HQk576HV512PagedKvDenseP32',
        'aiter::mla_a8w8_qh16_qseqlen1_gqaratio16_ps',
    ],
    'small': [
        'void deep_gemm::fp8_gemm_kernel<7168u, 2048u>',
        'Cijk_Alik_Bljk_F8BS_BH_Bias_HA_S_SAV_UserArgs_MT256x256x128',
        'Cijk_Alik_Bljk_I8BH_MT64x64x64',
        'sm80_xmma_gemm_i8i8_i8i32_f32_tn_n_tilesize128x128',
        'volta_igemm_int8_128x128_ldg4_nt',
        'cutlass_80_tensorop_i16832gemm_s8_256x128_64x3_tn_align16',
        'bmm_E4m3_E4m3E4m3_Fp32_t128x64x128u2_s6_et64x64',
        '_w8a8_block_fp8_matmul',
        'gemm_w4a16_kernel',
        'void marlin::Marlin<half, 256, 4>',
        'nvfp4_gemm',
        'mxfp4_matmul',
    ],
    'unaligned': [
        'void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_nn_align2>',
        'cutlass_80_wmma_tensorop_f16_s161616gemm_f16_16x16_128x2_tn_align1',
    ],
    'small_unaligned': ['cutlass_80_tensorop_i16832gemm_s8_256x128_64x3_tn_align2'],
    '': [
        'attention_scores_kernel',
        'void at::native::attn_kernel<(vllm::Fp8KVCacheDataType)0>',
        'void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, (vllm::Fp8KVCacheDataType)0>',
        'void at::native::vectorized_elementwise_kernel<8, at::native::bfloat16_copy_kernel>',
        'void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_256x128_32x3_nn_align8>',
        'cutlass_80_tensorop_s1688gemm_128x128_16x5_tn_align16',
        'cutlass_80_simt_sgemm_128x128_8x5_nn_align1',
        'cutlass_80_tensorop_d884gemm_64x64_16x3_nn_align1',
        'cutlass_80_tensorop_c1688gemm_64x64_16x3_nn_align1',
        'bmm_Bfloat16_Bfloat16Bfloat16_Fp32_t128x8x128_s8_et128x8',
        'Cijk_Ailk_Bljk_BBS_BH_MT256x128x32_MI16x16x16x1_SN_GRVW8_SU32_SVW8_WS64',
        'hgemm_bf16_32x64x64_S2TN_AS_SPK8_0',
        'igemm_fwd_gtcx3_nhwc_fp16_bx0_ex0_bt128x128x32_wt32x32x8_ws1x1_wr2x2',
        'void my_gemm_vec8<float4, int4, 8>',
        'batched_gemm_a16w16',
        'void k<double>(fp64_gemm)',
        'gemm_index_64bit_kernel',
        'gemm_128bit_load',
        'message_passing_attention',
        'nvjet_tst_128x256_64x4',
    ],
}


def launched(kernels):
    """Launches and kernels behind one another: (name, us)."""
    at, events = 0, []
    for k, (name, us) in enumerate(kernels):
        events += [
            {
                'ph': 'X',
                'cat': 'cuda_runtime',
                'name': 'cudaLaunchKernel',
                'ts': at,
                'dur': 1,
                'pid': 9,
                'tid': 9,
                'args': {'correlation': k + 1},
            },
            {
                'ph': 'X',
                'cat': 'kernel',
                'name': name,
                'ts': at + 2,
                'dur': us,
                'pid': 0,
                'tid': 7,
                'args': {'device': 0, 'stream': 7, 'correlation': k + 1},
            },
        ]
        at += us + 5
    return events


@test
def families_by_name(_folder):
    names = [
        (family, name)
        for table in (NAMES, SERVING)
        for family, all_names in table.items()
        for name in all_names
    ]
    events = launched((name, 5) for _, name in names)
    write('a.json', json.dumps({'traceEvents': events}))
    out = (
        run('run', '-a', 'operators', '-s', 'csv:table=kernels', '-o', '-', 'a.json').expect(0).out
    )
    csv.field_size_limit(1 << 20)
    found = {r['kernel']: r['family'] for r in csv.DictReader(io.StringIO(out))}
    for family, name in names:
        check_same(found.get(name), family, name[:90])


@test
def marks_by_name(_folder):
    names = [(marks, name) for marks, all_names in MARKS.items() for name in all_names]
    write('m.json', json.dumps({'traceEvents': launched((name, 5) for _, name in names)}))
    out = (
        run('run', '-a', 'operators', '-s', 'csv:table=kernels', '-o', '-', 'm.json').expect(0).out
    )
    found = {r['kernel']: r['marks'] for r in csv.DictReader(io.StringIO(out))}
    for marks, name in names:
        check_same(found.get(name), marks, name)


@test
def what_a_name_tells_is_not_advised(_folder):
    """Of the kernel alone, and of the family whose largest it is."""
    pad = 'dimensions padded to a multiple of'
    for name, said, never in (
        ('attn_fwd', 'a smaller type', 'a fused attention'),
        ('attention_scores_kernel', 'a fused attention kernel, a smaller type', pad),
        ('attention_scores_fp8', 'a fused attention kernel', 'a smaller type'),
        (MARKS['fused_small'][0], 'the profiler of its maker', 'a smaller type'),
        ('my_gemm_fp8', 'larger and aligned dimensions', 'a smaller type'),
        ('my_gemm', 'a smaller type, larger and aligned dimensions', pad),
        (MARKS['unaligned'][1], f'{pad} 8 (of 16 bytes)', 'a smaller type'),
        (MARKS['small_unaligned'][0], f'{pad} 16 bytes', 'a smaller type'),
        ('implicit_convolve_int8', 'the layout that the library', 'a smaller type'),
    ):
        other = next((o for o in ('attention_x', 'convolve_x') if o[:4] in name), 'gemm_x')
        other = 'attention_x' if name[:4] in ('attn', 'fmha') else other
        for kernels in ([(name, 90), ('x', 10)], [(name, 24), (other, 4), ('x', 72)]):
            write('t.json', json.dumps({'traceEvents': launched(kernels)}))
            asked = [word for name in ('steps', 'operators', 'answers') for word in ('-a', name)]
            asked += ['-s', 'csv:table=findings', '-o', '-', 't.json']
            out = run('run', '-q', *asked).expect(0).out
            (advice,) = [
                r['advice']
                for r in csv.DictReader(io.StringIO(out))
                if r['answer'] in ('operator', 'family') and r['name'] == name
            ]
            check(advice.startswith(said) and never not in advice, f'{name}: {advice}')


@test
def the_first_screen_has_the_five_that_take_most(_folder):
    """From 1 % on, but the first."""
    families = ('gemm', 'attention', 'norm', 'softmax', 'rope', 'reduction')
    for us, shown in (((400, 300, 150, 100, 40, 10), 5), ((400, 300, 180, 111, 9), 4)):
        kernels = [(NAMES[family][0], n) for family, n in zip(families, us)]
        write('a.json', json.dumps({'traceEvents': launched(kernels)}))
        wanted = ' | '.join(f'{f} {n / 10:.1f} %' for f, n in list(zip(families, us))[:shown])
        run('report', 'a.json').expect(0, out=f'  time by kind   {wanted} of device time')


@test
def hostile_names_end(_folder):
    """Expressions look at the begin of a name alone, however long it is."""
    long = ['topk' * 60000, 'cutlass' * 40000, 'x' * 300000 + 'gemm']
    events = [
        {
            'ph': 'X',
            'cat': 'kernel',
            'name': name,
            'ts': 10 * k,
            'dur': 5,
            'pid': 0,
            'tid': 7,
            'args': {'device': 0, 'stream': 7, 'correlation': k + 1},
        }
        for k, name in enumerate(long)
    ]
    write('a.json', json.dumps({'traceEvents': events}))
    out = (
        run('run', '-a', 'operators', '-s', 'csv:table=kernels', '-o', '-', 'a.json').expect(0).out
    )
    csv.field_size_limit(1 << 20)
    found = {r['kernel'][:4]: r['family'] for r in csv.DictReader(io.StringIO(out))}
    check(found.get('xxxx') == 'other' and len(found) == 3, str(found)[:300])


main()
