/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the attribute columns of a run, and the keys that its components want.
 * Both come from declarations alone, so they do not depend on the data. */
#pragma once

#include "rows/strings.h"

typedef struct NpColumns NpColumns;

NpColumns *np_columns_new (NpStrings *strings);
void np_columns_free (NpColumns *columns);
/* Declares keys, in the order of the calls; each once.  A key that equals an earlier column (ASCII
 * case ignored), or a base column, gets the name attr_KEY.  A key that is declared with two types
 * becomes double when both are numeric, else text. */
void np_columns_declare (NpColumns *columns, const struct nprof_attribute *const *attributes);
/* Adds keys that a component reads; "*" is all. */
void np_columns_want (NpColumns *columns, const char *const *wants);
/* Adds keys that a component reads of some rows only; borrowed for the columns' life. */
void np_columns_want_of_rows (NpColumns *columns, const struct nprof_row_want *const *wants);

const struct nprof_column *const *np_columns_list (NpColumns *columns); /* valid until declare */
guint np_columns_count (const NpColumns *columns);
/* Before declare: keys that say what rows mean get columns, too (nprof-semantics(7)). Without this
 * call they have none. */
void np_columns_show_meaning (NpColumns *columns);
gboolean np_columns_wanted (const NpColumns *columns, const char *key);
/* Returns the index-th of those that want `key` of some rows; NULL beyond the last. */
const struct nprof_row_want *np_columns_row_want (const NpColumns *columns, const char *key,
                                                  guint index);
