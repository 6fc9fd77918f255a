/* SPDX-License-Identifier: Apache-2.0 */
/* keep.h - rows with those of their attributes that somebody wants. */
#pragma once

#include "rows.h"

/* Which attributes are kept: all where keys is NULL, else those with keys[key] set. */
typedef struct {
  const guint8 *keys;
  guint n;
} NpKeep;

/* Memory for the attributes that are kept.  Starts as zeros. */
typedef struct {
  guint room;    /* attributes */
  guint32 *kept; /* how many are kept before each of the batch's, and of all */
  guint32 *at;   /* as in a batch */
  nprof_str *key;
  guint8 *type;
  nprof_value *value;
} NpKept;

void np_kept_clear (NpKept *kept);
/* The rows without the other attributes; bytes is NULL when none of them has any.  For copying, as
 * long as neither src nor kept changes.  src: its bytes NULL, too, where there are none. */
struct nprof_batch np_kept_rows (NpKept *kept, const struct nprof_batch *src, const NpKeep *keep);
