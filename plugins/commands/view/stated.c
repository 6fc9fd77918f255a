/* SPDX-License-Identifier: Apache-2.0 */
/* stated.c - the layers, operators, sources, units, collectives and work of labels, which rows have
 * as attributes: that of a label is what all of its rows state. */

#include "ask.h"

#include <nprof/keys.h>
#include <string.h>

/* The names of a profile wait for this: of a larger one the first rows of each lane are looked
 * at. */
#define MOST_ROWS 2000000

enum { NONE = G_MAXUINT32, DIFFER = NONE - 1, UNSEEN = NONE - 2 }; /* beside numbers of strings */

static const char *const keys[NP_N_STATED] = {
  [NP_STATED_LAYER] = NPROF_KEY_LAYER,           [NP_STATED_OPERATOR] = NPROF_KEY_FRAMEWORK_OP,
  [NP_STATED_SOURCE] = NPROF_KEY_SOURCE,         [NP_STATED_UNIT] = NPROF_KEY_UNIT,
  [NP_STATED_COLLECTIVE] = NPROF_KEY_COLLECTIVE, [NP_STATED_WORK] = NPROF_KEY_WORK
};

typedef struct {
  NpAsk *ask;
  const char *key; /* of the attribute */
  guint64 n_labels, n_shapes, n_sets;
  guint32 *of_label;
  guint32 *key_of_shape, *of_set; /* UNSEEN: not looked at yet */
  GHashTable *seen;               /* strings */
  GArray *values;                 /* the same in the order of their first rows */
} Stated;

static gboolean
is_wanted (const Stated *s, guint32 key)
{
  return !strcmp (np_ask_string (s->ask, key), s->key);
}

/* What rows mean is no column of people, and is not declared. */
static gboolean
may_be_stated (const Stated *s)
{
  const struct nprof_store_attribute *a;
  if (!strcmp (s->key, NPROF_KEY_WORK))
    return TRUE;
  for (guint32 i = 0; (a = nprof_store_attribute_at (s->ask->store, i)); i++)
    if (is_wanted (s, a->key))
      return TRUE;
  return FALSE;
}

static guint32 *
unseen (guint64 n)
{
  guint32 *of = g_new (guint32, n + 1);
  for (guint64 i = 0; i < n; i++)
    of[i] = UNSEEN;
  return of;
}

/* Returns the key in which rows of that shape have one of their own; NONE: they have none. */
static guint32
key_of_shape (Stated *s, guint64 shape)
{
  const uint16_t *own;
  uint32_t n;
  if (shape >= s->n_shapes)
    return NONE;
  guint32 *key = &s->key_of_shape[shape];
  if (*key != UNSEEN)
    return *key;
  *key = NONE;
  if (!nprof_store_shape (s->ask->query, (guint32) shape, &own, &n))
    return NONE;
  for (guint32 i = n; i-- > 0;) {
    const struct nprof_store_key *k = nprof_store_key_at (s->ask->store, own[i]);
    if (k && k->type == NPROF_STRING && is_wanted (s, k->key))
      *key = own[i];
  }
  return *key;
}

static guint32
value_of_set (Stated *s, guint64 set)
{
  const struct nprof_store_value *values;
  uint32_t n;
  if (set >= s->n_sets)
    return NONE;
  guint32 *value = &s->of_set[set];
  if (*value != UNSEEN)
    return *value;
  *value = NONE;
  if (!nprof_store_set (s->ask->query, (guint32) set, &values, &n))
    return NONE;
  for (guint32 i = n; i-- > 0;)
    if (values[i].type == NPROF_STRING && is_wanted (s, values[i].key))
      *value = (guint32) values[i].value;
  return *value;
}

static void
take_value (Stated *s, guint32 value)
{
  if (value < UNSEEN && g_hash_table_add (s->seen, GUINT_TO_POINTER (value)))
    g_array_append_val (s->values, value);
}

static void
take_block (Stated *s, const struct nprof_store_block *b)
{
  const struct nprof_store_column *label = nprof_store_column (b, NPROF_STORE_C_LABEL),
                                  *shape = nprof_store_column (b, NPROF_STORE_C_SHAPE),
                                  *set = nprof_store_column (b, NPROF_STORE_C_SET);
  for (guint32 i = 0; i < b->n; i++) {
    guint64 number = (guint64) nprof_store_get (b, label, i);
    guint32 key = key_of_shape (s, (guint64) nprof_store_get (b, shape, i));
    if (number >= s->n_labels)
      continue; /* damaged: route e says so of the row */
    guint32 own
        = key == NONE
              ? value_of_set (s, (guint64) nprof_store_get (b, set, i))
              : (guint32) nprof_store_get (b, nprof_store_column (b, NPROF_STORE_C_ATTR + key), i);
    guint32 *of = &s->of_label[number];
    if (*of != own)
      take_value (s, own);
    *of = *of == UNSEEN || *of == own ? own : DIFFER;
  }
}

