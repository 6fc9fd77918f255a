/* SPDX-License-Identifier: Apache-2.0 */
/* groups.c - finds groups of rows. The category is that of the label; the layer is what the row
 * states, else that of the path of its operator as tables layers and modules have it; operator,
 * source and step are what the row states, the step as the decoder knows it by launches, so no time
 * of a step is asked. */

#include "groups.h"
#include "console/text-number.h"
#include "strips.h"

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

const char *const np_groupings[NP_N_GROUPINGS]
    = { "category", "layer", "step", "operator", "source" };

/* Attributes that say of which group a row is, the first that it has. */
static const char *const told_by[NP_N_GROUPINGS][2] = {
  [NP_GROUP_LAYER] = { NPROF_KEY_LAYER, NPROF_KEY_FRAMEWORK_OP },
  [NP_GROUP_STEP] = { NPROF_KEY_STEP },
  [NP_GROUP_OPERATOR] = { NPROF_KEY_FRAMEWORK_OP },
  [NP_GROUP_SOURCE] = { NPROF_KEY_SOURCE },
};

/* -- Names ----------------------------------------------------------------------------------- */

static guint32
group_named (Keys *k, const char *name)
{
  return np_text_number (k->by_name, k->names, name);
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

/* Returns the group of rows with that value of an attribute; NONE: it says nothing. */
static guint32
name_value (Keys *k, guint attribute, guint64 value)
{
  if (k->by == NP_GROUP_STEP) {
    g_autofree char *step = g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) value);
    return group_named (k, step);
  }
  const char *text = np_ask_string (k->ask, (guint32) value);
  g_autofree char *name = attribute ? an_layer_of_path (text) : g_strdup (text);
  return name && *name ? group_named (k, name) : NONE;
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
  const Attribute *a = &k->attribute[attribute];
  const char *name = told_by[k->by][attribute];
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

/* -- Blocks of rows: what neighbours have in common is looked for once ------------------------- */

typedef struct {
  const struct nprof_store_block *b;
  const struct nprof_store_column *label, *shape, *set;
} Columns;

static Columns
columns_of (const struct nprof_store_block *b)
{
  return (Columns){ b, nprof_store_column (b, NPROF_STORE_C_LABEL),
                    nprof_store_column (b, NPROF_STORE_C_SHAPE),
                    nprof_store_column (b, NPROF_STORE_C_SET) };
}

static guint64
number_in (const Columns *c, const struct nprof_store_column *column, guint32 i)
{
  return (guint64) nprof_store_get (c->b, column, i);
}

/* This column of a block holds an attribute of the rows of a shape. */
typedef struct {
  guint64 shape;
  guint32 key; /* NONE: they have it not */
  const struct nprof_store_column *column;
} Own;

static void
find_own (const Keys *k, const Attribute *a, const Columns *c, guint64 shape, Own *own)
{
  own->shape = shape;
  own->key = shape < k->n_shapes ? a->column[shape] : NONE;
  own->column = own->key < NONE ? nprof_store_column (c->b, NPROF_STORE_C_ATTR + own->key) : NULL;
}

/* Puts the groups that an attribute tells of rows which have none yet. */
static void
tell (const Keys *k, const Attribute *a, const Columns *c, guint32 *groups)
{
  Own own = { .shape = G_MAXUINT64 };
  guint64 value = 0;
  guint32 group = UNSEEN; /* of the value */
  for (guint32 i = 0; i < c->b->n; i++) {
    guint64 shape = number_in (c, c->shape, i);
    if (groups[i] < NONE)
      continue;
    if (shape != own.shape)
      find_own (k, a, c, shape, &own);
    if (own.key >= NONE) {
      guint64 set = number_in (c, c->set, i);
      groups[i] = set < k->n_sets ? a->set[set] : NONE;
      continue;
    }
    guint64 next = number_in (c, own.column, i);
    if (next != value || group == UNSEEN)
      group = GPOINTER_TO_UINT (g_hash_table_lookup (a->group, &next)) - 1;
    value = next;
    groups[i] = group;
  }
}

/* Puts the group of each row of a block, as they were met; NONE or UNSEEN: they state none. */
static void
find_groups_of_block (const Keys *k, const struct nprof_store_block *b, guint32 *groups)
{
  Columns c = columns_of (b);
  for (guint32 i = 0; i < b->n; i++) {
    guint64 label = k->by == NP_GROUP_CATEGORY ? number_in (&c, c.label, i) : k->n_labels;
    groups[i] = label < k->n_labels ? k->label[label] : NONE;
  }
  for (guint a = 0; a < k->n_attributes; a++)
    tell (k, &k->attribute[a], &c, groups);
}

static void
look_at_label (Keys *k, guint64 label)
{
  if (k->by != NP_GROUP_CATEGORY || label >= k->n_labels || k->label[label] != UNSEEN)
    return;
  const char *category = np_label_category (k->ask, (guint32) label);
  k->label[label] = *category ? group_named (k, category) : group_of_none (k);
}

static void
look_at_attribute (Keys *k, guint attribute, const Columns *c)
{
  Attribute *a = &k->attribute[attribute];
  Own own = { .shape = G_MAXUINT64 };
  guint64 value = 0, last = G_MAXUINT64;
  for (guint32 i = 0; i < c->b->n; i++) {
    guint64 shape = number_in (c, c->shape, i), set = number_in (c, c->set, i);
    if (set != last && set < k->n_sets && a->set[set] == UNSEEN)
      look_at_set (k, attribute, set);
    last = set;
    if (shape != own.shape) {
      if (shape < k->n_shapes && a->column[shape] == UNSEEN)
        look_at_shape (k, attribute, shape);
      find_own (k, a, c, shape, &own);
      if (own.key < NONE)
        look_at_value (k, attribute, value = number_in (c, own.column, i));
    } else if (own.key < NONE && number_in (c, own.column, i) != value) {
      look_at_value (k, attribute, value = number_in (c, own.column, i));
    }
  }
}

