/* SPDX-License-Identifier: Apache-2.0 */
/* peaks.c - takes the first of the user's option, the file's facts and share/devices, for each rate
 * by itself. */
#include "devicekit/peaks.h"

#include "devicekit/logical-core.h"

#include <math.h>
#include <nprof/draft/devices.h>
#include <nprof/keys.h>
#include <nprof/sdk.h>

typedef enum { TYPE, FLOPS, BANDWIDTH, CORES, CLOCK, N_FACTS } Fact;

static const char *const keys[N_FACTS] = { AN_PEAK_KEYS };

struct _AnPeaks {
  const struct nprof_host *host;
  double flops, bandwidth, link;       /* options, or 0      */
  const struct nprof_devices *devices; /* NULL: not here */
  char *folder;                        /* NULL: nprof's own */
  nprof_str key[N_FACTS];
  GHashTable *known;   /* nprof_track to AnPeak: looked up already                   */
  GHashTable *by_type; /* nprof_str to struct nprof_device or NULL: types that were asked for */
  GStringChunk *sources;
};

AnPeaks *
an_peaks_new (const struct nprof_host *host, const char *folder, double flops, double bandwidth)
{
  const struct nprof_devices *devices = host->extension (host, NPROF_DEVICES);
  if (devices && devices->find (host, folder, NULL, NULL))
    return NULL;
  AnPeaks *p = g_new0 (AnPeaks, 1);
  p->host = host;
  p->flops = flops;
  p->bandwidth = bandwidth;
  p->devices = devices;
  p->folder = g_strdup (folder);
  for (int i = 0; i < N_FACTS; i++)
    p->key[i] = nprof_intern (host, keys[i]);
  p->known = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  p->by_type = g_hash_table_new (NULL, NULL);
  p->sources = g_string_chunk_new (256);
  return p;
}

void
an_peaks_free (AnPeaks *p)
{
  if (!p)
    return;
  g_hash_table_unref (p->known);
  g_hash_table_unref (p->by_type);
  g_string_chunk_free (p->sources);
  g_free (p->folder);
  g_free (p);
}

void
an_peaks_set_link (AnPeaks *p, double link)
{
  p->link = link;
}

/* -- Facts ------------------------------------------------------------------------------- */

/* Reads a number; profilers write 0 for unknown. */
static double
number (const struct nprof_fact *fact)
{
  nprof_value value = fact->value;
  double f = fact->type == NPROF_DOUBLE  ? value.f
             : fact->type == NPROF_INT64 ? (double) value.i
                                         : (fact->type == NPROF_UINT64 ? (double) value.u : NAN);
  return f > 0 && isfinite (f) ? f : 0;
}

/* Returns the rate of the device or the nearest track above it that states a usable number; 0:
 * none.  `from` may be NULL. */
static double
rate_of (AnPeaks *p, nprof_track track, Fact which, const struct nprof_fact **from)
{
  const struct nprof_host *h = p->host;
  const struct nprof_fact *fact;
  for (; (fact = h->fact (h, track, p->key[which]));
       track = h->track_info (h, fact->track)->parent) {
    double rate = number (fact);
    if (!rate)
      continue;
    if (from)
      *from = fact;
    return rate;
  }
  return 0;
}

/* Returns the device of a type; NULL: none is known.  All patterns of share/devices are tried, so
 * each type is asked for once. */
static const struct nprof_device *
device_of_type (AnPeaks *p, nprof_str type)
{
  const struct nprof_device *device = NULL;
  gpointer known;
  if (g_hash_table_lookup_extended (p->by_type, GUINT_TO_POINTER (type), NULL, &known))
    return known;
  p->devices->find (p->host, p->folder, nprof_text (p->host, type), &device);
  g_hash_table_insert (p->by_type, GUINT_TO_POINTER (type), (gpointer) device);
  return device;
}

/* Returns the device that the file names; NULL: none that is known. */
static const struct nprof_device *
device_of (AnPeaks *p, nprof_track track)
{
  const struct nprof_fact *type = p->host->fact (p->host, track, p->key[TYPE]);
  bool asks = p->devices && type && type->type == NPROF_STRING && type->value.s;
  return asks ? device_of_type (p, type->value.s) : NULL;
}

/* -- Answers ------------------------------------------------------------------------------ */

__attribute__ ((format (printf, 2, 3))) static const char *
source (AnPeaks *p, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  return g_string_chunk_insert_const (p->sources, text);
}

static const char *
file_source (AnPeaks *p, const struct nprof_fact *fact)
{
  return source (p, "file: %s", nprof_text (p->host, fact->source ? fact->source : fact->key));
}

