/* SPDX-License-Identifier: Apache-2.0 */
/* report-part.h - the part that an analyzer takes in reports and stored profiles, as its
 * NAME.plugin says it: rank=50, details=bound, page.bound=20, off.critical_path=path=no,
 * only.idle=gaps;idle_causes?, called.collectives=nccl;rccl, widget.critical=critical;what_if?,
 * picture.roofline=mfu, value.hidden=communication;hidden. */
#pragma once

#include <glib.h>

typedef struct {
  guint rank;       /* its place among the analyzers that take part unasked, ascending */
  guint inputs;     /* it takes part unasked where the run has as many inputs; 0: always */
  char **decoder;   /* and one of them is of one of these decoders; NULL: of any */
  GHashTable *page; /* table to its place on the page, ascending from 1 */
  char **details;   /* tables that are named below the page; NULL: none */
  GHashTable *off;  /* table to the "OPTION=VALUE" with which it is not made */
  GHashTable *only; /* short name, or one with .shape behind it, to its tables, a GStrv; those that
                       need not be there end in "?" */
  GHashTable *called;   /* table to what engineers call it, a GStrv */
  GHashTable *widgets;  /* widget of the page to its tables, a GStrv; those that only stand beside
                          them end in "?" */
  GHashTable *pictures; /* picture of a page for a browser to the tables that it is drawn of, a
                           GStrv, in its order; those whose wish does not show it end in "?" */
  GHashTable *values; /* short name of a demand of nprof gate to what it is, a GStrv: its table, its
                         column, and words that nprof-plugin(3) has */
} NpReportPart;

gboolean np_report_part_is_key (const char *key); /* of an analyzer's group */
/* Reads the keys of reports in the group of a component; other keys are skipped. Returns NULL
 * when there is none; also when one has another shape, with `problem` (transfer full). */
NpReportPart *np_report_part_read (GKeyFile *file, const char *group, char **problem);
void np_report_part_free (NpReportPart *part);
