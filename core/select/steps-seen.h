/* SPDX-License-Identifier: Apache-2.0 */
/* steps-seen.h - which steps the rows of each input have, whatever of them is selected. */
#pragma once

#include "rows/attribute-sets.h"
#include "rows/strings.h"
#include "select/row-filter.h"

typedef struct NpStepsSeen NpStepsSeen;

NpStepsSeen *np_steps_seen_new (NpStrings *strings, NpAttrSets *sets);
void np_steps_seen_free (NpStepsSeen *seen);
/* Sees the rows of one input after the other.  One thread at a time. */
void np_steps_see (NpStepsSeen *seen, const struct nprof_batch *rows, guint input);

/* Returns the whole numbers that attribute `step` of the rows has, ascending, of gint64; transfer
 * full. */
GArray *np_steps_of_input (const NpStepsSeen *seen, guint input);
GArray *np_steps_of_all (const NpStepsSeen *seen);
/* Returns how many numbers from index `from` on follow each other, 1 or more. */
guint np_steps_run (const GArray *steps, guint from);

/* Puts numbers in the place of `last` and `2nd`, in the alternatives, too. FALSE and NP_EXIT_USAGE,
 * with the steps that there are, when there are not so many. */
gboolean np_selection_count_steps (NpSelection *selection, const GArray *steps, GError **error);
/* Checks that each alternative that selects steps selects one of them. FALSE and NP_EXIT_USAGE,
 * with the steps that there are. */
gboolean np_selection_has_steps (const NpSelection *selection, const GArray *steps, GError **error);
