/* SPDX-License-Identifier: Apache-2.0 */
/* sort-run.c - sorts the rows of a run in memory, by an index of their keys; the caller decides
 * what becomes of the sorted rows. */

#include "sort/sort-types.h"

#include <string.h>

#define SMALL 12 /* rows that insertion sorts faster */

static void
insertion (NpKey *keys, gsize n)
{
  for (gsize i = 1; i < n; i++) {
    NpKey key = keys[i];
    gsize j = i;
    for (; j && np_key_less (&key, &keys[j - 1]); j--)
      keys[j] = keys[j - 1];
    keys[j] = key;
  }
}

/* Sorts stably; spare has room for n / 2.  Halves that are in order already cost one look, so rows
 * that are nearly in order cost little. */
static void
merge_sort (NpKey *keys, gsize n, NpKey *spare)
{
  if (n <= SMALL) {
    insertion (keys, n);
    return;
  }
  gsize half = n / 2;
  merge_sort (keys, half, spare);
  merge_sort (keys + half, n - half, spare);
  if (!np_key_less (&keys[half], &keys[half - 1]))
    return;
  memcpy (spare, keys, half * sizeof *keys);
  gsize a = 0, b = half, to = 0;
  while (a < half && b < n)
    keys[to++] = np_key_less (&keys[b], &spare[a]) ? keys[b++] : spare[a++];
  memcpy (keys + to, spare + a, (half - a) * sizeof *keys);
}

/* Opens the blocks of a run. */
static NpBlock *
open_blocks (const NpPack *run, guint *n)
{
  GArray *blocks = g_array_new (FALSE, FALSE, sizeof (NpBlock));
  NpBlocks reader = { .memory = run->data, .end = run->used };
  NpBlock block;
  while (np_blocks_next (&reader, &block, NULL))
    g_array_append_val (blocks, block);
  *n = blocks->len;
  return (NpBlock *) (void *) g_array_free (blocks, FALSE);
}

/* Returns where the rows of each major key begin in the index, and behind the last; rows with one
 * are then sorted by themselves, which is far less work where threads alternate. */
static guint32 *
count_majors (NpKeys *keys, const NpBlock *blocks, guint n_blocks, guint *n_majors)
{
  guint n = *n_majors = keys->order == NPROF_ORDER_TRACK ? np_tracks_count (keys->tracks) + 1 : 1;
  guint32 *at = g_new0 (guint32, n + 1);
  for (guint b = 0; b < n_blocks; b++)
    for (guint i = 0; i < blocks[b].rows.n_rows; i++)
      at[np_key_of (keys, &blocks[b].rows, i).major + 1]++;
  for (guint m = 0; m < n; m++)
    at[m + 1] += at[m];
  return at;
}

static void
fill_index (NpKeys *keys, const NpBlock *blocks, guint n_blocks, guint32 *at, NpKey *index)
{
  for (guint b = 0; b < n_blocks; b++)
    for (guint i = 0; i < blocks[b].rows.n_rows; i++) {
      NpKey key = np_key_of (keys, &blocks[b].rows, i);
      key.row = NP_ROW_REF (b, i);
      index[at[key.major]++] = key;
    }
}

/* `at` says where each major key ends in the index.  FALSE: out of memory. */
static gboolean
sort_majors (NpKey *index, const guint32 *at, guint n_majors)
{
  guint largest = 0;
  for (guint m = 0, from = 0; m < n_majors; from = at[m++])
    largest = MAX (largest, at[m] - from);
  NpKey *spare = g_try_new (NpKey, largest / 2 + 1);
  if (!spare)
    return FALSE;
  for (guint m = 0, from = 0; m < n_majors; from = at[m++])
    merge_sort (index + from, at[m] - from, spare);
  g_free (spare);
  return TRUE;
}

static gboolean
sort_index (NpKeys *keys, const NpBlock *blocks, guint n_blocks, NpKey *index)
{
  guint n_majors;
  g_autofree guint32 *at = count_majors (keys, blocks, n_blocks, &n_majors);
  fill_index (keys, blocks, n_blocks, at, index); /* at[m] is then where m ends */
  return sort_majors (index, at, n_majors);
}

/* Gives the rows away; those that lay side by side before go together. */
static gboolean
walk (const NpKey *index, guint n, const NpBlock *blocks, const NpRowReceiver *to, GError **error)
{
  for (guint i = 0, end; i < n; i = end) {
    guint32 row = index[i].row;
    for (end = i + 1; end < n && index[end].row == row + (end - i); end++)
      if (NP_ROW_INDEX (index[end].row) == 0)
        break;
    if (!to->range (to->user, &blocks[NP_ROW_BLOCK (row)], NP_ROW_INDEX (row), end - i, error))
      return FALSE;
  }
  return to->settle (to->user, error);
}

gboolean
np_sort_run (NpKeys *keys, const NpPack *run, guint n_rows, const NpRowReceiver *to, NpKey *first,
             NpKey *last, GError **error)
{
  g_autofree NpKey *index = g_try_new (NpKey, n_rows);
  guint n_blocks;
  g_autofree NpBlock *blocks = open_blocks (run, &n_blocks);
  if (!index || !sort_index (keys, blocks, n_blocks, index))
    return np_spill_no_memory (error);
  *first = index[0];
  *last = index[n_rows - 1];
  return walk (index, n_rows, blocks, to, error);
}
