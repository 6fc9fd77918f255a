/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite-read.c - reads columns of the tables of a database by SQLite, row by row, and keeps
 * nothing: what a decoder of such databases is measured beside.
 *
 *     sqlite-read FILE TABLE COLUMN,COLUMN... [TABLE COLUMN,COLUMN...]... */
#include <glib.h>
#include <sqlite3.h>

/* Returns a sum over the values, so that none is left out. */
static gint64
read_row (sqlite3_stmt *stmt, int n)
{
  gint64 sum = 0;
  for (int i = 0; i < n; i++)
    switch (sqlite3_column_type (stmt, i)) {
    case SQLITE_INTEGER:
      sum += sqlite3_column_int64 (stmt, i);
      break;
    case SQLITE_TEXT:
      sum += *sqlite3_column_text (stmt, i);
      break;
    default:
      sum++;
    }
  return sum;
}

static gint64
read_table (sqlite3 *db, const char *table, const char *columns, gint64 *rows)
{
  g_autofree char *sql = g_strdup_printf ("SELECT %s FROM \"%s\" NOT INDEXED", columns, table);
  sqlite3_stmt *stmt = NULL;
  gint64 sum = 0;
  if (sqlite3_prepare_v2 (db, sql, -1, &stmt, NULL) != SQLITE_OK)
    g_error ("%s: %s", sql, sqlite3_errmsg (db));
  const int n = sqlite3_column_count (stmt);
  for (; sqlite3_step (stmt) == SQLITE_ROW; ++*rows)
    sum += read_row (stmt, n);
  sqlite3_finalize (stmt);
  return sum;
}

int
main (int argc, char **argv)
{
  sqlite3 *db = NULL;
  gint64 rows = 0, sum = 0;
  if (argc < 4 || sqlite3_open_v2 (argv[1], &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
    g_error ("usage: sqlite-read FILE TABLE COLUMN,COLUMN...");
  for (int i = 2; i + 1 < argc; i += 2)
    sum += read_table (db, argv[i], argv[i + 1], &rows);
  sqlite3_close (db);
  g_print ("%" G_GINT64_FORMAT " rows, sum %" G_GINT64_FORMAT "\n", rows, sum);
  return 0;
}
