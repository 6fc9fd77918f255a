/* SPDX-License-Identifier: Apache-2.0 */
/* above-peak.c - keeps the worst operator of a device, and warns of it. */
#include "devicekit/above-peak.h"

#include <nprof/sdk.h>
#include <nprof/units.h>

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

/* What is above: "flops" by "flop/s", a peak of an analyzer that its option sets. */
typedef struct {
  double rate;
  const char *what, *unit, *option, *source, *analyzer;
} Limit;

static void
warn (AnAbovePeak *above, const struct nprof_host *host, nprof_str device, const Limit *limit)
{
  g_autofree char *others = above->n > 1
                                ? g_strdup_printf (" (and %u more are above it)", above->n - 1)
                                : g_strdup ("");
  if (above->n && host)
    nprof_log (host, NPROF_WARNING,
               "%s: %s has %s of the peak of %s (%s)%s: the %s that the file declares or "
               "this peak are wrong; option %s of the analyzer %s sets another",
               nprof_text (host, device), above->name, nprof_share (above->most).text,
               nprof_figure_join (nprof_figure (limit->rate, limit->unit)).text,
               limit->source ? limit->source : "unknown source", others, limit->what, limit->option,
               limit->analyzer);
  g_free (above->name);
  *above = (AnAbovePeak){ 0 };
}

void
an_above_peak_warn (AnAbovePeak *above, const struct nprof_host *host, nprof_str device,
                    const AnPeak *peak)
{
  const Limit limit = { peak->flops, "flops", "flop/s", "peak_flops", peak->flops_source, "mfu" };
  warn (above, host, device, &limit);
}

void
an_above_bandwidth_warn (AnAbovePeak *above, const struct nprof_host *host, nprof_str device,
                         const AnPeak *peak, const char *analyzer)
{
  const Limit limit = { peak->bandwidth,  "bytes or times",       "byte/s",
                        "peak_bandwidth", peak->bandwidth_source, analyzer };
  warn (above, host, device, &limit);
}
