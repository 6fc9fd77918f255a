/* SPDX-License-Identifier: Apache-2.0 */
/* ntff.h - what the files of this decoder share.  The format is not published: records are found
 * by their structure, and field numbers that are not known are learned from where they lie.
 * Places are byte offsets in the file; times are the device's, in ps, until a row is written. */
#pragma once

#include "columns.h"

#include <glib.h>
#include <nprof/keys.h>
#include <nprof/sdk.h>

#define NTFF_HEADER 128u
#define NTFF_RECORD 16u
#define NTFF_SLOT 64u           /* an instruction                                      */
#define NTFF_ENGINES 5u
#define NTFF_SECOND UINT64_C (1000000000000)
#define NTFF_BACK UINT64_C (1000000)            /* 1 us: further back ends a run        */
#define NTFF_AHEAD (10 * NTFF_SECOND)           /* further ahead ends a run             */
#define NTFF_FEWEST 8u                          /* records of a run                     */

/* -- Records ------------------------------------------------------------------------- */

enum {
  NTFF_DMA = 0x02,
  NTFF_ERROR = 0x03,
  NTFF_INST = 0x04,             /* four types an engine from here on                    */
  NTFF_INST_LAST = 0x17,
  NTFF_AXI_EVT_SEM = 0x1b,
  NTFF_THROTTLE = 0x1e,
  NTFF_TPB_ERROR = 0x1f
};
enum { NTFF_START, NTFF_END, NTFF_EXPLICIT, NTFF_EVT_SEM }; /* (type - NTFF_INST) & 3   */
enum { NTFF_PE, NTFF_ACT, NTFF_POOL, NTFF_DVE, NTFF_SP };

#define NTFF_KNOWN_TYPES 0xc8fffffcu /* bit t: type t is known                          */

typedef struct {
  uint32_t meta, meta2;         /* meta holds the type in its top byte                  */
  uint64_t time;
} NtffRecord;

static inline NtffRecord
ntff_record (const uint8_t *p)
{
  NtffRecord r;
  memcpy (&r.meta, p, 4);
  memcpy (&r.meta2, p + 4, 4);
  memcpy (&r.time, p + 8, 8);
  r.meta = GUINT32_FROM_LE (r.meta);
  r.meta2 = GUINT32_FROM_LE (r.meta2);
  r.time = GUINT64_FROM_LE (r.time);
  return r;
}

static inline unsigned
ntff_type (const NtffRecord *r)
{
  return r->meta >> 24 & 31;
}

static inline bool
ntff_known (const uint8_t *p)
{
  return NTFF_KNOWN_TYPES >> (p[3] & 31) & 1;
}

static inline uint64_t
ntff_time (const uint8_t *p)
{
  uint64_t time;
  memcpy (&time, p + 8, 8);
  return GUINT64_FROM_LE (time);
}

/* -- The message (message.c) ----------------------------------------------------------- */

enum { NTFF_INT, NTFF_TEXT, NTFF_BYTES, NTFF_MESSAGE };
#define NTFF_NONE UINT32_MAX

typedef struct {
  uint32_t number, next;        /* next: the field behind it in its message; NTFF_NONE   */
  uint32_t owner, child;        /* nodes; child: of NTFF_MESSAGE                        */
  uint8_t kind;
  uint64_t value;               /* NTFF_INT                                             */
  uint64_t from, to;            /* else: its bytes                                      */
} NtffField;

typedef struct {
  uint32_t number, parent;      /* the field that it is the value of; parent node       */
  uint32_t first, last;         /* fields; NTFF_NONE                                    */
  uint64_t path;                /* hash of the field numbers from the top               */
  bool subgraph;                /* looks like a subgraph_info                           */
} NtffNode;

typedef struct {
  const uint8_t *data;
  uint64_t len, end;            /* end: first byte behind the message                   */
  bool by_header;               /* the header says where the end is                     */
  bool cut;                     /* more fields than are kept                            */
  GArray *nodes, *fields;       /* of NtffNode (the first is the top), NtffField        */
} NtffMessage;

#define ntff_node(m, i) (&g_array_index ((m)->nodes, NtffNode, (i)))
#define ntff_field(m, i) (&g_array_index ((m)->fields, NtffField, (i)))

