/* SPDX-License-Identifier: Apache-2.0 */
/* test-run.h - what the files of testhost share: a run's private part, its hosts, and what
 * each file does for the others. */
#pragma once

#include "base/arena.h"
#include "base/temp-file.h"
#include "plugin/option.h"
#include "rows/attribute-sets.h"
#include "rows/batch.h"
#include "rows/columns.h"
#include "rows/facts.h"
#include "rows/strings.h"
#include "rows/table-writer.h"
#include "rows/tracks.h"
#include "run/declared.h"
#include "devices/device-rates.h"
#include "sort/sorter.h"
#include "testhost.h"

#include <pthread.h>

/* A decoder shares this with the analyzer or sink that it is decoded into. */
typedef struct {
  guint refs;
  NpStrings *strings;
  NpTracks *tracks;
  NpAttrSets *sets;
  NpPool *pool;
  NpColumns *columns;
  NpLog *log; /* of facts, silent */
  NpFacts *facts;
  NpDeviceRates *device_rates;
  struct nprof_run_info info;
  struct nprof_input_info input;
} Shared;

/* This is a host: of the component, of one part, or of the test that feeds the component. */
typedef struct {
  struct nprof_host host; /* first */
  NprofTestState *test;
  struct nprof_writer writer;
  NpBatch *batch;    /* whose columns the writer lends; NULL: none lent */
  NpTableWriter tables; /* that were announced */
  GPtrArray *items;  /* of Item, parts only: what waits for its turn */
  gboolean feeds;    /* it is the test's own */
  gboolean inside;   /* the core is in a call on this instance or part, */
  pthread_t caller;  /* made from this thread */
  /* Threads of host->parallel report and fail too. */
  _Atomic nprof_status refused; /* what the last call that failed returned */
  _Atomic gboolean said;        /* fail was called */
  _Atomic gboolean flush_failed;
  _Atomic guint64 unreported;   /* rows since the last progress */
} Host;

typedef struct {
  NpBatch *batch; /* or */
  NpChunk *chunk;
} Item;

typedef struct {
  struct nprof_output output; /* first */
  NprofTestState *test;
  char *name; /* NULL: the one file */
  GString *data;
  gboolean closed;
} Output;

typedef struct {
  const struct nprof_table *table;
  GPtrArray *cells; /* of const char * */
} Rows;

struct NprofTestState {
  NprofTestRun run; /* first: what the test sees */
  NprofTestConfig config;
  Shared *shared;
  struct nprof_component component; /* a copy with all members of this header */
  NpDeclared *declared;             /* what the content of the input declares; NULL: nothing */
  void *self;
  GStringChunk *option_text;
  Host *host, *feed;
  gboolean opening, opened, ended, rows_seen;
  const char *call; /* the last that was made of the component; NULL: none */
  guint64 len; /* of the input */

  pthread_mutex_t lock; /* of what follows: parts may run at the same time */
  NpArena text;
  GArray *skipped, *damage; /* of NprofTestLoss */
  GPtrArray *log, *broken;
  GPtrArray *properties; /* key, value, key, value ... */
  guint stop_calls, memory_calls, n_warnings;
  gint batches_held; /* by batch_ref */

  GArray *rows;        /* of NprofTestRow */
  GPtrArray *tables;   /* of Rows */
  GArray *shown;       /* of NprofTestTable */
  GPtrArray *paths;    /* by track */
  GPtrArray *outputs;  /* of Output */
  GPtrArray *siblings; /* copies that a decoder opened */
  guint64 written;
  struct nprof_target target;
  char *data_folder; /* NULL: there is none */
  NpSorter *order;
};

#define HOST(h) ((Host *) (h))

/* test-run.c */
NprofTestState *state_new (const struct nprof_component *component, const char *options,
                           const NprofTestConfig *config);
