/* SPDX-License-Identifier: Apache-2.0 */
/* row-spool.c - keeps rows for later in the batches that they came in; the caller decides about
 * their order and the limits of memory. */

#include "spill/row-spool.h"

#include "base/error.h"
#include "spill/spill-file.h"

#define WRITE_BYTES (1u << 20) /* once there is a file, rows go to it in pieces of this size */

struct NpSpool {
  NpPool *pool;
  guint64 limit;
  NpPack pack;    /* all blocks while these fit; later those not yet written */
  NpSpill *spill; /* NULL while all fit */
};

struct NpSpoolReader {
  NpSpool *spool;
  NpBlocks file, memory; /* in this order */
};

NpSpool *
np_spool_new (NpPool *pool, guint64 memory_limit)
{
  NpSpool *spool = g_new0 (NpSpool, 1);
  spool->pool = pool;
  spool->limit = memory_limit;
  return spool;
}

void
np_spool_free (NpSpool *spool)
{
  if (!spool)
    return;
  np_pack_clear (&spool->pack);
  np_spill_free (spool->spill);
  g_free (spool);
}

static gboolean
write_out (NpSpool *spool, GError **error)
{
  if (!spool->spill)
    spool->spill = np_spill_new ();
  if (!np_spill_append (spool->spill, &spool->pack, error))
    return FALSE;
  spool->pack.used = 0;
  if (spool->pack.size > 2 * WRITE_BYTES)
    np_pack_clear (&spool->pack);
  return TRUE;
}

gboolean
np_spool_add (NpSpool *spool, const NpBatch *batch, GError **error)
{
  struct nprof_batch rows = np_rows_of (batch);
  if (rows.n_rows == 0)
    return TRUE;
  if (!np_pack_add (&spool->pack, &rows, 0, rows.n_rows, NULL))
    return np_spill_no_memory (error);
  guint64 limit = spool->spill ? WRITE_BYTES : spool->limit;
  return spool->pack.used <= limit || write_out (spool, error);
}

NpSpoolReader *
np_spool_read (NpSpool *spool)
{
  NpSpoolReader *reader = g_new0 (NpSpoolReader, 1);
  reader->spool = spool;
  if (spool->spill) {
    reader->file.spill = spool->spill;
    reader->file.end = np_spill_size (spool->spill);
  }
  reader->memory.memory = spool->pack.data;
  reader->memory.end = spool->pack.used;
  return reader;
}

static gboolean
next_block (NpSpoolReader *reader, NpBlock *block, GError **error)
{
  g_autoptr (GError) why = NULL;
  if (np_blocks_next (&reader->file, block, &why))
    return TRUE;
  return np_error_hand_on (error, &why) && np_blocks_next (&reader->memory, block, error);
}

NpBatch *
np_spool_next (NpSpoolReader *reader, GError **error)
{
  NpBlock block;
  if (!next_block (reader, &block, error))
    return NULL;
  NpBatch *batch = np_pool_take (reader->spool->pool);
  if (!batch || np_rows_append (batch, &block.rows, 0, block.rows.n_rows)) {
    np_batch_unref (batch);
    np_spill_no_memory (error);
    return NULL;
  }
  np_batch_seal (batch, block.rows.input);
  return batch;
}

void
np_spool_reader_free (NpSpoolReader *reader)
{
  if (!reader)
    return;
  np_blocks_clear (&reader->file);
  np_blocks_clear (&reader->memory);
  g_free (reader);
}
