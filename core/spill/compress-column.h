/* SPDX-License-Identifier: Apache-2.0 */
/* compress-column.h - one column in fewer bytes and back, as fast as this processor does it. All
 * ways write the same bytes. */
#pragma once

#include <glib.h>

#define NP_COLUMN_HEAD 17u /* bytes that a compressed column takes at most beside its values' */

/* Each takes n > 0 values of 1, 4 or 8 bytes (`size`), aligned so, and returns where it came to an
 * end. */
typedef struct {
  const char *name;
  guint8 *(*put) (guint8 *to, const void *column, guint n, guint size);
  const guint8 *(*get) (const guint8 *from, void *column, guint n, guint size);
} NpColumnCodec;

const NpColumnCodec *np_column_codec (void);
/* Returns a codec by its name, for tests; NULL when there is none, or not here. */
const NpColumnCodec *np_column_codec_named (const char *name);
