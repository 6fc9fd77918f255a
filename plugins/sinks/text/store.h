/* SPDX-License-Identifier: Apache-2.0 */
/* store.h - the rows of tables that will be printed: the first `top` of each, or the top
 * ones by a column.  The others are counted. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

typedef struct {
  char *name, *unit;
  guint type, role;
} Column;

typedef struct {
  guint64 number;            /* place in the table's own order, from 0 */
  struct nprof_cell cells[]; /* their text lies behind the last of them */
} Row;

typedef struct {
  char *name, *title, *note;
  char *lead; /* what stands first, in a line of its own; NULL: nothing */
  char *lead_code; /* of the verdict that it says; NULL: none */
  guint n_columns;
  Column *columns;
  GPtrArray *rows;   /* of Row; those that are kept            */
  guint64 n_rows;    /* all that came                          */
  gboolean rounded;  /* a text in it is a number that lost digits */
  gboolean no_input; /* its rows show their input without the column */
  gboolean single;   /* one block: columns that do not fit are left out */
  gboolean bare;     /* answers: question, answer, of, a line each */
  /* The rest is store.c's. */
  const struct nprof_host *host;
  guint64 top; /* rows to keep, 0: all                   */
  int by;      /* column to sort by, -1: none            */
} Table;

/* `by` is the name of a column, NULL or one that the table lacks: its own order. */
Table *table_new (const struct nprof_host *host, const struct nprof_table *decl, guint64 top,
                  const char *by);
void table_free (Table *table);
/* Returns whether a row that came now would be looked at; else it may be counted without its
 * cells. */
gboolean table_open (const Table *table);
/* Copies a row; cells may be NULL when the table is not open.  NPROF_E_NOMEM. */
nprof_status table_add (Table *table, const struct nprof_cell *cells);
/* Ends the rows: sorts and cuts. */
void table_finish (Table *table);

/* Returns whether all rows are of one job, which is none of the inputs: table job alone says its
 * name. */
gboolean table_is_of_job (const Table *table);
/* Returns the column of that name, -1: there is none. */
int table_column (const Table *table, const char *name);
/* Returns the text of a string, text, json or id128 cell. */
const char *cell_text (const struct nprof_host *host, const struct nprof_cell *cell, gsize *len);
/* Returns whether it is Unix time in ns: its name ends in _unix_ns. */
gboolean column_is_date (const Column *column);
/* Returns whether it is a point in time: start_ns or end_ns. */
gboolean column_is_instant (const Column *column);
/* Returns the name without the unit at its end ("total_ns" is "total") when its values are
 * times. */
char *column_stem (const Column *column);
