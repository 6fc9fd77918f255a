/* SPDX-License-Identifier: Apache-2.0 */
/* assemble.h - makes records of nested columns: lists, structs and maps as JSON, by the levels of
 * their leaves.  See Dremel: Interactive Analysis of Web-Scale Datasets, and LogicalTypes.md,
 * "Nested Types". */
#pragma once

#include "cursor.h"

typedef struct { /* a column of the top level */
  const PqFooter *footer;
  guint node;
  Cursor *cursors; /* one a leaf, owned */
} Nested;

typedef struct { /* one entry of a map, for whoever wants them one by one */
  void (*put) (void *user, const char *key, gsize len, guint type, const Value *value,
               const PqNode *leaf, const char *json, gsize json_len);
  void *user;
} MapEntries;

void nested_begin (Nested *n, const struct nprof_host *host, const guint8 *data, guint64 end,
                   const PqFooter *footer, guint group, guint node);
void nested_end (Nested *n);
/* Puts the next row as JSON; *null: it has none, and nothing is put.  FALSE: *fail says why. */
gboolean nested_row (Nested *n, struct nprof_buf *to, gboolean *null, PqFail *fail);

/* Returns whether it is a map whose keys are text: optional or required, key_value repeated, of a
 * key leaf and at most one value. *value is the node of that; 0: it has none. */
gboolean nested_is_map (const PqFooter *footer, guint node, guint *key, guint *value);
/* Takes the next row of such a map, entry by entry: for a value that is no leaf leaf is NULL, and
 * json is it. */
gboolean nested_map_row (Nested *n, struct nprof_buf *scratch, const MapEntries *entries,
                         PqFail *fail);
