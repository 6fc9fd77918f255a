/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.h - what the files of the analyzer ranks share: devices while their rows come, what the job
 * looks like once all ranks are together, and what each file does for the others. Times are ps
 * where nothing else is said. */
#ifndef RANKS_H
#define RANKS_H

#include "columns.h"
#include "devicekit/row-launch.h"
#include "devicekit/class.h"
#include "devicekit/device-sweep.h"
#include "devicekit/row-role.h"
#include "devicekit/traits.h"
#include "job.h"

#include <nprof/draft/clip.h>
#include <nprof/keys.h>
#include <nprof/reader.h>
#include <nprof/sdk.h>

/* -- Rows -------------------------------------------------------------------------------------- */

/* An annotated step of a process, by start. */
typedef struct {
  gint64 number, start, end; /* ps; end: G_MAXINT64 where the file has none */
} HostStep;

typedef struct {
  nprof_track track;
  GArray *steps; /* of HostStep */
} Process;

/* From here on this is under way: a bit for each class, which lies AN_SWEEP_CLASSES higher for work
 * that runs apart (AnKind.apart).  0: nothing is. */
typedef struct {
  gint64 start, end;
  guint32 classes;
} Piece;

typedef struct {
  gint64 start, end, launch; /* launch: start where the file has none */
  bool launched;             /* the file has one                      */
} Kernel;

/* A kernel of a collective, or a call that is made of several. */
typedef struct {
  gint64 start, end, launch;
  guint32 group, signature[S_WORDS];
  gint64 sequence;     /* -1: not told              */
  gint64 step, number; /* NO_STEP: in no whole step */
  guint32 kernels;
  guint32 execution; /* 1 + of the device's; 0: of no program */
  bool exchanges;    /* its launch lies in an annotation of an all-to-all */
  nprof_str started; /* the collective that this instruction begins; 0: it is a whole one */
  guint8 p2p, bare;
  guint8 ended;    /* what began has its end                            */
  guint8 unplaced; /* it lists groups, and nobody says which is its own */
  /* for leaf.c */
  guint32 call; /* 1 + number of the job's; 0: nobody can count it */
  gint64 exposed;
  bool waited;
} Seen;

/* One execution of a compiled program on a device. */
typedef struct {
  nprof_str program;
  gint64 run; /* as the file numbers it; -1: it does not */
  gint64 start, end;
} Execution;

/* Work of one name and category. */
typedef struct {
  guint64 count, in_steps; /* of the whole profile: what a rank does is its role */
  guint64 calls;           /* that touch the window  */
  DistSum total;           /* ps within the window   */
} Sum;

/* The work that one step of the host had on the device. */
typedef struct {
  gint64 last; /* ps: end of the last work that it launched */
  bool used;
} StepWork;

typedef struct {
  struct _Ranks *run;
  nprof_track track;
  uint32_t input;
  guint of_input; /* devices that its input has, once all are known */
  gint64 number;  /* rank; NO_RANK: nobody says                     */
  nprof_str label;
  AnSweep *line;
  guint n_lanes;
  Process *process;   /* that launched work; NULL: unknown */
  GArray *pieces;     /* of Piece, one after the other  */
  GArray *kernels;    /* of Kernel that compute         */
  GArray *seen;       /* of Seen                        */
  GArray *open;       /* of guint: those that began, and have no end yet */
  bool has_async;     /* its collectives have spans from start to done   */
  GArray *executions; /* of Execution, by start       */
  AnKeyTable names;   /* of operators                   */
  GArray *sums;       /* of Sum, by them                */
  GArray *steps;      /* of StepWork, by those of the process */
} Device;

