/* SPDX-License-Identifier: Apache-2.0 */
/* ask-ranks.c - answers route ranks: steps of ranks beside each other, and who was late, of the
 * tables of analyzer ranks. */

#include "ask.h"
#include "stored/cells.h"
#include "quantile.h"
#include "window-rows.h"

#include <string.h>
#include <nprof/units.h>

typedef enum { OF_STEP, OF_BUSY, OF_EXPOSED } Metric;

typedef struct {
  NpCells ranks, steps, stragglers, job;
  Metric metric;
  GArray *numbers;   /* of gint64: steps, ascending                              */
  GHashTable *cells; /* "RANK STEP" -> row of table rank_steps, as a pointer + 1 */
  GHashTable *rows;  /* "rank 5" -> row of table ranks, likewise                 */
} Job;

static void
job_clear (Job *job)
{
  np_cells_clear (&job->ranks);
  np_cells_clear (&job->steps);
  np_cells_clear (&job->stragglers);
  np_cells_clear (&job->job);
  g_clear_pointer (&job->numbers, g_array_unref);
  g_clear_pointer (&job->cells, g_hash_table_unref);
  g_clear_pointer (&job->rows, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Job, job_clear)

static char *
cell_key (gint64 rank, gint64 step)
{
  return g_strdup_printf ("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT, rank, step);
}

/* Finds the row of each rank and step, and which steps there are. */
static void
read_steps (Job *job)
{
  gint64 rank, step;
  guint kept = 0;
  for (guint64 i = 0; i < job->steps.rows; i++)
    if (np_cells_i64 (&job->steps, i, "rank", &rank)
        && np_cells_i64 (&job->steps, i, "step", &step)) {
      g_hash_table_insert (job->cells, cell_key (rank, step), GSIZE_TO_POINTER ((gsize) i + 1));
      g_array_append_val (job->numbers, step);
    }
  g_array_sort (job->numbers, np_compare_i64);
  gint64 *numbers = (gint64 *) (gpointer) job->numbers->data;
  for (guint i = 0; i < job->numbers->len; i++)
    if (!kept || numbers[i] != numbers[kept - 1])
      numbers[kept++] = numbers[i];
  g_array_set_size (job->numbers, kept);
}

/* -- Cells ---------------------------------------------------------------------------------- */

/* Returns whether the metric of this row of rank_steps is known. */
static gboolean
metric_of (const Job *job, guint64 row, gint64 *value)
{
  gint64 idle = 0;
  if (!np_cells_i64 (&job->steps, row, job->metric == OF_EXPOSED ? "exposed_ns" : "duration_ns",
                     value))
    return FALSE;
  if (job->metric == OF_BUSY && !np_cells_i64 (&job->steps, row, "idle_ns", &idle))
    return FALSE;
  *value -= idle;
  return TRUE;
}

static void
put_cell (NpAsk *ask, const Job *job, gint64 rank, gint64 step, gboolean missing)
{
  static const char *const sources[]
      = { "duration_ns of table rank_steps", "duration_ns less idle_ns of table rank_steps",
          "exposed_ns of table rank_steps" };
  g_autofree char *key = cell_key (rank, step);
  gpointer row = g_hash_table_lookup (job->cells, key);
  gint64 value;
  if (row && metric_of (job, GPOINTER_TO_SIZE (row) - 1, &value))
    np_json_metric_time (&ask->json, NULL, value, sources[job->metric]);
  else
    np_json_unknown (&ask->json, NULL, "ps",
                     missing ? "no profile of this rank is among the inputs"
                     : row   ? "the table does not tell it"
                             : "this rank has no such whole step");
}

static gboolean
is_missing (const Job *job, guint64 row)
{
  return np_cells_is (&job->ranks, row, "state", "missing");
}

static void
put_cells (NpAsk *ask, const Job *job)
{
  gint64 rank;
  np_json_array (&ask->json, "cells");
  for (guint64 i = 0; i < job->ranks.rows; i++) {
    gboolean missing = is_missing (job, i);
    np_cells_i64 (&job->ranks, i, "rank", &rank);
    np_json_array (&ask->json, NULL);
    for (guint k = 0; k < job->numbers->len; k++)
      put_cell (ask, job, rank, g_array_index (job->numbers, gint64, k), missing);
    np_json_end_array (&ask->json);
  }
  np_json_end_array (&ask->json);
}

/* -- Names ---------------------------------------------------------------------------------- */

static char *
rank_name (const Job *job, guint64 row)
{
  gint64 rank;
  np_cells_i64 (&job->ranks, row, "rank", &rank);
  return g_strdup_printf ("rank %" G_GINT64_FORMAT, rank);
}

static void
read_ranks (Job *job)
{
  for (guint64 i = 0; i < job->ranks.rows; i++)
    g_hash_table_insert (job->rows, rank_name (job, i), GSIZE_TO_POINTER ((gsize) i + 1));
}

static void
put_ranks (NpAsk *ask, const Job *job)
{
  np_json_array (&ask->json, "ranks");
  for (guint64 i = 0; i < job->ranks.rows; i++) {
    g_autofree char *name = rank_name (job, i);
    np_json_text (&ask->json, NULL, name);
  }
  np_json_end_array (&ask->json);
}

/* Puts for each rank the one that stands for its role. */
static void
put_representatives (NpAsk *ask, const Job *job)
{
  g_autoptr (GHashTable) of_role = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  gint64 stands;
  for (guint64 i = 0; i < job->ranks.rows; i++) {
    g_autofree char *role = np_cells_text (&job->ranks, i, "role");
    if (role && np_cells_i64 (&job->ranks, i, "representative", &stands) && stands)
      g_hash_table_insert (of_role, g_steal_pointer (&role), rank_name (job, i));
  }
  np_json_array (&ask->json, "representatives");
  for (guint64 i = 0; i < job->ranks.rows; i++) {
    g_autofree char *role = np_cells_text (&job->ranks, i, "role");
    np_json_text (&ask->json, NULL, role ? g_hash_table_lookup (of_role, role) : NULL);
  }
  np_json_end_array (&ask->json);
}

static void
put_column (NpAsk *ask, const Job *job, const char *member, const char *column)
{
  np_json_array (&ask->json, member);
  for (guint64 i = 0; i < job->ranks.rows; i++) {
    g_autofree char *text = np_cells_text (&job->ranks, i, column);
    np_json_text (&ask->json, NULL, text);
  }
  np_json_end_array (&ask->json);
}

static void
put_steps (NpAsk *ask, const Job *job)
{
  np_json_array (&ask->json, "steps");
  for (guint i = 0; i < job->numbers->len; i++) {
    g_autofree char *step
        = g_strdup_printf ("%" G_GINT64_FORMAT, g_array_index (job->numbers, gint64, i));
    np_json_text (&ask->json, NULL, step);
  }
  np_json_end_array (&ask->json);
}

/* -- What a step of each rank is made of, and who is waited for -------------------------------- */

enum { COMPUTE, EXPOSED, COPY, IDLE, PARTS };

/* Adds what a step of a rank is made of; FALSE: the table does not tell all of it. */
static gboolean
add_parts (const Job *job, guint64 row, gint64 sums[PARTS])
{
  static const char *const columns[PARTS] = { "compute_ns", "exposed_ns", "copy_ns", "idle_ns" };
  gint64 of[PARTS];
  for (guint k = 0; k < PARTS; k++)
    if (!np_cells_i64 (&job->steps, row, columns[k], &of[k]))
      return FALSE;
  of[EXPOSED] -= of[COPY];
  for (guint k = 0; k < PARTS; k++)
    sums[k] += of[k];
  return TRUE;
}

/* Puts the parts of a mean step of a rank; none where a step of it does not tell them. */
static void
put_rank_parts (NpAsk *ask, const Job *job, gint64 rank)
{
  static const char *const names[PARTS] = { "compute", "comm", "copy", "idle" };
  gint64 sums[PARTS] = { 0 }, n = 0;
  gboolean known = TRUE;
  for (guint i = 0; i < job->numbers->len; i++) {
    g_autofree char *key = cell_key (rank, g_array_index (job->numbers, gint64, i));
    gsize row = GPOINTER_TO_SIZE (g_hash_table_lookup (job->cells, key));
    if (!row)
      continue;
    known = known && add_parts (job, row - 1, sums);
    n++;
  }
  np_json_array (&ask->json, NULL);
  for (guint k = 0; known && n && k < PARTS; k++) {
    np_json_object (&ask->json, NULL);
    np_json_text (&ask->json, "part", names[k]);
    np_json_i64 (&ask->json, "time", (sums[k] + n / 2) / n);
    np_json_end_object (&ask->json);
  }
  np_json_end_array (&ask->json);
}

static void
put_parts (NpAsk *ask, const Job *job)
{
  gint64 rank;
  np_json_array (&ask->json, "parts");
  for (guint64 i = 0; i < job->ranks.rows; i++)
    if (np_cells_i64 (&job->ranks, i, "rank", &rank))
      put_rank_parts (ask, job, rank);
  np_json_end_array (&ask->json);
}

static void
put_waited (NpAsk *ask, const Job *job)
{
  gint64 waited;
  np_json_array (&ask->json, "waited");
  for (guint64 i = 0; i < job->ranks.rows; i++)
    if (np_cells_i64 (&job->ranks, i, "waited_ns", &waited))
      np_json_metric_time (&ask->json, NULL, waited, "waited_ns of table ranks");
    else
      np_json_unknown (&ask->json, NULL, "ps",
                       is_missing (job, i) ? "no profile of this rank is among the inputs"
                                           : "the table does not tell it");
  np_json_end_array (&ask->json);
}

/* -- What the job would gain without a rank ---------------------------------------------------- */

/* Returns why it is unknown of this row of table ranks; transfer full. */
static char *
gain_reason (const Job *job, guint64 row)
{
  g_autofree char *why = job->job.rows ? np_cells_text (&job->job, 0, "gain_unknown") : NULL;
  if (is_missing (job, row))
    return g_strdup ("no profile of this rank is among the inputs");
  return why && strcmp (why, "none") ? g_steal_pointer (&why)
                                     : g_strdup ("the table does not tell it");
}

static void
put_gains (NpAsk *ask, const Job *job)
{
  double share;
  np_json_array (&ask->json, "gains");
  for (guint64 i = 0; i < job->ranks.rows; i++) {
    g_autofree char *why = gain_reason (job, i);
    if (np_cells_double (&job->ranks, i, "gain_share", &share))
      np_json_metric (&ask->json, NULL, share, "1", "gain_share of table ranks");
    else
      np_json_unknown (&ask->json, NULL, "1", why);
  }
  np_json_end_array (&ask->json);
}

/* Adds "; without it steps would be 4.1 % shorter", if who is a rank. */
static void
add_gain (GString *text, const Job *job, const char *who)
{
  double share;
  gsize row = GPOINTER_TO_SIZE (g_hash_table_lookup (job->rows, who));
  if (!row)
    return;
  g_autofree char *why = gain_reason (job, row - 1);
  if (np_cells_double (&job->ranks, row - 1, "gain_share", &share))
    g_string_append_printf (text, "; without it steps would be %s shorter",
                            nprof_share (share).text);
  else
    g_string_append_printf (text, "; how much shorter steps would be without it is unknown: %s",
                            why);
}

/* -- Stragglers ------------------------------------------------------------------------------ */

/* "compute: 31 collectives of 3 steps waited 1.24 ms for it, 4.1 % of all steps; without it ..." */
static char *
straggler_text (const Job *job, guint64 row, const char *who)
{
  const NpCells *c = &job->stragglers;
  g_autofree char *cause = np_cells_text (c, row, "cause");
  gint64 collectives, held, steps;
  double share;
  g_autoptr (GString) text = g_string_new (cause ? cause : "unknown cause");
  if (np_cells_i64 (c, row, "collectives", &collectives) && np_cells_i64 (c, row, "steps", &steps))
    g_string_append_printf (text,
                            ": %" G_GINT64_FORMAT " collective%s of %" G_GINT64_FORMAT
                            " step%s waited",
                            collectives, collectives == 1 ? "" : "s", steps, steps == 1 ? "" : "s");
  if (np_cells_i64 (c, row, "held_ns", &held))
    g_string_append_printf (text, " %s for it", nprof_time ((double) held).text);
  if (np_cells_double (c, row, "share", &share))
    g_string_append_printf (text, ", %s of all steps", nprof_share (share).text);
  add_gain (text, job, who);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
put_stragglers (NpAsk *ask, const Job *job)
{
  NpJson *j = &ask->json;
  np_json_array (j, "stragglers");
  for (guint64 i = 0; i < job->stragglers.rows; i++) {
    g_autofree char *who = np_cells_text (&job->stragglers, i, "who"),
                    *text = straggler_text (job, i, who ? who : "");
    np_json_object (j, NULL);
    np_json_text (j, "rank", who ? who : "");
    np_json_text (j, "text", text);
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

static void
open_table (NpAsk *ask, NpCells *cells, const char *name)
{
  const char *why;
  if (np_ask_cells (ask, cells, name))
    np_window_rows (ask, cells, &why);
}

gboolean
np_ask_ranks (NpAsk *ask)
{
  gint64 t0, t1;
  g_auto (Job) job = { 0 };
  if (!np_ask_word (ask, "metric", "step|busy|exposed", &job.metric)
      || !np_ask_range (ask, &t0, &t1))
    return FALSE;
  if (!np_window_is_known (ask))
    return ask->reply->status == 202;
  job.numbers = g_array_new (FALSE, FALSE, sizeof (gint64));
  job.cells = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  job.rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  open_table (ask, &job.ranks, "ranks");
  open_table (ask, &job.steps, "rank_steps");
  open_table (ask, &job.stragglers, "stragglers");
  open_table (ask, &job.job, "job");
  read_steps (&job);
  read_ranks (&job);
  np_json_object (&ask->json, NULL);
  np_json_window (ask);
  put_ranks (ask, &job);
  put_column (ask, &job, "devices", "device");
  put_column (ask, &job, "files", "file");
  put_column (ask, &job, "states", "state");
  put_representatives (ask, &job);
  put_steps (ask, &job);
  put_cells (ask, &job);
  put_parts (ask, &job);
  put_waited (ask, &job);
  put_gains (ask, &job);
  put_stragglers (ask, &job);
  if (!job.ranks.rows)
    np_json_text (&ask->json, "unknown",
                  np_asks_for_window (ask)
                      ? "needs the profiles of several ranks of one job, with steps "
                        "in this part of the run"
                      : "needs the profiles of several ranks of one job");
  np_json_end_object (&ask->json);
  return TRUE;
}
