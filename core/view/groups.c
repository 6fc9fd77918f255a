/* SPDX-License-Identifier: Apache-2.0 */
/* groups.c - finds groups of rows.  The category is that of the label; the layer is what the row states, else that of the
 * path of its operator as tables layers and modules have it; the step is what the row states, which the decoder knows by
 * launches, so no time of a step is asked. */

#include "view/groups.h"

#include <nprof/keys.h>
#include <string.h>
#include <system/layer-path.h>

#define UNSEEN G_MAXUINT32
#define NONE (G_MAXUINT32 - 1)

/* An attribute of rows: where those of a shape have it, and what shared sets say. */
typedef struct {
  guint32 *column;   /* by shape: key of its column; UNSEEN, NONE */
  guint32 *set;      /* by set: group; UNSEEN, NONE               */
  GHashTable *group; /* of guint64 value: group + 1             */
  gboolean is_number;
} Attribute;

struct NpGroupKeys {
  NpAsk *ask; /* while they are found */
  NpGrouping by;
  guint64 n_labels, n_shapes, n_sets;
  guint32 *label; /* by label: group; UNSEEN */
  Attribute attribute[2];
  guint n_attributes;
  GHashTable *by_name; /* of char *: group + 1 */
  GPtrArray *names;
  guint32 none;   /* group of rows that state none; UNSEEN: there is no such row */
  guint32 *place; /* by group as they were met: its number                        */
};
typedef struct NpGroupKeys Keys;

/* -- Names ----------------------------------------------------------------------------------- */

static guint32
group_named (Keys *k, const char *name)
{
  gpointer known = g_hash_table_lookup (k->by_name, name);
  if (known)
    return GPOINTER_TO_UINT (known) - 1;
  char *own = g_strdup (name);
  g_ptr_array_add (k->names, own);
  g_hash_table_insert (k->by_name, own, GUINT_TO_POINTER (k->names->len));
  return k->names->len - 1;
}

static guint32
group_of_none (Keys *k)
{
  if (k->none == UNSEEN) {
    k->none = k->names->len;
    g_ptr_array_add (k->names, NULL);
  }
  return k->none;
}

/* Returns the group that a value of an attribute stands for; NONE: it says nothing. */
static guint32
name_value (Keys *k, guint attribute, guint64 value)
{
  if (k->by == NP_GROUP_STEP) {
    g_autofree char *step = g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) value);
    return group_named (k, step);
  }
  const char *text = np_ask_string (k->ask, (guint32) value);
  g_autofree char *layer = attribute ? an_layer_of_path (text) : g_strdup (text);
  return layer && *layer ? group_named (k, layer) : NONE;
}

/* -- Attributes -------------------------------------------------------------------------------- */

static guint32 *
unseen (guint64 n)
{
  guint32 *of = g_new (guint32, n + 1);
  memset (of, 0xff, (n + 1) * sizeof *of);
  return of;
}

static void
attribute_init (Keys *k, gboolean is_number)
{
  k->attribute[k->n_attributes++]
      = (Attribute){ unseen (k->n_shapes), unseen (k->n_sets),
                     g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL), is_number };
}

static gboolean
is_wanted (const Keys *k, guint attribute, guint32 key, guint32 type)
{
  static const char *const wanted[] = { NPROF_KEY_LAYER, NPROF_KEY_FRAMEWORK_OP };
  const Attribute *a = &k->attribute[attribute];
  const char *name = k->by == NP_GROUP_STEP ? NPROF_KEY_STEP : wanted[attribute];
  gboolean fits = a->is_number ? type == NPROF_INT64 || type == NPROF_UINT64 : type == NPROF_STRING;
  return fits && !strcmp (np_ask_string (k->ask, key), name);
}

static void
look_at_shape (Keys *k, guint attribute, guint64 shape)
{
  const uint16_t *own;
  uint32_t n;
  guint32 *column = &k->attribute[attribute].column[shape];
  *column = NONE;
  if (!nprof_store_shape (k->ask->query, (guint32) shape, &own, &n))
    return;
  for (guint32 i = 0; i < n; i++) {
    const struct nprof_store_key *key = nprof_store_key_at (k->ask->store, own[i]);
    if (key && is_wanted (k, attribute, key->key, key->type))
      *column = own[i];
  }
}

