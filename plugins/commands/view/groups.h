/* SPDX-License-Identifier: Apache-2.0 */
/* groups.h - rows by their category, layer, step, operator or source, whatever track they are on:
 * which groups there are, and of which a row is. A row is of one group of each grouping, so that
 * the pictures of a lane by groups hold all of its rows. */
#pragma once

#include "ask.h"

/* Words for groupings, by NpGrouping. */
extern const char *const np_groupings[NP_N_GROUPINGS];
#define NP_GROUPINGS "category|layer|step|operator|source"

/* Rows of a lane that are of a group. */
typedef struct {
  guint32 lane, group;
  guint64 rows;
} NpGroupRows;

typedef struct NpStripShelf NpStripShelf; /* strips.h */

typedef struct NpGroups {
  NpGrouping by;
  GPtrArray
      *names; /* of char *, by group; NULL: the group of rows that state none, which is the last */
  GArray
      *parts; /* of NpGroupRows, by group and lane                                               */
  struct NpGroupKeys *keys;
  NpStripShelf *shelf;
} NpGroups;

/* Returns the groups, which the profile keeps; they are found when they are first asked for, by a
 * look at each row. NULL: the query says why, or nobody waits any more. */
const NpGroups *np_groups_of (NpAsk *ask, NpGrouping by);
void np_groups_free (NpGroups *groups);

/* Finds groups of rows, a block at a time. */
typedef struct {
  const NpGroups *groups;
  const struct nprof_store_block *block;
  guint32 group[NPROF_STORE_ROWS];
} NpGroupReader;

/* Returns of which group row `i` of a block of rows is. */
guint32 np_group_at (NpGroupReader *reader, const struct nprof_store_block *block, guint32 i);
/* Finds the group of a row of the profile; G_MAXUINT32: it is of none, as ends of arrows are. */
gboolean np_group_of_row (NpAsk *ask, NpGroupReader *reader, struct nprof_row row, guint32 *group);
/* Tells of which group all rows of a lane of a counter are: its values hold until the next one, so
 * that it is never parted. */
gboolean np_group_of_lane (NpAsk *ask, const NpGroups *groups, guint32 lane, guint32 *group);
