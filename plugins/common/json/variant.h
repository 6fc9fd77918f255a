/* SPDX-License-Identifier: Apache-2.0 */
/* variant.h - gives names to what is compiled once for each instruction set: TE_VARIANT is scalar,
 * sse2, avx2 or avx512, given by the build. */
#pragma once

#include "json/scan.h"

#ifndef TE_VARIANT
#define TE_VARIANT sse2
#endif

#define TE_VARIANT_PASTE(name, variant) name##_##variant
#define TE_VARIANT_EXPAND(name, variant) TE_VARIANT_PASTE (name, variant)
#define TE_VARIANT_NAME(name) TE_VARIANT_EXPAND (name, TE_VARIANT)
#define TE_VARIANT_QUOTE(variant) #variant
#define TE_VARIANT_STRING(variant) TE_VARIANT_QUOTE (variant)
#define TE_VARIANT_TEXT TE_VARIANT_STRING (TE_VARIANT)

int TE_VARIANT_NAME (te_index) (TeIndex *x, const char *cut, const char *pause);
const char *TE_VARIANT_NAME (te_mention) (const char *p, const char *end, const TePairs *pairs);
const char *TE_VARIANT_NAME (te_three) (const char *p, const char *end, const char *bytes);
unsigned TE_VARIANT_NAME (te_wanted) (TeScan *s, TeWalk *walk, const TeKeys *keys, TeValue *value);
extern const TeScanner TE_VARIANT_NAME (te_scanner);
