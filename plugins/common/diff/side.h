/* SPDX-License-Identifier: Apache-2.0 */
/* side.h - one device of one side of a comparison, as the rule sees it: the time of each
 * kernel at each place of a step, and how that differs between samples.  Samples are the steps of
 * one run, or several runs.  Times are ps as double: sums of integers that the tables hold
 * exactly. */
#pragma once

#include <glib.h>

typedef enum { NP_DIFF_COMPUTE, NP_DIFF_COMMUNICATION, NP_DIFF_COPY, NP_DIFF_CLASSES } NpDiffClass;
const char *np_diff_class_name (NpDiffClass kind);

typedef struct {
  guint32 ordinal; /* of the rows of its kernel and operator in a step */
  guint32 among;   /* of all rows of its operator                      */
  double mean;     /* ps a sample; a sample without such a row is 0    */
  double variance; /* between samples; NAN: one sample                 */
  double calls;    /* rows a sample                                    */
} NpDiffPlace;

/* These are the rows of one kernel under one operator and module.  Texts are of the names of the
 * side. */
typedef struct {
  const char *kernel, *operator, * module; /* NULL: unknown            */
  NpDiffClass kind;
  GArray *places; /* of NpDiffPlace, by ordinal                        */
  GArray *sums;   /* of double: ps of each block of samples            */
} NpDiffSeries;

enum {
  NP_PART_COMPUTE,
  NP_PART_COMMUNICATION,
  NP_PART_COPY,
  NP_PART_CONTROL,
  NP_PART_IDLE_HOST,
  NP_PART_IDLE_LAUNCH,
  NP_PART_IDLE_WAIT,
  NP_PART_IDLE_UNLINKED,
  NP_PART_LOST,
  NP_PARTS
};

typedef struct {
  const char *name;       /* of the names of the side; NULL: the whole recording */
  double window;          /* ps                                  */
  double parts[NP_PARTS]; /* ps; they add up to the window       */
} NpDiffStep;

typedef struct {
  GHashTable *names;    /* of char *                                                              */
  char *device;         /* label; where the profile has several inputs, INPUT/LABEL               */
  const char *by;       /* "launch", "start", "recording"; interned                               */
  guint samples;        /* steps, or runs                                                         */
  gboolean runs;        /* samples are runs                                                       */
  GArray *blocks;       /* of guint: samples of each block of sums                                */
  GPtrArray *series;    /* of NpDiffSeries, in the order of the table                             */
  GHashTable *find;     /* the same, by kernel, operator and module                               */
  GArray *steps;        /* of NpDiffStep, in their order; of runs, their means                    */
  guint cut;            /* steps that the profile cut                                             */
  gboolean closed;      /* its recorder closed short gaps: durations of work are upper bounds     */
  guint64 rows, linked; /* of work; with a launch in the file                                    */
  double work, unlinked,
      outside; /* ps of the recording: all, without launch, launched in no step */
} NpDiffSide;

/* Returns a set for the names of all sides that are compared with each other, each of which keeps
 * it, so that equal names are one pointer; transfer full. */
GHashTable *np_diff_names_new (void);
/* Returns the text of the set that is equal, added when it is new; NULL of NULL. */
const char *np_diff_name (GHashTable *names, const char *text);

NpDiffSide *np_diff_side_new (const char *device, GHashTable *names);
void np_diff_side_free (NpDiffSide *side);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpDiffSide, np_diff_side_free)

/* Returns the series of these texts (any may be NULL), made when it is new and `make` is TRUE; else
 * NULL. */
NpDiffSeries *np_diff_series (NpDiffSide *side, const char *kernel, const char *operator,
                              const char * module, gboolean make);
/* Returns the place of that ordinal; NULL: it has none. */
NpDiffPlace *np_diff_place (const NpDiffSeries *series, guint32 ordinal);
/* Returns ps a sample. */
double np_diff_series_mean (const NpDiffSeries *series);

/* Makes one side of several runs, each of which becomes a sample: a run's sum is its mean over its
 * steps.  It takes none of them. */
NpDiffSide *np_diff_side_of_runs (NpDiffSide *const *runs, guint n);
