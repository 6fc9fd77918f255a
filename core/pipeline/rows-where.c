/* SPDX-License-Identifier: Apache-2.0 */
/* rows-where.c - copies the rows of a chunk that meet the condition of its table. */

#include "pipeline/rows-where.h"
#include "table/condition.h"

typedef struct { /* a table that has a condition */
  const char *name, *text;
  gboolean parsed; /* its declaration has come */
  NpTableCondition condition;
  guint64 seen, kept; /* rows */
} Wanted;

struct NpRowsWhere {
  NpStrings *strings;
  GArray *wanted; /* of Wanted */
};

/* A chunk as conditions read it: strings are texts. */
typedef struct {
  NpTable base;
  const NpChunk *chunk;
  NpStrings *strings;
} ChunkTable;

static gboolean
read_chunk (const NpTable *table, guint64 row, guint column, struct nprof_cell *cell)
{
  const ChunkTable *of = (const ChunkTable *) table;
  *cell = of->chunk->cells[row * table->n_columns + column];
  if (cell->type != NPROF_STRING)
    return TRUE;
  size_t len;
  cell->v.text = np_strings_get (of->strings, cell->v.s, &len);
  cell->len = (guint32) len;
  cell->type = NPROF_TEXT;
  return TRUE;
}

static void
clear_wanted (gpointer data)
{
  Wanted *wanted = data;
  if (wanted->parsed)
    np_table_condition_clear (&wanted->condition);
}

NpRowsWhere *
np_rows_where_new (GHashTable *conditions, NpStrings *strings)
{
  if (!conditions)
    return NULL;
  NpRowsWhere *self = g_new (NpRowsWhere, 1);
  *self = (NpRowsWhere){ strings, g_array_new (FALSE, FALSE, sizeof (Wanted)) };
  g_array_set_clear_func (self->wanted, clear_wanted);
  GHashTableIter iter;
  gpointer name, text;
  for (g_hash_table_iter_init (&iter, conditions); g_hash_table_iter_next (&iter, &name, &text);) {
    const Wanted wanted = { .name = name, .text = text };
    g_array_append_val (self->wanted, wanted);
  }
  return self;
}

void
np_rows_where_free (NpRowsWhere *self)
{
  if (!self)
    return;
  g_array_unref (self->wanted);
  g_free (self);
}

static gboolean
parse (Wanted *wanted, const struct nprof_table *schema, GError **error)
{
  char why[160];
  guint32 at;
  wanted->parsed = np_table_condition_parse (&wanted->condition, schema, NP_BARE_NO_TIME,
                                             wanted->text, why, &at);
  if (!wanted->parsed)
    np_error_set (error, NP_EXIT_USAGE, "%s where %s: at character %u: expected %s", wanted->name,
                  wanted->text, at + 1, why);
  return wanted->parsed;
}

static NpChunk *
copy_rows (NpRowsWhere *self, Wanted *wanted, const NpChunk *chunk, GError **error)
{
  ChunkTable table = { { chunk->table, chunk->n_columns, chunk->n_rows, read_chunk, NULL },
                       chunk,
                       self->strings };
  NpChunk *kept = np_chunk_new (chunk->table);
  for (guint row = 0; row < chunk->n_rows; row++) {
    char *problem = NULL;
    if (!np_table_condition_fits (&wanted->condition, &table.base, row))
      continue;
    /* It was checked when it came, so that memory alone can be short. */
    if (np_chunk_add (kept, chunk->cells + (gsize) row * chunk->n_columns, &problem)) {
      g_free (problem);
      np_error_set (error, NP_EXIT_ROOM, "no memory for the rows of table %s", wanted->name);
      np_chunk_unref (kept);
      return NULL;
    }
  }
  np_chunk_seal (kept);
  wanted->seen += chunk->n_rows;
  wanted->kept += kept->n_rows;
  return kept;
}

NpChunk *
np_rows_where_of (NpRowsWhere *self, NpChunk *chunk, GError **error)
{
  for (guint i = 0; self && i < self->wanted->len; i++) {
    Wanted *wanted = &g_array_index (self->wanted, Wanted, i);
    if (!g_str_equal (wanted->name, chunk->table->name))
      continue;
    if (!wanted->parsed && !parse (wanted, chunk->table, error))
      return NULL;
    return copy_rows (self, wanted, chunk, error);
  }
  return np_chunk_ref (chunk);
}

gboolean
np_rows_where_end (const NpRowsWhere *self, GError **error)
{
  for (guint i = 0; self && i < self->wanted->len; i++) {
    const Wanted *wanted = &g_array_index (self->wanted, Wanted, i);
    if (!wanted->seen || wanted->kept)
      continue;
    return np_error_set (error, NP_EXIT_USAGE,
                         "%s where %s: none of the %" G_GUINT64_FORMAT
                         " rows of the table meets it",
                         wanted->name, wanted->text, wanted->seen);
  }
  return TRUE;
}
