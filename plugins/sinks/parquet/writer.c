/* SPDX-License-Identifier: Apache-2.0 */
/* writer.c - collects row groups and has them encoded. */
#include "writer.h"

bool
pq_works_init (struct pq_works *works, unsigned n_threads, enum pq_codec_kind kind, int level,
               struct pq_texts texts)
{
  works->n_threads = n_threads;
  works->pool = pq_pool_new (n_threads);
  works->encoders = calloc (n_threads, sizeof *works->encoders);
  for (unsigned k = 0; works->encoders && k < n_threads; k++) {
    pq_codec_init (&works->encoders[k].codec, kind, level);
    works->encoders[k].texts = texts;
  }
  return works->pool && works->encoders;
}

/* Swaps the chunks: the encoded ones are done, and there is room for the next.  What a column was
 * found to be like stays. */
static void
swap_chunks (struct pq_writer *w)
{
  struct pq_chunk *chunks = w->chunks;
  w->chunks = w->done;
  w->done = chunks;
  w->n_done = w->n_encoding;
  w->done_sorting = w->encoding_sorting;
  for (uint32_t k = 0; k < w->file.n_columns; k++) {
    w->chunks[k].choices = w->done[k].choices;
    w->chunks[k].n_entries = w->done[k].n_entries;
  }
}

/* Waits for the pool.  Returns the writer whose row group it had, to be written; NULL: nobody's. */
static struct pq_writer *
collect (struct pq_works *works)
{
  struct pq_writer *w = works->busy;
  if (!w)
    return NULL;
  pq_pool_wait (works->pool);
  works->busy = NULL;
  for (uint32_t k = 0; k < w->file.n_columns; k++) {
    if (w->failed[k] && !w->status)
      w->status = PQ_NO_MEMORY;
    if (w->lean)
      pq_values_clear (w->encoding + k);
    else
      pq_values_empty (w->encoding + k);
  }
  if (w->lean)
    pq_rows_clear (&w->encoding_rows);
  else
    pq_rows_empty (&w->encoding_rows);
  swap_chunks (w);
  return w;
}

static void
put_out (struct pq_writer *w)
{
  if (!w)
    return;
  if (!w->status)
    w->status = pq_file_group (&w->file, w->done, w->n_done, w->done_sorting);
  for (uint32_t k = 0; w->lean && k < w->file.n_columns; k++)
    pq_chunk_clear (w->done + k);
}

void
pq_works_clear (struct pq_works *works)
{
  if (works->pool && works->busy)
    pq_pool_wait (works->pool);
  works->busy = NULL;
  pq_pool_free (works->pool);
  for (unsigned k = 0; works->encoders && k < works->n_threads; k++)
    pq_encoder_clear (works->encoders + k);
  free (works->encoders);
  works->pool = NULL;
  works->encoders = NULL;
}

int
pq_writer_begin (struct pq_writer *w, struct pq_works *works)
{
  uint32_t n = w->file.n_columns;
  w->works = works;
  w->values = calloc (n, sizeof *w->values);
  w->encoding = calloc (n, sizeof *w->encoding);
  w->chunks = calloc (n, sizeof *w->chunks);
  w->done = calloc (n, sizeof *w->done);
  w->failed = calloc (n, sizeof *w->failed);
  if (!w->values || !w->encoding || !w->chunks || !w->done || !w->failed)
    return w->status = PQ_NO_MEMORY;
  for (uint32_t k = 0; k < n; k++)
    w->values[k].kind = w->encoding[k].kind = w->file.columns[k].kind;
  return w->status = pq_file_begin (&w->file);
}

size_t
pq_writer_bytes (const struct pq_writer *w)
{
  size_t bytes = pq_rows_bytes (&w->rows);
  for (uint32_t k = 0; k < w->file.n_columns; k++)
    bytes += pq_values_bytes (w->values + k);
  return bytes;
}

static void
encode (void *user, unsigned worker, size_t column)
{
  struct pq_writer *w = user;
  column = w->file.n_columns - 1 - column; /* the map, which takes longest, is the last one */
  w->failed[column] = !pq_encode (w->works->encoders + worker, w->encoding + column,
                                  &w->encoding_rows, w->n_encoding, w->chunks + column);
}

/* Returns whether no column failed: when one found no memory, others may hold values that nobody
 * has set. */
static bool
is_whole (struct pq_writer *w)
{
  if (!pq_rows_pad (&w->rows, w->n_rows) || pq_rows_failed (&w->rows))
    return false;
  for (uint32_t k = 0; k < w->file.n_columns; k++)
    if (pq_values_failed (w->values + k))
      return false;
  return true;
}

static void
start (struct pq_writer *w)
{
  struct pq_values *full = w->values;
  struct pq_rows rows = w->rows;
  w->values = w->encoding;
  w->encoding = full;
  w->rows = w->encoding_rows;
  w->encoding_rows = rows;
  w->n_encoding = w->n_rows;
  w->encoding_sorting = w->n_sorting;
  w->n_rows = 0;
  w->works->busy = w;
  pq_pool_start (w->works->pool, encode, w, w->file.n_columns);
}

/* Flushes; the pool goes on before its result is written. */
int
pq_writer_flush (struct pq_writer *w)
{
  struct pq_writer *before = collect (w->works);
  if (!w->status && !is_whole (w))
    w->status = PQ_NO_MEMORY;
  if (!w->status && w->n_rows)
    start (w);
  put_out (before);
  if (w->works->n_threads == 1)
    put_out (collect (w->works));
  return w->status;
}

int
pq_writer_end (struct pq_writer *w, const struct pq_pair *pairs, size_t n_pairs, const char *by)
{
  pq_writer_flush (w);
  put_out (collect (w->works));
  return w->status ? w->status : pq_file_end (&w->file, pairs, n_pairs, by);
}

void
pq_writer_clear (struct pq_writer *w)
{
  if (w->works && w->works->busy == w) {
    pq_pool_wait (w->works->pool);
    w->works->busy = NULL;
  }
  for (uint32_t k = 0; k < w->file.n_columns; k++) {
    if (w->values)
      pq_values_clear (w->values + k);
    if (w->encoding)
      pq_values_clear (w->encoding + k);
    if (w->chunks)
      pq_chunk_clear (w->chunks + k);
    if (w->done)
      pq_chunk_clear (w->done + k);
  }
  pq_rows_clear (&w->rows);
  pq_rows_clear (&w->encoding_rows);
  free (w->values);
  free (w->encoding);
  free (w->chunks);
  free (w->done);
  free (w->failed);
  pq_file_clear (&w->file);
  w->values = w->encoding = NULL;
  w->chunks = w->done = NULL;
  w->failed = NULL;
}
