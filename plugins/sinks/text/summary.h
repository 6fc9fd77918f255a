/* SPDX-License-Identifier: Apache-2.0 */
/* summary.h - the first screen of a report: table summary of analyzer answers, a row a line. */
#pragma once

#include "store.h"

/* Returns the lines as they are printed, transfer full; NULL: there is none.  more_room: columns of
 * the terminal beyond 80; whole: no name is cut. */
Table *summary_new (const Table *lines, guint more_room, gboolean whole);