/* Looks at what the rows of a block refer to, so that their groups can be found. */
static void
look_at_block (Keys *k, const struct nprof_store_block *b)
{
  Columns c = columns_of (b);
  for (guint32 i = 0; k->by == NP_GROUP_CATEGORY && i < b->n; i++)
    look_at_label (k, number_in (&c, c.label, i));
  for (guint a = 0; a < k->n_attributes; a++)
    look_at_attribute (k, a, &c);
}

/* -- All rows ---------------------------------------------------------------------------------- */

static gboolean
is_drawn (const struct nprof_store_lane *lane)
{
  return lane->type != NPROF_STORE_LANE_FLOW && lane->type != NPROF_STORE_LANE_FACT;
}

/* This is known of a group while rows are looked at. */
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
  guint32 groups[NPROF_STORE_ROWS];
  const struct nprof_store_column *start = nprof_store_column (b, NPROF_STORE_C_START);
  look_at_block (k, b);
  find_groups_of_block (k, b, groups);
  for (guint32 i = 0; i < b->n; i++) {
    Seen *one = seen_at (seen, groups[i] < NONE ? groups[i] : group_of_none (k));
    one->rows++;
    one->first = MIN (one->first, (gint64) nprof_store_get (b, start, i));
  }
}

/* All of a counter is of the group of its label. */
static void
take_counter (Keys *k, const struct nprof_store_lane *lane, const struct nprof_store_block *b,
              GArray *seen)
{
  guint32 groups[NPROF_STORE_ROWS] = { NONE };
  if (k->by == NP_GROUP_CATEGORY) {
    look_at_block (k, b);
    find_groups_of_block (k, b, groups);
  }
  Seen *one = seen_at (seen, groups[0] < NONE ? groups[0] : group_of_none (k));
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

/* -- Their order ------------------------------------------------------------------------------- */

typedef struct {
  const Keys *k;
  const Seen *seen;
} Order;

/* Categories by name, layers, operators and sources as they first ran, steps by number; what states
 * none is last. */
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

/* -- All of it --------------------------------------------------------------------------------- */

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
  for (guint i = 0; i < G_N_ELEMENTS (told_by[by]) && told_by[by][i]; i++)
    attribute_init (k, by == NP_GROUP_STEP);
  return k;
}

void
np_groups_free (NpGroups *groups)
{
  Keys *k = groups ? groups->keys : NULL;
  if (!groups)
    return;
  np_strip_shelf_free (groups->shelf);
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
  *groups
      = (NpGroups){ .by = by,
                    .names = g_ptr_array_new (),
                    .parts = g_array_new (FALSE, FALSE, sizeof (NpGroupRows)),
                    .keys = keys_new (ask, by),
                    .shelf = np_strip_shelf_new (nprof_store_n (ask->store, NPROF_STORE_S_LANES)) };
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
  if (!p->groups[by]) {
    p->groups[by] = find_groups (ask, by);
    if (p->groups[by])
      np_profile_own (p, p->groups[by], (GDestroyNotify) np_groups_free);
  }
  NpGroups *groups = p->groups[by];
  pthread_mutex_unlock (&p->grouping);
  return groups;
}

/* -- Of which a row is ------------------------------------------------------------------------- */

/* Returns the number of a group as it was met. */
static guint32
place_of (const NpGroups *groups, guint32 met)
{
  const Keys *k = groups->keys;
  guint32 group = met < NONE ? met : k->none;
  return group < groups->names->len ? k->place[group] : G_MAXUINT32;
}

guint32
np_group_at (NpGroupReader *r, const struct nprof_store_block *block, guint32 i)
{
  if (r->block != block) {
    r->block = block;
    find_groups_of_block (r->groups->keys, block, r->group);
    for (guint32 k = 0; k < block->n; k++)
      r->group[k] = place_of (r->groups, r->group[k]);
  }
  return r->group[i];
}

gboolean
np_group_of_lane (NpAsk *ask, const NpGroups *groups, guint32 lane, guint32 *group)
{
  NpGroupReader reader = { .groups = groups };
  *group = place_of (groups, NONE);
  if (groups->by != NP_GROUP_CATEGORY)
    return TRUE;
  const struct nprof_store_block *b = nprof_store_rows (ask->query, lane, 0);
  if (b)
    *group = np_group_at (&reader, b, 0);
  return b != NULL;
}

gboolean
np_group_of_row (NpAsk *ask, NpGroupReader *reader, struct nprof_row row, guint32 *group)
{
  const struct nprof_store_lane *lane = nprof_store_lane_at (ask->store, row.lane);
  *group = G_MAXUINT32;
  if (!lane || !is_drawn (lane))
    return TRUE;
  if (lane->type == NPROF_STORE_LANE_COUNTER)
    return np_group_of_lane (ask, reader->groups, row.lane, group);
  const struct nprof_store_block *b
      = nprof_store_rows (ask->query, row.lane, row.row / NPROF_STORE_ROWS);
  if (b)
    *group = np_group_at (reader, b, row.row % NPROF_STORE_ROWS);
  return b != NULL;
}
