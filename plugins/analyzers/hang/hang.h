/* SPDX-License-Identifier: Apache-2.0 */
/* hang.h - what the files of the analyzer hang share: the dumps of the ranks of a job, and what
 * each was in. Times are ps where nothing else is said. */
#pragma once

#include "columns.h"

#include <glib.h>
#include <nprof/reader.h>
#include <nprof/sdk.h>

#define NO_RANK (-1)

/* A call of a rank, as its dump has it. */
typedef struct {
  guint32 dump, group; /* in Hang.dumps, Hang.groups    */
  gint64 sequence, start, timeout; /* timeout -1: not told */
  nprof_str name, shape, dtype, source, state;
  gint64 peer; /* rank of the group; -1: none   */
  guint64 id;  /* 1 + its number in the ring    */
  bool p2p;
} Call;

/* A dump is an input; some have no calls. */
typedef struct {
  guint32 input;
  gint64 rank;    /* NO_RANK: the file's name does not say it */
  guint64 first;  /* least id of its calls; 0: it has none    */
  guint32 last;   /* the call that started last, in Hang.calls */
} Dump;

typedef struct {
  nprof_str name, label, members_text; /* 0: not told */
  GArray *members;                     /* of gint64; empty: not told */
  guint32 from;                        /* dump that told the members */
} Group;

typedef struct {
  const struct nprof_host *host;
  struct nprof_reader pick;
  nprof_str started, completed;
  GArray *calls, *dumps, *groups;
  GHashTable *by_input, *by_name; /* 1 + index */
  const char *strange;            /* why nothing can be said; owned */
} Hang;

/* groups.c */
void hg_groups_init (Hang *h);
void hg_groups_clear (Hang *h);
/* Returns the index of the group, and notes when its members differ between dumps. */
guint32 hg_group (Hang *h, nprof_str name, nprof_str label, nprof_str members, guint32 dump);
gint64 hg_largest (const Hang *h); /* the largest number of members */
Dump *hg_dump_of_rank (const Hang *h, gint64 rank);
void hg_strange (Hang *h, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* An operation that does not end. */
typedef struct {
  const Group *group;
  const Call *const *calls; /* of it, in order of ranks, one a rank */
  guint n_calls;
  gint64 since;
} Stuck;

typedef struct {
  const char *cause;
  gint64 rank; /* NO_RANK: nobody can be named */
  const Call *at;  /* where that rank is; NULL: not known */
  const Call *of;  /* what most called                    */
  char *reason;    /* owned */
  GArray *waiting; /* of gint64 */
} Verdict;

/* why.c: says who is to blame for an operation of a group, and for a send or receive. */
Verdict hg_why (const Hang *h, const Stuck *stuck);
Verdict hg_why_p2p (const Hang *h, const Group *group, const Call *call);
const Call *hg_last_call (const Hang *h, gint64 rank);
gint64 hg_rank_of (const Hang *h, const Call *call);

/* find.c: finds the first operation that does not end and writes the row. */
nprof_status hg_write (Hang *h);
