/* SPDX-License-Identifier: Apache-2.0 */
/* cpu.h - what this processor can do. The C library has asked it already; the compiler's own
 * functions ask again when the program starts, and each question costs a virtual machine a hundred
 * times what it costs elsewhere. */
#pragma once

#include <stdbool.h>

#ifdef __x86_64__

#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif

#ifdef CPU_FEATURE_ACTIVE /* glibc 2.34 */

/* CPU_FEATURE_ACTIVE itself shifts a signed 1 by 31 bits. */
static inline bool
np_cpu_has (unsigned feature)
{
  const struct cpuid_feature *leaf = __x86_get_cpuid_feature_leaf (feature / 128);
  return leaf->active_array[feature / 32 % 4] >> feature % 32 & 1;
}

#define np_cpu_has_avx2() np_cpu_has (x86_cpu_AVX2)
#define np_cpu_has_bmi2() np_cpu_has (x86_cpu_BMI2)
#define np_cpu_has_popcnt() np_cpu_has (x86_cpu_POPCNT)
#define np_cpu_has_pclmul() np_cpu_has (x86_cpu_PCLMULQDQ)
#define np_cpu_has_avx512bw() np_cpu_has (x86_cpu_AVX512BW)
#define np_cpu_has_avx512vl() np_cpu_has (x86_cpu_AVX512VL)

/* Returns whether it is of the first two Zen generations, which share a family number. */
static inline bool
np_cpu_is_early_zen (void)
{
  unsigned signature = __x86_get_cpuid_feature_leaf (CPUID_INDEX_1)->cpuid_array[0];
  return ((signature >> 8 & 15) + (signature >> 20 & 255)) == 0x17;
}

#else

#define np_cpu_has_avx2() __builtin_cpu_supports ("avx2")
#define np_cpu_has_bmi2() __builtin_cpu_supports ("bmi2")
#define np_cpu_has_popcnt() __builtin_cpu_supports ("popcnt")
#define np_cpu_has_pclmul() __builtin_cpu_supports ("pclmul")
#define np_cpu_has_avx512bw() __builtin_cpu_supports ("avx512bw")
#define np_cpu_has_avx512vl() __builtin_cpu_supports ("avx512vl")

static inline bool
np_cpu_is_early_zen (void)
{
  return __builtin_cpu_is ("znver1") || __builtin_cpu_is ("znver2");
}

#endif
#endif
