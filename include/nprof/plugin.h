/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/plugin.h - the whole contract between nprof and its plugins.
 *
 * A profile goes in, rows come out:
 *
 *   file --> core --> decoder --> batches of rows --> analyzers --> sinks --> files, servers
 *            bytes    (plugin)    (columns)           (plugins)     (plugins)
 *                        |                               |             ^
 *                        +--------- rows of tables ------+-------------+
 *
 * A plugin is a shared object that exports one symbol, nprof_plugin_v1(), and
 * links against nothing of nprof: all it may call comes to it as function
 * pointers in struct nprof_host.  It holds one or more components: decoders,
 * analyzers, sinks.  The core makes one instance of a decoder for each input and
 * one of each analyzer and sink for the run, as plain memory:
 *
 *   the core clears instance_size bytes, stores the options in them, then calls
 *   open -> (decoder: decode, or plan / decode_part / join; others: consume,
 *   table) -> finish, or abort when the run failed -> close
 *
 * close is called exactly once whenever open was called, also when open failed.
 * Plugins are never unloaded.  No plugin calls exit(), prints, or changes the
 * state of the process (signals, locale, current folder, environment).
 *
 * Versions.  size is the first member of every struct and is set by whoever
 * fills it; structs grow only at their ends; each side reads no more than the
 * smaller of both sizes.  Arrays of structs are arrays of pointers that end in
 * NULL, so that their elements may grow as well.  What this header calls
 * reserved is 0.  A change that breaks this is a new entry symbol.
 *
 * Threads.  Each function says who may call it:
 *   [any-thread]  from any thread, at any time while the instance lives
 *   [instance]    from within a call that the core made on this instance; the
 *                 core never makes two such calls at once on one instance.  A part of
 *                 a parallel decoding has a host of its own and counts as one
 *
 * Ownership.  What the core lends stays the core's and is valid until the call
 * returns, unless a longer life is stated.  What a plugin lends must stay valid
 * for the same time.  Strings and track handles stay valid for the run.
 *
 * C++: instances are raw memory, so a class lives behind a pointer that open
 * sets and close deletes; no exception may leave a component.
 */
#ifndef NPROF_PLUGIN_H
#define NPROF_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The revision of this header; a plugin stores it in nprof_plugin.contract. */
#define NPROF_CONTRACT 1u

/* The revision of the model of rows: what kinds, keys and times mean, apart from the functions
 * above.  It grows when equal rows would be read differently; run_info.model says which one an
 * nprof delivers. */
#define NPROF_MODEL 1u

/* -- Values ---------------------------------------------------------------- */

/* Every call that can fail returns one of these.  A component that fails first
 * says why with host->fail (nprof_fail of the SDK) and returns what that returned. */
typedef int32_t nprof_status;
enum {
  NPROF_OK = 0,
  NPROF_E_NOMEM = -1,       /* no memory for a column, a spool or a table            */
  NPROF_E_IO = -2,          /* a file or a server failed                             */
  NPROF_E_FORMAT = -3,      /* the input is damaged or not what it seemed            */
  NPROF_E_OPTION = -4,      /* an option has a value that cannot be used             */
  NPROF_E_UNSUPPORTED = -5, /* understood, but not possible here                     */
  NPROF_E_CONTRACT = -6,    /* a rule of this header was broken                      */
  NPROF_CANCELLED = -7      /* the run ends: clean up and return this                */
};

/* Levels of the log.  A notice says where the result of a run is when it is no file; it is
 * said whenever warnings are. */
enum { NPROF_ERROR, NPROF_WARNING, NPROF_INFO, NPROF_DEBUG, NPROF_NOTICE };

typedef uint32_t nprof_str;   /* an interned string, equal text = equal handle; 0 is "" */
typedef uint32_t nprof_track; /* a track of the run; 0 is none                       */
typedef uint32_t nprof_set;   /* a set of attributes that rows share; 0 is empty     */

enum {
  NPROF_NULL,   /* no value; only in cells of tables                                 */
  NPROF_INT64,  /* i                                                                 */
  NPROF_UINT64, /* u                                                                 */
  NPROF_DOUBLE, /* f                                                                 */
  NPROF_BOOL,   /* u, 0 or 1                                                         */
  NPROF_STRING, /* s, for text that repeats                                          */
  NPROF_TEXT,   /* bytes: UTF-8 that does not repeat                                 */
  NPROF_JSON,   /* bytes: one JSON value, as its source wrote it                     */
  NPROF_ID128   /* bytes: 16 of them, a trace id in the order in which it is printed */
};

