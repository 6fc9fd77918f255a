/* SPDX-License-Identifier: Apache-2.0 */
/* steps.h - what the files of the analyzer share: the steps as they were found, in series of which
 * each has a usual duration. */
#ifndef STEPS_H
#define STEPS_H

#include "devicekit/distribution.h"
#include "devicekit/key-table.h"
#include "devicekit/row-role.h"

#include <nprof/sdk.h>

/* Where steps can be seen, best first. */
enum { STEP_LINE, STEP_MODULE, STEP_NOTE };

/* Words of a series, and of the steps of one name in it */
enum { S_DEVICE, S_SOURCE, S_PROGRAM, S_WORDS };
enum { N_SERIES, N_NAME, N_WORDS };

typedef struct {
  guint series;
  nprof_str name;       /* of executions of a program: the program's */
  gint64 start, end;    /* ps                                        */
  bool ended, cut, has_skew;
  gint64 skew;          /* ps                                        */
  guint ordinal;        /* in its series, by start                   */
} Step;

typedef struct {
  guint first, n;       /* of the sorted steps */
  guint cut;
  bool shown;
} Series;

typedef struct {
  int32_t keep_cut; /* option */

  const struct nprof_host *host;
  AnPlaces *places;
  AnTuples series_keys, names;
  GArray *steps;     /* of Step */
  GArray *step_of;   /* of guint, by names: steps that are one */
  GArray *series;    /* of Series, by series_keys */
} Steps;

/* plugin.c */
extern const struct nprof_table steps_table, step_times_table;

/* judge.c: orders the steps, says which are shown and which are cut, and compares devices */
void judge (Steps *self);

/* write.c */
nprof_status write_steps (Steps *self);
nprof_status write_times (Steps *self);

static inline Step *
step_at (const Steps *self, guint i)
{
  return &g_array_index (self->steps, Step, i);
}

static inline Series *
series_at (const Steps *self, guint i)
{
  return &g_array_index (self->series, Series, i);
}

#endif
