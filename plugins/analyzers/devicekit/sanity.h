/* SPDX-License-Identifier: Apache-2.0 */
/* sanity.h - finds what cannot be true of the rows of an input, before anything is concluded from
 * them: rows that are in the file twice, that another clock timed, that run over what follows on
 * their own stream; launches without work. traits.h shows it each batch before rows are put in
 * order, and asks it afterwards which rows are left out or cut. Only work that a host launches is
 * looked at, the kernels, copies and fills of GPUs and their like. */
#ifndef AN_SANITY_H
#define AN_SANITY_H

#include "devicekit/row-role.h"

typedef enum {
  AN_SANITY_DUPLICATES,
  AN_SANITY_OTHER_CLOCK,
  AN_SANITY_BEFORE_LAUNCH,
  AN_SANITY_CLOCKS_DIFFER,
  AN_SANITY_RUNS_OVER,
  AN_SANITY_STREAM_OVERLAP,
  AN_SANITY_CORRELATION_TWICE,
  AN_SANITY_CORRELATION_SHARED,
  AN_SANITY_NO_KERNELS,
  AN_SANITY_LOST_KERNELS,
  AN_SANITY_GRAPHS_OPAQUE,
  AN_SANITY_MERGED_RANKS,
  AN_SANITY_FRAMES_OUTLIVE,
  AN_SANITY_ROW_LIMIT,
  AN_SANITY_RULES
} AnSanityRule;

/* These are unknown of an input then. */
enum {
  AN_UNKNOWN_DEVICE = 1,
  AN_UNKNOWN_STEP = 2,
  AN_UNKNOWN_BUSY = 4,
  AN_UNKNOWN_CAUSE = 8,
  AN_UNKNOWN_PATH = 16,
  AN_UNKNOWN_DELAY = 32,
  AN_UNKNOWN_OPERATOR = 64
};

/* A rule fired of an input. */
typedef struct {
  AnSanityRule rule;
  uint32_t input;
  guint64 rows, of; /* of: among so many; 0: it does not matter               */
  gint64 worst;     /* ps, by how much the worst row is off; 0: no such thing */
  guint64 left_out; /* rows                                                   */
  guint unknown;    /* AN_UNKNOWN_...                                         */
} AnSanityFinding;

/* This is work of a device. */
typedef struct {
  gint64 start, end;   /* ps                            */
  guint64 correlation; /* of its launch; 0: none        */
  nprof_str name;
  nprof_track queue;
  guint32 call, next; /* for sanity.c                  */
  bool communicates;
  bool side_by_side; /* it lies on a queue of a core, whose rows need no order */
} AnSanityWork;

/* What becomes of a row. */
typedef struct {
  bool left_out;
  gint64 end; /* ps: where it ends */
} AnSanityMark;

typedef struct _AnSanity AnSanity;

AnSanity *an_sanity_new (const struct nprof_host *host);
void an_sanity_free (AnSanity *sanity);

/* -- Before rows are put in order -------------------------------------------------------------- */

/* Goes on to rows of that input, so many of them; what came before of another is judged. */
void an_sanity_rows (AnSanity *sanity, uint32_t input, guint n_rows);
void an_sanity_work (AnSanity *sanity, const AnSanityWork *work);
/* Any span of a host that is no step. */
void an_sanity_host (AnSanity *sanity, gint64 start, gint64 end);
/* Returns whether the name is that of a call which begins or ends the capture of a graph; it needs
 * no id. */
bool an_sanity_captures (AnSanity *sanity, nprof_str name);
/* A call of a runtime or a driver; correlation 0: it has no id. */
void an_sanity_call (AnSanity *sanity, nprof_str name, nprof_track thread, gint64 start, gint64 end,
                     guint64 correlation);
/* A step that a host announces. */
void an_sanity_step (AnSanity *sanity, nprof_str name, nprof_track thread, gint64 start,
                     gint64 end);
/* No more rows come. */
void an_sanity_end (AnSanity *sanity);

/* -- Afterwards -------------------------------------------------------------------------------- */

/* Returns the findings, of AnSanityFinding, by input; they no longer change. */
const GArray *an_sanity_findings (const AnSanity *sanity);
/* Returns whether some row of the input is left out or cut. */
bool an_sanity_marks (const AnSanity *sanity, uint32_t input);
/* Returns what becomes of that work, which comes in the order of time. */
AnSanityMark an_sanity_mark (AnSanity *sanity, const AnSanityWork *work);

/* -- Launches ---------------------------------------------------------------------------------- */

/* What a call is, by its name. */
enum {
  AN_CALL_LAUNCHES = 1, /* kernels or a graph */
  AN_CALL_GRAPH = 2,
  AN_CALL_BEGINS_CAPTURE = 4,
  AN_CALL_ENDS_CAPTURE = 8,
  AN_CALL_CUDA = 16,
  AN_CALL_HIP = 32
};
guint an_call_is (const char *name);

#endif
