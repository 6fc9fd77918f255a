/* SPDX-License-Identifier: Apache-2.0 */
/* kernel-family.c - gives a kernel its family by its name: communication by the one list of names,
 * else the first rule that matches; and tells what else the name says of it. */
#include "devicekit/kernel-family.h"

#include "producers/collective-name.h"

#include <string.h>

/* Bytes of a name that are looked at. */
#define ENOUGH 4096

typedef struct {
  const char *family, *names; /* names: a regular expression, whatever the case */
} Rule;

/* clang-format off */
static const Rule rules[] = {
  { "copy",
    "^mem(cpy|set)|memcpy32|copybuffer|copydeviceto|copyhostto|fillbuffer" },
  { "routing",
    "topk.*(moe|gat|softmax)|moe_?align|topkgating|grouped_topk|"
    "expert.*(sort|count|index)|moe_?sort|moesorting|_topk_forward|"
    "topk_(forward|softmax)|compact_?indices|sort_?tokens|routing|"
    "(sort|count)\\w*expert|moe_?fused_gate|"
    "permute_?(tokens|moe)|bitmatrix|expt_|expandinputrows|computestridestma" },
  { "moe gemm",
    "fused_moe|moe|grouped_?gemm|group_?gemm|_matmul_ogs|expert_?gemm|fmoe|"
    "finalize_matmul|groupproblemshape" },
  { "kv cache", /* that is written or moved; attention reads one: DecodeWithPagedKVCache */
    "^(?!.*(with\\w*kv_?cache|[fm]mha)).*("
    "(reshape|quant)_and_cache|kv_?(cache|buffer|indices)|set_?(mla_)?kv|store_(kv|cache)|"
    "concat_and_cache|copy_kv|paged_?kv_?copy|append_paged|"
    "create_?(flashinfer|flashmla)_kv|(page|block)_table|copy_page_indices|"
    "gather\\w*_cache|get_last_loc|write_req_to_token|alloc_(extend|decode))" },
  { "rope",
    "rotary|rope" },
  { "attention",
    "flash_?(fwd|bwd|attn|infer(?!\\w*::)|decode|mla)|^flash::|[fm]mha|attention|attn|"
    "(^|_|:)mha(_|:|$)|sdpa|fav3|pytorch_flash|(^|_|:)mla(_|:|$)|(^|_|:)pa_|paged|bhss|"
    "softmax.*qk|sage_(fwd|quant)|reduce_segments|bwd_kernel_(fuse|dk|dq)|"
    "^_fwd_(grouped_)?kernel|merge_?states?|"
    "batch(decode|prefill)|singleprefill|(prefill|decode)withkv|flash_" },
  { "sampling",
    "sampl|top_?[kp](?!.*gemm)|argmax|multinomial|logit|gumbel|penalt|token_ids|"
    "bincount" },
  { "convolution", /* by matrix products, whose names say so, too */
    "implicit_?(gemm|conv)|igemm_(fwd|bwd|wrw)|\\d(fprop|dgrad|wgrad)|"
    "[a-z\\d]cudnn_\\w*\\d+x\\d+" },
  { "gemm",
    "(?<!quant_deep_)gemm|marlin|machete|mul_mat|cijk|cublas|"
    "cutlass(?!.*(elementwise|layernorm|softmax))|_mm_|matmul|"
    "hmma|xmma|split_?k|gemv|dot_kernel|wgmma|nvjet|bmm|scaled_mm|llmm|warpgroup|"
    "(?<!sub)tensorop" },
  { "layout",
    "nchwtonhwc|nhwctonchw|batched_?transpose|transposenchw|subtensorop|"
    "convertstensor|_transpose_|transpose_kernel|transdata" },
  { "convolution",
    "conv(?!ert)|winograd|implicit_|dgrad|wgrad|fprop|im2col|col2im|"
    "miopen.*(fwd|bwd|wrw)|igemm|depthwise|sm\\d+_xmma|nhwc|nchw" },
  { "norm",
    "layer_?norm|rms_?norm|batch_?norm|group_?norm|_norm_|norm_fwd|norm_kernel|"
    "qknorm|bn_(fw|bw)|rowwisemoments|gammabeta|cucompute(grad|part)|"
    "computefusedparams|addrms|welford" },
  { "embedding",
    "embedding|index_?select|gather|scatter|"
    "index_(put|copy|add|kernel|elementwise)|indexing|indexfunc|"
    "sparse.*(forward|backward)|split_embedding|lookup|compute_grad_weight" },
  { "optimizer",
    "adam(w|_|functor|kernel|math)|\\bsgd|multi_?tensor_apply|"
    "lamb(_|kernel|functor)|optimizer" },
  { "softmax",
    "softmax|cross_?entropy|nll_?loss" },
  { "quantize",
    "quant|(^|_)to_fp[48]|fp8_.*scale|mxfp|scale_cast|per_token_group" },
  { "activation",
    "act_and_mul|silu|gelu|swiglu|relu|sigmoid_kernel|tanh_kernel" },
  { "cast",
    "copy_kernel|direct_copy|bfloat16_copy|float16_copy|_to_copy|(?<!no)cast|"
    "convert" },
  { "reduction",
    "reduce|sum_kernel|mean_|norm_?kernel|cumsum|scan|sort|radix|cub::|segment" },
  { "elementwise",
    "elementwise|vectorized|unrolled|pointwise|dropout|catarray|cat_|fill|arange|"
    "add_kernel|mul_kernel|transpose|permute|tensortransform|distribution|masked|"
    "where|pool|upsample|^add|^mul|^copy|clamp|tril|triu|random|\\bpad" },
};
/* clang-format on */

