/* SPDX-License-Identifier: Apache-2.0 */
/* file.h - reads an NTFF of version 4, 5 or 6 by the numbers of its fields, which real files and
 * the vendor's own output of them have shown.  Other versions are refused.  Times are ps of the
 * clock that all engines share, before the origin is taken off.  format: ntff.md */
#pragma once

#include "ntff.h"

#include "../common/debug.h"
#include "../common/wire.h"

#define NTFF_RECORD 16u
#define NTFF_SLOT 64u /* an instruction */

/* Types of records: four an engine, of which the first is a start and the second an end. */
enum { NTFF_INST = 0x04, NTFF_INST_LAST = 0x17 };
enum { NTFF_START, NTFF_END };

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

enum { NTFF_CLOCK_EVENTS = NTFF_ENGINES, NTFF_CLOCK_THROTTLE, NTFF_CLOCKS };
enum {
  NTFF_KIND_INSTRUCTIONS = 0,
  NTFF_KIND_EVENTS = 1,
  NTFF_KIND_DMA = 4,
  NTFF_KIND_THROTTLE = 5
};

#define NTFF_OP_EVENT_SEMAPHORE 0xa0
#define NTFF_OP_NOTIFY 0xa6
#define NTFF_OP_MATMUL 0x02
#define NTFF_OP_DMA_DIRECT2D 0xb8

typedef struct {
  uint64_t reference, nominal, actual; /* ps = (ticks - reference) * actual / nominal   */
  bool known;
} NtffClock;

typedef struct {
  uint64_t address, at, size;   /* of the device; bytes of the file                     */
} NtffCode;

typedef struct {
  nprof_str name;
  uint32_t engine, queue, type; /* type: as the file states it; 2: weights              */
} NtffQueue;

typedef struct {                /* ps of the core's clock                               */
  int64_t origin;               /* latest end of a NOTIFY that begins it; INT64_MIN: none */
  int64_t begins, ends; /* first start of these; last start of those that end it; INT64_MIN: none */
  guint open;                   /* engines that began it and did not end it             */
} NtffExecution;

typedef struct {                /* memory of the device that is held for one use        */
  nprof_str use;                /* 0: not named                                         */
  uint64_t bytes;
} NtffMemory;

typedef struct {                /* a physical core: a graph of the message              */
  nprof_str name;
  uint64_t device, number;
  uint64_t total;               /* ps; 0: not stated                                    */
  NtffClock clocks[NTFF_CLOCKS];
  GArray *dma_clocks;           /* of NtffClock, by the number of the engine            */
  NtffCode code[NTFF_ENGINES];
  GArray *queues;               /* of NtffQueue                                         */
  GArray *memory;               /* of NtffMemory                                        */
  uint64_t engine_base;         /* what the device counts before this core's engines    */
  int64_t origin;               /* of its first execution                               */
  GArray *executions;           /* of NtffExecution; NULL: the file states when it was  */
  nprof_track track, engines[NTFF_ENGINES], axi;
} NtffGraph;

typedef struct {                /* an array of notifications                            */
  uint32_t graph, kind;
  uint64_t at, n;
} NtffPart;

typedef struct {
  GArray *graphs, *parts;       /* of NtffGraph, NtffPart                               */
  uint64_t base;
  bool has_window;              /* the file states when the execution was               */
  uint64_t from, to;
  bool one_clock;               /* ticks are ps of one clock                            */
  uint8_t uuid[16];
  uint64_t uuid_len;            /* at most 16; 0: the file has none                     */
  uint64_t neff_at, neff_len;   /* the path of the NEFF, as text                        */
} NtffFile;

#define ntff_graph(f, i) (&g_array_index ((f)->graphs, NtffGraph, (i)))

/* Fails with NPROF_E_FORMAT where the version or the layout is another. */
nprof_status ntff_read (Ntff *n, NtffFile *f, const uint8_t *data, uint64_t len);
void ntff_clear (NtffFile *f);

/* Makes the begin of the execution the origin, in time of the host, where a system profile of the
 * same folder has sync points; else there is no absolute time. */
nprof_status ntff_align (const Ntff *n, const NtffFile *f);

/* Returns false when it lies more than 106 days off. */
bool ntff_time (const NtffClock *clock, uint64_t ticks, int64_t *ps);

/* Announces and writes table neuron_memory.  (memory.c) */
nprof_status ntff_memory (const Ntff *n, const NtffFile *f);

/* -- Rows (rows.c) ------------------------------------------------------------------ */

