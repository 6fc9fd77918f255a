/* SPDX-License-Identifier: Apache-2.0 */
/* batch-notes.h - makes the notes that the analyzers of one stream and order want beside its
 * batches (nprof/draft/notes.h). One thread at a time. */
#pragma once

#include "run/instance.h"

typedef struct NpBatchNotes NpBatchNotes;

NpBatchNotes *np_batch_notes_new (NpRun *run);
void np_batch_notes_free (NpBatchNotes *notes); /* all batches were read */
void np_batch_notes_add (NpBatchNotes *notes, const NpInstance *analyzer);
/* Shows the makers a batch that will be put in order. */
gboolean np_batch_notes_look (NpBatchNotes *notes, const NpBatch *batch, GError **error);
/* Makes them of a batch that no analyzer was given yet. */
gboolean np_batch_notes_make (NpBatchNotes *notes, NpBatch *batch, GError **error);
