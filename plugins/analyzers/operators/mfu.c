/* SPDX-License-Identifier: Apache-2.0 */
/* mfu.c - computes the part of a device's peak that an operator or a layer used, and makes cells of
 * sums. */
#include "operators.h"

#include <math.h>

double
peak_flops_of (Operators *self, nprof_track device)
{
  return an_peaks_of (self->peaks, device).flops;
}

double
used_part (const Op *sum, double could)
{
  Wide flops = MAX (sum->with_flops ? sum->flops : 0, sum->with_model ? sum->model_flops : 0);
  return could > 0 ? (double) flops / could : NAN;
}

struct nprof_maybe_double
used_of (Wide flops, guint64 with, double could)
{
  return nprof_double_if (with && could > 0 /* false for NAN */, (double) flops / could);
}

/* -- Sums ------------------------------------------------------------------------------- */

struct nprof_maybe_int
wide_if (bool known, Wide sum)
{
  return nprof_int_if (known && sum >= INT64_MIN && sum <= INT64_MAX, (int64_t) sum);
}

gint64
wide_mean (Wide a, guint64 b)
{
  return (gint64) ((a + (a < 0 ? -(Wide) b : (Wide) b) / 2) / (Wide) b);
}
