/* SPDX-License-Identifier: Apache-2.0 */
/* furiosa.h - what the files of this decoder share: the state of an input and of a part.
 *
 * The JSON formats are trace events: the files of the decoder chrome read them, all but its
 * args.c and tracks.c, for which this decoder has its own (args.c, tracks.c). */
#pragma once

#include "columns.h"
#include "csv/csv.h"
#include "trace-event/trace-event.h"

#define FU_REPORT (4 << 20) /* bytes between two calls of progress where no rows are written */

enum { FU_JSON, FU_SPANS_CSV, FU_EDF_CSV, FU_SCHEDULE };

/* -- Columns of the CSV with trace ids --------------------------------------------------- */

enum {
  FU_TRACE_ID, FU_PARENT, FU_SPAN, FU_START, FU_END, FU_CAT, FU_NAME, FU_THREAD, FU_DRAM, FU_PE,
  FU_EXECUTION, FU_INSTRUCTION, FU_OPERATOR, FU_COLUMNS
};

/* These are the attributes of rows. */
enum {
  FU_KEY_ROW,
  FU_KEY_TRACE_ID,
  FU_KEY_THREAD,
  FU_KEY_DRAM,
  FU_KEY_PE,
  FU_KEY_EXECUTION,
  FU_KEY_INSTRUCTION,
  FU_KEY_OPERATOR,
  FU_KEY_BEGIN_CYCLE,
  FU_KEY_END_CYCLE,
  FU_KEY_CYCLES,
  FU_KEY_CYCLE_ACTUAL,
  FU_KEY_CLUSTER,
  FU_KEYS
};
extern const char *const fu_keys[FU_KEYS];

/* -- Lost spans ----------------------------------------------------------------------------- */

/* This is what a row of the CSV says about others. */
typedef struct {
  uint64_t id, parent, at;
  bool execution, operator_; /* of an NPU: has no instruction_index, or has one */
} FuRef;

typedef struct {
  GHashTable *waiting;   /* of FuWait, by the id of a parent that was not met yet */
  GHashTable *childless; /* of FuChildless, by the id of an execution            */
  guint64 orphans, strays;
  uint64_t first_orphan, first_stray;
} FuLost;

/* This is an interval on one PE in JSON, which has no ids. */
typedef struct {
  int64_t pe, execution, start, end;
  uint64_t at;
  bool met; /* execution: it has operators                                      */
} FuInterval;

/* -- State ------------------------------------------------------------------------------------ */

typedef struct {
  const char *at;
  uint64_t line, row; /* of the first record                                     */
} FuCut;

typedef struct {
  Chrome chrome; /* first: the JSON formats; and names, host, input, data, end     */
  /* options */
  double clock;

  int format;
  int64_t milli_hz;         /* of the cycles; 0: not known                        */
  nprof_str key[FU_KEYS];
  bool want[FU_KEYS];
  nprof_str npu, host_name; /* "NPU", "host"                                      */
  bool has_cycles;
  /* CSV */
  int column[FU_COLUMNS];   /* place in a record; -1: not there                   */
  unsigned n_columns;
  int64_t zero;             /* ns: time 0 of the rows                             */
  GArray *cuts;             /* of FuCut: the parts, and the end                   */
  FuLost lost;
  /* JSON */
  bool has_anchor;
  int64_t anchor_cycle, anchor_ps; /* a cycle, and when it was                    */
  GArray *first_rows;       /* of uint64_t: number of each part's first span      */
  GArray *executions, *operators;  /* of FuInterval                               */
} Furiosa;

typedef struct {
  ChPart chrome; /* first                                                         */
  uint64_t row, line;
  GArray *refs;                    /* of FuRef                                     */
  GArray *executions, *operators;  /* of FuInterval                               */
  bool has_cycles;
  /* the last track of each kind, by its number */
  bool has_thread, has_pe;
  int64_t thread_id, pe_id;
  nprof_track thread, pe;
  char *scratch;
  size_t scratch_len;
} FuPart;

#define fu_of(part) ((Furiosa *) (part)->chrome.c)
#define fu_byte(f, p) ((uint64_t) ((p) - (f)->chrome.data))

/* probe.c */
int fu_probe (const void *head, size_t len, uint64_t size, const char *path);
/* Returns whether the first record of a CSV says that it is one of ours.  FU_JSON: no. */
int fu_csv_format (const CsvRecord *header);
const char *fu_bom (const char *p, const char *end);

/* plan.c: header, time 0 and parts of CSV. */
nprof_status fu_csv_plan (Furiosa *f);
nprof_status fu_csv_damage (FuPart *part, const char *at, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
nprof_status fu_csv_progress (FuPart *part, const char *p);
nprof_str fu_csv_text (FuPart *part, const CsvField *field);
char *fu_shown (const CsvField *field); /* as errors print it; transfer full */
nprof_status fu_csv_decode (FuPart *part, uint32_t number);

/* spans.c: rows of the CSV with trace ids.  Both: NPROF_OK also when a record was damaged and
 * the run keeps going. */
nprof_status fu_span (FuPart *part, const CsvRecord *record);
void fu_ref (const Furiosa *f, const CsvRecord *record, FuRef *ref);
/* edf.c: rows of the EDF profiler. */
nprof_status fu_edf_decode (FuPart *part, const char *p, const char *end);

/* lost.c finds by their ids which spans of the CSV are missing. */
void fu_lost_init (FuLost *lost);
void fu_lost_clear (FuLost *lost);
void fu_lost_add (FuLost *lost, const FuRef *ref);
nprof_status fu_lost_report (Furiosa *f);

/* within.c does the same for JSON, by time. */
void fu_within (Furiosa *f, bool last);
void fu_within_report (Furiosa *f);
void fu_say_lost (Furiosa *f, guint64 orphans, guint64 childless, guint64 strays);
void fu_skip_many (Furiosa *f, guint64 n, uint64_t at, const char *what, const char *reason);

extern const char fu_orphan[], fu_childless[], fu_stray[];

/* cycles.c writes cycles, and times from them. */
typedef struct {
  nprof_str device, stage, name;
  uint64_t row;
  bool has_range, has_cluster;
  int64_t begin, end, cycles, cluster;
} FuCycles;
nprof_status fu_cycles_row (Furiosa *f, const struct nprof_host *host, const FuCycles *cycles);
/* Returns false beyond int64 picoseconds. */
bool fu_cycles_ps (const Furiosa *f, int64_t cycles, int64_t *ps);
nprof_status fu_anchor (Furiosa *f);

/* args.c */
typedef struct {
  uint32_t has; /* bits 1 << FU_KEY_...                                           */
  int64_t value[FU_KEYS];
  uint8_t trace_id[16];
  uint64_t id, parent;
  bool rest;    /* something that has no attribute of its own                     */
} FuArgs;
void fu_args (const Furiosa *f, const TeEvent *event, FuArgs *args);

/* tracks.c */
nprof_track fu_pe_track (Furiosa *f, const struct nprof_host *host, bool has_pe, int64_t pe);

/* rows.c numbers the spans in JSON. */
nprof_status fu_number_rows (Furiosa *f);
const char *fu_separators (const char *p, const char *end);
