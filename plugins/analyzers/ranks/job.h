/* SPDX-License-Identifier: Apache-2.0 */
/* job.h - what is known of the ranks of a job, taken together in any order: their collectives,
 * matched by what makes them one call, and what each rank did. All of it is integers and texts, so
 * that the same ranks give the same bytes however they came together. Times are ps where nothing
 * else is said. */
#ifndef RANKS_JOB_H
#define RANKS_JOB_H

#include "devicekit/collective-kind.h"
#include "devicekit/distribution.h"
#include "devicekit/key-table.h"

#include <nprof/sdk.h>

/* The number of calls by which the windows of ranks differ in where they begin. */
enum { MIXED_CALLS = 1, MIXED_GROUPS = 2, MIXED_SIGNATURES = 4, ALL_MIXED = 7 };

/* The work of a device from the end of the last collective that it waited for until a collective
 * began. */
enum { SEG_COMPUTE, SEG_COLLECTIVE, SEG_COPY, SEG_HOST, SEG_IDLE, SEGS };

#define NO_STEP G_MININT64
#define NO_RANK G_MININT64

/* Words of a group.  Of two groups of one name the communicator or the ranks differ. */
enum { G_COMMUNICATOR, G_NAME, G_LABEL, G_MEMBERS, G_SIZE, G_WORDS };

/* Words of a signature: calls that differ in it are never one. S_KIND is an AnKindOf, and VARIES
 * where each rank may have its own number of elements, which then are no part of it, -1: not told;
 * and ALONE where the device goes on while it runs, so that its end says nothing of other ranks. */
#define VARIES 256u
#define ALONE 512u
enum { S_NAME, S_KIND, S_DTYPE, S_IN_LOW, S_IN_HIGH, S_OUT_LOW, S_OUT_HIGH, S_KERNELS, S_WORDS };

/* Words of a call: how it was counted, and its number; of BY_STEP its step and its number
 * therein. */
enum { C_GROUP, C_SIGNATURE, C_HOW, C_STEP_LOW, C_STEP_HIGH, C_NUMBER_LOW, C_NUMBER_HIGH, C_WORDS };
typedef enum { BY_SEQUENCE, BY_STEP, BY_CAPTURE, HOWS } How;
#define HOW_P2P 8u /* beside How: sends and receives are counted apart */

/* The way in which the first of a call's ranks came to it. */
typedef struct {
  gint64 seg[SEGS]; /* ps */
  guint32 before;   /* 1 + the call at whose end the window begins; 0: none that could be counted */
  guint32 beside;   /* 1 + the last call of the group that was exposed longest in it              */
  guint32 has;      /* there is a window                                                          */
} Window;

/* One collective, over all its ranks that were read. */
typedef struct {
  guint32 n, n_windows;
  guint32 mixed;          /* MIXED_CALLS | ...                                    */
  DistSum total, exposed; /* ps: durations; of them while nothing computed        */
  DistSum seg[SEGS];      /* ps: of all windows                                   */
  gint64 shortest[2];     /* ps: the two shortest durations; of n >= 1 and n >= 2 */
  guint32 first[2];       /* ranks of them                                        */
  gint64 longest;         /* ps */
  gint64 end;             /* ps by the clock of first[0]; states do not have it */
  Window window;          /* of first[0]                                          */
  gint64 step;            /* in which it was launched; NO_STEP                    */
  guint32 starts;         /* 1 + the newest Start; 0: none                        */
} Call;

/* The last start among ranks of one clock that came after each other; a list of each call. */
typedef struct {
  gint64 at; /* ps by the clock of the rank */
  guint32 rank, next;
} Start;

/* A call whose times are kept for each rank: clocks follow from these. */
typedef struct {
  guint32 call;
  gint64 start, end; /* ps from the origin of the rank */
} Anchor;

typedef struct {
  gint64 number;
  gint64 start, end;                   /* ps from the origin of the rank, whatever is cut */
  gint64 compute, exposed, copy, idle; /* ps within the window of --clip */
} RankStep;

typedef struct {
  guint32 operator, in_steps;
  guint64 count; /* of the whole profile */
  guint64 calls; /* that touch the window of --clip */
  guint64 total; /* ps within it; G_MAXUINT64: that or more */
} RankOperator;

