/* SPDX-License-Identifier: Apache-2.0 */
/* baselines.h - stored profiles that others are held against, by a name of the user's: one profile
 * a name and machine.  Commands take it as baseline:NAME. */
#pragma once

#include "stored/machine.h"

#define NP_BASELINE "baseline:"

typedef struct {
  char id[44];
  char *name;
  NpMachine machine;
} NpBaseline;

/* Returns all, by name and machine.  Of NpBaseline. */
GPtrArray *np_baselines (const char *store);
/* Returns the names that there are, and the nearest to this one, for an error; transfer full. */
char *np_baseline_hint (const GPtrArray *all, const char *name);
/* NP_EXIT_USAGE: it is no name of a baseline. */
gboolean np_baseline_check_name (const char *name, GError **error);
/* Returns NAME of baseline:NAME; NULL: the input is a file, or nothing of that kind. */
const char *np_baseline_name (const char *input);
/* Returns the folder of the baseline of that name for a profile of that machine: the one of the
 * same, else the only one that does not differ in what both state; with other_machine also the only
 * one there is.  NP_EXIT_INPUT, without a home folder NP_EXIT_USAGE; transfer full. */
char *np_baseline_find (const char *name, const NpMachine *machine, gboolean other_machine,
                        GError **error);