void ntff_message_read (NtffMessage *m, const uint8_t *data, uint64_t len);
void ntff_message_clear (NtffMessage *m);
/* Returns the last field of that number, as one value of proto3 is read; NULL: none. */
const NtffField *ntff_find (const NtffMessage *m, uint32_t node, uint32_t number);
bool ntff_find_int (const NtffMessage *m, uint32_t node, uint32_t number, uint64_t *value);
/* Returns the subgraph_info at or above a node; NTFF_NONE: none. */
uint32_t ntff_subgraph (const NtffMessage *m, uint32_t node);

/* -- Runs of records (scan.c) ------------------------------------------------------------ */

typedef struct {
  uint64_t at, n;               /* first byte; records                                  */
  uint64_t first, last;         /* lowest and highest time                              */
  uint64_t starts, ends, pairs;
  uint32_t types;               /* bit t: type t is there                               */
  bool weak;                    /* regular, but without pairs that prove it             */
} NtffRun;

/* Finds runs in data[from..to) and appends them.  NPROF_CANCELLED. */
nprof_status ntff_scan (const struct nprof_host *host, const uint8_t *data, uint64_t from,
                        uint64_t to, GArray *runs);

/* -- Arrays of records (arrays.c, learn.c) -------------------------------------------------- */

typedef struct {
  uint64_t at, n;
  uint32_t node;                /* message that names it; NTFF_NONE: found by itself     */
  uint32_t core;                /* tracks.c                                             */
  uint32_t ring;                /* number among the arrays with DMA records             */
  int32_t cc_core;              /* of a collectives core; -1: none                      */
  bool has_dma;
  struct NtffLane *lanes[NTFF_ENGINES]; /* pairs.c                                      */
} NtffArray;

typedef struct {
  GArray *arrays;               /* of NtffArray, by place                               */
  uint64_t low, high;           /* time of the session, with a margin                   */
  guint strong;                 /* runs that prove it; 0: this is no NTFF                */
  bool learned, inlined;
  uint64_t base;                /* learned, not inlined: what offsets count from        */
  uint64_t records, earliest;   /* recognised; their lowest time                        */
  uint64_t first_explicit;      /* lowest time of an EXPLICIT; UINT64_MAX: none          */
} NtffFound;

/* Finds where arrays lie, learned from the runs, and appends them to `arrays`. */
bool ntff_learn (const NtffMessage *m, const GArray *runs, GArray *arrays, NtffFound *found);
nprof_status ntff_find_arrays (const struct nprof_host *host, const NtffMessage *m,
                               NtffFound *found);
void ntff_found_clear (NtffFound *found);

static inline bool
ntff_in_session (const NtffFound *found, uint64_t time)
{
  return time >= found->low && time <= found->high;
}

/* -- Instruction streams (streams.c, shapes.c) ------------------------------------------------ */

typedef struct {                /* consecutive slots of one engine                      */
  uint32_t core, engine;
  uint32_t slot;                /* number of the first                                  */
  uint64_t at, n;
  bool likely;                  /* the engine was told by the opcodes: shapes.c         */
} NtffStream;

/* Appends the streams that messages name. false: the file has no such message. */
bool ntff_streams (const NtffMessage *m, const NtffFound *found, const GArray *cores,
                   GArray *streams);
/* Appends streams by 64-byte slots alone, for files with one core. */
void ntff_shapes (const NtffMessage *m, const GArray *arrays, GArray *streams);
/* Returns whether instruction slots fill this range. */
bool ntff_are_slots (const uint8_t *data, uint64_t len, uint64_t at, uint64_t size);

/* -- Cores and tracks (tracks.c) --------------------------------------------------------------- */

typedef struct {
  nprof_str name;
  uint32_t engine, queue, type; /* type: as the file states it; 2: weights */
} NtffQueue;

typedef struct {
  bool numbered;                /* false: no subgraph_info names it                     */
  bool used;                    /* an array is of it; else it has no tracks             */
  uint64_t device, number;      /* nd_idx, nc_idx                                       */
  nprof_track device_track, track;
  nprof_track engines[NTFF_ENGINES];
  nprof_track axi;
  GArray *queues;               /* of NtffQueue                                         */
  uint64_t first_explicit, last_explicit; /* first > last: none                         */
  uint64_t explicits;
} NtffCore;

