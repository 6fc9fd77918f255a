/* SPDX-License-Identifier: Apache-2.0 */
/* json.h - members that answers of the server have beside those of every JSON: rows, and metrics
 * with their unit, reason and source (docs/formats/view-api.md, 1). */
#pragma once

#include "system/json-writer.h"

/* Puts "LANE.ROW". */
void np_json_row (NpJson *json, const char *key, guint32 lane, guint32 row);

/* These put a metric with a value, and one that is unknown for this reason. */
void np_json_metric (NpJson *json, const char *key, double value, const char *unit,
                     const char *source);
void np_json_metric_time (NpJson *json, const char *key, gint64 ps, const char *source);
void np_json_unknown (NpJson *json, const char *key, const char *unit, const char *reason);
