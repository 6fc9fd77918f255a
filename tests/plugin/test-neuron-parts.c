/* SPDX-License-Identifier: Apache-2.0 */
/* test-neuron-parts.c - the formulas of the Neuron tools, against figures that were published of
 * a Trn1 and a Trn2, to the precision in which they were printed. */
#include "metrics.h"

#include <glib.h>
#include <math.h>

#define GIB 1073741824.

static const NmRates trn1 = { 91.7504e12, 410e9, 2.8e9 }, trn2 = { 78.6432e12, 716e9, 2.4e9 };

static double *
unknown (void)
{
  double *values = g_new (double, NM_METRICS);
  for (guint m = 0; m < NM_METRICS; m++)
    values[m] = NAN;
  return values;
}

/* source: neuron-profile 2.26, trn1.2xlarge: 10.45 %, 12.65 %, 31.99 %, 73.09, 223.78, 32.66 %,
 * 5.85 % */
static void
test_trn1 (void)
{
  g_autofree double *v = unknown ();
  v[NM_NEURONCORE_CYCLE_COUNT] = 76753832;
  v[NM_HARDWARE_FLOPS] = 636.277e9;
  v[NM_TRANSPOSE_FLOPS] = 110.7e9;
  v[NM_HBM_READ_BYTES] = 3.995 * GIB;
  v[NM_HBM_WRITE_BYTES] = 2.702 * GIB;
  v[NM_INPUTS_AND_WEIGHTS_SIZE_BYTES] = 1.224 * GIB;
  nm_derive (v, &trn1);
  g_assert_cmpfloat_with_epsilon (v[NM_TOTAL_TIME], 0.05482, 5e-6);
  g_assert_cmpfloat_with_epsilon (v[NM_MFU_ESTIMATED_PERCENT], 0.1045, 5e-5);
  g_assert_cmpfloat_with_epsilon (v[NM_MFU_INST_ESTIMATED_PERCENT], 0.1045, 5e-5);
  g_assert_cmpfloat_with_epsilon (v[NM_HFU_ESTIMATED_PERCENT], 0.1265, 5e-5);
  g_assert_cmpfloat_with_epsilon (v[NM_MBU_ESTIMATED_PERCENT], 0.3199, 5e-5);
  g_assert_cmpfloat_with_epsilon (v[NM_MM_ARITHMETIC_INTENSITY], 73.09, 5e-3);
  g_assert_cmpfloat_with_epsilon (v[NM_PEAK_FLOPS_BANDWIDTH_RATIO], 223.78, 5e-3);
  g_assert_cmpfloat_with_epsilon (v[NM_MFU_MAX_ACHIEVABLE_ESTIMATED_PERCENT], 0.3266, 5e-5);
  g_assert_cmpfloat_with_epsilon (v[NM_MBU_MIN_READ_UTIL_PERCENT], 0.0585, 5e-5);
  g_assert_true (isnan (v[NM_MFU_HLO_ESTIMATED_PERCENT])); /* no model_flops */
}

static void
test_trn2 (void)
{
  g_autofree double *v = unknown ();
  v[NM_HARDWARE_FLOPS] = 19279660899840;
  v[NM_TRANSPOSE_FLOPS] = 339695382912;
  v[NM_HBM_READ_BYTES] = 31017606071;
  v[NM_HBM_WRITE_BYTES] = 11101448403;
  nm_derive (v, &trn2);
  g_assert_cmpfloat_with_epsilon (v[NM_MM_ARITHMETIC_INTENSITY], 449.677, 5e-4);
  g_assert_cmpfloat_with_epsilon (v[NM_PEAK_FLOPS_BANDWIDTH_RATIO], 109.837, 5e-4);
  g_assert_true (isnan (v[NM_HFU_ESTIMATED_PERCENT])); /* no time */
}

static void
test_model_flops (void)
{
  g_autofree double *v = unknown ();
  v[NM_TOTAL_TIME] = 2;
  v[NM_MODEL_FLOPS] = trn1.flops;
  v[NM_HARDWARE_FLOPS] = 3 * trn1.flops;
  v[NM_TRANSPOSE_FLOPS] = trn1.flops;
  nm_derive (v, &trn1);
  g_assert_cmpfloat (v[NM_MFU_ESTIMATED_PERCENT], ==, 0.5);
  g_assert_cmpfloat (v[NM_MFU_HLO_ESTIMATED_PERCENT], ==, 0.5);
  g_assert_cmpfloat (v[NM_MFU_INST_ESTIMATED_PERCENT], ==, 1);
  g_assert_cmpfloat_with_epsilon (v[NM_HFU_ESTIMATED_PERCENT], 1.5, 1e-7);
  g_assert_cmpfloat (v[NM_NEURONCORE_CYCLE_COUNT], ==, 2.8e9);
}

/* Nothing comes from nothing, and nothing is divided by 0. */
static void
test_unknown (void)
{
  g_autofree double *v = unknown ();
  const NmRates none = { NAN, NAN, NAN };
  nm_derive (v, &none);
  for (guint m = 0; m < NM_METRICS; m++)
    g_assert_true (isnan (v[m]));
  v[NM_TOTAL_TIME] = 0;
  v[NM_HARDWARE_FLOPS] = v[NM_TRANSPOSE_FLOPS] = v[NM_HBM_READ_BYTES] = v[NM_HBM_WRITE_BYTES] = 0;
  v[NM_DMA_ACTIVE_TIME] = 0;
  nm_derive (v, &trn1);
  for (guint m = 0; m < NM_METRICS; m++)
    g_assert_true (isnan (v[m]) || isfinite (v[m]));
  g_assert_true (isnan (v[NM_HFU_ESTIMATED_PERCENT]));
  g_assert_true (isnan (v[NM_MM_ARITHMETIC_INTENSITY]));
}

static void
test_names (void)
{
  for (int m = 0; m < NM_METRICS; m++) {
    g_assert_cmpint (nm_find (nm_info[m].name), ==, m);
    g_assert_true (nm_info[m].formula || *nm_info[m].reason);
  }
  g_assert_cmpint (nm_find ("mfu"), ==, -1);
  g_assert_true (nm_is_derived (NM_HFU_ESTIMATED_PERCENT));
  g_assert_false (nm_is_derived (NM_HARDWARE_FLOPS));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/neuron-parts/trn1", test_trn1);
  g_test_add_func ("/neuron-parts/trn2", test_trn2);
  g_test_add_func ("/neuron-parts/model-flops", test_model_flops);
  g_test_add_func ("/neuron-parts/unknown", test_unknown);
  g_test_add_func ("/neuron-parts/names", test_names);
  return g_test_run ();
}
