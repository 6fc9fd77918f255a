/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - keeps the columns of tables that answers name. */
#include "answers/tables.h"
#include "sqlite/table-module.h"
#include "table/kept-table.h"

#include <string.h>

/* A table that some answer needs. */
typedef struct {
  const char *name;
  GPtrArray *columns; /* names as statements have them, of the answers */
  gboolean one;       /* none names a column: a row says that there are some */
  gboolean announced; /* somebody makes it */
  NpTable *table;     /* NULL: not asked for yet */
  int *from;          /* of each column its number in the table that is given; -1: it has none */
} Needed;

struct NpAnswerTables {
  GPtrArray *all; /* of Needed */
  guint64 rows;   /* of all */
};

static void
needed_free (gpointer data)
{
  Needed *n = data;
  g_ptr_array_unref (n->columns);
  np_table_close (n->table);
  g_free (n->from);
  g_free (n);
}

int
np_answer_tables_find (const NpAnswerTables *tables, const char *name)
{
  for (guint i = 0; i < tables->all->len; i++)
    if (!strcmp (((const Needed *) tables->all->pdata[i])->name, name))
      return (int) i;
  return -1;
}

static Needed *
find (const NpAnswerTables *tables, const char *name)
{
  int i = np_answer_tables_find (tables, name);
  return i < 0 ? NULL : tables->all->pdata[i];
}

static int
find_column (const Needed *n, const char *name)
{
  guint place;
  return g_ptr_array_find_with_equal_func (n->columns, name, g_str_equal, &place) ? (int) place
                                                                                  : -1;
}

static void
need (NpAnswerTables *tables, const NpAnswerNeed *of)
{
  Needed *n = find (tables, of->table);
  if (!n) {
    n = g_new0 (Needed, 1);
    n->name = of->table;
    n->columns = g_ptr_array_new ();
    n->one = TRUE;
    g_ptr_array_add (tables->all, n);
  }
  n->one = n->one && !*of->columns;
  for (char **column = of->columns; *column; column++)
    if (find_column (n, *column) < 0)
      g_ptr_array_add (n->columns, *column);
}

NpAnswerTables *
np_answer_tables_new (const GPtrArray *answers)
{
  NpAnswerTables *tables = g_new0 (NpAnswerTables, 1);
  tables->all = g_ptr_array_new_with_free_func (needed_free);
  need (tables, &(const NpAnswerNeed){ "inputs", TRUE, (char *[]){ "input", "rows", NULL }, 0 });
  need (tables,
        &(const NpAnswerNeed){ "ranks", TRUE, (char *[]){ "rank", "device", "file", NULL }, 0 });
  for (guint i = 0; i < answers->len; i++) {
    const NpAnswer *answer = answers->pdata[i];
    for (guint k = 0; k < answer->needs->len; k++)
      need (tables, answer->needs->pdata[k]);
  }
  for (guint i = 0; i < tables->all->len; i++) {
    Needed *n = tables->all->pdata[i];
    if (n->one)
      g_ptr_array_add (n->columns, "row"); /* SQLite knows no table without columns */
  }
  return tables;
}

void
np_answer_tables_free (NpAnswerTables *tables)
{
  if (!tables)
    return;
  g_ptr_array_unref (tables->all);
  g_free (tables);
}

/* -- Making ------------------------------------------------------------------------------------ */

static int
number_of (const struct nprof_table *declared, const char *column)
{
  for (int i = 0; declared && declared->columns[i]; i++) {
    g_autofree char *plain = np_sql_plain_name (declared->columns[i]);
    if (!strcmp (plain, column))
      return i;
  }
  return -1;
}

/* Makes the table with the columns that answers name alone; what is not there is NULL.  `declared`:
 * NULL where nobody makes it. */
static void
make (Needed *n, const struct nprof_table *declared)
{
  const guint count = n->columns->len;
  g_autofree struct nprof_table_column *columns = g_new0 (struct nprof_table_column, count);
  g_autofree const struct nprof_table_column **list
      = g_new0 (const struct nprof_table_column *, count + 1);
  n->from = g_new (int, count + 1);
  for (guint i = 0; i < count; i++) {
    n->from[i] = number_of (declared, n->columns->pdata[i]);
    columns[i] = (struct nprof_table_column){
      .size = sizeof *columns,
      .type = n->from[i] < 0 ? NPROF_TEXT : declared->columns[n->from[i]]->type,
      .name = n->columns->pdata[i],
      .unit = "",
      .help = "",
    };
    list[i] = &columns[i];
  }
  const struct nprof_table schema
      = { .size = sizeof schema, .name = n->name, .title = "", .columns = list };
  n->table = np_kept_table_new (&schema);
}

