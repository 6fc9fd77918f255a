/* SPDX-License-Identifier: Apache-2.0 */
/* cells.h - rows of a table that was kept as an array of Arrow. */
#pragma once

#include "arrow/build.h"
#include "table/table-store.h"

gboolean np_arrow_cells_schema (const struct nprof_table *table, struct ArrowSchema *out);
/* FALSE: out of memory. */
gboolean np_arrow_cells_array (const NpTable *stored, struct ArrowArray *out);
