/* SPDX-License-Identifier: Apache-2.0 */
/* arrow-rows.h - rows of a run as arrays of Arrow, all of the same schema. */
#pragma once

#include "embed/arrow-build.h"

typedef struct NpArrowRows NpArrowRows;

/* host: of the sink that gets the rows.  NULL: out of memory. */
NpArrowRows *np_arrow_rows_new (const struct nprof_host *host);
void np_arrow_rows_free (NpArrowRows *rows);
gboolean np_arrow_rows_schema (NpArrowRows *rows, struct ArrowSchema *out);
/* FALSE: out of memory. */
gboolean np_arrow_rows_array (NpArrowRows *rows, const struct nprof_batch *batch,
                              struct ArrowArray *out);
