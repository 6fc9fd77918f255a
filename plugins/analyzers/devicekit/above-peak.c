/* SPDX-License-Identifier: Apache-2.0 */
/* above-peak.c - keeps the worst operator of a device, and warns of it. */
#include "devicekit/above-peak.h"

#include <nprof/sdk.h>

#define ROUNDED 1.0005 /* what is still shown as 100.0 % is none */

void
an_above_peak_add (AnAbovePeak *above, const char *name, double used)
{
  if (!(used >= ROUNDED))
    return;
  above->n++;
  if (used <= above->most)
    return;
  above->most = used;
  g_free (above->name);
  above->name = g_strdup (name);
}

void
an_above_peak_warn (AnAbovePeak *above, const struct nprof_host *host, nprof_str device,
                    const AnPeak *peak)
{
  g_autofree char *others = above->n > 1
                                ? g_strdup_printf (" (and %u more are above it)", above->n - 1)
                                : g_strdup ("");
  if (above->n && host)
    nprof_log (
        host, NPROF_WARNING,
        "%s: %s has %.1f %% of the peak of %g flop/s (%s)%s: the flops that the file declares "
        "or this peak are wrong; option peak_flops of the analyzer mfu sets another",
        nprof_text (host, device), above->name, 100 * above->most, peak->flops,
        peak->flops_source ? peak->flops_source : "unknown source", others);
  g_free (above->name);
  *above = (AnAbovePeak){ 0 };
}
