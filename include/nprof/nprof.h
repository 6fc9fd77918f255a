/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/nprof.h - nprof inside of another program: reads profiles with the decoders and analyzers
 * that are installed, and gives their rows and tables, one by one or as Arrow streams.
 *
 *   const char *inputs[] = { "trace.xplane.pb", NULL };
 *   struct nprof_request request = { .size = sizeof request, .inputs = inputs };
 *   nprof_run *run = nprof_run_open (&request);
 *   struct nprof_run_item item = { .size = sizeof item };
 *   while (nprof_run_next (run, &item) > 0)
 *     if (item.batch)
 *       for (uint32_t i = 0; i < item.batch->n_rows; i++)
 *         puts (nprof_run_string (run, item.batch->name[i], NULL));
 *   fputs (nprof_run_messages (run), stderr);
 *   int status = nprof_run_close (run);      as the exit status of nprof
 *
 * Rows, tracks, strings and tables are those of nprof/plugin.h and nprof-model(7).  Link with
 * pkg-config's nprof.  A run belongs to one thread at a time; several runs may exist.  The library
 * starts threads, and changes no state of the process (signals, locale, current folder); like
 * GLib it ends the process when a small allocation fails.
 *
 * Until the first release this header may change.  Structs have their size first and grow only at
 * their ends. */
#ifndef NPROF_NPROF_H
#define NPROF_NPROF_H

#include <nprof/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "1.0.0", before a release "1.0.0-rc1" */
NPROF_EXPORT const char *nprof_version (void);

/* -- A run ----------------------------------------------------------------- */

/* What to read. The texts are those of the command line, nprof(1); lists end in NULL. All but size
 * and inputs may be left 0. Copied by nprof_run_open. */
struct nprof_request {
  uint32_t size;
  uint32_t jobs;                  /* threads that decode; 0: one a processor           */
  const char *const *inputs;      /* files, folders                                    */
  const char *decoder;            /* "xplane:KEY=VALUE"; NULL: by content              */
  const char *const *analyzers;   /* "latency", "longest:top=3"                        */
  const char *from, *to, *step;   /* "1.5ms", "2ms", "3..7"                            */
  const char *const *tracks, *const *names, *const *where; /* globs; "KEY=VALUE"       */
  uint32_t keep_going;            /* damaged records are counted and passed over       */
  uint32_t log_level;             /* what nprof_run_messages holds: NPROF_ERROR ...    */
  uint32_t keep_tables;           /* not 0: for nprof_run_tables, in memory            */
  uint32_t array_rows;            /* an Arrow array of rows has that many at least, but the last; 0:
                                     as they come. UINT32_MAX: one array holds them all */
  const char *const *columns;     /* of Arrow's rows, in that order, by the names below; only these
                                     attributes are decoded, also for batches.  NULL: all */
  const struct nprof_request *const *others; /* --or: rows that step, tracks, names and where of one
                                                of these select are selected, too; else they are 0
                                                */
};

typedef struct nprof_run nprof_run;

/* Begins a run; it reads ahead a few batches and waits.  What is wrong with the request is told by
 * nprof_run_next.  NULL: no thread could be started. */
NPROF_EXPORT nprof_run *nprof_run_open (const struct nprof_request *request);

/* Rows, or rows of a table; both stay valid until the next call of next or close. */
struct nprof_run_item {
  uint32_t size;
  uint32_t n_rows;                 /* of the table; 0: it is announced                  */
  const struct nprof_batch *batch; /* NULL: this is a table                             */
  const struct nprof_table *table; /* its columns end in NULL                           */
  const struct nprof_cell *cells;  /* row by row                                        */
};

/* 1: item is filled (set its size).  0: that was all.  -1: the run failed, nprof_run_messages says
 * why; then only messages and close may follow. */
NPROF_EXPORT int nprof_run_next (nprof_run *run, struct nprof_run_item *item);

/* What handles mean: valid until close, once nprof_run_next has returned 1 or 0.  len may be NULL.
 * NULL before that and after it returned -1; for a track, an input or a set that does not exist. */
