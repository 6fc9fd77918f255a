/* SPDX-License-Identifier: Apache-2.0 */
/* kernel-family.h - tells the family of a kernel: communication, copy, routing, moe gemm, kv cache,
 * rope, attention, sampling, gemm, layout, convolution, norm, embedding, optimizer, softmax,
 * quantize, activation, cast, reduction, elementwise, fused (by a compiler) or other. */
#ifndef AN_KERNEL_FAMILY_H
#define AN_KERNEL_FAMILY_H

#include <glib.h>
#include <stdbool.h>

typedef struct _AnFamilies AnFamilies;

/* Attention in one kernel, a type of 8 bits or fewer, operands of a matrix product that are read by
 * one or two elements, random numbers. */
typedef enum { AN_FUSED, AN_SMALL, AN_UNALIGNED, AN_RANDOM, AN_MARKS } AnMark;

AnFamilies *an_families_new (void);
void an_families_free (AnFamilies *families);
/* Never NULL. */
const char *an_family (const AnFamilies *families, const char *kernel);

/* Returns whether the name says so. */
bool an_has_mark (const AnFamilies *families, AnMark mark, const char *kernel);
/* Returns "fused_small" ...; transfer full. */
char *an_marks_of (const AnFamilies *families, const char *kernel);
/* Returns whether kernels of the family need few flops for a byte. */
bool an_family_is_of_memory (const char *family);
/* Returns whether a compiler would make one kernel of several of the family in a row. */
bool an_family_can_be_fused (const char *family);

#endif
