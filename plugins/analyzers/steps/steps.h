/* SPDX-License-Identifier: Apache-2.0 */
/* steps.h - what the files of the analyzer share: the steps as they were found, the threads of
 * hosts, and what is known of each device until the windows of steps are. Times are ps where
 * nothing else is said. */
#ifndef STEPS_H
#define STEPS_H

#include "devicekit/server-steps.h"
#include "devicekit/row-launch.h"
#include "devicekit/device-sweep.h"
#include "devicekit/distribution.h"
#include "devicekit/held-rows.h"
#include "devicekit/idle.h"
#include "devicekit/kernel-family.h"
#include "devicekit/key-table.h"
#include "devicekit/row-role.h"
#include "devicekit/series.h"
#include "devicekit/table-rows.h"
#include "devicekit/peaks.h"
#include "devicekit/traits.h"
#include "names.h"

#include <nprof/draft/clip.h>
#include <nprof/reader.h>
#include <nprof/sdk.h>

/* Steps can be seen in these places, best first. */
enum { STEP_LINE, STEP_MODULE, STEP_NOTE };

/* These words make a series, and the steps of one name in it. */
enum { S_DEVICE, S_SOURCE, S_PROGRAM, S_WORDS };
enum { N_SERIES, N_NAME, N_WORDS };

/* From the first start to the last end of n rows. */
typedef struct {
  guint64 n;
  gint64 first, last;
} Reach;

/* partition.c */
void st_reach (Reach *reach, gint64 start, gint64 end);

/* This is work that begins in a span of a device. */
typedef struct {
  guint64 rows, shown; /* shown: of them, not hidden              */
  gint64 launched;     /* ps: sum of durations                    */
  gint64 own, covered; /* ps: union within the span; until when   */
  gint64 outside;      /* ps: what lies behind the span           */
  /* of a step of the host; lasting: computes or communicates, and fills no memory */
  Reach all, lasting;
} Begun;

typedef struct {
  guint series;
  nprof_str name;      /* of executions of a program: the program's         */
  gint64 start, end;   /* ps                                                */
  bool ended, cut;
  bool shown;          /* the selection does not leave it out               */
  gint64 skew;         /* ps                                                */
  gint64 begin_skew;   /* ps: the same of starts                            */
  gint64 late;         /* ps: its end after the first one's                 */
  const char *no_skew; /* why that is unknown; NULL: it is known            */
  guint ordinal;       /* in its series, by start                           */
  guint number;        /* among the steps as they came                      */
  Begun begun;         /* on a device                                       */
} Step;

typedef struct {
  guint first, n;      /* of the sorted steps */
  guint cut;
  bool shown;
  gint64 end;          /* of the last one so far, while rows come  */
  DistSum total;       /* of durations                             */
} Series;

/* The work of a call of an operator begins before that of so many behind it. */
#define ST_COUNTED 4096u

/* This is a call of an operator whose first work was seen. */
typedef struct {
  guint32 number; /* of the operator; 0: none */
  bool shown;     /* that work is selected    */
} Counted;

/* -- Hosts ------------------------------------------------------------------------------------ */

/* This is a step that a host announces, once for each annotation. */
typedef struct {
  guint32 input;
  nprof_track process, thread;
  guint step;               /* of the steps, while these are not sorted        */
  nprof_str name;
  gint64 start, end;        /* on the host                                     */
  gint64 last;              /* end of the last work that it launched           */
  gint64 window_start, window_end;
  bool first;               /* of its process                                  */
  bool shown, cut;
} HostStep;

typedef struct {
  nprof_track track;
  guint number;             /* among the processes                             */
  GArray *iterations;       /* of AnServerStep, by start                          */
  GArray *steps;            /* of guint: numbers of host steps, by start       */
  guint at;                 /* the last one that was asked for                 */
  GPtrArray *devices;       /* of Device: on which it launched work in steps   */
  gint64 first_work;        /* start of the first work of the first step       */
} Process;

