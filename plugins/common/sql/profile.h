/* SPDX-License-Identifier: Apache-2.0 */
/* profile.h - a store as SQL sees it: its blocks of rows numbered through, what holds for all rows
 * of a lane, texts of labels, and the attributes that are columns. A row's number (rowid) is block
 * * 512 + its place. */
#pragma once

#include "sql/sql.h"
#include "sqlite/names.h"
#include "sqlite/table-module.h"

#define NP_SQL_ROWS NPROF_STORE_ROWS

typedef struct {
  const char *text; /* NULL: none */
  gsize len;
  guint32 string;   /* its number in the store; 0: none */
} NpSqlText;

/* These hold for all rows of a lane. */
typedef struct {
  guint32 rows, first_block;
  guint32 track, depth, type; /* number of the track; NPROF_STORE_LANE_* */
  NpSqlText input, process, thread, kind;
  bool timed, ended;          /* facts have no times, unclosed spans no end */
} NpSqlLane;

typedef struct {
  char *name;
  guint32 key, type; /* string; NPROF_INT64 ...  */
  bool any;          /* some row may have it     */
  bool told;
} NpSqlColumn;

typedef struct {
  struct nprof_store *store; /* the caller's */
  struct nprof_query query;
  NpSqlLane *lanes;
  guint32 n_lanes, n_blocks;
  const struct nprof_store_block **blocks; /* NULL: not looked at yet */
  guint32 *lane_of;                        /* by block                */
  NpSqlText *names, *categories;           /* by label                */
  guint32 n_labels;
  GArray *columns;                         /* of NpSqlColumn: attributes */
  GHashTable *by_key;                      /* string -> 1 + column       */
  GPtrArray *shapes; /* of guint16 *: by shape, for each column 1 + key; NULL: not looked at */
  /* columns that were asked for and that no row has, since the last statement; NULL: none */
  GString *empty;
  gint64 origin_ns;
  NpSqlTables tables;
  const NpTableStore *made; /* NULL: the tables of the store */
  NpSqlSay say;
  gpointer user;
} NpSqlProfile;

NpSqlProfile *np_sql_profile_open (struct nprof_store *store, NpSqlSay say, gpointer user,
                                   GError **error);
void np_sql_profile_free (NpSqlProfile *profile);

NpSqlText np_sql_string (NpSqlProfile *profile, guint32 string);
/* Returns NULL when it is damaged; query.error says where. */
const struct nprof_store_block *np_sql_block (NpSqlProfile *profile, guint32 block);

/* This is a row that was found by its number. */
typedef struct {
  const struct nprof_store_block *block;
  guint32 lane, i;
} NpSqlRow;
/* Returns false when there is none, or its block is damaged. */
bool np_sql_row (NpSqlProfile *profile, gint64 rowid, NpSqlRow *row);
/* Returns the number of a row of the store. */
gint64 np_sql_rowid (const NpSqlProfile *profile, struct nprof_row row);
/* Reads all of a row, for what is asked seldom. */
bool np_sql_event (NpSqlProfile *profile, const NpSqlRow *row, struct nprof_event *event);

/* attributes.c: results in a column of a row, or in the attributes without a column as a JSON
 * object. */
void np_sql_result_attribute (NpSqlProfile *profile, const NpSqlRow *row, guint column,
                              sqlite3_context *out);
/* Returns whether the field says what the row means, which rows leave out where nobody asked for
 * its column, as in all sinks of rows. */
bool np_sql_leaves (NpSqlProfile *profile, const struct nprof_store_field *field);
void np_sql_result_rest (NpSqlProfile *profile, const NpSqlRow *row, sqlite3_context *out);
/* Results in a value of a field, or of a cell of a table, as SQLite has it. */
void np_sql_result_value (NpSqlProfile *profile, guint32 type, guint64 bits, const char *text,
                          guint32 len, sqlite3_context *out);
/* LANE.ROW, as nprof view calls a row. */
void np_sql_result_place (guint32 lane, guint32 row, sqlite3_context *out);

/* This is a function of SQL, whose user data is the profile; of an aggregate `call` is NULL. */
typedef struct {
  const char *name;
  int n_values; /* -1: any number of them */
  void (*call) (sqlite3_context *out, int n, sqlite3_value **values);
  void (*step) (sqlite3_context *out, int n, sqlite3_value **values);
  void (*final) (sqlite3_context *out);
} NpSqlFunction;
/* Returns SQLITE_OK, or another value. */
int np_sql_make_functions (sqlite3 *db, NpSqlProfile *profile, const NpSqlFunction *functions,
                           gsize n);

/* Each of these modules makes its tables on the connection.  Returns SQLITE_OK, or what failed. */
int np_sql_events (sqlite3 *db, NpSqlProfile *profile);
int np_sql_tables (sqlite3 *db, NpSqlProfile *profile);
int np_sql_lists (sqlite3 *db, NpSqlProfile *profile);
int np_sql_functions (sqlite3 *db, NpSqlProfile *profile);
int np_sql_around (sqlite3 *db, NpSqlProfile *profile);
int np_sql_printf (sqlite3 *db);
int np_sql_stacks (sqlite3 *db, NpSqlProfile *profile);
int np_sql_views (sqlite3 *db, NpSqlProfile *profile);