typedef union {
  int64_t i;
  uint64_t u;
  double f;
  nprof_str s;
  struct { uint32_t at, len; } bytes; /* a range of the `bytes` that lie beside the value */
} nprof_value;

/* -- Rows ------------------------------------------------------------------ */

/* A row is an event.  Times are int64 picoseconds: start counts from the origin
 * of the run and may be negative; duration is -1 where the file has no end.
 * Zero is a duration like any other: formats that leave a zero out give 0.
 *
 * start + duration fits int64, and a start lies within 106 days of the origin, on either side.
 * The difference of two times may be twice as much, which int64 does not hold: where they can
 * be more than 53 days from the origin, subtract as uint64_t.
 *
 * Later releases may add kinds, and types of values: whoever reads rows passes over what it
 * does not know. Whoever writes rows keeps to those of its header: a kind, a type, a status or a
 * flag that its contract does not have, a duration below -1, an end beyond int64 and a counter
 * without value are NPROF_E_CONTRACT. */
enum {
  NPROF_SPAN,    /* something that took time                                         */
  NPROF_INSTANT, /* a moment; duration 0                                             */
  NPROF_COUNTER, /* `value` from here on; n series are n rows named NAME/SERIES      */
  NPROF_FLOW,    /* one end of an arrow: `flow` joins the ends, `category` is the
                    family, attribute flow_phase is begin, step or end, and `parent`
                    is the id of the span it is bound to, where that is stated       */
  NPROF_FACT,    /* a constant: name is a key of keys.h, exactly one attribute of that
                    key; true for the subtree of its track; category = its source;
                    its times mean nothing and are not written                      */
  NPROF_GAP      /* events are missing here                                          */
};

/* Up to 4096 rows as columns.  Each is laid out like an Arrow buffer: 64-byte
 * aligned, bitmaps least significant bit first.  Immutable once delivered, so
 * analyzers and sinks share one; valid until the call returns, or longer with
 * host->batch_ref.  A column of the second group is NULL when no row has one. */
struct nprof_batch {
  uint32_t size, n_rows;
  uint32_t input, n_attrs;      /* its number, from 0; own attributes of all rows together */
  const int64_t *start, *duration; /* ps from the run's origin; ps, -1: no end in the file */
  const nprof_track *track;
  const nprof_str *name, *category; /* category 0: none                             */
  const uint8_t *kind;          /* NPROF_SPAN ...                                   */

  const double *value;
  const uint8_t *value_valid;   /* bitmap; NULL exactly when value is               */
  const uint64_t *id, *parent, *flow; /* unique within the input; 0: none           */
  const nprof_set *shared;      /* attributes that come before the row's own        */

  const uint32_t *attr_at;      /* n_rows + 1 offsets: own attributes of row i are
                                   attr_at[i] .. attr_at[i + 1]; NULL: none at all  */
  const nprof_str *attr_key;    /* a row's own attribute overrides the shared one   */
  const uint8_t *attr_type;     /* NPROF_INT64 ...                                  */
  const nprof_value *attr_value;
  const char *bytes;            /* what values of type text, json and id128 point to */

  const uint8_t *hidden;        /* bitmap: rows that the user's selection leaves out; NULL: none.
                                   Only analyzers with NPROF_ANALYZER_CONTEXT see such rows */
  /* 0: rows of the input's decoder; k: of the k-th analyzer of the run */
  uint32_t origin, reserved;
};

/* Columns to fill, lent by the core; sdk.h wraps them in nprof_span() and friends.
 * The optional columns come cleared; whoever writes one sets its bit in `present`.
 * Rules: a row is begun only while n_rows < max_rows and some room is left for
 * attributes (else flush first); grow makes more room in the middle of a row. */
enum { NPROF_HAS_VALUE = 1, NPROF_HAS_ID = 2, NPROF_HAS_PARENT = 4, NPROF_HAS_FLOW = 8,
       NPROF_HAS_SHARED = 16 };

struct nprof_writer {
  uint32_t size, present;
  uint32_t n_rows, max_rows;
  uint32_t n_attrs, max_attrs;
  uint32_t n_bytes, max_bytes;
  int64_t *start, *duration;
  nprof_track *track;
  nprof_str *name, *category;
  uint8_t *kind;
  double *value;
  uint8_t *value_valid;
  uint64_t *id, *parent, *flow;
  nprof_set *shared;
  uint32_t *attr_at;            /* attr_at[0] is 0; keep attr_at[n_rows] == n_attrs */
  nprof_str *attr_key;
  uint8_t *attr_type;
  nprof_value *attr_value;
  char *bytes;

