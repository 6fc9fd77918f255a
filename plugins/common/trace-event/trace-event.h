/* SPDX-License-Identifier: Apache-2.0 */
/* trace-event.h - what the files of this decoder share: what plan learns of a trace, the state of a
 * part, and the functions that turn events into rows.  Pointers go into the input. */
#pragma once

#include "json/scan.h"

#include <glib.h>
#include <nprof/keys.h>
#include <nprof/sdk.h>

#define CH_REPORT (8u << 20)    /* bytes between two calls of progress in plan      */
#define CH_NOTE (256u << 10) /* looked through for steps and arrows while they are in the caches */
#define CH_MOST_NOTED (1u << 20) /* found there; the rest is skipped             */
#define CH_REPORT_ROWS 50000u   /* rows between two calls of progress               */
#define CH_LONGEST_PROPERTY 256 /* longer values at the top level are no properties */
#define CH_US_PER_S 1000000

/* -- Names --------------------------------------------------------------------- */

typedef struct {
  const char *text; /* as in the file, with escapes; NULL: free slot */
  uint32_t hash, len;
  nprof_str str;
} ChName;

/* These are texts that were met already, by their bytes. */
typedef struct {
  const struct nprof_host *host;
  ChName *slots;
  size_t n, n_slots;
  size_t bytes; /* of texts           */
  GStringChunk *texts; /* that the core has in another form */
} ChNames;

void ch_names_init (ChNames *names, const struct nprof_host *host);
void ch_names_clear (ChNames *names);
nprof_str ch_name (ChNames *names, const TeValue *text);
uint64_t ch_hash (uint64_t seed, const char *p, size_t len);

/* As memcmp, without a call for most names and categories, which have 4 to 16 bytes. */
static inline bool
ch_same_bytes (const char *a, const char *b, size_t len)
{
  if (len < 4 || len > 16)
    return memcmp (a, b, len) == 0;
  uint64_t a0 = 0, a1 = 0, b0 = 0, b1 = 0; /* both ends, which may overlap */
  if (len < 8) {
    memcpy (&a0, a, 4);
    memcpy (&b0, b, 4);
    memcpy (&a1, a + len - 4, 4);
    memcpy (&b1, b + len - 4, 4);
  } else {
    memcpy (&a0, a, 8);
    memcpy (&b0, b, 8);
    memcpy (&a1, a + len - 8, 8);
    memcpy (&b1, b + len - 8, 8);
  }
  return a0 == b0 && a1 == b1;
}

/* -- Threads --------------------------------------------------------------------- */

/* An id is a pid, tid or id: texts of digits are numbers. */
enum { CH_NO_ID, CH_NUMBER, CH_TEXT_ID };
typedef struct {
  int64_t v; /* number, or an nprof_str */
  uint8_t kind;
} ChId;

static inline bool
ch_same_id (ChId a, ChId b)
{
  return a.kind == b.kind && a.v == b.v;
}

/* This is what metadata says of a process (tid: CH_NO_ID) or thread. */
typedef struct ChLabel {
  ChId pid, tid;
  nprof_str name, labels;
  nprof_str device; /* the name or label that names a device; labels is another one */
  bool shared;      /* another process has the same name and labels             */
  bool ranked;      /* metadata of this pid says a rank                         */
  bool several;     /* it says more than one: the process is parted by them     */
  int64_t rank;     /* the last one                                             */
  const struct ChLabel *whole; /* of the process of a rank: the label of its pid */
  int64_t sort;
  /* These are said by a trace that nprof wrote. */
  uint32_t kind;            /* NPROF_TRACK_...; 0: it does not say               */
  int64_t parent, lane_of;  /* numbers of other tracks; 0: none                  */
  nprof_str key;            /* of the original's track; 0: it does not say       */
} ChLabel;

/* It is small, as a trace may have 100,000 and each event looks for one. */
typedef struct {
  int64_t pid, tid;            /* as ChId.v */
  uint32_t apart; /* tells events of one pid and tid apart that ran in different places */
  nprof_track process, thread; /* where the one is missing: the other */
  uint8_t pid_kind, tid_kind;  /* as ChId.kind */
  uint32_t after; /* place in the list of the thread that came behind it the last time */
  bool used, line; /* line: of XLA's operators, which have their category in args */
} ChThread;

static inline ChId
ch_pid_of (const ChThread *thread)
{
  return (ChId){ thread->pid, thread->pid_kind };
}

