/* SPDX-License-Identifier: Apache-2.0 */
/* projection.h - rows with those of their columns and attributes that somebody wants. */
#pragma once

#include "rows/row-copy.h"

/* It says which parts of rows are kept; all zeros: everything. */
typedef struct {
  const guint8 *keys; /* attributes with keys[key] set; NULL: all */
  guint n;
  gboolean no_links;  /* without id, parent and flow              */
} NpProjection;

static inline gboolean
np_projection_keeps (const NpProjection *projection, nprof_str key)
{
  return !projection->keys || (key < projection->n && projection->keys[key]);
}

/* This is memory for the attributes that are kept; it starts as zeros. */
typedef struct {
  guint room;    /* attributes */
  guint32 *kept; /* how many are kept before each of the batch's, and of all */
  guint32 *at;   /* as in a batch */
  nprof_str *key;
  guint8 *type;
  nprof_value *value;
} NpProjected;

void np_projected_clear (NpProjected *kept);
/* Returns the rows without the rest; bytes is NULL when none of them has any.  The result is for
 * copying, as long as neither src nor kept changes.  The bytes of src must be NULL, too, where
 * there are none. */
struct nprof_batch np_projected_rows (NpProjected *kept, const struct nprof_batch *src,
                                      const NpProjection *projection);