  /* Hands the rows on and makes room; may wait for slower stages.  Returns
   * NPROF_CANCELLED when the run ends.  [instance, or the part's own thread] */
  nprof_status (*flush) (struct nprof_writer *writer);
  /* Room for that many more attributes and bytes; the columns may move.  [as flush] */
  nprof_status (*grow) (struct nprof_writer *writer, uint32_t attrs, uint32_t bytes);
};

/* A set of attributes: n keys with their types and values. */
struct nprof_attrs {
  uint32_t size, n;
  const nprof_str *key;
  const uint8_t *type;
  const nprof_value *value;
  const char *bytes;
};

/* -- Tracks ---------------------------------------------------------------- */

enum { /* INPUT is the root of an input, which the core makes */
  NPROF_TRACK_INPUT, NPROF_TRACK_HOST, NPROF_TRACK_PROCESS, NPROF_TRACK_THREAD,
  NPROF_TRACK_DEVICE, NPROF_TRACK_CORE, NPROF_TRACK_ENGINE, NPROF_TRACK_QUEUE,
  NPROF_TRACK_ASYNC, NPROF_TRACK_COUNTER, NPROF_TRACK_DERIVED
};

struct nprof_track_info {
  uint32_t size, kind;
  nprof_track parent;           /* 0 for the root of an input                       */
  uint32_t input;
  nprof_str key, label; /* what identifies it under its parent; what people read, 0: the key */
  int64_t sort;                 /* order among its siblings                         */
  uint32_t number;              /* 1, 2, ... in order of first delivery, ancestors just
                                   before; what outputs print as `track`; 0 until then */
  nprof_track process;          /* nearest process or device, itself included; 0    */
};

/* -- Tables ---------------------------------------------------------------- */

/* What a column is to whoever judges rows (gate, answers); its name means nothing. KEY identifies
 * the row (influx: tags). DOUBT: where it is neither null nor 0, that many events of the row are
 * missing, or (bool) the row was cut. LEVEL, a string, and a key as well: the same time is there
 * once for each level, so only rows of one add up. NOTE: says to people why or by what. */
enum { NPROF_ROLE_VALUE, NPROF_ROLE_KEY, NPROF_ROLE_DOUBT, NPROF_ROLE_LEVEL, NPROF_ROLE_NOTE };

struct nprof_table_column {
  uint32_t size, type;          /* NPROF_INT64 ...                                  */
  const char *name, *unit, *help; /* unit: "ps", "ns", "byte", "1" (ratio 0..1), "" */
  uint32_t role, reserved;      /* NPROF_ROLE_VALUE ...                             */
};

/* The first column is always { NPROF_STRING, "input" }: the input's label.  A third party's table
 * is called vendor.name; names of nprof's own have no dot. */
struct nprof_table {
  uint32_t size, reserved;
  const char *name, *title, *note;
  const struct nprof_table_column *const *columns;
};

/* One cell: type is the column's, or NPROF_NULL: unknown, in a key column none (not of one). Rows
 * of cells are arrays, so it stays 16 bytes by value for ever. */
struct nprof_cell {
  uint32_t type, len;           /* len: of text, json and id128                     */
  union {
    int64_t i;
    uint64_t u;
    double f;
    nprof_str s;
    const char *text;           /* copied by the core                               */
  } v;
};

/* -- Options and attributes: declared once --------------------------------- */

enum {
  NPROF_OPT_INT,    /* int64_t                                                       */
  NPROF_OPT_DOUBLE, /* double                                                        */
  NPROF_OPT_BOOL,   /* uint8_t: yes|no|true|false|1|0                                */
  NPROF_OPT_STRING, /* const char *, valid while the instance lives                  */
  NPROF_OPT_CHOICE, /* int32_t: index into `range`                                   */
  NPROF_OPT_SIZE,   /* uint64_t bytes: 4096, 64k, 32M, 2G (powers of 1024)           */
  NPROF_OPT_PATH,   /* const char *, as STRING: a file or a folder                   */
  NPROF_OPT_SECRET, /* const char *, as STRING: @FILE and $NAME stand for the first line of a file
                       and for a variable; shown nowhere */
  NPROF_OPT_DURATION, /* int64_t ps: 1.5ms, 20us, 3s                                 */
  NPROF_OPT_LIST    /* const char *const *, ends in NULL: words joined by +          */
};

