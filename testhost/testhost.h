/* SPDX-License-Identifier: Apache-2.0 */
/* testhost.h - runs one component on bytes or rows, without the pipeline, keeps all that
 * it gave for a test to look at, and checks the rules of the contract as it goes.
 *
 *   const struct nprof_component *xplane = nprof_test_component (g_getenv ("PLUGIN"),
 *   NPROF_DECODER, "xplane");
 *
 *   g_autoptr (NprofTestRun) run = nprof_test_decode (xplane, "limit=3", data, len, NULL);
 *   nprof_test_assert_ok (run);                      status OK, no rule broken
 *   g_assert_cmpuint (run->n_rows, ==, 3);
 *   g_assert_cmpstr (run->rows[0].name, ==, "dot");
 *   g_assert_cmpstr (run->rows[0].path, ==, "TPU:0/XLA Ops");
 *   g_assert_cmpstr (nprof_test_attr (&run->rows[0], "flops"), ==, "12");
 *   g_assert_cmpstr (nprof_test_cell (run, "inputs_of_mine", 0, "version"), ==, "2.1");
 *
 *   g_autoptr (NprofTestRun) run = nprof_test_open (csv, "time=us", NULL);
 *   const struct nprof_host *h = nprof_test_host (run);   a decoder's host: fill in rows with sdk.h
 *   nprof_span (h->writer (h), h->track (h, 0, NPROF_TRACK_DEVICE, ...), ...);
 *   nprof_test_finish (run);
 *   g_assert_cmpstr (nprof_test_output (run, "events.csv"), ==, "...");
 *
 * Everything is freed with the run.  One thread, but for parts with threads > 2. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>
#include <nprof/sdk.h>

typedef struct NprofTestRun NprofTestRun;
typedef struct NprofTestState NprofTestState; /* private */

typedef struct { /* another file of the input's folder */
  const char *name;
  const void *data;
  size_t len;
} NprofTestFile;

/* Programs use it that must tell afterwards in which call, and at which memory, a component crashed
 * or hung.  It is called from any thread, and must not call back. */
typedef struct {
  void (*call) (void *user, const char *call);   /* about to be made; NULL: it returned     */
  void (*lent) (void *user, const char *what, const void *from, gsize len); /* memory       */
  void (*step) (void *user, const char *step);   /* of a trial: "cancelled at flush 3"      */
  void *user;
} NprofTestWatch;

/* A test may set these; all zero is the usual: full batches, everything wanted. */
typedef struct {
  guint rows;                  /* rows a batch; 0: 4096                                    */
  guint threads;               /* parts: 0, 1: in order; 2: last part first; more: that
                                  many threads.  The rows must come out the same.  open: what
                                  the run says of -j                                       */
  gboolean keep_going;         /* host->damage returns NPROF_OK                            */
  guint cancel_at;             /* this and every later flush and progress, counted from 1
                                  together, return NPROF_CANCELLED; 0: never               */
  guint nomem_at;              /* this call, counted from 1, of writer, flush, grow, track,
                                  attrs, row fails for want of memory; 0: none             */
  const char *const *wanted;   /* keys, ends in NULL; NULL: all; no key: none              */
  const struct nprof_row_want *const
      *row_wants;              /* keys wanted of some rows, beside `wanted`; ends in NULL */
  const char *label;           /* of the input; NULL: "input"                              */
  const char *const *properties; /* open: of the input: key, value, ..., NULL              */
  int log_level;               /* 0: NPROF_DEBUG                                           */
  const NprofTestFile *siblings; /* ends with a NULL name                                    */
  NprofTestRun *into;            /* decode: the rows and tables go to this opened analyzer or
                                  sink as well; free it after this one                     */
  const struct nprof_attribute *const *attributes; /* open: what the decoders declare      */
  gint64 origin;               /* open: unix ns, or 0 for NPROF_NO_EPOCH                   */
  guint target;                /* sinks: NPROF_TARGET_FILE ...; 0: by the sink's flags     */
  const char *target_name;     /* sinks: NULL: default_name                                */
  gboolean is_terminal;        /* sinks: with STDOUT                                       */
  guint columns;
  const char *data_folder;     /* NULL: that of nprof itself                               */
  guint64 write_limit;         /* sinks: bytes after which a write fails with E_IO; 0: none */
  gboolean no_output;          /* sinks: no output can be opened                           */
  gboolean no_room;            /* sinks: every write fails with E_IO                       */
  gboolean guarded;            /* columns and input end at memory that ends the process when
                                  it is touched; what was delivered can only be read       */
  const NprofTestWatch *watch; /* NULL: nobody                                             */
  guint variant; /* nprof_test_feed: another number, other durations, names and counts  */
  void (*asked) (void *user, const char *call); /* the component, in that call of the core's, asks
                                  something of the host; NULL: nobody listens             */
  void *asked_user;
  guint64 run_bytes;           /* open: rows put in order that are kept in memory; 0: as nprof.
                                  Few, and they are merged from many pieces, as of large files */
  gboolean hostile;            /* decode: bytes that no producer wrote, whose ids may repeat and
                                  whose rows may be their own ancestors */
} NprofTestConfig;

