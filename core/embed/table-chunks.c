/* SPDX-License-Identifier: Apache-2.0 */
/* table-chunks.c - chunks of tables by the name of their table: several decoders may write to one. */

#include "embed/table-chunks.h"

struct NpTableChunks {
  GPtrArray *tables;  /* of const struct nprof_table, and NULL at the end */
  GHashTable *chunks; /* name -> GPtrArray of NpChunk */
};

NpTableChunks *
np_table_chunks_new (void)
{
  NpTableChunks *kept = g_new0 (NpTableChunks, 1);
  kept->tables = g_ptr_array_new ();
  g_ptr_array_add (kept->tables, NULL);
  kept->chunks
      = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) g_ptr_array_unref);
  return kept;
}

void
np_table_chunks_free (NpTableChunks *kept)
{
  if (!kept)
    return;
  g_hash_table_unref (kept->chunks);
  g_ptr_array_unref (kept->tables);
  g_free (kept);
}

static GPtrArray *
begin_table (NpTableChunks *kept, const struct nprof_table *table)
{
  GPtrArray *chunks = g_ptr_array_new_with_free_func ((GDestroyNotify) np_chunk_unref);
  g_hash_table_insert (kept->chunks, (gpointer) table->name, chunks);
  g_ptr_array_insert (kept->tables, (int) kept->tables->len - 1, (gpointer) table);
  return chunks;
}

void
np_table_chunks_add (NpTableChunks *kept, NpChunk *chunk)
{
  GPtrArray *chunks = g_hash_table_lookup (kept->chunks, chunk->table->name);
  if (!chunks)
    chunks = begin_table (kept, chunk->table);
  if (chunk->n_rows)
    g_ptr_array_add (chunks, np_chunk_ref (chunk));
}

const struct nprof_table *const *
np_table_chunks_list (const NpTableChunks *kept)
{
  return (const struct nprof_table *const *) kept->tables->pdata;
}

const GPtrArray *
np_table_chunks_of (const NpTableChunks *kept, const char *name)
{
  return g_hash_table_lookup (kept->chunks, name);
}
