/* SPDX-License-Identifier: Apache-2.0 */
/* critical.h - what the files of the analyzer share: the parts of rows that are kept while they
 * come, the windows whose path is walked, and the rows that are loaded of each. Times are ps where
 * nothing else is said. */
#ifndef CRITICAL_H
#define CRITICAL_H

#include "columns.h"
#include "devicekit/class.h"
#include "devicekit/held-rows.h"
#include "devicekit/idle.h"
#include "devicekit/key-table.h"
#include "devicekit/launches.h"
#include "devicekit/row-launch.h"
#include "devicekit/row-role.h"
#include "devicekit/series.h"
#include "devicekit/traits.h"
#include "producers/host-kind.h"

#include <nprof/draft/clip.h>
#include <nprof/reader.h>
#include <nprof/sdk.h>
#include <stdbool.h>

#define NOBODY G_MAXUINT

/* -- What is kept of rows ---------------------------------------------------------------------- */

/* This is a span of a host's thread. */
typedef struct {
  gint64 start, end;
  guint64 correlation; /* 0: none */
  nprof_str name, category;
  nprof_track thread;
  guint8 blocks; /* it says that it returns when work ends: NPROF_KEY_BLOCKS */
} HostSpan;

/* This is work of a device, numbered by its place in the series; rows of a queue come by start. */
typedef struct {
  gint64 start, end;
  gint64 call_start, call_end; /* of the launch; without one: G_MININT64 */
  gint64 before_end;           /* end of `before`                         */
  gint64 bytes;                /* of a copy; 0: not in the file           */
  guint64 correlation;
  nprof_str name, category;
  nprof_track queue, thread; /* thread: of the launch; 0: none          */
  guint32 before; /* 1 + the work of the queue with the latest end that began before; 0: none */
  guint8 class, shown;
  guint8 blocks; /* its own call returned when it had ended: found by depend_find */
} Op;

#define OP_WAITS 0xff  /* class of an engine that waits for a semaphore    */
#define OP_UNTOLD 0xfe /* of a core that waits, for what is unknown */

/* This is an instruction of a NeuronCore; the texts are those of semaphore-keys.h. */
typedef struct {
  Op op;
  nprof_str waits, signals, dma; /* 0: none */
} Unit;

/* This is a row of a core that runs its program in order. */
typedef enum { CORE_OPERATOR, CORE_TRANSFER, CORE_PROGRAM } CoreRowKind;
typedef struct {
  gint64 start, end;
  nprof_str name, category, text; /* text: the HLO instruction; 0: not in the file */
  nprof_track track;
  guint8 kind, shown, class; /* class: AnClass */
} CoreRow;

/* This is an update of a semaphore. */
typedef struct {
  gint64 at, value;
  nprof_str name;
  nprof_track track; /* the engine that made it, the bus, or the core alone */
} Update;

/* A call waited for one of these, as Kineto says it in rows of category cuda_sync. */
typedef enum { SYNC_STREAM_WAIT, SYNC_EVENT, SYNC_STREAM, SYNC_CONTEXT } SyncKind;
typedef struct {
  guint64 correlation; /* of the call                           */
  guint64 record;      /* of the call that recorded the event   */
  gint64 start, stream;
  nprof_track queue;
  SyncKind kind;
} Sync;

/* This is a step that a host announces, or a span that stands for one (option annotation), or one
 * that a device has itself. */
typedef struct {
  gint64 start, end; /* end: G_MAXINT64: not in the file                  */
  nprof_str name;
  nprof_track thread, process; /* of a device: 0, and the device                    */
  guint32 input;
  gboolean shown, on_device;
} AnyStep;

/* -- Windows ----------------------------------------------------------------------------------- */

/* These are the steps among which those that are walked were chosen. */
typedef struct {
  gint64 steps, duration; /* ps: sum of their windows */
} Choice;

typedef struct {
  char *name; /* NULL: none */
  guint32 input;
  nprof_track process, thread; /* thread 0: no host announces it           */
  gboolean on_device;          /* its work is what begins in it; process: the device */
  gint64 host_start, host_end;
  gint64 start, end, launched_end; /* launched_end: of its own work; G_MININT64: it has none */
  gboolean cut, shown, ended;
  guint rank; /* among those of its process */
  Choice choice;
} Window;

typedef struct {
  gint64 start, end;
} Range;

/* Each ps of a thread belongs to one: the innermost span under way, or none. */
typedef struct {
  gint64 start, end;
  guint span; /* of the window's spans; NOBODY: a gap */
} ThreadSegment;