/* Template arguments name types (Fp8KVCacheDataType) that mislead: without them the rules before
 * this one are tried first, and with them all but those that such types resemble. */
#define FIRST_WITH_ARGUMENTS "norm"
static const char *const without_arguments[] = { "kv cache", "routing", "sampling", NULL };
/* What is left of a name without its arguments tells something when it is longer than this. */
#define TOO_SHORT 6

/* Templates of CUTLASS and Composable Kernel that run whatever their first type names, which tells
 * the kernel; it may stand in others that only say for which architecture it is. */
static const char *const around
    = "^((cutlass::)?device_kernel|cutlass\\w*::Kernel2?|(\\w+::)*(enable_\\w+|kentry))<";

/* What names tell beside the family: the one list of such words. */
static const struct {
  const char *names, *family, *not; /* family, not: NULL: of any, none */
} marks[] = {
  [AN_FUSED] = {
    "flash|fmha|sdpa|fav3|xqa|mha|mla|mqa|splash|(?<!mes)sage|paged|splitkv|(^|_)pa_|"
    "fused\\w*attention|attention\\w*fused|(unified|decode|prefill|extend)_attention|"
    "attn_(fwd|bwd)|_fwd_(grouped_)?kernel|bwd_kernel_(fuse|dk|dq)|reduce_segments|"
    "merge_(attn_)?state|batch(decode|prefill)|single(decode|prefill)|(prefill|decode)withkv",
    "attention", NULL },
  /* Of 8 bits or fewer. Tensile writes the type behind its indices, AITER those of activations and
   * weights; s8 alone may be stages, int4 and float8 are vectors, and Fp8KVCacheDataType is an
   * enumeration that other types have as well. */
  [AN_SMALL] = {
    "fp[468](?![0-9]|kvcachedatatype)|e4m3|e5m2|e2m1|e2m3|e3m2|(?<![a-z0-9])b?f[48]_|"
    "(?<![a-z])int8(?![0-9x])|uint8|(?<![a-z])[iu]8(?![0-9x])|s8_?s8|s8_?s32|gemm_s8|imma_|"
    "(?<![a-z])i(8816|16832|16864)gemm|cijk_a\\w{3}_b\\w{3}_([fb][468]|i8)|"
    "(?<![a-z])(w[48]_?a(4|8|16|fp8)|a(4|8|16)_?w[48])(?![0-9])|"
    "(?<![0-9])[48]bit|gptq|awq|marlin|mul_mat_(vec_)?q|nf4",
    NULL, NULL },
  /* Operands of CUTLASS that are read by one or two elements: of doubles and complex numbers
   * that may be 16 bytes, and SIMT always reads so. */
  [AN_UNALIGNED] = { "(?<![a-z])align[12](?![0-9])", "gemm", "simt|(^|_)[cdz][0-9]*gemm|f64" },
  /* Each call must draw others, in the order of the program. */
  [AN_RANDOM] = {
    "random|philox|dropout|bernoulli|multinomial|(cu|hip|roc)rand|xorwow|mrg32k3a|mtgp32|threefry|"
    "distribution_(elementwise|nullary)|rng_|rngbitgenerator",
    NULL, NULL },
};

struct _AnFamilies {
  GRegex *names[G_N_ELEMENTS (rules)];
  GRegex *noise, *compiled, *around;
  GRegex *marks[AN_MARKS], *no_marks[AN_MARKS];
};

static GRegex *
regex (const char *pattern)
{
  g_autoptr (GError) error = NULL;
  GRegex *r = g_regex_new (pattern, G_REGEX_CASELESS | G_REGEX_RAW, 0, &error);
  g_assert (r);
  return r;
}