/* The core parses and checks the value, then stores it at `offset` of the
 * instance.  The command line, pipelines, `nprof plugins`, completions and the
 * test of the man pages all read this one declaration. */
struct nprof_option {
  uint32_t size, type;
  const char *name, *help;
  const char *preset, *range; /* the default as text, NULL: option is required; "1..64", "0.0..1.0",
                                   "snappy|zstd|none", NULL: any                     */
  uint32_t offset, reserved;
};

/* An attribute that a component emits.  Each becomes a column of the run.  unit and help
 * are never NULL, but may be "". */
struct nprof_attribute {
  uint32_t size, type;
  const char *key, *unit, *help; /* well-known keys: keys.h                         */
};

/* An attribute that a component reads of some rows only, where giving it to all would cost much.  A
 * decoder that cannot tell those rows apart may give it to more. */
struct nprof_row_want {
  uint32_t size, kinds;         /* bits 1 << NPROF_SPAN ...: of rows of these kinds; 0: of all */
  const char *key, *member; /* of values that are a JSON object with this member; NULL: of all */
};

/* What is known of a device, or of another subtree of tracks: a row of kind fact. */
struct nprof_fact {
  uint32_t size, type;   /* of text, json and id128 (in hex) the value is a string */
  nprof_track track;     /* the row's                                        */
  nprof_str key, source; /* source: the row's category                       */
  uint32_t reserved;
  nprof_value value;
};

/* -- What the core tells about the run ------------------------------------- */

#define NPROF_NO_EPOCH INT64_MIN /* times of this origin are not absolute            */

/* Never changes: a component that needs what came later asks host->input again. */
struct nprof_input_info {
  uint32_t size, number;
  nprof_track root;
  nprof_str label;              /* path below the longest common folder             */
  const char *decoder;
  uint64_t bytes;               /* inflated; 0 until the input's first row is delivered */
  const char *const *properties; /* key, value, ..., ending in NULL; none until the input's
                                    first row, of a table too, is delivered; then all */
  uint32_t profile, modified;   /* which of the profiles of its file it is, from 0; Unix time
                                   in s when that file was last changed, 0: a pipe      */
  const char *file;             /* the name of its file, without folders; NULL: a pipe  */
};

/* Never changes; host->run gives the present one. */
struct nprof_run_info {
  uint32_t size, n_inputs;      /* siblings that a decoder opens count after its last row */
  const char *generator;        /* "nprof 1.0.0"                                    */
  int64_t origin_unix_ns;       /* or NPROF_NO_EPOCH                                */
  int64_t first, last;          /* ps: range of the decoded rows.  Known to components
                                   that asked for an order; else first > last.
                                   Derived rows lie within it                       */
  uint32_t jobs, model;         /* threads that the run may use (-j); NPROF_MODEL of this nprof */
  uint32_t inspect;             /* 1: the user asks about the file itself (nprof info), so that
                                   what describes and checks it is worth its time   */
};

enum { NPROF_TARGET_NONE, NPROF_TARGET_FILE, NPROF_TARGET_FOLDER, NPROF_TARGET_STDOUT };

struct nprof_target {           /* where a sink writes                              */
  uint32_t size, kind;
  const char *name;             /* FILE: its base name, "trace.json.gz"             */
  uint32_t is_terminal, columns; /* columns: width of the terminal, 0 unknown       */
};

/* A file or stdout.  write takes all of it or fails.  close may be left to the
 * core.  Both [the sink's threads, one at a time per output]. */
struct nprof_output {
  uint32_t size, reserved;
  nprof_status (*write) (struct nprof_output *out, const void *data, size_t len);
  nprof_status (*close) (struct nprof_output *out);
};

/* -- The host -------------------------------------------------------------- */

/* What a component may call; one for each instance, and one for each part of a
 * parallel decoding.  Functions marked D, A, S serve decoders, analyzers, sinks;
 * the others serve all. */
struct nprof_host {
  uint32_t size, log_level;     /* look at the level before you format              */
  uint32_t own_input, reserved; /* D: number of the input that it decodes           */

  /* Says something to the user.  msg is copied.  [any-thread] */
  void (*log) (const struct nprof_host *host, int level, const char *msg);

  /* Records why this call fails: copies `why`, puts file and component before it,
   * and returns `status`.  The first cause of an instance counts.  A call that returns NPROF_OK
   * after it has hidden a failure: NPROF_E_CONTRACT.  [instance] */
  nprof_status (*fail) (const struct nprof_host *host, nprof_status status, const char *why);

