/* SPDX-License-Identifier: Apache-2.0 */
/* database.h - an SQLite database that may be hostile, for decoders: opened in memory,
 * read-only, and read table by table in the order in which rows lie.  Nothing of it is executed.
 * What tables and columns mean is left to the decoder. */
#ifndef DATABASE_DATABASE_H
#define DATABASE_DATABASE_H

#include <glib.h>
#include <nprof/sdk.h>
#include <sqlite3.h>

typedef struct {
  char *key; /* its name, or the shorter one by which the decoder looks for it */
  char *name;
  bool read; /* its rows became something */
} DbTable;

typedef struct {
  const struct nprof_host *host;
  const char *mend; /* what to do about a file that is damaged */
  sqlite3 *db;
  guint64 rows_left; /* more rows than the file has bytes: its pages form a circle */
  guint rows;        /* since the host was asked whether the run goes on           */
  bool cancelled;
  GHashTable *tables; /* key -> DbTable */
  gpointer copy;      /* of the bytes, where they cannot be read as they are; or NULL */
  gsize copy_size;
} Db;

/* Opens the bytes, which stay valid until db_close, and lists the tables but for those of SQLite
 * itself, views, and those that a module makes up.  db is cleared memory; it is closed also
 * after a failure. */
nprof_status db_open (Db *db, const struct nprof_host *host, const char *mend, const void *data,
                      uint64_t len);
void db_close (Db *db);
bool db_has (const Db *db, const char *key);
/* Counts a table as read though nobody wants its rows, if it is there. */
void db_leave (const Db *db, const char *key);
/* Returns the keys of all tables in byte order.  Transfer container. */
GList *db_tables (const Db *db);

/* It walks the rows of a table, one after the other. */
typedef struct {
  Db *db;
  const char *table;
  sqlite3_stmt *stmt;
  int n;        /* columns */
  bool *wanted; /* which of them are read; all others are NULL */
  guint64 row;  /* the present one, from 1 */
  int id;       /* the column that numbers rows; -1: they are counted */
} DbRows;

/* Begins a table that is there, and counts it as read. */
nprof_status db_rows_begin (Db *db, const char *key, DbRows *rows);
void db_rows_end (DbRows *rows);
/* Ends rows that are read once more later. */
void db_rows_end_again (DbRows *rows);
/* Goes to the next row; false: the last row was read, or *status says what failed. */
bool db_rows_next (DbRows *rows, nprof_status *status);
/* Returns the number of a column, which is read from now on; -1: the table has none of that name.
 * Before the first row. */
int db_column (DbRows *rows, const char *name);
/* Returns false when the column is not there (-1), or the row has no whole number in it. */
bool db_int (const DbRows *rows, int column, gint64 *value);
/* Returns NULL when the column is not there, or the row has no text in it.  Valid until the next
 * row. */
const char *db_text (const DbRows *rows, int column);
/* Returns a number as text, as SQLite prints it, or a text as it is; otherwise the same. */
const char *db_number (const DbRows *rows, int column);
/* Reports that the present row cannot be read: goes on or fails, as the user asked. */
__attribute__ ((format (printf, 2, 3))) nprof_status db_damaged (const DbRows *rows,
                                                                 const char *format, ...);
/* Counts the rows of a table, which became nothing, as "row of NAME" in the table skipped. */
nprof_status db_skip_table (Db *db, const char *key, const char *name, const char *reason);

#endif