/* This is a span of a host, as it comes. */
typedef struct {
  nprof_str name;
  AnHostKind kind;
  gint64 start, duration;
  gint64 moves; /* bytes of an operator; < 0: unknown */
} HostRow;

/* This is what kernels of one name computed. */
typedef struct {
  gint64 time, compiled; /* compiled: of those that what a compiler made launched */
} Computed;

/* This is what is moved under one name. */
typedef struct {
  guint64 calls;
  gint64 time, bytes;
  bool copies; /* a copy; else an operator */
} Moved;

/* The innermost span of the thread is this one from here on. */
typedef struct {
  gint64 start;
  nprof_str name; /* of its place; 0: none is under way */
  guint32 mark;  /* 1 + that of the span; 0: none                  */
  guint8 means;  /* what the span says of its own time: causes.c   */
} HostSegment;

/* This is a span that is long, or that says that it loads or prepares data, or collects garbage. */
typedef struct {
  gint64 start, end;
  nprof_str name, place; /* place: the span that is named for it     */
  bool works;    /* an operator or a call                            */
  bool known;    /* its name tells what it does                      */
  bool first, waits, input, prepares; /* first: of its name          */
  bool launches, compiles; /* something that begins in it does       */
  bool says_compiles, collects; /* so its name says                  */
} Mark;

/* A span had the thread for so long without a break. */
typedef struct {
  guint mark;
  gint64 length;
} Stood;

typedef struct {
  gint64 start, end;
} Range;

/* A span compiled. */
typedef struct {
  gint64 start, time;
  nprof_str name;
  guint32 input;
} Compiling;

/* Work of some name was launched by this call, and none of it before. */
typedef struct {
  gint64 start;
  nprof_track thread;
  bool known;
} FirstLaunch;

/* This is what hosts of one input did: it says nothing of those of another, whose calls may be as
 * slow as they like. */
typedef struct {
  GPtrArray *durations;   /* of Dist or NULL, by name: of calls and operators               */
  GArray *medians;        /* of gint64, by name: of those of marks, at the end              */
  GArray *first_launches; /* of FirstLaunch, by name of the work; at the end by start       */
  GArray *collections;    /* of Range: pauses of the collector of garbage, at the end       */
  GArray *overhead;       /* of Range: when the profiler was busy with itself               */
  guint64 n_graphs, n_stalls; /* launches of graphs; spans in which a host stood still      */
} OfHosts;

typedef struct {
  nprof_track track;
  Process *process;
  OfHosts *hosts;           /* of its input                                    */
  GArray *open;             /* of HostSpan: spans under way, the innermost last */
  guint crowded;            /* of so many those that have ended are taken out   */
  AnSeries segments;        /* of HostSegment                                  */
  HostSegment *last;
  GArray *marks, *open_marks; /* of Mark; of guint: those that may be under way */
  GArray *stood;            /* of Stood                                        */
  GArray *input, *prepares; /* of Range, by start, apart from each other: at the end */
  GArray *captures;         /* of Range, by start: a graph was captured        */
  gint64 capture;           /* start of the one under way; G_MININT64: none    */
  gint64 ran;               /* the first launch since then whose work is in the file */
  gint64 last_launch, last_compile;
  gint64 compiled_until;    /* a span runs what a compiler made */
} Thread;

/* -- Devices ---------------------------------------------------------------------------------- */

/* BUSY_INFEED: it copies its input from the host, and no other copy needs to be told. */
typedef enum {
  BUSY_NOT,
  BUSY_COMPUTE,
  BUSY_COMMUNICATION,
  BUSY_COPY,
  BUSY_INFEED,
  BUSY_BUBBLE, /* it only communicates, and that waits for the other end */
  BUSY_CONTROL,
  BUSIES
} Busy;

/* Says whose work is under way: numbers of host steps follow. */
enum { OWNER_NONE, OWNER_UNLINKED, OWNER_STEP };

