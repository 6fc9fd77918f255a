/* SPDX-License-Identifier: Apache-2.0 */
/* merge.c - merges sorted runs of a spill; the caller chooses how many at once.
 *
 * It goes window by window: a window holds, of each sorted run's block at hand, the rows up to the
 * last one of that block which ends first.  Within a window rows are merged, all of them, or device
 * by device: the tracks of one device alternate far less than those of all, and the caches then
 * hold what is known of each device.  Of rows that alternate only the cursor is noted that each
 * comes from; where one cursor goes on to win, its lead over the best of the others is looked for,
 * and its rows go together. */

#include "sort/loser-tree.h"

#define MIXED G_MAXUINT32         /* rows of several devices: no track has that handle */
#define MERGED_ROWS NP_BATCH_ROWS /* are handed on together */
#define FEW_ROWS 16u              /* of one cursor, which are not worth a range of their own */

typedef struct {
  NpKeys *keys;
  gboolean by_device;
  NpCursor *cursors;
  NpCursor **live; /* with rows yet to come, in the order of chains; n_live of them */
  NpCursor **open; /* with rows in the window; n_open                               */
  guint n_live, n_open;
  NpLoserTree part; /* what is merged now */
  NpMerged rows;    /* of its cursors, in the order of `of` */
  const NpBlock **blocks;
  guint8 *of; /* MERGED_ROWS of them, n_merged wait */
  guint n_merged;
} Merge;

/* Returns the first row from `from` on, or else `to`, that does not come before another sorted
 * run's row.  It looks in strides that double, then halves the last one. */
static guint
skip_before (NpKeys *keys, const NpCursor *c, guint from, guint to, const NpKey *other,
             guint32 sorted_run)
{
  const struct nprof_batch *rows = &c->block.rows;
  guint stride = 1;
  for (; from + stride <= to; stride *= 2) {
    NpKey key = np_key_of (keys, rows, from + stride - 1);
    if (!np_comes_before (&key, c->sorted_run, other, sorted_run))
      break;
    from += stride;
  }
  for (guint end = MIN (from + stride - 1, to); from < end;) {
    guint middle = from + (end - from) / 2;
    NpKey key = np_key_of (keys, rows, middle);
    if (np_comes_before (&key, c->sorted_run, other, sorted_run))
      from = middle + 1;
    else
      end = middle;
  }
  return from;
}

/* Fetches what keys are made of, a few rows ahead: so many streams are more than processors watch
 * by themselves.  It is always inline, since gcc takes a function that only fetches for one without
 * effect. */
static inline __attribute__ ((always_inline)) void
fetch_ahead (const NpCursor *c)
{
  const struct nprof_batch *rows = &c->block.rows;
  __builtin_prefetch (rows->start + c->i + 8);
  __builtin_prefetch (rows->duration + c->i + 8);
}

/* Gives away the rows that were merged. */
static gboolean
give_merged (Merge *m, const NpRowReceiver *to, GError **error)
{
  guint n = m->n_merged;
  m->n_merged = 0;
  return !n || to->merged (to->user, &m->rows, n, error);
}

/* Gives away the winner's rows up to c->i together. */
static gboolean
give_range (Merge *m, NpCursor *c, guint from, const NpRowReceiver *to, GError **error)
{
  if (!give_merged (m, to, error))
    return FALSE;
  m->rows.next[m->part.winner] = c->i;
  return to->range (to->user, &c->block, from, c->i - from, error);
}

/* Returns the key of a row; the rows of one device differ in nothing that their tracks say, so
 * these are looked up in other blocks alone. */
static inline NpKey
key_at (Merge *m, const NpCursor *c, guint i)
{
  const struct nprof_batch *rows = &c->block.rows;
  if (!c->device || c->device == MIXED)
    return np_key_of (m->keys, rows, i);
  return (NpKey){ .start = rows->start[i],
                  .shortness = G_MAXUINT64 - ((guint64) rows->duration[i] + 1) };
}

/* Returns whether the row at hand comes before the best of the others. */
static inline gboolean
comes_before_next (Merge *m, const NpCursor *c, const NpCursor *next)
{
  NpKey key = key_at (m, c, c->i);
  return np_comes_before (&key, c->sorted_run, &next->key, next->sorted_run);
}

/* Takes the rows of a winner that won before, too, up to the first that does not come before all
 * others: one by one, as long as they may be few. */
static gboolean
give_lead (Merge *m, NpCursor *c, const NpRowReceiver *to, GError **error)
{
  const NpCursor *next = np_loser_tree_second (&m->part);
  const guint most = MIN (c->to, c->i + FEW_ROWS);
  const guint8 number = (guint8) m->part.winner;
  while (c->i < most && comes_before_next (m, c, next)) {
    m->of[m->n_merged++] = number;
    c->i++;
  }
  if (c->i < most || c->i == c->to)
    return TRUE;
  guint from = c->i;
  c->i = skip_before (m->keys, c, c->i, c->to, &next->key, next->sorted_run);
  return c->i == from || give_range (m, c, from, to, error);
}

/* Takes the winner's rows. */
static gboolean
give_winner (Merge *m, const NpRowReceiver *to, GError **error)
{
  NpCursor *c = np_loser_tree_first (&m->part);
  m->of[m->n_merged++] = (guint8) m->part.winner;
  c->i++;
  if (m->part.again && !give_lead (m, c, to, error))
    return FALSE;
  c->key = c->i < c->to ? key_at (m, c, c->i) : np_key_behind;
  fetch_ahead (c);
  np_loser_tree_play (&m->part);
  if (m->n_merged + FEW_ROWS < MERGED_ROWS && c->block.size <= NP_SORT_BLOCK_BYTES)
    return TRUE;
  return give_merged (m, to, error); /* a row of any length is not left waiting */
}