const char *state_text (NprofTestState *test, const char *text, gsize len); /* takes the lock */
void state_say (NprofTestState *test, GPtrArray *list, char *line);         /* takes line */
void state_broke (NprofTestState *test, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Keeps the first failure and checks what the component's call returned. */
nprof_status state_returned (NprofTestState *test, Host *host, const char *call,
                             nprof_status status);
nprof_status state_open (NprofTestState *test);
void state_close (NprofTestState *test);
void state_publish (NprofTestState *test);

/* calls.c surrounds each call of the component. */
void call_begin (NprofTestState *test, Host *host, const char *call);
nprof_status call_end (NprofTestState *test, Host *host, nprof_status status); /* returns it */
/* Returns the last call that was made of the component, by whatever thread; NULL: none. */
const char *call_now (const NprofTestState *test);
#define CALL(test, host, name, call) (call_begin (test, host, name), call_end (test, host, call))
/* Checks that the component calls `what` within such a call, on its thread. */
void call_check (Host *host, const char *what);
void call_lent (NprofTestState *test, const struct nprof_writer *w);

/* host.c */
Host *host_new (NprofTestState *test, gboolean feeds, gboolean part);
void host_free (Host *host);
nprof_status host_refuse (Host *self, nprof_status status); /* remembers and returns it */
gboolean host_no_memory (Host *self); /* is this the call that the test wants to fail? */
nprof_status host_stopped (Host *self);

/* host-log.c */
void say_log (const struct nprof_host *host, int level, const char *msg);
nprof_status say_fail (const struct nprof_host *host, nprof_status status, const char *why);
nprof_status say_progress (const struct nprof_host *host, uint64_t from, uint64_t to);
int say_cancelled (const struct nprof_host *host);
nprof_status say_damage (const struct nprof_host *host, uint64_t at, const char *what);
void say_skip (const struct nprof_host *host, const char *what, uint64_t at, const char *reason);

/* delivery.c */
nprof_status host_flush_all (Host *host);
void rows_init_tables (Host *host);
nprof_status host_deliver (NprofTestState *test, gboolean feeds, NpBatch *batch, NpChunk *chunk);
struct nprof_writer *rows_writer (const struct nprof_host *host);
nprof_status rows_table (const struct nprof_host *host, const struct nprof_table *table);
nprof_status rows_row (const struct nprof_host *host, const struct nprof_table *table,
                       const struct nprof_cell *cells);
const struct nprof_batch *rows_batch_ref (const struct nprof_host *host,
                                          const struct nprof_batch *batch);
void rows_batch_unref (const struct nprof_host *host, const struct nprof_batch *batch);

/* files.c */
struct nprof_output *
files_state (NprofTestState *test); /* where save writes: an output of that name */
const struct nprof_target *files_target (const struct nprof_host *host);
struct nprof_output *files_output (const struct nprof_host *host, const char *name);
nprof_status files_siblings (const struct nprof_host *host, int (*fn) (void *, const char *),
                             void *user);
const void *files_sibling (const struct nprof_host *host, const char *name, uint64_t *len);
void files_init (NprofTestState *test);
void files_free (NprofTestState *test);

/* rules.c */
/* Returns whether the rows may be looked at: none points beyond the columns. */
gboolean rules_batch (NprofTestState *test, const struct nprof_writer *w);
/* Return whether that much is too much for the bytes of the decoder's input, which is said then. */
gboolean rules_too_long (const Host *host, const char *what, guint64 len);
gboolean rules_too_many_tracks (const Host *host);
void rules_chunk (NprofTestState *test, const NpChunk *chunk);
gboolean rules_declares (const NprofTestState *test, const struct nprof_table *table);
const struct nprof_table *rules_table (const NprofTestState *test, const struct nprof_table *table);

/* links.c */
void rules_links (NprofTestState *test);

/* collect.c */
void collect_batch (NprofTestState *test, const struct nprof_batch *batch);
void collect_chunk (NprofTestState *test, const NpChunk *chunk);
const char *collect_path (NprofTestState *test, nprof_track track);

/* random-rows.c */
const struct nprof_attribute *const *random_rows_attributes (void); /* what the rows declare */

/* feed.c */
nprof_status feed_batch (NprofTestState *test, NpBatch *batch); /* to consume, or to its order */
nprof_status feed_chunk (NprofTestState *test, const NpChunk *chunk);
