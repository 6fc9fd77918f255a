/* SPDX-License-Identifier: Apache-2.0 */
/* verdict.h - what a window of a device is made of, part by part, and what is concluded from it.
 * The rules are those of nprof-analyzer-steps(7), section verdict. */
#ifndef STEPS_VERDICT_H
#define STEPS_VERDICT_H

#include "partition.h"
#include "profile/window-parts.h"

/* causes.c tells what time of a thread is. */
/* Looks at a span as it begins, in the order of starts, and returns what its own time is, as far as
 * it tells itself; *mark: 1 + that of the thread on which it depends as well, or 0. */
guint8 st_span_begins (Steps *self, Thread *thread, const HostRow *row, guint32 *mark);
/* The innermost span of a thread had that time without a break. */
void st_span_stood (Thread *thread, guint32 mark, gint64 length);
/* Notes that the row was launched by that call. */
void st_note_launched (Steps *self, nprof_str name, const AnLaunch *launch);
/* Joins ranges that touch, of Range; they come in any order. */
void st_unite (GArray *ranges);
/* Ends all of that: from here on causes may be asked for, by several threads. */
void st_end_causes (Steps *self);
/* length: of the whole segment. */
Part st_cause_of (const Thread *thread, const HostSegment *segment, gint64 length);
/* A launch takes some us; from 1 ms on it did something else. */
bool st_is_long_launch (gint64 length);
/* Tells of a long launch whether code was loaded, or the host stood still. */
Part st_cause_of_long_launch (const OfHosts *hosts, nprof_track thread, gint64 start,
                              nprof_str call);

/* Finds what compiled longest in each window; time 0: nothing.  windows: of Window, by start. */
void st_find_compiling (const Steps *self, guint32 input, const GArray *windows, Compiling *found);

/* losses.c */
void st_loss_row (Steps *self, const struct nprof_batch *batch, uint32_t i);
/* Returns whether rows of the input may be missing at any time. */
bool st_is_cut_off (const Steps *self, guint32 input);
/* Finds what all losses are for the device, whose gaps are known. */
void st_losses_end (Steps *self, Device *device);
/* Returns whether rows of the device may be missing in the gap; gaps ascend, and *first begins as
 * 0. */
bool st_is_lost (const Device *device, const Gap *gap, guint *first);

/* drift.c */
typedef struct {
  guint kernels;  /* names that became slower; 0: none, or less than half of computing */
  gint64 time;    /* of all their calls                          */
  double slower;  /* 0.08: they take 8 % longer, by their time   */
  nprof_str name; /* of those with most time                     */
} Drift;
Drift st_find_drift (Steps *self, Device *device);

/* sums.c adds up the parts of windows. */
typedef struct {
  gint64 length;
  Part part; /* most of it */
  nprof_str before; /* what ends it; 0: nothing */
} LongGap;

typedef struct {
  gint64 all, in_long; /* ps */
} NameTime;

typedef struct {
  Part part;
  nprof_str name; /* of the call, span or kernel; 0: it has none */
  gint64 length; /* ps */
} Spent;

typedef enum { GAPS_ALL, GAPS_SHORT, GAPS_LONG } Gaps;

/* Times are ps. */
typedef struct {
  gint64 of[PARTS], in_long[PARTS]; /* in_long: of gaps of 1 ms or more */
  gint64 all;
  guint windows, loading; /* loading: with some first use */
  guint64 gaps;
  LongGap longest;
  guint pauses; /* of the collector of garbage, in idle time */
  gint64 paused; /* by them */
  AnKeyTable names; /* part and name           */
  GArray *times;    /* of NameTime, of each    */
} Sums;

/* no_causes: it is unknown why the device idles. */
Sums st_sum_windows (Steps *self, Device *device, const GArray *windows, gboolean no_causes);
void st_sums_clear (Sums *sums);
/* Returns the name that has the largest share of the part in such gaps. */
Spent st_sums_most (const Sums *sums, Part part, Gaps gaps);

