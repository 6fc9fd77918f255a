/* SPDX-License-Identifier: Apache-2.0 */
/* arrow-attrs.h - the attribute columns of a batch, and behind them one for the attributes that
 * have no column. */
#pragma once

#include "embed/arrow-build.h"

#include <nprof/row.h>

/* The format of the column of an attribute of that type. */
const char *np_arrow_attr_format (guint type);

/* arrays: spread->n_columns + 1, which the caller releases, also after a failure.  FALSE: no
 * memory. */
gboolean np_arrow_attrs_fill (struct nprof_row_columns *spread, const struct nprof_batch *batch,
                              struct ArrowArray **arrays);