typedef struct NtffSemaphores NtffSemaphores;     /* semaphores.c   */
typedef struct NtffPredecessors NtffPredecessors; /* predecessors.c */

typedef struct {
  Ntff *n;
  NtffFile *f;
  int64_t origin, end;          /* of the execution; end: INT64_MAX where rows may lie behind it */
  int64_t total;                /* ps; -1: not known                                    */
  int64_t last;                 /* latest end of an instruction                         */
  uint64_t before, after, unended, unstarted, events, lost, errors;
  GHashTable *names;            /* instructions.c                                */
  GHashTable *waits;            /* NtffWaits by the address of the code: waits.c */
  NtffSemaphores *semaphores;   /* NULL: no instruction was seen                        */
  NtffPredecessors *predecessors; /* the same                                           */
} NtffWalk;

/* Writes everything of the file as rows. */
nprof_status ntff_rows (Ntff *n, NtffFile *f);

/* These read one array each. */
nprof_status ntff_instructions (NtffWalk *w, const NtffPart *part);
nprof_status ntff_dma (NtffWalk *w, const NtffPart *part);
nprof_status ntff_events (NtffWalk *w, const NtffPart *part);
nprof_status ntff_throttle (NtffWalk *w, const NtffPart *part);
/* Sets origin, end and total. */
nprof_status ntff_origin (NtffWalk *w);
/* Writes rows of the executions, when all others are written. */
nprof_status ntff_executions (NtffWalk *w);

/* Calls fn for each instruction that has a start and an end, by the order of the ends. */
typedef struct {
  int64_t start, end;
  uint64_t at;                  /* byte of its start                                    */
  uint32_t slot, engine;
  const uint8_t *code;          /* its 64 bytes; NULL: not in the file                  */
  uint32_t hint, crc_in, crc_out;
  uint64_t cycles;              /* that it waited: the true ones                        */
  bool lost;                    /* records before its start were lost                   */
} NtffInstruction;
typedef nprof_status (*NtffEach) (NtffWalk *w, const NtffPart *part, const NtffInstruction *i,
                                  void *user);
nprof_status ntff_each_instruction (NtffWalk *w, const NtffPart *part, NtffEach fn, void *user);
nprof_track ntff_engine (NtffWalk *w, uint32_t graph, uint32_t engine);

typedef struct {                /* texts of semaphore-keys.h; 0: none                   */
  nprof_str waits, signals, dma;
} NtffWaits;
/* Adds to the row what the instruction with these 64 bytes waits for and what it raises. */
nprof_status ntff_put_waits (NtffWalk *w, const uint8_t *code);

/* Keeps which semaphores an instruction with a row raises and, unless its predecessors are known,
 * waits for; its code is known. */
void ntff_see_semaphores (NtffWalk *w, uint32_t graph, nprof_track track, const NtffInstruction *i,
                          bool tied);
/* Writes the arrows, when all instructions were seen. */
nprof_status ntff_draw_semaphores (NtffWalk *w);
void ntff_semaphores_free (NtffSemaphores *semaphores);

/* -- The compiler's debug info (neff-code.c) --------------------------------------------------- */

typedef struct NtffCompiled NtffCompiled; /* of one graph */

typedef struct {                /* an instruction of the compiler, and where it lies    */
  const DebugFile *file;
  const DebugInstruction *instruction;
} NtffMade;

/* Returns NULL when the NEFF is not there, or without code. */
NtffCompiled *ntff_compiled_new (const Ntff *n, const NtffGraph *g);
void ntff_compiled_free (NtffCompiled *compiled);
/* Returns false when nothing is known of that slot. */
bool ntff_compiled_find (const NtffCompiled *compiled, uint32_t engine, uint32_t slot,
                         NtffMade *made);

/* -- Predecessors (predecessors.c) ------------------------------------------------------ */

#define NTFF_PREDECESSORS (UINT64_C (1) << 40) /* their flows are numbered from here on */

/* Returns whether the compiler lists predecessors of an instruction with a row, which are drawn
 * later. */
bool ntff_see_predecessors (NtffWalk *w, uint32_t graph, nprof_track track,
                            const NtffInstruction *i);
/* Returns what the compiler calls it: 1 regular, 2 spill, 3 transpose; 0: not known. */
guint ntff_kind_of (NtffWalk *w, uint32_t graph, const NtffInstruction *i);
nprof_status ntff_draw_predecessors (NtffWalk *w);
void ntff_predecessors_free (NtffPredecessors *predecessors);
