/* SPDX-License-Identifier: Apache-2.0 */
/* rocm.h - what the decoders of ROCm's profiles share: processes, their agents, queues and threads,
 * and the rows that kernels, copies, calls, marks, allocations and counters become, so that one job
 * gives the same rows in whichever form it was written. Times are ns where nothing else is said. */
#ifndef ROCM_H
#define ROCM_H

#include "producers/ids.h"
#include "producers/say-meaning.h"

#include <glib.h>
#include <nprof/keys.h>
#include <nprof/sdk.h>

typedef struct {
  /* option */
  const char *steps;

  const struct nprof_host *host;
  struct nprof_writer *w;
  gint64 base;          /* ns: what time 0 of the rows is in the file */
  GPtrArray *processes; /* of RocmProcess                             */
  GHashTable *hosts;    /* names of machines                          */
  bool no_track;        /* there was no memory for one                */
  GHashTable *told; /* tracks of devices -> the process that came first; their facts are written */
  nprof_set step;   /* that a span is a step, as its option says; 0: nobody asks */
  nprof_str key_correlation, key_stream, key_bytes, key_kernel, key_step, key_args, key_dispatch,
      key_scratch, key_graph, key_node;
  bool want_correlation, want_stream, want_bytes, want_kernel, want_step, want_args, want_dispatch,
      want_scratch, want_graph;
  nprof_str kernel, copy, roctx, memory, allocation;
} Rocm;

/* These are the option and the attributes of each of the decoders. */
#define ROCM_STEPS_OPTION(T, m)                                                                    \
  NPROF_STRING_OPTION (T, m, "steps", "",                                                          \
                       "pattern of the roctx ranges that are steps; the last number in their "     \
                       "text is the step's")
#define ROCM_ATTRIBUTES                                                                            \
  &meaning_attribute,                                                                              \
      NPROF_ATTRIBUTE (NPROF_UINT64, NPROF_KEY_CORRELATION_ID, "",                                 \
                       "joins a launch and its execution"),                                        \
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_STREAM, "", "stream of the process"),                \
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_BYTES, "byte",                                       \
                       "size of a transfer or an allocation"),                                     \
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_KERNEL, "",                                         \
                       "registers, shared memory, grid in blocks, block"),                         \
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_STEP, "", "number of the step"),                     \
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_UNIT, "", "of a counter's values"),                 \
      NPROF_ATTRIBUTE (NPROF_INT64, "dispatch_id", "", "number of the dispatch in its process"),   \
      NPROF_ATTRIBUTE (NPROF_INT64, "private_segment_size", "byte", "scratch of a work-item"),     \
      NPROF_ATTRIBUTE (NPROF_INT64, "graph_exec_id", "", "HIP graph that launched it"),            \
      NPROF_ATTRIBUTE (NPROF_INT64, "graph_node_id", "", "node of that graph"),                    \
      NPROF_ATTRIBUTE (NPROF_JSON, "args", "", "of an allocation, as Kineto tells it")

nprof_status rocm_open (Rocm *self, const struct nprof_host *host);
void rocm_close (Rocm *self);

/* Begins a row, with times in ps; fails where there was no memory for a track, be it another
 * one's. */
nprof_status rocm_row (Rocm *self, uint8_t kind, nprof_track track, nprof_str name, gint64 from,
                       gint64 duration);

/* -- What the file numbers, for ids.h ---------------------------------------------------------- */

typedef struct {
  gint64 id;
  nprof_str text;
} RocmText;

typedef struct {
  gint64 id, registers; /* or ROCM_UNKNOWN */
  nprof_str name;
} RocmSymbol;

/* -- counts.c ---------------------------------------------------------------------------------- */

/* This is what a counter counted. */
typedef struct {
  gint64 of, counter; /* of: a dispatch, or an event */
  double value;
  bool used;
} RocmCount;

/* Adds a count; what follows of the same owner and counter is added to its value. */
void rocm_counts_take (Ids *counts, RocmCount count);
/* Puts them in order, and adds up the dimensions of each counter. */
void rocm_counts_add_up (Ids *counts);
/* Returns the first counter of a dispatch or event, and marks them all as used; NULL: it has
 * none. */
RocmCount *rocm_counts_of (Ids *counts, gint64 of, guint *n);
/* Counts in table skipped those that nobody took. */
void rocm_counts_end (const Ids *counts, const struct nprof_host *host, const char *what,
                      const char *why);

/* -- tracks.c: processes, agents, and where rows lie ------------------------------------------- */

typedef struct {
  gint64 index; /* among those of its type */
  bool gpu;
  nprof_str product;  /* 0: unknown */
  gint64 cores, mhz;  /* 0: unknown */
  nprof_track device; /* 0: nothing ran on it yet */
} RocmAgent;

/* A call that began in a step. */
typedef struct {
  gint64 correlation, step;
} RocmLaunch;

