/* SPDX-License-Identifier: Apache-2.0 */
/* tools.h - what the files share that decode what the vendor's Neuron tools write: JSON that is
 * read where it stands, record by record, and text.  format: neuron-outputs.md 3.2-3.4.
 *
 * Tracks, names and keys are those of the NTFF itself (../ntff), so that an analyzer need not care
 * which of both it reads. */
#pragma once

#include "columns.h"
#include "../ntff/ntff.h"
#include "../common/tables.h"
#include "trace-event/trace-event.h"

#include <nprof/format.h>

typedef __int128 NtTime; /* ps of the file's clock; nanoseconds since 1970 fit      */

#define NT_REPORT (4u << 20) /* bytes between two calls of progress                  */
#define NT_MAX_DOUBLE_DIGITS 400

/* -- Which of them a file is (shape.c) ------------------------------------------------- */

enum {
  NT_NONE,
  NT_DEVICE,       /* --output-format json                                           */
  NT_SYSTEM,       /* the system profile                                             */
  NT_EVENTS,       /* nrt_sys_trace_fetch_events                                     */
  NT_SUMMARY_JSON,
  NT_SUMMARY_TEXT
};

#define NT_SURE 60 /* from here on the beginning of a file tells its shape */

/* Returns how sure it is, as probe bids; *shape is NT_DEVICE ... */
int nt_shape (const char *data, size_t len, int *shape);

/* -- Members of records (record.c) ------------------------------------------------------ */

/* These keys mean something; all others travel as `args`. */
enum {
  NT_K_NONE,
  /* when and how long */
  NT_K_TIMESTAMP, NT_K_START_TS, NT_K_START, NT_K_TIMESTAMP_NS, NT_K_DURATION, NT_K_DURATION_NS,
  NT_K_END_TS, NT_K_END,
  /* where */
  NT_K_ENGINE, NT_K_SUBGROUP, NT_K_LABEL, NT_K_PCORE, NT_K_NC_IDX, NT_K_ND_IDX, NT_K_LNC_IDX,
  NT_K_NEURONCORE_IDX, NT_K_NEURON_DEVICE_IDX, NT_K_CORE_IDX, NT_K_STREAM_INDEX, NT_K_STREAM_ID,
  NT_K_QUEUE_NAME, NT_K_QUEUE, NT_K_ENGINE_IDX, NT_K_QUEUE_IDX, NT_K_UPDATE_SOURCE,
  NT_K_GROUP, NT_K_INSTANCE, NT_K_PROCESS, NT_K_THREAD, NT_K_EVENT_SOURCE, NT_K_CPU,
  /* what */
  NT_K_OPCODE, NT_K_NAME, NT_K_LAYER_NAME, NT_K_OPERATION, NT_K_DESCRIPTION, NT_K_TYPE, NT_K_ID,
  NT_K_PARENT_ID, NT_K_VALUE, NT_K_EVENT_TYPE, NT_K_PHASE, NT_K_TRACKING, NT_K_DATA,
  NT_K_EXEC_ID, NT_K_NC_TIME, NT_K_CPU_TIME,
  NT_K_SUBGRAPH, NT_K_SG_NAME, NT_K_DMA_ENGINE, NT_K_DMA_QUEUE, NT_K_AGGREGATED, NT_K_ELEMENTS,
  NT_K_TENSOR_TYPE, NT_K_HAM_K, NT_K_HAM_N, NT_K_CATEGORY, NT_K_MESSAGE, NT_K_PREDECESSORS,
  /* attributes, attrs.c */
  NT_K_OPERANDS, NT_K_HLO_NAME, NT_K_LAYER, NT_K_NKI_SOURCE, NT_K_BIR_SOURCE, NT_K_PC, NT_K_CRC_IN, NT_K_CRC_OUT,
  NT_K_CRC, NT_K_EVT_WAIT, NT_K_EVT_WAIT_NS, NT_K_RAW_FLOPS, NT_K_FLOPS, NT_K_ADJUSTED_FLOPS,
  NT_K_FLOPS_TRANSPOSE, NT_K_ADJUSTED_TRANSPOSE, NT_K_HBM_READ, NT_K_HBM_WRITE, NT_K_SBUF_READ,
  NT_K_SBUF_WRITE, NT_K_PSUM_READ, NT_K_PSUM_WRITE, NT_K_PSUM_SBUF, NT_K_SPILL_SAVE,
  NT_K_SPILL_RELOAD, NT_K_INPUT_QUEUE, NT_K_OUTPUT_QUEUE, NT_K_WEIGHT_QUEUE, NT_K_INSTRUCTION_TYPE,
  NT_K_TRANSFER_SIZE, NT_K_TRANSFER_BYTES, NT_K_SIZE, NT_K_QUEUE_TYPE, NT_K_VARIABLE,
  NT_K_TENSOR_NAME, NT_K_UPDATE_MODE, NT_K_DOUBLE, NT_K_INPUT_SIZE, NT_K_OUTPUT_SIZE,
  NT_K_REPLICA_GROUP, NT_K_NUM_ELEMENTS,
  /* tensors, counters */
  NT_K_VARIABLE_NAME, NT_K_SHAPE, NT_K_DTYPE, NT_K_USAGE, NT_K_USED_BYTES, NT_K_PERCENT_USAGE,
  NT_K_USED_PERCENT, NT_K_UTIL, NT_K_UTIL_PERCENT,
  NT_KEYS
};

