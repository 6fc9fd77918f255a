/* SPDX-License-Identifier: Apache-2.0 */
/* flame.h - the spans of a window as a tree of stacks, from the stored rows. */
#pragma once

#include "parts.h"

enum { NP_STACK_NAME, NP_STACK_LAYER, NP_STACK_SOURCE, NP_STACK_LAUNCH, NP_STACK_PLACE };

typedef struct {
  guint32 parent, name; /* string of the store */
  gint64 self, total;   /* ps within the window */
  guint64 count;
  guint order; /* of its first row */
} NpStack;

/* Returns NpStack; 0 is the root of all.  By layer, source and place all nodes hang below it.
 * Places are of hosts alone: of a row and those around it the innermost of those that are nearest
 * to the user.  `tracks` are indices; empty: all with rows of decoders.  Time of rows that `parts` (or NULL) has
 * not is in no node; they stay as the stacks of others.  NULL: the query says why. */
GArray *np_flame (NpAsk *ask, gint64 t0, gint64 t1, const GArray *tracks, NpParts *parts, guint by);
/* Returns the work of devices below what launched it, of a window, from one time to another;
 * `window` NULL: of all. Names are places in `texts`, which gets them. NULL: the reply is 202, or
 * says why. */
GArray *np_flame_launched (NpAsk *ask, const gint64 *window, GPtrArray *texts);
/* Makes the trees around a name: in both, 0 is the root of all and 1 the name. Of `callers` the
 * times and rows are those of the name below these frames; of `callees` those of what is below the
 * name. */
void np_flame_around (const GArray *stacks, guint32 name, GArray *callers, GArray *callees);

/* Returns the node of a name below a parent, which is made when it is not there; `find` is of
 * np_stack_finder. */
guint32 np_stack_child (GArray *nodes, GHashTable *find, guint32 parent, guint32 name);
GHashTable *np_stack_finder (void);
/* Makes totals of what nodes have of their own: children come behind their parents. */
void np_flame_sum (GArray *nodes);
