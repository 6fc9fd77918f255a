/* SPDX-License-Identifier: Apache-2.0 */
/* nsys.h - decoder nsys: what its files share. An input is an SQLite database that may be hostile:
 * it is read table by table in the order in which rows lie, nothing of it is executed, and the
 * columns that are there say what is in them, not the version. source: META_DATA_EXPORT and ENUM_*
 * of exported files, schemas 3.1 to 3.25 */
#ifndef NSYS_H
#define NSYS_H

#include "database/rest.h"
#include "producers/ids.h"

#include <nprof/keys.h>

/* This is a step of a process, as the program annotated it. */
typedef struct {
  gint64 process;            /* globalPid */
  gint64 start, end, number; /* ns as in the file */
} NsStep;

/* This is a range of NVTX on a thread. */
typedef struct {
  gint64 start, end, thread; /* ns as in the file; globalTid */
  nprof_str name;
  bool is_operator; /* of PyTorch */
} NsRange;

typedef struct {
  gint64 id;
  nprof_str text;
} NsString;

typedef struct {
  gint64 process, device, stream; /* stream: G_MININT64 for the device itself */
} NsPlace;

typedef struct NsGraphs NsGraphs;

typedef struct {
  /* options */
  const char *steps;

  const struct nprof_host *host;
  struct nprof_writer *w;
  Db db;
  gint64 base;         /* ns: what time 0 of the rows is in the file */
  Ids strings;         /* of NsString: StringIds         */
  GHashTable *threads; /* gint64 globalTid -> nprof_track     */
  GHashTable *names;   /* gint64 globalTid, globalPid -> nprof_str: labels */
  GHashTable *devices; /* NsDevice by globalPid and device    */
  GHashTable *queues;  /* by NsPlace                          */
  NsPlace place;       /* the last whose queue was asked for, */
  nprof_track queue;   /* which is this; 0: none was          */
  GHashTable *gpus;    /* device key -> GPtrArray: facts written once */
  /* globalPid -> its number + 1, in order of first row with a correlation id */
  GHashTable *numbers;
  GHashTable *contexts; /* process and context -> device       */
  GHashTable *domains;  /* process and NVTX domain -> nprof_str */
  GArray *annotated;    /* of NsStep, by process and start     */
  GHashTable *waits;    /* process and correlation of a call that waits -> nprof_str */
  NsGraphs *graphs;     /* NULL: nobody wants them */
  GHashTable *launches; /* correlation id -> step + 1, of calls within a step */
  nprof_str key_correlation, key_stream, key_device, key_bytes, key_kernel, key_step, key_text,
      key_domain, key_args;
  bool want_correlation, want_stream, want_device, want_bytes, want_kernel, want_step, want_text,
      want_domain, want_args;
} Nsys;

/* -- database.c: the file as tables ------------------------------------------------ */

/* It walks the rows of a table, one after the other. */
typedef struct {
  Nsys *self;
  DbRest all;
} NsRows;

nprof_status ns_database_open (Nsys *self, const void *data, uint64_t len);
/* Begins a table that is there, and counts it as read. */
nprof_status ns_rows_begin (Nsys *self, const char *table, NsRows *rows);
/* Returns the first of the names that the table has; they end in NULL. */
int ns_column_of (NsRows *rows, const char *const *names);
/* Names the tables that became nothing, but for those that only describe others. */
nprof_status ns_tell_unread (Nsys *self);

#define ns_rows_end(rows) db_rest_end (&(rows)->all)
/* Ends rows of a table that is read again. */
#define ns_rows_end_again(rows)                                                                    \
  ((rows)->self->db.rows_left += (rows)->all.in.row, ns_rows_end (rows))
#define ns_column(rows, name) db_rest_column (&(rows)->all, name)
#define ns_column_if(rows, name, wanted) db_rest_column_if (&(rows)->all, name, wanted)
#define ns_has(self, table) db_has (&(self)->db, table)
#define ns_rows_next(rows, status) db_rows_next (&(rows)->all.in, status)
#define ns_int(rows, column, value) db_int (&(rows)->all.in, column, value)
#define ns_text(rows, column) db_text (&(rows)->all.in, column)
#define ns_damaged(rows, ...) db_damaged (&(rows)->all.in, __VA_ARGS__)

/* -- names.c: texts by number ------------------------------------------------------- */

