/* SPDX-License-Identifier: Apache-2.0 */
/* stage-item.h - what travels between the threads of a run: batches, rows of tables, and what
 * a part of a parallel decoding has to say when its turn comes. */
#pragma once

#include "base/queue.h"
#include "run/instance.h"

typedef enum { NP_ITEM_BATCH, NP_ITEM_CHUNK, NP_ITEM_SAY } NpItemKind;

typedef struct {
  NpItemKind kind;
  const NpSnapshot *snapshot; /* of a sink: what it is told of the run with this item  */
  union {
    NpBatch *batch;
    NpChunk *chunk;
    struct { int level; char *text; } say;
  };
} NpItem;

NpItem *np_item_batch (NpBatch *batch); /* transfer full */
NpItem *np_item_chunk (NpChunk *chunk);
NpItem *np_item_say (int level, char *text);
void np_item_free (NpItem *item);
