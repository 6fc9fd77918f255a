/* SPDX-License-Identifier: Apache-2.0 */
/* findings.h - what stands out in a stored profile, or in a part of one: for the page of nprof view
 * and for nprof report. */
#pragma once

#include "stored/cells.h"
#include "stored/opened.h"

typedef struct {
  char *answer; /* that says it; "": none does */
  char *rule, *threshold, *table, *widget;
  char *source;         /* of at_stake */
  char *text;           /* one sentence */
  char *detail;         /* what the table says of it; NULL: nothing more */
  char *about;          /* part of the time of devices; NULL: of none */
  char *input, *device; /* that it is about; NULL: it is about none */
  char *track;          /* that its calls are on; NULL: of any */
  char *place;          /* where most of it is, a name as the file has it; NULL: unknown */
  double factor;        /* least speedup of what it holds up; NAN: unknown */
  double order;         /* the same, also of what waits for other ranks; 0: unknown */
  char *gain;           /* the factor in words, with its condition; NULL: unknown */
  char *advice;         /* what to try; NULL: nothing is known */
  gint64 at_stake;      /* ps; negative: it has no time, and `source` says why */
  gint64 t0, t1;        /* ps: where its evidence lies */
  gboolean exact;       /* these are its own times, and not those of all that was asked of */
  guint64 more;         /* things that break the rule as well, and are not told */
  gboolean of_name;     /* its sentence begins with a name and is told of it once */
  gboolean of_window;   /* its time is of the windows that table verdict counts */
  GHashTable *devices;  /* on which it is broken, by np_profile_device; NULL: it is about none, or
                          unknown as it is of a name */
} NpFinding;

void np_finding_free (gpointer finding);
/* Returns on how many devices the rule is broken: of a name it is unknown. */
guint np_finding_devices (const NpFinding *finding);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpFinding, np_finding_free)

typedef struct {
  NpProfile *profile;
  struct nprof_query *query;
  const NpCells *rows; /* of table findings, as the profile or an analysis of a part has it      */
  gboolean of_part;    /* of rows that were selected: what the file states of all is left out    */
  gint64 t0, t1;       /* ps: evidence of what has no times of its own: all that was asked of    */
  guint64 lost;        /* places there where rows may be missing                                 */
} NpFindingsOf;

/* Returns the findings, of NpFinding, those with most to gain or to wait for ranks first, then with
 * most time at stake, and behind all others those of a part of the device's time that one before
 * them is of: of each answer its first row, how many more it has, and on how many devices.
 * Transfer full. [any-thread] */
GPtrArray *np_findings_read (const NpFindingsOf *of);

/* Counts the places of a store where rows may be missing. */
guint64 np_lost_rows (struct nprof_store *store);

/* Returns the same of profile folder/id as it was stored. NULL with an error (NP_EXIT_INPUT): it
 * cannot be read. */
GPtrArray *np_findings_of_profile (const char *folder, const char *id, gboolean of_part,
                                   GError **error);