typedef struct {
  nprof_track track, process;
  GArray *
      spans; /* of guint: those of the window's spans, by start; of equal starts the longer first */
  GArray *segments; /* of ThreadSegment                                */
  GArray *loading;  /* of Range: when its spans loaded data, apart from each other */
} Thread;

/* The thread stopped then, so that another one may have gone on. */
typedef struct {
  gint64 end;
  const Thread *thread; /* NULL: none */
} HandOff;

/* A call waited for these: numbers of the window's work. */
typedef struct {
  guint span;
  GArray *sources; /* of guint */
} Blocked;

/* This is the first span that has this correlation id. */
typedef struct {
  guint64 id;
  guint span;
} Call;

typedef struct {
  nprof_track track, device;
  GArray *launched; /* of guint: its work that has launches, by these */
  GArray *ended;    /* of guint: all of its work, by end              */
} Queue;

/* Work began in this program. */
typedef struct {
  gint64 begun, before_end; /* before_end: of the programs that were under way before, the latest */
} LastProgram;

typedef struct {
  Window *window;
  GArray *ops;     /* of Op, by number           */
  GArray *numbers; /* of guint32: those          */
  GArray *spans;   /* of HostSpan, as they came  */
  GArray *syncs;   /* of Sync                    */
  GPtrArray *threads, *queues;
  GHashTable *thread_of;      /* Thread by its track      */
  GArray *stops;              /* of HandOff, by process and end */
  GArray *calls;       /* of Call, by id           */
  GHashTable *blocked; /* GUINT of a span -> Blocked                        */
  /* by number of work, as far as it is filled: GArray of guint: work that it waited for by an event
   * or a semaphore; NULL: none */
  GPtrArray *waits;
  GHashTable *unsure; /* GUINT of work: all that it waited for is not known; NULL: none */
  /* GUINT of work -> LastProgram: the last one that began before it, and after all other work;
   * NULL: none */
  GHashTable *programs;
  AnIdleEnd behind; /* tells why the device idles behind all of its work */
} Loaded;

/* This is what the window of a NeuronCore holds. */
typedef struct {
  Loaded *loaded;
  GArray *units;   /* of Unit, as the work of `loaded` */
  GArray *updates; /* of Update, by time               */
} Units;

/* -- The path ---------------------------------------------------------------------------------- */

typedef enum {
  PATH_HOST_OP,
  PATH_HOST_API,
  PATH_HOST_GAP,
  PATH_SYNC_RETURN,
  PATH_SYNC_OTHER,
  PATH_LAUNCH,
  PATH_COMPUTE,
  PATH_COMMUNICATION,
  PATH_COPY,
  PATH_QUEUE_GAP,
  PATH_WAIT_GAP,
  PATH_UNRECORDED,
  PATH_UNKNOWN,
  PATH_CLASSES
} PathClass;

typedef struct {
  gint64 start, end;
  PathClass class;
  nprof_str name, category;
  nprof_track track;
  guint count;
} Segment;

typedef struct {
  GArray *segments; /* of Segment, by start; those of the walk before are no more */
  guint hand_offs;
  gboolean has_threads; /* spans of hosts say what these did */
} Path;

typedef enum {
  G_HOST,
  G_LAUNCH,
  G_COMPUTE,
  G_COMMUNICATION,
  G_COPY,
  G_QUEUE,
  G_UNKNOWN,
  G_UNRECORDED, /* waits for work that is not in the file: never a verdict */
  GROUPS
} Group;

typedef struct {
  gint64 of[GROUPS], all;
} Groups;

/* It says which device and step one row of tables critical and bound is about. */
typedef struct {
  char *name; /* of the step; NULL: none */
  guint32 input;
  nprof_str place; /* label of the process or the device */
  gint64 start, duration;
  Choice choice;
  Groups groups;
  gint64 host_raw; /* ps of hosts and launches on the path, under work of the device as well */
  gint64 infeed; /* ps of its copies that bring the program's input */
  guint hand_offs, unlinked;
  gboolean on_host;     /* it was walked through hosts: host_raw is known */
  gboolean no_launches; /* it is unknown what the host did */
  const char *missing;  /* rows of a NeuronCore that are not in the file; NULL: none */
  gboolean unsure;      /* it is unknown which of its instructions are work */
  const char *verdict, *second;
  double share, second_share;
  bool on_path; /* they are of the path; else of what devices did in the window */
  char *evidence;
} Judged;

