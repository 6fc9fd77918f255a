/* SPDX-License-Identifier: Apache-2.0 */
/* table-writer.h - rows of tables on their way into chunks: of each table one is being filled. */
#pragma once

#include "rows/table.h"

/* Takes a chunk, whose rows are all in. */
typedef nprof_status (*NpTakeChunk) (gpointer user, NpChunk *chunk);

typedef struct {
  NpTakeChunk take;
  gpointer user;
  guint most;        /* rows a chunk, at most NP_CHUNK_ROWS */
  GPtrArray *chunks; /* of NpChunk, in the order in which their tables came */
} NpTableWriter;

void np_table_writer_init (NpTableWriter *writer, NpTakeChunk take, gpointer user);
void np_table_writer_clear (NpTableWriter *writer);

gboolean np_table_writer_has (const NpTableWriter *writer, const struct nprof_table *table);
/* Returns whether rows wait that were not handed on. */
gboolean np_table_writer_has_rows (const NpTableWriter *writer);
/* Hands a chunk without rows on, unless the writer has the table. */
nprof_status np_table_writer_announce (NpTableWriter *writer, const struct nprof_table *table);
/* Copies one row, and hands its chunk on when that is full.  `problem` as of np_chunk_add. */
nprof_status np_table_writer_add (NpTableWriter *writer, const struct nprof_table *table,
                                  const struct nprof_cell *cells, char **problem);
/* Hands the chunks on that hold rows. */
nprof_status np_table_writer_flush (NpTableWriter *writer);
