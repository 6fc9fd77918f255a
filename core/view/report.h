/* SPDX-License-Identifier: Apache-2.0 */
/* report.h - tables of `nprof report --format json`, by names. */
#pragma once

#include <json-glib/json-glib.h>

typedef struct { /* the report owns them; without rows where it has no such table */
  JsonArray *columns, *rows;
  guint n;
} NpReport;

NpReport np_report_table (JsonNode *report, const char *name);
/* Returns -1 when there is no such column. */
int np_report_column (const NpReport *table, const char *column);
/* Returns NULL when there is no such column, or the value is unknown. */
JsonNode *np_report_cell (const NpReport *table, guint row, const char *column);
