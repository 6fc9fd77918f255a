/* SPDX-License-Identifier: Apache-2.0 */
/* meta.h - the key-value metadata of a file: where it comes from, and what its columns mean. */
#pragma once

#include "file.h"

#include <glib.h>
#include <nprof/sdk.h>

struct table_file_about;

/* Returns struct pq_pair, which owns its texts; NULL: no memory.  `columns` holds struct
 * file_column, `inputs` the numbers of those that the file has rows of, ascending; NULL: all of the
 * run. */
GArray *meta_pairs (const struct nprof_host *host, const struct table_file_about *about,
                    GArray *columns, const GArray *inputs);
