/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of one file: their names, how times are scaled, and which of them
 * the option columns= picks, in which order. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

struct csv_column {
  char *name;  /* as it is printed: start_us                      */
  char *given; /* as the run calls it: start_ns                   */
  int shift;   /* decimals to move the point: ps to ns is 3       */
  guint from;  /* which column of the source                      */
};

enum { CSV_NS, CSV_US, CSV_MS, CSV_S }; /* time= */

GArray *csv_columns_new (void); /* of struct csv_column; free with g_array_unref */
/* Appends a column.  A number whose name ends in _ns is a time: it is renamed and scaled. */
void csv_columns_add (GArray *columns, const char *name, guint type, const char *unit, int time);
/* Picks and orders by "a+b+c" (either name).  NULL or "": all.  FALSE: a name is unknown;
 * `why` (transfer full) names it and the near one. */
gboolean csv_columns_pick (GArray *columns, const char *picks, char **why);
/* Returns the candidate (by its name) that is nearest to a mistyped word; NULL: none is near. */
const char *csv_nearest (const char *word, const char *const *candidates, guint n);