/* From here on the device is busy with this; of several owners each has a segment of the same
 * start. Beside unlinked work no other owner is told. */
typedef struct {
  gint64 start;
  guint32 owner;
  guint8 busy;              /* Busy                                            */
} Segment;

/* A gap goes from the end of work to the start of work; its start is G_MININT64 before the
 * first. */
typedef struct {
  gint64 start, end;
  AnIdleEnd by;
  gint64 call_end;      /* linked: of the launch                   */
  nprof_str call, work; /* linked: names of the launch and the work */
} Gap;

/* Rows of the track, or of those below it, are missing there. */
typedef struct {
  nprof_track track;
  gint64 start, end;
} Loss;

/* This is work that has launches. */
typedef struct {
  gint64 start, end;
  nprof_str name;
  guint32 owner;
  guint32 iteration; /* from 1 on, of those of the process that launched it; 0: of none */
  guint32 shown : 1, lasting : 1, fills : 1, computes : 1, process : 28;
} Work;

/* What was seen of an input. */
typedef struct {
  bool works, spans; /* calls or operators of a host; spans of any kind */
} InputSeen;

typedef struct _Queue Queue;
typedef struct _LogicalCore LogicalCore;
typedef struct _Steps Steps;

/* So many rows of an owner are under way. */
typedef struct {
  guint32 owner;
  guint32 n;
} Owner;

/* These are ends of work, the oldest first. */
typedef struct {
  gint64 *at;
  guint n, room;
} Ends;

/* This is what work on a track belongs to. */
typedef struct {
  struct _Device *device; /* NULL: no work of it was taken yet */
  guint32 lane;           /* of the device's sweep             */
} Lane;

typedef struct _Device {
  Steps *steps;
  nprof_track track; /* of cores that are one logical core: what holds them */
  nprof_track core;  /* its first one; of others the same track             */
  nprof_str label;
  guint32 input;
  AnSweep *sweep;
  Owner *owners;            /* those whose work is under way, in the order in which they came */
  guint n_owners, owners_room;
  guint n_infeeds;          /* of work under way                               */
  guint n_bubbles, n_communications; /* of work under way                      */
  GArray *open;             /* of guint: spans of the device that may be under way */
  GArray *iterations;       /* of AnServerStep, by start: those that the device annotates */
  AnSeries segments, gaps, work;
  AnSeries parts, causes;   /* rows of step_breakdown and idle_causes, once windows are cut */
  GHashTable *moved;        /* name of an operator or a copy to Moved            */
  AnPeak peak;              /* of its memory and its links                       */
  AnKeyTable computed_names; /* of kernels                                      */
  GArray *computed;         /* of Computed, by their numbers                     */
  gint64 by_graphs, launched; /* time of its work that launches of graphs, and any launches began */
  struct _Judged *judged;   /* what is concluded of it; NULL: nothing yet        */
  Segment last;             /* segment                                         */
  guint32 n_last;           /* segments of its start                           */
  bool has_time;            /* there was work with a length                    */
  gint64 first, end;        /* of all work                                     */
  AnIdlePrograms programs;
  Gap gap;                  /* the last one: other work may begin with the one that ended it */
  bool has_gap;
  GArray *lost;             /* of Range, at the end: gaps that touch one have rows missing */
  GHashTable *processes;    /* of Process: those that launched work in steps   */
  guint best_series;        /* at the end; G_MAXUINT: it has none              */
  Ends ends;                /* of work in no step, while no work of a first step was seen */
  guint64 n_launchable, n_linked, n_work;
  Reach shown, around;      /* of work, and of programs that are selected      */
  gint64 busy;              /* while any work that is selected is under way    */
  bool unsure; /* of some rows it is unknown whether they are work: what it did is unknown */
  guint32 n_lanes;
  LogicalCore *logical; /* of Neuron: what its engines did; NULL: it has no row of one */
} Device;

