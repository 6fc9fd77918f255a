/* SPDX-License-Identifier: Apache-2.0 */
/* layers.c - the layers of labels, which rows have as an attribute: that of a label is what all of
 * its rows say. */

#include "view/ask.h"

#include <nprof/keys.h>
#include <string.h>

#define MOST_ROWS 2000000 /* all are looked at: the names of a larger profile would wait for it */

enum { NONE = G_MAXUINT32, DIFFER = NONE - 1, UNSEEN = NONE - 2 }; /* beside numbers of strings */

typedef struct {
  NpAsk *ask;
  guint64 n_labels, n_shapes, n_sets;
  guint32 *of_label;
  guint32 *key_of_shape, *of_set; /* UNSEEN: not looked at yet */
} Layers;

static gboolean
is_layer (const NpAsk *ask, guint32 key)
{
  return !strcmp (np_ask_string (ask, key), NPROF_KEY_LAYER);
}

static gboolean
has_layers (const NpAsk *ask)
{
  const struct nprof_store_attribute *a;
  for (guint32 i = 0; (a = nprof_store_attribute_at (ask->store, i)); i++)
    if (is_layer (ask, a->key))
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

/* Returns the key in which rows of that shape have a layer of their own; NONE: they have none. */
static guint32
key_of_shape (Layers *l, guint64 shape)
{
  const uint16_t *keys;
  uint32_t n;
  if (shape >= l->n_shapes)
    return NONE;
  guint32 *key = &l->key_of_shape[shape];
  if (*key != UNSEEN)
    return *key;
  *key = NONE;
  if (!nprof_store_shape (l->ask->query, (guint32) shape, &keys, &n))
    return NONE;
  for (guint32 i = n; i-- > 0;) {
    const struct nprof_store_key *k = nprof_store_key_at (l->ask->store, keys[i]);
    if (k && k->type == NPROF_STRING && is_layer (l->ask, k->key))
      *key = keys[i];
  }
  return *key;
}

static guint32
layer_of_set (Layers *l, guint64 set)
{
  const struct nprof_store_value *values;
  uint32_t n;
  if (set >= l->n_sets)
    return NONE;
  guint32 *layer = &l->of_set[set];
  if (*layer != UNSEEN)
    return *layer;
  *layer = NONE;
  if (!nprof_store_set (l->ask->query, (guint32) set, &values, &n))
    return NONE;
  for (guint32 i = n; i-- > 0;)
    if (values[i].type == NPROF_STRING && is_layer (l->ask, values[i].key))
      *layer = (guint32) values[i].value;
  return *layer;
}

static void
take_block (Layers *l, const struct nprof_store_block *b)
{
  const struct nprof_store_column *label = nprof_store_column (b, NPROF_STORE_C_LABEL),
                                  *shape = nprof_store_column (b, NPROF_STORE_C_SHAPE),
                                  *set = nprof_store_column (b, NPROF_STORE_C_SET);
  for (guint32 i = 0; i < b->n; i++) {
    guint64 number = (guint64) nprof_store_get (b, label, i);
    guint32 key = key_of_shape (l, (guint64) nprof_store_get (b, shape, i));
    if (number >= l->n_labels)
      continue; /* damaged: route e says so of the row */
    guint32 own
        = key == NONE
              ? layer_of_set (l, (guint64) nprof_store_get (b, set, i))
              : (guint32) nprof_store_get (b, nprof_store_column (b, NPROF_STORE_C_ATTR + key), i);
    guint32 *of = &l->of_label[number];
    *of = *of == UNSEEN || *of == own ? own : DIFFER;
  }
}

static void
take_lane (Layers *l, guint32 number, const struct nprof_store_lane *lane)
{
  for (guint32 i = 0; i <= (lane->rows - 1) / NPROF_STORE_ROWS && lane->rows; i++) {
    const struct nprof_store_block *b = nprof_store_rows (l->ask->query, number, i);
    if (b)
      take_block (l, b);
  }
}

static guint32 *
find_layers (NpAsk *ask)
{
  const struct nprof_store_lane *lane;
  Layers l = { .ask = ask,
               .n_labels = nprof_store_n (ask->store, NPROF_STORE_S_LABELS),
               .n_shapes = nprof_store_n (ask->store, NPROF_STORE_S_SHAPES),
               .n_sets = nprof_store_n (ask->store, NPROF_STORE_S_SETS) };
  if (ask->profile->meta->rows > MOST_ROWS || !has_layers (ask))
    return NULL;
  l.of_label = unseen (l.n_labels);
  l.key_of_shape = unseen (l.n_shapes);
  l.of_set = unseen (l.n_sets);
  for (guint32 i = 0; (lane = nprof_store_lane_at (ask->store, i)); i++)
    if (!lane->origin)
      take_lane (&l, i, lane);
  g_free (l.key_of_shape);
  g_free (l.of_set);
  return l.of_label;
}

const char *
np_label_layer (NpAsk *ask, guint32 label)
{
  NpProfile *p = ask->profile;
  if (np_once_enter (&p->layering)) {
    p->layers = find_layers (ask);
    np_once_leave (&p->layering);
  }
  return p->layers && p->layers[label] < UNSEEN ? np_ask_string (ask, p->layers[label]) : NULL;
}