/* This is a row of table step_breakdown, and what table mfu says of a device. */
typedef struct {
  char *step;
  nprof_str input, device;
  gboolean cut;
  gint64 start, infeed;
  Groups groups; /* what the device did; all: its window */
} Breakdown;
typedef struct {
  nprof_str input, device;
  gint64 memory, compute; /* ps of operators that are bound by it */
} Bounds;

/* A NeuronCore's instructions and packets are recorded apart, so that either may be missing. */
typedef struct {
  nprof_track device;
  guint32 input;
  nprof_str label;
  gboolean instructions, packets; /* some are in the file                       */
  AnDoubt doubt;                  /* of some it is unknown whether they are work, or when */
} Core;

/* The process gave the device work. */
typedef struct {
  nprof_track process, device;
} Worker;

typedef struct Replay Replay;

typedef struct {
  int64_t n_steps, n_what_if; /* options */
  int32_t window;
  bool path;
  const char *annotation;

  const struct nprof_host *host;
  AnPlaces *places;
  AnTraitsReader traits;
  AnLaunches launches;
  AnHeld held;
  AnStore store;
  struct nprof_window clip; /* sums are of what lies in it */
  AnSeries ops, spans, syncs, units, updates;
  AnKeyTable core_places; /* label and input of what has rows of cores */
  GPtrArray *core_rows;   /* of AnSeries of CoreRow: of each of these  */
  GArray *steps;      /* of AnyStep, as they came       */
  GArray *queues;     /* of QueueEnd, by handle of track */
  GByteArray *kinds;  /* by handle of a category: AnHostKind */
  GByteArray *names;  /* by handle of a name: CallKind   */
  GArray *breakdowns; /* of Breakdown                   */
  GArray *bounds;     /* of Bounds                      */
  GArray *computing;  /* of gint64 by input: ps of computing; what runs at once counts each   */
  GArray *cores;      /* of Core                       */
  GByteArray *others; /* by handle of a category: TRUE: not of instructions or packets */
  GByteArray *orders; /* by handle of a track: whether its work runs in order          */
  GArray *linked;     /* of guint32 inputs that have work with launches */
  GArray *cut_off;    /* of guint32 inputs of which rows of any time may be missing */
  GArray *workers;    /* of Worker, the last one found first             */
  AnLaunchKeys launch_keys;
  nprof_str key_collective, key_stream, key_record, key_blocks, key_bytes;
  nprof_str sync_names[4];
  nprof_str cuda_sync, semaphore_wait, semaphore, dma;
  nprof_str key_waits, key_signals, key_dma;
  nprof_str key_text;
  GArray *segments; /* of Segment: of the path that is walked; its room is kept for the next */
  Replay *replay;
  nprof_str class_words[PATH_CLASSES]; /* 0: not interned yet */
  struct nprof_reader text; /* of the HLO instruction */
  GArray *texts;            /* of nprof_str by set: 1 + its text; 0: not looked at */
  gint64 last;
  gboolean has_breakdown; /* the table was announced */
} Critical;

enum { WINDOW_STEP, WINDOW_LAUNCHES, WINDOW_RECORDING }; /* option window */

/* It says what a call is, by its name. */
typedef enum {
  CALL_OTHER = 1,
  CALL_SYNC_ALL,
  CALL_SYNC_STREAM,
  CALL_SYNC_EVENT,
  CALL_BLOCKS, /* until the work of its id ends: it says so itself */
  CALL_COPY,
  CALL_RECORD,
  CALL_LOADER,
  CALL_QUERY,
  CALL_READY /* of a framework, until its arrays are there */
} CallKind;

/* gather.c */
typedef struct {
  guint32 before;
  gint64 end;
} QueueEnd;
void gather_rows (Critical *self, const struct nprof_batch *batch);
QueueEnd *queue_end (Critical *self, nprof_track track);
/* Takes a row that waited for its launch. */
void gather_held (gpointer critical, const struct nprof_batch *row, const AnLaunch *launch);
void gather_choose (Critical *self, const struct nprof_batch *batch, uint8_t *rows);
AnHostKind host_kind (Critical *self, nprof_str category);
CallKind call_kind (Critical *self, nprof_str name);
/* Returns the kind of a call of the vendor's runtime, CALL_SYNC_ALL for a span in which a framework
 * waits for its arrays, and CALL_OTHER for any other span. */
CallKind span_waits (Critical *self, const HostSpan *span);
/* Returns whether spans of that kind say what their thread did; frames and annotations only name
 * it. */
gboolean is_activity (AnHostKind kind);

