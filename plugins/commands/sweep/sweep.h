/* SPDX-License-Identifier: Apache-2.0 */
/* sweep.h - runs of one program that differ in numbers, such as batch and length, and what each
 * measured. */
#pragma once

#include "table/table-store.h"

#define NP_SWEEP_KEYS 8 /* at most */

typedef struct {
  double value; /* NAN: unknown                       */
  char *why;    /* of an unknown one; or NULL         */
} NpSweepNumber;

typedef enum {
  NP_SWEEP_STEP,   /* ps, the median of what repeats  */
  NP_SWEEP_MFU,    /* 0..1                            */
  NP_SWEEP_MEMORY, /* bytes, the peak                 */
  NP_SWEEP_MEASURES
} NpSweepMeasure;

typedef struct {
  char *label;
  NpSweepNumber keys[NP_SWEEP_KEYS];
  NpSweepNumber measures[NP_SWEEP_MEASURES];
  char *verdict;     /* its code; NULL: unknown          */
  char *verdict_why; /* of an unknown one; or NULL       */
} NpSweepRun;

typedef struct {
  char **by; /* the names of the keys                       */
  guint n_by;
  GPtrArray *runs; /* of NpSweepRun, ordered by their keys  */
} NpSweep;

NpSweepRun *np_sweep_run_new (const char *label);
void np_sweep_run_free (NpSweepRun *run);

/* Reads what a run measured from the lines of its first screen, and why the others are unknown from
 * table abilities. */
void np_sweep_read (NpSweepRun *run, const NpTableStore *tables);

/* -- Keys -- */

typedef struct {
  guint number; /* of the line, from 1            */
  char *file;   /* its name without folders       */
  char **cells; /* as many as there are heads     */
} NpSweepValuesLine;

typedef struct {
  char *path;
  char **heads;     /* file, and keys               */
  GPtrArray *lines; /* of NpSweepValuesLine         */
} NpSweepValues;

/* Reads a file of tab-separated columns: file, then keys by their names in the first line.
 * NP_EXIT_USAGE. */
NpSweepValues *np_sweep_values_read (const char *path, GError **error);
void np_sweep_values_free (NpSweepValues *values);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpSweepValues, np_sweep_values_free)
/* Adds the lines of no input to alone.  NP_EXIT_USAGE: a line is of two inputs. */
gboolean np_sweep_values_fit (const NpSweepValues *values, const GPtrArray *inputs,
                              GPtrArray *alone, GError **error);
/* Finds the number of a key: in the values (NULL: none), in the path of the input, in properties of
 * the profile. */
NpSweepNumber np_sweep_key (const char *key, const NpSweepValues *values, const char *path,
                            const NpTableStore *tables);

/* -- Knees -- */

typedef enum {
  NP_KNEE_FOUND,
  NP_KNEE_CHEAP,   /* all growth of the key costs little                 */
  NP_KNEE_DEAR,    /* all of it costs much                               */
  NP_KNEE_UNCLEAR, /* what it costs goes up and down                     */
  NP_KNEE_FEW      /* less than three values of the key have a step      */
} NpKneeCode;

typedef struct {
  NpKneeCode code;
  double value, before, after; /* NP_KNEE_FOUND: the key, and its neighbours among the values */
} NpKnee;

/* Finds where the step begins to grow with the key, which rises.  Both are above 0. */
NpKnee np_sweep_knee (const double *key, const double *step, guint n);

/* Runs that differ in the first key alone, in its order. */
typedef struct {
  const NpSweepRun *first; /* has the other keys                     */
  GArray *keys, *steps;    /* of double: where both are known; several runs of one value are one,
                            * their median */
  NpKnee knee;
} NpSweepLine;

/* Returns all; of NpSweepLine. */
GPtrArray *np_sweep_lines (const NpSweep *sweep);
const char *np_sweep_knee_name (NpKneeCode code);
/* Returns the sentence about the knee of a line; transfer full. */
char *np_sweep_knee_text (const NpSweep *sweep, const NpSweepLine *line);

/* -- Print -- */

GString *np_sweep_text (const NpSweep *sweep, gboolean markdown);
GString *np_sweep_json (const NpSweep *sweep);
