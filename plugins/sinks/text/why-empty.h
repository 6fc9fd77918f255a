/* SPDX-License-Identifier: Apache-2.0 */
/* why-empty.h - why a table that was asked for has no rows. */
#pragma once

#include "answers.h"

/* Returns a sentence, with what would tell where that is known, transfer full; NULL: nobody
 * knows. */
char *why_empty (const Answers *answers, const char *table);