/* windows.c returns all windows of processes, of Window by process and start. */
GArray *windows_find (Critical *self);
/* Returns whether the work is that of the step, which has a name. */
gboolean window_owns (const Critical *self, const Window *w, const Op *op);
void window_clear (gpointer window);
/* choose.c returns the ones to walk, Window *; `walked_of` says how many there were. */
GPtrArray *windows_choose (const Critical *self, GArray *windows);
/* Chooses which of n complete steps are walked, by their lengths in the order of time: TRUE a
 * step.  Returns of which they were chosen. */
Choice choose_steps (const gint64 *length, gboolean *chosen, guint n, gint64 most);

/* load.c */
GPtrArray *load_windows (Critical *self, const GPtrArray *windows); /* of Loaded */
static inline const Op *
op_at (const Loaded *l, guint i)
{
  return &g_array_index (l->ops, Op, i);
}
static inline const HostSpan *
span_at (const Loaded *l, guint i)
{
  return &g_array_index (l->spans, HostSpan, i);
}
Loaded *loaded_new (Window *window);
/* Takes out what work of a core there is, and keeps its room for another window. */
void loaded_again (Loaded *l, Window *window);
void loaded_free (gpointer loaded);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Loaded, loaded_free)
/* Adds work; numbers rise. */
void add_op (Loaded *l, const Op *op, guint32 number);
/* Returns the work of that number; NOBODY: not of the window. */
guint op_numbered (const Loaded *l, guint32 number);
guint32 input_of (const Critical *self, nprof_track track);
nprof_track process_of (const Critical *self, nprof_track track);

/* threads.c */
void threads_find (Critical *self, Loaded *l);
Thread *thread_of (const Loaded *l, nprof_track track);
void thread_free (gpointer thread);
/* Finds in the gap a..b of a thread the last span of another thread of the process that ends in it,
 * which may have handed over.  Calls that only ask whether something is done hand nothing over. */
HandOff hand_off (const Loaded *l, const Thread *thread, gint64 a, gint64 b);

/* depend.c */
void depend_find (Critical *self, Loaded *l);
void queue_free (gpointer queue);
typedef enum { DEP_NONE, DEP_LAUNCH, DEP_WAIT, DEP_QUEUE } DepKind;
typedef struct {
  DepKind kind;
  gint64 ready;
  guint op; /* NOBODY: not of the window */
} Dep;
typedef void (*DepFn) (gpointer user, const Dep *dep);
/* Says that the work waited for the other. */
void add_wait (Loaded *l, guint op, guint source);
void depend_each (const Loaded *l, guint op, DepFn fn, gpointer user);
Dep depend_binding (const Loaded *l, guint op);
/* Returns the span of the call that launched the work; NOBODY: not of the window. */
guint launch_span (const Loaded *l, const Op *op);
gboolean op_follows_launch (const Op *op);
const Blocked *blocked_at (const Loaded *l, guint span);

/* path.c */
Path path_walk (Critical *self, const Loaded *l);
/* Leaves what lies in the window of --clip. */
void path_cut (Path *path, const struct nprof_window *clip);
PathClass class_of_op (const Op *op);
const char *path_class_name (PathClass class);
Group group_of (PathClass class);

/* Returns the time of a path by what it is of, in a window of that duration. */
Groups path_groups (const Path *path, gint64 duration);

/* exposed.c */
/* When a device computed; computed or communicated; did any work: each holds the one before. */
#define BUSY_LEVELS 3
typedef struct {
  nprof_track device;
  GArray *ranges[BUSY_LEVELS]; /* of Range, by start, apart from each other */
} Busy;
GPtrArray *busy_find (const Critical *self, const Loaded *l); /* of Busy */
/* Returns how much of a..b the device worked. */
gint64 busy_time (const Busy *busy, gint64 a, gint64 b);
/* This is a path of which the device's work has what it covers of hosts and launches. */
typedef struct {
  Groups groups;
  gint64 host_raw;      /* ps of hosts and launches before that     */
  gint64 queue_covered; /* ps of waits in queues while it worked    */
} Exposed;
/* device: the label of the one that works most; 0: none. */
Exposed exposed_find (const Critical *self, const Loaded *l, const Path *path, nprof_str device);

/* replay.c */
Replay *replay_new (Critical *self);
void replay_free (Replay *replay);
/* Prepares replays of the window, which stays the caller's and as it is. */
void replay_load (Replay *replay, const Loaded *l);
/* Returns how much earlier the window would end if the operator took 1/factor of its time, or none
 * with factor 0.  With name 0 nothing changes, and the gain is 0. */
