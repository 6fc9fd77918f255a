/* SPDX-License-Identifier: Apache-2.0 */
/* facts.h - constants that rows of kind FACT state about the subtree of a track: the first one
 * wins, and a second that differs is reported.  One thread, the one that delivers, but for
 * np_facts_find. */
#pragma once

#include "base/log.h"
#include "rows/attribute-sets.h"
#include "rows/strings.h"
#include "rows/tracks.h"

typedef struct NpFacts NpFacts;

NpFacts *np_facts_new (NpStrings *strings, NpTracks *tracks, NpLog *log);
void np_facts_free (NpFacts *facts);
/* Looks at the FACT rows of a batch.  A fact without a track or without exactly one attribute
 * of its key is a broken rule: FALSE and `problem` (transfer full). */
gboolean np_facts_see (NpFacts *facts, const struct nprof_batch *batch, char **problem);

guint np_facts_count (const NpFacts *facts);
const struct nprof_fact *np_facts_get (const NpFacts *facts, guint i); /* in order of delivery */
/* Returns the fact that holds for the track, as nprof_host.fact has it.  [any-thread] */
const struct nprof_fact *np_facts_find (NpFacts *facts, nprof_track track, nprof_str key);