nprof_status ns_strings_load (Nsys *self, const char *table, const char *id, const char *text);
/* Returns "name 17" where the file has no such text. */
nprof_str ns_string (Nsys *self, gint64 id);
/* Returns the text of a call without the version of its signature: cudaLaunchKernel_v7000. */
nprof_str ns_call_name (Nsys *self, gint64 id);
nprof_str ns_copy_name (Nsys *self, gint64 kind, gint64 from, gint64 to);
nprof_str ns_set_name (Nsys *self, gint64 kind);
nprof_str ns_sync_name (Nsys *self, gint64 type);
/* Returns the length of the operator's name in what PyTorch's emit_nvtx writes: "aten::add, seq =
 * 1, op_id = 2"; 0: it is no such text. */
size_t ns_operator_name (const char *text);

/* -- tracks.c: where rows lie --------------------------------------------------------- */

#define NS_PROCESS(tid) ((gint64) ((guint64) (tid) & ~G_GUINT64_CONSTANT (0xffffff)))

nprof_status ns_tracks_load (Nsys *self);
nprof_track ns_process (Nsys *self, gint64 pid);
nprof_track ns_thread (Nsys *self, gint64 tid);
/* Returns the track of ranges that begin and end anywhere. */
nprof_track ns_ranges (Nsys *self, gint64 pid);
/* Returns the track of missing pages of unified memory. */
nprof_track ns_faults (Nsys *self, gint64 pid);
nprof_track ns_device (Nsys *self, gint64 pid, gint64 device);
/* Notes the GPU of a process's context: waits state 0 as their device, whichever it is. */
void ns_context_seen (Nsys *self, gint64 pid, gint64 context, gint64 device);
gint64 ns_context_device (const Nsys *self, gint64 pid, gint64 context, gint64 device);
/* NULL as stream means the whole device. */
nprof_track ns_queue (Nsys *self, gint64 pid, gint64 device, const gint64 *stream);
/* Returns the id with the number of the process as its upper half, because two processes count
 * their launches apart. */
guint64 ns_correlation (Nsys *self, gint64 pid, gint64 id);
/* Returns a track of the GPU that the file itself numbers so. */
nprof_track ns_gpu (Nsys *self, gint64 gpu);
nprof_status ns_facts (Nsys *self);

/* -- times.c, steps.c ---------------------------------------------------------------------- */

/* Finds time 0, from TARGET_INFO_SESSION_START_TIME or from the earliest row of the tables. */
nprof_status ns_times_begin (Nsys *self, const char *const *tables);
/* Returns false beyond what times can be. */
bool ns_time (const Nsys *self, gint64 ns, gint64 *ps);

/* Reads the number of a step that the text names; its row is called ProfilerStep#N. */
bool ns_names_step (const Nsys *self, const char *text, gint64 *number);
nprof_status ns_steps_load (Nsys *self);
/* Gives the row just begun the step in which the process was then, or launched the work. */
nprof_status ns_step_at (Nsys *self, gint64 pid, gint64 ns);
nprof_status ns_step_of_launch (Nsys *self, guint64 correlation);

/* -- waits.c ----------------------------------------------------------------------------------- */

/* Finds what calls waited for, where numbers of kinds do not say it. */
nprof_status ns_waits_load (Nsys *self);
nprof_str ns_wait_name (Nsys *self, gint64 process, gint64 correlation, gint64 type);

/* -- graphs.c ---------------------------------------------------------------------------------- */

/* Finds replays of graphs, and where the program created their nodes. */
nprof_status ns_graphs_load (Nsys *self);
void ns_graphs_free (NsGraphs *graphs);
/* Gives the row just begun, work that a node did for a launch, what lay around the node's
 * creation. */
nprof_status ns_graph_of (Nsys *self, gint64 process, gint64 node, gint64 correlation);

/* -- Rows ------------------------------------------------------------------------------------ */

/* attributes.c: begins a row; track 0: there was no memory for one. */
nprof_status ns_row (Nsys *self, uint8_t kind, nprof_track track, nprof_str name, gint64 start,
                     gint64 duration);
/* Adds a text of the file as an attribute, made valid UTF-8. */
nprof_status ns_attr_text (Nsys *self, nprof_str key, const char *text);
/* Gives the row just begun each column of the table that has no place of its own. */
#define ns_rest(rows) db_rest_add (&(rows)->all, (rows)->self->w)

nprof_status ns_decode_work (Nsys *self);  /* work.c: kernels, copies, sets, waits           */
nprof_status ns_decode_hosts (Nsys *self); /* hosts.c: calls, overhead, other APIs           */
/* Appends the ranges of threads that ended and are no steps; ranges is of NsRange. */
nprof_status ns_ranges_read (Nsys *self, GArray *ranges);
nprof_status ns_decode_ranges (Nsys *self);  /* ranges.c: NVTX                                 */
nprof_status ns_decode_metrics (Nsys *self); /* metrics.c: counters of GPUs                    */
nprof_status ns_decode_moments (Nsys *self); /* moments.c: samples, allocations, page faults */

#endif
