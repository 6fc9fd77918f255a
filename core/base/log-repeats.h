/* SPDX-License-Identifier: Apache-2.0 */
/* log-repeats.h - warnings that come once for each record: the first 20 of a reason are said, the
 * others are counted.  Two warnings have one reason when they differ only in words that hold a
 * digit and in what stands between double quotes. */
#pragma once

#include "base/log.h"

#define NP_REPEATS_SAID 20     /* of one reason                                              */
#define NP_REPEATS_REASONS 100 /* that are told apart; further ones count together           */

typedef struct NpRepeats NpRepeats;

NpRepeats *np_repeats_new (NpLog *log); /* log: must live as long */
void np_repeats_free (NpRepeats *repeats);
/* Says a warning of `who`, a file or a component; the reason is `what` alone, over all files.
 * [any-thread] */
void np_repeats_say (NpRepeats *repeats, const char *who, const char *what);
/* Says how many warnings were only counted, by reason in order of appearance.  Call it once. */
void np_repeats_end (NpRepeats *repeats);
