/* SPDX-License-Identifier: Apache-2.0 */
/* order-merge.c - merges sorted chains of a spill with a heap; how many at once is the
 * caller's choice. */

#include "order-run.h"

typedef struct {
  NpBlocks blocks;
  NpBlock block;
  guint i;      /* the row of the block that comes next */
  guint number; /* of the chain: among equal keys the earlier chain comes first */
  NpKey key;    /* of row i */
} Cursor;

typedef struct {
  NpKeys *keys;
  Cursor *cursors;
  Cursor **heap;
  guint n;
} Merge;

static gboolean
before (const NpKey *a, guint a_number, const Cursor *b)
{
  if (np_key_less (a, &b->key))
    return TRUE;
  return a_number < b->number && !np_key_less (&b->key, a);
}

static void
sift_down (Merge *m, guint at)
{
  for (guint child; (child = 2 * at + 1) < m->n; at = child) {
    if (child + 1 < m->n
        && before (&m->heap[child + 1]->key, m->heap[child + 1]->number, m->heap[child]))
      child++;
    Cursor *above = m->heap[at];
    if (!before (&m->heap[child]->key, m->heap[child]->number, above))
      return;
    m->heap[at] = m->heap[child];
    m->heap[child] = above;
  }
}

/* FALSE at the end of the chain, or with error set. */
static gboolean
next_block (Merge *m, Cursor *c, GError **error)
{
  if (!np_blocks_next (&c->blocks, &c->block, error))
    return FALSE;
  c->i = 0;
  c->key = np_key_of (m->keys, &c->block.rows, 0);
  return TRUE;
}

static gboolean
open_cursors (Merge *m, NpSpill *spill, const NpChain *chains, guint n, GError **error)
{
  for (guint k = 0; k < n; k++) {
    Cursor *c = &m->cursors[k];
    c->blocks = (NpBlocks){ .spill = spill, .at = chains[k].from, .end = chains[k].to };
    c->number = k;
    if (!next_block (m, c, error))
      return FALSE;
    m->heap[m->n++] = c;
  }
  for (guint at = m->n / 2; at-- > 0;)
    sift_down (m, at);
  return TRUE;
}

/* How many rows of the first cursor's block come before all others.  Sets the key of the
 * row behind them. */
static guint
count_leading (Merge *m)
{
  Cursor *c = m->heap[0];
  guint n_rows = c->block.rows.n_rows, i = c->i + 1;
  if (m->n == 1)
    return n_rows - c->i;
  const Cursor *next = m->heap[1];
  if (m->n > 2 && before (&m->heap[2]->key, m->heap[2]->number, next))
    next = m->heap[2];
  for (; i < n_rows; i++) {
    c->key = np_key_of (m->keys, &c->block.rows, i);
    if (!before (&c->key, c->number, next))
      break;
  }
  return i - c->i;
}

static gboolean
step (Merge *m, NpRangeFn fn, gpointer user, GError **error)
{
  Cursor *c = m->heap[0];
  guint n = count_leading (m);
  if (!fn (user, &c->block, c->i, n, error))
    return FALSE;
  c->i += n;
  if (c->i == c->block.rows.n_rows) {
    g_autoptr (GError) why = NULL;
    if (!next_block (m, c, &why)) {
      if (why) {
        g_propagate_error (error, g_steal_pointer (&why));
        return FALSE;
      }
      np_blocks_clear (&c->blocks);
      m->heap[0] = m->heap[--m->n];
    }
  }
  sift_down (m, 0);
  return TRUE;
}

gboolean
np_chains_merge (NpKeys *keys, NpSpill *spill, const NpChain *chains, guint n, NpRangeFn fn,
                 gpointer user, GError **error)
{
  Merge m = { .keys = keys, .cursors = g_new0 (Cursor, n), .heap = g_new (Cursor *, n) };
  gboolean ok = open_cursors (&m, spill, chains, n, error);
  while (ok && m.n)
    ok = step (&m, fn, user, error);
  for (guint k = 0; k < n; k++)
    np_blocks_clear (&m.cursors[k].blocks);
  g_free (m.cursors);
  g_free (m.heap);
  return ok;
}