void
np_answer_tables_add (NpAnswerTables *tables, const struct nprof_host *host,
                      const struct nprof_table *declared, const struct nprof_cell *cells,
                      guint n_rows)
{
  Needed *n = find (tables, declared->name);
  guint width = 0;
  if (!n)
    return;
  if (!n->announced)
    make (n, declared);
  n->announced = TRUE;
  if (n->one)
    n_rows = MIN (n_rows, n->table->n_rows ? 0 : 1);
  while (declared->columns[width])
    width++;
  g_autofree struct nprof_cell *row = g_new0 (struct nprof_cell, n->columns->len);
  for (guint i = 0; i < n_rows; i++, cells += width) {
    for (guint c = 0; c < n->columns->len; c++)
      if (n->from[c] >= 0)
        row[c] = np_kept_cell (host, cells[n->from[c]]);
    np_kept_table_add (n->table, row);
  }
  tables->rows += n_rows;
}

guint64
np_answer_tables_rows (const NpAnswerTables *tables)
{
  return tables->rows;
}

/* -- Looking up -------------------------------------------------------------------------------- */

guint
np_answer_tables_count (const NpAnswerTables *tables)
{
  return tables->all->len;
}

const char *
np_answer_tables_name (const NpAnswerTables *tables, guint number)
{
  return ((const Needed *) tables->all->pdata[number])->name;
}

NpTable *
np_answer_tables_get (NpAnswerTables *tables, guint number)
{
  Needed *n = tables->all->pdata[number];
  if (!n->table)
    make (n, NULL);
  return n->table;
}

/* That a file lacks something says only who looked for it: who makes a table that would tell. */
static gboolean
somebody_looked (const NpAnswerTables *tables, const NpAnswer *answer)
{
  g_auto (GStrv) of = g_strsplit (answer->table, " ", -1);
  for (guint i = 0; i < answer->needs->len; i++) {
    const NpAnswerNeed *need = answer->needs->pdata[i];
    if (g_strv_contains ((const char *const *) of, need->table)
        && find (tables, need->table)->announced)
      return TRUE;
  }
  return FALSE;
}

gboolean
np_answer_tables_have (const NpAnswerTables *tables, const NpAnswer *answer, char **problem)
{
  if (answer->kind == NP_ANSWER_ABILITY && !somebody_looked (tables, answer))
    return FALSE;
  for (guint i = 0; i < answer->needs->len; i++) {
    const NpAnswerNeed *of = answer->needs->pdata[i];
    const Needed *n = find (tables, of->table);
    if (!n->announced && of->may_lack)
      continue;
    if (!n->announced)
      return FALSE;
    for (char **column = of->columns; *column; column++)
      if (n->from[find_column (n, *column)] < 0) {
        *problem = g_strdup_printf ("%s:%u: table %s has no column %s", answer->path, of->line,
                                    of->table, *column);
        return FALSE;
      }
  }
  return TRUE;
}

gboolean
np_answer_tables_lack_rows (const NpAnswerTables *tables, const NpAnswer *answer)
{
  for (guint i = 0; i < answer->needs->len; i++) {
    const NpAnswerNeed *need = answer->needs->pdata[i];
    const NpTable *table = find (tables, need->table)->table;
    if (!need->may_lack && (!table || !table->n_rows))
      return TRUE;
  }
  return FALSE;
}

gboolean
np_answer_tables_real (const NpAnswerTables *tables, const NpAnswer *answer, const char *column)
{
  gboolean real = FALSE;
  for (guint i = 0; i < answer->needs->len; i++) {
    const NpAnswerNeed *of = answer->needs->pdata[i];
    const Needed *n = find (tables, of->table);
    if (!n->table || !g_strv_contains ((const char *const *) of->columns, column))
      continue;
    if (n->table->schema->columns[find_column (n, column)]->type != NPROF_DOUBLE)
      return FALSE;
    real = TRUE;
  }
  return real;
}
