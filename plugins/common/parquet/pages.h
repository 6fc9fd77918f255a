/* SPDX-License-Identifier: Apache-2.0 */
/* pages.h - goes through the pages of a column chunk and checks what can be checked without
 * decompressing: headers, sizes, counts, CRCs, the offset index. */
#pragma once

#include "footer.h"

typedef struct {
  guint64 pages, with_crc;
  guint64 bare; /* where the first page without a CRC is; 0: none */
} PqPages;

/* data .. data + end is the file up to its footer.  Adds to `pages`.  FALSE: `why` (transfer full)
 * says what is wrong at byte `at`. */
gboolean pq_pages_check (const guint8 *data, guint64 end, const PqLeaf *leaf, const PqChunk *chunk,
                         PqPages *pages, guint64 *at, char **why);
