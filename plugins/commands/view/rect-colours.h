/* SPDX-License-Identifier: Apache-2.0 */
/* rect-colours.h - the colour of each rectangle of a picture by what its row states, for names
 * whose rows differ. */
#pragma once

#include "picture.h"

#define NP_COLOURINGS "name|layer|operator|source"

typedef enum { NP_COLOUR_NAME, NP_COLOUR_LAYER, NP_COLOUR_OPERATOR, NP_COLOUR_SOURCE } NpColouring;

enum { NP_COLOUR_NONE = 255 };

/* Returns of values whose colour by their hash is that of an earlier one the colours that they have
 * in its place: by text, one more than the place in the palette; transfer full. NULL: no row states
 * any value. */
GHashTable *np_moved_colours (NpAsk *ask, NpColouring by);

/* Puts a byte for each rectangle, whose rows of the lanes of the picture are given: the place of
 * the value in the palette of the page, NP_COLOUR_NONE where the row states none. FALSE: the query
 * says why, or nobody waits any more. */
gboolean np_put_colours (NpAsk *ask, const NpPicture *picture, const guint32 *rows, NpColouring by);
