/* SPDX-License-Identifier: Apache-2.0 */
/* attrs.h - attributes of a row as columns of Arrow. */
#pragma once

#include "arrow/column.h"

#include <nprof/row.h>

/* Returns the format of the values of an attribute of that type; for NPROF_STRING that of a
 * dictionary's texts. */
const char *np_arrow_attr_format (guint type);

/* Prepares the column of an attribute; NULL: of all attributes that have no column. */
void np_arrow_attr_init (NpArrowColumn *column, const struct nprof_column *attribute);
/* Puts attribute number `attribute` of the row in `spread`; number spread->n_columns puts those
 * without a column, as JSON.  FALSE: no memory. */
gboolean np_arrow_attr_put (NpArrowColumn *column, const struct nprof_row_columns *spread,
                            guint attribute);
