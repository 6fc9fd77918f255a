/* SPDX-License-Identifier: Apache-2.0 */
/* row-chooser.h - collects those rows of a stream that analyzers choose to have put in order. */
#pragma once

#include "run/instance.h"
#include "sort/sorter.h"

typedef struct NpRowChooser NpRowChooser;

/* Chosen rows go to fn with what is kept of them, in batches as np_sorter_emit makes them; a batch
 * of which three quarters are chosen goes as it is.  `keep` must live as long as the chooser. */
NpRowChooser *np_row_chooser_new (NpPool *pool, const NpProjection *keep, NpSorterFn fn,
                                  gpointer user);
void np_row_chooser_free (NpRowChooser *chooser);
/* Adds an analyzer that has a function `choose`. */
void np_row_chooser_add (NpRowChooser *chooser, NpInstance *analyzer);
gboolean np_row_chooser_batch (NpRowChooser *chooser, NpBatch *batch, GError **error);
/* Hands on the rows that are left. */
gboolean np_row_chooser_end (NpRowChooser *chooser, GError **error);
