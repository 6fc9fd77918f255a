/* SPDX-License-Identifier: Apache-2.0 */
/* join.c - operators with a parent are summed by it as they come; the others are kept, and find
 * their execution at the end: the one that starts last of those around them. */
#include "join.h"

typedef struct { /* operators of one parent, PE and execution_index */
  guint64 id;
  gint64 pe, index;
  guint64 n;
  FuWide run;
} Sum;

typedef struct {
  FuKey key;
  guint number;
} Execution;

typedef struct {
  FuKey key;
  gint64 ns;
} Operator;

struct _FuJoin {
  GHashTable *sums;  /* of Sum                            */
  GArray *by_id;     /* of Execution, with ids            */
  GArray *by_time;   /* of Execution, without             */
  GArray *operators; /* of Operator, without parents      */
  GArray *runs;      /* of FuRun                          */
  guint n_executions;
};

static guint
sum_hash (gconstpointer p)
{
  const Sum *s = p;
  guint64 h = s->id ^ (guint64) s->pe * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)
              ^ (guint64) s->index * G_GUINT64_CONSTANT (0xc2b2ae3d27d4eb4f);
  return (guint) (h ^ h >> 32);
}

static gboolean
sum_equal (gconstpointer pa, gconstpointer pb)
{
  const Sum *a = pa, *b = pb;
  return a->id == b->id && a->pe == b->pe && a->index == b->index;
}

FuJoin *
fu_join_new (void)
{
  FuJoin *join = g_new0 (FuJoin, 1);
  join->sums = g_hash_table_new_full (sum_hash, sum_equal, g_free, NULL);
  join->by_id = g_array_new (FALSE, FALSE, sizeof (Execution));
  join->by_time = g_array_new (FALSE, FALSE, sizeof (Execution));
  join->operators = g_array_new (FALSE, FALSE, sizeof (Operator));
  join->runs = g_array_new (FALSE, FALSE, sizeof (FuRun));
  return join;
}

void
fu_join_free (FuJoin *join)
{
  if (!join)
    return;
  g_hash_table_unref (join->sums);
  g_array_unref (join->by_id);
  g_array_unref (join->by_time);
  g_array_unref (join->operators);
  g_array_unref (join->runs);
  g_free (join);
}

void
fu_join_execution (FuJoin *join, const FuKey *key)
{
  Execution e = { *key, join->n_executions++ };
  g_array_append_val (key->id ? join->by_id : join->by_time, e);
}

void
fu_join_operator (FuJoin *join, const FuKey *key, gint64 ns)
{
  if (!key->id) {
    Operator op = { *key, ns };
    g_array_append_val (join->operators, op);
    return;
  }
  const Sum wanted = { .id = key->id, .pe = key->pe, .index = key->execution };
  Sum *sum = g_hash_table_lookup (join->sums, &wanted);
  if (!sum) {
    sum = g_memdup2 (&wanted, sizeof wanted);
    g_hash_table_add (join->sums, sum);
  }
  sum->n++;
  sum->run += ns;
}

static int
compare (gint64 a, gint64 b)
{
  return (a > b) - (a < b);
}

/* -- By id ------------------------------------------------------------------------------- */

static int
by_id (const void *pa, const void *pb)
{
  const Execution *a = pa, *b = pb;
  if (a->key.id != b->key.id)
    return a->key.id < b->key.id ? -1 : 1;
  return compare (a->number, b->number);
}

