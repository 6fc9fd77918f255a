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

struct nprof_cell
used_cell (Wide flops, guint64 with, double could)
{
  return with && could > 0 /* false for NAN */ ? nprof_cell_double ((double) flops / could)
                                               : nprof_cell_null ();
}

/* -- Sums ------------------------------------------------------------------------------- */

struct nprof_cell
wide_cell (Wide sum)
{
  return sum < INT64_MIN || sum > INT64_MAX ? nprof_cell_null () : nprof_cell_int ((int64_t) sum);
}

gint64
wide_mean (Wide a, guint64 b)
{
  return (gint64) ((a + (a < 0 ? -(Wide) b : (Wide) b) / 2) / (Wide) b);
}
