/* SPDX-License-Identifier: Apache-2.0 */
/* roofline.h - utilisation and the roofline, as formulas; an unknown value is NAN and makes unknown
 * what follows from it. source: xplane.md 2.6, neuron-outputs.md 3.5, neuron-profile-schema.md
 * (Summary) */
#ifndef AN_ROOF_H
#define AN_ROOF_H

#include <math.h>
#include <stddef.h>

typedef struct {
  double flops;       /* all that was computed                 */
  double model_flops; /* of the model alone                    */
  double bytes;       /* moved to and from the main memory     */
  double seconds;
  double peak_flops;  /* flop/s */
  double bandwidth;   /* byte/s */
} AnWorkload;

static inline double
an_ratio (double a, double b)
{
  return b > 0 ? a / b : NAN;
}

/* Returns hardware flops utilisation; with idle in the time it is what xprof calls MFU and flops
 * utilisation, and Neuron hfu_estimated_percent. */
static inline double
an_hfu (const AnWorkload *w)
{
  return an_ratio (w->flops, w->seconds * w->peak_flops);
}

/* Returns model flops utilisation: Neuron's mfu_estimated_percent. */
static inline double
an_mfu (const AnWorkload *w)
{
  return an_ratio (w->model_flops, w->seconds * w->peak_flops);
}

/* Returns memory bandwidth utilisation: Neuron's mbu_estimated_percent. */
static inline double
an_mbu (const AnWorkload *w)
{
  return an_ratio (w->bytes, w->seconds * w->bandwidth);
}

/* Returns arithmetic intensity, flop/byte: Neuron's mm_arithmetic_intensity. */
static inline double
an_intensity (const AnWorkload *w)
{
  return an_ratio (w->model_flops, w->bytes);
}

/* Returns the ridge of the roofline, flop/byte: Neuron's peak_flops_bandwidth_ratio. */
static inline double
an_ridge (const AnWorkload *w)
{
  return an_ratio (w->peak_flops, w->bandwidth);
}

/* Returns the best MFU at this intensity: Neuron's mfu_max_achievable_estimated_percent, at most
 * 1. */
static inline double
an_best_mfu (const AnWorkload *w)
{
  double best = an_ratio (an_intensity (w), an_ridge (w));
  return best > 1 ? 1 : best;
}

/* Returns "compute", "memory", or NULL where it is not known. */
static inline const char *
an_bound (const AnWorkload *w)
{
  double intensity = an_intensity (w), ridge = an_ridge (w);
  if (isnan (intensity) || isnan (ridge))
    return NULL;
  return intensity < ridge ? "memory" : "compute";
}

#endif
