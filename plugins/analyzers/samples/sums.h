/* SPDX-License-Identifier: Apache-2.0 */
/* sums.h - sums rows of the same place in every step: sums and sums of squares, exact, so that
 * memory grows with the places of one step and not with the steps.  A place is (kernel, operator,
 * ordinal): the k-th row of a kernel under an operator within its step, in the order of launches.
 * A series is (kernel, operator, module). */
#ifndef SAMPLES_SUMS_H
#define SAMPLES_SUMS_H

#include "devicekit/key-table.h"

#include <nprof/plugin.h>
#include <stdbool.h>

/* Later rows of a kernel under one operator in one step share one place. */
#define SM_ORDINALS 1024u
/* The sums of so many steps are kept one by one.  With more, neighbours are added up two by two. */
#define SM_BLOCKS 256u

/* This is one row of work. */
typedef struct {
  gint64 order;    /* ps: begin of its launch; of its own where launches are not known */
  gint64 start;    /* ps                                                               */
  gint64 duration; /* ps; without rows that it contains                                */
  gint64 inside;   /* ps of it in the window                                           */
  guint64 number;  /* in the order of arrival                                          */
  nprof_str kernel, operator, module; /* 0: unknown                                 */
  nprof_str of_graph;                 /* operator when its graph was captured; 0: it is of none */
  bool hidden;                        /* the user's selection leaves it out */
} SmRow;

enum { PLACE_KERNEL, PLACE_OPERATOR, PLACE_ORDINAL, PLACE_WORDS };
typedef struct {
  unsigned __int128 squares; /* ps^2: sum over steps of the square of the step's sum  */
  guint64 sum, calls;        /* ps; rows                                              */
  guint64 now;               /* ps: in the step that is being added                   */
  guint32 steps;             /* that have such a row                                  */
  nprof_str module;          /* the first time                                        */
  guint32 among;             /* ordinal among all rows of the operator, the first time */
  guint32 stamp;             /* 1 + number of the last step that had one              */
} SmPlace;

enum { SERIES_KERNEL, SERIES_OPERATOR, SERIES_MODULE, SERIES_WORDS };

typedef struct {
  guint32 step; /* the first of the block, by the number that sm_sums_end got */
  guint32 steps;
} SmBlock;

typedef struct {
  AnKeyTable places;  /* PLACE_WORDS                                          */
  GArray *place;      /* of SmPlace, by tuple                                 */
  AnKeyTable series;  /* SERIES_WORDS                                         */
  GPtrArray *blocks;  /* of GArray of guint64, by series: ps a block          */
  GArray *block;      /* of SmBlock                                           */
  guint width;        /* steps of a block                                     */
  guint steps;        /* that were added                                      */
  GArray *touched;    /* of guint: places that the current step has           */
  AnKeyTable counted; /* (kernel, operator, 0), (0, operator, 0): of the current step */
  GArray *count;      /* of SmCount, by `counted`                             */
} SmSums;

void sm_sums_init (SmSums *sums);
void sm_sums_clear (SmSums *sums);

/* Adds rows of the current step, in their order; more calls go on behind them.  `hidden` takes
 * those that the selection leaves out, too. */
void sm_sums_add (SmSums *sums, const SmRow *rows, guint n, bool hidden);
/* Ends the current step, which was number `step`. */
void sm_sums_end (SmSums *sums, guint step);

/* Compares rows by their order within a step. */
int sm_row_compare (gconstpointer a, gconstpointer b);

/* Returns the variance between the steps of the sum at a place, a step without a row counting as 0;
 * NAN: there is but one step. */
double sm_variance (const SmPlace *place, guint steps);

#endif