typedef struct _Ranks {
  /* options */
  const char *rank;  /* number or pattern */
  const char *label; /* of the job */
  bool strict;       /* who has no number is an error */
  bool calls;        /* table collective_calls        */

  const struct nprof_host *host;
  struct nprof_window clip; /* times of ranks are cut to it */
  AnPlaces *places;
  AnTraitsReader traits;
  GPtrArray *launches; /* of GHashTable, by input: id to Launch; NULL: none yet */
  struct nprof_reader pick;
  nprof_str key_collective;
  AnLaunchKeys launch_keys;
  GPtrArray *devices;   /* of Device  */
  GPtrArray *by_track;  /* nprof_track to Device */
  GPtrArray *processes; /* of Process */
  GArray *lanes;        /* of guint: 1 + lane, by handle of a track */
  GByteArray *exchanges_by_name; /* by handle: 0 not looked at, else Names             */
  GHashTable *exchanges;         /* by thread: Exchange, the last annotation of it     */
  GHashTable *uses;     /* of Use, by input and device; NULL: no table mfu */
  Job job;
} Ranks;

/* fields.c: who takes part in a collective, and what it is */
extern const char *const rk_keys[];
void rk_fields (Ranks *r, const struct nprof_batch *batch, uint32_t i, Seen *seen);
/* The number by which the file tells executions of a program apart; -1: it does not. */
gint64 rk_run (Ranks *r, const struct nprof_batch *batch, uint32_t i);

/* rows.c */
void rk_choose (Ranks *r, const struct nprof_batch *batch, uint8_t *rows);
void rk_rows (Ranks *r, const struct nprof_batch *batch);
void rk_device_free (gpointer device);
void rk_process_free (gpointer process);

/* executions.c: programs of XLA, and the groups that their collectives have */
void rk_execution (Ranks *r, Device *d, const struct nprof_batch *batch, uint32_t i);
/* Collectives have groups of the rank that the device is, and those of programs their run as a
 * step. */
void rk_place (Ranks *r, Device *d);

/* leaf.c: what a device did becomes a rank of the job */
nprof_status rk_end (Ranks *r, bool rows);
/* Option strict. */
nprof_status rk_check (const Ranks *r);

/* names.c: which rank a device is; NO_RANK: nobody says */
gint64 rk_number (const Ranks *r, const Device *d);
/* Returns input, host, label and number, which tell the device from others. */
Rank rk_who (const Ranks *r, const Device *d);
/* Returns how many devices of its input, or of the run, stand before it by their names. */
gint64 rk_device_place (const Ranks *r, const Device *d, bool of_input);
gint64 rk_property (const Ranks *r, uint32_t input, const char *key, gint64 unknown);
bool rk_check_pattern (const Ranks *r);

/* mfu.c: how much of what it could do a rank did, as the analyzer mfu says */
typedef enum { NO_WORK, NO_FLOPS, NO_PEAK, ONE_NAME, UNKNOWNS } UseUnknown;
typedef struct {
  double mfu, could;  /* NaN: unknown; flops that the device could do in that time */
  UseUnknown unknown; /* why */
} Use;
void rk_mfu_table (Ranks *r, const struct nprof_table *table, const struct nprof_cell *cells,
                   guint n_rows);
Use rk_use_of (const Ranks *r, const Rank *rank);

/* windows.c: what lies before each collective of a device */
typedef struct {
  gint64 end;
  guint32 seen;
} Wait;
typedef struct {
  GArray *waits; /* of Wait, by end: collectives that computing waits for      */
  GArray *spent; /* of Spent: how long what, until the begin of each piece      */
} Past;
/* Kernels and collectives of the device are in order of their starts. */
Past *past_new (const Device *d);
void past_free (Past *past);
/* ps of that kind, or of all of them with SEGS */
gint64 past_spent (const Past *past, guint seg, gint64 from, gint64 to);
void find_window (const Device *d, const Past *past, guint seen, Window *window);

/* calls.c */
nprof_status write_own_calls (Ranks *r, const Device *d, const Past *past);

/* anchors.c: calls of which all times are kept */
void choose_anchors (Ranks *r, const Device *d, Rank *rank);

/* save.c, merge.c */
nprof_status rk_save (void *self, struct nprof_output *out);
nprof_status rk_merge (void *self, const void *data, size_t len);

/* -- The whole job ----------------------------------------------------------------------------- */

