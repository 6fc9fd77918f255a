/* SPDX-License-Identifier: Apache-2.0 */
/* summary-use.c - lines of the first screen that say how well devices are used, and why not better. */

#include "recorder.h"
#include "summary-lines.h"

#include <math.h>
#include <nprof/sdk.h>
#include <nprof/units.h>
#include <string.h>

/* Tells whether table mfu looks at the windows of steps, as it does by shapes. */
static gboolean
is_by_step (const SummaryOf *of)
{
  for (guint i = 0; of->mfu && i < of->mfu->rows->len; i++) {
    g_autofree char *operator= summary_text (of->mfu, i, "operator");
    if (g_str_equal (operator, "(steps)"))
      return TRUE;
  }
  return FALSE;
}

/* Returns why MFU is unknown, and what mends it; transfer full. */
static char *
mfu_reason (const SummaryOf *of)
{
  gboolean flops = summary_range (of->mfu, "flops", NULL).n > 0;
  gboolean peak = summary_range (of->mfu, "peak_flops", NULL).n > 0;
  if (!answers_announced (of->answers, "mfu"))
    return g_strdup ("the analyzer mfu is not in this run");
  if (!of->mfu || of->mfu->rows->len == 0)
    return g_strdup ("no work that takes time is in the file");
  if (!flops && !peak)
    return g_strdup ("no flops in the file; the device's peak is unknown");
  if (summary_range (of->devices, "hfu", NULL).n > 0)
    return g_strdup ("which flops are transposes is not in the file: the vendor's JSON has it");
  if (flops && peak)
    return g_strdup ("no step launched an operator whose flops follow from shapes");
  if (flops)
    return g_strdup (
        "no peak rate of the device is known: -a device:peak_flops=N -a mfu:peak_flops=N");
  const char *shapes = recorder_option (of->answers, OPTION_SHAPES);
  return shapes ? g_strconcat ("no shapes in the file: ", shapes, NULL)
                : g_strdup ("no flops in the file");
}

/* Returns the MFU of the rows of table mfu that are of that operator; n 0: it is not known. */
static Range
mfu_of (const SummaryOf *of, const char *operator)
{
  Range range = { .least = G_MAXDOUBLE, .most = -G_MAXDOUBLE };
  for (guint i = 0; of->mfu && i < of->mfu->rows->len; i++) {
    g_autofree char *is = summary_text (of->mfu, i, "operator");
    double mfu = summary_value (of->mfu, i, "mfu");
    if (!g_str_equal (is, operator) || isnan (mfu))
      continue;
    range.least = MIN (range.least, mfu);
    range.most = MAX (range.most, mfu);
    range.n++;
  }
  return range;
}

/* Flops take part of the time, at part of the peak: their product is the answer.  "": operators
 * overlap, so that their rates say less.  Transfer full. */
static char *
why_text (const Roofline *line, double mfu, const char *of)
{
  double at = line && line->with_flops > 0 ? line->at_peak / line->with_flops : NAN;
  if (!(at > 0) || !(mfu > 0) || mfu > at)
    return g_strdup ("");
  return g_strdup_printf ("%s of %s has flops, at %s of peak", nprof_share (mfu / at).text, of,
                          nprof_share (at).text);
}

static void
add_mfu_line (Table *to, const char *answer, const char *before, const char *why)
{
  const char *said = *before || *why ? why : "of the peak, idle time included";
  g_autofree char *where = g_strconcat (before, *before && *why ? ": " : "", said, NULL);
  summary_add_range (to, "MFU", answer, where);
}

/* Adds MFU by shapes, where rows of devices state no flops. */
static gboolean
add_mfu_by_shapes (Table *to, const SummaryOf *of, const Roofline *line)
{
  gboolean by_step = is_by_step (of);
  Range range = mfu_of (of, by_step ? "(steps)" : "(total)");
  g_autofree char *answer = summary_range_text (to, &range, "1");
  if (!answer)
    return FALSE;
  g_autofree char *source = summary_text (of->mfu, 0, "flops_source");
  g_autofree char *why = why_text (line, range.least, by_step ? "a step" : "the time");
  add_mfu_line (to, answer, strstr (source, "at least") ? "at least" : "by shapes", why);
  return TRUE;
}

