/* SPDX-License-Identifier: Apache-2.0 */
/* row-chooser.h - of the rows of a stream only those that analyzers choose to have put in order. */
#pragma once

#include "run/instance.h"
#include "sort/sorter.h"

typedef struct NpChooser NpChooser;

/* Chosen rows go to fn, in batches as np_order_emit makes them; a batch of which three quarters are
 * chosen goes as it is. */
NpChooser *np_chooser_new (NpPool *pool, NpOrderFn fn, gpointer user);
void np_chooser_free (NpChooser *chooser);
/* One that has a function `choose`. */
void np_chooser_add (NpChooser *chooser, NpInstance *analyzer);
gboolean np_chooser_batch (NpChooser *chooser, NpBatch *batch, GError **error);
/* The rest. */
gboolean np_chooser_end (NpChooser *chooser, GError **error);