AnFamilies *
an_families_new (void)
{
  AnFamilies *f = g_new (AnFamilies, 1);
  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    f->names[i] = regex (rules[i].names);
  f->noise = regex ("^void |at::native::|\\(anonymous namespace\\)::");
  f->around = regex (around);
  for (AnMark i = 0; i < AN_MARKS; i++) {
    f->marks[i] = regex (marks[i].names);
    f->no_marks[i] = marks[i].not ? regex (marks[i].not) : NULL;
  }
  f->compiled = regex ("^((loop|input|output)?_?fusion|fused_computation)");
  return f;
}

void
an_families_free (AnFamilies *f)
{
  if (!f)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    g_regex_unref (f->names[i]);
  g_regex_unref (f->noise);
  g_regex_unref (f->compiled);
  g_regex_unref (f->around);
  for (AnMark i = 0; i < AN_MARKS; i++) {
    g_regex_unref (f->marks[i]);
    g_clear_pointer (&f->no_marks[i], g_regex_unref);
  }
  g_free (f);
}

static gboolean
matches (const GRegex *r, const char *name)
{
  return g_regex_match (r, name, 0, NULL);
}

/* Returns the family that a compiler's own name tells; NULL: it is none. */
static const char *
of_compiler (const AnFamilies *f, const char *name)
{
  if (g_str_has_prefix (name, "triton_"))
    return g_str_has_prefix (name, "triton_tem") ? "gemm" : "fused";
  return matches (f->compiled, name) ? "fused" : NULL;
}

/* Returns the family by a name without template arguments; NULL: no rule matches. */
static const char *
of_base (const AnFamilies *f, const char *base)
{
  for (guint i = 0; strcmp (rules[i].family, FIRST_WITH_ARGUMENTS) != 0; i++)
    if (matches (f->names[i], base))
      return rules[i].family;
  return NULL;
}

/* Returns the family of what templates run that are around it; NULL: there are none, or no rule
 * matches. */
static const char *
of_inner (const AnFamilies *f, const char *name)
{
  const char *inner = name;
  while (matches (f->around, inner))
    inner = strchr (inner, '<') + 1;
  if (inner == name)
    return NULL;
  g_autofree char *base = g_strndup (inner, strcspn (inner, "<"));
  return of_base (f, base);
}

static const char *
of_whole (const AnFamilies *f, const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    if (!g_strv_contains (without_arguments, rules[i].family) && matches (f->names[i], name))
      return rules[i].family;
  return "other";
}

const char *
an_family (const AnFamilies *f, const char *kernel)
{
  g_autofree char *cut = g_strndup (kernel, ENOUGH);
  g_autofree char *name = g_regex_replace_literal (f->noise, cut, -1, 0, "", 0, NULL);
  if (!name)
    return "other";
  const char *family = of_compiler (f, name);
  if (!family && collective_of_name (cut))
    return "communication";
  gsize length = strcspn (name, "<");
  g_autofree char *base = length > TOO_SHORT ? g_strndup (name, length) : g_strdup (name);
  if (!family)
    family = of_inner (f, name);
  if (!family)
    family = of_base (f, base);
  return family ? family : of_whole (f, name);
}

static const char *const of_memory[]
    = { "layout",    "norm",       "elementwise", "reduction", "cast",
        "embedding", "optimizer",  "softmax",     "kv cache",  "copy",
        "rope",      "activation", "quantize",    "fused",     NULL };

bool
an_family_is_of_memory (const char *family)
{
  return g_strv_contains (of_memory, family);
}

static const char *const can_be_fused[]
    = { "norm", "elementwise", "activation", "rope", "reduction", "cast", "softmax", NULL };

bool
an_family_can_be_fused (const char *family)
{
  return g_strv_contains (can_be_fused, family);
}

bool
an_has_mark (const AnFamilies *f, AnMark mark, const char *kernel)
{
  return (!marks[mark].family || g_str_equal (an_family (f, kernel), marks[mark].family))
         && matches (f->marks[mark], kernel)
         && !(f->no_marks[mark] && matches (f->no_marks[mark], kernel));
}

char *
an_marks_of (const AnFamilies *f, const char *kernel)
{
  static const char *const called[]
      = { [AN_FUSED] = "fused", [AN_SMALL] = "small", [AN_UNALIGNED] = "unaligned" };
  GString *text = g_string_new (NULL);
  for (AnMark i = 0; i < G_N_ELEMENTS (called); i++)
    if (an_has_mark (f, i, kernel))
      g_string_append_printf (text, "%s%s", text->len ? "_" : "", called[i]);
  return g_string_free (text, FALSE);
}