static gboolean
add_mfu (Table *to, const SummaryOf *of, const Roofline *line)
{
  Range mfu = summary_range (of->devices, "mfu", NULL),
        hfu = summary_range (of->devices, "hfu", NULL);
  g_autofree char *answer = summary_range_text (to, &mfu, "1"),
                  *hardware = summary_range_text (to, &hfu, "1");
  if (!answer)
    return add_mfu_by_shapes (to, of, line);
  gboolean other = hardware && !g_str_equal (hardware, answer);
  g_autofree char *where = other ? g_strdup_printf ("HFU %s", hardware) : g_strdup ("");
  g_autofree char *why = why_text (line, mfu.least, "the time");
  add_mfu_line (to, answer, where, why);
  return TRUE;
}

/* Returns ", 4.0 % link"; "" where that is too little.  Transfer full. */
static char *
share_text (double share, const char *word)
{
  return share < SUMMARY_SHOWN ? g_strdup ("")
                               : g_strdup_printf (", %s %s", nprof_share (share).text, word);
}

/* Adds HFU by itself, where what of the flops is the model's is unknown. */
static void
add_hfu (Table *to, const SummaryOf *of)
{
  Range hfu = summary_range (of->devices, "hfu", NULL);
  g_autofree char *answer = summary_range_text (to, &hfu, "1");
  if (answer)
    summary_add_range (to, "HFU", answer, "transposes counted, idle time included");
}

static gboolean
add_roofline (Table *to, const Roofline *line)
{
  double work = line ? MAX (line->busy, line->compute + line->memory + line->link) : 0;
  if (!line || !(line->compute + line->memory > 0))
    return FALSE;
  gboolean compute = line->compute >= line->memory;
  double most = compute ? line->compute : line->memory,
         other = compute ? line->memory : line->compute;
  g_autofree char *answer = summary_scaled (to, "1", most / work);
  g_autofree char *link = share_text (line->link / work, "link"),
                  *unknown = share_text ((work - most - other - line->link) / work, "unknown");
  g_autofree char *where = g_strdup_printf ("of its work %s-bound, %s %s%s%s  --only mfu",
                                            compute ? "compute" : "memory",
                                            nprof_share (other / work).text,
                                            compute ? "memory" : "compute", link, unknown);
  summary_add (to, "roofline", answer, where);
  return TRUE;
}

static const char *
roofline_reason (const SummaryOf *of)
{
  gboolean bytes = summary_range (of->mfu, "bytes", NULL).n > 0;
  return bytes ? "no operator has flops, bytes and time of its own"
               : "the bytes that operators move are not in the file";
}

static void
add_mbu (Table *to, const SummaryOf *of)
{
  Range mbu = summary_range (of->devices, "mbu", NULL);
  g_autofree char *answer = summary_range_text (to, &mbu, "1");
  if (answer)
    summary_add_range (to, "MBU", answer, "bytes of the main memory, idle time included");
}

void
summary_add_use (Table *to, const SummaryOf *of, const DeviceSteps *d)
{
  const Roofline *line = d ? answers_roofline (of->answers, d->input, d->device) : NULL;
  gboolean mfu = add_mfu (to, of, line), roofline = add_roofline (to, line);
  g_autofree char *reason = mfu ? NULL : mfu_reason (of);
  if (!mfu)
    summary_add (to, roofline ? "MFU" : "MFU, roofline", NULL, reason);
  if (!mfu)
    add_hfu (to, of);
  else if (!roofline)
    summary_add (to, "roofline", NULL, roofline_reason (of));
  add_mbu (to, of);
}