static void
look_at_set (Keys *k, guint attribute, guint64 set)
{
  const struct nprof_store_value *values;
  uint32_t n;
  guint32 *group = &k->attribute[attribute].set[set];
  *group = NONE;
  if (!nprof_store_set (k->ask->query, (guint32) set, &values, &n))
    return;
  for (guint32 i = 0; i < n; i++)
    if (is_wanted (k, attribute, values[i].key, values[i].type))
      *group = name_value (k, attribute, values[i].value);
}

static guint64
value_of (const struct nprof_store_block *b, guint32 column, guint32 i)
{
  return (guint64) nprof_store_get (b, nprof_store_column (b, NPROF_STORE_C_ATTR + column), i);
}

static guint64
number_in (const struct nprof_store_block *b, guint32 column, guint32 i)
{
  return (guint64) nprof_store_get (b, nprof_store_column (b, column), i);
}

/* Keeps the group of a value that was not seen before. */
static void
look_at_value (Keys *k, guint attribute, guint64 value)
{
  GHashTable *group = k->attribute[attribute].group;
  if (g_hash_table_contains (group, &value))
    return;
  guint64 *own = g_new (guint64, 1);
  *own = value;
  g_hash_table_insert (group, own, GUINT_TO_POINTER (name_value (k, attribute, value) + 1));
}

/* -- Rows -------------------------------------------------------------------------------------- */

/* Returns the group that an attribute tells of a row; NONE: it has none. */
static guint32
told (const Attribute *a, const Keys *k, const struct nprof_store_block *b, guint32 i)
{
  guint64 shape = number_in (b, NPROF_STORE_C_SHAPE, i), set = number_in (b, NPROF_STORE_C_SET, i);
  guint32 column = shape < k->n_shapes ? a->column[shape] : NONE;
  if (column < NONE) {
    guint64 value = value_of (b, column, i);
    return GPOINTER_TO_UINT (g_hash_table_lookup (a->group, &value)) - 1;
  }
  return set < k->n_sets ? a->set[set] : NONE;
}

static guint32
find_group (const Keys *k, const struct nprof_store_block *b, guint32 i)
{
  if (k->by == NP_GROUP_CATEGORY) {
    guint64 label = number_in (b, NPROF_STORE_C_LABEL, i);
    return label < k->n_labels ? k->label[label] : k->none;
  }
  for (guint a = 0; a < k->n_attributes; a++) {
    guint32 group = told (&k->attribute[a], k, b, i);
    if (group < NONE)
      return group;
  }
  return k->none;
}

/* Looks at what a row refers to, so that its group can be found. */
static guint32
look_at_row (Keys *k, const struct nprof_store_block *b, guint32 i)
{
  guint64 label = number_in (b, NPROF_STORE_C_LABEL, i),
          shape = number_in (b, NPROF_STORE_C_SHAPE, i), set = number_in (b, NPROF_STORE_C_SET, i);
  if (k->by == NP_GROUP_CATEGORY && label < k->n_labels && k->label[label] == UNSEEN) {
    const char *category = np_label_category (k->ask, (guint32) label);
    k->label[label] = *category ? group_named (k, category) : group_of_none (k);
  }
  for (guint a = 0; a < k->n_attributes; a++) {
    Attribute *one = &k->attribute[a];
    if (shape < k->n_shapes && one->column[shape] == UNSEEN)
      look_at_shape (k, a, shape);
    if (set < k->n_sets && one->set[set] == UNSEEN)
      look_at_set (k, a, set);
    if (shape < k->n_shapes && one->column[shape] < NONE)
      look_at_value (k, a, value_of (b, one->column[shape], i));
  }
  guint32 group = find_group (k, b, i);
  return group < NONE ? group : group_of_none (k);
}

/* -- All rows ----------------------------------------------------------------------------------- */

