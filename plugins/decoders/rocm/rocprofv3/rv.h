/* SPDX-License-Identifier: Apache-2.0 */
/* rv.h - decoder rocprofv3: what its files share.  The input is one JSON document: its small
 * parts say what numbers mean, its sections hold records, and both may be of several processes. */
#ifndef RV_H
#define RV_H

#include "../common/rocm.h"
#include "json/scan.h"

/* -- walk.c: objects and arrays of the document ------------------------------------------------ */

/* These are the members of objects of a kind that somebody reads, by number. */
typedef struct {
  TeKeys keys;
  TeScan scan;
  guint n;
} RvShape;

typedef struct {
  Rocm rocm; /* first, for its option */
  const struct nprof_host *host;
  const TeScanner *with;
  const char *data, *end, *told; /* told: reported as read up to there */
  TeScan scan;
  RvShape records, dispatches;
  nprof_status stopped; /* why the document was not read to its end, when that is no damage */
  bool surveying;       /* no rows are written yet */
  GPtrArray *processes; /* of RvProcess            */
} Rv;

enum {
  RV_KIND,
  RV_OPERATION,
  RV_THREAD,
  RV_CORRELATION,
  RV_START,
  RV_END,
  RV_DISPATCH,
  RV_STREAM,
  RV_FROM,
  RV_TO,
  RV_BYTES,
  RV_AGENT,
  RV_ADDRESS,
  RV_SIZE,
  RV_RECORD_KEYS
};

enum {
  RV_DISPATCH_AGENT,
  RV_DISPATCH_QUEUE,
  RV_DISPATCH_KERNEL,
  RV_DISPATCH_NUMBER,
  RV_DISPATCH_SCRATCH,
  RV_DISPATCH_SHARED,
  RV_DISPATCH_BLOCK,
  RV_DISPATCH_GRID,
  RV_DISPATCH_KEYS
};

nprof_status rv_walk_init (Rv *self, const struct nprof_host *host);
void rv_walk_clear (Rv *self);
/* Returns where the next value, key or closing bracket stands. */
const char *rv_space (const Rv *self, const char *p);
/* Returns what is behind the closing bracket, which stands behind the last value, at p. */
const char *rv_closed (const Rv *self, const char *p);
/* Returns what is behind the next value of an array, p behind its [ or the last value; NULL:
 * there is no more (self->scan.why is NULL), or it cannot be read. */
const char *rv_next (Rv *self, const char *p, TeValue *value);
/* Returns where the value of the next member begins, as above; p is behind the { or the last
 * value. */
const char *rv_key (Rv *self, const char *p, TeValue *key);
/* Returns what is behind the value at p; NULL: it cannot be read. */
const char *rv_value (Rv *self, const char *p, TeValue *value);
/* Reads the members of an object that are asked for; those that are not there have kind TE_NONE. */
void rv_members (Rv *self, const TeValue *object, const char *const *names, TeValue *values);
void rv_shaped (RvShape *shape, const TeValue *object, TeValue *values);
/* Reports that the document cannot be read on. */
nprof_status rv_damage (Rv *self);
nprof_status rv_progress (Rv *self, const char *p);
uint64_t rv_byte (const Rv *self, const char *p);

gint64 rv_int (const TeValue *value); /* ROCM_UNKNOWN: no whole number */
bool rv_uint (const TeValue *value, guint64 *number);
/* Returns the text without escapes; 0: it is none. */
nprof_str rv_text (const Rv *self, const TeValue *value);
/* Reads a member that is a number, as {"handle": 16}. */
gint64 rv_inner (Rv *self, const TeValue *object, const char *name);

/* -- processes.c ------------------------------------------------------------------------------- */

/* This is one of rocprofiler's families of records. */
typedef struct {
  nprof_str kind, category;
  bool marks;
  GArray *operations; /* of nprof_str */
} RvKind;

/* This is an array of records. */
typedef struct {
  char *name;
  const char *at; /* its [ */
} RvSection;

typedef struct {
  RocmProcess *process;
  GPtrArray *kinds;    /* of RvKind                              */
  Ids symbols;         /* of RocmSymbol                          */
  Ids texts;           /* of RocmText: marks by correlation id   */
  Ids names;           /* of RocmText: counters                  */
  Ids counts;          /* of RocmCount                           */
  GArray *sections;    /* of RvSection                           */
  const char *counted; /* the [ of counter_collection; NULL: none */
} RvProcess;

/* Reads all but the records.  NPROF_OK also where the document cannot be read to its end: then
 * what was found is there, and who reads the records comes by the same place. */
nprof_status rv_processes_load (Rv *self);
const RvKind *rv_kind (const RvProcess *p, gint64 number);
nprof_str rv_operation (const RvKind *kind, gint64 number);

/* -- records.c: each section as rows ----------------------------------------------------------- */

/* Looks at all rows for steps, and lowers *least (ns) to the earliest start. */
nprof_status rv_survey (Rv *self, gint64 *least);
nprof_status rv_records (Rv *self);

#endif
