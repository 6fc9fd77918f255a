/* SPDX-License-Identifier: Apache-2.0 */
/* test-products.c - flops and bytes by shapes, against figures of an independent program. */
#include "devicekit/products.h"

static const struct {
  const char *name, *shape;
  gint64 flops, bytes; /* -1: unknown */
  const char *precision;
} expected[] = {
  { "mm", "f32[2,3] f32[3,5]", 60, 124, "fp32" },
  { "mm", "f32[2,3] f32[4,5]", -1, -1, NULL },
  { "mm", "f32[2,3]", -1, -1, NULL },
  { "mm", "?[2,3] ?[3,5]", 60, -1, NULL },
  { "mm", "i64[2,3] i64[3,5]", 60, 248, NULL },
  { "mm", "f32[9223372036854775807,4] f32[4,2]", -1, -1, NULL },
  { "mm", "f32[0,3] f32[3,5]", 0, 60, "fp32" },
  { "_scaled_mm", "Float8_e4m3fn[16,32] Float8_e4m3fn[32,8]", 8192, 896, "fp8" },
  { "addmm", "bf16[5] bf16[2,3] bf16[3,5] 1 1", 60, 72, "bf16" },
  { "baddbmm", "f32[2,3,5] f32[2,3,4] f32[2,4,5] - -", 240, 496, "fp32" },
  { "matmul", "bf16[2,1,3,4] bf16[5,4,6]", 1440, 648, "bf16" },
  { "matmul", "f32[4] f32[4]", 8, 36, "fp32" },
  { "linear", "bf16[2,3,4] bf16[5,4] bf16[5]", 240, 158, "bf16" },
  { "convolution", "f32[2,4,8,8] f32[6,2,3,3] f32[6] [2] [1,1] [1,1] False [0,0] 2", 6912, 3272,
    "fp32" },
  { "convolution", "f32[2,4,8,8] f32[4,6,3,3] - [2] [1,1] [1,1] True [0,0] 1", 55296, -1, "fp32" },
  { "convolution", "f32[2,4,8,8] f32[6,2,3,3] f32[6]", -1, -1, NULL }, /* of 2021: no strides */
  { "convolution", "f32[2,4,8,8] f32[6,2,3,3] - [0] [1,1] [1,1] False [0,0] 2", -1, -1, NULL },
  { "convolution_backward",
    "f32[2,6,4,4] f32[2,4,8,8] f32[6,4,3,3] - - - - False - 1 [False,True,True]", 13824, 4568,
    "fp32" },
  { "_scaled_dot_product_flash_attention", "bf16[2,8,5,16] bf16[2,2,7,16] bf16[2,2,7,12]", 31360,
    6048, "bf16" },
  { "_scaled_dot_product_flash_attention_backward",
    "bf16[2,4,5,12] bf16[2,4,5,16] bf16[2,4,7,16] bf16[2,4,7,12] bf16[2,4,5,12]", 40320, 10752,
    "bf16" },
  { "_flash_attention_forward", "bf16[2,5,8,16] bf16[2,7,8,16] bf16[2,7,8,16] - -", 35840, 12288,
    "bf16" },
  { "_flash_attention_forward", "bf16[2,5,8,16] bf16[2,7,8,16] bf16[2,7,8,16] i32[3] -", -1, -1,
    NULL },
  { "mm", "", -1, -1, NULL },
  { "mm", "f32[2,3 f32]3,5[", -1, -1, NULL },
};

static void
test_formulas (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++) {
    g_autofree char *name = g_strconcat ("aten::", expected[i].name, NULL);
    const AnProductWork work = an_product_work (name, expected[i].shape, 0, 0);
    g_test_message ("%s %s", name, expected[i].shape);
    g_assert_cmpint (work.knows_flops ? work.flops : -1, ==, expected[i].flops);
    g_assert_cmpint (work.knows_bytes ? work.bytes : -1, ==, expected[i].bytes);
    g_assert_cmpstr (work.precision, ==, expected[i].precision);
  }
}

static void
test_gradients (void)
{
  const char *const name = "aten::cudnn_convolution_backward",
                    *const shape = "f32[1,2,4,4] f32[1,3,4,4] f32[3,2,1,1]";
  g_assert_cmpint (an_product_work (name, shape, 1, 0).flops, ==, 192);
  g_assert_cmpint (an_product_work (name, shape, 1, 1).flops, ==, 384);
  g_assert_false (an_product_work (name, shape, 2, 1).knows_flops);
}

static void
test_kinds (void)
{
  g_assert_cmpint (an_product_kind ("aten::mm"), ==, AN_PRODUCT);
  g_assert_cmpint (an_product_kind ("aten::linear"), ==, AN_COMPOSITE);
  g_assert_cmpint (an_product_kind ("aten::add"), ==, AN_NO_PRODUCT);
  g_assert_cmpint (an_product_kind ("mm"), ==, AN_NO_PRODUCT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/products/formulas", test_formulas);
  g_test_add_func ("/products/gradients", test_gradients);
  g_test_add_func ("/products/kinds", test_kinds);
  return g_test_run ();
}
