/* SPDX-License-Identifier: Apache-2.0 */
/* row-rules.h - the rules of rows and cells, each with the words for what breaks it. */
#pragma once

#include "rows/attribute-sets.h"
#include "rows/strings.h"
#include "rows/tracks.h"

#define NP_RATIO_ROUNDED 1e-9 /* by which a ratio may miss 1 */

/* What a decoder may make: of an input of no bytes, and of each of its bytes; and how many rows
 * without a call of progress, of which the rule is 100,000, and the rest a margin. */
#define NP_MOST_TEXT (G_GUINT64_CONSTANT (64) << 20)
#define NP_TEXT_A_BYTE 1000u
#define NP_MOST_TRACKS 100000u
#define NP_MOST_UNREPORTED 200000u

typedef struct {
  const struct nprof_component *component; /* that wrote them */
  NpStrings *strings;
  NpTracks *tracks;
  NpAttrSets *sets;
  guint input; /* on whose tracks its rows lie; G_MAXUINT: on any */
  void (*broke) (gpointer user, char *what); /* takes what */
  gpointer user;
} NpRowRules;

/* Says what is wrong with the counts, without which the rows cannot be looked at; transfer full, or
 * NULL. */
char *np_row_rules_counts (const struct nprof_writer *writer);
/* Returns whether the rows may be looked at by others: none points beyond the columns. */
gboolean np_row_rules_check (const NpRowRules *rules, const struct nprof_writer *writer);
/* Returns whether it is a share: one whose help names a quotient, or says so, may be above 1. */
gboolean np_column_is_ratio (const struct nprof_table_column *column);
/* Says which share of a row is above 1, by more than rounding; transfer full, or NULL. */
char *np_ratio_problem (const struct nprof_table *table, const struct nprof_cell *cells);
/* Looks at a row of cells. */
void np_cell_rules_check (const NpRowRules *rules, const struct nprof_table *table,
                          const struct nprof_cell *cells);
