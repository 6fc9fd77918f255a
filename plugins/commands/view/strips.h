/* SPDX-License-Identifier: Apache-2.0 */
/* strips.h - rows of each group of a lane as pieces of a part of a pixel, kept once they were asked
 * for, so that pictures of much of a large profile need no look at each row. */
#pragma once

#include "groups.h"

typedef struct {
  guint level; /* a piece of several rows is at most 2^level ps long, in one tile of that level */
  guint n;         /* groups                              */
  GArray **pieces; /* of nprof_store_piece, by group      */
} NpStrip;

enum { NP_STRIP_LOCKS = 16 };

typedef struct {
  gboolean looked;
  NpStrip *strip; /* NULL: the lane has none */
} NpStripPlace;

/* Strips of a grouping, which are made when they are first asked for. */
struct NpStripShelf {
  pthread_mutex_t lock[NP_STRIP_LOCKS]; /* by lane */
  guint64 n;
  guint64 pieces;       /* of all lanes */
  NpStripPlace *places; /* by lane */
};
NpStripShelf *np_strip_shelf_new (guint64 lanes);
void np_strip_shelf_free (NpStripShelf *shelf);

/* Returns how long a pixel is from which on strips may serve, in ps. */
gint64 np_strip_pixel (const NpAsk *ask);
/* Returns the strip of a lane; *strip NULL: it has none, because it has few rows, is of a kind that
 * is drawn otherwise, or joins too little to be worth its memory. FALSE: the query says why, or
 * nobody waits any more. */
gboolean np_strip_of (NpAsk *ask, const NpGroups *groups, guint32 lane, const NpStrip **strip);
void np_strip_free (NpStrip *strip);
