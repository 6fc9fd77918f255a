/* SPDX-License-Identifier: Apache-2.0 */
/* sink.h - sink sqlite: what its files share. The database is made in a temporary file and copied
 * out whole at the end, because an output is written from its beginning to its end. */
#ifndef SQLITE_SINK_H
#define SQLITE_SINK_H

#include <glib.h>
#include <nprof/draft/temp-file.h>
#include <nprof/format.h>
#include <nprof/row.h>
#include <nprof/sdk.h>
#include <sqlite3.h>

struct sqlite_sink {
  bool index;

  const struct nprof_host *host;
  struct nprof_temp *temp;
  gint64 size; /* of the temporary file */
  int error;   /* errno of the first failure there */
  sqlite3_vfs vfs;
  char *vfs_name;
  sqlite3 *db;
  sqlite3_stmt *insert_row, *insert_string;
  GArray *strings; /* of guint32, by handle: the number of the text, 0: it has none yet */
  guint32 n_strings;
  GArray *labels; /* of struct sqlite_track, by handle */
  GPtrArray *tables;
  struct nprof_row_columns row_columns;
  struct nprof_buf unmapped; /* attributes of a row that have no column */
};

/* Reports what SQLite, or the file below it, says. */
nprof_status sqlite_sink_failed (struct sqlite_sink *self);
nprof_status sqlite_sink_exec (struct sqlite_sink *self, const char *sql);
/* Appends "name", with doubled quotes within. */
void sqlite_sink_quote (GString *to, const char *name);
/* Returns a name that no earlier one has, because SQLite compares them without case; transfer
 * full. */
char *sqlite_sink_name (GHashTable *names, const char *name);
/* Binds a number; one that is larger than SQLite's integers is its digits. */
void sqlite_sink_bind_unsigned (sqlite3_stmt *stmt, int at, guint64 value);

/* file.c is a file system of one file, which is nprof_temp_file of nprof/draft/temp-file.h. */
nprof_status sqlite_file_open (struct sqlite_sink *self);
void sqlite_file_close (struct sqlite_sink *self);
nprof_status sqlite_file_copy (struct sqlite_sink *self);

/* rows.c */
nprof_status sqlite_rows_open (struct sqlite_sink *self);
nprof_status sqlite_rows_consume (struct sqlite_sink *self, const struct nprof_batch *batch);
nprof_status sqlite_rows_finish (struct sqlite_sink *self);
void sqlite_rows_close (struct sqlite_sink *self);

/* tables.c */
void sqlite_tables_open (struct sqlite_sink *self);
nprof_status sqlite_tables_rows (struct sqlite_sink *self, const struct nprof_table *table,
                                 const struct nprof_cell *cells, uint32_t n_rows);
void sqlite_tables_close (struct sqlite_sink *self);

#endif
