/* SPDX-License-Identifier: Apache-2.0 */
/* finding-devices.c - rules of what devices do with their time: idle, exposed transfers, operators
 * that take most of it, operators that wait for memory. */

#include "view/finding.h"

#include <string.h>
#include <nprof/units.h>

/* -- Idle -------------------------------------------------------------------------- */

static gboolean
is_idle (const NpFindingRow *r, gint64 *stake)
{
  return np_row_exceeds (r, "idle_ns", "span_ns", 5, stake);
}

/* Finds the longest gap of a device that has a place. */
static gboolean
longest_gap (const NpFindingRow *device, NpFindingRow *gap)
{
  gint64 start, duration, best = -1;
  NpFindingRow row = *gap;
  for (row.row = 0; row.row < row.cells->rows; row.row++) {
    if (!np_rows_agree (device, &row, "device") || !np_rows_agree (device, &row, "input")
        || !np_row_i64 (&row, "start_ns", &start) || !np_row_i64 (&row, "duration_ns", &duration)
        || duration <= best)
      continue;
    best = duration;
    *gap = row;
  }
  return best >= 0;
}

/* Says of the causes of nprof-analyzer-device(7) what the work at the end of a gap waited for. */
static const char *
cause_text (const NpFindingRow *gap)
{
  static const char *const causes[][2] = {
    { "host", "which was launched late" },
    { "launch", "which was launched, and had not begun" },
    { "wait", "which waited for other work" },
    { "dma", "which waited for a transfer" },
    { "collective", "which waited for a collective" },
    { "unlinked", "whose launch the file does not have" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (causes); i++)
    if (np_row_says (gap, "cause", causes[i][0]))
      return causes[i][1];
  return "for a cause that is not known";
}

/* "for 260.001 us before fusion.1, which was launched late". */
static char *
gap_text (const NpFindingRow *gap)
{
  g_autofree char *length = np_row_time (gap, "duration_ns"),
                  *name = np_row_text (gap, "ended_by", NULL),
                  *work = name ? np_finding_name (gap->ask, name) : NULL;
  return g_strdup_printf ("for %s before %s, %s", length, work ? work : "work", cause_text (gap));
}

static void
tell_idle (const NpFindingRow *r, NpFinding *f)
{
  g_auto (NpCells) gaps = { 0 };
  NpFindingRow gap = { r->ask, &gaps, 0 };
  g_autofree char *device = np_row_place (r, "device"), *idle = np_row_time (r, "idle_ns"),
                  *longest = NULL;
  np_finding_open (r->ask, &gaps, "gaps");
  if (longest_gap (r, &gap)) {
    np_row_window (&gap, f);
    longest = gap_text (&gap);
  }
  f->text = g_strdup_printf ("%s idles %s of its span (%s)%s%s", device,
                             nprof_share (np_row_share (r, "idle_ns", "span_ns")).text, idle,
                             longest ? ", the longest " : "", longest ? longest : "");
}

static gboolean
has_place (const NpFindingRow *r, gint64 *stake)
{
  gint64 start;
  return np_row_i64 (r, "start_ns", &start) && np_row_i64 (r, "duration_ns", stake);
}

static void
tell_gap (const NpFindingRow *r, NpFinding *f)
{
  g_autofree char *device = np_row_place (r, "device"), *gap = gap_text (r);
  np_row_window (r, f);
  f->text = g_strdup_printf ("%s idles %s", device, gap);
}

/* -- Transfers --------------------------------------------------------------------- */

static gboolean
is_exposed (const NpFindingRow *r, gint64 *stake)
{
  return np_row_exceeds (r, "exposed_ns", "span_ns", 5, stake);
}

static void
tell_exposed (const NpFindingRow *r, NpFinding *f)
{
  g_autofree char *device = np_row_place (r, "device"), *time = np_row_time (r, "exposed_ns");
  f->text = g_strdup_printf ("Exposed transfers take %s of the span of %s (%s)",
                             nprof_share (np_row_share (r, "exposed_ns", "span_ns")).text, device,
                             time);
}

/* -- Operators --------------------------------------------------------------------- */

/* Does the device tell its instructions?  Its rows stand by level and self time, most first: the first
 * one of level hlo has no name where more work is of no instruction than of any. */
static gboolean
tells_instructions (const NpFindingRow *r)
{
  gboolean told = FALSE;
  for (NpFindingRow row = *r; np_rows_agree (r, &row, "device") && np_rows_agree (r, &row, "input");
       row.row--) {
    g_autofree char *name = np_row_text (&row, "operator", NULL);
    if (np_row_says (&row, "level", "hlo"))
      told = name != NULL;
    if (!row.row)
      break;
  }
  return told;
}

/* An operator of a device is its instruction, or its kernel where it does not tell that: kernels of many
 * instructions have one name.  A path of the framework and a layer hold the same work once more, and
 * operators of a host wait for devices. */
static gboolean
is_instruction (const NpFindingRow *r)
{
  g_autofree char *name = np_row_text (r, "operator", NULL);
  gint64 host;
  return name && !np_row_i64 (r, "host_self_ns", &host)
         && np_row_says (r, "level", tells_instructions (r) ? "hlo" : "name");
}

static gboolean
is_one_operator (const NpFindingRow *r, gint64 *stake)
{
  double share;
  return np_row_double (r, "share", &share) && share > 0.25 && is_instruction (r)
         && np_row_i64 (r, "self_ns", stake);
}

static char *
name_of (const NpFindingRow *r)
{
  g_autofree char *name = np_row_text (r, "operator", "");
  return np_finding_name (r->ask, name);
}

static void
tell_operator (const NpFindingRow *r, NpFinding *f)
{
  double share;
  g_autofree char *device = np_row_place (r, "device"), *name = name_of (r),
                  *time = np_row_time (r, "self_ns");
  np_row_double (r, "share", &share);
  f->text = g_strdup_printf ("%s takes %s of the self time of %s (%s)", name,
                             nprof_share (share).text, device, time);
}

/* Does a row of table mfu tell of one operator in all steps?  Sums stand in parentheses. */
static gboolean
is_of_operator (const NpFindingRow *r)
{
  g_autofree char *name = np_row_text (r, "operator", ""), *layer = np_row_text (r, "layer", "");
  gint64 step;
  return *name && *name != '(' && !*layer && !np_row_i64 (r, "step", &step);
}

static gboolean
is_slow_memory (const NpFindingRow *r, gint64 *stake)
{
  double mbu;
  return np_row_says (r, "bound", "memory") && is_of_operator (r) && np_row_double (r, "mbu", &mbu)
         && mbu < 0.5 && np_row_i64 (r, "time_ns", stake);
}

static void
tell_memory (const NpFindingRow *r, NpFinding *f)
{
  double mbu;
  g_autofree char *device = np_row_place (r, "device"), *name = name_of (r),
                  *time = np_row_time (r, "time_ns");
  np_row_double (r, "mbu", &mbu);
  f->text = g_strdup_printf ("%s is bound by memory, and uses %s of the bandwidth of %s (%s)",
                             name, nprof_share (mbu).text, device, time);
}

const NpFindingRule np_rules_of_devices[] = {
  { "idle", "> 5 % of the span", "devices", "gaps", "idle_ns of table devices", "device", NULL,
    is_idle, tell_idle },
  { "exposed", "> 5 % of the span", "devices", "summary", "exposed_ns of table devices", "device",
    NULL, is_exposed, tell_exposed },
  { "operator", "> 25 % of the self time", "operators", "operators", "self_ns of table operators",
    "operator", NULL, is_one_operator, tell_operator },
  { "memory bound", "< 50 % MBU", "mfu", "roofline", "time_ns of table mfu", "operator", NULL,
    is_slow_memory, tell_memory },
  { "gap", "the longest", "gaps", "gaps", "duration_ns of table gaps", "", "idle", has_place,
    tell_gap },
  { 0 },
};
