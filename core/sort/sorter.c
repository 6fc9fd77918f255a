/* SPDX-License-Identifier: Apache-2.0 */
/* sorter.c - collects rows into runs and decides what each needs: nothing, sorting (sort-run.c) or
 * merging (merge.c). run-writer.c and batch-emitter.c take the rows.
 *
 * A run is written as it came when it consists of few stretches, each in order: decoders that go
 * track by track bring such rows in the order of time.  Then merging does all the work, and once
 * the rows do not fit into memory such a run need not be long: a short one is compressed while the
 * processor still has it in its caches. */

#include "sort/sort-types.h"

#include "base/error.h"

#include <string.h>

#define MOST_STRETCHES 64u      /* of a run that is not sorted */
#define LONG_STRETCH 16u        /* the least part of a full run that is one */
#define SHORT_RUNS 64u          /* the least part of a full run that is written */
#define FOLLOW_ROWS 64u         /* looked at together */
#define MERGE_CHAINS 128u       /* merged at once, */
#define MERGE_BYTES (48u << 20) /* and what their blocks may take */
G_STATIC_ASSERT (MERGE_CHAINS <= NP_MERGED_BLOCKS);
#define INDEX_BYTES (sizeof (NpKey) * 3 / 2) /* a row, while it is sorted */

typedef struct { /* blocks of a run whose rows are in order */
  gsize at;      /* where they begin in the run */
  guint64 max_block;
  NpKey first, last;
} Stretch;

struct NpSorter {
  NpPool *pool;
  NpKeys keys;
  NpProjection projection;
  NpProjected kept; /* of the batch that is being added */
  guint64 run_bytes;

  NpPack run; /* the rows of the current run, as they came */
  guint run_rows, run_blocks;
  GArray *stretches; /* of Stretch: of the run; one more than may be when there are too many */

  NpSpill *spill;      /* earlier runs */
  GArray *sorted_runs; /* of NpSortedRun */
};

NpSorter *
np_sorter_new (guint order, NpPool *pool, NpTracks *tracks, guint64 run_bytes,
               const NpProjection *projection)
{
  NpSorter *self = g_new0 (NpSorter, 1);
  self->pool = pool;
  self->keys = (NpKeys){ .order = order, .tracks = tracks };
  self->projection = projection ? *projection : (NpProjection){ 0 };
  self->run_bytes = run_bytes;
  self->stretches = g_array_new (FALSE, FALSE, sizeof (Stretch));
  self->sorted_runs = g_array_new (FALSE, FALSE, sizeof (NpSortedRun));
  return self;
}

void
np_sorter_free (NpSorter *order)
{
  if (!order)
    return;
  np_pack_clear (&order->run);
  np_projected_clear (&order->kept);
  np_spill_free (order->spill);
  g_array_unref (order->stretches);
  g_array_unref (order->sorted_runs);
  g_free (order->keys.numbers);
  g_free (order);
}

/* Tracks get their numbers with their first row and keep them. */
static guint32
number_of (const NpKeys *keys, nprof_track track)
{
  if (keys->order == NPROF_ORDER_DEVICE)
    return np_tracks_device (keys->tracks, track) ? NP_OF_DEVICE : NP_OF_NO_DEVICE;
  const struct nprof_track_info *info = np_tracks_get (keys->tracks, track);
  return info ? info->number : 0;
}

guint32
np_keys_look_up (NpKeys *keys, nprof_track track)
{
  guint32 number = number_of (keys, track);
  if (!number)
    return 0;
  if (track >= keys->n_numbers) {
    guint n = MAX (np_tracks_count (keys->tracks), track) + 1;
    keys->numbers = g_renew (guint32, keys->numbers, n);
    memset (keys->numbers + keys->n_numbers, 0, (n - keys->n_numbers) * sizeof *keys->numbers);
    keys->n_numbers = n;
  }
  return keys->numbers[track] = number;
}