/* `core` of arrays and lanes is a number in the list of cores. */
#define ntff_core(cores, i) (&g_array_index ((cores), NtffCore, (i)))

typedef struct Ntff Ntff;

void ntff_cores (Ntff *n);
nprof_status ntff_core_tracks (Ntff *n);
uint32_t ntff_core_of (const NtffMessage *m, const GArray *cores, uint32_t node);
nprof_track ntff_engine_track (Ntff *n, uint32_t core, uint32_t engine);
nprof_track ntff_axi_track (Ntff *n, uint32_t core);
nprof_track ntff_cc_track (Ntff *n, uint32_t core, int32_t number);
nprof_track ntff_queue_track (Ntff *n, const NtffArray *array, uint32_t queue, nprof_str *name);
/* Returns the track of a queue of one DMA engine; `own` is the queue's name, or "", *name that of
 * its rows. */
nprof_track ntff_dma_track (const struct nprof_host *host, nprof_track core, int64_t engine,
                            int64_t queue, const char *own, nprof_str *name);
extern const char *const ntff_engine_key[NTFF_ENGINES];  /* PE, ...                      */
extern const char *const ntff_engine_name[NTFF_ENGINES]; /* tensor, ... as keys.h         */

/* -- The pairs of an engine (pairs.c) ---------------------------------------------------------- */

typedef struct {
  NtffRecord start;
  uint64_t at;
  uint64_t ends;                /* of the engine, when it started                       */
} NtffOpen;

typedef struct NtffLane {       /* an engine of a core, or a collectives core           */
  uint32_t core, engine;
  int32_t cc_core;
  nprof_track track;
  GArray *open;                 /* of NtffOpen, oldest first                            */
  uint64_t ends, spans, busy, lost_ends, lost_starts;
} NtffLane;

/* Returns NULL when out of memory. */
NtffLane *ntff_lane (Ntff *n, NtffArray *array, uint32_t engine);
nprof_status ntff_lane_start (Ntff *n, NtffLane *lane, const NtffRecord *r, uint64_t at);
nprof_status ntff_lane_end (Ntff *n, NtffLane *lane, const NtffRecord *r, uint64_t at);
nprof_status ntff_lanes_finish (Ntff *n);
void ntff_lane_free (gpointer lane);

/* -- DMA (dma.c) ------------------------------------------------------------------------------- */

void ntff_dma_count (Ntff *n, uint32_t array, const NtffRecord *r);
nprof_status ntff_dma (Ntff *n, uint32_t array, const NtffRecord *r, uint64_t at);
nprof_status ntff_dma_finish (Ntff *n);
void ntff_dma_clear (Ntff *n);

/* -- Semaphores and events (semaphores.c) ------------------------------------------------------ */

nprof_status ntff_semaphore (Ntff *n, uint32_t core, nprof_track track, const NtffRecord *r,
                             uint64_t at);
void ntff_semaphores_finish (Ntff *n);

/* -- Rows (rows.c) ----------------------------------------------------------------------------- */

enum {
  NTFF_KEY_PC, NTFF_KEY_HINT, NTFF_KEY_WAIT, NTFF_KEY_SOFT_RESET, NTFF_KEY_CRC_IN, NTFF_KEY_CRC_OUT,
  NTFF_KEY_MODE, NTFF_KEY_DOUBLE, NTFF_KEY_META, NTFF_KEY_META2, NTFF_KEY_BYTES, NTFF_KEY_QUEUE,
  NTFF_KEY_CRC, NTFF_KEY_FLOPS, NTFF_KEY_TRANSPOSE, NTFF_KEY_QUEUE_TYPE, NTFF_KEY_QUEUE_USE,
  NTFF_KEY_LIMIT_K, NTFF_KEY_LIMIT_N, NTFF_KEY_LIMIT_TYPE, NTFF_KEY_LEFT_OUT, NTFF_KEY_WAITS,
  NTFF_KEY_SIGNALS, NTFF_KEY_DMA_SIGNALS,
  NTFF_KEYS
};

