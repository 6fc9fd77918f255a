/* SPDX-License-Identifier: Apache-2.0 */
/* facts.h - table `facts` for people: one row for what is true of many tracks, tracks by name,
 * values in the unit that fits each. */
#pragma once

#include "store.h"

/* Returns a table to print instead, finished; transfer full.  NULL when the columns are others.
 * `labels` leads from the number of a track to its nprof_str; both as pointers. */
Table *facts_new (const Table *facts, GHashTable *labels, guint64 top);
