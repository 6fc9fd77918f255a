/* SPDX-License-Identifier: Apache-2.0 */
/* asked.c - runs the analyzers of a report for the tables that answers need, and asks. */
#include "asked.h"

#include "answers/sentence.h"
#include "console/collect-tables.h"
#include "console/default-analyzers.h"
#include "pipeline/core-tables.h"

#include <nprof/units.h>

/* -- Tables ------------------------------------------------------------------------------------ */

/* Texts of a table that a run left behind are no strings of a host. */
static void
take_table (NpAnswerTables *tables, const NpTable *from)
{
  g_autofree struct nprof_cell *row = g_new0 (struct nprof_cell, from->n_columns);
  np_answer_tables_add (tables, NULL, from->schema, row, 0);
  for (guint64 i = 0; i < from->n_rows; i++) {
    for (guint c = 0; c < from->n_columns; c++)
      row[c] = np_table_cell (from, i, (int) c);
    np_answer_tables_add (tables, NULL, from->schema, row, 1);
  }
}

int
np_answers_of_inputs (NpCliOptions *o, const GPtrArray *answers, NpAnswerTables **tables)
{
  g_auto (NpCollected) collected = { 0 };
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  *tables = np_answer_tables_new (answers);
  for (guint i = 0; i < np_answer_tables_count (*tables); i++)
    g_ptr_array_add (names, (gpointer) np_answer_tables_name (*tables, i));
  g_ptr_array_add (names, NULL);
  np_add_default_analyzers (o->config, np_cli_modules (o), NULL);
  np_collect (&collected, (const char *const *) names->pdata, o->config);
  int status = np_cli_execute (o);
  for (guint i = 0; i + 1 < names->len; i++) {
    const NpTable *table = np_table_store_find (collected.tables, names->pdata[i]);
    if (table)
      take_table (*tables, table);
  }
  return status;
}

static void
declare (NpAnswerTables *tables, const struct nprof_table *const *list)
{
  for (; list && *list; list++)
    np_answer_tables_add (tables, NULL, *list, NULL, 0);
}

NpAnswerTables *
np_answers_declared (NpCliOptions *o, const GPtrArray *answers)
{
  NpAnswerTables *tables = np_answer_tables_new (answers);
  declare (tables, np_core_tables_list ());
  for (guint kind = NPROF_DECODER; kind <= NPROF_ANALYZER; kind++) {
    g_autoptr (GPtrArray) all = np_registry_of_kind (np_cli_modules (o), kind);
    for (guint i = 0; i < all->len; i++)
      declare (tables, ((const NpRegistryEntry *) all->pdata[i])->component->tables);
  }
  return tables;
}

/* -- Asking ------------------------------------------------------------------------------------ */

static char *
cell_of (gpointer user, const char *column)
{
  const NpFound *found = user;
  if (!g_strcmp0 (column, "rank"))
    return g_strdup_printf ("%" G_GINT64_FORMAT, found->rank);
  return g_strdup (np_found_text (found, column));
}

static gboolean
keep (gpointer user, const NpFound *found)
{
  NpAnswerSaid *said = user;
  gint64 stake;
  g_autofree char *text = np_sentence_expand (found->text, cell_of, (gpointer) found);
  const gboolean timed = np_found_whole (found, "stake", &stake);
  g_ptr_array_add (said->text,
                   g_strdup_printf ("%13s  %s",
                                    timed ? nprof_time ((double) stake).text : "unknown", text));
  return TRUE;
}

void
np_answer_say (NpAsking *asking, const NpAnswerTables *tables, const NpAnswer *answer,
               NpAnswerSaid *said)
{
  *said = (NpAnswerSaid){ .text = g_ptr_array_new_with_free_func (g_free) };
  said->asked = np_answer_tables_have (tables, answer, &said->problem);
  if (!said->asked)
    return;
  said->problem = np_asking_run (asking, answer, keep, said);
  said->steps = np_asking_steps (asking);
}

void
np_answer_said_clear (NpAnswerSaid *said)
{
  g_clear_pointer (&said->text, g_ptr_array_unref);
  g_clear_pointer (&said->problem, g_free);
}
