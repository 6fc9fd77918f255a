/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - chunks of rows of a table, and the check of its declaration. */

#include "rows/table.h"
#include "system/type-name.h"

#include <string.h>

#include "base/vendor-name.h"

guint
np_table_columns (const struct nprof_table *table)
{
  guint n = 0;
  while (table->columns[n])
    n++;
  return n;
}

const char *
np_role_name (guint role)
{
  static const char *const names[] = { [NPROF_ROLE_VALUE] = "value",
                                       [NPROF_ROLE_KEY] = "key",
                                       [NPROF_ROLE_DOUBT] = "doubt",
                                       [NPROF_ROLE_LEVEL] = "level",
                                       [NPROF_ROLE_NOTE] = "note" };
  return role < G_N_ELEMENTS (names) ? names[role] : "unknown";
}

/* Returns what is wrong with the role; NULL: nothing. */
static const char *
role_problem (const struct nprof_table_column *column)
{
  guint type = column->type;
  switch (column->role) {
  case NPROF_ROLE_VALUE:
  case NPROF_ROLE_KEY:
    return NULL;
  case NPROF_ROLE_DOUBT:
    return type == NPROF_INT64 || type == NPROF_UINT64 || type == NPROF_BOOL
               ? NULL
               : "is of role doubt: it counts missing events (int64, uint64) or says that the row "
                 "was cut (bool)";
  case NPROF_ROLE_LEVEL:
    return type == NPROF_STRING || type == NPROF_TEXT ? NULL : "is of role level, and no string";
  case NPROF_ROLE_NOTE:
    return type == NPROF_STRING || type == NPROF_TEXT ? NULL : "is of role note, and no text";
  default:
    return "has a role that nprof/plugin.h does not have";
  }
}

static char *
column_problem (const struct nprof_table *table, guint i)
{
  const struct nprof_table_column *column = table->columns[i];
  if (column->size == 0)
    return g_strdup_printf ("table \"%s\": column %u has no size", table->name, i + 1);
  if (!column->name || !*column->name)
    return g_strdup_printf ("table \"%s\": column %u has no name", table->name, i + 1);
  if (column->type < NPROF_INT64 || column->type > NPROF_ID128)
    return g_strdup_printf ("table \"%s\": column \"%s\" has the unknown type %u", table->name,
                            column->name, column->type);
  if (role_problem (column))
    return g_strdup_printf ("table \"%s\": column \"%s\" %s", table->name, column->name,
                            role_problem (column));
  for (guint k = 0; k < i; k++)
    if (g_ascii_strcasecmp (table->columns[k]->name, column->name) == 0)
      return g_strdup_printf ("table \"%s\": two columns are named \"%s\"", table->name,
                              column->name);
  return NULL;
}

char *
np_table_problem (const struct nprof_table *table)
{
  if (table->size == 0)
    return g_strdup ("a table has no size");
  g_autofree char *wrong = np_vendor_name_problem (table->name, '_');
  if (wrong)
    return g_strdup_printf ("the name of table \"%s\" %s", table->name ? table->name : "", wrong);
  if (!table->columns || !table->columns[0])
    return g_strdup_printf ("table \"%s\" has no columns", table->name);
  for (guint i = 0; table->columns[i]; i++) {
    char *problem = column_problem (table, i);
    if (problem)
      return problem;
  }
  const struct nprof_table_column *first = table->columns[0];
  if (first->type != NPROF_STRING || strcmp (first->name, "input") != 0)
    return g_strdup_printf ("table \"%s\": the first column must be \"input\", a string",
                            table->name);
  return NULL;
}

gboolean
np_table_same (const struct nprof_table *a, const struct nprof_table *b)
{
  guint n = np_table_columns (a);
  if (strcmp (a->name, b->name) || n != np_table_columns (b))
    return FALSE;
  for (guint i = 0; i < n; i++) {
    const struct nprof_table_column *x = a->columns[i], *y = b->columns[i];
    if (strcmp (x->name, y->name) || x->type != y->type || x->role != y->role
        || g_strcmp0 (x->unit, y->unit))
      return FALSE;
  }
  return TRUE;
}

/* -- Copies ------------------------------------------------------------------------------------ */

/* A plugin that was built with an older header has smaller structs. */
static struct nprof_table_column *
copy_column (const struct nprof_table_column *from)
{
  struct nprof_table_column *to = g_new0 (struct nprof_table_column, 1);
  memcpy (to, from, MIN (from->size, sizeof *to));
  to->size = sizeof *to;
  to->name = g_strdup (to->name);
  to->unit = g_strdup (to->unit);
  to->help = g_strdup (to->help);
  return to;
}

struct nprof_table *
np_table_copy (const struct nprof_table *table)
{
  struct nprof_table *copy = g_new0 (struct nprof_table, 1);
  guint n = np_table_columns (table);
  struct nprof_table_column **columns = g_new0 (struct nprof_table_column *, n + 1);
  memcpy (copy, table, MIN (table->size, sizeof *copy));
  copy->size = sizeof *copy;
  copy->name = g_strdup (copy->name);
  copy->title = g_strdup (copy->title);
  copy->note = g_strdup (copy->note);
  for (guint i = 0; i < n; i++)
    columns[i] = copy_column (table->columns[i]);
  copy->columns = (const struct nprof_table_column *const *) columns;
  return copy;
}