static guint32
blocks_of (const struct nprof_store_lane *lane)
{
  return (guint32) ((lane->rows + NPROF_STORE_ROWS - 1) / NPROF_STORE_ROWS);
}

/* Returns how many lists of rows of a lane are looked at. */
static guint32
most_blocks (NpAsk *ask)
{
  guint64 lanes = nprof_store_n (ask->store, NPROF_STORE_S_LANES);
  if (ask->profile->meta->rows <= MOST_ROWS)
    return G_MAXUINT32;
  return (guint32) MAX (1, MOST_ROWS / NPROF_STORE_ROWS / MAX (1, lanes));
}

/* Ends of arrows and facts are not drawn, and may have the name of what is; so may spans that
 * analyzers derive, but their counters have names of their own. */
static gboolean
is_counted (const struct nprof_store_lane *lane)
{
  return lane->type == NPROF_STORE_LANE_COUNTER
         || (!lane->origin && lane->type != NPROF_STORE_LANE_FLOW
             && lane->type != NPROF_STORE_LANE_FACT);
}

static void
take_lanes (Stated *s)
{
  const struct nprof_store_lane *lane;
  guint32 most = most_blocks (s->ask);
  for (guint32 number = 0; (lane = nprof_store_lane_at (s->ask->store, number)); number++)
    for (guint32 i = 0; is_counted (lane) && i < MIN (most, blocks_of (lane)); i++) {
      const struct nprof_store_block *b = nprof_store_rows (s->ask->query, number, i);
      if (b)
        take_block (s, b);
    }
}

/* Returns strings by label, and which there are; transfer full.  NULL: the profile has no such
 * attribute; values also where none of all rows states it. */
static guint32 *
find_stated (NpAsk *ask, const char *key, GArray **values)
{
  Stated s = { .ask = ask,
               .key = key,
               .n_labels = nprof_store_n (ask->store, NPROF_STORE_S_LABELS),
               .n_shapes = nprof_store_n (ask->store, NPROF_STORE_S_SHAPES),
               .n_sets = nprof_store_n (ask->store, NPROF_STORE_S_SETS) };
  if (!may_be_stated (&s))
    return NULL;
  s.of_label = unseen (s.n_labels);
  s.key_of_shape = unseen (s.n_shapes);
  s.of_set = unseen (s.n_sets);
  s.seen = g_hash_table_new (NULL, NULL);
  s.values = *values = g_array_new (FALSE, FALSE, sizeof (guint32));
  take_lanes (&s);
  if (!s.values->len && ask->profile->meta->rows <= MOST_ROWS)
    g_clear_pointer (values, g_array_unref);
  g_hash_table_unref (s.seen);
  g_free (s.key_of_shape);
  g_free (s.of_set);
  return s.of_label;
}

/* Returns strings by label, which the profile keeps. */
static const guint32 *
stated_of (NpAsk *ask, NpStated what)
{
  NpProfile *p = ask->profile;
  if (np_once_enter (&p->stating)) {
    for (guint i = 0; i < NP_N_STATED; i++)
      p->stated[i] = find_stated (ask, keys[i], &p->values[i]);
    np_once_leave (&p->stating);
  }
  return p->stated[what];
}

gboolean
np_stated_differ (NpAsk *ask, NpStated what)
{
  const guint32 *of = stated_of (ask, what);
  guint64 n = of ? nprof_store_n (ask->store, NPROF_STORE_S_LABELS) : 0;
  for (guint64 i = 0; i < n; i++)
    if (of[i] == DIFFER)
      return TRUE;
  return FALSE;
}

const GArray *
np_stated_values (NpAsk *ask, NpStated what)
{
  stated_of (ask, what);
  return ask->profile->values[what];
}

const char *
np_label_stated (NpAsk *ask, guint32 label, NpStated what)
{
  const guint32 *of = stated_of (ask, what);
  return of && of[label] < UNSEEN ? np_ask_string (ask, of[label]) : NULL;
}
