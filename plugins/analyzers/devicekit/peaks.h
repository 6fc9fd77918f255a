/* SPDX-License-Identifier: Apache-2.0 */
/* peaks.h - finds the peak rates of a device and where each comes from: the user's option, then the
 * file's own facts, then share/devices by the device's type (for some with its cores and their
 * clock); unknown stays unknown.  The analyzers decide what to make of them. */
#ifndef AN_PEAKS_H
#define AN_PEAKS_H

#include <glib.h>
#include <nprof/plugin.h>

/* NAN is unknown, and has no source.  The sources are for people, and live as long as the AnPeaks:
 * "option peak_flops", "file: stat peak_teraflops_per_second", "share/devices/tpu.json (TPU v5e,
 * bf16)". */
typedef struct {
  double flops;     /* flop/s, dense, of the precision that the source states: of a core of Neuron
                       that of its whole logical core, but an option is taken as it is         */
  guint cores;      /* that flops are the rate of together: 1, or those of a logical core       */
  double bandwidth; /* byte/s of the main memory                              */
  const char *flops_source, *bandwidth_source;
  double link;      /* byte/s of all links to other devices, one way          */
  gint64 link_group; /* so many devices these join, at most; 0: no limit      */
  const char *link_source;
  double host_link; /* byte/s to the host, one way */
} AnPeak;

typedef struct _AnPeaks AnPeaks;

/* `folder` holds *.json; NULL: the one that came with nprof.  `flops` and `bandwidth` are the
 * user's, or 0.  NULL: the files cannot be read, and why was said: return NPROF_E_OPTION. */
AnPeaks *an_peaks_new (const struct nprof_host *host, const char *folder, double flops,
                       double bandwidth);
void an_peaks_free (AnPeaks *peaks);
/* Sets the link before the first question: the user's, or 0. */
void an_peaks_set_link (AnPeaks *peaks, double link);

/* A component that uses this lists these in `wants`. */
#define AN_PEAK_KEYS                                                                               \
  NPROF_KEY_DEVICE_TYPE, NPROF_KEY_PEAK_FLOPS, NPROF_KEY_PEAK_BANDWIDTH, NPROF_KEY_CORE_COUNT,     \
      NPROF_KEY_CLOCK_RATE

/* Returns the peak of a device or core, whose ancestors' facts hold as well, when all facts are
 * known (host->fact). */
AnPeak an_peaks_of (AnPeaks *peaks, nprof_track device);

/* Returns it in flop/s of a precision ("bf16"), which the user's option and the file's own fact do
 * not tell apart; NAN: unknown. */
double an_peak_of_precision (AnPeaks *peaks, nprof_track device, const char *precision);

#endif
