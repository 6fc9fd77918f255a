/* SPDX-License-Identifier: Apache-2.0 */
/* peaks.c - the first of the user's option, the file's facts and share/devices, for each rate by
 * itself. */
#include "devicekit/peaks.h"

#include "devicekit/devices.h"

#include <math.h>
#include <nprof/keys.h>
#include <nprof/sdk.h>

typedef enum { TYPE, FLOPS, BANDWIDTH, CORES, CLOCK, N_FACTS } Fact;

static const char *const keys[N_FACTS] = { AN_PEAK_KEYS };

/* What is said of a track itself, 0 where nothing is. */
typedef struct {
  nprof_str type;
  double rate[N_FACTS]; /* [TYPE] is not used */
  nprof_str source[N_FACTS];
} Facts;

struct _AnPeaks {
  const struct nprof_host *host;
  double flops, bandwidth, link; /* options, or 0      */
  GPtrArray *devices;            /* NULL: there is no folder */
  const char *where;             /* "share/devices/", "option devices: " */
  nprof_str key[N_FACTS];
  GHashTable *facts; /* nprof_track to Facts     */
  GHashTable *known; /* nprof_track to AnPeak: looked up, no fact came since */
  GStringChunk *sources;
};

AnPeaks *
an_peaks_new (const struct nprof_host *host, const char *folder, double flops, double bandwidth)
{
  g_autofree char *own = NULL;
  const char *where = folder ? "option devices: " : "share/devices/";
  if (!folder && NPROF_KNOWS (host, data_folder))
    folder = own = g_build_filename (host->data_folder, "devices", NULL);
  g_autoptr (GError) error = NULL;
  GPtrArray *devices = folder ? an_devices_read (folder, &error) : NULL;
  if (error) {
    nprof_fail (host, NPROF_E_OPTION, "devices=%s: %s", folder, error->message);
    return NULL;
  }
  AnPeaks *p = g_new0 (AnPeaks, 1);
  p->host = host;
  p->flops = flops;
  p->bandwidth = bandwidth;
  p->devices = devices;
  p->where = where;
  for (int i = 0; i < N_FACTS; i++)
    p->key[i] = nprof_intern (host, keys[i]);
  p->facts = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  p->known = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  p->sources = g_string_chunk_new (256);
  return p;
}

void
an_peaks_free (AnPeaks *p)
{
  if (!p)
    return;
  if (p->devices)
    g_ptr_array_unref (p->devices);
  g_hash_table_unref (p->facts);
  g_hash_table_unref (p->known);
  g_string_chunk_free (p->sources);
  g_free (p);
}

void
an_peaks_set_link (AnPeaks *p, double link)
{
  p->link = link;
}

/* -- Facts ------------------------------------------------------------------------------- */

static double
number (uint32_t type, nprof_value value)
{
  double f = type == NPROF_DOUBLE  ? value.f
             : type == NPROF_INT64 ? (double) value.i
                                   : (type == NPROF_UINT64 ? (double) value.u : NAN);
  return f > 0 && isfinite (f) ? f : 0; /* 0 is how profilers write unknown */
}

static Facts *
facts_of (AnPeaks *p, nprof_track track)
{
  Facts *facts = g_hash_table_lookup (p->facts, GUINT_TO_POINTER (track));
  if (!facts) {
    facts = g_new0 (Facts, 1);
    g_hash_table_insert (p->facts, GUINT_TO_POINTER (track), facts);
  }
  return facts;
}

