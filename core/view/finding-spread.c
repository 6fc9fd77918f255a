/* SPDX-License-Identifier: Apache-2.0 */
/* finding-spread.c - rules of what does not always take as long: calls of one name, and steps of
 * devices and ranks. */

#include "view/finding.h"

/* -- Calls ------------------------------------------------------------------------- */

/* Calls of a host wait for whatever comes, and say little beside work of devices: they count where
 * the profile has no device. */
static gboolean
is_work (const NpFindingRow *r)
{
  g_auto (NpCells) devices = { 0 };
  gint64 number;
  np_cells_open (&devices, r->ask->store, r->ask->query, "devices");
  if (!devices.rows)
    return TRUE;
  np_row_i64 (r, "track", &number);
  const struct nprof_store_track *t
      = nprof_store_track_at (r->ask->store,
                              nprof_store_track_of (r->ask->store, (guint32) number));
  return t && (t->kind == NPROF_TRACK_QUEUE || t->kind == NPROF_TRACK_ENGINE);
}

/* One call in a hundred takes p99 or more: at stake is what those take beyond the median.  Of less
 * than a hundred calls p99 is but the longest, and one straggler is no tail. */
static gboolean
has_tail (const NpFindingRow *r, gint64 *stake)
{
  gint64 median, p99, calls;
  if (!np_row_i64 (r, "median_ns", &median) || !np_row_i64 (r, "p99_ns", &p99)
      || !np_row_i64 (r, "calls", &calls) || calls < 100 || median <= 0
      || (double) p99 <= 3.0 * (double) median || !is_work (r))
    return FALSE;
  *stake = (gint64) ((double) (p99 - median) * (double) calls / 100);
  return TRUE;
}

static void
tell_tail (const NpFindingRow *r, NpFinding *f)
{
  gint64 calls;
  np_row_i64 (r, "calls", &calls);
  g_autofree char *own = np_row_text (r, "name", ""), *name = np_finding_name (r->ask, own),
                  *thread = np_row_place (r, "thread"), *slow = np_row_time (r, "p99_ns"),
                  *usual = np_row_time (r, "median_ns");
  f->text = g_strdup_printf ("One in a hundred of %" G_GINT64_FORMAT
                             " calls of %s on %s takes %s or more, the median call %s",
                             calls, name, thread, slow, usual);
}

/* -- Steps ------------------------------------------------------------------------- */

/* The skew of a step is the same in the row of each device: that of the shortest decides, since what
 * exceeds the part of any other exceeds that of it. */
static gboolean
is_skewed (const NpFindingRow *r, gint64 *stake)
{
  gint64 cut, duration;
  if (np_row_i64 (r, "cut", &cut) && cut)
    return FALSE;
  return np_row_exceeds (r, "skew_ns", "duration_ns", 5, stake);
}

/* Returns the row of the device that takes least for the step. */
static NpFindingRow
shortest_of_step (const NpFindingRow *r)
{
  NpFindingRow best = *r, row = *r;
  gint64 least, duration;
  np_row_i64 (r, "duration_ns", &least);
  for (row.row = 0; row.row < row.cells->rows; row.row++)
    if (np_rows_agree (r, &row, "step") && np_rows_agree (r, &row, "input")
        && np_row_i64 (&row, "duration_ns", &duration) && duration < least) {
      least = duration;
      best = row;
    }
  return best;
}

static void
tell_skew (const NpFindingRow *r, NpFinding *f)
{
  const NpFindingRow shortest = shortest_of_step (r);
  g_autofree char *step = np_row_text (r, "step", ""), *apart = np_row_time (r, "skew_ns"),
                  *device = np_row_place (&shortest, "device"),
                  *least = np_row_time (&shortest, "duration_ns");
  np_row_window (&shortest, f);
  f->text = g_strdup_printf ("The devices end step %s %s apart, %.1f %% of the %s that %s, the "
                             "shortest, takes",
                             step, apart, np_row_percent (&shortest, "skew_ns", "duration_ns"),
                             least, device);
}

static gboolean
are_ranks_skewed (const NpFindingRow *r, gint64 *stake)
{
  return np_row_exceeds (r, "end_skew_ns", "longest_ns", 5, stake);
}

static void
tell_rank_skew (const NpFindingRow *r, NpFinding *f)
{
  gint64 step, rank;
  np_row_i64 (r, "step", &step);
  np_row_i64 (r, "slowest", &rank);
  g_autofree char *apart = np_row_time (r, "end_skew_ns"), *longest = np_row_time (r, "longest_ns");
  f->text = g_strdup_printf ("The ranks end step %" G_GINT64_FORMAT " %s apart, %.1f %% of the %s "
                             "that rank %" G_GINT64_FORMAT ", the slowest, takes",
                             step, apart, np_row_percent (r, "end_skew_ns", "longest_ns"), longest,
                             rank);
}

const NpFindingRule np_rules_of_spread[] = {
  { "p99", "> 3 x median, of 100 calls or more", "latency", "latency",
    "p99_ns less median_ns of table latency, of one call in a hundred", "name", NULL, has_tail,
    tell_tail },
  { "skew", "> 5 % of a step of the shortest device", "steps", "steps", "skew_ns of table steps",
    "step", NULL, is_skewed, tell_skew },
  { "rank skew", "> 5 % of a step", "step_skew", "ranks", "end_skew_ns of table step_skew", NULL,
    NULL, are_ranks_skewed, tell_rank_skew },
  { 0 },
};
