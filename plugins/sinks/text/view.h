/* SPDX-License-Identifier: Apache-2.0 */
/* view.h - one view of a table, between views.c, which reads what they are, view-rows.c, which
 * chooses rows, and view-print.c, which chooses columns. */
#pragma once

#include "reasons.h"
#include "wanted-tables.h"

typedef struct Views Views;
typedef struct View View;

typedef struct ViewRows ViewRows; /* which rows a view takes */

/* What NAME.plugin says in [view TABLE], see nprof-plugin(3). */
typedef struct {
  const char *table, *title;
  const char *columns; /* a;b/c;d: those that matter least last, then what tells rows apart;
                          a/b: the share of a in b; ?a: not where it is 0 in all rows.
                          NULL: not on the page                                        */
  const char *by;      /* the largest first; NULL: in the order of the table           */
  guint top;
  const char *note;
  const char *needs; /* columns a;b: without a value in any there is no table; or NULL */
  const ViewRows *rows; /* NULL: all */
} ViewDecl;

struct View {
  ViewDecl decl;
  Table *table;            /* its rows, all columns; NULL: none came              */
  struct nprof_cell on[2]; /* input and device of its rows, once one was taken    */
  guint level;             /* rank of the operators in it                         */
  gboolean placed;         /* `on` is set                                         */
  gboolean asked;          /* sorted by what the user named                     */
};

struct Views {
  const struct nprof_host *host;
  gint64 top;
  const char *by;
  const WantedTables *only; /* NULL: all */
  GPtrArray *views; /* of View, in the order of the page */
  const View *devices; /* that of table devices; NULL: there is none */
  Reasons *reasons; /* of all tables */
  Table *lines;     /* of the first screen: table summary; NULL: none came */
  guint more_room;  /* columns of the terminal beyond 80 */
  gboolean whole;   /* no name is cut: there is no terminal */
  GPtrArray *shown; /* of char *: the tables that views_finish found rows for */
};

static inline View *
view_at (const Views *views, guint i)
{
  return g_ptr_array_index (views->views, i);
}

/* Returns the table whose rows are the devices, all its rows; NULL: there is none. */
const Table *views_devices (const Views *views);
/* Returns the cell in a row with all columns; NULL: the table has no such column. */
const struct nprof_cell *view_cell (const View *view, const struct nprof_cell *cells,
                                    const char *column);

/* Are rows of kernels those of shapes?  Then by=shape is no order. */
gboolean views_by_shape (const Views *views);

/* Returns the choice of rows of that name; NULL: there is none. */
const ViewRows *view_rows_find (const char *name);
/* Returns whether the row is one for the view. */
gboolean view_takes (const Views *views, View *view, const struct nprof_cell *cells);
/* Returns whether the rows of the view are of a host beside devices. */
gboolean view_is_of_host (const View *view);

/* Returns the rows to print; 0: all. */
guint64 view_top (const Views *views, const View *view);
/* Returns whether the view has rows, and a value where it needs one. */
gboolean view_is_worth_it (const View *view);
/* Returns the table to print; transfer full.  NULL: no memory. */
Table *view_print (const Views *views, const View *view);
