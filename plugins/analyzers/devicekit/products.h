/* SPDX-License-Identifier: Apache-2.0 */
/* products.h - flops and bytes of an operator of PyTorch by the shapes of its arguments: multiply
 * and add are two, a bias, softmax and masks none; each tensor is read once, the result written
 * once. source: torch/utils/flop_counter.py */
#ifndef AN_PRODUCTS_H
#define AN_PRODUCTS_H

#include <glib.h>
#include <stdbool.h>

typedef enum {
  AN_NO_PRODUCT,
  AN_PRODUCT,        /* its flops count, and nothing's within it                            */
  AN_COMPOSITE,      /* its flops count when none of an operator within it do: aten::linear */
  AN_INPUT_GRADIENT, /* within aten::cudnn_convolution_backward: says what that computes    */
  AN_WEIGHT_GRADIENT
} AnProductKind;

typedef struct {
  gint64 flops, bytes;
  bool knows_flops, knows_bytes; /* false: the arguments say too little, or contradict each other */
  const char *precision; /* of the first matrix: fp64, fp32, bf16, fp16, fp8; NULL: another */
} AnProductWork;

AnProductKind an_product_kind (const char *name);

/* `shape` is the attribute KEY_ARGUMENTS of profile/product-names.h; NULL: the file does not say
 * it.  `inputs` and `weights` are calls of the two gradients within it, which only cudnn's of 2021
 * needs. */
AnProductWork an_product_work (const char *name, const char *shape, guint inputs, guint weights);

#endif