/* This is what the profile of an input has for all of its devices, at the end. */
typedef struct {
  GPtrArray *processes; /* of Process: those with steps */
  gint64 first, end;    /* of all work                  */
} OfInput;

struct _Steps {
  AnRows rows; /* first, for table-rows.h */
  int32_t keep_cut; /* option */

  const struct nprof_host *host;
  AnPlaces *places;
  AnTraitsReader traits;
  AnWaits *waits;
  AnLaunches launches;
  AnHeld held;
  AnStore store;
  struct nprof_window clip; /* sums are of what lies in it */
  AnLaunchKeys launch_keys;
  nprof_str key_collective;
  nprof_str fills[2];   /* categories of fills of memory */
  bool any_hidden;
  gint64 last;          /* end of the last span of all, hidden or not */

  AnKeyTable series_keys, names;
  GArray *steps;        /* of Step */
  GArray *step_of;      /* of guint, by names: steps that are one */
  GArray *series;       /* of Series, by series_keys */

  GArray *host_steps;   /* of HostStep, by start */
  GPtrArray *processes; /* of Process */
  GHashTable *process_of; /* by its track, or by that of a thread without one */
  GPtrArray *threads;   /* of Thread or NULL, by handle of the track */
  GPtrArray *devices;   /* of Device */
  GPtrArray *device_of; /* by its track */
  GArray *of_inputs;    /* of OfInput, by input */
  GPtrArray *queues;    /* of Queue or NULL, by handle of the track */
  GArray *lanes;        /* of Lane, by handle of the track */

  struct nprof_reader message; /* what a row says that is sent: rows.c */
  struct nprof_reader engine; /* what a row of a NeuronCore says: engines.c */
  nprof_str instruction_category, collective_category, dma_category, execution_category;
  StNames *names_say;
  AnPeaks *peaks;
  GHashTable *bytes;    /* name and arguments of operators, to gint64 */
  guint32 n_operators;  /* whose bytes are known                  */
  Counted counted[ST_COUNTED]; /* the last calls of operators that moved bytes, by their number */
  AnFamilies *families;
  GByteArray *kinds;    /* AnHostKind by handle of a category */
  GByteArray *iteration_names; /* of an_names_server_step */
  GPtrArray *of_hosts;  /* of OfHosts or NULL, by input                     */
  GArray *compiling;    /* of Compiling, at the end by start */
  GArray *findings;     /* of AnSanityFinding */
  GArray *inputs;       /* of InputSeen, by number */
  GArray *losses;       /* of Loss */
  nprof_str overhead_category, key_bytes, key_arguments;
};

/* plugin.c */
extern const struct nprof_table steps_table, step_times_table;

/* rows.c */
extern const char *const st_message_keys[];
void st_choose (Steps *self, const struct nprof_batch *batch, uint8_t *rows);
void st_rows (Steps *self, const struct nprof_batch *batch);
/* Takes a row that waited for its launch. */
void st_held (gpointer steps, const struct nprof_batch *row, const AnLaunch *launch);

/* hosts.c follows threads, what each of them did, and the steps that hosts announce. */
Thread *st_thread (Steps *self, nprof_track track);
Thread *st_known_thread (const Steps *self, nprof_track track); /* NULL: none of it was seen */
void st_thread_free (gpointer thread);
void st_process_free (gpointer process);
void st_host_span (Steps *self, Thread *thread, const HostRow *row);
/* Says of a launch in which operator it lies. */
void st_find_operator (const Thread *thread, AnLaunch *launch);
void st_host_step (Steps *self, Thread *thread, const HostStep *step);
/* Ends the rows of all threads. */
void st_hosts_end (Steps *self);
/* Returns the step in which the thread's process was then: OWNER_STEP and more, or OWNER_NONE. */
guint32 st_owner (Steps *self, Thread *thread, gint64 at);
static inline HostStep *
host_step_at (const Steps *self, guint i)
{
  return &g_array_index (self->host_steps, HostStep, i);
}