void
an_peaks_fact (AnPeaks *p, const struct nprof_batch *batch, uint32_t row)
{
  Fact fact = TYPE;
  while (fact < N_FACTS && batch->name[row] != p->key[fact])
    fact++;
  if (fact == N_FACTS || !batch->attr_at || batch->attr_at[row] == batch->attr_at[row + 1])
    return;
  uint32_t at = batch->attr_at[row];
  uint32_t type = batch->attr_type[at];
  nprof_value value = batch->attr_value[at];
  Facts *facts = facts_of (p, batch->track[row]);
  g_hash_table_remove_all (p->known);
  if (fact == TYPE && type == NPROF_STRING && !facts->type)
    facts->type = value.s;
  if (fact == TYPE && type == NPROF_TEXT && !facts->type)
    facts->type = p->host->intern (p->host, batch->bytes + value.bytes.at, value.bytes.len);
  if (fact == TYPE || facts->rate[fact])
    return;
  facts->rate[fact] = number (type, value);
  facts->source[fact] = batch->category[row];
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
file_source (AnPeaks *p, const Facts *facts, Fact fact)
{
  if (!facts->source[fact])
    return source (p, "file: %s", keys[fact]);
  return source (p, "file: %s", nprof_text (p->host, facts->source[fact]));
}

static void
from_file (AnPeaks *p, const Facts *facts, AnPeak *peak)
{
  if (isnan (peak->flops) && facts->rate[FLOPS]) {
    peak->flops = facts->rate[FLOPS];
    peak->flops_source = file_source (p, facts, FLOPS);
  }
  if (isnan (peak->bandwidth) && facts->rate[BANDWIDTH]) {
    peak->bandwidth = facts->rate[BANDWIDTH];
    peak->bandwidth_source = file_source (p, facts, BANDWIDTH);
  }
}

/* What is said nearest to the device of itself; 0: nothing. */
typedef struct {
  nprof_str type;
  double cores, clock;
} Said;

static void
flops_from_devices (AnPeaks *p, const AnDevice *d, const Said *said, AnPeak *peak)
{
  if (!isnan (d->flops)) {
    peak->flops = d->flops;
    peak->flops_source = source (p, "%s%s (%s, %s)", p->where, d->file, d->name, d->precision);
  } else if (said->cores && said->clock) {
    peak->flops = d->per_cycle * said->cores * said->clock;
    peak->flops_source
        = source (p, "%s%s (%s, %s: %g flop a core and cycle), file: %g cores of %g GHz", p->where,
                  d->file, d->name, d->precision, d->per_cycle, said->cores, said->clock / 1e9);
  }
}

static void
from_devices (AnPeaks *p, const Said *said, AnPeak *peak)
{
  const AnDevice *d = NULL;
  if (said->type && p->devices)
    d = an_devices_find (p->devices, nprof_text (p->host, said->type));
  if (!d)
    return;
  if (isnan (peak->flops))
    flops_from_devices (p, d, said, peak);
  if (isnan (peak->bandwidth) && !isnan (d->bandwidth)) {
    peak->bandwidth = d->bandwidth;
    peak->bandwidth_source = source (p, "%s%s (%s)", p->where, d->file, d->name);
  }
  if (isnan (peak->link) && !isnan (d->link)) {
    peak->link = d->link;
    peak->link_group = (gint64) d->link_group;
    peak->link_source = source (p, "%s%s (%s)", p->where, d->file, d->name);
  }
}

/* What the device and those above it say of themselves; their rates become the peak's. */
static Said
said_of (AnPeaks *p, nprof_track device, AnPeak *peak)
{
  Said said = { 0 };
  for (nprof_track at = device; at; at = p->host->track_info (p->host, at)->parent) {
    const Facts *facts = g_hash_table_lookup (p->facts, GUINT_TO_POINTER (at));
    if (!facts)
      continue;
    from_file (p, facts, peak);
    said.type = said.type ? said.type : facts->type;
    said.cores = said.cores ? said.cores : facts->rate[CORES];
    said.clock = said.clock ? said.clock : facts->rate[CLOCK];
  }
  return said;
}

/* Before the file and share/devices are asked. */
static AnPeak
peak_of_user (const AnPeaks *p)
{
  return (AnPeak){ .flops = p->flops > 0 ? p->flops : NAN,
                   .bandwidth = p->bandwidth > 0 ? p->bandwidth : NAN,
                   .flops_source = p->flops > 0 ? "option peak_flops" : NULL,
                   .bandwidth_source = p->bandwidth > 0 ? "option peak_bandwidth" : NULL,
                   .link = p->link > 0 ? p->link : NAN,
                   .link_source = p->link > 0 ? "option link" : NULL };
}

static AnPeak
look_up (AnPeaks *p, nprof_track device)
{
  AnPeak peak = peak_of_user (p);
  const Said said = said_of (p, device, &peak);
  from_devices (p, &said, &peak);
  return peak;
}

double
an_peak_of_precision (AnPeaks *p, nprof_track device, const char *precision)
{
  AnPeak peak = peak_of_user (p);
  const Said said = said_of (p, device, &peak);
  if (!isnan (peak.flops))
    return peak.flops;
  const AnDevice *d = said.type && p->devices
                          ? an_devices_find (p->devices, nprof_text (p->host, said.type))
                          : NULL;
  double rate = d ? an_device_rate (d, precision) : NAN;
  if (!d || isnan (d->per_cycle))
    return rate;
  return said.cores && said.clock ? rate * said.cores * said.clock : NAN;
}

/* Asked for each operator of a device. */
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
