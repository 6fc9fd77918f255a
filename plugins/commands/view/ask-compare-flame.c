/* SPDX-License-Identifier: Apache-2.0 */
/* ask-compare-flame.c - answers route compare/flame: the stacks of two profiles as one tree, with
 * what each took in both. Kernels that nprof diff takes for one that was renamed are one here,
 * too. */

#include "base/error.h"
#include "compare.h"
#include "flame.h"
#include "stored/cells.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define MAX_NODES 20000 /* that are sent */
/* A smaller change is none, as nprof diff has it; of a stack it is unknown what steps vary by. */
#define FLOOR 0.02

/* One of the profiles. */
typedef struct {
  NpAsk ask;        /* the question, of this profile */
  gint64 t0, t1;    /* what is looked at */
  guint64 steps;    /* whole ones in it; 0: it has none, and all of it is looked at */
  GArray *nodes;    /* of NpStack */
  GPtrArray *texts; /* of names of nodes; NULL: they are strings of the store */
} Side;

/* A stack of both. */
typedef struct {
  guint32 parent;
  const char *name;
  const char *renamed;      /* its name in the other profile; NULL: the same */
  gint64 self[2], total[2]; /* ps */
  guint64 count[2];
} Pair;

/* -- Profiles ---------------------------------------------------------------------------- */

static int
is_over (void *ask)
{
  return np_ask_is_over (ask);
}

/* Opens the profile that a parameter names; FALSE: the reply says why not. */
static gboolean
side_open (Side *side, NpAsk *ask, const char *param)
{
  const char *id = np_request_param (ask->request, param);
  if (!id)
    return np_ask_missing (ask, param);
  side->ask = *ask;
  side->ask.id = id;
  side->ask.profile = np_ask_hold (ask, id);
  if (!side->ask.profile)
    return FALSE;
  side->ask.store = side->ask.profile->store;
  side->ask.query = np_profile_query (side->ask.profile);
  if (!side->ask.query)
    return np_reply_fail (ask->reply, 507, "", "%s", np_error_words (ENOMEM));
  side->ask.query->stop = is_over;
  side->ask.query->user = ask;
  return TRUE;
}

static void
side_clear (Side *side)
{
  if (side->nodes)
    g_array_unref (side->nodes);
  if (side->texts)
    g_ptr_array_unref (side->texts);
  if (side->ask.query)
    np_profile_give_back (side->ask.profile, side->ask.query);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Side, side_clear)

/* Returns the row's input and device, and its step where that is `named`. */
static char *
step_key (const NpCells *steps, guint64 row, gboolean named)
{
  g_autofree char *input = np_cells_text (steps, row, "input"),
                  *device = np_cells_text (steps, row, "device"),
                  *step = named ? np_cells_text (steps, row, "step") : NULL;
  return g_strjoin ("\n", input ? input : "", device ? device : "", step ? step : "", NULL);
}

/* Counts a step of a device, which two threads may have by the same name, and returns how many of
 * that device there are so far. */
static guint
count_step (GHashTable *counts, const NpCells *steps, guint64 row)
{
  char *device = step_key (steps, row, FALSE);
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (counts, device))
            + g_hash_table_add (counts, step_key (steps, row, TRUE));
  g_hash_table_insert (counts, device, GUINT_TO_POINTER (n));
  return n;
}

/* Finds from where to where its whole steps are; the device with most of them says how many. */
static void
find_steps (Side *side)
{
  g_autoptr (GHashTable) counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_auto (NpCells) steps = { 0 };
  gint64 start, duration, cut;
  np_ask_cells (&side->ask, &steps, "steps");
  for (guint64 i = 0; i < steps.rows; i++) {
    if (!np_cells_i64 (&steps, i, "start_ns", &start)
        || !np_cells_i64 (&steps, i, "duration_ns", &duration)
        || (np_cells_i64 (&steps, i, "cut", &cut) && cut))
      continue;
    guint n = count_step (counts, &steps, i);
    side->t0 = side->steps ? MIN (side->t0, start) : start;
    side->t1 = side->steps ? MAX (side->t1, start + duration) : start + duration;
    side->steps = MAX (side->steps, n);
  }
}