static gboolean
is_drawn (const struct nprof_store_lane *lane)
{
  return lane->type != NPROF_STORE_LANE_FLOW && lane->type != NPROF_STORE_LANE_FACT;
}

/* What is known of a group while rows are looked at. */
typedef struct {
  guint64 rows; /* of the lane under way           */
  gint64 first; /* start of the first row of all   */
} Seen;

static Seen *
seen_at (GArray *seen, guint32 group)
{
  for (Seen one = { 0, G_MAXINT64 }; group >= seen->len;)
    g_array_append_val (seen, one);
  return &g_array_index (seen, Seen, group);
}

static void
take_block (Keys *k, const struct nprof_store_block *b, GArray *seen)
{
  for (guint32 i = 0; i < b->n; i++) {
    Seen *one = seen_at (seen, look_at_row (k, b, i));
    one->rows++;
    one->first = MIN (one->first, (gint64) number_in (b, NPROF_STORE_C_START, i));
  }
}

/* All of a counter is of the group of its label. */
static void
take_counter (Keys *k, const struct nprof_store_lane *lane, const struct nprof_store_block *b,
              GArray *seen)
{
  guint32 group = k->by == NP_GROUP_CATEGORY ? look_at_row (k, b, 0) : group_of_none (k);
  Seen *one = seen_at (seen, group);
  one->rows = lane->rows;
  one->first = MIN (one->first, lane->first);
}

static gboolean
take_lane (Keys *k, guint32 number, const struct nprof_store_lane *lane, GArray *seen,
           GArray *parts)
{
  gboolean whole = lane->type == NPROF_STORE_LANE_COUNTER;
  for (guint32 at = 0; at < (whole ? 1 : (lane->rows + NPROF_STORE_ROWS - 1) / NPROF_STORE_ROWS);
       at++) {
    const struct nprof_store_block *b = nprof_store_rows (k->ask->query, number, at);
    if (!b || np_ask_is_over (k->ask))
      return FALSE;
    if (whole)
      take_counter (k, lane, b, seen);
    else
      take_block (k, b, seen);
  }
  for (guint32 group = 0; group < seen->len; group++) {
    NpGroupRows part = { number, group, g_array_index (seen, Seen, group).rows };
    if (part.rows)
      g_array_append_val (parts, part);
    g_array_index (seen, Seen, group).rows = 0;
  }
  return TRUE;
}

/* -- Their order --------------------------------------------------------------------------------- */

typedef struct {
  const Keys *k;
  const Seen *seen;
} Order;

/* Categories by name, layers as they first ran, steps by number; what states none is last. */
static int
compare_groups (gconstpointer a, gconstpointer b, gpointer user)
{
  const Order *o = user;
  guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;
  const char *p = o->k->names->pdata[x], *q = o->k->names->pdata[y];
  if (!p || !q)
    return !p - !q;
  if (o->k->by == NP_GROUP_CATEGORY)
    return strcmp (p, q);
  gint64 m = o->seen[x].first, n = o->seen[y].first;
  if (o->k->by == NP_GROUP_STEP)
    m = g_ascii_strtoll (p, NULL, 10), n = g_ascii_strtoll (q, NULL, 10);
  return m != n ? (m < n ? -1 : 1) : strcmp (p, q);
}

static int
compare_parts (gconstpointer a, gconstpointer b)
{
  const NpGroupRows *x = a, *y = b;
  if (x->group != y->group)
    return x->group < y->group ? -1 : 1;
  return (x->lane > y->lane) - (x->lane < y->lane);
}

/* Numbers groups in their order. */
static void
put_in_order (NpGroups *groups, Keys *k, const GArray *seen)
{
  guint n = k->names->len;
  g_autofree guint32 *sorted = g_new (guint32, n + 1);
  Order order = { k, (const Seen *) (gpointer) seen->data };
  for (guint32 i = 0; i < n; i++)
    sorted[i] = i;
  g_qsort_with_data (sorted, (int) n, sizeof *sorted, compare_groups, &order);
  k->place = g_new (guint32, n + 1);
  for (guint32 i = 0; i < n; i++) {
    k->place[sorted[i]] = i;
    g_ptr_array_add (groups->names, k->names->pdata[sorted[i]]);
  }
  for (guint i = 0; i < groups->parts->len; i++) {
    NpGroupRows *part = &g_array_index (groups->parts, NpGroupRows, i);
    part->group = k->place[part->group];
  }
  g_array_sort (groups->parts, compare_parts);
}

