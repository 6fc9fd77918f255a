/* SPDX-License-Identifier: Apache-2.0 */
/* row-spool.h - rows kept for later: in memory up to a limit, beyond it in an unlinked file in
 * $TMPDIR.  One thread at a time. */
#pragma once

#include "rows/batch.h"

typedef struct NpSpool NpSpool;
typedef struct NpSpoolReader NpSpoolReader;

NpSpool *np_spool_new (NpPool *pool, guint64 memory_limit);
void np_spool_free (NpSpool *spool);
/* Copies the rows of a sealed batch.  Fails with NP_EXIT_SINK naming $TMPDIR when it is full. */
gboolean np_spool_add (NpSpool *spool, const NpBatch *batch, GError **error);

/* Returns a reader at the first row; adding ends when the first reader starts. */
NpSpoolReader *np_spool_read (NpSpool *spool);
/* Returns the next batch, sealed, transfer full; NULL at the end, or with error set. */
NpBatch *np_spool_next (NpSpoolReader *reader, GError **error);
void np_spool_reader_free (NpSpoolReader *reader);