  /* D: the bytes from..to of the input have been worked through and need not stay
   * in memory.  At least every 8 MB or 100,000 rows.  Returns NPROF_CANCELLED when
   * the run ends.  [any-thread] */
  nprof_status (*progress) (const struct nprof_host *host, uint64_t from, uint64_t to);

  /* Not 0 when the run ends: whoever works or waits long without a flush asks now and then, cleans
   * up and returns NPROF_CANCELLED.  [any-thread] */
  int (*cancelled) (const struct nprof_host *host);

  /* D: a record at byte `at` cannot be read.  Returns NPROF_OK when the run keeps
   * going (it has been counted; write a GAP row), else a failure to return.  [instance] */
  nprof_status (*damage) (const struct nprof_host *host, uint64_t at, const char *what);

  /* D: `what` at byte `at` was understood and passed over; counted by (what,
   * reason) in table `skipped`.  [any-thread] */
  void (*skip) (const struct nprof_host *host, const char *what, uint64_t at, const char *reason);

  /* Text to handle and back.  Same text, same handle; handles have no order.  Text is
   * made valid UTF-8 (U+FFFD for what is not).  Cache by the format's own id: never
   * intern per event.  [any-thread] */
  nprof_str (*intern) (const struct nprof_host *host, const char *text, size_t len);
  const char *(*string) (const struct nprof_host *host, nprof_str str, size_t *len);

  /* D, before the first row, of tables too.  Unix time in ns of time 0, or NPROF_NO_EPOCH (the
   * default).  Absolute times are rebased by the decoder to the first event, rounded
   * down to a second.  [instance] */
  nprof_status (*origin) (const struct nprof_host *host, int64_t unix_ns);

  /* D, before the first row: rank, host, version ... for table `inputs`.  Copied. [instance] */
  nprof_status (*property) (const struct nprof_host *host, const char *key, const char *value);

  /* D, A: the track with this identity (parent, kind, key), made if it is new.  Parent
   * 0: the root of the input; an analyzer names one.  The label is fixed by the first
   * call that gives one.  0 when out of memory; a row of track 0 ends the run.  [any-thread] */
  nprof_track (*track) (const struct nprof_host *host, nprof_track parent, uint32_t kind,
                        nprof_str key, nprof_str label, int64_t sort);
  const struct nprof_track_info *(*track_info) (const struct nprof_host *host, nprof_track track);

  /* D, A: this instance's (or this part's) columns to fill; NULL when out of memory. [instance] */
  struct nprof_writer *(*writer) (const struct nprof_host *host);

  /* D, A: a set that many rows share; the content is copied.  0 when out of memory. */
  /* [any-thread] */
  nprof_set (*attrs) (const struct nprof_host *host, const struct nprof_attrs *attrs);
  /* [any-thread] */
  const struct nprof_attrs *(*attr_set) (const struct nprof_host *host, nprof_set set);

  /* Does any component of this run read attribute `key`?  What nobody wants need not
   * be decoded.  [any-thread] */
  int (*wanted) (const struct nprof_host *host, const char *key);

  /* The attribute columns of the run, in order, ending in NULL.  They do not depend on
   * the data.  `key` may differ from the column's name: a key that equals an earlier
   * column becomes attr_KEY.  [any-thread] */
  const struct nprof_column *const *(*columns) (const struct nprof_host *host);

  /* D, A: rows of a table that the component lists in `tables`.  table announces it (an
   * announced table exists even without rows); row appends, one cell a column, copied.
   * D: rows of one table from several inputs follow each other; two decoders may have one
   * table, when its name and columns are the same in both.  [instance] */
  nprof_status (*table) (const struct nprof_host *host, const struct nprof_table *table);
  nprof_status (*row) (const struct nprof_host *host, const struct nprof_table *table,
                       const struct nprof_cell *cells);

  /* What the run is, and an input of it; NULL beyond the last.  A component sees them as they
   * were when the rows that it has now were delivered, for any number of threads; a decoder, as
   * they were when it began.  Both stay valid until close.  [any-thread] */
  const struct nprof_run_info *(*run) (const struct nprof_host *host);
  const struct nprof_input_info *(*input) (const struct nprof_host *host, uint32_t number);

