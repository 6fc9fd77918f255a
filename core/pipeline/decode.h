/* SPDX-License-Identifier: Apache-2.0 */
/* decode.h - decodes one input: on a thread of its own, into a queue, or on the caller's;
 * parallel-decode.h does so with several threads. */
#pragma once

#include "run/stage-item.h"

typedef struct NpDecoding NpDecoding;

/* at_once: how many inputs share the run's threads. */
NpDecoding *np_decoding_new (NpRun *run, NpRunInput *input, guint at_once);
/* Starts decoding.  The queue gets rows, tables and words, and is closed when all are in it. */
void np_decoding_start (NpDecoding *decoding, NpQueue *queue);
/* Decodes on this thread. `take` takes the same items (transfer full), until it says FALSE, as this
 * then does: the run must be stopped by then. */
gboolean np_decoding_run (NpDecoding *decoding, gboolean (*take) (gpointer user, NpItem *item),
                          gpointer user);
/* Waits for the end; FALSE with the cause.  Frees. */
gboolean np_decoding_end (NpDecoding *decoding, GError **error);