typedef struct {
  guint32 rank;         /* lowest */
  guint n;              /* ranks of it */
  double offset, drift; /* ps to add to its times, and of that per ps since the job's begin */
  double low, high;     /* ps: bounds of what to add; infinite: there are none  */
  double spread;        /* ps: median residual                         */
  guint used;           /* collectives                                 */
  guint component;      /* clocks that collectives join, 1, 2, ...; 0: in none */
} Clock;

typedef struct {
  gint64 collectives, complete, invalid, checked;
  gint64 size, seen; /* size 0: not told                               */
  DistSum transfer, late, exposed;
  guint64 anchors, failed;
  bool left_out;
} GroupSum;

/* The results for a call, beside what its ranks told. */
typedef struct {
  guint8 complete, barrier, told; /* told: its lateness can be                     */
  guint32 last;                   /* 1 + rank; 0: nobody is said to be the last    */
  guint32 clocks;                 /* on how many it began                          */
  guint32 culprit;                /* 1 + of the culprits                           */
} Verdict;

typedef enum { BY_COMPUTE, BY_HOST, BY_COPY, BY_NETWORK, CAUSES } Cause;

/* A rank and what it was late by, or a group whose transfers were slow. */
typedef struct {
  guint32 who; /* rank, or group of BY_NETWORK */
  Cause cause;
  guint64 collectives, last;
  DistSum late, cost, gain;
  gint64 most;        /* ps: in one collective, beyond what its ends differ by */
  GHashTable *groups; /* group to DistSum: what of late was in it */
  DistSum most_of_group;
  GHashTable *steps;
  bool named;
} Culprit;

/* Why it is unknown what the job would gain without a rank. */
typedef enum {
  GAIN_KNOWN,
  GAIN_ONE_RANK,
  GAIN_MISSING,
  GAIN_ROLES,
  GAIN_HANDS_ON,
  GAIN_NO_STEPS,
  GAIN_APART
} GainUnknown;

typedef struct {
  GainUnknown unknown;
  gint64 step;      /* of GAIN_APART: the first in which ranks do not wait for all others */
  DistSum *of_rank; /* ps, by rank  */
  DistSum steps;    /* ps: of each step that all ranks have its longest window */
} Gains;

/* Who was waited for. */
typedef struct {
  guint64 collectives, told; /* that all of a group have; of them those that somebody waited in */
  DistSum *of_rank, all;     /* ps that others waited for it, by rank */
  guint64 *last;             /* in how many it was the last, by rank  */
  const char *code;          /* of the job: straggler or imbalance; NULL: neither */
} Waits;

/* The last rank of the call that was late longest of those without a cause, where that is as much
 * of a step as names a culprit; no time: none was. */
typedef struct {
  guint32 rank;
  double time; /* ps */
} Unexplained;

typedef struct {
  const Job *job;
  struct nprof_window clip;
  guint32 *ranks, *rank_place; /* in order, and where each stands */
  guint32 *calls, *call_place;
  gint64 *numbers;      /* of ranks, by handle: those that nobody told follow the others */
  gint64 epoch;         /* Unix ns: the least origin */
  double middle;        /* ps since then: of what clocks follow from */
  GArray *clocks;       /* of Clock                       */
  bool one_clock;       /* clocks agree as they are      */
  const Start **newest; /* by clock: the last start of a call on it; NULL: none */
  guint32 *started;     /* the clocks that have one                             */
  guint n_started;
  double *end_spread; /* ps, by signature: what ends differ by in 9 of 10; NaN */
  double end_spread_of_all;
  AnKeyTable kinds;           /* signature, ranks and hosts of calls     */
  guint32 *kind;              /* by call                                 */
  double *usual, *usual_more; /* ps, by kind: median transfer, and what more is no noise */
  GroupSum *groups;
  Verdict *verdicts;       /* by call                       */
  GArray *culprits;        /* of Culprit                    */
  guint32 *roles;          /* by rank: number of its role      */
  guint32 *representative; /* by role: rank                    */
  guint n_roles;
  Gains gains;
  Waits waits;
  Unexplained unexplained;
  double step_time; /* ps: of the job: median over ranks of their steps, or of the spans */
  double one_step;  /* ps: median step; 0: no steps         */
} Whole;