static inline ChId
ch_tid_of (const ChThread *thread)
{
  return (ChId){ thread->tid, thread->tid_kind };
}

typedef struct {
  ChThread *list; /* as they came */
  uint32_t n, room;
  uint32_t *slots; /* by their numbers: 1 + the place in the list; 0: free */
  size_t n_slots;
  ChThread *last;
} ChThreads;

/* A thread keeps these from part to part: handles of the run, learnt once. */
typedef struct {
  ChNames names;
  ChThreads threads;
  TeShapes *shapes, *arg_shapes; /* of events and of their args */
  TeShapes *device_shapes;       /* of args that are asked for their device; NULL: none was */
} ChWorker;

/* -- Parts --------------------------------------------------------------------------- */

typedef struct ChSteps ChSteps;
typedef struct ChGraphs ChGraphs;
typedef struct ChQueues ChQueues;

typedef enum { CH_BY_LABEL, CH_HOST, CH_DEVICE } ChSide;

typedef struct { /* events that plan has read: metadata */
  const char *from, *to;
} ChRange;

/* This is a begin or end that is matched when all are known. */
typedef struct {
  int64_t start;
  uint64_t at;  /* byte in the input, times 2, plus 1 for an end */
  uint64_t key; /* what both have in common */
} ChHalf; /* a begin or an end of a span, which join puts together */

typedef struct {
  const char *key; /* in args */
  const char *attribute;
  uint8_t type;
  bool own; /* only of traces that nprof wrote */
} ChArg;

#define CH_COLLECTIVE_ARGS 23 /* members of the args of collectives that become attributes */
#define CH_ALLOCATOR_ARGS 14  /* the same, of rows of XLA's allocators */

typedef struct { /* what a trace that nprof wrote says of itself */
  bool is;
  int64_t origin_ns; /* of time 0 in Unix time, or NPROF_NO_EPOCH */
  int64_t zero;      /* ps: where ts 0 is                         */
  TeValue facts;
} ChOwn;

/* This is a request for args of some rows: struct nprof_row_want as a decoder looks for it. */
typedef struct {
  uint32_t kinds;  /* bits 1 << NPROF_SPAN ... */
  TePairs pairs;   /* of the member's name     */
  char member[64]; /* in its quotes; "": args of all rows of these kinds */
  size_t len;
} ChArgsOf;

typedef struct ChPart ChPart;

/* What is known of missing events when some parts are joined. */
typedef struct {
  bool has_start, behind; /* behind: something follows the end of the document */
  bool cut_off;           /* the file ends before its events do                */
  int64_t last_start, latest_start;
  uint64_t n; /* places before the first start */
} ChLosses;

typedef struct Chrome {
  int32_t scan; /* options                                       */
  const char *const *eager; /* names of companions: graphs/companions.c */
  const char *annotations; /* of nodes of graphs; "": none */
  bool companions; /* those that lie beside the file are read */
  uint64_t part_bytes;
  const struct nprof_host *host;
  const TeScanner *scanner;
  const char *data, *end;          /* the input                                     */
  const char *events, *events_end; /* within the array                            */
  bool closed;                     /* the array ends in ]                           */
  bool object;                     /* the file is an object, not an array           */
  bool has_first;
  TeTime first; /* time of the first event                       */
  int64_t zero; /* us: time 0 of the rows                        */
  bool has_base;
  int64_t base;        /* baseTimeNanoseconds                           */
  TeValue device_list; /* deviceProperties                              */
  const char *behind;  /* what follows the end of the document; NULL: nothing */
  TeControls controls; /* of all parts and of metadata */
  ChLosses losses;
  ChOwn own;
  GArray *metas;           /* of ChRange                                    */
  GPtrArray *parts;        /* of const char *: where each begins, and the end */
  GHashTable *labels;      /* of ChLabel                                    */
  bool by_rank;            /* a pid is that of several ranks: ranks.c       */
  ChQueues *queues;        /* NULL: labels tell devices */
  GHashTable *properties;  /* names of those that were given                */
  GArray *slices, *asyncs; /* of ChHalf                                     */
  ChNames names;           /* of plan and join                              */
  ChSteps *steps;          /* NULL: nobody asks                             */
  ChGraphs *graphs;        /* NULL: nobody asks, or nothing launches graphs */
  gint has_graphs;         /* 1: a call that launches one is named          */
  /* Adds what it finds in from..to, some bytes before `from` included; from any thread. NULL:
   * nothing is looked for. */
  void (*note) (struct Chrome *c, const char *from, const char *to, GPtrArray *found);
  const char *arrow; /* the first mention of Kineto's arrows behind events; NULL: none */
  GPtrArray *noted; /* all that it found, of const char, in the order of the file */
  /* Returns what a span is called that is a step, 0: it is none; any thread.  NULL: none is. */
  nprof_str (*step_name) (ChPart *part, const TeEvent *event);
  /* Says more of the row that was just begun, by the words of one producer; any thread.  NULL:
   * there is no more. */
  nprof_status (*dress) (ChPart *part, const TeEvent *event);
  GPtrArray *runs; /* of const char: runs of ONNX Runtime; NULL: it is no profile of its */
  struct ChUnitrace *unitrace; /* NULL: Intel's unitrace did not write it */
  const struct nprof_input_info *input;
  /* attributes */
  nprof_str key_phase, key_async_id, key_args, key_end_args, key_fields, key_flow_phase, key_value,
      key_step, key_text, key_shape, key_launch, key_layer, key_source;
  nprof_str flow_begin, flow_step, flow_end, unreadable;
  bool want_phase, want_async_id, want_args, want_end_args, want_fields, want_text, want_any,
      want_source;
  bool want_launch; /* where ranks share correlations */
  nprof_str arg_key[TE_MOST_KEYS]; /* 0: not wanted; as ch_args                   */
  bool want_arg, want_collective, want_shapes;
  nprof_str collective_key[CH_COLLECTIVE_ARGS]; /* the same, as ch_collective_args */
  bool want_allocator;
  nprof_str allocator_key[CH_ALLOCATOR_ARGS]; /* 0: not wanted */
  ChArgsOf args_of[4]; /* the first n_args_of are asked for    */
  unsigned n_args_of;
  TeKeys arg_keys; /* those of ch_args that are wanted, by their places there */
  TeKeys device_key; /* the member device */
} Chrome;

