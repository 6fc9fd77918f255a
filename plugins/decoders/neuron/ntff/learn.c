/* SPDX-License-Identifier: Apache-2.0 */
/* learn.c - learns which fields say where the arrays lie: the runs that were found show one path
 * and number whose bytes hold them, or a pair of integers, offset and size, that points to them. */
#include "ntff.h"

#define MOST_NUMBERS 24u /* integer fields of one path that are tried */
#define MOST_MESSAGES 4096u
#define MOST_PLACE (UINT64_C (1) << 48)

typedef struct {
  uint64_t at, size;
  uint32_t node;
} Range;

typedef struct { /* messages of one path, as a table of their integers */
  uint32_t *nodes;
  guint n;
  uint32_t numbers[MOST_NUMBERS];
  guint n_numbers;
  uint64_t *values; /* n * n_numbers; 0 where proto3 leaves it out */
} Path;

typedef struct {
  const NtffMessage *m;
  GArray *tail;                /* of NtffRun: behind the message, by place */
  uint64_t covered, hits, sum; /* of the best pair                     */
  uint64_t base;
  GArray *best; /* of Range                                 */
} Learn;

/* -- Arrays in the message -------------------------------------------------------------------- */

/* Returns the first run at `at` or behind it. */
static guint
run_from (const GArray *runs, uint64_t at)
{
  guint low = 0, high = runs->len;
  while (low < high) {
    guint mid = (low + high) / 2;
    if (g_array_index (runs, NtffRun, mid).at < at)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

static bool
holds_run (const GArray *runs, const NtffField *f)
{
  guint i = run_from (runs, f->from);
  return i < runs->len && g_array_index (runs, NtffRun, i).at < f->to;
}

typedef struct {
  uint64_t path;
  uint32_t number, votes;
} Vote;

static void
vote (GArray *votes, uint64_t path, uint32_t number)
{
  for (guint i = 0; i < votes->len; i++) {
    Vote *v = &g_array_index (votes, Vote, i);
    if (v->path == path && v->number == number) {
      v->votes++;
      return;
    }
  }
  Vote v = { path, number, 1 };
  g_array_append_val (votes, v);
}

static bool
is_array_field (const NtffField *f)
{
  return f->kind == NTFF_BYTES && (f->to - f->from) % NTFF_RECORD == 0;
}

static bool
learn_inline (const NtffMessage *m, const GArray *runs, GArray *arrays)
{
  g_autoptr (GArray) votes = g_array_new (FALSE, FALSE, sizeof (Vote));
  for (guint i = 0; i < m->fields->len; i++) {
    const NtffField *f = ntff_field (m, i);
    if (is_array_field (f) && f->to - f->from >= NTFF_FEWEST * NTFF_RECORD && holds_run (runs, f))
      vote (votes, ntff_node (m, f->owner)->path, f->number);
  }
  const Vote *best = NULL;
  for (guint i = 0; i < votes->len; i++)
    if (!best || g_array_index (votes, Vote, i).votes > best->votes)
      best = &g_array_index (votes, Vote, i);
  for (guint i = 0; best && i < m->fields->len; i++) {
    const NtffField *f = ntff_field (m, i);
    if (!is_array_field (f) || f->number != best->number
        || ntff_node (m, f->owner)->path != best->path)
      continue;
    NtffArray array
        = { .at = f->from, .n = (f->to - f->from) / NTFF_RECORD, .node = f->owner, .cc_core = -1 };
    g_array_append_val (arrays, array);
  }
  return best != NULL;
}

/* -- Paths ------------------------------------------------------------------------------------- */

static int
number_column (const Path *path, uint32_t number)
{
  for (guint i = 0; i < path->n_numbers; i++)
    if (path->numbers[i] == number)
      return (int) i;
  return -1;
}

static void
find_numbers (const NtffMessage *m, Path *path)
{
  path->n_numbers = 0;
  for (guint k = 0; k < path->n; k++)
    for (uint32_t i = ntff_node (m, path->nodes[k])->first; i != NTFF_NONE;
         i = ntff_field (m, i)->next) {
      const NtffField *f = ntff_field (m, i);
      if (f->kind == NTFF_INT && path->n_numbers < MOST_NUMBERS
          && number_column (path, f->number) < 0)
        path->numbers[path->n_numbers++] = f->number;
    }
}

static void
fill_values (const NtffMessage *m, Path *path)
{
  path->values = g_new0 (uint64_t, MAX (1, path->n * path->n_numbers));
  for (guint k = 0; k < path->n; k++)
    for (uint32_t i = ntff_node (m, path->nodes[k])->first; i != NTFF_NONE;
         i = ntff_field (m, i)->next) {
      const NtffField *f = ntff_field (m, i);
      int column = f->kind == NTFF_INT ? number_column (path, f->number) : -1;
      if (column >= 0)
        path->values[k * path->n_numbers + (guint) column] = f->value;
    }
}

typedef struct {
  uint64_t path;
  uint32_t node;
} PathNode;

static int
by_path (gconstpointer a, gconstpointer b)
{
  const PathNode *x = a, *y = b;
  if (x->path != y->path)
    return x->path < y->path ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

static void
each_path (const NtffMessage *m, void (*fn) (void *user, const Path *path), void *user)
{
  g_autofree PathNode *all = g_new (PathNode, m->nodes->len + 1);
  g_autofree uint32_t *nodes = g_new (uint32_t, m->nodes->len + 1);
  for (guint i = 0; i < m->nodes->len; i++)
    all[i] = (PathNode){ ntff_node (m, i)->path, i };
  qsort (all, m->nodes->len, sizeof *all, by_path);
  for (guint i = 0, k; i < m->nodes->len; i = k) {
    for (k = i; k < m->nodes->len && all[k].path == all[i].path; k++)
      nodes[k - i] = all[k].node;
    Path path = { .nodes = nodes, .n = MIN (k - i, MOST_MESSAGES) };
    find_numbers (m, &path);
    if (path.n_numbers < 2)
      continue;
    fill_values (m, &path);
    fn (user, &path);
    g_free (path.values);
  }
}

/* -- A pair of offset and size ----------------------------------------------------------------- */

static int
by_range (gconstpointer a, gconstpointer b)
{
  const Range *x = a, *y = b;
  if (x->at != y->at)
    return x->at < y->at ? -1 : 1;
  if (x->size != y->size)
    return x->size < y->size ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

static bool
is_head (const GArray *tail, uint64_t at)
{
  guint i = run_from (tail, at);
  return i < tail->len && g_array_index (tail, NtffRun, i).at == at;
}

/* Counts runs that begin at one of these offsets, each once. */
static uint64_t
count_hits (const Learn *l, const Path *path, guint offset, uint64_t base)
{
  g_autoptr (GHashTable) seen = NULL;
  for (guint k = 0; k < path->n; k++) {
    uint64_t at = base + path->values[k * path->n_numbers + offset];
    if (!is_head (l->tail, at))
      continue;
    if (!seen)
      seen = g_hash_table_new (NULL, NULL);
    g_hash_table_add (seen, GUINT_TO_POINTER (run_from (l->tail, at) + 1));
  }
  return seen ? g_hash_table_size (seen) : 0;
}

/* Returns the ranges that this pair names, sorted; NULL: they cannot be arrays. */
static GArray *
ranges_of (const Learn *l, const Path *path, guint offset, guint size, uint64_t base)
{
  g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (Range));
  for (guint k = 0; k < path->n; k++) {
    const uint64_t *v = path->values + k * path->n_numbers;
    if (v[size] == 0)
      continue;
    if (v[size] % NTFF_RECORD || v[size] > MOST_PLACE || v[offset] > MOST_PLACE)
      return NULL;
    Range range = { base + v[offset], v[size], path->nodes[k] };
    g_array_append_val (ranges, range);
  }
  g_array_sort (ranges, by_range);
  guint n = 0;
  for (guint i = 0; i < ranges->len; i++) {
    const Range *r = &g_array_index (ranges, Range, i);
    const Range *before = n ? &g_array_index (ranges, Range, n - 1) : NULL;
    if (r->at < l->m->end)
      return NULL;
    if (before && before->at == r->at && before->size == r->size)
      continue;
    if (before && before->at + before->size > r->at)
      return NULL;
    g_array_index (ranges, Range, n++) = *r;
  }
  g_array_set_size (ranges, n);
  return n ? g_steal_pointer (&ranges) : NULL;
}

/* Counts bytes of the runs that lie in the ranges. */
static uint64_t
covered_by (const GArray *tail, const GArray *ranges)
{
  uint64_t covered = 0;
  guint i = 0;
  for (guint k = 0; k < tail->len; k++) {
    const NtffRun *run = &g_array_index (tail, NtffRun, k);
    uint64_t end = run->at + run->n * NTFF_RECORD;
    while (i
           && g_array_index (ranges, Range, i - 1).at + g_array_index (ranges, Range, i - 1).size
                  > run->at)
      i--;
    for (; i < ranges->len && g_array_index (ranges, Range, i).at < end; i++) {
      const Range *r = &g_array_index (ranges, Range, i);
      uint64_t from = MAX (r->at, run->at), to = MIN (r->at + r->size, end);
      covered += to > from ? to - from : 0;
    }
  }
  return covered;
}

static void
try_pair (Learn *l, const Path *path, guint offset, guint size, uint64_t base, uint64_t hits)
{
  g_autoptr (GArray) ranges = ranges_of (l, path, offset, size, base);
  if (!ranges)
    return;
  uint64_t covered = covered_by (l->tail, ranges), sum = 0;
  for (guint i = 0; i < ranges->len; i++)
    sum += g_array_index (ranges, Range, i).size;
  bool better = covered != l->covered ? covered > l->covered
                : hits != l->hits     ? hits > l->hits
                                      : sum < l->sum;
  if (covered == 0 || (l->best && !better))
    return;
  l->covered = covered;
  l->hits = hits;
  l->sum = sum;
  l->base = base;
  g_clear_pointer (&l->best, g_array_unref);
  l->best = g_steal_pointer (&ranges);
}

typedef struct {
  Learn *l;
  const uint64_t *bases;
  guint n_bases;
} Tally;

static void
tally_path (void *user, const Path *path)
{
  const Tally *t = user;
  for (guint offset = 0; offset < path->n_numbers; offset++)
    for (guint b = 0; b < t->n_bases; b++) {
      uint64_t hits = count_hits (t->l, path, offset, t->bases[b]);
      for (guint size = 0; hits && size < path->n_numbers; size++)
        if (size != offset)
          try_pair (t->l, path, offset, size, t->bases[b], hits);
    }
}

/* -- Bases ------------------------------------------------------------------------------------- */

typedef struct {
  const Learn *l;
  GHashTable *count;
} Differences;

static void
count_differences (void *user, const Path *path)
{
  const Differences *d = user;
  for (guint i = 0; i < MIN (d->l->tail->len, 32); i++)
    for (guint k = 0; k < MIN (path->n, 512) * path->n_numbers; k++) {
      uint64_t at = g_array_index (d->l->tail, NtffRun, i).at, v = path->values[k];
      if (v > at || g_hash_table_size (d->count) > 1u << 18)
        continue;
      gpointer key = GSIZE_TO_POINTER (at - v);
      g_hash_table_insert (d->count, key,
                           GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (d->count, key))
                                             + 1));
    }
}

/* Finds the commonest distances from an integer to a run. */
static guint
common_bases (const Learn *l, uint64_t *bases, guint most)
{
  g_autoptr (GHashTable) count = g_hash_table_new (NULL, NULL);
  Differences d = { l, count };
  each_path (l->m, count_differences, &d);
  guint n = 0;
  for (; n < most; n++) {
    GHashTableIter iter;
    gpointer key, value, best = NULL, votes = NULL;
    g_hash_table_iter_init (&iter, count);
    while (g_hash_table_iter_next (&iter, &key, &value))
      if (GPOINTER_TO_UINT (value) > GPOINTER_TO_UINT (votes)
          || (value == votes && GPOINTER_TO_SIZE (key) < GPOINTER_TO_SIZE (best))) {
        best = key;
        votes = value;
      }
    if (!votes)
      break;
    bases[n] = GPOINTER_TO_SIZE (best);
    g_hash_table_remove (count, best);
  }
  return n;
}

static bool
enough (const Learn *l)
{
  uint64_t total = 0;
  for (guint i = 0; i < l->tail->len; i++)
    total += g_array_index (l->tail, NtffRun, i).weak ? 0 : g_array_index (l->tail, NtffRun, i).n;
  return l->best && 2 * l->covered >= total * NTFF_RECORD;
}

static void
learn_pair (Learn *l)
{
  uint64_t bases[16], end = l->m->end;
  guint n = 0;
  bases[n++] = 0;
  bases[n++] = NTFF_HEADER;
  bases[n++] = end;
  for (uint64_t to = 8; to <= 4096; to *= 2)
    if ((end + to - 1) / to * to != bases[n - 1])
      bases[n++] = (end + to - 1) / to * to;
  Tally tally = { l, bases, n };
  each_path (l->m, tally_path, &tally);
  if (enough (l))
    return;
  tally.n_bases = common_bases (l, bases, 8);
  each_path (l->m, tally_path, &tally);
}

bool
ntff_learn (const NtffMessage *m, const GArray *runs, GArray *arrays, NtffFound *found)
{
  if (learn_inline (m, runs, arrays)) {
    found->inlined = true;
    return true;
  }
  Learn l = { .m = m, .tail = g_array_new (FALSE, FALSE, sizeof (NtffRun)) };
  for (guint i = 0; i < runs->len; i++)
    if (g_array_index (runs, NtffRun, i).at >= m->end)
      g_array_append_val (l.tail, g_array_index (runs, NtffRun, i));
  if (l.tail->len)
    learn_pair (&l);
  bool learned = l.tail->len && enough (&l);
  for (guint i = 0; learned && i < l.best->len; i++) {
    const Range *r = &g_array_index (l.best, Range, i);
    if (r->at > m->len || m->len - r->at < NTFF_RECORD)
      continue; /* a file that is cut */
    NtffArray array = {
      .at = r->at, .n = MIN (r->size, m->len - r->at) / NTFF_RECORD, .node = r->node, .cc_core = -1
    };
    g_array_append_val (arrays, array);
  }
  found->base = l.base;
  g_clear_pointer (&l.best, g_array_unref);
  g_array_unref (l.tail);
  return learned;
}