static void
take_all (Side *side)
{
  const struct nprof_store_meta *meta = side->ask.profile->meta;
  gboolean empty = meta->first > meta->last;
  side->t0 = empty ? 0 : meta->first;
  side->t1 = empty ? 0 : meta->last;
  side->steps = 0;
}

/* By launch; FALSE: the reply is 202, or says why. */
static gboolean
side_launched (Side *side)
{
  const gint64 window[] = { side->t0, side->t1 };
  side->texts = g_ptr_array_new_with_free_func (g_free);
  side->nodes = np_flame_launched (&side->ask, side->steps ? window : NULL, side->texts);
  return side->nodes != NULL;
}

static gboolean
side_stack (Side *side, const char *param, guint by)
{
  const char *text = np_request_param (side->ask.request, param);
  g_autoptr (GArray) tracks = np_tracks_of (&side->ask, param, text ? text : "");
  if (tracks && by == NP_STACK_LAUNCH)
    return side_launched (side);
  side->nodes = tracks ? np_flame (&side->ask, side->t0, side->t1, tracks, NULL, by) : NULL;
  if (!side->nodes && side->ask.reply->status == 200)
    np_reply_fail (side->ask.reply, 422, "read the profile again from its source", "%s",
                   side->ask.query->error);
  return side->nodes != NULL;
}

/* -- One tree ---------------------------------------------------------------------------- */

static gboolean
is_in (const Pair *pair, guint k)
{
  return pair->count[k] || pair->total[k];
}

static guint
pair_hash (gconstpointer key)
{
  const Pair *p = key;
  return g_str_hash (p->name) ^ p->parent * 2654435761u;
}

static gboolean
pair_equal (gconstpointer a, gconstpointer b)
{
  const Pair *x = a, *y = b;
  return x->parent == y->parent && !strcmp (x->name, y->name);
}

/* Returns the number of the stack in the tree, made when it is new. */
static guint32
pair_at (GPtrArray *pairs, GHashTable *find, guint32 parent, const char *name)
{
  Pair key = { .parent = parent, .name = name };
  gpointer found = g_hash_table_lookup (find, &key);
  if (found)
    return GPOINTER_TO_UINT (found);
  Pair *pair = g_memdup2 (&key, sizeof key);
  g_hash_table_insert (find, pair, GUINT_TO_POINTER (pairs->len));
  g_ptr_array_add (pairs, pair);
  return pairs->len - 1;
}

/* Returns the number of the stack of the base that has the name it was renamed from, below the same
 * one; 0: there is none, or the base has this name there as well. */
static guint32
renamed_from (const GPtrArray *pairs, GHashTable *find, GHashTable *renames, guint32 parent,
              const char *name)
{
  const char *old = renames ? g_hash_table_lookup (renames, name) : NULL;
  Pair key = { .parent = parent, .name = name };
  if (!old || g_hash_table_contains (find, &key))
    return 0;
  key.name = old;
  guint32 found = GPOINTER_TO_UINT (g_hash_table_lookup (find, &key));
  return found && is_in (g_ptr_array_index (pairs, found), 0) ? found : 0;
}

/* Returns the number of a stack of a side. */
static guint32
number_of (GPtrArray *pairs, GHashTable *find, GHashTable *renames, guint32 parent,
           const char *name)
{
  guint32 old = renamed_from (pairs, find, renames, parent, name);
  if (!old)
    return pair_at (pairs, find, parent, name);
  ((Pair *) g_ptr_array_index (pairs, old))->renamed = name;
  return old;
}

static const char *
name_of (const Side *side, const NpStack *node)
{
  return side->texts ? g_ptr_array_index (side->texts, node->name)
                     : np_ask_string (&side->ask, node->name);
}

/* Adds the stacks of a side, whose parents come before them. Number 0 is all of them. `renames`:
 * new names and their old ones; NULL: there is none. */
