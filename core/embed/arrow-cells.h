/* SPDX-License-Identifier: Apache-2.0 */
/* arrow-cells.h - rows of a table as arrays of Arrow, all of the same schema. */
#pragma once

#include "embed/arrow-build.h"
#include "rows/table.h"

gboolean np_arrow_cells_schema (const struct nprof_table *table, struct ArrowSchema *out);
/* `host` is that of the sink that got the rows.  FALSE: out of memory. */
gboolean np_arrow_cells_array (const struct nprof_host *host, const NpChunk *chunk,
                               struct ArrowArray *out);
