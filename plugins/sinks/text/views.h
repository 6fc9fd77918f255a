/* SPDX-License-Identifier: Apache-2.0 */
/* views.h - what people want first of the tables that nprof's analyzers make: which rows and
 * columns, in which order.  The page of `nprof report`; printing it is others' matter. */
#pragma once

#include "answers.h"
#include "wanted-tables.h"

typedef struct Views Views;

/* top: rows of each view, -1: as many as each has; by: column to sort all by, "" for none;
 * only: the tables that are wanted, "summary" too, NULL for all. */
Views *views_new (const struct nprof_host *host, gint64 top, const char *by,
                  const WantedTables *only);
void views_free (Views *views);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Views, views_free)

/* Is there a view of this table, or is it one that the page leaves out? */
gboolean views_know (const char *table);
/* Takes what it wants of rows of a table that it knows.  NPROF_E_NOMEM. */
nprof_status views_add (Views *views, const struct nprof_table *decl,
                        const struct nprof_cell *cells, guint32 n_rows);
/* The tables to print in the order of the page, of Table, summary first; transfer full.  NULL:
 * no memory.  To be called once. */
GPtrArray *views_finish (Views *views);
/* Instead of views_finish, once: the summary alone; transfer full.  NULL: nobody asked for it, or it says
 * nothing. */
Table *views_summary (const Views *views);
/* What was gathered for the summary; the views own it. */
const Answers *views_answers (const Views *views);
/* Is a table of that name on the page? */
gboolean views_show (const Views *views, const char *table);