/* -- Collecting ------------------------------------------------------------ */

/* Returns whether there are too many stretches to merge each by itself. */
static gboolean
is_scattered (const NpSorter *self)
{
  guint n = self->stretches->len;
  return n > 1 && (n > MOST_STRETCHES || self->sorted_runs->len + n > MERGE_CHAINS);
}

/* Joins it to the last sorted run when it lies behind that. */
static void
add_sorted_run (GArray *sorted_runs, const NpSortedRun *sorted_run)
{
  NpSortedRun *last
      = sorted_runs->len ? &g_array_index (sorted_runs, NpSortedRun, sorted_runs->len - 1) : NULL;
  if (!last || np_key_less (&sorted_run->first, &last->last)) {
    g_array_append_vals (sorted_runs, sorted_run, 1);
    return;
  }
  last->to = sorted_run->to;
  last->last = sorted_run->last;
  last->max_block = MAX (last->max_block, sorted_run->max_block);
}

static gboolean
write_sorted (NpSorter *self, GError **error)
{
  NpSortedRun sorted_run = { .from = np_spill_size (self->spill) };
  NpRunWriter w;
  np_run_writer_init (&w, self->pool, self->spill);
  const NpRowReceiver to = np_run_writer_receiver (&w);
  if (!np_sort_run (&self->keys, &self->run, self->run_rows, &to, &sorted_run.first,
                    &sorted_run.last, error)) {
    np_run_writer_clear (&w);
    return FALSE;
  }
  gboolean ok = np_run_writer_end (&w, error);
  sorted_run.max_block = w.max_block;
  sorted_run.to = np_spill_size (self->spill);
  add_sorted_run (self->sorted_runs, &sorted_run);
  return ok;
}

static gboolean
write_stretches (NpSorter *self, GError **error)
{
  for (guint k = 0; k < self->stretches->len; k++) {
    const Stretch *s = &g_array_index (self->stretches, Stretch, k);
    gsize end = k + 1 < self->stretches->len ? s[1].at : self->run.used;
    const NpPack blocks = { .data = self->run.data + s->at, .used = end - s->at };
    NpSortedRun sorted_run = { .from = np_spill_size (self->spill),
                               .max_block = s->max_block,
                               .first = s->first,
                               .last = s->last };
    if (!np_spill_append (self->spill, &blocks, error))
      return FALSE;
    sorted_run.to = np_spill_size (self->spill);
    add_sorted_run (self->sorted_runs, &sorted_run);
  }
  return TRUE;
}

static gboolean
write_run (NpSorter *self, GError **error)
{
  gboolean first = !self->spill;
  if (!self->run_rows)
    return TRUE;
  if (first)
    self->spill = np_spill_new ();
  if (!(is_scattered (self) ? write_sorted : write_stretches) (self, error))
    return FALSE;
  if (first)
    np_pack_clear (&self->run); /* the next ones may be short */
  self->run.used = 0;
  self->run_rows = self->run_blocks = 0;
  g_array_set_size (self->stretches, 0);
  return TRUE;
}

/* Returns whether the run goes on where the last sorted run ends. */
static gboolean
goes_on (const NpSorter *self)
{
  const Stretch *first = &g_array_index (self->stretches, Stretch, 0);
  const NpSortedRun *last
      = &g_array_index (self->sorted_runs, NpSortedRun, self->sorted_runs->len - 1);
  return !np_key_less (&first->first, &last->last);
}

/* Only long stretches are written as they came, so that there are no more of them than runs of full
 * size would have; a little is enough when it goes on with the last sorted run, because that makes
 * no new one. */
static gboolean
is_long_enough (const NpSorter *self)
{
  guint n = self->stretches->len;
  gsize used = self->run.used, from = 0;
  if (!self->spill || used < self->run_bytes / SHORT_RUNS
      || self->sorted_runs->len + n > MERGE_CHAINS)
    return FALSE;
  if (goes_on (self))
    from = --n ? g_array_index (self->stretches, Stretch, 1).at : used;
  return used - from >= n * (self->run_bytes / LONG_STRETCH);
}

