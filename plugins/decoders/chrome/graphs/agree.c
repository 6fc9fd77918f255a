/* SPDX-License-Identifier: Apache-2.0 */
/* agree.c - families of kernels and of operators by their names, the first rule that matches. */
#include "agree.h"

#include <stdbool.h>
#include <string.h>

#define ENOUGH 4096 /* bytes of a name that are looked at */

/* `own` is tried on a kernel's own name; `whole` on all of a name whose own part says nothing. */
typedef struct {
  const char *family, *own, *whole;
} KernelRule;

typedef struct {
  const char *family, *name;
} OperatorRule;

/* Families that these rules know surely; others of the list only keep names from later rules. */
static const char *const sure[] = { "gemm",    "attention",     "conv", "norm",     "softmax",
                                    "communication", "copy", "kv cache", "rope", "moe",  NULL };

/* clang-format off */
static const KernelRule kernels[] = {
  { "communication",
    "nccl|rccl|all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|"
    "cross_device_reduce|deep_?ep|nvshmem|one_?shot_|two_?shot_|quick_?reduce",
    NULL },
  { "copy",
    "^mem(cpy|set)|copybuffer|fillbuffer|memcpy32",
    NULL },
  { "triton fused",
    "^triton_",
    NULL },
  { "kv cache",
    "reshape_and_cache|store_(kv_?)?cache|concat_and_cache|set_(mla_)?kv|"
    "kv_?buffer|(page|block)_table|kv_?indices|copy_kv",
    NULL },
  { "rope",
    "rotary|rope",
    NULL },
  { "attention",
    "attn|attention|fmha|^flash::|flash_?(fwd|bwd)|flashattn|(^|_|:)mha(_|:|$)|"
    "(^|_)mla(_|$)|sage_(fwd|quant)|(^|_)pa_|paged|reduce_segments|"
    "bwd_kernel_(fuse|dk|dq)|batch(decode|prefill)|singleprefill|mha_",
    "flashattn|fmha|attention|attn_|flash_fwd|flash_bwd|aotriton" },
  { "moe",
    "moe|expert|expandinputrows|computestridestma|topkgating|matmul_ogs|(^|"
    "_)topk_?gating|topk_(forward|softmax)|routing|group(ed)?_?gemm|"
    "finalize_matmul|expt_|bitmatrix",
    "moe|groupproblemshape|group(ed)?_?gemm" },
  { "conv",
    "conv(?!ert)|implicit_gemm|winograd|fprop|dgrad|wgrad|im2col|igemm_(fwd|"
    "bwd|wrw)|nchwtonhwc|nhwctonchw|batched_transpose",
    "conv(?!ert)|fprop|dgrad|wgrad" },
  { "gemm",
    "gemm|gemv|^cijk_|cublas|nvjet|xmma|wgmma|matmul|splitkreduce|(^|_)mm_|bmm|"
    "scaled_mm|wvsplitk|llmm|cutlass_\\d+_",
    "gemm|matmul|cutlass_\\d+_|mma" },
  { "norm",
    "norm|welford|rmsnorm|cucompute(grad|part)|gammabeta|batchnorm|batch_norm",
    "norm|rmsnorm|welford" },
  { "softmax",
    "softmax",
    "softmax" },
  { "activation",
    "silu|gelu|swiglu|act_and_mul|relu",
    "silu|gelu|relu|swiglu|sigmoid|tanh_" },
  { "quantize",
    "quant|(^|_)to_fp8|fp8_|mxfp|scale_cast",
    "quantize" },
  { "sort and sample",
    "topk|top_?p(_|$)|argmax|multinomial|(^|_|:)sampl|(radix|segmented|bitonic|"
    "merge|onesweep|block)_?sort|(^|_|:)sort",
    "argmax|topk" },
  { "embedding",
    "embedding|compute_grad_weight",
    "embedding" },
  { "reduce",
    "reduce|scan|cumsum|sum_and_scatter|segment",
    "reduce|scan|cumsum" },
};

