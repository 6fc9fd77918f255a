/* SPDX-License-Identifier: Apache-2.0 */
/* finding-spread.c - rules of what does not always take as long: calls of one name, and steps of
 * devices and ranks. */

#include "view/finding.h"

#include <nprof/units.h>

/* -- Calls ------------------------------------------------------------------------- */

static gboolean
is_of_device (const NpFindingRow *r)
{
  gint64 number;
  np_row_i64 (r, "track", &number);
  const struct nprof_store_track *t
      = nprof_store_track_at (r->ask->store,
                              nprof_store_track_of (r->ask->store, (guint32) number));
  return t && (t->kind == NPROF_TRACK_QUEUE || t->kind == NPROF_TRACK_ENGINE);
}

/* Calls of a host wait for whatever comes, and say little beside work of devices: they count where
 * the profile has no device. */
static gboolean
is_work (const NpFindingRow *r)
{
  g_auto (NpCells) devices = { 0 };
  np_finding_open (r->ask, &devices, "devices");
  return !devices.rows || is_of_device (r);
}

/* Returns the most that a column of table kernels counts for the calls of that kernel, `shapes` or
 * `operators` that launched it; 0: none is known. */
static gint64
count_of_kernel (const NpFindingRow *r, const char *column)
{
  g_auto (NpCells) kernels = { 0 };
  g_autofree char *name = np_row_text (r, "name", NULL);
  gint64 most = 0, count;
  np_finding_open (r->ask, &kernels, "kernels");
  for (NpFindingRow row = { r->ask, &kernels, 0 }; row.row < kernels.rows; row.row++)
    if (np_row_says (&row, "kernel", name) && np_rows_agree (r, &row, "input")
        && np_row_i64 (&row, column, &count))
      most = MAX (most, count);
  return most;
}

/* Returns how many programs hold an instruction of that name, which has one shape in each; 0: none is
 * known. */
static guint
programs_of_instruction (const NpFindingRow *r)
{
  g_auto (NpCells) all = { 0 };
  g_autoptr (GHashTable) programs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *name = np_row_text (r, "name", NULL);
  np_finding_open (r->ask, &all, "hlo_instructions");
  for (NpFindingRow row = { r->ask, &all, 0 }; row.row < all.rows; row.row++)
    if (np_row_says (&row, "instruction", name) && np_rows_agree (r, &row, "input"))
      g_hash_table_add (programs, np_row_text (&row, "program_id", ""));
  return g_hash_table_size (programs);
}

/* Returns what may make calls of one name differ, as the end of a sentence; transfer full. */
static char *
unlike_text (const NpFindingRow *r)
{
  gboolean alike = count_of_kernel (r, "shapes") == 1 && count_of_kernel (r, "operators") == 1;
  if (!is_of_device (r) || alike)
    return g_strdup ("");
  guint programs = programs_of_instruction (r);
  if (programs == 1)
    return g_strdup ("");
  return programs ? g_strdup_printf ("; they are of %u programs", programs)
                  : g_strdup ("; whether all are of one shape is not known");
}

/* One call in a hundred takes p99 or more: at stake is what those take beyond the median.  Of less
 * than a hundred calls p99 is but the longest, and one straggler is no tail.  A kernel that is known to
 * work on several shapes takes as long as each needs, and what each takes is not known. */
static gboolean
has_tail (const NpFindingRow *r, gint64 *stake)
{
  gint64 median, p99, calls;
  if (!np_row_i64 (r, "median_ns", &median) || !np_row_i64 (r, "p99_ns", &p99)
      || !np_row_i64 (r, "calls", &calls) || calls < 100 || median <= 0
      || (double) p99 <= 3.0 * (double) median || !is_work (r) || count_of_kernel (r, "shapes") > 1)
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
                  *usual = np_row_time (r, "median_ns"), *unlike = unlike_text (r);
  f->text = g_strdup_printf ("One in a hundred of %" G_GINT64_FORMAT
                             " calls of %s on %s takes %s or more, the median call %s%s",
                             calls, name, thread, slow, usual, unlike);
}

/* -- Steps ------------------------------------------------------------------------- */

/* The skew of a step is the same in the row of each device: that of the shortest decides, since what
 * exceeds the part of any other exceeds that of it. */
static gboolean
is_skewed (const NpFindingRow *r, gint64 *stake)
{
  gint64 cut;
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
  f->text = g_strdup_printf ("The devices end step %s %s apart, %s of the %s that %s, the "
                             "shortest, takes",
                             step, apart,
                             nprof_share (np_row_share (&shortest, "skew_ns", "duration_ns")).text,
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
  f->text = g_strdup_printf ("The ranks end step %" G_GINT64_FORMAT " %s apart, %s of the %s "
                             "that rank %" G_GINT64_FORMAT ", the slowest, takes",
                             step, apart,
                             nprof_share (np_row_share (r, "end_skew_ns", "longest_ns")).text,
                             longest, rank);
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