/* Returns the first of that id. */
static guint
find_id (const GArray *executions, guint64 id)
{
  guint low = 0, high = executions->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (g_array_index (executions, Execution, middle).key.id < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void
add_run (FuJoin *join, guint execution, gint64 pe, gint64 index, FuWide ns)
{
  const FuRun run = { execution, pe, index, ns };
  g_array_append_val (join->runs, run);
}

static void
join_ids (FuJoin *join, guint64 *strays)
{
  GHashTableIter iter;
  gpointer value;
  g_array_sort (join->by_id, by_id);
  g_hash_table_iter_init (&iter, join->sums);
  while (g_hash_table_iter_next (&iter, &value, NULL)) {
    const Sum *sum = value;
    guint from = find_id (join->by_id, sum->id), i = from;
    for (; i < join->by_id->len; i++) {
      const Execution *e = &g_array_index (join->by_id, Execution, i);
      if (e->key.id != sum->id)
        break;
      add_run (join, e->number, sum->pe, sum->index, sum->run);
    }
    *strays += i == from ? sum->n : 0;
  }
}

/* -- By time ------------------------------------------------------------------------------- */

static int
by_place (const FuKey *a, const FuKey *b)
{
  if (a->pe != b->pe)
    return compare (a->pe, b->pe);
  if (a->execution != b->execution)
    return compare (a->execution, b->execution);
  return compare (a->start, b->start);
}

static int
by_time (const void *pa, const void *pb)
{
  const Execution *a = pa, *b = pb;
  int order = by_place (&a->key, &b->key);
  return order ? order : compare (a->number, b->number);
}

/* It is a tree over the ends of executions: node k holds the latest of those below it. */
typedef struct {
  gint64 *latest;
  guint leaves;
} Tree;

static Tree
tree_of (const GArray *executions)
{
  Tree tree = { .leaves = 1 };
  while (tree.leaves < executions->len)
    tree.leaves *= 2;
  tree.latest = g_new (gint64, 2 * (gsize) tree.leaves);
  for (guint i = 0; i < tree.leaves; i++)
    tree.latest[tree.leaves + i]
        = i < executions->len ? g_array_index (executions, Execution, i).key.end : G_MININT64;
  for (guint k = tree.leaves - 1; k > 0; k--)
    tree.latest[k] = MAX (tree.latest[2 * k], tree.latest[2 * k + 1]);
  return tree;
}

/* Returns the last of the first n that ends no sooner than `end`; n: there is none. */
static guint
tree_last (const Tree *tree, guint n, gint64 end)
{
  guint k = tree->leaves + n; /* all to its left */
  if (n == tree->leaves)
    k = 1;
  else
    for (; k > 1 && !(k % 2 == 1 && tree->latest[k - 1] >= end); k /= 2)
      ;
  if (n != tree->leaves)
    k--;
  if (k == 0 || tree->latest[k] < end)
    return n;
  while (k < tree->leaves)
    k = tree->latest[2 * k + 1] >= end ? 2 * k + 1 : 2 * k;
  return k - tree->leaves;
}

/* Counts those that begin no later than the operator, of its place or before it. */
static guint
count_before (const GArray *executions, const FuKey *key)
{
  guint low = 0, high = executions->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (by_place (&g_array_index (executions, Execution, middle).key, key) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void
join_times (FuJoin *join, guint64 *strays)
{
  g_array_sort (join->by_time, by_time);
  Tree tree = tree_of (join->by_time);
  g_autofree FuWide *sums = g_new0 (FuWide, join->by_time->len + 1);
  g_autofree gboolean *any = g_new0 (gboolean, join->by_time->len + 1);
  for (guint i = 0; i < join->operators->len; i++) {
    const Operator *op = &g_array_index (join->operators, Operator, i);
    guint n = count_before (join->by_time, &op->key), at = tree_last (&tree, n, op->key.end);
    const FuKey *around = at < n ? &g_array_index (join->by_time, Execution, at).key : NULL;
    if (!around || around->pe != op->key.pe || around->execution != op->key.execution) {
      ++*strays;
      continue;
    }
    sums[at] += op->ns;
    any[at] = TRUE;
  }
  for (guint i = 0; i < join->by_time->len; i++) {
    const Execution *e = &g_array_index (join->by_time, Execution, i);
    if (any[i])
      add_run (join, e->number, e->key.pe, e->key.execution, sums[i]);
  }
  g_free (tree.latest);
}

/* -- Both ------------------------------------------------------------------------------------ */

static int
by_run (const void *pa, const void *pb)
{
  const FuRun *a = pa, *b = pb;
  if (a->execution != b->execution)
    return compare (a->execution, b->execution);
  return a->pe != b->pe ? compare (a->pe, b->pe) : compare (a->index, b->index);
}

const GArray *
fu_join_finish (FuJoin *join, guint64 *strays)
{
  *strays = 0;
  join_ids (join, strays);
  join_times (join, strays);
  g_array_sort (join->runs, by_run);
  return join->runs;
}