static const OperatorRule operators[] = {
  { "triton fused", "^triton_" },
  { "communication", "nccl|c10d|all_reduce" },
  { "kv cache", "cache_ops|store_cache|reshape_and_cache" },
  { "attention", "attention(?!_mask)|sdpa|_flash|sage_|fmha|mha_" },
  { "moe", "moe|sorttokens|topk$|^topk|grouped_mm|expert" },
  { "gemm", "^aten::(mm|addmm|bmm|baddbmm|linear|matmul|addmv|mv|dot|_scaled_mm)|gemm" },
  { "conv", "conv" },
  { "norm", "(layer|batch|group|rms|instance)_?norm|rms_norm|linalg_vector_norm|"
          "_foreach_norm|rmsnorm" },
  { "softmax", "softmax" },
  { "activation", "gelu|silu|relu|sigmoid|swiglu|tanh" },
  { "rope", "rotary|rope" },
  { "quantize", "quant" },
  { "sort and sample", "argmax|topk|sort|multinomial" },
  { "embedding", "embedding" },
  { "reduce", "^aten::(sum|mean|max|min|any|all|cumsum|prod|std|var|amax|argmin|norm|"
            "count_nonzero)$" },
  { "elementwise", "^aten::" },
};
/* clang-format on */

/* Own names that say nothing of what the kernel does. */
#define GENERIC                                                                                    \
  "(\\w*elementwise_kernel\\w*|reduce_kernel\\w*|multi_tensor_apply_kernel|device_kernel|kernel2?|"  \
  "kentry|\\w*kernel_impl|unrolled\\w*|run_global)$"

struct _GraphFamilies {
  GRegex *own[G_N_ELEMENTS (kernels)], *whole[G_N_ELEMENTS (kernels)];
  GRegex *operators[G_N_ELEMENTS (operators)];
  GRegex *generic;
};

static GRegex *
regex (const char *pattern)
{
  return pattern ? g_regex_new (pattern, G_REGEX_RAW, 0, NULL) : NULL;
}

GraphFamilies *
graph_families_new (void)
{
  GraphFamilies *f = g_new0 (GraphFamilies, 1);
  for (guint i = 0; i < G_N_ELEMENTS (kernels); i++) {
    f->own[i] = regex (kernels[i].own);
    f->whole[i] = regex (kernels[i].whole);
  }
  for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
    f->operators[i] = regex (operators[i].name);
  f->generic = g_regex_new (GENERIC, G_REGEX_RAW | G_REGEX_ANCHORED, 0, NULL);
  return f;
}

void
graph_families_free (GraphFamilies *f)
{
  if (!f)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (kernels); i++) {
    g_regex_unref (f->own[i]);
    g_clear_pointer (&f->whole[i], g_regex_unref);
  }
  for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
    g_regex_unref (f->operators[i]);
  g_regex_unref (f->generic);
  g_free (f);
}

static const char *
if_sure (const char *family)
{
  return g_strv_contains (sure, family) ? family : NULL;
}

/* Returns the text in lower case, without what says nothing; transfer full. */
static char *
plain (const char *kernel)
{
  static const char noise[] = "(anonymous namespace)::";
  g_autofree char *cut = g_strndup (kernel, ENOUGH);
  g_autofree char *lower = g_ascii_strdown (cut, -1);
  const char *from = g_str_has_prefix (lower, "void ") ? lower + 5 : lower;
  g_auto (GStrv) parts = g_strsplit (from, noise, -1);
  return g_strjoinv ("", parts);
}

const char *
graph_family_of_kernel (const GraphFamilies *f, const char *kernel)
{
  g_autofree char *all = plain (kernel);
  const bool mangled = g_str_has_prefix (all, "_z"); /* template arguments stay in */
  g_autofree char *own = mangled ? g_strdup (all) : g_strndup (all, strcspn (all, "<("));
  g_strchomp (own);
  const char *last = g_strrstr (own, "::");
  const bool whole = mangled || g_regex_match (f->generic, last ? last + 2 : own, 0, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (kernels); i++)
    if (g_regex_match (f->own[i], own, 0, NULL)
        || (whole && f->whole[i] && g_regex_match (f->whole[i], all, 0, NULL)))
      return if_sure (kernels[i].family);
  return NULL;
}

const char *
graph_family_of_operator (const GraphFamilies *f, const char *name, const char *kernel)
{
  if (g_str_has_prefix (kernel, "Memcpy") || g_str_has_prefix (kernel, "Memset"))
    return "copy";
  g_autofree char *lower = g_ascii_strdown (name, -1);
  for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
    if (g_regex_match (f->operators[i], lower, 0, NULL))
      return if_sure (operators[i].family);
  return NULL;
}