  /* S: where to write, and files there.  A name has no `/` and no `..`, but that a FOLDER may
   * have folders: `events/rank=0/part-0.parquet`.  NULL is the one file of a sink whose
   * target is FILE or STDOUT; named ones may lie beside a FILE.
   * Files appear under their names when all sinks have finished, or not at all.
   * D: the name is FOLDER/NAME, where FOLDER is what the user gave as an option.
   * NULL: failed, and the cause is recorded.  [instance] */
  const struct nprof_target *(*target) (const struct nprof_host *host);
  struct nprof_output *(*output) (const struct nprof_host *host, const char *name);

  /* D: the other files of the input's folder and the other inputs of the run, by name in
   * byte order; stops when fn returns non-zero.  sibling opens one (inflated, whole,
   * valid until close) and makes it an input of the run, whose attributes get no columns
   * of their own.  Not from a part.  NULL: failed.  [instance] */
  nprof_status (*siblings) (const struct nprof_host *host,
                            int (*fn) (void *user, const char *name), void *user);
  const void *(*sibling) (const struct nprof_host *host, const char *name, uint64_t *len);

  /* Keeps a batch beyond the call that brought it, and lets it go.  Batches are pooled:
   * hold few, not all.  [any-thread] */
  const struct nprof_batch *(*batch_ref) (const struct nprof_host *host,
                                          const struct nprof_batch *batch);
  void (*batch_unref) (const struct nprof_host *host, const struct nprof_batch *batch);

  /* Functions beyond this header, by id; NULL: not here. Those of nprof/draft, whose ids begin with
   * `draft.`, may change in every release; a third party's begin with `vendor.`. [any-thread] */
  const void *(*extension) (const struct nprof_host *host, const char *id);

  /* D, within decode_part: worker_size bytes of the thread; else NULL.  [any-thread] */
  void *worker;

  /* D: the index-th request of the run for attribute `key` of some rows only, beside what `wanted`
   * says, which asks about all rows; NULL beyond the last.  Valid for the run.  [any-thread] */
  const struct nprof_row_want *(*row_want) (const struct nprof_host *host, const char *key,
                                            uint32_t index);

  /* A, S: the fact of that key that holds for a track: its own, or that of its nearest ancestor;
   * the first that was delivered of each. NULL: none. All facts of the run are there for analyzers
   * of any order but INPUT, and for everybody from finish on. Valid for the run. [any-thread] */
  const struct nprof_fact *(*fact) (const struct nprof_host *host, nprof_track track,
                                    nprof_str key);

  /* D within plan, A within finish: calls fn for 0 .. n - 1, from as many threads as the run may
   * use (-j); returns when all have returned. fn calls nothing of the host that is not
   * [any-thread], and what it leaves must not depend on the order. Returns the status of the lowest
   * number that failed (later ones may be left out; say why with fail afterwards), NPROF_CANCELLED
   * when the run ends. [instance] */
  nprof_status (*parallel) (const struct nprof_host *host, uint32_t n,
                            nprof_status (*fn) (void *user, uint32_t number), void *user);
};

/* A column of the run that holds an attribute. */
struct nprof_column {
  uint32_t size, type;
  nprof_str key;                /* the attribute's key                              */
  uint32_t reserved;
  const char *name, *unit, *help; /* of the column                                  */
};

/* -- Components ------------------------------------------------------------ */

enum { NPROF_DECODER, NPROF_ANALYZER, NPROF_SINK };

/* In which order rows are delivered.  The decoded rows are ordered as one stream,
 * the rows that each analyzer adds as another behind it. */
enum {
  NPROF_ORDER_INPUT, /* as decoded                                                   */
  NPROF_ORDER_TRACK, /* track by track (in order of first delivery); within a track by
                        start ascending, duration descending (-1 last), then as decoded */
  NPROF_ORDER_TIME,  /* by start ascending, duration descending, then as decoded     */
  NPROF_ORDER_DEVICE /* the rows of each device (of all tracks below it) as in the order of time;
                        those of no device by start, then as decoded, and before rows of devices
                        that start later or at once. Where one of no device follows one of a device,
                        no row to come starts before the earlier ones of no device. Nothing else is
                        said of rows of different devices */
};

enum { /* flags of a sink; none: it writes no files (a server, say) */
  NPROF_SINK_FILE = 1,   /* writes one file, named default_name in a folder          */
  NPROF_SINK_FOLDER = 2, /* writes files into a folder.  With FILE: whichever the user names,
                            a file by the ending of default_name                     */
  NPROF_SINK_STDOUT = 4  /* can write to stdout                                      */
};