/* These are lists of arguments that were read; p lies in the input, NULL: free. */
typedef struct {
  const char *p;
  size_t len;
  uint64_t hash;
  nprof_str shape;
} ChShape;
#define CH_SHAPES 512

/* A category that was met; its text lies in the input, len 0: free. */
typedef struct {
  TeValue text;
  nprof_str str;
  ChSide side;
} ChCategory;

/* This keeps what the last lookup of a process in the metadata answered; used false: free. */
typedef struct {
  ChId pid;
  const ChLabel *label; /* NULL: nothing */
  bool used;
} ChProcess;

struct ChPart {
  Chrome *c;
  const struct nprof_host *host;
  struct nprof_writer *w;
  TeScan scan;
  TeControls controls;
  TeShapes *arg_shapes; /* of args, where some of their members are wanted; both of the worker */
  TeShapes **device_shapes; /* of the worker, made when they are needed */
  ChNames *names;     /* of the worker */
  ChThreads *threads; /* of the worker */
  ChCategory categories[64];
  const ChCategory *category; /* the last that was asked for                    */
  const char *category_at;    /* where its text stands in the event; NULL: none */
  ChProcess processes[16];
  ChId asked_pid, asked_tid; /* the last thread that queues.c told of, if any: has_asked  */
  bool has_asked, asked_has_work;
  GArray *slices, *asyncs; /* of ChHalf                                     */
  bool has_start, cut_off; /* an event with a start was read; the file ends within an event */
  int64_t first_start, last_start, latest_start; /* first, last: in the order of the file */
  uint64_t n_lost; /* places before the first start where events are missing */
  uint64_t correlation; /* of the event, where somebody wants steps; 0: none */
  ChShape *shapes; /* CH_SHAPES of them, in shapes.c; NULL: none was asked for */
  /* by handle of a name: is it a product, in shapes.c; NULL: none was asked for */
  GByteArray *products;
  uint32_t unreported; /* rows                                          */
  const char *reported;
};

#define ch_at(c, p) ((uint64_t) ((p) - (c)->data))

/* head.c reads what stands around the events. */
nprof_status ch_head (Chrome *c);
nprof_status ch_tail (Chrome *c, const char *p);
bool ch_tail_is_good (const Chrome *c, const char *p);
nprof_status ch_facts (Chrome *c);
nprof_status ch_report_behind (Chrome *c); /* after ch_tail */

/* own.c reads traces that nprof wrote.  `other` is the object otherData; false: another program
 * wrote it. */
bool ch_own (Chrome *c, const TeValue *other);
/* Return times of the original, where the event states them. false: beyond what times can say.  For
 * traces that nprof wrote (c->own.is). */
