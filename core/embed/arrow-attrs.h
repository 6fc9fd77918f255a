/* SPDX-License-Identifier: Apache-2.0 */
/* arrow-attrs.h - attributes of a row as columns of Arrow. */
#pragma once

#include "embed/arrow-column.h"

#include <nprof/row.h>

/* The format of the values of an attribute of that type; of a dictionary's texts for NPROF_STRING. */
const char *np_arrow_attr_format (guint type);

/* Prepares the column of an attribute; NULL: of all attributes that have no column. */
void np_arrow_attr_init (NpArrowColumn *column, const struct nprof_column *attribute);
/* Puts attribute number `attribute` of the row that was spread; spread->n_columns: those without a
 * column, as JSON.  FALSE: no memory. */
gboolean np_arrow_attr_put (NpArrowColumn *column, const struct nprof_row_columns *spread,
                            guint attribute);
