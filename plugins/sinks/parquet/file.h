/* SPDX-License-Identifier: Apache-2.0 */
/* file.h - a Parquet file as it is written: row groups one after the other, then indexes and
 * footer.  The caller takes the bytes. */
#pragma once

#include "chunk.h"

struct pq_sorting {
  uint32_t column;  /* leaf */
  bool descending;  /* nulls last in any case */
};

struct pq_meta { /* of one chunk that is in the file */
  uint64_t at, bytes, dict_bytes, uncompressed, n_values, nulls;
  uint32_t n_pages, column_index, offset_index; /* bytes of its indexes; 0: none */
  int encoding;
  struct pq_range range;
};

struct pq_group {
  uint64_t n_rows;
  uint32_t n_sorting; /* of the file's sorting, how many hold here */
};

struct pq_file {
  const struct pq_column *columns;
  uint32_t n_columns; /* leaves */
  const struct pq_sorting *sorting;
  enum pq_codec_kind codec;
  int (*write) (void *user, const void *data, size_t len); /* 0, or what is returned */
  void *user;

  uint64_t at, n_rows;
  struct nprof_buf metas, groups; /* struct pq_meta, n_columns a group; struct pq_group */
  struct nprof_buf column_indexes, offset_indexes, head;
};

struct pq_pair {
  const char *key, *value;
};

/* Writing returned this, or PQ_NO_MEMORY. */
#define PQ_NO_MEMORY (-1)

int pq_file_begin (struct pq_file *file);
/* Writes a chunk of each column. */
int pq_file_group (struct pq_file *file, const struct pq_chunk *chunks, uint64_t n_rows,
                   uint32_t n_sorting);
/* `pairs` are key-value metadata, `by` is "nprof version 1.0.0-rc1". */
int pq_file_end (struct pq_file *file, const struct pq_pair *pairs, size_t n_pairs, const char *by);
void pq_file_clear (struct pq_file *file);

/* index.c */
void pq_put_column_index (struct nprof_buf *to, const struct pq_chunk *chunk, enum pq_kind kind);
void pq_put_offset_index (struct nprof_buf *to, const struct pq_chunk *chunk, uint64_t at);
/* footer.c */
void pq_put_footer (struct nprof_buf *to, const struct pq_file *file, uint64_t column_indexes,
                    uint64_t offset_indexes, const struct pq_pair *pairs, size_t n_pairs,
                    const char *by);