bool ch_own_start (const Chrome *c, const TeEvent *event, int64_t *start);
void ch_own_duration (const Chrome *c, const TeEvent *event, int64_t start, int64_t *duration);
nprof_status ch_own_facts (Chrome *c);
/* Reads kind, key, parent and lane_of of metadata that names a process or thread. */
void ch_own_naming (Chrome *c, const TeEvent *event, ChLabel *label);
/* Returns what such a trace says of a process (tid: none) or thread; NULL: nothing, or another
 * program wrote it. */
const ChLabel *ch_stated_label (const Chrome *c, ChId pid, ChId tid);

static inline const ChLabel *
ch_own_label (const Chrome *c, ChId pid, ChId tid)
{
  return c->own.is ? ch_stated_label (c, pid, tid) : NULL;
}

/* origin.c: settles the first event and time 0, and tells the host, when the parts are known.
 * scan has shapes. */
nprof_status ch_origin (Chrome *c, TeScan *scan);

/* plan.c: returns the { of the event that p is in, outside of its strings; NULL: not between floor
 * and p. */
const char *ch_event_start (const char *p, const char *floor);
/* The same where p is in its args, outside of their strings and of objects in them. */
const char *ch_event_start_of_arg (const char *p, const char *floor);

/* labels.c keeps names of processes and threads. */
void ch_labels_init (Chrome *c);
void ch_label (Chrome *c, const TeEvent *event);
bool ch_is_label (const TeEvent *event);
/* Marks processes whose name and labels are those of another one, when all have been read. */
void ch_labels_compare (Chrome *c);
const ChLabel *ch_label_of (const Chrome *c, ChId pid, ChId tid);
/* The same of a process; remembers what was asked last. */
const ChLabel *ch_process_label (ChPart *part, ChId pid);
/* Hashes pid and tid alone. */
guint ch_label_hash (gconstpointer label);
gboolean ch_label_equal (gconstpointer a, gconstpointer b);

/* Finds the member of an object with that key; false: there is none, or `object` is none. */
bool ch_member (const TeScanner *scanner, const TeValue *object, const char *key, TeValue *value);
/* Finds the same in an event's args. */
bool ch_member_of_args (const TeScanner *scanner, const TeEvent *event, const char *key,
                        TeValue *value);

/* sides.c: returns where an event ran, as its category says; else the labels of its process and
 * thread. */
ChSide ch_side (ChPart *part, const TeEvent *event);
nprof_str ch_category (ChPart *part, const TeEvent *event); /* 0: none */
bool ch_names_device (const char *text);
ChSide ch_side_of_category (const TeValue *category);

/* queues.c of decoder chrome: the labels decide for events without such a category; where no device
 * has any, the work that is on a thread does. begin: when plan is done. */
void ch_queues_begin (Chrome *c);
/* Before that: looks through a piece of the file for what queues ask; from any thread, in any
 * order. */
void ch_queues_note (Chrome *c, const char *from, const char *to);
void ch_queues_free (ChQueues *queues);
bool ch_labelled_device (ChPart *part, const TeEvent *event, ChId pid, ChId tid);
/* Work of a device was met on that thread. */
void ch_queue_met (ChPart *part, const TeEvent *event, ChId pid, ChId tid);

/* steps.c finds annotated steps: begin before plan, find after it. compare_places is of pointers to
 * places in the file, for sorting and bsearch. */
int ch_compare_places (gconstpointer a, gconstpointer b);
void ch_steps_begin (Chrome *c);
nprof_status ch_steps_find (Chrome *c);
/* Sets the step of its launch, or that it begins in; false: none. */
bool ch_step_of (ChPart *part, const TeEvent *event, int64_t start, int64_t *number);
void ch_steps_free (ChSteps *steps);

/* onnxruntime.c of decoder chrome: begin before plan; note while the file is indexed, from any
 * thread; take each event that was noted, in the order of the file. run: returns whether the event
 * is a run of the model, and its number. */
void ch_onnx_begin (Chrome *c);
void ch_onnx_note (const Chrome *c, const char *from, const char *to, GPtrArray *found);
void ch_onnx_take (Chrome *c, const TeEvent *event);
bool ch_onnx_run (const Chrome *c, const TeEvent *event, int64_t *number);

/* unitrace.c of decoder chrome: begin before plan; find when the events are known. */
void ch_unitrace_begin (Chrome *c);
nprof_status ch_unitrace_find (Chrome *c);
void ch_unitrace_free (Chrome *c);

