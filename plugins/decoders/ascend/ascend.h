/* SPDX-License-Identifier: Apache-2.0 */
/* ascend.h - decoder ascend: what its files share.  A database of Ascend's profilers has plain
 * tables: texts by number, tasks of the hardware, what they computed, collectives, calls of CANN
 * and of PyTorch.  format: ascend.md 3 */
#ifndef ASCEND_H
#define ASCEND_H

#include "database/database.h"
#include "producers/ascend-chip.h"
#include "producers/ascend.h"
#include "producers/ids.h"
#include "producers/step-times.h"

#include <glib.h>
#include <nprof/keys.h>
#include <nprof/sdk.h>

/* -- What the file numbers: each begins with its number, for ids.h ----------------------------- */

typedef struct {
  gint64 id;
  nprof_str text;
} AscendText;

/* What a task computed. */
typedef struct {
  gint64 task;
  nprof_str name, unit, operation, shapes, results;
} AscendKernel;

/* An operator, and what it launched. */
typedef struct {
  gint64 operation, connection;
} AscendLink;

/* A call that launched work, and the operator around it. */
typedef struct {
  gint64 connection;
  gint64 start;                           /* of the call, ns; G_MININT64: none */
  gint64 operator_start, operator_thread; /* G_MININT64: none */
  nprof_str operation;
  nprof_str shapes; /* of its inputs, or of those of the operator around it */
  guint step;       /* 1 + the place of the step in which a node was called; 0: none */
  guint rank;       /* of the kind of call: the least is the launch */
} AscendLaunch;

/* A collective that does not say on which device it ran, by its connection. */
typedef struct {
  gint64 connection, device; /* ASCEND_NONE: unknown */
} AscendPlace;

/* A row of a device that computes or communicates, ps. */
typedef struct {
  gint64 start, end, device;
  bool communicates;
  bool receives; /* a collective that waits for another stage */
} AscendTask;

/* What the vendor's rule takes for a step, ps. */
typedef struct {
  gint64 begin, from, to; /* the window is from..to */
  bool any;               /* of its tasks */
} AscendStepWindow;

/* A type of task, as texts name it. */
typedef struct {
  nprof_str type;
  AscendClass is;
} AscendType;

enum { ASCEND_CALLS = 10 }; /* kinds of calls of the host, by name */

typedef struct {
  const struct nprof_host *host;
  struct nprof_writer *w;
  Db db;
  Ids strings, types;                    /* of AscendText; types: of elements */
  Ids kernels;                           /* of AscendKernel */
  Ids parts;                             /* tasks that are of collectives: numbers alone */
  Ids links;                             /* of AscendLink */
  Ids launches;                          /* of AscendLaunch */
  Ids places;                            /* of AscendPlace */
  gint64 linked;                         /* ranks that its collectives have links of */
  GArray *steps;                         /* of StepTime, ns */
  GArray *windows;                       /* of AscendStepWindow, one a step */
  GArray *kinds;                         /* of AscendType: those of the tasks met so far */
  NpLargeArray *tasks;                   /* of AscendTask, for the split of steps */
  GHashTable *tracks;                    /* what tells it (tracks.c) -> nprof_track */
  gint64 thread, queue_device, queue;    /* the last that were asked for, */
  nprof_track thread_track, queue_track; /* and their tracks; 0: none was */
  GHashTable *chips;                     /* device -> nprof_str */
  AscendChip chip;                       /* of all devices, which are of one kind */
  guint n_groups;
  gint64 least; /* ns: the earliest start; 0: none */
  gint64 base;  /* ns: time 0 of the rows */
  gint64 first_device;
  bool no_track;
  nprof_set work[N_CLASSES];
  nprof_str category[N_CLASSES];
  nprof_str calls[ASCEND_CALLS]; /* categories of calls */
  nprof_str key_correlation, key_stream, key_step, key_engine, key_opcode, key_shape, key_flops,
      key_operator, key_collective, key_group, key_sequence, key_elements_in, key_elements_out,
      key_dtype;
  bool want_correlation, want_stream, want_step, want_engine, want_opcode, want_shape, want_flops,
      want_operator, want_collective, want_group, want_sequence, want_elements_in,
      want_elements_out, want_dtype;
} Ascend;

/* -- load.c: what rows refer to by number ------------------------------------------------------ */

typedef nprof_status AscendTake (Ascend *self, DbRows *rows, const int *columns, gpointer user);

/* Walks the rows of a table, if it is there; `names`: the columns whose places `take` is given, the
 * first `needed` of which must be there.  again: it is read once more later. */
nprof_status ascend_each (Ascend *self, const char *table, const char *const *names, guint needed,
                          bool again, AscendTake *take, gpointer user);
/* Returns a whole number, also in text; ASCEND_NONE where there is none. */
gint64 ascend_int (const DbRows *rows, int column);
/* Returns the text of that number; 0: it has none. */
nprof_str ascend_text (Ids *texts, gint64 id);
nprof_status ascend_load (Ascend *self);
/* Notes when a row begins; below 1: it has no start. */
void ascend_note_start (Ascend *self, gint64 start);
/* Returns NULL where no call is known; `connection` may be any number. */
AscendLaunch *ascend_launch (Ascend *self, gint64 connection);

#define ASCEND_COLUMNS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* -- tracks.c ---------------------------------------------------------------------------------- */

guint ascend_track_hash (gconstpointer key);
gboolean ascend_track_equal (gconstpointer a, gconstpointer b);

nprof_track ascend_device (Ascend *self, gint64 device);
nprof_track ascend_stream (Ascend *self, gint64 device, gint64 stream);
nprof_track ascend_group (Ascend *self, gint64 device, nprof_str group);
nprof_track ascend_counter (Ascend *self, gint64 device, nprof_str name);
nprof_track ascend_thread (Ascend *self, gint64 global_tid);
nprof_status ascend_facts (Ascend *self);
/* Begins a row; false in *begun: its times cannot be, which is counted. */
nprof_status ascend_row (Ascend *self, const DbRows *rows, uint8_t kind, nprof_track track,
                         nprof_str name, gint64 start, gint64 end, bool *begun);

/* -- launches.c -------------------------------------------------------------------------------- */

/* Returns whether the operators around launches are looked for. */
bool ascend_wants_operators (const Ascend *self);
/* Finds what launched work: calls, and the operators around them. */
nprof_status ascend_launches (Ascend *self);

/* -- work.c, host.c, counters.c, steps.c ------------------------------------------------------- */

nprof_status ascend_work (Ascend *self);
nprof_status ascend_host (Ascend *self);
nprof_status ascend_counters (Ascend *self);
/* Writes table ascend_steps, when all rows were read. */
nprof_status ascend_steps (Ascend *self);

#endif
