/* SPDX-License-Identifier: Apache-2.0 */
/* above-peak.h - operators and queues that are said to have done more than their device can: the
 * flops or bytes that the file declares or the peak are wrong, and a person must know which
 * operator and which peak. */
#ifndef AN_ABOVE_PEAK_H
#define AN_ABOVE_PEAK_H

#include "devicekit/peaks.h"

#include <glib.h>

/* One device has one of these, all 0 at first. */
typedef struct {
  guint n;     /* operators above the peak      */
  double most; /* of them: the part of the peak */
  char *name;  /* whose that is; owned          */
} AnAbovePeak;

/* `used` is a part of the peak, NAN: unknown. */
void an_above_peak_add (AnAbovePeak *above, const char *name, double used);
/* Warns where there were some, and forgets them; host NULL: somebody else warns. */
void an_above_peak_warn (AnAbovePeak *above, const struct nprof_host *host, nprof_str device,
                         const AnPeak *peak);
/* The same of bytes and the bandwidth of the main memory, which an option of that analyzer sets. */
void an_above_bandwidth_warn (AnAbovePeak *above, const struct nprof_host *host, nprof_str device,
                              const AnPeak *peak, const char *analyzer);

#endif