/* calls.c finds calls of runtimes and drivers that have a correlation, in the order of the file. */
typedef void (*ChCallFn) (Chrome *c, const TeEvent *event, uint64_t correlation);
void ch_calls_find (Chrome *c, TeScan *scan, ChCallFn call);
/* The same of all events with a correlation_id, as xprof calls it, which has no categories. */
void ch_calls_find_by_id (Chrome *c, TeScan *scan, ChCallFn call);

/* Returns the correlation of args; 0: none. */
uint64_t ch_correlation (const TeValue *args);

/* graphs/graphs.c, of the decoder chrome, joins replays of graphs with their captures: note while
 * the file is indexed, from any thread; find after it. attrs adds to the row that was just
 * begun. */
void ch_graphs_note (Chrome *c, const char *from, const char *to);
nprof_status ch_graphs_find (Chrome *c);
nprof_status ch_graph_attrs (ChPart *part, const TeEvent *event);
void ch_graphs_free (ChGraphs *graphs);

/* args.c: reads a whole number, also in quotes or as 7.0; ids have all 64 bits, 0 is none. */
bool ch_arg_number (const TeValue *value, int64_t *number);
uint64_t ch_arg_id (const TeValue *value);

/* tracks.c */
ChId ch_unusual_id (ChNames *names, const TeEvent *event, unsigned field);

static inline ChId
ch_id (ChNames *names, const TeEvent *event, unsigned field)
{
  const TeValue *v = &event->value[field];
  return te_has (event, field) && v->kind == TE_INT ? (ChId){ v->i, CH_NUMBER }
                                                    : ch_unusual_id (names, event, field);
}

/* ranks.c: returns the rank that args of an event say; false: none. */
bool ch_rank_of (const TeScanner *scanner, const TeEvent *event, int64_t *rank);
/* Returns the id by which the process of a rank is known where several ranks have its pid. */
ChId ch_ranked_id (ChNames *names, ChId pid, int64_t rank);
/* Returns the id of an event's process; its pid where that is the pid of one process alone. */
ChId ch_pid (const Chrome *c, ChNames *names, const TeEvent *event);
/* Says by which ranks the input was parted, once all metadata is read: property merged_ranks. */
nprof_status ch_ranks_tell (Chrome *c);
/* Returns what joins a call and its work, which is the correlation but where ranks share it. */
uint64_t ch_launch_of (const Chrome *c, const TeEvent *event, uint64_t correlation);

/* Is the word or text a whole number, as 7.0 is?  A text of digits alone is left to te_int. */
bool ch_whole_number (const TeValue *v, int64_t *i);
nprof_str ch_id_text (const struct nprof_host *host, ChId id);
/* Returns the text with the number behind it; `before` has at most 32 bytes. */
nprof_str ch_number_text (const struct nprof_host *host, const char *before, int64_t number);
/* Returns the device of this number. */
nprof_track ch_device (const Chrome *c, const struct nprof_host *host, int64_t number);
/* Returns the track that a trace of nprof itself gave this pid and tid (none: that of the process);
 * 0: no memory, or nothing is said of it. */
nprof_track ch_own_track (const Chrome *c, const struct nprof_host *host, ChId pid, ChId tid);
ChThread *ch_thread (ChPart *part, const TeEvent *event); /* NULL: no memory */

/* threads.c: returns the slot of a thread; one that is not used yet gets its tracks, then made. */
ChThread *ch_thread_slot (ChThreads *threads, ChId pid, ChId tid, uint32_t apart);
ChThread *ch_thread_made (ChThreads *threads, ChThread *thread);
nprof_track ch_async_track (ChPart *part, const TeEvent *event, nprof_str category);
nprof_track ch_counter_track (ChPart *part, const TeEvent *event, nprof_str name);

/* part.c */
/* `worker` outlives the part and keeps what the part learns of names and threads. */
nprof_status ch_part_init (ChPart *part, Chrome *c, const struct nprof_host *host,
                           ChWorker *worker);
void ch_part_clear (ChPart *part);
void ch_worker_close (void *self, void *worker); /* as the contract's worker_close */
nprof_status ch_part_report (ChPart *part, const char *p);

/* Reports from time to time that all before p was read. */
static inline nprof_status
ch_part_progress (ChPart *part, const char *p)
{
  bool due = part->unreported >= CH_REPORT_ROWS || p - part->reported >= CH_REPORT;
  return due ? ch_part_report (part, p) : NPROF_OK;
}

