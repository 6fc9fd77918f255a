/* SPDX-License-Identifier: Apache-2.0 */
/* table-view.h - what a page for people shows of a table, as NAME.plugin says it in a group
 * [view TABLE], or [view TABLE MORE] where a table has several. */
#pragma once

#include <glib.h>

typedef struct {
  char *table;
  guint place;      /* on the page, ascending from 1 */
  gboolean bundled; /* its folder is that of the installation */
  GHashTable *says; /* char * by its key: title, top, columns ... */
} NpTableView;

gboolean np_table_view_is_key (const char *key);
/* Reads a group whose name behind its kind is `name`. Returns NULL when it has another shape, with
 * `problem` (transfer full). */
NpTableView *np_table_view_read (GKeyFile *file, const char *group, const char *name,
                                 char **problem);
void np_table_view_free (gpointer view);

/* Sorts views in the order of the page, without those of tables of which nprof's own plugins say
 * what to show. */
void np_table_views_settle (GPtrArray *views);
