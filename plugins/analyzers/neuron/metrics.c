/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c - evaluates the formulas of metrics.def. format: neuron-outputs.md 3.5 */
#include "metrics.h"

#include <math.h>
#include <string.h>

const NmInfo nm_info[NM_METRICS] = {
#define METRIC(id, name, unit, group, formula, reason) { name, unit, group, formula, reason },
#include "metrics.def"
#undef METRIC
};

/* Divides; the result is unknown where either is, and where nothing is divided by. */
static double
over (double a, double b)
{
  return b > 0 ? a / b : NAN;
}

static double
at_most_one (double share)
{
  return share > 1 ? 1 : share;
}

static void
set (double *values, NmMetric metric, double value)
{
  if (isnan (values[metric]))
    values[metric] = value;
}

static void
shares (double *v)
{
  static const struct {
    NmMetric share, of;
  } of_total[] = {
    { NM_DMA_ACTIVE_TIME_PERCENT, NM_DMA_ACTIVE_TIME },
    { NM_TENSOR_ENGINE_ACTIVE_TIME_PERCENT, NM_TENSOR_ENGINE_ACTIVE_TIME },
    { NM_VECTOR_ENGINE_ACTIVE_TIME_PERCENT, NM_VECTOR_ENGINE_ACTIVE_TIME },
    { NM_SCALAR_ENGINE_ACTIVE_TIME_PERCENT, NM_SCALAR_ENGINE_ACTIVE_TIME },
    { NM_SYNC_ENGINE_ACTIVE_TIME_PERCENT, NM_SYNC_ENGINE_ACTIVE_TIME },
    { NM_GPSIMD_ENGINE_ACTIVE_TIME_PERCENT, NM_GPSIMD_ENGINE_ACTIVE_TIME },
    { NM_CC_CORES_INSTRUCTION_ACTIVE_TIME_PERCENT, NM_CC_CORES_INSTRUCTION_ACTIVE_TIME },
    { NM_THROTTLE_ACTIVE_TIME_PERCENT, NM_THROTTLE_ACTIVE_TIME },
  };
  for (unsigned i = 0; i < sizeof of_total / sizeof *of_total; i++)
    set (v, of_total[i].share, over (v[of_total[i].of], v[NM_TOTAL_TIME]));
  set (v, NM_TOTAL_ACTIVE_TIME_PERCENT, over (v[NM_TOTAL_ACTIVE_TIME], v[NM_TOTAL_TIME]));
}

/* Packets are counted by the types of their queues; dynamic are those that software or hardware
 * makes. */
static void
queue_types (double *v)
{
  static const struct {
    NmMetric time, count, size, time_share, count_share, size_share;
  } of[] = { { NM_STATIC_DMA_ACTIVE_TIME, NM_STATIC_DMA_PACKET_COUNT, NM_STATIC_DMA_SIZE,
               NM_STATIC_DMA_ACTIVE_TIME_PERCENT, NM_STATIC_DMA_PACKET_PERCENT,
               NM_STATIC_DMA_SIZE_PERCENT },
             { NM_SOFTWARE_DYNAMIC_DMA_ACTIVE_TIME, NM_SOFTWARE_DYNAMIC_DMA_PACKET_COUNT,
               NM_SOFTWARE_DYNAMIC_DMA_SIZE, NM_SOFTWARE_DYNAMIC_DMA_ACTIVE_TIME_PERCENT,
               NM_SOFTWARE_DYNAMIC_DMA_PACKET_PERCENT, NM_SOFTWARE_DYNAMIC_DMA_SIZE_PERCENT },
             { NM_HARDWARE_DYNAMIC_DMA_ACTIVE_TIME, NM_HARDWARE_DYNAMIC_DMA_PACKET_COUNT,
               NM_HARDWARE_DYNAMIC_DMA_SIZE, NM_HARDWARE_DYNAMIC_DMA_ACTIVE_TIME_PERCENT,
               NM_HARDWARE_DYNAMIC_DMA_PACKET_PERCENT, NM_HARDWARE_DYNAMIC_DMA_SIZE_PERCENT } };
  double count = 0, size = 0;
  for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
    count += v[of[i].count];
    size += v[of[i].size];
  }
  for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
    set (v, of[i].time_share, over (v[of[i].time], v[NM_DMA_ACTIVE_TIME]));
    set (v, of[i].count_share, over (v[of[i].count], count));
    set (v, of[i].size_share, over (v[of[i].size], size));
  }
  set (v, NM_DYNAMIC_DMA_ACTIVE_TIME_PERCENT, v[of[1].time_share] + v[of[2].time_share]);
  set (v, NM_DYNAMIC_DMA_PACKET_PERCENT, v[of[1].count_share] + v[of[2].count_share]);
  set (v, NM_DYNAMIC_DMA_SIZE_PERCENT, v[of[1].size_share] + v[of[2].size_share]);
}

