/* SPDX-License-Identifier: Apache-2.0 */
/* file.c - puts a Parquet file together: "PAR1", row groups, indexes, footer, its length,
 * "PAR1". */
#include "file.h"

static int
put_out (struct pq_file *file, const void *data, size_t len)
{
  file->at += len;
  return len ? file->write (file->user, data, len) : 0;
}

static int
put_buf (struct pq_file *file, const struct nprof_buf *buf)
{
  return buf->failed ? PQ_NO_MEMORY : put_out (file, buf->data, buf->len);
}

int
pq_file_begin (struct pq_file *file)
{
  return put_out (file, "PAR1", 4);
}

static struct pq_meta
meta_of (const struct pq_file *file, const struct pq_chunk *chunk)
{
  return (struct pq_meta){ .at = file->at,
                           .bytes = chunk->bytes.len,
                           .dict_bytes = chunk->dict_bytes,
                           .uncompressed = chunk->uncompressed,
                           .n_values = chunk->n_values,
                           .nulls = chunk->nulls,
                           .encoding = chunk->encoding,
                           .n_pages = (uint32_t) (chunk->pages.len / sizeof (struct pq_page)),
                           .range = chunk->range };
}

static int
put_chunk (struct pq_file *file, const struct pq_chunk *chunk, enum pq_kind kind)
{
  struct pq_meta meta = meta_of (file, chunk);
  size_t columns = file->column_indexes.len, offsets = file->offset_indexes.len;
  pq_put_column_index (&file->column_indexes, chunk, kind);
  pq_put_offset_index (&file->offset_indexes, chunk, file->at);
  meta.column_index = (uint32_t) (file->column_indexes.len - columns);
  meta.offset_index = (uint32_t) (file->offset_indexes.len - offsets);
  nprof_put (&file->metas, &meta, sizeof meta);
  return put_buf (file, &chunk->bytes);
}

int
pq_file_group (struct pq_file *file, const struct pq_chunk *chunks, uint64_t n_rows,
               uint32_t n_sorting)
{
  struct pq_group group = { n_rows, n_sorting };
  int status = 0;
  for (uint32_t k = 0; k < file->n_columns && !status; k++)
    status = put_chunk (file, chunks + k, file->columns[k].kind);
  nprof_put (&file->groups, &group, sizeof group);
  file->n_rows += n_rows;
  return status;
}

int
pq_file_end (struct pq_file *file, const struct pq_pair *pairs, size_t n_pairs, const char *by)
{
  uint64_t columns = file->at, offsets = columns + file->column_indexes.len;
  if (file->metas.failed || file->groups.failed)
    return PQ_NO_MEMORY;
  int status = put_buf (file, &file->column_indexes);
  if (!status)
    status = put_buf (file, &file->offset_indexes);
  file->head.len = 0;
  pq_put_footer (&file->head, file, columns, offsets, pairs, n_pairs, by);
  uint32_t len = (uint32_t) file->head.len;
  nprof_put (&file->head, &len, sizeof len);
  nprof_put (&file->head, "PAR1", 4);
  return status ? status : put_buf (file, &file->head);
}

void
pq_file_clear (struct pq_file *file)
{
  nprof_buf_clear (&file->metas);
  nprof_buf_clear (&file->groups);
  nprof_buf_clear (&file->column_indexes);
  nprof_buf_clear (&file->offset_indexes);
  nprof_buf_clear (&file->head);
}
