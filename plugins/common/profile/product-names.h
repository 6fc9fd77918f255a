/* SPDX-License-Identifier: Apache-2.0 */
/* product-names.h - names of operators of PyTorch that multiply matrices, convolve or attend: those
 * whose flops follow from the shapes of their arguments. A decoder gives these rows their shapes,
 * an analyzer knows the formulas. */
#ifndef PRODUCT_NAMES_H
#define PRODUCT_NAMES_H

#include <stdbool.h>
#include <string.h>

/* The attribute, a string, holds the arguments of such an operator, or of one of moved-names.h,
 * separated by spaces, each as TYPE[DIMS] ("bf16[8,512]"; "?[8,512]": the file does not say the
 * type), or as its value without spaces ("[1,1]", "False"), or "-" where the file says nothing of
 * it. */
#define KEY_ARGUMENTS "arguments"

/* Returns whether the name may be one of these; it errs on the side of telling too many. */
static inline bool
may_be_product (const char *name)
{
  static const char *const parts[] = { "mm", "conv", "linear", "matmul", "attention" };
  if (strncmp (name, "aten::", 6) != 0)
    return false;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (strstr (name + 6, parts[i]))
      return true;
  return false;
}

#endif