static void
free_column (const struct nprof_table_column *column)
{
  g_free ((char *) column->name);
  g_free ((char *) column->unit);
  g_free ((char *) column->help);
  g_free ((struct nprof_table_column *) column);
}

void
np_table_free (struct nprof_table *table)
{
  for (guint i = 0; table->columns[i]; i++)
    free_column (table->columns[i]);
  g_free ((gpointer) table->columns);
  g_free ((char *) table->name);
  g_free ((char *) table->title);
  g_free ((char *) table->note);
  g_free (table);
}

/* -- Chunks ------------------------------------------------------------------------------------ */

/* Cells with text hold its offset until the chunk is sealed, because the text moves. */
static gboolean
has_text (guint type)
{
  return type == NPROF_TEXT || type == NPROF_JSON || type == NPROF_ID128;
}

/* Cells that are whole by themselves; a string is its number. */
static gboolean
is_number (guint type)
{
  return type >= NPROF_INT64 && type <= NPROF_STRING;
}

NpChunk *
np_chunk_new (const struct nprof_table *table)
{
  NpChunk *chunk = g_new0 (NpChunk, 1);
  chunk->table = table;
  chunk->n_columns = np_table_columns (table);
  chunk->refs = 1;
  return chunk;
}

NpChunk *
np_chunk_ref (NpChunk *chunk)
{
  g_atomic_int_inc (&chunk->refs);
  return chunk;
}

void
np_chunk_unref (NpChunk *chunk)
{
  if (!chunk || !g_atomic_int_dec_and_test (&chunk->refs))
    return;
  g_free (chunk->text);
  g_free (chunk->cells);
  g_free (chunk);
}

gboolean
np_chunk_full (const NpChunk *chunk)
{
  return chunk->n_rows >= NP_CHUNK_ROWS || chunk->n_text >= NP_CHUNK_TEXT;
}

static char *
cell_problem (const struct nprof_table *table, guint i, const struct nprof_cell *cell)
{
  const struct nprof_table_column *column = table->columns[i];
  if (cell->type == NPROF_NULL)
    return NULL;
  if (cell->type != column->type)
    return g_strdup_printf ("table \"%s\": a cell of column \"%s\" is %s, declared is %s",
                            table->name, column->name, np_type_name (cell->type),
                            np_type_name (column->type));
  if (cell->type == NPROF_ID128 && cell->len != 16)
    return g_strdup_printf ("table \"%s\": a cell of column \"%s\" has %u bytes, an id128 has 16",
                            table->name, column->name, cell->len);
  if (has_text (cell->type) && cell->len > 0 && !cell->v.text)
    return g_strdup_printf ("table \"%s\": a cell of column \"%s\" has a length but no text",
                            table->name, column->name);
  return NULL;
}

static gboolean
make_text_room (NpChunk *chunk, guint64 more)
{
  if (more <= chunk->max_text - chunk->n_text)
    return TRUE;
  guint64 max = MAX (chunk->n_text + more, MAX (1024, (guint64) chunk->max_text * 2));
  char *text = max < G_MAXSSIZE ? g_try_realloc (chunk->text, (gsize) max) : NULL;
  if (!text)
    return FALSE;
  chunk->text = text;
  chunk->max_text = (gsize) max;
  return TRUE;
}

static gboolean
make_row_room (NpChunk *chunk)
{
  if (chunk->n_rows < chunk->max_rows)
    return TRUE;
  guint rows = MAX (16, chunk->max_rows * 2);
  gsize n = (gsize) rows * chunk->n_columns;
  struct nprof_cell *cells = g_try_realloc_n (chunk->cells, n, sizeof *cells);
  if (!cells)
    return FALSE;
  chunk->cells = cells;
  chunk->max_rows = rows;
  return TRUE;
}

static void
copy_cell (NpChunk *chunk, struct nprof_cell *to, const struct nprof_cell *from)
{
  *to = *from;
  if (!has_text (from->type))
    return;
  to->v.u = chunk->n_text;
  if (from->len)
    memcpy (chunk->text + chunk->n_text, from->v.text, from->len);
  chunk->n_text += from->len;
  chunk->text[chunk->n_text++] = '\0';
}

nprof_status
np_chunk_add (NpChunk *chunk, const struct nprof_cell *cells, char **problem)
{
  guint64 text = 0;
  for (guint i = 0; i < chunk->n_columns; i++) {
    if (is_number (cells[i].type) && cells[i].type == chunk->table->columns[i]->type)
      continue;
    *problem = cell_problem (chunk->table, i, &cells[i]);
    if (*problem)
      return NPROF_E_CONTRACT;
    if (has_text (cells[i].type))
      text += (guint64) cells[i].len + 1;
  }
  if (!make_text_room (chunk, text) || !make_row_room (chunk))
    return NPROF_E_NOMEM;

  struct nprof_cell *row = chunk->cells + (gsize) chunk->n_rows * chunk->n_columns;
  for (guint i = 0; i < chunk->n_columns; i++)
    copy_cell (chunk, &row[i], &cells[i]);
  chunk->n_rows++;
  return NPROF_OK;
}

void
np_chunk_seal (NpChunk *chunk)
{
  gsize n = (gsize) chunk->n_rows * chunk->n_columns;
  for (gsize i = 0; i < n; i++)
    if (has_text (chunk->cells[i].type))
      chunk->cells[i].v.text = chunk->text + chunk->cells[i].v.u;
}
