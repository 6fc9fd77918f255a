/* SPDX-License-Identifier: Apache-2.0 */
/* read.c - what a run measured, from tables summary and abilities. */

#include "sweep.h"

#include <math.h>
#include <string.h>

/* The line of the first screen that has a measure, and the question whose answer it is. */
static const struct {
  const char *label, *column, *question;
} lines[NP_SWEEP_MEASURES] = { { "step", "time_ns", "steps" },
                               { "mfu", "ratio", "mfu" },
                               { "memory", "bytes", "memory" } };

NpSweepRun *
np_sweep_run_new (const char *label)
{
  NpSweepRun *run = g_new0 (NpSweepRun, 1);
  run->label = g_strdup (label);
  return run;
}

void
np_sweep_run_free (NpSweepRun *run)
{
  for (guint i = 0; i < NP_SWEEP_KEYS; i++)
    g_free (run->keys[i].why);
  for (guint i = 0; i < NP_SWEEP_MEASURES; i++)
    g_free (run->measures[i].why);
  g_free (run->label);
  g_free (run->verdict);
  g_free (run->verdict_why);
  g_free (run);
}

static const char *
text (const NpTable *table, guint64 row, const char *column)
{
  return np_table_text (table, row, np_table_column (table, column));
}

/* Returns the first row whose column has that text; -1: none. */
static gint64
find_row (const NpTable *table, const char *column, const char *wanted)
{
  for (guint64 row = 0; table && row < table->n_rows; row++)
    if (!g_strcmp0 (text (table, row, column), wanted))
      return (gint64) row;
  return -1;
}

/* Returns why the question has no answer, as nprof doctor says it; transfer full. */
static char *
why_unknown (const NpTableStore *tables, const char *question)
{
  const NpTable *abilities = np_table_store_find (tables, "abilities");
  const gint64 row = find_row (abilities, "question", question);
  const char *why = row < 0 ? NULL : text (abilities, (guint64) row, "why"),
             *record = row < 0 ? NULL : text (abilities, (guint64) row, "record");
  if (!why)
    return g_strdup ("the file does not say it");
  return record ? g_strdup_printf ("%s; %s", why, record) : g_strdup (why);
}

/* The length of a recording is no step: it says when recording began and ended. */
static gboolean
is_span (const NpTable *summary, guint64 row)
{
  return !g_strcmp0 (text (summary, row, "whole"), "span");
}

static NpSweepNumber
measure_of (const NpTableStore *tables, NpSweepMeasure m)
{
  const NpTable *summary = np_table_store_find (tables, "summary");
  const gint64 row = find_row (summary, "label", lines[m].label);
  const struct nprof_cell cell
      = row < 0
            ? (struct nprof_cell){ .type = NPROF_NULL }
            : np_table_cell (summary, (guint64) row, np_table_column (summary, lines[m].column));
  if (!np_cell_is_number (&cell) || (m == NP_SWEEP_STEP && is_span (summary, (guint64) row)))
    return (NpSweepNumber){ (double) NAN, why_unknown (tables, lines[m].question) };
  return (NpSweepNumber){ np_cell_number (&cell), NULL };
}

static void
read_verdict (NpSweepRun *run, const NpTableStore *tables)
{
  const NpTable *summary = np_table_store_find (tables, "summary");
  const gint64 row = find_row (summary, "label", "verdict");
  const char *code = row < 0 ? NULL : text (summary, (guint64) row, "code"),
             *said = row < 0 ? NULL : text (summary, (guint64) row, "text");
  if (code && !g_str_has_prefix (code, "undetermined")) {
    run->verdict = g_strdup (code);
    return;
  }
  const char *why = said ? strstr (said, ": ") : NULL;
  run->verdict_why
      = why && !strchr (why, '{') ? g_strdup (why + 2) : why_unknown (tables, "verdict");
}

void
np_sweep_read (NpSweepRun *run, const NpTableStore *tables)
{
  for (guint m = 0; m < NP_SWEEP_MEASURES; m++)
    run->measures[m] = measure_of (tables, (NpSweepMeasure) m);
  read_verdict (run, tables);
}
