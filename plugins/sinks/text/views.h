/* SPDX-License-Identifier: Apache-2.0 */
/* views.h - chooses what people want first of the tables that nprof's analyzers make: which rows
 * and columns, in which order.  It is the page of `nprof report`. */
#pragma once

#include "reasons.h"
#include "wanted-tables.h"

#define SUMMARY_TABLE "summary" /* the lines of the first screen, which stand before all views */

typedef struct Views Views;

/* `top` is the rows of each view, -1: as many as each has; `by` a column to sort all by, "" for
 * none; `only` the tables that are wanted, "summary" too, NULL for all. */
Views *views_new (const struct nprof_host *host, gint64 top, const char *by,
                  const WantedTables *only);
void views_free (Views *views);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Views, views_free)

/* Returns whether there is a view of this table, or whether it is one that the page leaves out. */
gboolean views_know (const Views *views, const char *table);
/* Takes the wanted rows of a table that it knows.  NPROF_E_NOMEM. */
nprof_status views_add (Views *views, const struct nprof_table *decl,
                        const struct nprof_cell *cells, guint32 n_rows);
/* Returns the tables to print in the order of the page, of Table, summary first; transfer full.
 * NULL: no memory.  To be called once. */
GPtrArray *views_finish (Views *views);
/* Says that the page has so many columns, or that it is no terminal and all names stand whole. */
void views_room (Views *views, guint columns, gboolean whole);
/* Returns why tables have no rows; the views own it. */
const Reasons *views_reasons (const Views *views);
/* Returns whether a table of that name is on the page. */
gboolean views_show (const Views *views, const char *table);
