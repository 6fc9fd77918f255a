/* SPDX-License-Identifier: Apache-2.0 */
/* row-chooser.h - of the rows of a stream only those that analyzers choose to have put in order. */
#pragma once

#include "run/instance.h"
#include "sort/sorter.h"

typedef struct NpRowChooser NpRowChooser;

/* Chosen rows go to fn, in batches as np_sorter_emit makes them; a batch of which three quarters are
 * chosen goes as it is. */
NpRowChooser *np_row_chooser_new (NpPool *pool, NpSorterFn fn, gpointer user);
void np_row_chooser_free (NpRowChooser *chooser);
/* One that has a function `choose`. */
void np_row_chooser_add (NpRowChooser *chooser, NpInstance *analyzer);
gboolean np_row_chooser_batch (NpRowChooser *chooser, NpBatch *batch, GError **error);
/* The rest. */
gboolean np_row_chooser_end (NpRowChooser *chooser, GError **error);