typedef struct {
  Rocm *self;
  gint64 pid;
  guint number;      /* from 0; the upper half of its correlation ids */
  nprof_str machine; /* 0: unknown */
  nprof_track track;
  GHashTable *agents;  /* guint64 as the file has it -> RocmAgent */
  GHashTable *threads; /* gint64 -> nprof_track                   */
  GHashTable *names;   /* gint64 -> nprof_str: names of threads   */
  GHashTable *queues;  /* of RocmQueue                            */
  GArray *steps;       /* of StepTime, ns                         */
  Ids launches;        /* of RocmLaunch: calls within a step      */
  NpLargeArray *uses;  /* of RocmUse                              */
  nprof_track ranges;  /* of ranges that end on any thread        */
} RocmProcess;

/* Adds a process; `command` is what it runs, or NULL. */
RocmProcess *rocm_process (Rocm *self, const char *machine, gint64 pid, const char *command);
/* Returns the agent with that id, made where it is new. */
RocmAgent *rocm_agent (RocmProcess *p, guint64 id);
/* Returns NULL for none of that id. */
RocmAgent *rocm_agent_of (const RocmProcess *p, guint64 id);
nprof_track rocm_track (Rocm *self, nprof_track parent, uint32_t kind, nprof_str key,
                        nprof_str label, gint64 sort);
nprof_track rocm_thread (RocmProcess *p, gint64 tid);
nprof_track rocm_ranges (RocmProcess *p);
nprof_track rocm_device (RocmProcess *p, RocmAgent *agent);
/* Returns the queue of an agent; NULL: its copies that state none. */
nprof_track rocm_queue (RocmProcess *p, RocmAgent *agent, const gint64 *queue);
/* Writes what is known of the GPUs that worked. */
nprof_status rocm_facts (Rocm *self);

/* -- times.c ----------------------------------------------------------------------------------- */

/* Tells the origin: the second of the earliest start; G_MAXINT64: there is none. */
nprof_status rocm_begin (Rocm *self, gint64 least);
/* Returns false for a span that cannot be: without a start, or that ends before it, or far off
 * all others. */
bool rocm_is_span (gint64 start, gint64 end);
/* Converts a time to one of the rows; false: it is far off all others. */
bool rocm_time (const Rocm *self, gint64 ns, gint64 *ps);

/* Notes a range that names a step, before any row. */
void rocm_note_step (RocmProcess *p, const char *text, gint64 start, gint64 end);
void rocm_steps_noted (Rocm *self);

/* -- rows.c, memory.c: each counts in table skipped what cannot be, and goes on ---------------- */

/* What rows of the file have in common; `what` and `at` say where it stands. */
typedef struct {
  const char *what;
  guint64 at;
  gint64 start, end;   /* ns */
  guint64 correlation; /* as the file has it; 0: none */
} RocmSpan;

enum { ROCM_UNKNOWN = -1 };

typedef struct {
  RocmSpan span;
  RocmAgent *agent; /* NULL: unknown */
  nprof_str name;
  gint64 queue, stream, dispatch; /* or ROCM_UNKNOWN, as the others */
  gint64 shared, scratch, registers;
  gint64 block[3], grid[3]; /* work-items */
  gint64 graph, node;
} RocmKernel;

/* *begun: a row is there, which may be given more attributes. */
nprof_status rocm_kernel (RocmProcess *p, const RocmKernel *kernel, bool *begun);
/* Returns the name of a kernel without the ending of its descriptor. */
nprof_str rocm_kernel_name (const Rocm *self, const char *text);

typedef struct {
  RocmSpan span;
  RocmAgent *from, *to; /* NULL: unknown */
  const char *way;      /* MEMORY_COPY_HOST_TO_DEVICE, ...; NULL: unknown */
  gint64 queue, stream, bytes;
} RocmCopy;

nprof_status rocm_copy (RocmProcess *p, const RocmCopy *copy);

typedef struct {
  RocmSpan span;
  gint64 tid;
  nprof_str name, category;
} RocmCall;

nprof_status rocm_call (RocmProcess *p, const RocmCall *call);
/* Returns the category of rows for one of rocprofiler's kinds: HIP_RUNTIME_API_EXT, ... */
nprof_str rocm_category (const Rocm *self, const char *kind);
bool rocm_is_marker (const char *kind);

typedef struct {
  RocmSpan span;
  gint64 tid;
  nprof_str text;   /* 0: unknown */
  const char *call; /* roctxThreadRangeA, ...; NULL: unknown */
} RocmMark;

nprof_status rocm_mark (RocmProcess *p, const RocmMark *mark);

typedef struct {
  RocmSpan span;
  RocmAgent *agent; /* NULL: unknown, as of what is freed */
  bool frees;
  guint64 address;
  gint64 bytes;
} RocmUse;

/* Keeps it until all are there: the file has them in no order. */
void rocm_use (RocmProcess *p, const RocmUse *use);
nprof_status rocm_uses_end (RocmProcess *p);

nprof_status rocm_counter (RocmProcess *p, RocmAgent *agent, nprof_str name, nprof_set unit,
                           gint64 at, double value);

#endif
