/* SPDX-License-Identifier: Apache-2.0 */
/* loser-tree.h - finds which of several cursors, each over sorted rows, has the row that comes
 * next: a tree of losers.  Each inner node keeps the cursor that lost there, so that the row after
 * one is found by one comparison a level.  It is a header, because merge.c calls it for each
 * row. */
#pragma once

#include "sort/sort-types.h"

#define NP_NOBODY G_MAXUINT32

typedef struct {
  NpKey key;          /* of row i; behind all others when the window holds no more  */
  guint32 sorted_run; /* of equal keys that of the earlier chain comes first        */
  guint i, to;        /* rows of the block that come next; the last ones may be of later windows */
  nprof_track device; /* of the rows of the block                                   */
  NpKey last;         /* of the last row of the block                               */
  NpBlock block;
  NpBlocks blocks;
} NpCursor;

/* This is the key of a cursor without rows; it lies behind all others. */
static const NpKey np_key_behind
    = { .major = G_MAXUINT32, .start = G_MAXINT64, .shortness = G_MAXUINT64 };

static inline gboolean
np_cursor_ended (const NpCursor *c)
{
  return c->key.major == G_MAXUINT32; /* no track has that number */
}

/* When two keys are equal, that of the earlier sorted run comes first. */
static inline gboolean
np_comes_before (const NpKey *x, guint32 x_run, const NpKey *y, guint32 y_run)
{
  if (x->major != y->major)
    return x->major < y->major;
  if (x->start != y->start)
    return x->start < y->start;
  return x->shortness != y->shortness ? x->shortness < y->shortness : x_run < y_run;
}

typedef struct {
  NpCursor **in; /* n cursors */
  guint n;
  guint32 *losers; /* n of them; [0] is not used; leaf k is node n + k */
  guint32 winner;
  gboolean again; /* it won before, too */
} NpLoserTree;

static inline gboolean
np_loser_tree_before (const NpLoserTree *m, guint32 a, guint32 b)
{
  const NpCursor *x = m->in[a], *y = m->in[b];
  return np_comes_before (&x->key, x->sorted_run, &y->key, y->sorted_run);
}

/* The first to come to a node waits there for the other. */
static inline void
np_loser_tree_enter (NpLoserTree *m, guint32 leaf)
{
  guint32 best = leaf;
  for (guint node = (m->n + leaf) / 2; node; node /= 2) {
    guint32 other = m->losers[node];
    if (other == NP_NOBODY || np_loser_tree_before (m, other, best)) {
      m->losers[node] = best;
      best = other;
    }
    if (best == NP_NOBODY)
      return;
  }
  m->winner = best;
}

/* Enters all cursors, of which there is one at least, by their keys. */
static inline void
np_loser_tree_begin (NpLoserTree *m)
{
  for (guint k = 0; k < m->n; k++)
    m->losers[k] = NP_NOBODY;
  for (guint k = 0; k < m->n; k++)
    np_loser_tree_enter (m, k);
  m->again = FALSE;
}

/* Returns the best but for the first, where there are two at least. */
static inline const NpCursor *
np_loser_tree_second (const NpLoserTree *m)
{
  guint32 best = NP_NOBODY;
  for (guint node = (m->n + m->winner) / 2; node; node /= 2)
    if (best == NP_NOBODY || np_loser_tree_before (m, m->losers[node], best))
      best = m->losers[node];
  return m->in[best];
}

static inline NpCursor *
np_loser_tree_first (const NpLoserTree *m)
{
  return m->in[m->winner];
}

/* Plays the first one anew, whose key has changed. */
static inline void
np_loser_tree_play (NpLoserTree *m)
{
  guint32 best = m->winner;
  for (guint node = (m->n + best) / 2; node; node /= 2)
    if (np_loser_tree_before (m, m->losers[node], best)) {
      guint32 other = m->losers[node];
      m->losers[node] = best;
      best = other;
    }
  m->again = best == m->winner;
  m->winner = best;
}