typedef struct {
  const char *key;
  guint type;                  /* NPROF_INT64 ...                                          */
  nprof_value value;           /* of bytes only the text holds                             */
  const char *text;            /* 12, 0.5, true, text, json, 32 hex digits                 */
  gsize len;
} NprofTestAttr;

typedef struct {
  guint kind, input;
  gint64 start, duration;
  nprof_track track;
  const char *path;            /* labels (or keys) from below the input's root: "a/b"      */
  const char *name, *category; /* "" where there is none                                   */
  gboolean has_value;
  double value;
  guint64 id, parent, flow;
  guint n_attrs;
  const NprofTestAttr *attrs; /* what holds: shared ones, overridden by the row's own     */
} NprofTestRow;

typedef struct {
  const struct nprof_table *table;
  guint n_rows, n_columns;
  const char **cells;          /* row by row; NULL: unknown                                */
} NprofTestTable;

typedef struct {
  const char *what, *reason;   /* reason: NULL for damage                                  */
  guint64 at, count;
} NprofTestLoss;

struct NprofTestRun {
  nprof_status status;         /* the first that was not NPROF_OK                          */
  const char *failure;         /* what was said with fail; NULL                            */
  const char *usage;           /* the options could not be used: why; nothing ran then     */
  const NprofTestRow *rows;    /* decoders and analyzers: what they gave                   */
  guint n_rows, n_batches;
  const NprofTestTable *tables; /* announced or filled                                      */
  guint n_tables;
  const NprofTestLoss *skipped; /* by what and reason, with the first place                 */
  guint n_skipped;
  const NprofTestLoss *damage;
  guint n_damage;
  const char *const *log;      /* "warning: ..."                                           */
  guint n_log;
  const char *const *broken;   /* rules that were broken; must be none                     */
  guint n_broken;
  const char *const *properties; /* key, value, key, value ...; n_properties pairs           */
  guint n_properties;
  gint64 origin;               /* as the decoder told; NPROF_NO_EPOCH                      */
  guint64 progress;            /* bytes that progress named, all together                  */
  NprofTestState *test;
};

/* Opens a plugin's module, which stays open; ends the process with a message when that fails. */
const struct nprof_plugin *nprof_test_load (const char *path);
/* Opens it and finds a component; ends the process with a message when it is not there. */
const struct nprof_component *nprof_test_component (const char *path, guint kind, const char *name);

/* Lives all of a decoder's life on these bytes. options: "k=v,...", NULL: presets.  The data are
 * copied to memory of exactly that length, so that sanitizers see a read beyond it. */
NprofTestRun *nprof_test_decode (const struct nprof_component *decoder, const char *options,
                                 const void *data, size_t len, const NprofTestConfig *config);
/* Calls probe on what the core would show it: the first 64 KiB. */
int nprof_test_probe (const struct nprof_component *decoder, const void *data, size_t len,
                      const char *path);
/* Does so on guarded memory; watch may be NULL. */
int nprof_test_probe_guarded (const struct nprof_component *decoder, const void *data, size_t len,
                              const char *path, const NprofTestWatch *watch);

/* Opens an analyzer or a sink.  Then rows and tables are written through nprof_test_host, which
 * is the host of a decoder with these attributes: writer, track, intern, attrs, table, row.
 * Its flush delivers to `consume`; rows are put in the order that the component asks for,
 * and then delivered by nprof_test_finish. */
NprofTestRun *nprof_test_open (const struct nprof_component *component, const char *options,
                               const NprofTestConfig *config);
