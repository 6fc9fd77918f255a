/* SPDX-License-Identifier: Apache-2.0 */
/* answers.h - gathers what the summary of a report is made of beside the tables of its page: sums
 * over the steps of each device, verdicts, and what the inputs say of themselves, while tables
 * come. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

typedef enum {
  PART_WINDOW,
  PART_IDLE,
  PART_COMPUTE,
  PART_COMMUNICATION,
  PART_COPY, /* the last four sum to the first */
  PART_HOST,
  PART_LAUNCH,
  PART_WAIT,
  PART_UNLINKED, /* of the idle time */
  PARTS
} Part;

/* This is idle time of one cause, with where the host was then; texts are handles, where 0: nobody
 * knows. */
typedef struct {
  nprof_str cause, where;
  gint64 sum, gaps; /* sum: ps */
} IdlePlace;

typedef struct {
  gint64 n, least, most; /* steps; ps: the shortest and the longest window */
  gint64 slowest;        /* ps: when the first one of the longest began    */
  gint64 part[PARTS];    /* ps: sums over them              */
  gboolean unsure;       /* of one nobody knows its parts   */
  GArray *places;        /* of IdlePlace                    */
} StepSums;

/* These are the steps of a device, or its whole span where it has none (`named` is false). */
typedef struct {
  nprof_str input, device;
  gboolean named;
  gint64 first, last; /* ps: when the first window begins, and the last ends */
  StepSums whole, cut;
  GHashTable *cut_names;
} DeviceSteps;

typedef struct {
  nprof_str input, process, verdict, second; /* second 0: there is none */
  double share, second_share;
  gboolean known;
  char *evidence;
} Verdict;

/* The critical path of a step was followed. */
typedef struct {
  nprof_str input, process;
  gint64 start, duration; /* ps */
} Walked;

/* This is of all collectives, or of those of one kind and size. */
typedef struct {
  nprof_str kind, dtype;                        /* dtype 0: unknown */
  gint64 bytes, ranks, total, overlap, exposed; /* bytes, ranks, exposed -1: unknown; ps */
  double busbw;                                 /* NAN: unknown                 */
} Collective;

/* Operators of a device that run one after the other reach this; in ps. */
typedef struct {
  nprof_str input, device;
  double busy; /* time of work */
  double compute, memory,
      link; /* of what the roofline bounds by the one, by the other; of what waits for links */
  double with_flops,
      at_peak; /* time of operators whose utilisation is known, and that at the peak */
} Roofline;

/* A track is a device of this label, or of this type; NULL: unknown. */
typedef struct {
  nprof_str input;
  gint64 track;
  char *is;
} TrackIs;

/* An input says with this which of how many processes of a job wrote it; NULL: it does not. */
typedef struct {
  nprof_str input;
  char *rank, *world;
} InputRank;

/* An allocator, or a core in the place of one: each input has its own. */
typedef struct {
  nprof_str input, name;
} MemoryOf;

static inline gboolean
is_memory_of (MemoryOf a, MemoryOf b)
{
  return a.input == b.input && a.name == b.name;
}

/* This holds the peak of an allocator, summed by operator. */
typedef struct {
  MemoryOf of;
  char *name;
  gint64 bytes;
} Holder;

typedef struct {
  char *name;
  double value;
} Share;

/* This is what replays of graphs take of a device. */
typedef struct {
  nprof_str device, match; /* the first of table graphs; the match of its busiest graph */
  guint32 n;               /* graphs */
  gint64 replays, kernels; /* of all; of one replay of the busiest */
  double share, busy, named; /* of the device; ps; of these with a known operator */
} GraphWork;

/* This is how long requests of inference wait for their first token. */
typedef struct {
  nprof_str input;
  gint64 n, told;  /* of how many that is known; n 0: none is in the file */
  gint64 p50, p99; /* ps; -1: unknown                                     */
  gint64 queue, tpot; /* medians in ps; -1: unknown                       */
  double tokens_per_s; /* NAN: unknown                                    */
  gboolean stated;     /* by the server, not by slices of its work        */
} Waits;

/* A rank or group makes others wait; who NULL: nobody does. */
typedef struct {
  char *who, *cause;
  double share; /* of the time of all steps */
} Straggler;

