/* SPDX-License-Identifier: Apache-2.0 */
/* row-meaning.h - gives the rows of a decoder the key NPROF_KEY_WORK by the rule that it follows
 * (nprof/draft/meaning.h). */
#pragma once

#include "run/run-state.h"

#include <nprof/draft/meaning.h>

typedef struct NpMeanings NpMeanings;         /* what the rule has answered, of an input        */
typedef struct NpMeaningsSeen NpMeaningsSeen; /* of these, what one thread has asked for last */

NpMeanings *np_meanings_new (NpRun *run, const struct nprof_host *host,
                             const struct nprof_meaning_rule *rule);
void np_meanings_free (NpMeanings *meanings);
void np_meanings_seen_free (NpMeaningsSeen *seen);
/* Gives the spans of the writer their sets.  *seen is of the thread, NULL before its first rows.
 * [any-thread] */
void np_meanings_write (NpMeanings *meanings, NpMeaningsSeen **seen, struct nprof_writer *writer);