Whole *whole_new (const Job *job, const struct nprof_window *clip);
void whole_free (Whole *whole);
/* Does the collective end within the window? What follows from all of its ranks is whole, so it
 * counts in one of windows that follow each other. */
static inline bool
call_counts (const Whole *whole, guint32 call)
{
  gint64 end = job_call (whole->job, call)->end;
  return !whole->clip.cuts || (end > whole->clip.from && end <= whole->clip.to);
}
/* match.c */
void match_calls (Whole *whole);
void find_last (Whole *whole);
/* clocks.c, fit.c */
typedef struct {
  guint32 call, clock, rank;
  double start, end; /* ps since the job's epoch */
} Moment;
void find_clocks (Whole *whole);
/* From moments of calls that several clocks tell, by call and clock. */
void fit_clocks (Whole *whole, const GArray *moments);
/* The next call among sorted moments: from `from` to the one returned. */
guint next_call (const GArray *moments, guint from);
double since_epoch (const Whole *whole, guint32 rank, gint64 at);
/* Its time by the clock of reference, ps since the epoch. */
double aligned (const Whole *whole, guint32 rank, gint64 at);
double aligned_by (const Whole *whole, const Clock *clock, double at);
static inline Clock *
clock_of (const Whole *whole, guint32 rank)
{
  return &g_array_index (whole->clocks, Clock, job_rank (whole->job, rank)->clock);
}
/* why.c */
void find_causes (Whole *whole);
const char *cause_name (Cause cause);
/* The most late first; transfer full, the culprits stay. */
Culprit **culprits_in_order (const Whole *whole);
/* ps that ranks waited in it for others, while nothing computed: no more than that. */
DistSum cost_of (const Call *call);
/* roles.c */
void find_roles (Whole *whole);
/* gain.c: once there are roles */
void find_gains (Whole *whole);
/* waits.c: once calls are matched */
void find_waited (Whole *whole);
/* steps.c */
/* whole.c: the value that stands behind so many thousandths of all when they are sorted; NaN of
 * none. Changes their order. */
double quantile_of (double *values, guint n, guint mille);
/* Returns the value that is at that place when they are sorted.  Changes their order. */
double nth_of (double *values, guint n, guint nth);
void sort_doubles (double *values, guint n);
void find_step_time (Whole *whole);

/* names.c */
const char *group_name (const Job *job, guint32 group);
/* Returns the name, with members or communicator if other groups have the same name; transfer
 * full. */
char *group_text (const Job *job, guint32 group);
nprof_str who_text (const Whole *whole, const Culprit *culprit);
/* Returns the numbers of some of the ranks, "0-7, 16-23"; transfer full. */
char *numbers_text (const Whole *whole, bool (*has) (gconstpointer user, guint32 rank),
                    gconstpointer user);
/* Adds those from `first` to `last`, if there are any. */
void append_numbers (GString *text, gint64 first, gint64 last);

/* tables.c, write.c, write-calls.c, write-job.c */
nprof_status rk_write (Ranks *r);
nprof_status write_calls (Ranks *r, const Whole *whole, nprof_str input);
nprof_status write_job (Ranks *r, const Whole *whole, nprof_str input);
nprof_status write_spread (Ranks *r, const Whole *whole, nprof_str input);
/* Returns how many ranks the profiles say there are; 0: they do not say. */
gint64 world_of (const Whole *whole);
/* Returns whether some collectives of the rank cannot be counted. */
bool is_incomplete (const Whole *whole, guint32 rank);
/* steps.c, operators.c */
nprof_status write_steps (Ranks *r, const Whole *whole, nprof_str input);
nprof_status write_operators (Ranks *r, const Whole *whole, nprof_str input);

/* Unknown: also more than a column holds. */
static inline struct nprof_maybe_int
sum_if (bool known, DistSum sum)
{
  return nprof_int_if (known && sum <= G_MAXINT64, (gint64) MAX (sum, 0));
}

/* The same of a time. */
static inline struct nprof_maybe_int
whole_ps (double ps)
{
  return nprof_int_if (ps < 0x1p63, ps < 0x1p63 ? (gint64) ps : 0);
}

#endif
