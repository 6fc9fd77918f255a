/* SPDX-License-Identifier: Apache-2.0 */
/* counters.c - turns bins into counters on derived tracks of the device: rows of kind counter, one
 * where the value changes. */
#include "device.h"

#define MAX_BINS 1000000
#define BINS 1000 /* by default */

nprof_status
dv_bins_choose (DvRun *run)
{
  const struct nprof_run_info *info = run->host->run (run->host);
  gint64 length = info->last > info->first ? info->last - info->first : 1;
  run->width = run->bin ? run->bin * 1000 : 1 + (length - 1) / BINS;
  gint64 n = 1 + (length - 1) / run->width;
  if (n > MAX_BINS)
    return nprof_fail (run->host, NPROF_E_OPTION,
                       "bin=%" G_GINT64_FORMAT ": gives %" G_GINT64_FORMAT
                       " bins, expected at most %d: take a longer one",
                       run->bin, n, MAX_BINS);
  run->n_bins = (guint) n;
  return NPROF_OK;
}

nprof_status
dv_counter_rows (Device *d, const char *name, const char *unit, int sort, const double *values)
{
  DvRun *run = d->run;
  const struct nprof_host *host = run->host;
  const struct nprof_run_info *info = host->run (host);
  nprof_str text = nprof_intern (host, name);
  nprof_track track = host->track (host, d->track, NPROF_TRACK_DERIVED, text, 0, sort);
  nprof_set counted = nprof_unit (host, unit);
  struct nprof_writer *w = track ? host->writer (host) : NULL;
  nprof_status status = w ? NPROF_OK : NPROF_E_NOMEM;
  double before = NAN;
  for (guint i = 0; i < run->n_bins && status == NPROF_OK; i++) {
    if (isnan (values[i]) || values[i] == before)
      continue;
    before = values[i];
    status = nprof_counter_in (w, track, text, counted, info->first + i * run->width, before);
  }
  return status;
}

/* Returns a bin's length; the last may be shorter. */
static double
length_of (const DvRun *run, guint bin)
{
  const struct nprof_run_info *info = run->host->run (run->host);
  gint64 left = info->last - info->first - bin * run->width;
  return (double) (left > 0 ? MIN (left, run->width) : run->width);
}

static nprof_status
counter (Device *d, int which, const char *name, const char *unit, double scale)
{
  g_autofree double *values = dv_bins_sums (&d->bins[which]);
  if (!values || isnan (scale))
    return NPROF_OK;
  for (guint i = 0; i < d->run->n_bins; i++)
    values[i] *= scale / length_of (d->run, i);
  return dv_counter_rows (d, name, unit, which, values);
}

nprof_status
dv_counters (Device *d)
{
  double peak = an_peaks_of (d->run->peaks, d->track).flops;
  nprof_status status = counter (d, DV_TENSOR, "TensorMatrix Utilization", "1", 1);
  if (status == NPROF_OK)
    status = counter (d, DV_HFU, "HFU", "1", 1e12 / peak); /* flop a ps over flop/s */
  if (status == NPROF_OK)
    status = counter (d, DV_THROUGHPUT, "DMA Throughput", "byte/s", 1e12);
  if (status == NPROF_OK)
    status = counter (d, DV_PENDING, "Pending DMA Count", "transfers", 1);
  return status;
}
