/* SPDX-License-Identifier: Apache-2.0 */
/* read-ahead.h - decodes the inputs of a run, and hands over what each gives in the order of the
 * inputs. Few inputs are decoded one after the other, each by all threads; of many, as many at once
 * as there are threads, each by one. What is decoded ahead waits in a bounded queue. */
#pragma once

#include "run/stage-item.h"

typedef struct NpReadAhead NpReadAhead;

NpReadAhead *np_read_ahead_new (NpRun *run);
/* Cancels what is still being decoded, and waits for it. */
void np_read_ahead_free (NpReadAhead *ahead);

/* Returns the next input, which becomes the current one; NULL after the last. */
NpRunInput *np_read_ahead_next (NpReadAhead *ahead);
/* Hands over the items of the current input (transfer full), until `take` says FALSE: the run must
 * be stopped by then. */
gboolean np_read_ahead_each (NpReadAhead *ahead, gboolean (*take) (gpointer user, NpItem *item),
                             gpointer user);
/* Ends the current input, in its middle too; siblings that its decoder has opened join the run's
 * inputs now.  FALSE with the cause when its decoder failed. */
gboolean np_read_ahead_end (NpReadAhead *ahead, GError **error);
