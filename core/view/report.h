/* SPDX-License-Identifier: Apache-2.0 */
/* report.h - tables of `nprof report --format json`, as cells. */
#pragma once

#include "view/cells.h"

#include <json-glib/json-glib.h>

/* Opens a table of a report under the names of its columns that the table has everywhere,
 * of times NAME_ns. FALSE: the report has none of that name. */
gboolean np_report_cells (NpCells *cells, JsonNode *report, const char *table);
