/* SPDX-License-Identifier: Apache-2.0 */
/* clock-file.h - reads table clocks, which nprof reduce -s csv wrote. */
#pragma once

#include "run/config.h"

/* Returns NpClock by the name of the clock, transfer full; NULL with NP_EXIT_INPUT. */
GHashTable *np_clock_file_read (const char *path, GError **error);