const struct nprof_host *nprof_test_host (NprofTestRun *run);
/* Delivers what was written, then finish (abort when something failed), then close. */
nprof_status nprof_test_finish (NprofTestRun *run);
/* Saves the state of an analyzer with save, instead of nprof_test_finish: delivers what was
 * written, then save, then close.  Returns the state, transfer full, or NULL when something
 * failed. */
GBytes *nprof_test_save (NprofTestRun *run);
/* Merges a state into an opened analyzer that has seen no row. */
nprof_status nprof_test_merge (NprofTestRun *run, const void *state, gsize len);
/* Returns what a sink wrote, NUL-terminated, or NULL; a NULL name is its one file. */
const char *nprof_test_output (NprofTestRun *run, const char *name);
gsize nprof_test_output_size (NprofTestRun *run, const char *name);

void nprof_test_run_free (NprofTestRun *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NprofTestRun, nprof_test_run_free)

/* These find a value; NULL where there is none. */
const char *nprof_test_attr (const NprofTestRow *row, const char *key);
const NprofTestRow *nprof_test_row (const NprofTestRun *run,
                                    const char *name);        /* the first of that name */
guint nprof_test_count (const NprofTestRun *run, guint kind); /* rows of a kind */
const char *nprof_test_fact (const NprofTestRun *run, const char *path,
                             const char *key); /* path NULL: any */
const char *nprof_test_property (const NprofTestRun *run, const char *key);
const struct nprof_track_info *nprof_test_track (const NprofTestRun *run, nprof_track track);
const char *nprof_test_label (const NprofTestRun *run, nprof_track track);
const NprofTestTable *nprof_test_table (const NprofTestRun *run, const char *name);
const char *nprof_test_cell (const NprofTestRun *run, const char *table, guint row,
                             const char *column);
guint64 nprof_test_skips (const NprofTestRun *run, const char *what); /* prefix of `what` */
gboolean nprof_test_logged (const NprofTestRun *run, const char *part);
/* Returns everything that a run gave as text: two runs that must be equal, compare. */
char *nprof_test_dump (const NprofTestRun *run); /* transfer full */

/* Fails the test, with what went wrong. */
#define nprof_test_assert_ok(run) nprof_test_check ((run), NPROF_OK, NULL, G_STRLOC)
/* Asserts that it failed with this status, that `part` is in what it said, and that no rule was
 * broken. */
#define nprof_test_assert_fails(run, status, part)                                                 \
  nprof_test_check ((run), (status), (part), G_STRLOC)
void nprof_test_check (const NprofTestRun *run, nprof_status status, const char *part,
                       const char *where);

/* It is a component, and what it is to live through: a decoder these bytes, an analyzer or a sink
 * rows and tables of every sort (nprof_test_feed), or none. */
typedef struct {
  const struct nprof_component *component;
  const char *options;
  const void *data;
  size_t len;
  gboolean empty;
} NprofTestLife;

NprofTestRun *nprof_test_live (const NprofTestLife *life, const NprofTestConfig *config);
/* Feeds an opened analyzer or sink rows and tables of every sort; returns its status. */
nprof_status nprof_test_feed (NprofTestRun *run);

/* These are trials.  They return what was wrong, a line each: transfer full, or NULL. tried: how
 * many calls there were to fail, added up. */
char *nprof_test_problem (const NprofTestRun *run); /* the rules that were broken */
/* Tries that small batches, parts backwards and on threads, and no attribute wanted change no
 * row. */
char *nprof_test_try_variations (const NprofTestLife *life, const NprofTestConfig *config);
char *nprof_test_try_no_memory (const NprofTestLife *life, const NprofTestConfig *config,
                                guint *tried);
char *nprof_test_try_cancel (const NprofTestLife *life, const NprofTestConfig *config,
                             guint *tried);
/* Tries that states of three feeds, taken together in every way, are equal to the byte; cut ones
 * are refused, changed ones do no harm. tried: 0 when the analyzer has no save. */
char *nprof_test_try_merge (const NprofTestLife *life, const NprofTestConfig *config, guint *tried);
char *nprof_test_try_full_disk (const NprofTestLife *life, const NprofTestConfig *config,
                                guint *tried);

/* Decodes the bytes with every memory failure and every cancellation, one after the other,
 * with 1-row batches and with threads; the run must end in order each time, and rows and
 * tables must not depend on batches or threads.  For small inputs. */
void nprof_test_torture (const struct nprof_component *decoder, const char *options,
                         const void *data, size_t len);
