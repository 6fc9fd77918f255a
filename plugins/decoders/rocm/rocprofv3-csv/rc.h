/* SPDX-License-Identifier: Apache-2.0 */
/* rc.h - decoder rocprofv3-csv: what its files share.  A profile is the tables of one process,
 * which are files of one folder whose names begin alike: PID_kernel_trace.csv,
 * PID_hip_api_trace.csv, ... */
#ifndef RC_H
#define RC_H

#include "../common/rocm.h"
#include "csv/csv.h"

/* -- columns.c: what a table is, by its header alone ------------------------------------------- */

/* In the order in which they are read: calls know their steps by the marks, and work by the
 * calls. */
typedef enum {
  RC_AGENTS,
  RC_COUNTERS,
  RC_MARKS,
  RC_CALLS,
  RC_KERNELS,
  RC_COPIES,
  RC_USES,
  RC_OTHER, /* of rocprofv3, but none that holds rows */
  RC_NONE
} RcKind;

typedef enum {
  RC_GUID,
  RC_DOMAIN,
  RC_FUNCTION,
  RC_PROCESS,
  RC_THREAD,
  RC_CORRELATION,
  RC_START,
  RC_END,
  RC_AGENT,
  RC_QUEUE,
  RC_STREAM,
  RC_DISPATCH,
  RC_KERNEL,
  RC_SHARED,
  RC_SCRATCH,
  RC_REGISTERS,
  RC_BLOCK,
  RC_BLOCK_Y,
  RC_BLOCK_Z,
  RC_GRID,
  RC_GRID_Y,
  RC_GRID_Z,
  RC_DIRECTION,
  RC_FROM,
  RC_TO,
  RC_OPERATION,
  RC_SIZE,
  RC_ADDRESS,
  RC_COUNTER,
  RC_VALUE,
  RC_NODE,
  RC_TYPE,
  RC_INDEX,
  RC_CORES,
  RC_CLOCK,
  RC_PRODUCT,
  RC_NAME,
  RC_COLUMNS
} RcColumn;

typedef struct {
  char *file;
  RcKind kind;
  const char *data, *rows, *end; /* rows: behind the header */
  gint8 column[RC_COLUMNS];      /* its place, -1: it has none */
} RcTable;

/* Returns RC_NONE for what is no table of rocprofv3. */
RcKind rc_table_of (const char *data, const char *end, RcTable *table);

/* -- files.c: which files belong together ------------------------------------------------------ */

typedef struct {
  Rocm rocm; /* first, for its option */
  const struct nprof_host *host;
  GArray *tables;        /* of RcTable, by kind, then by name      */
  char *stem;            /* of the names of its files: "4000_"     */
  GHashTable *processes; /* GUID, or "" -> RcProcess               */
  bool surveying;        /* no rows are written yet                */
} Rc;

/* Finds the tables of the profile that the input is of. */
nprof_status rc_files_find (Rc *self, const void *data, uint64_t len);
/* Returns whether another file stands for the profile; given: another input of the run. */
bool rc_is_part (Rc *self, bool given);

/* -- rows.c ------------------------------------------------------------------------------------ */

typedef struct {
  RocmProcess *process;
  Ids counts;         /* of RocmCount by dispatch; counters by the number of their name */
  GArray *counters;   /* of nprof_str, by number */
  gint64 n_agents[2]; /* CPUs, GPUs */
  bool agents_stated; /* a table says which they are */
} RcProcess;

void rc_process_free (gpointer process);
/* Looks at all rows for steps, and lowers *least (ns) to the earliest start. */
nprof_status rc_survey (Rc *self, gint64 *least);
nprof_status rc_rows (Rc *self);

#endif
