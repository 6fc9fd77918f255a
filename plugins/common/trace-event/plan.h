/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h - the state of plan.c while it reads. */
#pragma once

#include "trace-event/trace-event.h"

typedef struct {
  uint64_t hash;
  const char *args, *name, *pid, *tid; /* in the input; args NULL: free */
  size_t args_len, name_len, pid_len, tid_len;
} ChSeenArgs;

typedef struct {
  Chrome *c;
  TeScan scan;
  TeControls controls; /* of the event that is read */
  const char *floor; /* events that were looked at end here */
  ChSeenArgs seen[256];
} ChPlan;

typedef struct {
  const char *from, *to; /* of events; from NULL: none that is known; to: where the index stopped */
  int what;              /* for what: TE_INDEX_CUT, _CLOSE or _EOF                       */
  GPtrArray *metas;      /* of const char: behind the "ph": "M" of events; NULL: none    */
  GPtrArray *names;      /* as Chrome.noted; NULL: none                                  */
} ChPiece;

#define CH_LEAST_AHEAD 64u /* bytes of a piece that are worth a guess */

/* pieces.c: from piece->from on, which is the { of an event or where the events begin. [any
 * thread] */
nprof_status ch_piece_index (Chrome *c, ChPiece *piece);
void ch_piece_clear (ChPiece *piece);
/* Adds the pieces of all that is behind `from`, indexed where their first event was guessed. */
nprof_status ch_pieces_ahead (Chrome *c, const char *from, GArray *pieces);

nprof_status ch_plan (Chrome *c);
/* Writes what the file states outside of events; behind the last property, since these are rows. */
nprof_status ch_plan_rows (Chrome *c);