typedef struct {
  TeValue key, value;
  const char *from; /* the quote of its key ...                                      */
  const char *to;   /* ... and what is behind its value                              */
  uint8_t id;       /* NT_K_...                                                      */
  bool used;        /* has become a column or an attribute                           */
} NtMember;

typedef struct {
  const char *at;
  GArray *members;       /* of NtMember                                              */
  GArray *learned;       /* keys that were met: record.c                            */
  uint16_t place[NT_KEYS]; /* 1 + the first member with that key; 0: none            */
} NtRecord;

typedef struct Nt Nt;
typedef struct NtEdges NtEdges; /* predecessors.c */

/* Reads the object at p; returns what is behind it, NULL: damaged, nt->scan says where. */
const char *nt_record (Nt *t, const char *p, NtRecord *r);
void nt_record_init (NtRecord *r);
void nt_record_clear (NtRecord *r);
/* Returns NULL when the record has no such key, or null. */
const TeValue *nt_see (const NtRecord *r, unsigned id);
/* Returns the same; the member need not travel as args then. */
const TeValue *nt_take (NtRecord *r, unsigned id);
void nt_use (NtRecord *r, unsigned id);
/* Takes the first of several keys, ended by 0. */
const TeValue *nt_take_first (NtRecord *r, const uint8_t *ids);
extern const char *const nt_key_name[NT_KEYS];

/* -- JSON (json.c) ------------------------------------------------------------------------ */

/* Goes to the next item of an array or object: *p is behind its bracket or behind the last item.
 * true: *p is at the item. false: *p is at the closing bracket, or t->scan.why is set. */
bool nt_next (Nt *t, const char **p, char close);
/* Reads a key of an object at *p; *p is at its value then. */
bool nt_key (Nt *t, const char **p, TeValue *key);
/* Returns the byte behind the value at p; NULL: it is damaged, and t->scan.why says how. */
const char *nt_skip (Nt *t, const char *p, TeValue *value);
/* Reads whole numbers, also in quotes, as 3.0 or 3e0; false: anything else, beyond int64. */
bool nt_int (const TeValue *v, int64_t *i);
/* Reads numbers, also in quotes; false: anything else, NaN and infinities. */
bool nt_double (const TeValue *v, double *x);
/* Reads a number as a time; `per` is ps of one, 1, 1000 or 10^12 (seconds).  Exact to the
 * picosecond. */
bool nt_time (const TeValue *v, int64_t per, NtTime *ps);
nprof_str nt_text (Nt *t, const TeValue *v);
/* Interns once a text that stays at its place for the run. */
nprof_str nt_literal (Nt *t, const char *text);
char *nt_dup (const TeValue *v); /* transfer full: without escapes; the source's bytes of others */

/* -- The instance ---------------------------------------------------------------------------- */

typedef struct { /* what a device profile says before its rows */
  bool has_nd, has_nc;
  int64_t nd, nc, max_pcore;
  NtTime first, last; /* in the file's unit, as if it were ns                          */
  bool has_zero, has_end;
  NtTime zero, end;   /* first and last_hw_timestamp, in the same unit                 */
  int64_t version;    /* of the NTFF; 0: not known                                     */
  double total_time;  /* s; 0: not known                                               */
  double clock, rows, columns, bandwidth; /* 0: not known                              */
  int64_t memory;     /* byte; 0: not known                                            */
  uint64_t records;
  bool linked;        /* some record names its predecessors                           */
  bool has_usage; /* says when SBUF and PSUM were used */
} NtSurvey;

typedef struct { /* a moment that both clocks know */
  NtTime device, cpu;
} NtSync;

typedef struct { /* a physical core of the profile: model_info                        */
  TeValue name;
  bool has_nd;
  int64_t nd, nc; /* numbers of the device and of the core */
} NtGraph;