int64_t ntff_when (const Ntff *n, uint64_t time);
void ntff_rows_begin (Ntff *n);
/* Finds name, category and shared attributes of the instruction at pc of a lane. */
nprof_status ntff_instruction (Ntff *n, const NtffLane *lane, uint32_t pc, nprof_str *name,
                               nprof_str *category, nprof_set *shared);
nprof_status ntff_attr (Ntff *n, int key, uint64_t value);
/* Writes one record; they come in order of time. */
nprof_status ntff_row (Ntff *n, uint32_t array, const NtffRecord *r, uint64_t at);
nprof_status ntff_executions (Ntff *n);

/* -- Everything in order of time (merge.c) ----------------------------------------------------- */

/* Counts what there is, and cuts arrays where their clock jumps back.  It comes before
 * ntff_merge. */
nprof_status ntff_measure (Ntff *n);
nprof_status ntff_merge (Ntff *n);


/* -- The NEFF (neff.c, neff-facts.c) ----------------------------------------------------------- */

typedef struct {
  char *model, *compiler;       /* NULL: not known                                      */
  bool has_macs;
  int64_t macs;
  GHashTable *queue_types;      /* char *, "sg00/qSPIO0" to "in"; NULL: none is stated  */
  GHashTable *code;             /* "sg00/PE.bin" to GBytes, and its debug info; NULL: none */
} NtffNeffFacts;

/* words of a NEFF for the engines: "PE", "Activation", ... */
extern const char *const ntff_neff_engine[NTFF_ENGINES];

nprof_status ntff_neff (Ntff *n);
/* Returns false when it is no NEFF. */
bool ntff_neff_facts (const uint8_t *data, uint64_t len, NtffNeffFacts *facts);

/* -- probe.c --------------------------------------------------------------------------------- */

int ntff_probe (const void *head, size_t len, uint64_t size, const char *path);
/* Says for ntff_probe where the first fields of the message end, as far as `len` bytes of a file of
 * `size` (0: unknown) show. */
typedef struct {
  guint n;                      /* fields that were seen                                */
  bool by_header;               /* the header has an integer that is such an end        */
  bool version;                 /* a text like "2.31" in field 8, 11 or 12              */
} NtffGlance;
void ntff_message_glance (NtffGlance *g, const uint8_t *data, uint64_t len, uint64_t size);

/* -- The instance ------------------------------------------------------------------------------ */

typedef struct {
  uint32_t array, order;
  uint64_t at, n;               /* records from here on, their clock never jumps back    */
} NtffSegment;

struct Ntff {
  const char *neff_path;        /* options                                              */
  bool private;
  int32_t time_unit;            /* 0: as the file says, 1: ns, 2: ps; of ../tools       */
  const struct nprof_host *host;
  struct nprof_writer *w;
  NtffMessage message;
  NtffFound found;
  GArray *cores, *streams;      /* of NtffCore, NtffStream                              */
  GArray *segments;             /* of NtffSegment                                       */
  GPtrArray *lanes;             /* of NtffLane                                          */
  GHashTable *dma;              /* of DmaQueue, dma.c                                   */
  GHashTable *semaphores;       /* semaphores.c                                         */
  GHashTable *names;            /* of instructions, by lane kind, engine and opcode      */
  nprof_str *pcs;               /* names of pcs without an opcode, 2^20 or NULL          */
  uint64_t origin;
  nprof_str input_label;
  uint32_t input;
  nprof_str key[NTFF_KEYS], key_phase;
  bool want[NTFF_KEYS];
  nprof_str category_instruction, category_collective, category_semaphore, category_event,
    category_dma, category_throttle, category_error, category_execution, category_wait,
    category_unknown, category_unaligned, category_setup, queue_type[5];
  nprof_str phase_begin, phase_end;
  uint64_t overflows, errors, late;
  uint64_t rows;                /* since progress was told                              */
  uint64_t dma_lost_ends, dma_lost_starts, dma_unpaired;
  NtffNeffFacts neff;
  uint8_t uuid[16];             /* of the NEFF that was run                             */
  uint64_t uuid_len;            /* bytes of it that the file has; 0: none               */
  char *neff_name;              /* its path when it was run; NULL: not known            */
};
