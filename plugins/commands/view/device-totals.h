/* SPDX-License-Identifier: Apache-2.0 */
/* device-totals.h - times, work and shares of all devices together. */
#pragma once

#include "ask.h"
#include "stored/cells.h"

/* Puts them from tables devices, logical_cores, mfu and dma, of a window, or of the whole profile
 * for NULL: times and work summed, shares weighted by the span of each device. */
void np_json_device_totals (NpAsk *ask, const NpTableStore *window);
/* Puts all but busy and idle as unknown. */
void np_json_device_unknown (NpAsk *ask, const char *why);
/* Puts of how many devices or tracks times are summed, as the member `together`. */
void np_json_together (NpJson *json, guint64 count, const char *what);
