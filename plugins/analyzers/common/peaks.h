/* SPDX-License-Identifier: Apache-2.0 */
/* peaks.h - the peak rates of a device and where each comes from: the user's option, then the
 * file's own facts, then share/devices; unknown stays unknown.  What is made of them is left to
 * the analyzers. */
#ifndef AN_PEAKS_H
#define AN_PEAKS_H

#include <nprof/plugin.h>

/* NAN: unknown.  The sources are for people: "file: peak_flops", "share/devices/tpu.json (TPU v5e)",
 * "option peak_flops". */
typedef struct {
  double flops;     /* flop/s, dense, of the precision that the source states */
  double bandwidth; /* byte/s of the main memory                              */
  const char *flops_source, *bandwidth_source;
} AnPeak;

typedef struct _AnPeaks AnPeaks;

/* folder: holds *.json; NULL: the one that came with nprof.  flops, bandwidth: the user's, or 0. */
AnPeaks *an_peaks_new (const struct nprof_host *host, const char *folder, double flops,
                       double bandwidth);
void an_peaks_free (AnPeaks *peaks);

/* Give it each row of kind fact. */
void an_peaks_fact (AnPeaks *peaks, const struct nprof_batch *batch, uint32_t row);

/* When all facts are known (finish): of a device or core, whose ancestors' facts hold as well. */
AnPeak an_peaks_of (AnPeaks *peaks, nprof_track device);

#endif