enum { /* flags of an analyzer */
  NPROF_ANALYZER_NO_LINKS = 1, /* reads neither id, parent nor flow: they may be missing from rows
                                  that are put in an order, which is less work               */
  NPROF_ANALYZER_CONTEXT = 2,  /* is also given the rows that the selection leaves out, marked in
                                  the batch's bitmap `hidden`: a selection shows less, but must not
                                  change what is said of the rows that it shows. Tracks of hidden
                                  rows alone have the number 0, so such an analyzer cannot ask for
                                  NPROF_ORDER_TRACK */
  NPROF_ANALYZER_NO_ROWS = 4,  /* adds no rows, so those behind it need not wait for them: their
                                  finish may run beside its own, on another thread. host->writer
                                  fails */
  NPROF_ANALYZER_ANSWERS = 8   /* reads tables alone (consume is NULL) and adds tables alone: is
                                  given all that it wants, the core's own and those of every
                                  analyzer too, ends after all others, and what it adds goes to the
                                  sinks and to those behind it with this flag */
};

/* A flag of a decoder: a profile is several files, and what it opens by sibling belongs to the same
 * profile, and becomes no input of the run. */
enum { NPROF_DECODER_FOLDER = 1 };

struct nprof_declaration;

struct nprof_component {
  uint32_t size, kind;
  const char *name;             /* [a-z0-9-]+, what people type; a third party's is vendor.name.
                                   Vendors nprof, draft and team are taken, and names that begin
                                   with report- */
  const char *summary, *formats; /* one line; D: the formats and versions it reads, else NULL */
  const struct nprof_option *const *options;       /* NULL: none                     */
  const struct nprof_attribute *const *attributes; /* D, A: what it emits            */
  const struct nprof_table *const *tables;         /* D, A: what it emits            */
  const char *const *wants;     /* keys that it reads, ends in NULL; "*" is all      */
  uint32_t order, flags;        /* A, S: NPROF_ORDER_INPUT ..., unless order_option names an option;
                                   those of its kind, NPROF_SINK_FILE ...             */
  const char *default_name;     /* S: "trace.json"                                  */
  uint32_t instance_size, part_size; /* at least 1; D: bytes of state a part, may be 0 */

  /* D: how sure is it that this is its format?  0 not at all, 20 by name alone,
   * 40 a generic container, 60 by structure, 90 an own dialect, 100 certain. head: the first 64 KiB
   * (or all) after inflation, JSON that nobody knows up to 16 MiB; size: 0 unknown. Pure.
   * [any-thread] */
  int (*probe) (const void *head, size_t len, uint64_t size, const char *path);

  nprof_status (*open) (void *self, const struct nprof_host *host); /* [instance] */

  /* D: the whole input as memory, valid until close; aligned to nothing, so numbers are copied
   * out of it, and with no byte behind its end.  Either decode, or plan and
   * decode_part, with join where something crosses parts. */
  nprof_status (*decode) (void *self, const void *data, uint64_t len); /* [instance] */

  /* D: decoding on several threads.  plan indexes the input and cuts it by its content
   * alone, so that the parts are the same for any number of threads.  decode_part reads
   * what plan made, and writes only to `part` (part_size bytes, cleared) and through
   * `host`, its own; parts run in any order and at the same time; their rows are
   * delivered in order.  join follows for each part in order, may add rows behind that
   * part's, and frees what the state holds; after a failure or cancellation it is still
   * called for each part that was begun, with `failed` set, and only frees. */
  /* [instance] */
  nprof_status (*plan) (void *self, const void *data, uint64_t len, uint32_t *n_parts);
  nprof_status (*decode_part) (void *self, uint32_t number, void *part,
                               const struct nprof_host *host); /* [any-thread] */
  nprof_status (*join) (void *self, uint32_t number, void *part, int failed); /* [instance] */

  /* A, S: rows.  A: in order to add rows and tables, use the host's. [instance] */
  nprof_status (*consume) (void *self, const struct nprof_batch *batch);
  /* A, S: n_rows rows of a table, one after the other.  A table is announced with 0 rows;
   * tables may come between batches; all come before finish.  Text is valid until the
   * call returns.  [instance] */
  nprof_status (*table) (void *self, const struct nprof_table *table,
                         const struct nprof_cell *cells, uint32_t n_rows);

  /* No more input: totals, last rows.  S: another sink may still fail afterwards; then the
   * core undoes files, and nothing else.  [instance] */
  nprof_status (*finish) (void *self);
  void (*abort) (void *self);          /* S: instead of finish, when the run failed  [instance] */
  void (*close) (void *self);          /* frees; once, whenever open was called  [instance] */