static void
add_side (GPtrArray *pairs, GHashTable *find, const Side *side, guint k, GHashTable *renames)
{
  g_autofree guint32 *numbers = g_new0 (guint32, side->nodes->len + 1);
  for (guint i = 0; i < side->nodes->len; i++) {
    const NpStack *node = &g_array_index (side->nodes, NpStack, i);
    if (i)
      numbers[i] = number_of (pairs, find, renames, numbers[node->parent], name_of (side, node));
    Pair *pair = g_ptr_array_index (pairs, numbers[i]);
    pair->self[k] += node->self;
    pair->total[k] += node->total;
    pair->count[k] += node->count;
  }
}

/* Returns Pair, of which each hangs below one before it; 0 is the root.  Transfer full. */
static GPtrArray *
join (const Side *sides, GHashTable *renames)
{
  GPtrArray *pairs = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) find = g_hash_table_new (pair_hash, pair_equal);
  g_ptr_array_add (pairs, g_new0 (Pair, 1));
  for (guint k = 0; k < 2; k++)
    add_side (pairs, find, &sides[k], k, k ? renames : NULL);
  return pairs;
}

/* -- The answer -------------------------------------------------------------------------- */

/* Returns ps a step, or of the recording; NAN: the side has no such stack. */
static double
each_of (const Side *sides, const Pair *pair, guint k)
{
  return is_in (pair, k) ? (double) pair->total[k] / (double) MAX (sides[k].steps, 1) : NAN;
}

typedef struct {
  const Side *sides;
  const GPtrArray *pairs;
} Order;

static double
weight_of (const Order *order, guint number)
{
  const Pair *pair = g_ptr_array_index (order->pairs, number);
  return fmax (each_of (order->sides, pair, 0), each_of (order->sides, pair, 1));
}

static int
by_weight (gconstpointer a, gconstpointer b, gpointer user)
{
  guint x = *(const guint *) a, y = *(const guint *) b;
  double of_x = weight_of (user, x), of_y = weight_of (user, y);
  return of_x != of_y ? (of_x < of_y ? 1 : -1) : (x > y) - (x < y);
}

static void
put_times (NpJson *j, const char *key, const Pair *pair, const gint64 *times)
{
  np_json_array (j, key);
  for (guint k = 0; k < 2; k++)
    if (is_in (pair, k))
      np_json_i64 (j, NULL, times[k]);
    else
      np_json_null (j, NULL);
  np_json_end_array (j);
}

/* Says in a word what became of it. */
static const char *
mark_of (double base, double new)
{
  if (isnan (base) || isnan (new))
    return isnan (base) ? "added" : "removed";
  if (fabs (new - base) <= FLOOR * base)
    return "same";
  return new > base ? "slower" : "faster";
}

static void
put_node (NpJson *j, const Order *order, guint number)
{
  const Pair *pair = g_ptr_array_index (order->pairs, number);
  double base = each_of (order->sides, pair, 0), new = each_of (order->sides, pair, 1);
  np_json_object (j, NULL);
  np_json_number (j, "id", number);
  np_json_number (j, "parent", pair->parent);
  np_json_text (j, "name", pair->name);
  np_json_text (j, "renamed", pair->renamed);
  put_times (j, "self", pair, pair->self);
  put_times (j, "total", pair, pair->total);
  np_json_array (j, "count");
  np_json_number (j, NULL, pair->count[0]);
  np_json_number (j, NULL, pair->count[1]);
  np_json_end_array (j);
  np_json_array (j, "each_ps");
  np_json_double_or_null (j, NULL, base);
  np_json_double_or_null (j, NULL, new);
  np_json_end_array (j);
  np_json_double_or_null (j, "change", base > 0 ? new / base - 1 : NAN);
  np_json_text (j, "mark", mark_of (base, new));
  np_json_end_object (j);
}

static void
put_nodes (NpJson *j, const Order *order)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 1; i < order->pairs->len; i++)
    if (is_in (order->pairs->pdata[i], 0) || is_in (order->pairs->pdata[i], 1))
      g_array_append_val (numbers, i);
  g_array_sort_with_data (numbers, by_weight, (gpointer) order);
  np_json_array (j, "nodes");
  for (guint i = 0; i < numbers->len && i < MAX_NODES; i++)
    put_node (j, order, g_array_index (numbers, guint, i));
  np_json_end_array (j);
  np_json_number (j, "left_out", numbers->len > MAX_NODES ? numbers->len - MAX_NODES : 0);
}