/* Returns whether rows from .. to, each behind the one before, lie in one track if that matters,
 * and in order. It has no branches, so that it costs little; FALSE may be wrong. */
static gboolean
are_in_order (const NpKeys *keys, const struct nprof_batch *rows, guint from, guint to)
{
  const gint64 *start = rows->start, *duration = rows->duration;
  const nprof_track *track = rows->track;
  guint wrong = 0, other = 0;
  for (guint i = from; i < to; i++) {
    other |= track[i] ^ track[i - 1];
    wrong |= (guint) (start[i] < start[i - 1]);
    wrong |= (guint) (start[i] == start[i - 1])
             & (guint) ((guint64) duration[i] + 1 > (guint64) duration[i - 1] + 1);
  }
  return !wrong && !(other && keys->order != NPROF_ORDER_TIME);
}

/* Returns how many of the rows from .. end, behind s->last, go on in order. */
static guint
go_on (NpKeys *keys, Stretch *s, const struct nprof_batch *rows, guint from, guint end)
{
  guint i = from;
  for (; i < end; i++) {
    NpKey key = np_key_of (keys, rows, i);
    if (np_key_less (&key, &s->last))
      break;
    s->last = key;
  }
  return i - from;
}

/* Returns how many of the rows from .. from + n belong to one stretch: the last one of the run, or
 * a new one behind it. */
static guint
stretch (NpSorter *self, const struct nprof_batch *rows, guint from, guint n)
{
  GArray *all = self->stretches;
  Stretch *s = all->len ? &g_array_index (all, Stretch, all->len - 1) : NULL;
  NpKey key = np_key_of (&self->keys, rows, from);
  if (!s || np_key_less (&key, &s->last)) {
    Stretch new = { .at = self->run.used, .first = key };
    g_array_append_val (all, new);
    s = &g_array_index (all, Stretch, all->len - 1);
  }
  s->last = key;
  for (guint i = from + 1, to; i < from + n; i = to) {
    to = MIN (i + FOLLOW_ROWS, from + n);
    if (are_in_order (&self->keys, rows, i, to))
      s->last = np_key_of (&self->keys, rows, to - 1);
    else if ((i += go_on (&self->keys, s, rows, i, to)) < to)
      return i - from;
  }
  return n;
}

static gboolean
add_block (NpSorter *self, const struct nprof_batch *rows, guint from, guint n, GError **error)
{
  gsize before = self->run.used;
  if (!np_pack_add (&self->run, rows, from, n, NULL))
    return np_spill_no_memory (error);
  Stretch *last = &g_array_index (self->stretches, Stretch, self->stretches->len - 1);
  last->max_block = MAX (last->max_block, self->run.used - before);
  self->run_rows += n;
  self->run_blocks++;
  return TRUE;
}

gboolean
np_sorter_add (NpSorter *self, const NpBatch *batch, GError **error)
{
  const struct nprof_batch whole = np_rows_of (batch);
  const struct nprof_batch rows = np_projected_rows (&self->kept, &whole, &self->projection);
  for (guint from = 0, n; from < rows.n_rows; from += n) {
    guint64 size;
    n = np_pack_fit (&rows, from, MIN (NP_SORT_BLOCK_BYTES, self->run_bytes), &size);
    size += (self->run_rows + (guint64) n) * INDEX_BYTES;
    if ((self->run.used + size > self->run_bytes || self->run_blocks == NP_RUN_BLOCKS)
        && !write_run (self, error))
      return FALSE;
    if (!is_scattered (self))
      n = stretch (self, &rows, from, n);
    if (!add_block (self, &rows, from, n, error)
        || (is_long_enough (self) && !write_run (self, error)))
      return FALSE;
  }
  return TRUE;
}