struct Nt {
  Ntff *ntff;
  const struct nprof_host *host;
  struct nprof_writer *w;
  const char *data, *end, *told;
  TeScan scan;
  ChNames names;
  NtRecord record, other, inner;
  nprof_str label;
  nprof_str key_args, key_engine, key_flops, key_transpose;
  nprof_str attr[NT_KEYS];
  bool want[NT_KEYS], want_args, want_source, want_engine, want_queue, want_flops, want_transpose,
      want_waits;
  struct nprof_buf buf;   /* args that are put together                                 */
  int64_t per;            /* ps of a unit of time                                       */
  NtTime zero;
  bool surveying;         /* the first of two passes: nothing is written or counted     */
  NtSurvey survey;
  nprof_track device, core;
  bool one_core;          /* of all of the file                                         */
  GHashTable *literals;   /* of nprof_str, by the address of a constant text           */
  GHashTable *hosts;      /* numbers, by the ids of instances                           */
  GHashTable *dma_queues; /* device-rows.c                                              */
  GArray *graphs;         /* of NtGraph: device.c                                       */
  nprof_track engines[NTFF_ENGINES];      /* of `core`                                  */
  GHashTable *queues;     /* of nprof_track, by the name of a queue of `core`          */
  GHashTable *tracks;     /* of nprof_track, by text: tracks.c                          */
  GString *track_key;
  GHashTable *syncs;      /* of NtSync, by core and execution: events.c                  */
  GHashTable *latest;     /* of NtSync, by core                                         */
  GHashTable *open;       /* of NtOpen: events.c                                        */
  GQueue opened;
  NtTime host_first, host_last;
  bool has_host_time;
  uint64_t unaligned;
  nprof_track first_process;
  GHashTable *told_devices; /* that have facts of a summary                            */
  GHashTable *metric_groups; /* group by metric, of summary_groups                     */
  NtEdges *edges;         /* NULL: nothing names predecessors                          */
};

uint64_t nt_byte (const Nt *t, const char *p);
/* Tells the core how far we are.  NPROF_CANCELLED. */
nprof_status nt_progress (Nt *t, const char *p);
/* Reports what t->scan says as damage: fails, or leaves a GAP where the run keeps going. */
nprof_status nt_damage (Nt *t);
/* Checks that nothing but space follows the document, which ends before p. */
nprof_status nt_behind (Nt *t, const char *p);
void nt_skip_record (Nt *t, const char *at, const char *what, const char *reason);
/* Returns ps from t->zero; false: more than 106 days away. */
bool nt_when (const Nt *t, NtTime ps, int64_t *start);

/* Decodes a file of that shape. */
nprof_status nt_decode (Ntff *n, int shape, const char *data, size_t len);

/* -- Sections (walk.c) ------------------------------------------------------------------------- */

/* Calls fn for each object of the value at *p: the elements of an array, those of an object whose
 * members are objects, or the one object that it is. *p is behind the value then.  A value that is
 * no object is counted as `what`. Where the text is damaged, *p is NULL, t->scan.why says how, and
 * the status is NPROF_OK. */
typedef nprof_status (*NtEach) (Nt *t, NtRecord *r, void *user);
nprof_status nt_each (Nt *t, const char **p, const char *what, NtEach fn, void *user);
/* Calls fn for each member of the object at the top; fn moves *p behind its value, or sets
 * it to NULL where the text is damaged, as nt_each does. */
typedef nprof_status (*NtSection) (Nt *t, const TeValue *key, const char **p);
nprof_status nt_sections (Nt *t, NtSection fn);

/* -- Attributes (attrs.c) ---------------------------------------------------------------------- */

void nt_attrs_begin (Nt *t);
/* Adds the known attributes of the record; then all members that nobody used, as `args`. */
nprof_status nt_attrs (Nt *t, NtRecord *r);
nprof_status nt_args (Nt *t, const NtRecord *r);
/* Adds what the operands of an instruction say of semaphores: operands.c. */
nprof_status nt_operands (Nt *t, const NtRecord *r);
/* Keeps the place of the instruction whose row was written last, which gets an id, and those that
 * it waits for: predecessors.c. */
void nt_predecessors (Nt *t, const NtRecord *r, nprof_track track, int64_t start);
/* Writes an arrow for each predecessor that was kept. */
nprof_status nt_draw_edges (Nt *t);
void nt_edges_free (NtEdges *edges);
/* Gathers members as they stand in the file in t->buf; then puts them as an attribute of type
 * json. */
void nt_put_member (Nt *t, const NtMember *m);
nprof_status nt_put_members (Nt *t, nprof_str key);
nprof_status nt_attr_text (Nt *t, const char *key, const TeValue *v);

