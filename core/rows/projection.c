/* SPDX-License-Identifier: Apache-2.0 */
/* projection.c - picks the attributes that are kept out of those of a batch, once for whoever then
 * measures and copies its rows. */

#include "rows/projection.h"

#include <string.h>

void
np_projected_clear (NpProjected *kept)
{
  g_free (kept->kept);
  g_free (kept->at);
  g_free (kept->key);
  g_free (kept->type);
  g_free (kept->value);
  memset (kept, 0, sizeof *kept);
}

static void
make_room (NpProjected *self, guint attrs)
{
  if (!self->at)
    self->at = g_new (guint32, NP_BATCH_ROWS + 1);
  if (attrs <= self->room)
    return;
  self->room = MAX (attrs, 2 * self->room);
  self->kept = g_renew (guint32, self->kept, self->room + 1);
  self->key = g_renew (nprof_str, self->key, self->room);
  self->type = g_renew (guint8, self->type, self->room);
  self->value = g_renew (nprof_value, self->value, self->room);
}

/* Equal keys follow each other, so the key that was looked up last is tried first. */
static gboolean
keeps_all (const struct nprof_batch *src, const NpProjection *projection)
{
  for (guint j = 0; projection->keys && j < src->n_attrs; j++)
    if ((!j || src->attr_key[j] != src->attr_key[j - 1])
        && !np_projection_keeps (projection, src->attr_key[j]))
      return FALSE;
  return TRUE;
}

/* Each attribute is written, and stays when the next one goes behind it: no branch can be guessed
 * wrong.  Pointers are read once, because for all the compiler knows the bytes written could change
 * any of them.  `any_bytes` is NULL when no value lies in bytes. */
static inline __attribute__ ((always_inline)) guint
pick (const NpProjected *self, const struct nprof_batch *src, const NpProjection *projection,
      gboolean *any_bytes)
{
  const nprof_str *from_key = src->attr_key;
  const guint8 *from_type = src->attr_type, *keys = projection->keys;
  const nprof_value *from_value = src->attr_value;
  guint32 *kept = self->kept;
  nprof_str *key = self->key;
  guint8 *type = self->type;
  nprof_value *value = self->value;
  guint n = 0, n_attrs = src->n_attrs, n_keys = projection->n, any = 0;
  for (guint j = 0; j < n_attrs; j++) {
    guint stays = from_key[j] < n_keys && keys[from_key[j]];
    kept[j] = n;
    key[n] = from_key[j];
    type[n] = from_type[j];
    value[n] = from_value[j];
    if (any_bytes)
      any |= stays & (guint) np_type_in_bytes (from_type[j]);
    n += stays;
  }
  if (any_bytes)
    *any_bytes = any != 0;
  return kept[n_attrs] = n;
}

struct nprof_batch
np_projected_rows (NpProjected *self, const struct nprof_batch *src, const NpProjection *projection)
{
  struct nprof_batch rows = *src;
  gboolean any_bytes = FALSE;
  if (projection->no_links) {
    rows.id = rows.parent = NULL;
    rows.flow = NULL;
  }
  if (!src->attr_at || keeps_all (src, projection))
    return rows;
  make_room (self, src->n_attrs);
  rows.n_attrs
      = src->bytes ? pick (self, src, projection, &any_bytes) : pick (self, src, projection, NULL);
  for (guint i = 0; i <= src->n_rows; i++)
    self->at[i] = self->kept[src->attr_at[i]];
  rows.attr_at = rows.n_attrs ? self->at : NULL;
  rows.attr_key = self->key;
  rows.attr_type = self->type;
  rows.attr_value = self->value;
  if (!any_bytes)
    rows.bytes = NULL;
  return rows;
}
