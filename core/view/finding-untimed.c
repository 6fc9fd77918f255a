/* SPDX-License-Identifier: Apache-2.0 */
/* finding-untimed.c - rules of what has no time at stake: reloads of spilled tensors, lost rows, and
 * what must be known before figures are: clocks, peaks, whether a device is busy. */

#include "view/finding.h"

#include <string.h>
#include <nprof/units.h>

/* -- Spills ------------------------------------------------------------------------ */

static gboolean
is_metric (const NpFindingRow *r, const char *name, double *value)
{
  return np_row_says (r, "metric", name) && np_row_double (r, "value", value);
}

/* Returns which share of the bytes read of HBM are reloads of what was spilled; -1: not known. */
static double
spilled_share (const NpFindingRow *r)
{
  double spilled, read;
  if (!is_metric (r, "spill_reload_bytes", &spilled))
    return -1;
  for (NpFindingRow other = { r->ask, r->cells, 0 }; other.row < r->cells->rows; other.row++)
    if (is_metric (&other, "hbm_read_bytes", &read) && read > 0
        && np_rows_agree (r, &other, "input") && np_rows_agree (r, &other, "device"))
      return spilled / read;
  return -1;
}

static gboolean
is_spilled (const NpFindingRow *r, G_GNUC_UNUSED gint64 *stake)
{
  return spilled_share (r) > 0.25;
}

static void
tell_spill (const NpFindingRow *r, NpFinding *f)
{
  g_autofree char *device = np_row_place (r, "device");
  f->text = g_strdup_printf ("%s reloads spilled tensors for %s of the bytes that it reads of "
                             "HBM",
                             device, nprof_share (spilled_share (r)).text);
}

/* -- What must be known ------------------------------------------------------------ */

static gboolean
is_unsure (const NpFindingRow *r, G_GNUC_UNUSED gint64 *stake)
{
  gint64 span, busy;
  return np_row_i64 (r, "span_ns", &span) && span > 0 && !np_row_i64 (r, "busy_ns", &busy);
}

static void
tell_unsure (const NpFindingRow *r, NpFinding *f)
{
  g_autofree char *device = np_row_place (r, "device"),
                  *reason = np_row_text (r, "busy_reason", "the file does not say it");
  f->text = g_strdup_printf ("It is not known when %s is busy: %s", device, reason);
}

static gboolean
is_any (G_GNUC_UNUSED const NpFindingRow *r, G_GNUC_UNUSED gint64 *stake)
{
  return TRUE;
}

static void
tell_cycles (const NpFindingRow *r, NpFinding *f)
{
  g_autofree char *device = np_row_place (r, "device");
  f->text
      = g_strdup_printf ("The file states cycles of %s and not how long one takes; option clock= "
                         "of the decoder makes times of them",
                         device);
}

/* Clocks of component 0 are those that the first clock is joined to. */
static gboolean
is_apart (const NpFindingRow *r, G_GNUC_UNUSED gint64 *stake)
{
  const NpFindingRow first = { r->ask, r->cells, 0 };
  gint64 own, other;
  return np_row_i64 (r, "component", &own) && np_row_i64 (&first, "component", &other)
         && own != other;
}

static void
tell_apart (const NpFindingRow *r, NpFinding *f)
{
  g_autofree char *ranks = np_row_text (r, "ranks", "some"),
                  *clock = np_row_text (r, "clock", "unknown");
  f->text = g_strdup_printf ("Times of ranks %s cannot be compared with the others, since no "
                             "collective joins their clock, %s",
                             ranks, clock);
}

static gboolean
has_no_peak (const NpFindingRow *r, G_GNUC_UNUSED gint64 *stake)
{
  gint64 flops, step;
  double peak;
  return np_row_says (r, "operator", "(total)") && !np_row_i64 (r, "step", &step)
         && np_row_i64 (r, "flops", &flops) && !np_row_double (r, "peak_flops", &peak);
}

static void
tell_no_peak (const NpFindingRow *r, NpFinding *f)
{
  g_autofree char *device = np_row_place (r, "device");
  f->text
      = g_strdup_printf ("The peak of %s is not known, and so its MFU is not; option peak_flops= "
                         "of analyzer mfu states it",
                         device);
}

/* -- Lost rows --------------------------------------------------------------------- */

static gboolean
is_lost (const NpFindingRow *r, gint64 *stake)
{
  return np_row_i64 (r, "lost_ns", stake) && *stake > 0;
}

static void
tell_lost (const NpFindingRow *r, NpFinding *f)
{
  g_autofree char *device = np_row_place (r, "device"), *lost = np_row_time (r, "lost_ns");
  f->text = g_strdup_printf ("Rows of %s are missing for %s (%s of its span), in which it may "
                             "be busy or idle",
                             device, lost,
                             nprof_share (np_row_share (r, "lost_ns", "span_ns")).text);
}

const NpFindingRule np_rules_without_time[] = {
  { "lost", "any time of a device", "devices", "problems", "lost_ns of table devices", "device",
    NULL, is_lost, tell_lost },
  { "spill", "> 25 % of reads", "neuron_summary", "", "the metrics of bytes have no time", "device",
    NULL, is_spilled, tell_spill },
  { "busy", "known", "devices", "problems", "what is not known has no time", "device", NULL,
    is_unsure, tell_unsure },
  { "clock", "known", "cycles", "", "what is not known has no time", "device", NULL, is_any,
    tell_cycles },
  { "clock", "known", "clocks", "", "what is not known has no time", "clock", NULL, is_apart,
    tell_apart },
  { "peak", "known", "mfu", "problems", "what is not known has no time", "device", NULL,
    has_no_peak, tell_no_peak },
  { 0 },
};