gint64 replay_gain (Replay *replay, nprof_str name, double factor);

/* evidence.c looks at the launches and the idle time of a window. */
typedef struct {
  guint64 launches, shorter; /* shorter: work that is shorter than its launch */
  guint64 early;             /* launches that seem later than their work      */
  gint64 delay;              /* ps, median                                    */
  gint64 idle_host,
      idle_loader;    /* ps of all devices: until the launch; of these while data is loaded */
  gint64 idle_launch; /* ps of all devices: from the launch on      */
  gint64 idle;        /* ps of the device that idles least          */
  nprof_str device;   /* its label; 0: none                         */
} Evidence;
Evidence evidence_find (Critical *self, const Loaded *l);

/* verdict.c */
/* Judges by those groups, of a device or of its path; path and e NULL: not known. */
void verdict_find (const Critical *self, Judged *j, const Groups *by, const Path *path,
                   const Evidence *e);
/* Says in the evidence of a device, which is judged by what it did, what most of its path is. */
void verdict_add_path (const Critical *self, Judged *j, const Groups *groups, const Path *path);
/* Returns whether a queue would be blamed for time in which the device works: what waited in it may
 * have waited for that work by an event that was not recorded. device: what the device did. */
gboolean verdict_rests_on_gaps (const Exposed *path, const Groups *device);
void judged_clear (gpointer judged);

/* cores.c notes what is recorded of NeuronCores, row by row. Returns whether rows of that
 * category are known to say nothing of it. */
static inline gboolean
cores_pass (const Critical *self, nprof_str category)
{
  return category < self->others->len && self->others->data[category];
}
void cores_note (Critical *self, const AnPlace *place, AnTraits traits, nprof_str category);
/* Takes from the groups what rests on rows of the core that are missing, which j then names. */
void cores_judge (const Critical *self, nprof_str label, Judged *j);

/* whole.c judges devices whose work has no launches in the file, by tables of other analyzers. */
nprof_status whole_table (Critical *self, const struct nprof_table *table,
                          const struct nprof_cell *cells, guint n_rows);
void whole_judge (Critical *self, GArray *judged);
/* Returns what the device did in that step, by table step_breakdown; NULL: it does not say. */
const Breakdown *whole_step (const Critical *self, const Judged *j, nprof_str device);
void breakdown_clear (gpointer breakdown);
double bandwidth_share (const Critical *self, guint32 input);
/* Takes a row of work; what is hidden or does not compute does not count. */
void note_computing (Critical *self, guint32 input, const Op *op);

/* units.c keeps the instructions of NeuronCores, and walks their steps where the path was asked
 * for. */
gboolean units_wanted (const Critical *self);
void units_row (Critical *self, AnTraits traits, const struct nprof_batch *batch, uint32_t i,
                const AnPlace *place);
void units_instant (Critical *self, const struct nprof_batch *batch, uint32_t i);
/* Writes the paths of those judged from that one on. */
nprof_status units_walk (Critical *self, GArray *judged, guint from);

/* whole.c */
Window judged_window (const Judged *j);
/* Walks the path of a device, writes it, and adds it to the evidence. */
nprof_status judged_walk (Critical *self, Judged *j, const Loaded *l);

/* tensorcore.c keeps the rows of cores that run their programs in order, and walks their steps
 * where the path was asked for. */
void tensorcore_row (Critical *self, AnTraits traits, const struct nprof_batch *batch, uint32_t i,
                     const AnPlace *place, CoreRowKind kind);
nprof_status tensorcore_walk (Critical *self, GArray *judged, guint from);
/* Returns the rows of the device of that label, by start; NULL: there are none. */
const AnSeries *core_rows_of (const Critical *self, nprof_str place, guint32 input);
void core_rows_free (gpointer rows);

/* Finds what is behind all work of a window, and in which programs that began, where l->programs is
 * there.  programs: of CoreRow, by start. */
void programs_find (Loaded *l, const GArray *programs);

/* transfers.c finds what work of such a core waited for.  texts: of nprof_str, by number of
 * work; transfers: of CoreRow, by start. */
void transfers_find (Critical *self, Loaded *l, const GArray *texts, const GArray *transfers);

/* semaphores.c finds what instructions of a NeuronCore waited for. */
void semaphores_find (Critical *self, const Units *units);

/* write.c */
nprof_status write_judged (const Critical *self, const GArray *judged);
nprof_status write_path (Critical *self, const Judged *j, const Path *path);
nprof_status write_what_if (Critical *self, const Judged *j, const Loaded *l, const Path *path);

#endif
