/* SPDX-License-Identifier: Apache-2.0 */
/* rest.c - columns of a table as attributes of its rows. */
#include "rest.h"

#include <string.h>

/* Returns the key of a column; 0: nobody reads it. */
static nprof_str
key_of (const struct nprof_host *host, const char *column, const nprof_str *declared, gsize n)
{
  if (!host->wanted (host, column))
    return 0;
  nprof_str key = nprof_intern (host, column);
  for (gsize i = 0; i < n; i++)
    if (key == declared[i]) {
      g_autofree char *other = g_strconcat ("column_", column, NULL);
      return nprof_intern (host, other);
    }
  return key;
}

nprof_status
db_rest_begin (Db *db, const char *table, const nprof_str *declared, gsize n, DbRest *rows)
{
  memset (rows, 0, sizeof *rows);
  nprof_status status = db_rows_begin (db, table, &rows->in);
  if (status)
    return status;
  rows->used = g_new0 (bool, rows->in.n + 1);
  rows->rest = g_new0 (nprof_str, rows->in.n + 1);
  for (int i = 0; i < rows->in.n; i++) {
    const char *column = sqlite3_column_name (rows->in.stmt, i);
    if (column)
      rows->in.wanted[i] |= (rows->rest[i] = key_of (db->host, column, declared, n)) != 0;
  }
  return NPROF_OK;
}

void
db_rest_end (DbRest *rows)
{
  db_rows_end (&rows->in);
  g_free (rows->used);
  g_free (rows->rest);
  memset (rows, 0, sizeof *rows);
}

int
db_rest_column (DbRest *rows, const char *name)
{
  int column = db_column (&rows->in, name);
  if (column >= 0)
    rows->used[column] = true;
  return column;
}

int
db_rest_column_if (DbRest *rows, const char *name, bool wanted)
{
  const int column = db_rest_column (rows, name);
  if (wanted || column < 0)
    return column;
  rows->in.wanted[column] = false;
  return -1;
}

static nprof_status
add_column (const DbRest *rows, int column, struct nprof_writer *w)
{
  const struct nprof_host *host = rows->in.db->host;
  nprof_str key = rows->rest[column];
  switch (sqlite3_column_type (rows->in.stmt, column)) {
  case SQLITE_INTEGER:
    return nprof_attr_int (w, key, sqlite3_column_int64 (rows->in.stmt, column));
  case SQLITE_FLOAT:
    return nprof_attr_double (w, key, sqlite3_column_double (rows->in.stmt, column));
  case SQLITE_TEXT:
    return nprof_attr_str (w, key, nprof_intern (host, db_text (&rows->in, column)));
  default: /* NULL; nothing that is read keeps bytes */
    return NPROF_OK;
  }
}

nprof_status
db_rest_add (const DbRest *rows, struct nprof_writer *w)
{
  nprof_status status = NPROF_OK;
  for (int i = 0; i < rows->in.n && !status; i++)
    if (!rows->used[i] && rows->rest[i])
      status = add_column (rows, i, w);
  return status;
}
