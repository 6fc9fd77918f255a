/* SPDX-License-Identifier: Apache-2.0 */
/* rows.h - rows of a run as arrays of Arrow, all of the same schema. */
#pragma once

#include "arrow/build.h"

typedef struct NpArrowRows NpArrowRows;

/* `host` is that of the sink that gets the rows.  `columns` are the names of those wanted, in that
 * order, ending in NULL; NULL: all.  Returns NULL when a name is unknown, and *problem says which
 * (transfer full), or when there is no memory. */
NpArrowRows *np_arrow_rows_new (const struct nprof_host *host, const char *const *columns,
                                char **problem);
void np_arrow_rows_free (NpArrowRows *rows);
gboolean np_arrow_rows_schema (NpArrowRows *rows, struct ArrowSchema *out);
/* Adds the rows of a batch to the array that is growing.  FALSE: no memory. */
gboolean np_arrow_rows_add (NpArrowRows *rows, const struct nprof_batch *batch);
/* Returns how many rows the growing array has. */
guint64 np_arrow_rows_length (const NpArrowRows *rows);
/* Hands the array out and begins another.  FALSE: no memory. */
gboolean np_arrow_rows_take (NpArrowRows *rows, struct ArrowArray *out);
/* Returns whether this is the name of a column that every run has and that is no attribute. */
gboolean np_arrow_rows_is_base (const char *name);