nprof_status ch_part_decode (ChPart *part, uint32_t number);
/* Returns the next event behind something that is broken, or end. */
/* Counts the control bytes of a part or of metadata, and says all that were counted. */
void ch_take_controls (Chrome *c, const TeControls *controls);
void ch_say_controls (const Chrome *c);
/* Adds JSON as an attribute, with the control bytes of its strings as JSON writes them. */
nprof_status ch_attr_json (ChPart *part, nprof_str key, const char *json, size_t len);
/* Adds the args of the event, where it has any, as they stand. */
nprof_status ch_attr_args (ChPart *part, nprof_str key, const TeEvent *event);
const char *ch_resync (TeScan *scan, const char *p, const char *end);

/* event.c */
/* no status of the contract: the event was damaged, and the run keeps going */
#define CH_PASSED_OVER 1
nprof_status ch_event (ChPart *part, const TeEvent *event);
nprof_status ch_damage (ChPart *part, const char *at, const char *what);
nprof_str ch_text (ChPart *part, const TeEvent *event, unsigned field);
nprof_status ch_begin_row (ChPart *part, uint8_t kind, nprof_track track, nprof_str name,
                           int64_t start, int64_t duration, const TeEvent *event,
                           const TeEvent *end);
uint64_t ch_async_key (ChPart *part, const TeEvent *event, uint64_t family);
nprof_status ch_start (ChPart *part, const TeEvent *event, int64_t *start);

/* counter.c, flow.c, args.c, pairs.c */
nprof_status ch_counter (ChPart *part, const TeEvent *event, int64_t start);
nprof_status ch_flow (ChPart *part, const TeEvent *event, int64_t start);
nprof_status ch_bound_flow (ChPart *part, const TeEvent *event, int64_t start);
extern const ChArg ch_args[];
void ch_wants (Chrome *c);
/* Returns whether the row that was begun has it already. */
bool ch_has_attr (const struct nprof_writer *w, nprof_str key);

/* collective.c of the decoder reads what else the args of a collective say. true: a component wants
 * it. */
extern const ChArg ch_collective_args[CH_COLLECTIVE_ARGS];
bool ch_collective_wants (Chrome *c);
/* Returns the key of an attribute of collectives; 0: nobody wants it. */
nprof_str ch_collective_key (const Chrome *c, const char *attribute);
/* no args of its own say so */
bool ch_may_be_collective (const ChPart *part, const TeEvent *event);
nprof_status ch_collective (ChPart *part, const TeEvent *event);
/* shapes.c reads what the arguments of PyTorch's calls say of a collective. */
#define TORCH_COMMS "record_param_comms"
nprof_status ch_collective_arguments (ChPart *part, const TeEvent *event);

/* allocator.c, of the decoder chrome, reads rows of XLA's allocators in a trace of nprof's own. */
void ch_allocator_want (Chrome *c);
nprof_status ch_allocator (ChPart *part, const TeEvent *event);

/* shapes.c, of the decoder chrome, reads shapes of the arguments of operators that multiply
 * matrices. */
void ch_shapes_want (Chrome *c);
nprof_status ch_shape (ChPart *part, const TeEvent *event);
/* Returns the text of the arguments that `args` of any operator lists; 0: it lists none. */
nprof_str ch_arguments (const Chrome *c, ChNames *names, const TeValue *args);

/* life.c begins and ends an instance; begin is called when the input is there.  Rows that the file
 * puts on no thread go to the root of its input. */
void ch_open (Chrome *c, const struct nprof_host *host, const TeScanner *scanner);
void ch_close (Chrome *c);
void ch_begin (Chrome *c, const void *data, uint64_t len);
/* Takes what a part has found, when it is joined: halves of pairs, and missing events. */
nprof_status ch_take_part (Chrome *c, const ChPart *part, bool is_last);

/* losses.c */
/* Notes the start of an event that was read. */
void ch_started (ChPart *part, int64_t start);
/* Notes a place where events are missing. */
nprof_status ch_lost (ChPart *part);
/* When a part is joined: writes rows of kind gap that need the starts of other parts. */
nprof_status ch_take_losses (Chrome *c, const ChPart *part, bool is_last);

nprof_status ch_attrs (ChPart *part, const TeEvent *event, const TeEvent *end);
nprof_status ch_pairs (Chrome *c);

/* probe.c */
int ch_probe (const void *head, size_t len, uint64_t size, const char *path);
