/* SPDX-License-Identifier: Apache-2.0 */
/* rocpd.h - decoder rocpd: what its files share.  An input is an SQLite database that may be
 * hostile. The columns that a table has say what is in it, never the version. */
#ifndef ROCPD_H
#define ROCPD_H

#include "../common/rocm.h"
#include "database/rest.h"

/* -- What rows name by number: each begins with its id, for ids.h ---------------------- */

typedef struct {
  gint64 id, stack; /* stack: what joins a call and its work; 0: none */
  nprof_str category, message;
} RpEvent;

typedef struct {
  gint64 id, pid, tid, agent, queue, stream, name; /* ROCM_UNKNOWN: none */
} RpTrack;

typedef struct {
  gint64 id, value;
} RpStamp;

typedef struct {
  gint64 id, agent;
  nprof_str name;
  nprof_set unit;
  bool wanted; /* as an attribute */
} RpPmc;

/* -- The file ---------------------------------------------------------------------------------- */

/* These are the tables of one GUID, in which all ids count anew. */
typedef struct {
  struct _Rocpd *self;
  char *suffix;             /* of the names of its tables; "" where they have none */
  GHashTable *processes;    /* gint64 -> RocmProcess, by id and by pid */
  nprof_str machine;        /* of its only node; 0: unknown            */
  nprof_str kind, category; /* the last that were asked for        */
  gint64 pid;               /* the last that was asked for         */
  RocmProcess *process;     /* and its process; NULL: none yet     */
  Ids nodes, strings, categories, events, tracks, stamps, symbols, pmcs, counts;
} RpGuid;

typedef struct _Rocpd {
  Rocm rocm; /* first, for its option */
  Db db;
  GPtrArray *guids; /* of RpGuid */
} Rocpd;

void rp_guid_free (gpointer guid);
/* Finds the GUIDs, in byte order. */
void rp_guids_find (Rocpd *self);
/* Returns "rocpd_NAME_GUID", where there is such a table.  Transfer full. */
char *rp_table (const RpGuid *g, const char *name);
/* Calls fn for each row of a table, which need not be there; `again`: the rows are read once more
 * later. */
typedef nprof_status RpTake (RpGuid *g, DbRows *rows, gpointer at);
typedef void RpLayOut (RpGuid *g, DbRows *rows, gpointer at);
nprof_status rp_each (RpGuid *g, const char *name, bool again, RpLayOut *lay_out, RpTake *take,
                      gpointer at);
/* Counts the tables that became nothing, by name. */
nprof_status rp_tell_unread (Rocpd *self);

/* load.c: reads what others refer to, and tells what the file says of itself. */
nprof_status rp_load (RpGuid *g);
/* Returns the process that rows call so, made where the file does not describe it; of a row that
 * states none any of the GUID. */
RocmProcess *rp_process_of (RpGuid *g, gint64 pid);
/* Returns the text; 0: none has that id. */
nprof_str rp_text (Ids *texts, gint64 id);

/* Returns the category of rows whose event has that kind. */
nprof_str rp_category (RpGuid *g, nprof_str kind);

/* rows.c: when and where a row of any of the layouts lies. */
typedef struct {
  int start, end, start_id, end_id, track, pid, tid, agent, queue, stream, event;
} RpPlaceAt;

typedef struct {
  RocmSpan span;
  RpTrack where;
  RocmProcess *process;
  const RpEvent *event; /* NULL: unknown */
} RpPlace;

void rp_lay_out_place (DbRows *rows, RpPlaceAt *at);
/* Returns false where the row has no times. */
bool rp_times (RpGuid *g, const DbRows *rows, const RpPlaceAt *at, gint64 *start, gint64 *end);
/* Fills in what is known of a row; false: it is damaged, and *status says whether to go on. */
bool rp_place (RpGuid *g, const DbRows *rows, const RpPlaceAt *at, const char *what, RpPlace *place,
               nprof_status *status);
gint64 rp_number (const DbRows *rows, int column);

/* Looks at all rows for steps, and lowers *least (ns) to the earliest start. */
nprof_status rp_survey (RpGuid *g, gint64 *least);

nprof_status rp_hosts (RpGuid *g);   /* hosts.c: calls, ranges, marks          */
nprof_status rp_work (RpGuid *g);    /* work.c: kernels, copies, allocations   */
nprof_status rp_samples (RpGuid *g); /* samples.c: counters over time, and moments */
/* Takes the counters of a dispatch, and adds them to its row, where there is one. */
nprof_status rp_counts_take (RpGuid *g, gint64 event, bool begun);
nprof_status rp_counts_load (RpGuid *g);

#endif