static void
put_answer (NpJson *j, const Side *sides, guint by, GHashTable *renames)
{
  static const char *const needs[] = { "needs spans that last, which neither profile has here",
                                       "needs layers, which no row of either profile has",
                                       "needs source lines, which no row of either profile has",
                                       "needs work of devices, which neither profile has here" };
  g_autoptr (GPtrArray) pairs = join (sides, renames);
  Order order = { sides, pairs };
  Pair *root = g_ptr_array_index (pairs, 0);
  np_json_object (j, NULL);
  np_json_text (j, "per", sides[0].steps ? "step" : "recording");
  np_json_array (j, "steps");
  for (guint k = 0; k < 2; k++)
    if (sides[k].steps)
      np_json_number (j, NULL, sides[k].steps);
    else
      np_json_null (j, NULL);
  np_json_end_array (j);
  np_json_array (j, "total");
  np_json_i64 (j, NULL, root->total[0]);
  np_json_i64 (j, NULL, root->total[1]);
  np_json_end_array (j);
  put_nodes (j, &order);
  if (pairs->len == 1)
    np_json_text (j, "unknown", needs[by]);
  np_json_end_object (j);
}

/* -- Renamed kernels --------------------------------------------------------------------- */

/* Notes under a name that it goes with another; "": with several, as devices pair it unlike each
 * other. */
static void
add_way (GHashTable *ways, const char *from, const char *to)
{
  const char *other = g_hash_table_lookup (ways, from);
  if (!other)
    g_hash_table_insert (ways, g_strdup (from), g_strdup (to));
  else if (strcmp (other, to))
    g_hash_table_insert (ways, g_strdup (from), g_strdup (""));
}

/* Returns whether the old name of an entry goes with its new one alone; `user` has new names by old
 * ones. */
static gboolean
is_doubtful (gpointer new, gpointer old, gpointer user)
{
  return g_strcmp0 (g_hash_table_lookup (user, old), new) != 0;
}

static void
add_renames (GHashTable *renames, GHashTable *back, const GArray *lines)
{
  for (guint i = 0; i < lines->len; i++) {
    const NpDiffLine *line = &g_array_index (lines, NpDiffLine, i);
    add_way (renames, line->renamed, line->name);
    add_way (back, line->name, line->renamed);
  }
}

/* Returns new names of kernels, each with the one that it has in the base as nprof diff pairs them;
 * NULL: the reply is 202, or says why it is unknown. Transfer full. */
static GHashTable *
renames_of (NpAsk *ask)
{
  const char *ids[]
      = { np_request_param (ask->request, "a"), np_request_param (ask->request, "b"), NULL };
  g_autoptr (GPtrArray) diffs = np_compare_diffs (ask, ids, NP_DIFF_BY_KERNELS);
  if (!diffs)
    return NULL;
  const GPtrArray *comparisons = ((const NpCompared *) diffs->pdata[0])->report.comparisons;
  GHashTable *renames = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GHashTable) back = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; i < comparisons->len; i++)
    add_renames (renames, back, ((const NpDiffComparison *) comparisons->pdata[i])->renamed);
  g_hash_table_foreach_remove (renames, is_doubtful, back);
  return renames;
}

gboolean
np_ask_compare_flame (NpAsk *ask)
{
  g_auto (Side) base = { 0 }, new = { 0 };
  g_autoptr (GHashTable) renames = NULL;
  Side sides[2];
  guint by;
  if (!np_ask_word (ask, "by", "name|layer|source|launch", &by) || !side_open (&base, ask, "a")
      || !side_open (&new, ask, "b"))
    return FALSE;
  if ((by == NP_STACK_NAME || by == NP_STACK_LAUNCH) && !(renames = renames_of (ask)))
    return ask->reply->status == 202;
  find_steps (&base);
  find_steps (&new);
  if (!base.steps || !new.steps) {
    take_all (&base);
    take_all (&new);
  }
  if (!side_stack (&base, "a_tracks", by) || !side_stack (&new, "b_tracks", by))
    return ask->reply->status == 202;
  sides[0] = base;
  sides[1] = new;
  put_answer (&ask->json, sides, by, renames);
  return TRUE;
}
