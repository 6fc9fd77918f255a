/* SPDX-License-Identifier: Apache-2.0 */
/* table-store.c - the sink that keeps tables: cells as they come, strings and texts copied. */

#include "pipeline/table-store.h"
#include "rows/table.h"

#include <nprof/sdk.h>

struct NpAnswers {
  GHashTable *wanted; /* names; owned */
  GHashTable *found;  /* name -> NpAnswer */
  GPtrArray *names;   /* of all tables, and NULL */
  GStringChunk *texts;
  guint64 gaps;
};

static void
answer_free (gpointer data)
{
  NpAnswer *answer = data;
  g_array_unref (answer->cells);
  g_free (answer);
}

NpAnswers *
np_answers_new (const char *const *tables)
{
  NpAnswers *answers = g_new0 (NpAnswers, 1);
  answers->wanted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  answers->found = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, answer_free);
  answers->texts = g_string_chunk_new (4096);
  answers->names = g_ptr_array_new ();
  g_ptr_array_add (answers->names, NULL);
  for (; *tables; tables++)
    g_hash_table_add (answers->wanted, g_strdup (*tables));
  return answers;
}

void
np_answers_free (NpAnswers *answers)
{
  if (!answers)
    return;
  g_hash_table_unref (answers->wanted);
  g_hash_table_unref (answers->found);
  g_string_chunk_free (answers->texts);
  g_ptr_array_unref (answers->names);
  g_free (answers);
}

/* -- The sink -------------------------------------------------------------- */

typedef struct {
  const struct nprof_host *host;
  NpAnswers *answers;
} Sink;

static nprof_status
sink_open (void *self, const struct nprof_host *host)
{
  Sink *sink = self;
  sink->host = host;
  sink->answers = (NpAnswers *) host->extension (host, NP_CALLER);
  return NPROF_OK;
}

static nprof_status
sink_consume (void *self, const struct nprof_batch *batch)
{
  NpAnswers *answers = ((Sink *) self)->answers;
  for (uint32_t i = 0; i < batch->n_rows; i++)
    answers->gaps += batch->kind[i] == NPROF_GAP;
  return NPROF_OK;
}

static void
note_name (NpAnswers *answers, const char *name)
{
  char *kept = g_string_chunk_insert_const (answers->texts, name); /* the same for the same text */
  if (!g_ptr_array_find (answers->names, kept, NULL))
    g_ptr_array_insert (answers->names, (int) answers->names->len - 1, kept);
}

static NpAnswer *
answer_for (NpAnswers *answers, const struct nprof_table *table)
{
  NpAnswer *answer = g_hash_table_lookup (answers->found, table->name);
  if (answer || !g_hash_table_contains (answers->wanted, table->name))
    return answer;
  answer = g_new0 (NpAnswer, 1);
  answer->table = table;
  answer->n_columns = np_table_columns (table);
  answer->cells = g_array_new (FALSE, FALSE, sizeof (struct nprof_cell));
  g_hash_table_insert (answers->found, (gpointer) table->name, answer);
  return answer;
}

/* Repeated strings are kept once; text lives no longer than the call. */
static struct nprof_cell
kept (const Sink *sink, struct nprof_cell cell)
{
  if (cell.type == NPROF_STRING)
    return nprof_cell_text (
        g_string_chunk_insert_const (sink->answers->texts, nprof_text (sink->host, cell.v.s)));
  if (cell.type == NPROF_TEXT || cell.type == NPROF_JSON || cell.type == NPROF_ID128)
    cell.v.text = g_string_chunk_insert_len (sink->answers->texts, cell.v.text, cell.len);
  return cell;
}

static nprof_status
sink_table (void *self, const struct nprof_table *table, const struct nprof_cell *cells,
            uint32_t n_rows)
{
  const Sink *sink = self;
  note_name (sink->answers, table->name);
  NpAnswer *answer = answer_for (sink->answers, table);
  if (!answer)
    return NPROF_OK;
  for (guint i = 0; i < n_rows * answer->n_columns; i++) {
    struct nprof_cell cell = kept (sink, cells[i]);
    g_array_append_val (answer->cells, cell);
  }
  answer->n_rows += n_rows;
  return NPROF_OK;
}

static const struct nprof_component sink_component = {
  .size = sizeof sink_component,
  .kind = NPROF_SINK,
  .name = "answers",
  .summary = "keeps tables for the command that asked for them",
  .instance_size = sizeof (Sink),
  .open = sink_open,
  .consume = sink_consume,
  .table = sink_table,
};

void
np_answers_attach (NpAnswers *answers, NpConfig *config)
{
  np_config_add_own (config, &sink_component, answers);
}

/* -- Looking up ------------------------------------------------------------ */

const NpAnswer *
np_answers_find (const NpAnswers *answers, const char *table)
{
  return g_hash_table_lookup (answers->found, table);
}

const char *const *
np_answers_tables (const NpAnswers *answers)
{
  return (const char *const *) answers->names->pdata;
}

guint64
np_answers_gaps (const NpAnswers *answers)
{
  return answers->gaps;
}

int
np_answer_column (const NpAnswer *answer, const char *name)
{
  for (guint c = 0; c < answer->n_columns; c++)
    if (g_str_equal (answer->table->columns[c]->name, name))
      return (int) c;
  return -1;
}

const struct nprof_cell *
np_answer_cell (const NpAnswer *answer, guint row, guint column)
{
  return &g_array_index (answer->cells, struct nprof_cell, row * answer->n_columns + column);
}

const char *
np_answer_text (const NpAnswer *answer, guint row, guint column)
{
  const struct nprof_cell *cell = np_answer_cell (answer, row, column);
  return cell->type == NPROF_TEXT ? cell->v.text : NULL;
}
