/* SPDX-License-Identifier: Apache-2.0 */
/* sentences.h - says in one sentence what cannot be true of the rows of an input. */
#ifndef SENTENCES_H
#define SENTENCES_H

#include "devicekit/sanity.h"

/* Returns the name of the rule, as in the table; static. */
const char *sentence_rule (AnSanityRule rule);
/* Returns the sentence; transfer full. */
char *sentence_of (const AnSanityFinding *finding);
/* Returns the same of a file that was parted by `ranks`, a list of n. */
char *sentence_ranks (gint64 n, const char *ranks);
/* Returns what is unknown, names joined by ", "; transfer full; NULL: nothing. */
char *sentence_unknown (guint unknown);

#endif
