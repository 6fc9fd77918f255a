/* SPDX-License-Identifier: Apache-2.0 */
/* order-merge.c - merges sorted chains of a spill; how many at once is the caller's choice.
 *
 * A tree of losers: each inner node keeps the cursor that lost there, so that what comes after a row
 * is found by one comparison a level.  Where one cursor goes on to win, its lead over the best of
 * the others is looked for, and its rows go together. */

#include "order-run.h"

#define NOBODY G_MAXUINT32

typedef struct {
  NpKey key; /* of row i; behind all others when the chain has ended */
  guint i;   /* the row of the block that comes next                 */
  NpBlock block;
  NpBlocks blocks;
} Cursor;

typedef struct {
  NpKeys *keys;
  Cursor *cursors;
  guint32 *losers; /* n of them; [0] is not used; leaf k is node n + k */
  guint32 winner;
  guint n;
  gboolean again; /* it won before, too */
} Merge;

static const NpKey ended = { .major = G_MAXUINT32, .start = G_MAXINT64, .shortness = G_MAXUINT64 };

static inline gboolean
has_ended (const Cursor *c)
{
  return c->key.major == G_MAXUINT32; /* no track has that number */
}

/* Among equal keys the earlier chain comes first. */
static inline gboolean
before (const Merge *m, guint32 a, guint32 b)
{
  const NpKey *x = &m->cursors[a].key, *y = &m->cursors[b].key;
  if (np_key_less (x, y))
    return TRUE;
  return a < b && !np_key_less (y, x);
}

/* -- The tree -------------------------------------------------------------- */

/* The first to come to a node waits there for the other. */
static void
enter (Merge *m, guint32 leaf)
{
  guint32 best = leaf;
  for (guint node = (m->n + leaf) / 2; node; node /= 2) {
    guint32 other = m->losers[node];
    if (other == NOBODY || before (m, other, best)) {
      m->losers[node] = best;
      best = other;
    }
    if (best == NOBODY)
      return;
  }
  m->winner = best;
}

static void
play (Merge *m)
{
  guint32 best = m->winner;
  for (guint node = (m->n + best) / 2; node; node /= 2)
    if (before (m, m->losers[node], best)) {
      guint32 other = m->losers[node];
      m->losers[node] = best;
      best = other;
    }
  m->again = best == m->winner;
  m->winner = best;
}

/* The best of the others; NOBODY when there are none. */
static guint32
runner_up (const Merge *m)
{
  guint32 best = NOBODY;
  for (guint node = (m->n + m->winner) / 2; node; node /= 2)
    if (best == NOBODY || before (m, m->losers[node], best))
      best = m->losers[node];
  return best;
}

/* -- Cursors --------------------------------------------------------------- */

static gboolean
next_block (Merge *m, Cursor *c, GError **error)
{
  g_autoptr (GError) why = NULL;
  c->i = 0;
  if (np_blocks_next (&c->blocks, &c->block, &why)) {
    c->key = np_key_of (m->keys, &c->block.rows, 0);
    return TRUE;
  }
  c->key = ended;
  np_blocks_clear (&c->blocks);
  if (!why)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&why));
  return FALSE;
}

static gboolean
open_cursors (Merge *m, NpSpill *spill, const NpChain *chains, GError **error)
{
  for (guint k = 0; k < m->n; k++) {
    m->cursors[k].blocks = (NpBlocks){ .spill = spill, .at = chains[k].from, .end = chains[k].to };
    m->losers[k] = NOBODY;
  }
  for (guint k = 0; k < m->n; k++)
    if (!next_block (m, &m->cursors[k], error))
      return FALSE;
  for (guint k = 0; k < m->n; k++)
    enter (m, k);
  m->again = m->n == 1;
  return TRUE;
}

/* How many rows of the winner's block come before all others.  Sets the key of the row behind. */
static guint
count_leading (Merge *m)
{
  Cursor *c = &m->cursors[m->winner];
  guint n_rows = c->block.rows.n_rows, i = c->i + 1;
  guint32 next = m->again ? runner_up (m) : NOBODY;
  if (m->again && next == NOBODY)
    return n_rows - c->i;
  for (; i < n_rows; i++) {
    c->key = np_key_of (m->keys, &c->block.rows, i);
    if (!m->again || !before (m, m->winner, next))
      break;
  }
  return i - c->i;
}

/* What keys are made of, a few rows ahead: so many streams are more than processors watch by
 * themselves.  Always inline, since gcc takes a function that only fetches for one without effect. */
static inline __attribute__ ((always_inline)) void
fetch_ahead (const Cursor *c)
{
  const struct nprof_batch *rows = &c->block.rows;
  __builtin_prefetch (rows->start + c->i + 8);
  __builtin_prefetch (rows->duration + c->i + 8);
}

static gboolean
step (Merge *m, const NpTaker *to, GError **error)
{
  Cursor *c = &m->cursors[m->winner];
  guint n = count_leading (m);
  if (!to->range (to->user, &c->block, c->i, n, error))
    return FALSE;
  c->i += n;
  fetch_ahead (c);
  if (c->i == c->block.rows.n_rows && (!to->settle (to->user, error) || !next_block (m, c, error)))
    return FALSE;
  play (m);
  return TRUE;
}

gboolean
np_chains_merge (NpKeys *keys, NpSpill *spill, const NpChain *chains, guint n, const NpTaker *to,
                 GError **error)
{
  Merge m = { .keys = keys, .cursors = g_new0 (Cursor, n), .losers = g_new (guint32, n), .n = n };
  gboolean ok = open_cursors (&m, spill, chains, error);
  while (ok && !has_ended (&m.cursors[m.winner]))
    ok = step (&m, to, error);
  for (guint k = 0; k < n; k++)
    np_blocks_clear (&m.cursors[k].blocks);
  g_free (m.cursors);
  g_free (m.losers);
  return ok;
}
