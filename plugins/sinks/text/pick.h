/* SPDX-License-Identifier: Apache-2.0 */
/* pick.h - the tables that option `tables` asks for, "a+b?+c": those with a `?` are not missed
 * when the run lacks them or has no rows for them; `*?` is all others but events that have rows. */
#pragma once

#include "store.h"

typedef struct {
  char **names;    /* without the `?`; NULL: all but events */
  gboolean *maybe; /* of each name: had it a `?`            */
} Pick;

void pick_init (Pick *pick, const char *tables);
void pick_clear (Pick *pick);
gboolean pick_has (const Pick *pick, const char *name);

Table *pick_find (const GPtrArray *stored, const char *name);
/* Those to print, in the order of the option or of the run; transfer container.
 * empty: with those that have a `?` and no rows. */
GPtrArray *pick_tables (const Pick *pick, const GPtrArray *stored, gboolean empty);
/* The names that the run lacks, "a, b"; maybe: those with a `?` as well.  Transfer full. */
char *pick_missing (const Pick *pick, const GPtrArray *stored, gboolean maybe);
