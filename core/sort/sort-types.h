/* SPDX-License-Identifier: Apache-2.0 */
/* sort-types.h - what the files of the sorter share: keys, runs, and where rows go. */
#pragma once

#include "sort/sorter.h"
#include "spill/gather.h"
#include "spill/spill-file.h"

/* A block in a run has so many bytes, unless one row is larger.  The blocks of some dozen sorted
 * runs that are merged fit into the caches of a processor. */
#define NP_SORT_BLOCK_BYTES (64u << 10)

/* Rows are sorted by this key; those that are equal stay as they came. */
typedef struct {
  gint64 start;
  guint64 shortness; /* longest first, those without an end last */
  guint32 major;     /* number of the track, or 0                */
  guint32 row;       /* NP_ROW_REF in a run                      */
} NpKey;

/* Names a row of a run by the number of its block, and its number in the block. */
#define NP_ROW_REF(block, i) ((guint32) (block) << 12 | (guint32) (i))
#define NP_ROW_BLOCK(ref) ((ref) >> 12)
#define NP_ROW_INDEX(ref) ((ref) &4095)
#define NP_RUN_BLOCKS 16384u

G_STATIC_ASSERT (NP_BATCH_ROWS <= 4096);

static inline gboolean
np_key_less (const NpKey *a, const NpKey *b)
{
  if (a->major != b->major)
    return a->major < b->major;
  if (a->start != b->start)
    return a->start < b->start;
  return a->shortness < b->shortness;
}

/* It says how rows of one order get their keys. */
typedef struct {
  guint order;
  NpTracks *tracks;
  guint32 *numbers; /* by handle of a track: its number, or for NPROF_ORDER_DEVICE one of those
                       below; 0: not looked up yet */
  guint n_numbers;
} NpKeys;

enum { NP_OF_NO_DEVICE = 1, NP_OF_DEVICE };

guint32 np_keys_look_up (NpKeys *keys, nprof_track track);

static inline NpKey
np_key_of (NpKeys *keys, const struct nprof_batch *rows, guint i)
{
  NpKey key
      = { .start = rows->start[i], .shortness = G_MAXUINT64 - ((guint64) rows->duration[i] + 1) };
  if (keys->order == NPROF_ORDER_TIME)
    return key;
  nprof_track track = rows->track[i];
  guint32 number = track < keys->n_numbers ? keys->numbers[track] : 0;
  if (!number)
    number = np_keys_look_up (keys, track);
  if (keys->order == NPROF_ORDER_TRACK)
    key.major = number;
  else if (number == NP_OF_NO_DEVICE)
    key.shortness = 0; /* before all of devices that start at once */
  return key;
}

/* These are rows on disk that are in order: bytes from .. to of a spill. */
typedef struct {
  guint64 from, to;
  guint64 max_block; /* bytes of its largest block */
  NpKey first, last; /* not known once merged */
} NpSortedRun;

/* It says where rows go, block by block. */
typedef struct {
  /* Takes rows from .. from + n of a block, which is good until settle. */
  gboolean (*range) (gpointer user, const NpBlock *block, guint from, guint n, GError **error);
  /* Takes n rows of several blocks that alternate, and moves what they come from. */
  gboolean (*merged) (gpointer user, const NpMerged *rows, guint n, GError **error);
  gboolean (*settle) (gpointer user, GError **error);
  gpointer user;
} NpRowReceiver;

/* sort-run.c: gives the rows of a pack of blocks away, in order.  `first` and `last` are their
 * keys. */
gboolean np_sort_run (NpKeys *keys, const NpPack *run, guint n_rows, const NpRowReceiver *to,
                      NpKey *first, NpKey *last, GError **error);

/* merge.c: gives the rows of n sorted runs of a spill away, merged; with by_device as
 * NPROF_ORDER_DEVICE allows, else strictly by their keys. */
gboolean np_merge_runs (NpKeys *keys, NpSpill *spill, const NpSortedRun *sorted_runs, guint n,
                        gboolean by_device, const NpRowReceiver *to, GError **error);

/* run-writer.c: collects rows and writes them to a spill, as one sorted run. */
typedef struct {
  NpSpill *spill;
  NpGather gather; /* rows not yet packed */
  guint32 *inputs; /* of each of them; max_rows long */
  NpPack pack;     /* blocks not yet written */
  guint64 max_block;
} NpRunWriter;

void np_run_writer_init (NpRunWriter *writer, NpPool *pool, NpSpill *spill);
NpRowReceiver np_run_writer_receiver (NpRunWriter *writer);
/* Writes the rest; frees what the writer holds in any case. */
gboolean np_run_writer_end (NpRunWriter *writer, GError **error);
void np_run_writer_clear (NpRunWriter *writer);

/* batch-emitter.c: collects rows into batches, each of one input, and hands them on. */
typedef struct {
  NpGather gather;
  guint input; /* of its rows              */
  NpSorterFn fn;
  gpointer user;
} NpEmitter;

void np_emit_init (NpEmitter *emitter, NpPool *pool, NpSorterFn fn, gpointer user);
NpRowReceiver np_emit_receiver (NpEmitter *emitter);
gboolean np_emit_range (gpointer emitter, const NpBlock *block, guint from, guint n,
                        GError **error);
/* Copies n rows of a batch, whose numbers ascend, and of them what is kept. */
gboolean np_emit_chosen (NpEmitter *e, const NpBlock *block, const guint16 *rows, guint n,
                         const NpProjection *keep, GError **error);
gboolean np_emit_settle (gpointer emitter, GError **error);
/* Hands on the rows that are collected. */
gboolean np_emit_rest (NpEmitter *e, GError **error);
/* Hands the last batch on if all went well so far, else drops it.  Returns ok, or FALSE. */
gboolean np_emit_end (NpEmitter *emitter, gboolean ok, GError **error);
