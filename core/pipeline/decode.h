/* SPDX-License-Identifier: Apache-2.0 */
/* decode.h - decodes one input on threads of its own, into a queue that delivers its
 * batches in order; parallel-decode.h does so with several threads. */
#pragma once

#include "run/stage-item.h"

typedef struct NpDecoding NpDecoding;

/* Starts decoding; at_once: how many inputs share the run's threads.  The queue gets rows, tables and
 * words, and is closed when all are in it. */
NpDecoding *np_decoding_start (NpRun *run, NpRunInput *input, guint at_once, NpQueue *queue);
/* Waits for the end; FALSE with the cause.  Frees. */
gboolean np_decoding_end (NpDecoding *decoding, GError **error);
