/* SPDX-License-Identifier: Apache-2.0 */
/* summary-lines.h - how lines of the first screen are made, for the files that know what they say. */
#pragma once

#include "answers.h"
#include "summary.h"

#define SUMMARY_SHOWN 0.01 /* of a step: less is not worth a line */
#define SUMMARY_INPUT 30   /* columns of the name of an input */

/* The least and the most of some rows, and which rows they are; n 0: it is known of none. */
typedef struct {
  double least, most;
  guint at_least, at_most, n;
} Range;

/* Returns a number of the table; NAN: unknown. */
double summary_value (const Table *table, guint row, const char *column);
/* Returns a text of the table; transfer full. */
char *summary_text (const Table *table, guint row, const char *column);
/* Returns the number in a unit that suits; "unknown" when it is not finite.  Transfer full. */
char *summary_scaled (Table *to, const char *unit, double number);
/* Returns a name as the page shows it, of at most so many columns on a terminal of 80; transfer
 * full. */
char *summary_name (const Answers *answers, const char *name, guint columns);
/* answer "": the line says it all; NULL: unknown. */
void summary_add (Table *to, const char *question, const char *answer, const char *of);
/* Returns the range of part / whole, or with whole NULL of part alone, in all rows where it is
 * known. */
Range summary_range (const Table *table, const char *part, const char *whole);
/* "98.1 %", "97.0 % to 98.1 %"; NULL: unknown.  Transfer full. */
char *summary_range_text (Table *to, const Range *range, const char *unit);
/* Several devices: the answer is the least, and what follows says until where. */
void summary_add_range (Table *to, const char *question, const char *range, const char *of);
/* This is for a mean step. */
double summary_part (const DeviceSteps *d, Part part);

/* Lines of summary-steps.c: of a mean step.  missing: its idle time is not known to be idle. */
void summary_add_steps (Table *to, const SummaryOf *of, const DeviceSteps *d, gboolean missing);
/* Adds the steps that a host announces, where no device worked. */
void summary_add_host_steps (Table *to, const HostSteps *steps);
/* Adds what each change would leave of a step; most time at stake first. */
void summary_add_gains (Table *to, const SummaryOf *of, const DeviceSteps *d);
/* Adds communication that steps do not wait for, which no gain has. */
void summary_add_hidden (Table *to, const SummaryOf *of, const DeviceSteps *d);
/* Lines of summary-use.c: how well devices are used.  d NULL: none has steps. */
void summary_add_use (Table *to, const SummaryOf *of, const DeviceSteps *d);
/* Lines of summary-findings.c: memory, what was looked for and not found, and what nobody can tell. */
void summary_add_findings (Table *to, const SummaryOf *of, const DeviceSteps *d);
/* Says which options show more; transfer full. */
char *summary_more (const SummaryOf *of);
