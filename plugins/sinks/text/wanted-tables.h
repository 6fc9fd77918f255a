/* SPDX-License-Identifier: Apache-2.0 */
/* wanted-tables.h - the tables that option `tables` asks for, "a+b?+c": those with a `?` are not
 * missed when the run lacks them or has no rows for them, those with `??` stand in for the one
 * before where that has none; `*?` is all others but events that have rows. */
#pragma once

#include "store.h"

typedef struct {
  char **names;    /* without the `?`; NULL: all but events */
  gboolean *maybe; /* of each name: had it a `?`            */
  gboolean *other; /* of each name: had it two              */
} WantedTables;

void wanted_tables_init (WantedTables *wanted, const char *tables);
void wanted_tables_clear (WantedTables *wanted);
gboolean wanted_tables_has (const WantedTables *wanted, const char *name);

/* Leaves out what stands in for a table that has rows. */
void wanted_tables_settle (WantedTables *wanted, const GPtrArray *stored);
Table *wanted_tables_find (const GPtrArray *stored, const char *name);
/* Returns those to print, in the order of the option or of the run; transfer container.  `empty`
 * adds those that have a `?` and no rows. */
GPtrArray *wanted_tables_list (const WantedTables *wanted, const GPtrArray *stored, gboolean empty);
/* Returns the names that the run lacks, "a, b"; `maybe` adds those with a `?`.  Transfer full. */
char *wanted_tables_missing (const WantedTables *wanted, const GPtrArray *stored, gboolean maybe);
