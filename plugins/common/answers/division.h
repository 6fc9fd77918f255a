/* SPDX-License-Identifier: Apache-2.0 */
/* division.h - finds whole numbers that are divided by whole numbers, which SQLite rounds down. */
#pragma once

#include "answers/tables.h"

/* Returns "PATH:LINE: what" of the first division of which neither side is seen to be real: by a
 * number with a point, a cast, or a column of type double.  Transfer full; NULL: there is none. */
char *np_answer_division (const NpAnswerTables *tables, const NpAnswer *answer);
