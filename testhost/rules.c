/* SPDX-License-Identifier: Apache-2.0 */
/* rules.c - checks that the rows and tables that a component hands over are what plugin.h asks
 * for. */

#include "rows/row-rules.h"
#include "test-run.h"

#include <string.h>

/* -- Too much -------------------------------------------------------------- */

static gboolean
is_bounded (const Host *host)
{
  return !host->feeds && host->test->component.kind == NPROF_DECODER;
}

gboolean
rules_too_long (const Host *host, const char *what, guint64 len)
{
  NprofTestState *test = host->test;
  if (!is_bounded (host) || len <= NP_MOST_TEXT + NP_TEXT_A_BYTE * test->len)
    return FALSE;
  state_broke (test,
               "%s of %" G_GUINT64_FORMAT " bytes, made of an input of %" G_GUINT64_FORMAT, what,
               len, test->len);
  return TRUE;
}

gboolean
rules_too_many_tracks (const Host *host)
{
  NprofTestState *test = host->test;
  if (!is_bounded (host) || np_tracks_count (test->shared->tracks) <= NP_MOST_TRACKS + test->len)
    return FALSE;
  state_broke (test, "more than %u tracks, made of an input of %" G_GUINT64_FORMAT " bytes",
               NP_MOST_TRACKS, test->len);
  return TRUE;
}

/* -- Tables ---------------------------------------------------------------- */

gboolean
rules_declares (const NprofTestState *test, const struct nprof_table *table)
{
  for (const struct nprof_table *const *t = test->component.tables; t && *t; t++)
    if (*t == table)
      return TRUE;
  return FALSE;
}

/* Returns the copy of a table that the content of the input declared, which outlives the
 * decoder. */
const struct nprof_table *
rules_table (const NprofTestState *test, const struct nprof_table *table)
{
  const NpDeclaredTable *t = np_declared_table (test->declared, table->name);
  return t && !rules_declares (test, table) && np_table_same (t->table, table) ? t->table : table;
}

static void
say_broken (gpointer test, char *what)
{
  state_broke (test, "%s", what);
  g_free (what);
}

static NpRowRules
rules_of (NprofTestState *test)
{
  Shared *shared = test->shared;
  return (NpRowRules){ &test->component, shared->strings,      shared->tracks, shared->sets,
                       shared->input.number, say_broken, test };
}

void
rules_chunk (NprofTestState *test, const NpChunk *chunk)
{
  g_autofree char *problem = np_table_problem (chunk->table);
  if (problem)
    state_broke (test, "%s", problem);
  NpRowRules rules = rules_of (test);
  for (guint i = 0; i < chunk->n_rows; i++)
    np_cell_rules_check (&rules, chunk->table, &chunk->cells[(gsize) i * chunk->n_columns]);
}

/* -- Rows ------------------------------------------------------------------ */

gboolean
rules_batch (NprofTestState *test, const struct nprof_writer *w)
{
  NpRowRules rules = rules_of (test);
  char *problem = np_row_rules_counts (w);
  if (problem)
    say_broken (test, problem);
  return !problem && np_row_rules_check (&rules, w);
}