/* -- Emitting -------------------------------------------------------------- */

/* Emits the only run; nothing touches the disk. */
static gboolean
emit_run (NpSorter *self, NpEmitter *e, GError **error)
{
  if (!self->run_rows)
    return TRUE;
  const NpRowReceiver to = np_emit_receiver (e);
  NpKey first, last;
  if (self->stretches->len > 1)
    return np_sort_run (&self->keys, &self->run, self->run_rows, &to, &first, &last, error);
  NpBlocks blocks = { .memory = self->run.data, .end = self->run.used };
  NpBlock block;
  while (np_blocks_next (&blocks, &block, NULL))
    if (!to.range (e, &block, 0, block.rows.n_rows, error) || !to.settle (e, error))
      return FALSE;
  return TRUE;
}

/* Returns how many sorted runs from `from` on are merged at once; at least two where there are
 * two. */
static guint
group (const GArray *sorted_runs, guint from)
{
  guint64 bytes = 0;
  guint n = 0;
  for (; n < MERGE_CHAINS && from + n < sorted_runs->len; n++) {
    bytes += g_array_index (sorted_runs, NpSortedRun, from + n).max_block;
    if (n >= 2 && bytes > MERGE_BYTES)
      break;
  }
  return n;
}

static gboolean
merge_group (NpSorter *self, guint from, guint n, NpSpill *to, GArray *merged, GError **error)
{
  const NpSortedRun *sorted_runs = &g_array_index (self->sorted_runs, NpSortedRun, from);
  NpRunWriter w;
  np_run_writer_init (&w, self->pool, to);
  const NpRowReceiver taker = np_run_writer_receiver (&w);
  NpSortedRun sorted_run = { .from = np_spill_size (to) };
  if (!np_merge_runs (&self->keys, self->spill, sorted_runs, n, FALSE, &taker, error)) {
    np_run_writer_clear (&w);
    return FALSE;
  }
  if (!np_run_writer_end (&w, error))
    return FALSE;
  sorted_run.to = np_spill_size (to);
  sorted_run.max_block = w.max_block;
  g_array_append_val (merged, sorted_run); /* neighbours overlap: else they were one chain before */
  return TRUE;
}

/* Merges groups of neighbours into longer sorted runs in a file of their own. */
static gboolean
merge_level (NpSorter *self, GError **error)
{
  NpSpill *to = np_spill_new ();
  GArray *merged = g_array_new (FALSE, FALSE, sizeof (NpSortedRun));
  gboolean ok = TRUE;
  for (guint from = 0, n; ok && from < self->sorted_runs->len; from += n) {
    n = group (self->sorted_runs, from);
    ok = merge_group (self, from, n, to, merged, error);
  }
  np_spill_free (self->spill);
  g_array_unref (self->sorted_runs);
  self->spill = to;
  self->sorted_runs = merged;
  return ok;
}

static gboolean
emit_sorted_runs (NpSorter *self, NpEmitter *e, GError **error)
{
  if (!write_run (self, error))
    return FALSE;
  np_pack_clear (&self->run);
  while (group (self->sorted_runs, 0) < self->sorted_runs->len)
    if (!merge_level (self, error))
      return FALSE;
  const NpRowReceiver to = np_emit_receiver (e);
  return np_merge_runs (&self->keys, self->spill,
                        &g_array_index (self->sorted_runs, NpSortedRun, 0), self->sorted_runs->len,
                        self->keys.order == NPROF_ORDER_DEVICE, &to, error);
}

gboolean
np_sorter_emit (NpSorter *self, NpSorterFn fn, gpointer user, GError **error)
{
  NpEmitter e;
  np_emit_init (&e, self->pool, fn, user);
  gboolean ok = (self->sorted_runs->len ? emit_sorted_runs : emit_run) (self, &e, error);
  return np_emit_end (&e, ok, error);
}