/* -- Tracks (tracks.c) ------------------------------------------------------------------------- */

/* Returns NTFF_PE ...; -1: none of them. */
int nt_engine (const TeValue *name);
nprof_status nt_device_tracks (Nt *t);
/* Returns the track of a physical core. */
nprof_track nt_graph_track (Nt *t, const NtGraph *graph);
/* Returns the core of a record; 0: no memory. */
nprof_track nt_core_of (Nt *t, NtRecord *r);
/* Returns a track below `parent`, made once. */
nprof_track nt_track (Nt *t, nprof_track parent, uint32_t kind, const char *key, const char *label,
                      int64_t sort);
nprof_track nt_engine_track (Nt *t, nprof_track core, const TeValue *name);
/* Returns whether a member of that name says whose the profile is. */
bool nt_is_private (const char *key);
/* Returns the host of a record of the system profile; 0: no memory. */
nprof_track nt_host_track (Nt *t, NtRecord *r);
/* Returns the text or the other one, transfer full. */
char *nt_text_or (const TeValue *v, const char *otherwise);
enum { NT_SORT_ACTIVE = 50, NT_SORT_LAYERS = 60, NT_SORT_OTHER = 70 };

/* -- The shapes -------------------------------------------------------------------------------- */

nprof_status nt_device (Nt *t);       /* device.c; survey.c                             */
nprof_status nt_survey (Nt *t);
nprof_status nt_instruction (Nt *t, NtRecord *r, void *user);  /* device-rows.c         */
nprof_status nt_dma (Nt *t, NtRecord *r, void *user);
nprof_status nt_active (Nt *t, NtRecord *r, void *user);
nprof_status nt_collective (Nt *t, NtRecord *r, void *user);
nprof_status nt_semaphore (Nt *t, NtRecord *r, void *user);
nprof_status nt_throttle (Nt *t, NtRecord *r, void *user);
nprof_status nt_layer (Nt *t, NtRecord *r, void *user);
/* sections.c writes values over time: a counter for each of them. */
nprof_status nt_throughput (Nt *t, NtRecord *r, void *user);
nprof_status nt_usage (Nt *t, NtRecord *r, void *user);
/* Logs what the vendor's tool says of the profile. */
nprof_status nt_warning (Nt *t, NtRecord *r, void *user);
/* Writes a record without a time, as rows of table neuron_details; `user` is the section's name. */
nprof_status nt_detail (Nt *t, NtRecord *r, void *user);

/* held.c: one of nc_mem_usage. */
nprof_status nt_held (Nt *t, NtRecord *r, void *user);
/* Writes any record with a time; `user` is the section's name (const char *). */
nprof_status nt_other (Nt *t, NtRecord *r, void *user);
/* span.c: finds start and duration by whichever keys say them; duration -1: no end. false: no time,
 * and it has been counted as `what`. */
bool nt_span_of (Nt *t, NtRecord *r, const char *what, int64_t *start, int64_t *duration);
nprof_status nt_tensor (Nt *t, NtRecord *r, void *user);       /* tensors.c             */

nprof_status nt_system (Nt *t);       /* system.c                                       */
nprof_status nt_memory (Nt *t, NtRecord *r, void *user);       /* samples.c             */
nprof_status nt_processor (Nt *t, NtRecord *r, void *user);
nprof_status nt_events (Nt *t);       /* events.c                                       */

/* -- Metrics (metrics.c, summary.c) ------------------------------------------------------------ */

typedef struct {
  const char *bucket, *group; /* NULL: not known                                         */
  bool has_nd, has_nc;
  int64_t nd, nc;
  bool has_model_flops, has_read, has_written;
  int64_t model_flops, read, written;
} NtMetrics;
/* Writes one metric, as a row of the table; the few that are facts are kept in m. */
nprof_status nt_metric (Nt *t, NtMetrics *m, const char *name, const TeValue *v);
/* Writes those facts, on the device; those of a second bucket of a device on a track of their own,
 * because facts must not meet. */
nprof_status nt_metrics_facts (Nt *t, const NtMetrics *m, const char *source);
nprof_status nt_fact_int (Nt *t, nprof_track track, const char *key, int64_t i, const char *source);
nprof_status nt_fact_double (Nt *t, nprof_track track, const char *key, double x,
                             const char *source);
/* a record of metrics; user: its bucket, or NULL */
nprof_status nt_summary (Nt *t, NtRecord *r, void *user);
nprof_status nt_summary_json (Nt *t);
nprof_status nt_summary_text (Nt *t);
bool nt_is_metric (const char *name, size_t len); /* one that is well known */