/* -- Windows --------------------------------------------------------------- */

/* Merges the rows in the window of those cursors that take part. */
static gboolean
merge_part (Merge *m, const NpRowReceiver *to, GError **error)
{
  if (m->part.n == 1) {
    NpCursor *c = m->part.in[0];
    guint from = c->i;
    c->i = c->to;
    return to->range (to->user, &c->block, from, c->to - from, error);
  }
  np_loser_tree_begin (&m->part);
  m->rows.n_blocks = m->part.n;
  for (guint k = 0; k < m->part.n; k++) {
    m->blocks[k] = &m->part.in[k]->block;
    m->rows.next[k] = m->part.in[k]->i;
  }
  while (!np_cursor_ended (np_loser_tree_first (&m->part)))
    if (!give_winner (m, to, error))
      return FALSE;
  return give_merged (m, to, error);
}

/* Lets the cursors of one device take part from now on, or all. */
static void
choose_cursors (Merge *m, nprof_track device, gboolean all)
{
  guint rest = 0;
  m->part.n = 0;
  for (guint k = 0; k < m->n_open; k++) {
    NpCursor *c = m->open[k];
    if (all || c->device == device)
      m->part.in[m->part.n++] = c;
    else
      m->open[rest++] = c;
  }
  m->n_open = rest;
}

static gboolean
merge_window (Merge *m, const NpRowReceiver *to, GError **error)
{
  gboolean all = !m->by_device;
  for (guint k = 0; k < m->n_open; k++)
    all |= m->open[k]->device == MIXED;
  choose_cursors (m, 0, all); /* what is of no device comes first */
  if (m->part.n && !merge_part (m, to, error))
    return FALSE;
  while (m->n_open) {
    choose_cursors (m, m->open[0]->device, FALSE);
    if (!merge_part (m, to, error))
      return FALSE;
  }
  return to->settle (to->user, error);
}

static void
open_window (Merge *m)
{
  const NpCursor *first = m->live[0];
  for (guint k = 1; k < m->n_live; k++)
    if (np_key_less (&m->live[k]->last, &first->last))
      first = m->live[k];
  m->n_open = 0;
  for (guint k = 0; k < m->n_live; k++) {
    NpCursor *c = m->live[k];
    c->to = c->block.rows.n_rows;
    if (c != first)
      c->to = skip_before (m->keys, c, c->i, c->to, &first->last, first->sorted_run);
    if (c->i == c->to)
      continue;
    c->key = np_key_of (m->keys, &c->block.rows, c->i);
    m->open[m->n_open++] = c;
  }
}

/* -- Cursors --------------------------------------------------------------- */

static nprof_track
device_of (const Merge *m, const struct nprof_batch *rows)
{
  nprof_track device = np_tracks_device (m->keys->tracks, rows->track[0]);
  for (guint i = 1; i < rows->n_rows; i++)
    if (rows->track[i] != rows->track[i - 1]
        && np_tracks_device (m->keys->tracks, rows->track[i]) != device)
      return MIXED;
  return device;
}

/* Reads the next block; FALSE: there is none, or it cannot be read. */
static gboolean
next_block (Merge *m, NpCursor *c, GError **error)
{
  c->i = 0;
  if (!np_blocks_next (&c->blocks, &c->block, error)) {
    np_blocks_clear (&c->blocks);
    return FALSE;
  }
  c->last = np_key_of (m->keys, &c->block.rows, c->block.rows.n_rows - 1);
  c->device = m->by_device ? device_of (m, &c->block.rows) : 0;
  return TRUE;
}

/* Gives a new block to each cursor whose block has ended; those that have none stay behind. */
static gboolean
go_on (Merge *m, GError **error)
{
  guint n = 0;
  g_autoptr (GError) why = NULL;
  for (guint k = 0; k < m->n_live && !why; k++) {
    NpCursor *c = m->live[k];
    if (c->i < c->block.rows.n_rows || next_block (m, c, &why))
      m->live[n++] = c;
  }
  m->n_live = n;
  if (!why)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&why));
  return FALSE;
}

gboolean
np_merge_runs (NpKeys *keys, NpSpill *spill, const NpSortedRun *sorted_runs, guint n,
               gboolean by_device, const NpRowReceiver *to, GError **error)
{
  Merge m = { .keys = keys, .by_device = by_device, .n_live = n };
  m.cursors = g_new0 (NpCursor, n);
  m.live = g_new (NpCursor *, 3 * n);
  m.open = m.live + n;
  m.part.in = m.open + n;
  m.part.losers = g_new (guint32, 2 * n);
  m.blocks = g_new (const NpBlock *, n);
  m.of = g_new (guint8, MERGED_ROWS);
  m.rows = (NpMerged){ .blocks = m.blocks, .next = m.part.losers + n, .of = m.of };
  for (guint k = 0; k < n; k++) {
    m.live[k] = &m.cursors[k];
    m.cursors[k].sorted_run = k;
    m.cursors[k].blocks
        = (NpBlocks){ .spill = spill, .at = sorted_runs[k].from, .end = sorted_runs[k].to };
  }
  gboolean ok = go_on (&m, error);
  while (ok && m.n_live) {
    open_window (&m);
    ok = merge_window (&m, to, error) && go_on (&m, error);
  }
  for (guint k = 0; k < n; k++)
    np_blocks_clear (&m.cursors[k].blocks);
  g_free (m.cursors);
  g_free (m.live);
  g_free (m.part.losers);
  g_free (m.blocks);
  g_free (m.of);
  return ok;
}