/* These are steps that a host announces; ps. */
typedef struct {
  gint64 n, mean, least, most; /* n 0: there is none */
} HostSteps;

typedef struct {
  const struct nprof_host *host;
  GPtrArray *devices;          /* of DeviceSteps          */
  GArray *verdicts;            /* of Verdict              */
  GArray *walked;              /* of Walked               */
  GArray *collectives;         /* of Collective           */
  GArray *rooflines;           /* of Roofline             */
  GArray *operators, *kernels; /* of Leading: of each device, hosts too */
  GArray *classes;             /* of Share: ps by class of modules */
  GHashTable *threads;         /* name -> double: ps of spans of hosts, where no device worked */
  GHashTable *blocking;        /* the same of calls that wait             */
  Straggler straggler;         /* the worst of a job */
  GPtrArray *doubts;           /* of char: what cannot be true in the file, a sentence each */
  gboolean no_kernels;         /* kernels were launched, and none was recorded              */
  HostSteps host_steps;        /* of the process whose steps take longest */
  gboolean torch;              /* PyTorch's operators, or calls of a runtime that launch work */
  MemoryOf memory; /* with the largest peak, of a host only where no other has one; no name: none */
  gint64 memory_peak, memory_capacity, memory_leaked; /* its; -1: unknown */
  GArray *holders;                                    /* of Holder: of all allocators */
  GArray *held;    /* of Holder, by use: of cores of Neuron, whose allocators nobody records */
  gint64 launches; /* whose work is in the file */
  GArray *ranks;   /* of InputRank */
  GArray *labels,
      *types; /* of TrackIs: of devices; types of all of an input are of its own track */
  char *decoder;
  GHashTable *options; /* set: those of PyTorch's profiler that were on */
  guint phases;        /* bits 1 << Phase: those that annotations of steps name */
  char *job;           /* what logs of collectives say of a job, a sentence; NULL: none are there */
  Waits requests;      /* of the input whose median is longest */
  guint n_waiting;     /* inputs that have requests */
  GraphWork graphs;    /* n 0: there are none */
  gboolean hip, rpd;   /* the file names AMD's runtime; threads are named as AMD's RPD does */
  gboolean tensorflow; /* its executor gave GPUs their work    */
  gboolean xla;        /* devices are named as XLA does, whether or not they did something */
  GPtrArray *tables, *announced; /* names of tables that have rows; of all */
  guint more_room;               /* columns of the terminal beyond 80                    */
  gboolean whole;                /* no name is cut: there is no terminal                 */
} Answers;

Answers *answers_new (const struct nprof_host *host);
void answers_free (Answers *answers);
/* Returns an array of Share that frees their names. */
GArray *answers_shares_new (void);
void answers_add (Answers *answers, const struct nprof_table *table, const struct nprof_cell *cells,
                  guint n_rows);
/* Tell whether it has rows, and whether it was made at all. */
gboolean answers_have (const Answers *answers, const char *table);
gboolean answers_announced (const Answers *answers, const char *table);

/* Returns the type of the device whose steps take longest, else of some device; NULL: unknown. */
const char *answers_device_type (const Answers *answers);

/* Returns the steps that count: those that the profile did not cut, else all. */
const StepSums *answers_steps (const DeviceSteps *device);
/* Returns the device whose steps take longest; NULL: there is none. */
const DeviceSteps *answers_worst (const Answers *answers);
/* Returns the time between the first step and the last that is in none of them, and all of it. */
gint64 answers_between (const DeviceSteps *device, gint64 *of);
/* Returns the mean over the steps that count. */
double answers_mean (const DeviceSteps *device, Part part);
/* Returns the verdict that most steps have, of the walked ones of the process whose steps the worst
 * device works in, else of its input; of these steps the one whose share is in the middle.
 * *n and *of: how many of how many.  NULL: none was made. */
const Verdict *answers_verdict (const Answers *answers, guint *n, guint *of);
/* Returns what is known of a device of its input; NULL: nothing. */
const Roofline *answers_roofline (const Answers *answers, nprof_str input, nprof_str device);
/* Returns what an input says; NULL: nothing. */
const InputRank *answers_rank (const Answers *answers, nprof_str input);
