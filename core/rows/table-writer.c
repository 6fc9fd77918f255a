/* SPDX-License-Identifier: Apache-2.0 */
/* table-writer.c - fills chunks with rows, and hands full ones on. */

#include "rows/table-writer.h"

void
np_table_writer_init (NpTableWriter *writer, NpTakeChunk take, gpointer user)
{
  *writer = (NpTableWriter){ .take = take, .user = user, .most = NP_CHUNK_ROWS };
  writer->chunks = g_ptr_array_new_with_free_func ((GDestroyNotify) np_chunk_unref);
}

void
np_table_writer_clear (NpTableWriter *writer)
{
  g_clear_pointer (&writer->chunks, g_ptr_array_unref);
}

static NpChunk **
find_chunk (const NpTableWriter *writer, const struct nprof_table *table)
{
  for (guint i = 0; i < writer->chunks->len; i++) {
    NpChunk **chunk = (NpChunk **) &g_ptr_array_index (writer->chunks, i);
    if ((*chunk)->table == table)
      return chunk;
  }
  return NULL;
}

static NpChunk **
add_table (NpTableWriter *writer, const struct nprof_table *table)
{
  g_ptr_array_add (writer->chunks, np_chunk_new (table));
  return (NpChunk **) &g_ptr_array_index (writer->chunks, writer->chunks->len - 1);
}

/* Hands the chunk on and leaves an empty one in its place. */
static nprof_status
flush_chunk (const NpTableWriter *writer, NpChunk **chunk)
{
  NpChunk *full = *chunk;
  *chunk = np_chunk_new (full->table);
  np_chunk_seal (full);
  return writer->take (writer->user, full);
}

gboolean
np_table_writer_has (const NpTableWriter *writer, const struct nprof_table *table)
{
  return find_chunk (writer, table) != NULL;
}

gboolean
np_table_writer_has_rows (const NpTableWriter *writer)
{
  for (guint i = 0; i < writer->chunks->len; i++)
    if (((const NpChunk *) g_ptr_array_index (writer->chunks, i))->n_rows)
      return TRUE;
  return FALSE;
}

nprof_status
np_table_writer_announce (NpTableWriter *writer, const struct nprof_table *table)
{
  return find_chunk (writer, table) ? NPROF_OK : flush_chunk (writer, add_table (writer, table));
}

nprof_status
np_table_writer_add (NpTableWriter *writer, const struct nprof_table *table,
                     const struct nprof_cell *cells, char **problem)
{
  NpChunk **chunk = find_chunk (writer, table);
  if (!chunk)
    chunk = add_table (writer, table);
  nprof_status status = np_chunk_add (*chunk, cells, problem);
  if (!status && ((*chunk)->n_rows >= writer->most || np_chunk_full (*chunk)))
    status = flush_chunk (writer, chunk);
  return status;
}

nprof_status
np_table_writer_flush (NpTableWriter *writer)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; !status && i < writer->chunks->len; i++) {
    NpChunk **chunk = (NpChunk **) &g_ptr_array_index (writer->chunks, i);
    if ((*chunk)->n_rows > 0)
      status = flush_chunk (writer, chunk);
  }
  return status;
}