  /* A, optional, both or neither: the state of an instance as bytes, so that profiles of many
   * ranks can be taken together.  save comes after the last row, instead of finish.  merge takes
   * such a state into an instance that was opened and has seen no row and no table, any number
   * of times; then comes save again, or finish, which writes the tables of all.
   * Taking together is associative and free of order: the same states give the same bytes, however
   * they are grouped, and the state of no rows changes nothing.  So a state holds integers and
   * text, nothing that was rounded, in one order of its own, and begins with its version.  merge
   * checks every length: a state that was cut, or is of a version that it does not know, is
   * NPROF_E_FORMAT, said with fail.  [instance] */
  nprof_status (*save) (void *self, struct nprof_output *out);
  nprof_status (*merge) (void *self, const void *data, size_t len);

  /* A of any order but INPUT, optional: which of the rows, as decoded, it needs: sets bit i & 7
   * of rows[i >> 3] for row i, and clears none.  Rows that nobody needs are not put in order,
   * which costs more than decoding them; consume may still be given rows that it did not
   * choose.  Facts and labels of tracks may come later: choose by what does not change, as
   * kinds of tracks, categories and keys.  [instance] */
  nprof_status (*choose) (void *self, const struct nprof_batch *batch, uint8_t *rows);

  /* A, S, optional: the name of an option of type CHOICE that says the order instead of `order`.
   * Its choices are among "input", "track", "time" and "device". */
  const char *order_option;

  /* D, optional: bytes that a thread keeps from part to part of an input, cleared when it begins
   * and lent as host->worker to decode_part; no two parts use them at the same time.  They are for
   * what is dear to learn anew, as handles of names, and what they hold must be bounded.  Which
   * parts share them is open, so no row depends on them.  worker_close frees what they hold, once,
   * when the thread has decoded its last part.  [any-thread] */
  uint32_t worker_size, reserved;
  void (*worker_close) (void *self, void *worker);

  /* D, optional: what the input's own content declares, for formats that name their columns
   * themselves: a draft, nprof/draft/declare.h. After open, of an instance that may be closed then
   * without decoding; another decodes. Of the host it may call log, fail, intern, string, input,
   * siblings and sibling. `out` comes cleared. [instance] */
  nprof_status (*declare) (void *self, const void *data, uint64_t len,
                           struct nprof_declaration *out);

  /* Optional: keys that it reads of some rows only, beside `wants`; ends in NULL. */
  const struct nprof_row_want *const *row_wants;

  /* A, optional: names of the tables that it reads; ends in NULL. It is given no others, and need
   * not wait for analyzers before it that make others. NULL: all, where it has `table`. Whoever
   * makes a table of this list takes part in the run, before it; where nobody can, the run fails
   * with its name. A `?` behind a name: what is there anyway is read, and may be absent. */
  const char *const *table_wants;
};

struct nprof_plugin {
  uint32_t size, contract;      /* NPROF_CONTRACT                                   */
  const char *name, *version, *license, *homepage;
  const struct nprof_component *const *components; /* ends in NULL                   */
  uint32_t least, reserved;     /* the least contract that it works with; 0: `contract`.  An nprof
                                   that has an earlier one says so and does not use it   */
  const char *const *needs;     /* ids of extensions without which it cannot work, ends in NULL */
};

#define NPROF_EXPORT __attribute__ ((visibility ("default")))

/* The one symbol: pure, returns constant data.  [any-thread] */
NPROF_EXPORT const struct nprof_plugin *nprof_plugin_v1 (void);

/* Writes nprof_plugin_v1() and what it returns, once in a plugin:
 *   NPROF_PLUGIN ("name", "1.0", "MIT", &my_decoder, &my_sink)
 * name, version and license are constant text; the components are addresses of constants. */
#define NPROF_PLUGIN(name_, version_, license_, ...)                                            \
  static const struct nprof_component *const nprof_plugin_components[] = { __VA_ARGS__, NULL }; \
  static const struct nprof_plugin nprof_plugin_self                                            \
      = { sizeof (struct nprof_plugin), NPROF_CONTRACT, name_, version_, license_, "",          \
          nprof_plugin_components, 0, 0, NULL };                                                \
  const struct nprof_plugin *nprof_plugin_v1 (void) { return &nprof_plugin_self; }

#ifdef __cplusplus
}
#endif
#endif
