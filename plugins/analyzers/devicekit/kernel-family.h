/* SPDX-License-Identifier: Apache-2.0 */
/* kernel-family.h - tells the family of a kernel: communication, copy, routing, moe gemm, kv cache,
 * rope, attention, sampling, gemm, layout, convolution, norm, embedding, optimizer, softmax,
 * quantize, activation, cast, reduction, elementwise, fused (by a compiler) or other. */
#ifndef AN_KERNEL_FAMILY_H
#define AN_KERNEL_FAMILY_H

#include <glib.h>
#include <stdbool.h>

typedef struct _AnFamilies AnFamilies;

AnFamilies *an_families_new (void);
void an_families_free (AnFamilies *families);
/* Never NULL. */
const char *an_family (const AnFamilies *families, const char *kernel);

/* Returns whether the kernel draws random numbers, by its name. */
bool an_draws_random_numbers (const AnFamilies *families, const char *kernel);
/* Returns whether kernels of the family need few flops for a byte. */
bool an_family_is_of_memory (const char *family);
/* Returns whether a compiler would make one kernel of several of the family in a row. */
bool an_family_can_be_fused (const char *family);

#endif
