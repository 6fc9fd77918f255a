/* SPDX-License-Identifier: Apache-2.0 */
/* sets.c - puts the attributes that rows share once: further rows of the set get a copy of these
 * bytes.  A row whose own attributes override one of the set, or which has a source's own object,
 * that leaves out what attributes say, is put as a whole, which is what all copies are the same as.
 */
#include "perfetto.h"

#define SLOTS 8192u           /* a power of two */
#define MOST_BYTES (8u << 20) /* of what was put; then all is put anew */

static guint64
bit_of (nprof_str key)
{
  return G_GUINT64_CONSTANT (1) << (key & 63);
}

void
perfetto_forget_sets (struct perfetto_sink *self)
{
  g_clear_pointer (&self->sets, g_free);
  self->set_bytes.len = 0;
}

/* Learns what decides whether rows of a set may get a copy. */
static struct put_set
learn (const struct perfetto_sink *self, nprof_set handle)
{
  const struct nprof_attrs *attrs = self->host->attr_set (self->host, handle);
  struct put_set set = { .set = handle };
  for (guint k = 0; k < attrs->n; k++) {
    set.keys |= bit_of (attrs->key[k]);
    set.whole |= attrs->key[k] == self->args_key || attrs->type[k] == NPROF_NULL
                 || attrs->type[k] > NPROF_ID128; /* each row counts it */
  }
  return set;
}

/* Returns the set of row i, if the row may get a copy of it. */
static struct put_set *
find_set (struct perfetto_sink *self, const struct nprof_batch *b, guint i)
{
  const nprof_set handle = b->shared ? b->shared[i] : 0;
  if (!handle)
    return NULL;
  if (self->set_bytes.len > MOST_BYTES)
    perfetto_forget_sets (self);
  if (!self->sets)
    self->sets = g_new0 (struct put_set, SLOTS);
  struct put_set *set = self->sets + (handle & (SLOTS - 1));
  if (set->set != handle)
    *set = learn (self, handle);
  gboolean whole = set->whole;
  for (guint j = b->attr_at ? b->attr_at[i] : 0; b->attr_at && j < b->attr_at[i + 1]; j++)
    whole |= b->attr_key[j] == self->args_key || set->keys & bit_of (b->attr_key[j]);
  return whole ? NULL : set;
}

/* Puts the set of row i, which was not put before. */
static void
put_set (struct perfetto_sink *self, const struct nprof_batch *b, guint i, struct put_set *set)
{
  struct nprof_buf *to = &self->set_bytes;
  struct nprof_batch shared_only = *b;
  shared_only.attr_at = NULL;
  to->failed |= nprof_row_columns_row (&self->row_columns, &shared_only, i) != NPROF_OK;
  set->at = to->len;
  perfetto_put_attributes (self, to);
  set->len = to->len - set->at;
  set->is_put = TRUE;
}

void
perfetto_put_row_attributes (struct perfetto_sink *self, const struct nprof_batch *b, guint i)
{
  struct nprof_buf *to = &self->body;
  struct put_set *set = find_set (self, b, i);
  if (set && !set->is_put)
    put_set (self, b, i, set);
  to->failed
      |= nprof_row_columns_row (&self->row_columns, set ? &self->own_only : b, i) != NPROF_OK;
  if (set && set->len && !self->set_bytes.failed)
    nprof_put (to, self->set_bytes.data + set->at, set->len);
  to->failed |= self->set_bytes.failed;
  perfetto_put_attributes (self, to);
}