/* iterations.c finds steps of servers. */
/* Returns those of the device, of AnServerStep, and the work of each in `begun`; transfer full. */
const GArray *st_iterations_of (Steps *self, Device *d, Begun **begun);

/* verdict-tables.c, verdicts.c, causes.c */
/* Returns lengths, gint64, of the periods of steps that count; NULL: none is known. */
const GArray *st_periods_of (const Steps *self, const Device *d);
void st_judged_free (gpointer judged);
OfHosts *st_of_hosts (Steps *self, guint32 input);
void st_of_hosts_free (gpointer hosts);

/* devices.c follows what each device did. */
Device *st_device (Steps *self, const AnPlace *place);
void st_device_free (gpointer device);
/* Did a step of the process launch work on the device? */
bool st_works_on (const Device *d, const Process *p);
/* Begins a step or a program of the device: its number among the steps. */
void st_device_span (Steps *self, Device *d, guint step, bool program);
typedef struct {
  gint64 start, end;
  AnClass class;
  nprof_str category, name;
  guint32 lane;
  bool launchable;        /* of a kind that has launches */
  bool infeed;
  bool lasting;           /* it computes or communicates, and fills no memory */
  bool fills;             /* memory                                          */
  bool bubble;            /* a send or receive that waits for the other end  */
  gint64 bytes;           /* 0: not in the file                              */
  const AnLaunch *launch; /* NULL: not in the file       */
  bool shown;
} DeviceWork;
void st_device_work (Steps *self, Device *d, const DeviceWork *work);
void st_device_end (Steps *self, Device *d);

/* engines.c adds up what engines of a logical core of Neuron do, of rows that are selected; they
 * come by start. */
typedef enum {
  ST_TENSOR,
  ST_SCALAR,
  ST_VECTOR,
  ST_GPSIMD,
  ST_DMA,
  ST_COMM,
  ST_ENGINES /* none, or DMA that the vendor's tools leave out */
} StEngine;
extern const char *const st_engine_keys[];
StEngine st_engine_of (Steps *self, const struct nprof_batch *batch, uint32_t i);
void st_engine_row (Steps *self, Device *d, StEngine engine, gint64 start, gint64 end);
void st_engine_execution (Device *d, gint64 start, gint64 end);
void st_logical_core_free (LogicalCore *core);

/* places.c returns < 0, 0, > 0: which comes first in tables. */
int st_place_compare (const struct nprof_host *host, nprof_track a, nprof_track b);

/* queues.c looks at each queue of a device by itself. */
extern const struct nprof_table queue_idle_table, launches_table, queue_length_table;
void st_queue_work (Steps *self, const Device *d, nprof_track track, const DeviceWork *work);
void st_queue_free (gpointer queue);
nprof_status write_queues (Steps *self);

/* judge.c orders the steps, says which are shown and which are cut, and compares devices. */
void judge (Steps *self);

/* windows.c finds when each step that a host announces began and ended, with its work. */
void find_windows (Steps *self);

/* of-input.c finds what devices of one input share. */
void st_find_of_inputs (Steps *self);
void st_of_input_clear (gpointer of_input);

/* breakdown.c writes tables step_breakdown and idle_causes. */
extern const struct nprof_table step_breakdown_table, idle_causes_table;
/* Cuts what devices did into windows, and judges them. */
nprof_status st_cut_devices (Steps *self);
nprof_status write_breakdown (Steps *self);

/* write.c */
nprof_status write_steps (Steps *self);
nprof_status write_times (Steps *self);

static inline Step *
step_at (const Steps *self, guint i)
{
  return &g_array_index (self->steps, Step, i);
}

static inline Series *
series_at (const Steps *self, guint i)
{
  return &g_array_index (self->series, Series, i);
}

#endif
