/* SPDX-License-Identifier: Apache-2.0 */
/* state-file.h - the states of analyzers for some ranks of a job, as a file: .nps.
 *
 * "nprofst" and the version 1, CRC-32 of all behind it, who the ranks are, and behind that the
 * state of each analyzer: a codec (0 none, 1 zstd), their length, they. Numbers are little-endian,
 * texts and all else of any length have it before them. */
#pragma once

#include "run/config.h"

#define NP_STATE_SUFFIX ".nps"

/* One rank of a state. digest: SHA-256 of the states of the profile that it came from; source: that
 * of the profile itself (input/digest.h). */
typedef struct {
  gint64 number, world; /* world 0: not told */
  gint64 begin, end;    /* Unix ns of its first and last row; 0: not told */
  char *host, *file, *digest, *source;
} NpStateRank;

typedef struct {
  char *nprof, *options; /* which nprof made it; what the analyzers were asked */
  GPtrArray *ranks;      /* of NpStateRank, by number */
  GPtrArray *states;     /* of NpSaved */
} NpState;

NpState *np_state_new (void);
void np_state_free (NpState *state);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpState, np_state_free)
NpStateRank *np_state_rank_copy (const NpStateRank *rank);
void np_state_rank_free (NpStateRank *rank);
/* Sorts the ranks by their numbers. */
void np_state_sort (NpState *state);

/* Returns the SHA-256 of the states, in hex.  Transfer full. */
char *np_states_digest (const GPtrArray *states);
/* Returns all of the file; equal content gives equal bytes.  Transfer full. */
GBytes *np_state_to_bytes (const NpState *state);
/* Transfer full; NULL: NP_EXIT_INPUT for a damaged one, NP_EXIT_USAGE for one of a later version,
 * with the path. with_states: else only who the ranks are, which is quick. */
NpState *np_state_read (const char *path, gboolean with_states, GError **error);
/* Appears whole or not at all: a temporary name that begins with a dot, then a rename. */
gboolean np_state_write (const NpState *state, const char *path, GError **error);