NPROF_EXPORT const char *nprof_run_string (nprof_run *run, nprof_str str, size_t *len);
NPROF_EXPORT const struct nprof_track_info *nprof_run_track (nprof_run *run, nprof_track track);
NPROF_EXPORT const struct nprof_input_info *nprof_run_input (nprof_run *run, uint32_t number);
NPROF_EXPORT const struct nprof_attrs *nprof_run_attrs (nprof_run *run, nprof_set set);
NPROF_EXPORT const struct nprof_run_info *nprof_run_about (nprof_run *run);
/* The attribute columns, ending in NULL. */
NPROF_EXPORT const struct nprof_column *const *nprof_run_columns (nprof_run *run);

/* The tables of the run, of the core, of decoders and analyzers, in the order in which they were
 * announced, ending in NULL. NULL unless keep_tables was set and nprof_run_next (or the stream of
 * the rows) has come to its end. */
NPROF_EXPORT const struct nprof_table *const *nprof_run_tables (nprof_run *run);

/* What was said so far, "nprof: error: ..." a line; "" nothing. Valid until the next call of it. */
NPROF_EXPORT const char *nprof_run_messages (nprof_run *run);

/* Ends the run, also in the middle, and frees it.  Returns the exit status that nprof would have:
 * 0 done, 2 input damaged, 3 done with losses, 130 closed before its end ...; NULL is fine: 0. */
NPROF_EXPORT int nprof_run_close (nprof_run *run);

/* -- Arrow ----------------------------------------------------------------- */

/* The C data and stream interface, https://arrow.apache.org/docs/format/CStreamInterface.html */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char *format, *name, *metadata;
  int64_t flags, n_children;
  struct ArrowSchema **children, *dictionary;
  void (*release) (struct ArrowSchema *);
  void *private_data;
};

struct ArrowArray {
  int64_t length, null_count, offset, n_buffers, n_children;
  const void **buffers;
  struct ArrowArray **children, *dictionary;
  void (*release) (struct ArrowArray *);
  void *private_data;
};
#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
  int (*get_schema) (struct ArrowArrayStream *, struct ArrowSchema *out);
  int (*get_next) (struct ArrowArrayStream *, struct ArrowArray *out);
  const char *(*get_last_error) (struct ArrowArrayStream *);
  void (*release) (struct ArrowArrayStream *);
  void *private_data;
};
#endif

/* The rows of the run as an Arrow stream, which takes the run over: its release closes it.  Call it
 * before nprof_run_next. Rows of tables have streams of their own, below. Columns, of which all but
 * the first two, track, thread, kind and name may be null:
 *
 *   row uint64 (from 0), input, track uint32, thread, kind, category, name, start_ps int64,
 *   duration_ps int64 (null: no end in the file), value double, id, parent, flow uint64,
 *   then one for each attribute of nprof_run_columns, and attributes: those that have no column,
 *   or do not fit it exactly, as JSON
 *
 * input, thread, kind, category, name and attributes that are strings are dictionaries of utf8,
 * made anew for each array (the index of a null is -1); attributes that are text, json or id128 are
 * large_utf8. Arrays do not depend on the run and may outlive it. */
NPROF_EXPORT void nprof_run_arrow (nprof_run *run, struct ArrowArrayStream *stream);

/* One of nprof_run_tables, by its name, as an Arrow stream that depends on nothing: the run may be
 * closed before it, and any number may be made. Columns are those of the table, with the types of
 * attributes above; any cell may be null. A column in picoseconds that is named _ns is named _ps
 * here. After nprof_run_arrow: when that stream has come to its end, and before its release. 0;
 * ENOENT: there is no such table, or not yet; ENOMEM. */
NPROF_EXPORT int nprof_run_table_arrow (nprof_run *run, const char *name,
                                        struct ArrowArrayStream *stream);

/* -- Python ---------------------------------------------------------------- */

/* The destructor of a PyCapsule that owns an nprof_run ("nprof_run"), or a struct of Arrow in
 * memory of malloc ("arrow_schema", "arrow_array", "arrow_array_stream"; what it holds is released
 * unless somebody has moved it). It is C because callbacks of ctypes crash while the interpreter
 * ends. Holds Python's lock; libnprof needs no Python. */
NPROF_EXPORT void nprof_capsule_free (void *capsule);

#ifdef __cplusplus
}
#endif
#endif
