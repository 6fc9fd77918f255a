/* SPDX-License-Identifier: Apache-2.0 */
/* compare.h - what the answers that compare profiles share. */
#pragma once

#include "ask.h"
#include "diff/report.h"
#include "stored/json.h"

/* A comparison of two profiles, with what it reads of them. */
typedef struct {
  GPtrArray *base, *new; /* as np_diff_runs_new makes them */
  NpDiffReport report;   /* of no NpDiffBy                 */
} NpCompared;

/* Compares the first profile of `ids`, which end in NULL, with each other one as nprof diff does;
 * NULL: the reply is an error, or says that it is not done. Returns NpCompared of each other one,
 * which nobody changes. Transfer full. */
GPtrArray *np_compare_diffs (NpAsk *ask, const char *const *ids, NpDiffBy by);

/* Name, type, unit and role of a column. */
typedef const char *const NpColumnText[4];
/* Puts the columns of a table that nprof diff fills. */
void np_compare_columns (NpJson *json, const NpColumnText *columns, guint n);

/* Puts the columns, and the rows, of steps beside each other, as nprof diff --by steps pairs them:
 * those of a device in their order. Returns how many rows. */
void np_compare_step_columns (NpJson *json);
guint np_compare_step_rows (NpJson *json, const NpDiffReport *diff, const char *id);
/* Puts the median step of each device, and what it changed by. */
void np_compare_medians (NpJson *json, const NpDiffReport *diff, const char *id);
