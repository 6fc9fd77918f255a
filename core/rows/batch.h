/* SPDX-License-Identifier: Apache-2.0 */
/* batch.h - pooled batches of rows.  A batch is filled through its writer, sealed,
 * then shared read-only by reference count; the last unref gives it back to the
 * pool, so that a steady run allocates nothing per event. */
#pragma once

#include "rows/batch-sum.h"

#include <glib.h>
#include <nprof/plugin.h>

#define NP_BATCH_ROWS 4096

typedef struct NpPool NpPool;
typedef struct NpBatch NpBatch;

/* A row that the selection leaves out travels through packs and spills with this bit of its
 * kind. */
#define NP_KIND_HIDDEN 0x80u

typedef struct {
  guint8 kind[NP_BATCH_ROWS];     /* the batch's kinds, with NP_KIND_HIDDEN */
  guint8 rows[NP_BATCH_ROWS / 8]; /* what plugins see: the bitmap           */
} NpHidden;

struct NpBatch {
  /* first: a plugin's pointer to it is a pointer to us; valid once sealed */
  struct nprof_batch view;
  struct nprof_writer writer; /* the same columns, writable until sealed                */
  NpBatchSum sum;             /* of a decoder's rows, until others change them           */
  /* the rest is batch.c's */
  NpPool *pool;
  gint refs;
  guint dirty;                /* optional columns that are not clear                    */
  NpHidden *hidden;           /* NULL: the selection leaves no row out                  */
  void *notes;                /* what analyzers share of it; NULL: nothing yet          */
  gsize notes_size;
};

/* `rows` is the number of rows a batch has, 1..4096; `idle` is how many unused batches are kept. */
NpPool *np_pool_new (guint rows, guint idle);
/* Makes a pool, before the first batch, one for checking plugins: a column ends at a page that
 * nobody may touch, a shared batch can only be read, and one that came back not even that. */
void np_pool_guard (NpPool *pool);
guint np_pool_out (NpPool *pool); /* batches that have not come back */
void np_pool_free (NpPool *pool); /* all batches must have come back */

/* Returns an empty batch with one reference; NULL when out of memory.  The caller sets
 * writer.flush.  [any-thread] */
NpBatch *np_pool_take (NpPool *pool);
/* Makes room for that many more attributes and bytes, for writer.grow. */
nprof_status np_batch_grow (NpBatch *batch, guint attrs, guint bytes);
/* Makes the view from the contents of the writer. */
void np_batch_seal (NpBatch *batch, guint input);
/* From now on nobody writes to its columns, which a guarded pool sees to. */
void np_batch_share (NpBatch *batch);
/* Moves the bit NP_KIND_HIDDEN of a sealed batch's kinds to view.hidden.  Nobody else may look at
 * the batch meanwhile. */
void np_batch_show_hidden (NpBatch *batch);
/* Returns room for that many bytes of notes beside a sealed batch, aligned to 64, which its memory
 * keeps; NULL: out of memory. Nobody else may look at the notes meanwhile. */
void *np_batch_notes (NpBatch *batch, gsize size);
/* Returns the batch that holds this view. */
#define np_batch_of(b) ((NpBatch *) (b))
#define np_batch_from_writer(w) ((NpBatch *) ((char *) (w) - offsetof (NpBatch, writer)))

NpBatch *np_batch_ref (NpBatch *batch);    /* [any-thread] */
void np_batch_unref (NpBatch *batch);      /* [any-thread] */

/* Appends row i of src, with its attributes, to dst's writer.
 * FALSE when dst has no room left for the row: seal it and go on with the next.  An empty
 * dst grows as the row needs; FALSE then means out of memory. */
gboolean np_batch_copy_row (NpBatch *dst, const struct nprof_batch *src, guint i);
