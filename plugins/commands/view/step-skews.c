/* SPDX-License-Identifier: Apache-2.0 */
/* step-skews.c - how far apart devices begin and end a step, and which ends it last: of devices
 * from table steps, of the ranks of a job from tables step_skew and rank_steps. */

#include "step-skews.h"

#include "window-rows.h"

#include <string.h>

/* -- Ranks -------------------------------------------------------------------------------- */

/* The rank that ends a step last, and when by the common clock. */
typedef struct {
  gint64 step, rank, end;
} Last;

typedef struct {
  NpCells skew, steps, ranks;
  GHashTable *last;  /* of Last, by step                   */
  GHashTable *files; /* of char *, by rank; NULL: unknown */
} Job;

static void
job_clear (Job *job)
{
  np_cells_clear (&job->skew);
  np_cells_clear (&job->steps);
  np_cells_clear (&job->ranks);
  g_clear_pointer (&job->last, g_hash_table_unref);
  g_clear_pointer (&job->files, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Job, job_clear)

static void
find_last (Job *job)
{
  gint64 start, duration;
  job->last = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  for (guint64 i = 0; i < job->steps.rows; i++) {
    Last own;
    if (!np_cells_i64 (&job->steps, i, "rank", &own.rank)
        || !np_cells_i64 (&job->steps, i, "step", &own.step)
        || !np_cells_i64 (&job->steps, i, "start_ns", &start)
        || !np_cells_i64 (&job->steps, i, "duration_ns", &duration)
        || __builtin_add_overflow (start, duration, &own.end))
      continue;
    const Last *most = g_hash_table_lookup (job->last, &own.step);
    Last *kept = most && most->end >= own.end ? NULL : g_memdup2 (&own, sizeof own);
    if (kept)
      g_hash_table_replace (job->last, &kept->step, kept);
  }
}

static void
find_files (Job *job)
{
  job->files = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  for (guint64 i = 0; i < job->ranks.rows; i++) {
    gint64 rank;
    if (np_cells_i64 (&job->ranks, i, "rank", &rank))
      g_hash_table_insert (job->files, g_memdup2 (&rank, sizeof rank),
                           np_cells_text (&job->ranks, i, "file"));
  }
}

/* column: NULL, unknown */
static void
put_apart (NpJson *j, const char *key, const NpCells *cells, guint64 row, const char *column,
           const char *reason)
{
  g_autofree char *source = g_strdup_printf ("%s of table %s", column ? column : "",
                                             cells->table ? cells->table->schema->name : "");
  gint64 ps;
  if (column && np_cells_i64 (cells, row, column, &ps))
    np_json_metric_time (j, key, ps, source);
  else
    np_json_unknown (j, key, "ps", reason);
}

static void
put_of_ranks (NpJson *j, const Job *job, guint64 row)
{
  gint64 step = 0, ranks = 0, apart;
  np_cells_i64 (&job->skew, row, "step", &step);
  np_cells_i64 (&job->skew, row, "ranks", &ranks);
  const Last *last = g_hash_table_lookup (job->last, &step);
  gboolean known = last && ranks > 1 && np_cells_i64 (&job->skew, row, "end_skew_ns", &apart);
  const char *reason
      = ranks > 1 ? "no collective joins the clocks of the ranks" : "one rank alone has the step";
  g_autofree char *number = g_strdup_printf ("%" G_GINT64_FORMAT, step),
                  *name = g_strdup_printf ("rank %" G_GINT64_FORMAT, known ? last->rank : 0);
  np_json_object (j, NULL);
  np_json_text (j, "input", known ? g_hash_table_lookup (job->files, &last->rank) : NULL);
  np_json_text (j, "step", number);
  np_json_text (j, "last", known ? name : NULL);
  put_apart (j, "begin", &job->skew, row, known ? "begin_skew_ns" : NULL, reason);
  put_apart (j, "end", &job->skew, row, known ? "end_skew_ns" : NULL, reason);
  np_json_end_object (j);
}

/* -- Devices ------------------------------------------------------------------------------ */

/* Finds, of each step of each input, the row of the device that ends it last; of unknown ones the
 * first.  Transfer full: the key to the row + 1. */
static GHashTable *
last_rows (const NpCells *steps, GPtrArray *order)
{
  GHashTable *rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint64 i = 0; i < steps->rows; i++) {
    g_autofree char *step = np_cells_text (steps, i, "step"),
                    *input = np_cells_text (steps, i, "input");
    char *key = g_strjoin ("\n", input ? input : "", step ? step : "", NULL);
    gint64 late, most;
    gsize known = GPOINTER_TO_SIZE (g_hash_table_lookup (rows, key));
    gboolean later = known && np_cells_i64 (steps, i, "late_ns", &late)
                     && np_cells_i64 (steps, known - 1, "late_ns", &most) && late > most;
    if (!known)
      g_ptr_array_add (order, g_strdup (key));
    if (!known || later)
      g_hash_table_insert (rows, g_steal_pointer (&key), GSIZE_TO_POINTER ((gsize) i + 1));
    g_free (key);
  }
  return rows;
}

static void
put_of_devices (NpJson *j, const NpCells *steps, guint64 row)
{
  g_autofree char *input = np_cells_text (steps, row, "input"),
                  *step = np_cells_text (steps, row, "step"),
                  *device = np_cells_text (steps, row, "device"),
                  *why = np_cells_text (steps, row, "skew_reason");
  gint64 late;
  gboolean known = np_cells_i64 (steps, row, "late_ns", &late);
  const char *reason = why ? why : "the table does not tell it";
  np_json_object (j, NULL);
  np_json_text (j, "input", input);
  np_json_text (j, "step", step ? step : "");
  np_json_text (j, "last", known ? device : NULL);
  put_apart (j, "begin", steps, row, "begin_skew_ns", reason);
  put_apart (j, "end", steps, row, "skew_ns", reason);
  np_json_end_object (j);
}

static void
put_all_devices (NpJson *j, const NpCells *steps)
{
  g_autoptr (GPtrArray) order = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) rows = last_rows (steps, order);
  for (guint i = 0; i < order->len; i++)
    put_of_devices (j, steps, GPOINTER_TO_SIZE (g_hash_table_lookup (rows, order->pdata[i])) - 1);
}

/* Steps are told whole, also of a window, so rank_steps is that of the whole run. */
void
np_put_step_skews (NpAsk *ask, const NpCells *steps)
{
  g_auto (Job) job = { 0 };
  const char *why;
  gboolean of_ranks = np_ask_cells (ask, &job.skew, "step_skew")
                      && np_ask_cells (ask, &job.steps, "rank_steps")
                      && np_ask_cells (ask, &job.ranks, "ranks") && job.skew.rows
                      && np_window_rows (ask, &job.skew, &why);
  if (of_ranks) {
    find_last (&job);
    find_files (&job);
  }
  np_json_array (&ask->json, "skews");
  for (guint64 i = 0; of_ranks && i < job.skew.rows; i++)
    put_of_ranks (&ask->json, &job, i);
  if (!of_ranks)
    put_all_devices (&ask->json, steps);
  np_json_end_array (&ask->json);
}