/* codes.c concludes. */
typedef struct {
  Part first, second; /* PARTS: none */
  gboolean mixed;
  double share, second_share;
} Leads;

typedef struct {
  char *code; /* "compute.gemm", "mixed:A+B", "undetermined.REASON" */
  double share, second_share; /* NAN: unknown                */
  const char *engine; /* of a NeuronCore: the one that leads */
  const char *second; /* the part or the engine behind what leads; NULL: none */
  char *sentence;     /* NULL: nothing more to say   */
} Verdict;

typedef struct {
  const Sums *sums;
  guint unknown;        /* AN_UNKNOWN_..., of the input             */
  const char *rule;     /* by which the device is unknown; or NULL  */
  const char *kind;     /* of compute: "compute.gemm"               */
  double of_memory;     /* of such a kind: the share of computing in kernels that move memory */
  double use_of_memory; /* of its peak by their operators' bytes; 0: unknown                  */
  double unfused;       /* the share of computing that a compiler could fuse; 0: it did       */
  gboolean compiled;    /* by a compiler, a tenth of it or more                                */
  guint64 rows;         /* of the device                            */
  const struct nprof_host *host;
} Case;

Verdict st_conclude (const Case *c);
void st_verdict_clear (Verdict *verdict);
/* Returns the group of the part, its word, action and the condition of its gain; never NULL but the
 * last two. */
typedef struct {
  const char *group, *word, *action, *condition;
} PartWords;
const PartWords *st_part_words (Part part);
/* The same of a code. */
const char *st_group_of (const char *code);
const char *st_word_of (const char *code);

/* engines.c */
/* Returns whether the verdict is that of the engines of its logical core: some instruction was
 * seen, and executions fill more than half of the windows.  Else the time between them leads. */
gboolean st_engines_decide (const Device *device, const Sums *sums);
Verdict st_conclude_engines (const Device *device);
/* Returns what reaches that part of one of its physical cores; NULL: nothing is known. */
const char *st_engine_action (const Device *device, Part part);

/* repeats.c finds a period in a recording without steps: a sequence of names that repeats in that
 * share of all rows. Returns an array of Range; NULL: there is none. */
GArray *st_find_repeats (Steps *self, Device *device, double of);

/* verdicts.c chooses the windows, and judges the device by them. */

/* A step compiled. */
typedef struct {
  char *step;
  Compiling what;
} Recompiled;

typedef struct _Judged {
  const char *base;
  guint left_out;
  gint64 median, lag;              /* lag < 0: there is none */
  gint64 deviation;                /* < 0: there is one window */
  const char *kind;                /* of compute */
  double of_memory, use_of_memory; /* as of Case */
  double unfused;                  /* the share of computing that a compiler could fuse */
  gboolean compiled;               /* computing, by a compiler */
  guint64 rows;                    /* of the device in the windows */
  Sums sums;
  Verdict verdict;
  bool by_engines;    /* of a NeuronCore: the verdict is theirs */
  char *note;         /* of the windows that are left out; NULL: none */
  gint64 place;       /* among the devices of the run, from 1 */
  GArray *periods;    /* of gint64: lengths of the windows that count */
  GArray *windows;    /* of Range: the same windows */
  GArray *recompiled; /* of Recompiled */
  Drift drift;
} Judged;

/* Judges a device by the windows of steps, and sets Window.counted of those that count. */
void st_judge_windows (Steps *self, Device *device, GArray *windows, const Period *periods,
                       const Begun *begun);
/* Returns AN_UNKNOWN_... of an input; `rule`: by which its devices are unknown, or NULL. */
guint st_unknown_of (const Steps *self, guint32 input, const char **rule);

/* verdict-tables.c writes tables verdict, verdict_parts, verdict_windows, unsteady and moved. */
extern const struct nprof_table verdict_table, verdict_parts_table, verdict_windows_table,
    unsteady_table, moved_table;
nprof_status write_verdicts (Steps *self);

#endif