static void
from_file (AnPeaks *p, nprof_track track, AnPeak *peak)
{
  const struct nprof_fact *fact = NULL;
  double rate = isnan (peak->flops) ? rate_of (p, track, FLOPS, &fact) : 0;
  if (rate) {
    peak->flops = rate;
    peak->flops_source = file_source (p, fact);
  }
  rate = isnan (peak->bandwidth) ? rate_of (p, track, BANDWIDTH, &fact) : 0;
  if (rate) {
    peak->bandwidth = rate;
    peak->bandwidth_source = file_source (p, fact);
  }
}

/* Returns "share/devices/tpu.json", or that of the user's folder. */
static char *
file_name (const AnPeaks *p, const struct nprof_device *d)
{
  return g_strconcat (p->folder ? "option devices: " : "share/devices/", d->file, NULL);
}

static void
flops_from_devices (AnPeaks *p, nprof_track track, const struct nprof_device *d, AnPeak *peak)
{
  g_autofree char *file = file_name (p, d);
  double cores = rate_of (p, track, CORES, NULL), clock = rate_of (p, track, CLOCK, NULL);
  if (!isnan (d->flops)) {
    peak->flops = d->flops;
    peak->flops_source = source (p, "%s (%s, %s)", file, d->name, d->precision);
  } else if (cores && clock) {
    peak->flops = d->per_cycle * cores * clock;
    peak->flops_source
        = source (p, "%s (%s, %s: %g flop a core and cycle), file: %g cores of %g GHz", file,
                  d->name, d->precision, d->per_cycle, cores, clock / 1e9);
  }
}

static void
from_devices (AnPeaks *p, nprof_track track, AnPeak *peak)
{
  const struct nprof_device *d = device_of (p, track);
  if (!d)
    return;
  g_autofree char *file = file_name (p, d);
  if (isnan (peak->flops))
    flops_from_devices (p, track, d, peak);
  if (isnan (peak->bandwidth) && !isnan (d->bandwidth)) {
    peak->bandwidth = d->bandwidth;
    peak->bandwidth_source = source (p, "%s (%s)", file, d->name);
  }
  if (isnan (peak->link) && !isnan (d->link)) {
    peak->link = d->link;
    peak->link_group = (gint64) d->link_group;
    peak->link_source = source (p, "%s (%s)", file, d->name);
  }
  peak->host_link = d->host_link;
}

/* Returns the user's rates, before the file and share/devices are asked. */
static AnPeak
peak_of_user (const AnPeaks *p)
{
  return (AnPeak){ .cores = 1,
                   .flops = p->flops > 0 ? p->flops : NAN,
                   .bandwidth = p->bandwidth > 0 ? p->bandwidth : NAN,
                   .flops_source = p->flops > 0 ? "option peak_flops" : NULL,
                   .bandwidth_source = p->bandwidth > 0 ? "option peak_bandwidth" : NULL,
                   .link = p->link > 0 ? p->link : NAN,
                   .link_source = p->link > 0 ? "option link" : NULL,
                   .host_link = NAN };
}

/* Makes the rate of a core that of its logical core. */
static void
of_logical_core (AnPeaks *p, nprof_track device, AnPeak *peak)
{
  guint cores = an_logical_cores (p->host, device);
  if (cores < 2 || isnan (peak->flops))
    return;
  peak->cores = cores;
  peak->flops *= cores;
  peak->flops_source = source (p, "%s, of %u cores", peak->flops_source, cores);
}

static AnPeak
look_up (AnPeaks *p, nprof_track device)
{
  AnPeak peak = peak_of_user (p);
  bool of_one = isnan (peak.flops);
  from_file (p, device, &peak);
  from_devices (p, device, &peak);
  if (of_one)
    of_logical_core (p, device, &peak);
  return peak;
}

/* Returns flop/s of a precision, or flop of a core in a cycle where per_cycle is known; NAN: not
 * known. */
static double
device_rate (const struct nprof_device *device, const char *precision)
{
  for (guint i = 0; i < device->n_rates; i++)
    if (g_str_equal (device->rates[i].precision, precision))
      return device->rates[i].rate;
  return NAN;
}

double
an_peak_of_precision (AnPeaks *p, nprof_track track, const char *precision)
{
  AnPeak peak = peak_of_user (p);
  from_file (p, track, &peak);
  if (!isnan (peak.flops))
    return peak.flops;
  const struct nprof_device *d = device_of (p, track);
  double rate = d ? device_rate (d, precision) : NAN;
  if (!d || isnan (d->per_cycle))
    return rate;
  double cores = rate_of (p, track, CORES, NULL), clock = rate_of (p, track, CLOCK, NULL);
  return cores && clock ? rate * cores * clock : NAN;
}

/* Returns the peak, which is asked for each operator of a device. */
AnPeak
an_peaks_of (AnPeaks *p, nprof_track device)
{
  AnPeak *peak = g_hash_table_lookup (p->known, GUINT_TO_POINTER (device));
  if (!peak) {
    peak = g_new (AnPeak, 1);
    *peak = look_up (p, device);
    g_hash_table_insert (p->known, GUINT_TO_POINTER (device), peak);
  }
  return *peak;
}
