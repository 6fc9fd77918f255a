/* SPDX-License-Identifier: Apache-2.0 */
/* use.h - how well devices are used, by the shapes of calls, and why it is not known. */
#pragma once

#include "stored/cells.h"

/* Returns whether the row of table mfu is of all steps together, and of that operator. */
gboolean np_use_is_total (const NpCells *mfu, guint64 row, const char *operator);
/* Reads the MFU that follows from shapes of calls, of all devices of table mfu together, as `nprof
 * report` says it where the file states no flops. *least: some calls do not say their shapes, so it
 * is that at least. FALSE: the table does not know it. */
gboolean np_use_by_shapes (const NpCells *mfu, double *value, gboolean *least);
/* Returns the sentence for what it is made of. */
const char *np_use_source (gboolean least);
/* Says why a share ("mfu", "hfu" or "mbu") of the devices of a whole profile is unknown, from what
 * table mfu knows of their work; NULL: of some device the table has what the share is made of.
 * Transfer full. */
char *np_use_reason (struct nprof_store *store, struct nprof_query *query, const char *share);