/* Returns the vendor's cycles, computed in single precision, from ps, step by step, and cut.
 * checked on 127 public profiles */
static double
cycles (double time, double hz)
{
  float ps = (float) round (time * 1e12), product = ps * (float) (hz / 1e9);
  return trunc (product / 1000.0f);
}

/* The vendor's peak of HFU is larger by this for each core, for a reason that is not known. */
#define HFU_EXCESS (1.0 / 81920000.0)

void
nm_derive (double *v, const NmRates *rates)
{
  double time = v[NM_TOTAL_TIME], base = rates->clock / 2;
  double cores = rates->cores ? rates->cores : 1;
  set (v, NM_NEURONCORE_CYCLE_COUNT, cycles (time, base));
  if (isnan (time))
    time = v[NM_TOTAL_TIME] = over (v[NM_NEURONCORE_CYCLE_COUNT], base);
  double hbm = v[NM_HBM_READ_BYTES] + v[NM_HBM_WRITE_BYTES], work = rates->flops * cores * time;
  double executed = v[NM_HARDWARE_FLOPS] - v[NM_TRANSPOSE_FLOPS], hlo = v[NM_MODEL_FLOPS],
         model = isnan (hlo) || hlo == 0 ? executed : hlo; /* 0: no HLO statistics */
  set (v, NM_PEAK_FLOPS_BANDWIDTH_RATIO, over (rates->flops, rates->bandwidth));
  double ratio = v[NM_PEAK_FLOPS_BANDWIDTH_RATIO];
  set (v, NM_MM_ARITHMETIC_INTENSITY, over (executed, hbm));
  set (v, NM_MFU_ESTIMATED_PERCENT, over (model, work));
  set (v, NM_MFU_HLO_ESTIMATED_PERCENT, over (hlo, work));
  set (v, NM_MFU_INST_ESTIMATED_PERCENT, over (executed, work));
  set (v, NM_HFU_ESTIMATED_PERCENT, over (v[NM_HARDWARE_FLOPS], work * (1 + cores * HFU_EXCESS)));
  set (v, NM_MFU_MAX_ACHIEVABLE_ESTIMATED_PERCENT,
       at_most_one (over (over (model, hbm), ratio * cores)));
  set (v, NM_MFU_HLO_MAX_ACHIEVABLE_ESTIMATED_PERCENT,
       at_most_one (over (over (hlo, hbm), ratio * cores)));
  set (v, NM_MFU_INST_MAX_ACHIEVABLE_ESTIMATED_PERCENT,
       at_most_one (over (over (executed, hbm), ratio * cores)));
  set (v, NM_MBU_ESTIMATED_PERCENT, over (over (hbm, time), rates->bandwidth));
  set (v, NM_MBU_MIN_READ_UTIL_PERCENT,
       over (over (v[NM_INPUTS_AND_WEIGHTS_SIZE_BYTES], time), rates->bandwidth));
  set (v, NM_DMA_ACTIVE_CYCLES, cycles (v[NM_DMA_ACTIVE_TIME], base));
  shares (v);
  queue_types (v);
}

bool
nm_is_derived (NmMetric metric)
{
  static const char *const ends[] = { "_percent", "_intensity", "_bandwidth_ratio" };
  const char *name = nm_info[metric].name;
  for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++) {
    size_t n = strlen (name), len = strlen (ends[i]);
    if (n >= len && strcmp (name + n - len, ends[i]) == 0)
      return true;
  }
  return false;
}

int
nm_find (const char *name)
{
  for (int i = 0; i < NM_METRICS; i++)
    if (strcmp (nm_info[i].name, name) == 0)
      return i;
  return -1;
}
