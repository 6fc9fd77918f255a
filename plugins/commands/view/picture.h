/* SPDX-License-Identifier: Apache-2.0 */
/* picture.h - the head of a tile or picture (docs/formats/view-api.md 2.1): its lanes, and which
 * rectangles are of each. */
#pragma once

#include "ask.h"

#define NP_PICTURE_PIXELS 2048
#define NP_PICTURE_COMPLETE G_MAXUINT32
#define NP_PICTURE_LANES 64 /* of a tile */

typedef struct {
  GArray *lanes; /* of guint32 */
  GArray *from;  /* of guint32: first rectangle; one more at the end */
  guint32 next;  /* the lane to go on with */
} NpPicture;

void np_picture_init (NpPicture *picture);
void np_picture_clear (NpPicture *picture);
/* Adds what is seen of a lane in a picture of `pixel` ps from t0. */
typedef bool (*NpDrawLane) (NpAsk *ask, gconstpointer of, guint32 lane, gint64 t0, gint64 pixel,
                            struct nprof_rects *rects);
/* Draws lanes, as many as one answer takes, and puts the picture. `of` is whose lanes they are;
 * NULL: the store's. */
gboolean np_picture_draw (NpAsk *ask, NpPicture *picture, const GArray *lanes, NpDrawLane draw,
                          gconstpointer of, gint64 t0, gint64 pixel, struct nprof_rects *rects);
/* Reads parameters l and i: how many ps a pixel has, and where the tile begins. */
gboolean np_ask_tile_place (NpAsk *ask, gint64 *t0, gint64 *pixel);
/* Reads parameter lanes, numbers below n of at most `most` lanes; all of them when it is absent and
 * may be. Transfer full, NULL: an error. */
GArray *np_ask_lanes (NpAsk *ask, guint32 n, guint most, gboolean needed);
