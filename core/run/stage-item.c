/* SPDX-License-Identifier: Apache-2.0 */
/* stage-item.c - what travels between the threads of a run. */

#include "run/stage-item.h"

static NpItem *
item_new (NpItemKind kind)
{
  NpItem *item = g_new0 (NpItem, 1);
  item->kind = kind;
  return item;
}

NpItem *
np_item_batch (NpBatch *batch)
{
  NpItem *item = item_new (NP_ITEM_BATCH);
  item->batch = batch;
  return item;
}

NpItem *
np_item_chunk (NpChunk *chunk)
{
  NpItem *item = item_new (NP_ITEM_CHUNK);
  item->chunk = chunk;
  return item;
}

NpItem *
np_item_say (int level, char *text)
{
  NpItem *item = item_new (NP_ITEM_SAY);
  item->say.level = level;
  item->say.text = text;
  return item;
}

void
np_item_free (NpItem *item)
{
  if (!item)
    return;
  if (item->kind == NP_ITEM_BATCH)
    np_batch_unref (item->batch);
  else if (item->kind == NP_ITEM_CHUNK)
    np_chunk_unref (item->chunk);
  else
    g_free (item->say.text);
  g_free (item);
}