typedef struct {
  nprof_str input, host, device;
  gint64 number, world;                                     /* NO_RANK, 0: the file does not say  */
  gint64 origin;                                            /* Unix ns of time 0; NPROF_NO_EPOCH  */
  gint64 span, busy, compute, communication, exposed, idle; /* ps within the window of --clip */
  guint64 bare,
      /* collectives that have no key, as nobody can count them: without fields, in no whole step */
      outside;
  gint64 bare_ps;
  GArray *steps;     /* of RankStep, by number           */
  GArray *operators; /* of RankOperator                  */
  GArray *anchors;   /* of Anchor                        */
  guint32 clock;     /* once ranks are put in order      */
} Rank;

typedef struct {
  const struct nprof_host *host;
  AnKeyTable group_keys, signature_keys, call_keys, operator_keys, rank_keys;
  GArray *calls;    /* of Call, by key  */
  GArray *starts;   /* of Start         */
  GPtrArray *ranks; /* of Rank, by key */
} Job;

/* The group of those that name none is always there. */
#define NO_GROUP 0u
void job_init (Job *job, const struct nprof_host *host);
void job_clear (Job *job);

static inline Call *
job_call (const Job *job, guint32 i)
{
  return &g_array_index (job->calls, Call, i);
}

static inline Rank *
job_rank (const Job *job, guint32 i)
{
  return g_ptr_array_index (job->ranks, i);
}

static inline const guint32 *
group_key (const Job *job, guint32 i)
{
  return an_key_table_key (&job->group_keys, i);
}

static inline const guint32 *
signature_key (const Job *job, guint32 i)
{
  return an_key_table_key (&job->signature_keys, i);
}

static inline const guint32 *
call_key (const Job *job, guint32 i)
{
  return an_key_table_key (&job->call_keys, i);
}

static inline gint64
key_number (const guint32 *key, guint low)
{
  return (gint64) ((guint64) key[low + 1] << 32 | key[low]);
}

static inline void
set_key_number (guint32 *key, guint low, gint64 value)
{
  key[low] = (guint32) (guint64) value;
  key[low + 1] = (guint32) ((guint64) value >> 32);
}

/* Adds up what is new of a rank that is there already. */
guint32 job_rank_of (Job *job, const Rank *who);
RankOperator *rank_operator (Rank *rank, guint32 operator);
void rank_operator_take (RankOperator *operator, DistSum ps);
void rank_add_step (Rank *rank, const RankStep *step);
void rank_add_anchor (Rank *rank, const Anchor *anchor);
guint32 job_call_of (Job *job, const guint32 *key);
/* A call as ranks have it, all of them others than those that it has already. */
void job_add_call (Job *job, guint32 number, const Call *part, const Start *starts, guint n_starts);

/* -- Order: by what things are, never by when they came ---------------------------------------- */

int job_compare_texts (const Job *job, nprof_str a, nprof_str b);
int job_compare_groups (const Job *job, guint32 a, guint32 b);
int job_compare_signatures (const Job *job, guint32 a, guint32 b);
int job_compare_operators (const Job *job, guint32 a, guint32 b);
int job_compare_ranks (const Job *job, guint32 a, guint32 b);
int job_compare_who (const Job *job, const Rank *a, const Rank *b);
int job_compare_calls (const Job *job, guint32 a, guint32 b);
/* 0 .. n - 1 in that order; transfer full. */
guint32 *job_sorted (const Job *job, guint n, int (*compare) (const Job *, guint32, guint32));
/* The inverse of a permutation; transfer full. */
guint32 *job_places (const guint32 *sorted, guint n);
/* Keeps the last of the starts of a call on one clock, by host and rank; transfer full. */
GArray *job_starts (const Job *job, const Call *call);
/* Ranks whose times one clock tells: of one host, else of one input. */
bool job_same_clock (const Job *job, guint32 a, guint32 b);
/* < 0, 0, > 0: by times of one clock. */
int job_compare_starts (const Job *job, const Start *a, const Start *b);

static inline AnKindOf
signature_kind (const guint32 *signature)
{
  return (AnKindOf) (signature[S_KIND] & ~(VARIES | ALONE));
}

/* Does a rank wait in it until all have come? */
static inline bool
is_barrier (const Job *job, guint32 signature)
{
  const guint32 *key = signature_key (job, signature);
  return key[S_KIND] == AN_KIND_ALLREDUCE || key[S_KIND] == AN_KIND_ALLGATHER
         || key[S_KIND] == AN_KIND_REDUCESCATTER || key[S_KIND] == AN_KIND_ALLTOALL
         || key[S_KIND] == AN_KIND_BARRIER;
}

#endif
