/* SPDX-License-Identifier: Apache-2.0 */
/* writer.h - writes one table into one Parquet file: its caller fills the columns, full row groups
 * are encoded by a pool while the one before is written and the next one is filled.  The caller
 * decides where a row group ends, so that the bytes do not depend on threads. */
#pragma once

#include "file.h"
#include "pool.h"

/* The files of a run share this. */
struct pq_works {
  struct pq_pool *pool;
  struct pq_encoder *encoders; /* one a thread */
  unsigned n_threads;
  struct pq_writer *busy;      /* whose row group is being encoded */
};

struct pq_writer {
  struct pq_works *works;
  struct pq_file file;
  struct pq_values *values;   /* being filled, one a column */
  struct pq_rows rows;        /* what they have in common   */
  size_t n_rows;              /* of them                    */
  uint32_t n_sorting;         /* that hold for them         */
  bool lean;                  /* give memory back after each row group */

  struct pq_values *encoding; /* with the pool              */
  struct pq_rows encoding_rows;
  size_t n_encoding;
  uint32_t encoding_sorting;
  struct pq_chunk *chunks;    /* which it fills             */

  struct pq_chunk *done;      /* encoded, and to be written */
  size_t n_done;              /* rows of them; 0: none      */
  uint32_t done_sorting;
  bool *failed;               /* by column                  */
  int status;                 /* the first failure          */
};

/* Returns false when there is no memory. */
bool pq_works_init (struct pq_works *works, unsigned n_threads, enum pq_codec_kind kind, int level,
                    struct pq_texts texts);
void pq_works_clear (struct pq_works *works);

/* Begins a file whose columns, codec, write and user are set.  Returns a status as file.h's
 * functions. */
int pq_writer_begin (struct pq_writer *w, struct pq_works *works);
size_t pq_writer_bytes (const struct pq_writer *w); /* that are collected */
int pq_writer_flush (struct pq_writer *w);          /* ends the row group */
int pq_writer_end (struct pq_writer *w, const struct pq_pair *pairs, size_t n_pairs,
                   const char *by);
void pq_writer_clear (struct pq_writer *w); /* at any time */