/* -- All of it ------------------------------------------------------------------------------------ */

static Keys *
keys_new (NpAsk *ask, NpGrouping by)
{
  Keys *k = g_new0 (Keys, 1);
  *k = (Keys){ .ask = ask,
               .by = by,
               .n_labels = nprof_store_n (ask->store, NPROF_STORE_S_LABELS),
               .n_shapes = nprof_store_n (ask->store, NPROF_STORE_S_SHAPES),
               .n_sets = nprof_store_n (ask->store, NPROF_STORE_S_SETS),
               .by_name = g_hash_table_new (g_str_hash, g_str_equal),
               .names = g_ptr_array_new_with_free_func (g_free),
               .none = UNSEEN };
  if (by == NP_GROUP_CATEGORY)
    k->label = unseen (k->n_labels);
  for (guint i = 0; i < (by == NP_GROUP_LAYER ? 2 : by == NP_GROUP_STEP ? 1 : 0); i++)
    attribute_init (k, by == NP_GROUP_STEP);
  return k;
}

void
np_groups_free (NpGroups *groups)
{
  Keys *k = groups ? groups->keys : NULL;
  if (!groups)
    return;
  for (guint i = 0; i < k->n_attributes; i++) {
    g_free (k->attribute[i].column);
    g_free (k->attribute[i].set);
    g_hash_table_unref (k->attribute[i].group);
  }
  g_free (k->label);
  g_free (k->place);
  g_hash_table_unref (k->by_name);
  g_ptr_array_unref (k->names);
  g_free (k);
  g_ptr_array_unref (groups->names);
  g_array_unref (groups->parts);
  g_free (groups);
}

static NpGroups *
find_groups (NpAsk *ask, NpGrouping by)
{
  const struct nprof_store_lane *lane;
  g_autoptr (GArray) seen = g_array_new (FALSE, FALSE, sizeof (Seen));
  NpGroups *groups = g_new0 (NpGroups, 1);
  *groups = (NpGroups){ .by = by,
                        .names = g_ptr_array_new (),
                        .parts = g_array_new (FALSE, FALSE, sizeof (NpGroupRows)),
                        .keys = keys_new (ask, by) };
  for (guint32 i = 0; (lane = nprof_store_lane_at (ask->store, i)); i++)
    if (is_drawn (lane) && !take_lane (groups->keys, i, lane, seen, groups->parts)) {
      np_groups_free (groups);
      return NULL;
    }
  put_in_order (groups, groups->keys, seen);
  groups->keys->ask = NULL;
  return groups;
}

const NpGroups *
np_groups_of (NpAsk *ask, NpGrouping by)
{
  NpProfile *p = ask->profile;
  pthread_mutex_lock (&p->grouping);
  if (!p->groups[by])
    p->groups[by] = find_groups (ask, by);
  NpGroups *groups = p->groups[by];
  pthread_mutex_unlock (&p->grouping);
  return groups;
}

/* -- Of which a row is ------------------------------------------------------------------------------ */

guint32
np_group_of (const NpGroups *groups, const struct nprof_store_block *block, guint32 i)
{
  const Keys *k = groups->keys;
  guint32 group = find_group (k, block, i);
  return group < groups->names->len ? k->place[group] : G_MAXUINT32;
}

gboolean
np_group_of_lane (NpAsk *ask, const NpGroups *groups, guint32 lane, guint32 *group)
{
  const Keys *k = groups->keys;
  const struct nprof_store_block *b
      = k->by == NP_GROUP_CATEGORY ? nprof_store_rows (ask->query, lane, 0) : NULL;
  *group = b ? np_group_of (groups, b, 0) : k->none < NONE ? k->place[k->none] : G_MAXUINT32;
  return b || k->by != NP_GROUP_CATEGORY;
}
