/* SPDX-License-Identifier: Apache-2.0 */
/* logical-cores.h - which rows of table devices are cores of a row of table logical_cores. */
#pragma once

#include "stored/cells.h"

/* Returns the row of the logical core that a device is a core of; -1: it is of none. */
gint64 np_logical_row (const NpCells *logical, const NpCells *devices, guint64 row);
