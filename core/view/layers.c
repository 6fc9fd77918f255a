/* SPDX-License-Identifier: Apache-2.0 */
/* layers.c - the layers of labels, which rows have as an attribute: that of a label is what all of
 * its rows say. */

#include "view/ask.h"

#include <nprof/keys.h>
#include <string.h>

#define MOST_ROWS 50000 /* each is read: the names of a larger profile would wait for it */

enum { NONE = G_MAXUINT32, DIFFER = NONE - 1, UNSEEN = NONE - 2 }; /* beside numbers of strings */

static gboolean
has_layers (const NpAsk *ask)
{
  const struct nprof_store_attribute *a;
  for (guint32 i = 0; (a = nprof_store_attribute_at (ask->store, i)); i++)
    if (!strcmp (np_ask_string (ask, a->key), NPROF_KEY_LAYER))
      return TRUE;
  return FALSE;
}

static void
take_lane (NpAsk *ask, guint32 lane, guint32 rows, guint32 *layers, guint64 n)
{
  struct nprof_event e;
  for (guint32 i = 0; i < rows; i++) {
    if (!nprof_store_event (ask->query, (struct nprof_row){ lane, i }, &e) || e.label >= n)
      continue; /* damaged: route e says so of the row */
    guint32 own = np_event_string (ask, &e, NPROF_KEY_LAYER), *of = &layers[e.label];
    *of = *of == UNSEEN || *of == own ? own : DIFFER;
  }
}

static guint32 *
find_layers (NpAsk *ask)
{
  guint64 n = nprof_store_n (ask->store, NPROF_STORE_S_LABELS);
  const struct nprof_store_lane *l;
  if (ask->profile->meta->rows > MOST_ROWS || !has_layers (ask))
    return NULL;
  guint32 *layers = g_new (guint32, n + 1);
  for (guint64 i = 0; i < n; i++)
    layers[i] = UNSEEN;
  for (guint32 i = 0; (l = nprof_store_lane_at (ask->store, i)); i++)
    if (!l->origin)
      take_lane (ask, i, l->rows, layers, n);
  return layers;
}

const char *
np_label_layer (NpAsk *ask, guint32 label)
{
  NpProfile *p = ask->profile;
  if (g_once_init_enter (&p->layered)) {
    p->layers = find_layers (ask);
    g_once_init_leave (&p->layered, 1);
  }
  return p->layers && p->layers[label] < UNSEEN ? np_ask_string (ask, p->layers[label]) : NULL;
}
