/* SPDX-License-Identifier: Apache-2.0 */
/* view.h - one view of a table, between views.c, which has the list of them, view-rows.c, which
 * chooses rows, and view-print.c, which chooses columns. */
#pragma once

#include "reasons.h"
#include "wanted-tables.h"

typedef struct Views Views;
typedef struct View View;

typedef struct {
  const char *table, *title;
  const char *columns; /* a+b/c+d: those that matter least last, then what tells rows apart;
                          a/b: the share of a in b; ?a: not where it is 0 in all rows.
                          NULL: not on the page                                        */
  const char *by;      /* the largest first; NULL: in the order of the table           */
  guint top;
  const char *note;
  const char *needs; /* columns a+b: without a value in any there is no table; or NULL */
  gboolean (*takes) (const Views *views, View *view, const struct nprof_cell *cells);
} ViewDecl;

struct View {
  const ViewDecl *decl;
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
  View *views;
  Reasons *reasons; /* of all tables */
  Table *lines;     /* of the first screen: table summary; NULL: none came */
  guint more_room;  /* columns of the terminal beyond 80 */
  gboolean whole;   /* no name is cut: there is no terminal */
  GPtrArray *shown; /* of ViewDecl: those that views_finish found rows for */
};

/* Returns table devices, all its rows; NULL: there is none. */
const Table *views_devices (const Views *views);
/* Returns the cell in a row with all columns; NULL: the table has no such column. */
const struct nprof_cell *view_cell (const View *view, const struct nprof_cell *cells,
                                    const char *column);

/* Are rows of kernels those of shapes?  Then by=shape is no order. */
gboolean views_by_shape (const Views *views);

/* These tell whether the row is one for the view. */
gboolean view_takes_busiest (const Views *views, View *view, const struct nprof_cell *cells);
gboolean view_takes_kernel (const Views *views, View *view, const struct nprof_cell *cells);
gboolean view_takes_shape (const Views *views, View *view, const struct nprof_cell *cells);
gboolean view_takes_shaped (const Views *views, View *view, const struct nprof_cell *cells);
gboolean view_takes_operator (const Views *views, View *view, const struct nprof_cell *cells);
gboolean view_takes_host_operator (const Views *views, View *view, const struct nprof_cell *cells);
gboolean view_takes_utilisation (const Views *views, View *view, const struct nprof_cell *cells);
gboolean view_takes_roofline (const Views *views, View *view, const struct nprof_cell *cells);
gboolean view_takes_busy (const Views *views, View *view, const struct nprof_cell *cells);
gboolean view_takes_repeated (const Views *views, View *view, const struct nprof_cell *cells);
gboolean view_takes_known (const Views *views, View *view, const struct nprof_cell *cells);
gboolean view_takes_placed (const Views *views, View *view, const struct nprof_cell *cells);

/* Returns the rows to print; 0: all. */
guint64 view_top (const Views *views, const View *view);
/* Returns whether the view has rows, and a value where it needs one. */
gboolean view_is_worth_it (const View *view);
/* Returns the table to print; transfer full.  NULL: no memory. */
Table *view_print (const Views *views, const View *view);
