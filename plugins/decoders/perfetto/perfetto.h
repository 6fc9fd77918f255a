/* SPDX-License-Identifier: Apache-2.0 */
/* perfetto.h - decoder perfetto: what its files share.  A trace is packets of sequences that take
 * turns; what a packet means depends on the packets of its sequence before it, and names and tracks
 * may be described behind their use.  So the file is walked three times: survey.c learns what holds
 * for the whole file, note.c what crosses packets, and parts of the file then become rows on all
 * threads. format: perfetto.md */
#ifndef PERFETTO_H
#define PERFETTO_H

#include "producers/step-times.h"
#include "protobuf/wire.h"
#include "system/large.h"

#include <glib.h>
#include <nprof/format.h>
#include <nprof/keys.h>
#include <nprof/sdk.h>

#define PF_NONE G_MAXUINT32
#define PF_DEPTH 100 /* levels of args and of parents */
#define PF_NS_PER_S 1000000000
#define PF_NO_TIME G_MININT64

enum { /* fields of TracePacket */
       PACKET_FTRACE = 1,
       PACKET_PROCESS_TREE = 2,
       PACKET_CLOCKS = 6,
       PACKET_TIME = 8,
       PACKET_SEQUENCE = 10,
       PACKET_EVENT = 11,
       PACKET_INTERNED = 12,
       PACKET_FLAGS = 13,
       PACKET_CLEARED = 41,
       PACKET_DROPPED = 42,
       PACKET_PROCESS = 43,
       PACKET_THREAD = 44,
       PACKET_COMPRESSED = 50,
       PACKET_GPU_COUNTER = 52,
       PACKET_STAGE = 53,
       PACKET_CLOCK = 58,
       PACKET_DEFAULTS = 59,
       PACKET_TRACK = 60,
       PACKET_UUID = 89,
       PACKET_MACHINE = 98,
       PACKET_GPU_INFO = 128,
       PACKET_ZSTD = 133
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };

enum { /* fields of TrackEvent */
       EVENT_DELTA_US = 1,
       EVENT_TIME_DELTA = 2,
       EVENT_CATEGORY_IID = 3,
       EVENT_ARG = 4,
       EVENT_LEGACY = 6,
       EVENT_INSTRUCTIONS_DELTA = 8,
       EVENT_TYPE = 9,
       EVENT_NAME_IID = 10,
       EVENT_TRACK = 11,
       EVENT_MORE_COUNT = 12,
       EVENT_ABSOLUTE_US = 16,
       EVENT_TIME = 17,
       EVENT_INSTRUCTIONS = 20,
       EVENT_LOG = 21,
       EVENT_CATEGORY = 22,
       EVENT_NAME = 23,
       EVENT_COUNT = 30,
       EVENT_MORE_TRACK = 31,
       EVENT_SOURCE = 33,
       EVENT_SOURCE_IID = 34,
       EVENT_OLD_FLOW = 36,
       EVENT_OLD_LAST_FLOW = 42,
       EVENT_DOUBLE_COUNT = 44,
       EVENT_MORE_DOUBLE_TRACK = 45,
       EVENT_MORE_DOUBLE = 46,
       EVENT_FLOW = 47,
       EVENT_LAST_FLOW = 48,
       EVENT_CORRELATION = 52,
       EVENT_STACK = 55,
       EVENT_STACK_IID = 56,
       EVENT_EXTENSIONS = 1000,
       EVENT_GPU_CORRELATION = 3000
};
enum { TYPE_BEGIN = 1, TYPE_END, TYPE_INSTANT, TYPE_COUNTER, TYPE_STATE };

enum { /* fields of InternedData */
       INTERNED_CATEGORY = 1,
       INTERNED_NAME = 2,
       INTERNED_ARG = 3,
       INTERNED_SOURCE = 4,
       INTERNED_FUNCTION = 5,
       INTERNED_FRAME = 6,
       INTERNED_STACK = 7,
       INTERNED_GPU_SPEC = 24,
       INTERNED_STRING = 29,
       INTERNED_COUNTERS = 47,
       INTERNED_KERNEL = 1000,
       INTERNED_KERNEL_ARG = 1001
};

enum { /* fields of DebugAnnotation */
       ARG_NAME_IID = 1,
       ARG_BOOL = 2,
       ARG_UINT = 3,
       ARG_INT = 4,
       ARG_DOUBLE = 5,
       ARG_STRING = 6,
       ARG_POINTER = 7,
       ARG_NESTED = 8,
       ARG_JSON = 9,
       ARG_NAME = 10,
       ARG_MEMBER = 11,
       ARG_ELEMENT = 12,
       ARG_PROTO = 14,
       ARG_STRING_IID = 17
};

typedef struct Perfetto Perfetto;

/* -- interned.c: texts and messages that packets refer to by number ---------------------------- */

typedef struct PfRule PfRule;

typedef struct {
  guint64 iid;
  guint32 generation;
  guint16 kind;  /* field of InternedData; 0: a free slot */
  bool own_says;   /* of the name of an arg of a trace of nprof's: rows may get something by it */
  guint8 own_word; /* of such a name, which the sink itself puts: which it is; 0: none */
  nprof_str text;
  nprof_str category; /* of a stage of GPUs: that of its rows */
  union {
    PbSpan message;
    struct {                          /* of the name of an arg; NULL: none */
      const PfRule *rule, *attribute; /* what it means; what it is in a trace of nprof's */
    };
  };
} PfEntry;

typedef struct {
  PfEntry *slots;
  gsize n, n_slots;
} PfInterned;

/* Takes what a packet interns; the first definition holds. */
void pf_intern (Perfetto *pf, guint32 generation, PbSpan data, bool in_block);
/* Returns NULL where nothing in the file defines it. */
const PfEntry *pf_entry (const Perfetto *pf, guint32 generation, guint kind, guint64 iid);
nprof_str pf_interned (const Perfetto *pf, guint32 generation, guint kind, guint64 iid);
nprof_str pf_text (const struct nprof_host *host, PbSpan text);
void pf_interned_clear (PfInterned *interned);

/* A counter of a GPU as its descriptor has it. */
typedef struct {
  guint32 generation;
  guint32 counter;
  guint64 descriptor;
} PfSpecKey;

typedef struct {
  PfSpecKey key;
  nprof_str name, unit; /* unit 0: unknown */
  bool forward;         /* a value holds from its own moment on */
} PfSpec;

#define PF_ANY_GENERATION G_MAXUINT32 /* of descriptors of the old form, one table for all */
void pf_learn_specs (Perfetto *pf, const PfSpecKey *of, PbSpan descriptor);

/* -- packets.c: walks packets, with the state of their sequences ------------------------------- */

/* This is what an old thread descriptor says, and times that count on from there. */
typedef struct {
  bool known;
  gint64 pid, tid;
  gint64 now, time, instructions; /* ns, ns, number */
} PfThread;

/* A clock of the sequence each of whose readings adds to the last. */
typedef struct {
  guint32 id;
  gint64 unit, now; /* ns */
} PfDelta;

enum { PF_DELTAS = 8 };

typedef struct {
  guint32 machine, number, generation, defaults;
  bool valid, had_loss;
  guint n_deltas;
  guint64 n;
  gint64 last; /* ns: of the last packet with a time; PF_NO_TIME */
  PfThread thread;
  PfDelta deltas[PF_DELTAS];
} PfState;

typedef struct {
  guint32 clock; /* 0: none */
  bool has_track;
  guint64 track;
  GArray *counters, *doubles; /* of guint64: tracks of further counters */
} PfDefaults;

typedef struct {
  const guint8 *p, *end;
  guint64 place;
  PfState *state;
  bool has_time, has_sequence, cleared, lost, has_defaults, has_clocks, has_interned, in_block;
  bool adds; /* its time moves a clock */
  guint64 time;
  guint32 clock, sequence, flags, machine;
  guint field; /* what it holds; 0: state alone */
  PbSpan body, defaults, clocks;
} PfPacket;

typedef struct PfWalk PfWalk;
typedef enum { PF_SURVEY, PF_NOTING, PF_ROWS } PfPass; /* the walks, in this order */
typedef nprof_status PfVisit (PfWalk *w, PfPacket *packet);

enum { PF_SEEN = 64, PF_NAMES = 512, PF_TEXTS = 32, PF_TEXT = 30, PF_RUNS = 4096 };

/* What an arg says: that it is there; when its span ends; anything that plan asks for; anything of
 * a row beside args as JSON, in a trace of nprof's or in others.  Of an odd one that is only known
 * when it is read to its end. */
enum {
  PF_SAYS_NAME = 1,
  PF_SAYS_END = 2,
  PF_SAYS_FACT = 4,
  PF_SAYS_OWN = 8,
  PF_SAYS_ROW = 16,
  PF_SAYS_ANY = 31,
  PF_IS_ODD = 32
};

/* A name that stands in the arg itself. */
typedef struct {
  guint8 bits, len; /* len 0: none */
  char text[PF_TEXT];
} PfText;

/* What args say by the numbers of their names in a generation, and by names that were met. */
typedef struct {
  guint32 generation;
  guint8 bits[PF_NAMES];  /* of PF_SAYS_...; 0: not asked yet */
  guint8 words[PF_NAMES]; /* as PfEntry has them, where bits are */
  PfText texts[PF_TEXTS];
} PfNames;

/* Annotations of an event that say nothing but their names, one behind the other.  p NULL: none. */
typedef struct {
  const guint8 *p;
  guint32 len, n, generation;
} PfRun;

/* A track that events of this walk were on. */
typedef struct {
  guint64 uuid;
  guint32 place; /* + 1; 0: none yet */
} PfSeen;

struct PfWalk {
  Perfetto *pf;
  const struct nprof_host *host;
  PfVisit *visit;
  PfPass pass;
  GArray *states; /* of PfState */
  guint last;     /* the state that was used last */
  PfSeen *seen;   /* PF_SEEN, by uuid; of this walk alone, as is the next */
  PfNames *names;
  PfRun *runs; /* PF_RUNS, by name and track: of the last such event */
  guint32 n_blocks, n_generations, n_defaults;
  guint32 n_halves, n_flows, n_counts, n_samples, n_states; /* of what note.c keeps */
  guint8 *block;                                            /* what is inflated now */
};

void pf_walk_init (PfWalk *w, PfPass pass, Perfetto *pf, const struct nprof_host *host,
                   PfVisit *visit);
void pf_walk_clear (PfWalk *w);
/* Goes on where another walk was. */
void pf_walk_resume (PfWalk *w, const PfWalk *at);
/* Walks the packets that begin at *at and behind it, but before `to`; moves *at behind them. */
nprof_status pf_walk (PfWalk *w, guint64 *at, guint64 to);
/* Inflates what is compressed, by zlib or zstd.  NPROF_E_FORMAT: it is damaged, or too large;
 * transfer full. */
nprof_status pf_inflate (PbSpan packed, guint8 **data, gsize *len);
bool pf_has_zstd (void);
/* A compressed packet that is inflated; who keeps one frees its data. */
typedef struct {
  guint8 *data;
  gsize len;
  guint64 number;
} PfBlock;
/* Finds the packet at a place; false: it cannot be read.  `block` is kept for the next call. */
bool pf_packet_at (const Perfetto *pf, guint64 place, PfBlock *block, PfPacket *packet);
/* Reports damage that this walk is to report: each is met by more than one. */
nprof_status pf_damaged (PfWalk *w, PfPass pass, const PfPacket *packet, const char *what);
/* Returns the byte of the file at which a place is, for messages. */
guint64 pf_byte (const Perfetto *pf, guint64 place);

/* This is a number of a message that may be repeated, packed or not. */
typedef struct {
  PbSpan rest, packed;
  guint32 field;
  bool fixed;
} PfNumbers;

static inline PfNumbers
pf_numbers (PbSpan body, guint32 field, bool fixed)
{
  return (PfNumbers){ body, { NULL, NULL }, field, fixed };
}

bool pf_next_number (PfNumbers *it, guint64 *value);
/* Returns the last value of a field of numbers; `preset` where it is absent. */
guint64 pf_number (PbSpan body, guint32 field, guint64 preset);
/* Returns the last text or message of that field; p NULL: it is absent. */
PbSpan pf_bytes (PbSpan body, guint32 field);
double pf_double (guint64 bits);

/* -- clocks.c ---------------------------------------------------------------------------------- */

typedef struct PfClocks PfClocks;

PfClocks *pf_clocks_new (void);
void pf_clocks_free (PfClocks *clocks);
/* Takes a snapshot: `learn` in the first walk; later ones only set clocks that add. */
void pf_snapshot (PfWalk *w, PfState *state, PbSpan body, bool learn);
/* Settles the clock of a packet's time and moves clocks that add; in all walks alike.  Returns its
 * ns by the trace's clock, PF_NO_TIME where nothing ties it to that. */
gint64 pf_packet_time (PfWalk *w, PfPacket *packet);
/* Converts ns of a clock. */
gint64 pf_to_trace (const Perfetto *pf, const PfState *state, guint32 clock, gint64 ns);
/* Finds the ways between all clocks that snapshots have. */
void pf_clocks_settle (Perfetto *pf);
/* Unix time at a moment of the trace; false: unknown. */
bool pf_unix (const Perfetto *pf, gint64 ns, gint64 *unix_ns);

/* -- tracks.c ---------------------------------------------------------------------------------- */

typedef enum {
  PF_UUID,        /* a: uuid */
  PF_THREAD,      /* a: pid, b: tid, of events that name no track */
  PF_ASYNC,       /* a: hash of category, id and scope */
  PF_GPU,         /* a: number; rows of counters */
  PF_QUEUE,       /* a: gpu, b: hash of queue */
  PF_STREAM,      /* a: gpu, b: stream */
  PF_GPU_COUNTER, /* a: gpu, b: name */
  PF_THREAD_COUNT /* a: place of the thread's track, b: 0 time, 1 instructions */
} PfSpace;

typedef struct {
  guint64 a, b;
  PfSpace space;
} PfKey;

typedef struct {
  PfKey key;
  guint64 parent; /* uuid; 0: none */
  nprof_str name, process_name, thread_name, unit;
  gint64 pid, tid, multiplier, rank;
  guint32 order;
  bool described, is_process, is_thread, is_counter, is_incremental, by_rank, forward;
  /* what its events say */
  bool used, has_device, has_stream, began, shows_npu;
  guint8 tries;
  gint64 device, stream;
  /* when all is known */
  bool is_npu, in_npu; /* of Rebellions: it, or a track above it, is one */
  bool resolving, on_device;
  nprof_track track;
  nprof_set unit_set;
  guint32 process; /* place of the track of its process; PF_NONE */
} PfTrack;

guint pf_key_hash (gconstpointer key);
gboolean pf_key_equal (gconstpointer a, gconstpointer b);
guint32 pf_find_track (const Perfetto *pf, const PfKey *key); /* PF_NONE: none */
guint32 pf_add_track (Perfetto *pf, const PfKey *key);
PfTrack *pf_track (const Perfetto *pf, guint32 place);
void pf_describe_track (PfWalk *w, const PfPacket *packet);
void pf_process_tree (Perfetto *pf, PbSpan tree);
/* Makes the tracks of all that have rows. */
nprof_status pf_tracks_settle (Perfetto *pf);
/* Returns what a track is called, for what its name says; "": nothing. */
const char *pf_track_name (const Perfetto *pf, const PfTrack *track);
/* Returns the track of a GPU; 0: no memory. */
nprof_track pf_gpu (Perfetto *pf, gint64 number);
PfThread pf_thread (PbSpan descriptor);

/* -- event.c: a TrackEvent, as far as it is read at first -------------------------------------- */

typedef struct {
  PbSpan body, name, legacy, flows; /* the last: from the first field of a flow on */
  guint64 type, track, name_iid;
  gint64 delta_us, absolute_us;
  bool has_type, has_track, has_name_iid, has_delta, has_flows, has_last_flows, has_old_flows,
      has_more, has_thread_counts, has_gpu_correlation, has_source, has_stack, has_unknown,
      is_settled;      /* the last: when and where are known, if not what */
  guint8 args;         /* what they say, of PF_SAYS_...; 0: it has none */
  guint8 telling;      /* their number up to the last one that says more than its name */
  guint8 n_categories; /* 2: or more */
  PbField category;    /* the last */
  uint8_t value_type;  /* NPROF_NULL: none */
  nprof_value value;
  /* by pf_event_settle */
  gint64 time;         /* ns; before it that of the packet */
  guint64 uuid;
  guint32 track_place; /* PF_NONE: none */
  char phase;          /* b begin, e end, i instant, c counter, s state, X complete, f flow alone */
  gint64 duration;     /* ns, of X */
  guint64 legacy_name, bind_id, legacy_flow, async_id;
  int direction; /* of bind_id: bits 1 in, 2 out */
  char legacy_phase;
} PfEvent;

static inline bool
pf_has_flow (const PfEvent *e)
{
  return e->has_flows || e->has_last_flows || e->has_old_flows;
}

/* The args of an event, from `rest` on; the numbers as there. */
typedef struct {
  PbSpan rest;
  guint8 say, telling;
} PfArgs;

enum { PF_MOST_TELLING = 255 }; /* or more */

/* Reads an event, in scan.c; false: its bytes are no message.  `known`: its args, if they were read
 * before; or NULL. */
bool pf_event_read (PfWalk *w, guint32 generation, PbSpan body, const PfArgs *known, PfEvent *e);
/* Finds the next arg that may say one of `says`, and moves behind it; false: there is none. */
bool pf_next_arg (PfWalk *w, guint32 generation, guint8 says, PfArgs *args, PbSpan *arg);
/* Settles when and where it is, and what; in note.c and parts alike.  NULL, or why it gives no row.
 * Tracks that are not known yet are added when `add`. */
const char *pf_event_settle (PfWalk *w, const PfPacket *packet, PfEvent *e, bool add);
nprof_str pf_event_name (const Perfetto *pf, const struct nprof_host *host, const PfState *state,
                         const PfEvent *e);
nprof_str pf_event_category (const Perfetto *pf, const struct nprof_host *host,
                             const PfState *state, const PfEvent *e);

/* One value of a counter that an event has beside what it is. */
typedef struct {
  guint32 track;
  uint8_t type; /* NPROF_INT64 or NPROF_DOUBLE */
  nprof_value value;
} PfCount;

typedef nprof_status PfCountFn (PfWalk *w, const PfPacket *packet, const PfEvent *e,
                                const PfCount *count, gpointer user);
nprof_status pf_each_count (PfWalk *w, const PfPacket *packet, const PfEvent *e, bool add,
                            PfCountFn *fn, gpointer user);

enum { FLOW_GOES_ON, FLOW_ENDS, FLOW_BEGINS_ANEW, FLOW_IF_OPEN }; /* how an event takes part */
typedef nprof_status PfFlowFn (PfWalk *w, const PfPacket *packet, const PfEvent *e, guint64 id,
                               guint how, gpointer user);
nprof_status pf_each_flow (PfWalk *w, const PfPacket *packet, const PfEvent *e, PfFlowFn *fn,
                           gpointer user);

/* -- note.c, pairs.c, links.c: what crosses packets -------------------------------------------- */

enum {
  HALF_ENDS = 1,
  HALF_CLOSES_NAMED = 2,
  HALF_BY_RUN = 4,
  HALF_SAID = 8,
  HALF_HAS_FLOWS = 16,
  HALF_TAKES_ARGS = 32, /* its row may take some of the event's */
  HALF_HAS_MORE = 64,   /* its row takes more than stands here: the event is read again */
  HALF_IS_ALL = 128     /* nothing of its packet matters beside this, and args */
};

/* A begin or an end of a span, in the order of the file. */
typedef struct {
  gint64 time;
  guint64 place;
  guint32 track, generation;
  guint32 partner;          /* 1 + its place; 0: none */
  nprof_str name, category; /* of a begin that has no more */
  guint8 what;
  guint8 args, telling; /* as of an event */
} PfHalf;

/* A span that names a step. */
typedef struct {
  gint64 number;
  guint32 half;
} PfStepSpan;

/* A begin whose args say when it ended. */
typedef struct {
  guint32 half;
  gint64 end;
} PfSaid;

enum { PHASE_NONE, PHASE_BEGIN, PHASE_STEP, PHASE_END };

typedef struct {
  guint64 id;
  gint64 time;
  guint64 number; /* of the arrow; 0: none */
  guint8 how, phase;
} PfFlow;

/* A sample of a GPU's counter, or the change of a state. */
typedef struct {
  gint64 time;
  gint64 other; /* of samples: of the one before; of states: of the next; PF_NO_TIME: none */
  guint32 track;
} PfMoment;

/* Work of a GPU, for what refers to it by number. */
typedef struct {
  guint64 id, place;
  gint64 time;
  guint32 track;
} PfStage;

/* Args by whose names plan and parts look for something. */
typedef enum {
  RULE_NONE,
  RULE_DEVICE,
  RULE_STREAM,
  RULE_AGENT,
  RULE_TO,
  RULE_FROM,
  RULE_CORRELATION,
  RULE_BEGIN_NS,
  RULE_END_NS,
  RULE_CALL_ID,
  RULE_COPY_KIND,
  RULE_MEMORY_KIND,
  RULE_GRID,
  RULE_KERNEL,
  RULE_COLLECTIVE
} PfMeaning;

struct PfRule {
  const char *arg, *attribute; /* attribute NULL: it stays in args alone */
  uint8_t type, meaning, group;
  nprof_str key; /* 0: nobody asks */
};

typedef struct {
  gint64 device, stream, agent; /* -1: it does not say */
  guint64 correlation;          /* 0: none */
  gint64 begin_ns, end_ns;      /* PF_NO_TIME: none */
  guint says;                   /* bits 1 << RULE_CALL_ID ...: it has such an arg */
} PfFacts;

typedef struct {
  guint64 at;
  PfWalk walk; /* of it only what pf_walk_resume takes */
} PfPart;

/* What a trace that nprof wrote says of itself. */
typedef struct {
  bool is;
  guint64 place; /* of the packet that says it; its row is none */
  bool has_place, has_origin;
  gint64 origin, zero; /* ns: of time 0 in Unix time; of ts 0    */
  GHashTable *tracks;  /* number -> PfOwnTrack                   */
  GHashTable *uuids;   /* uuid -> number of its track            */
  GHashTable *rules;   /* of PfRule, by the names of args        */
  PfBlock block;       /* that `facts` lies in                   */
  PbSpan facts;
} PfOwn;

struct Perfetto {
  uint64_t part_bytes; /* option */
  PfOwn own;
  const struct nprof_host *host;
  const guint8 *data, *end;
  PfInterned interned;
  GStringChunk *kept;    /* messages out of blocks */
  GHashTable *specs;     /* of PfSpec */
  GPtrArray *old_queues; /* GUINT_TO_POINTER of nprof_str */
  GPtrArray *defaults;   /* of PfDefaults */
  GArray *blocks;        /* of PbSpan: packets that are compressed */
  PfClocks *clocks;
  guint64 uuid[2];
  bool has_uuid, has_snapshots, no_memory;
  GPtrArray *tracks;       /* of PfTrack */
  GHashTable *by_key;      /* to place + 1 */
  GHashTable *pids, *tids; /* gint64 -> nprof_str: names of the process tree */
  GHashTable *processes;   /* pid -> place + 1 of its descriptor */
  GHashTable *gpus;        /* number -> nprof_track */
  GHashTable *gpu_names;   /* number -> nprof_str */

  NpLargeArray *halves;           /* of PfHalf */
  GArray *sequences;              /* of guint32: of each generation; those of halves */
  GArray *said;                   /* of PfSaid */
  NpLargeArray *flows;            /* of PfFlow */
  NpLargeArray *counts;           /* of double: incremental counters, added up */
  GHashTable *sums;               /* (generation, track) -> double; while noting */
  NpLargeArray *samples, *states; /* of PfMoment */
  NpLargeArray *stages;           /* of PfStage */
  GPtrArray *parts;               /* of PfPart */
  guint64 parted;                 /* where the last of them begins */
  guint n_references;             /* to stages */
  bool samples_hold;              /* samples hold from their own moment on: PyTorch's */
  guint n_queues, n_pytorch_queues;

  gint64 first;  /* ns: of all rows; PF_NO_TIME */
  GArray *times; /* of gint64: some of them */
  guint64 n_times;
  gint64 base; /* ns: time 0 of the rows */

  GArray *step_spans;       /* of PfStepSpan */
  GHashTable *steps;        /* place of a process -> GArray of StepTime */
  const GArray *only_steps; /* of the only process that has any; NULL */
  GArray *launches;         /* of StepLaunch; its step is the track's place until it is settled */
  nprof_str flow_name;
  bool want_correlation, want_step, want_args, want_end_args, want_rules, want_stack, want_source;

  const PfRule *rules[256]; /* by the bytes of their args' names */
  nprof_str key_phase, key_args, key_end_args, key_step, key_source, key_stack, key_value,
      key_correlation, key_kernel, phases[4];
  nprof_str category_copy, category_set, category_kernel, category_call, category_stream;
  nprof_set works[3];
  const struct nprof_input_info *input;
};

nprof_status pf_survey (Perfetto *pf);
nprof_status pf_note (Perfetto *pf);
nprof_status pf_pair (Perfetto *pf);
void pf_link (Perfetto *pf);
/* Returns the stage of that number; NULL: the file has none. */
const PfStage *pf_stage_of (const Perfetto *pf, guint64 id);
/* Returns the duration of a span by its begin, -1 where it has no end. */
gint64 pf_half_duration (const Perfetto *pf, guint32 half);

static inline PfHalf *
pf_half (const Perfetto *pf, guint32 place)
{
  return &g_array_index (pf->halves, PfHalf, place);
}

/* -- gpu.c ------------------------------------------------------------------------------------- */

typedef struct {
  PbSpan body;
  guint64 event, duration, stage, context, kernel, name_iid, queue;
  gint64 gpu, stream;  /* stream -1: it states none */
  guint64 correlation; /* 0: none */
  bool has_event, has_stage, by_iid, has_name_iid, has_kernel;
  PbSpan name, launch;
  nprof_str queue_name;
} PfStageEvent;

/* Reads it; false: its bytes are no message. */
bool pf_stage_read (const Perfetto *pf, const struct nprof_host *host, const PfState *state,
                    PbSpan body, PfStageEvent *e);
/* Returns where its row stands; PF_NONE: nothing describes its queue. */
guint32 pf_stage_track (Perfetto *pf, const PfStageEvent *e, bool add);

/* Returns the category of the rows of a stage by what the file calls it. */
nprof_str pf_stage_category (const struct nprof_host *host, nprof_str stage);

typedef nprof_status PfSampleFn (PfWalk *w, const PfPacket *packet, const PfCount *value,
                                 gpointer user);
/* `add` in the walk that notes, which also counts what nothing describes. */
nprof_status pf_each_sample (PfWalk *w, const PfPacket *packet, bool add, PfSampleFn *fn,
                             gpointer user);
bool pf_is_pytorch_queue (const char *name);

/* -- args.c ------------------------------------------------------------------------------------ */

typedef struct {
  PfWalk walk;
  const struct nprof_host *host;
  struct nprof_writer *w;
  struct nprof_buf json, word;
  PfBlock other;  /* that ends of spans are in */
  guint64 linked; /* id of the row that arrows of this event are bound to; 0: as ever */
  guint unreported;
} PfPartState;

/* Returns what args may say to a row; `json`: args are wanted as such. */
static inline guint8
pf_row_says (const Perfetto *pf, bool json)
{
  return json ? PF_SAYS_ANY : pf->own.is ? PF_SAYS_OWN : PF_SAYS_ROW;
}

/* rules.c */
nprof_status pf_rules_init (Perfetto *pf);
void pf_rules_clear (Perfetto *pf);
/* Returns the rule of args of that name; NULL: there is none. */
const PfRule *pf_rule (const Perfetto *pf, const char *text, gsize len);
/* Finds what plan asks of the args of an event, of those that say one of these. */
void pf_facts (PfWalk *w, guint32 generation, const PfEvent *e, guint8 says, PfFacts *facts);
/* Gives the row that was begun the attributes of an event's args, and args as JSON under `key` (0:
 * nobody asks); its name is known. */
nprof_status pf_add_args (PfPartState *part, guint32 generation, PfArgs args, nprof_str key,
                          const PfPacket *packet);
nprof_status pf_add_stage_args (PfPartState *part, const PfPacket *packet, const PfStageEvent *e);
nprof_status pf_add_stack (PfPartState *part, guint32 generation, PbSpan event);
nprof_status pf_add_source (PfPartState *part, guint32 generation, PbSpan event);

/* -- rows.c ------------------------------------------------------------------------------------ */

nprof_status pf_decode_packet (PfWalk *w, PfPacket *packet);
/* Returns what note.c noted of a packet, if that is all but args; NULL: it is to be read. */
const PfHalf *pf_noted (const PfWalk *w, guint64 place);
/* Makes the row of such a packet, whose args are read if it takes some. */
nprof_status pf_decode_noted (PfWalk *w, PfPacket *packet, const PfHalf *half);
nprof_status pf_last_samples (Perfetto *pf, PfPartState *part);
/* ps of the rows; false: it is months from the others. */
bool pf_ps (const Perfetto *pf, gint64 ns, gint64 *ps);

/* -- steps.c ----------------------------------------------------------------------------------- */

void pf_steps_settle (Perfetto *pf);
/* Returns whether a moment of a track, or the launch of its work, lies in a step. */
bool pf_step_of (const Perfetto *pf, const PfTrack *track, guint64 correlation, gint64 ns,
                 gint64 *number);

/* -- own.c: a trace that nprof itself wrote ---------------------------------------------------- */

/* Reads what it says of itself, where note.c found that; all is as before where another program
 * wrote it. */
nprof_status pf_own_read (Perfetto *pf);
void pf_own_init (Perfetto *pf);
void pf_own_clear (Perfetto *pf);
/* Returns the track of the run that was of this uuid; 0: it is not said, or no memory. */
nprof_track pf_own_track (Perfetto *pf, guint64 uuid);
/* Returns the attribute that an arg of that name is; NULL: none. */
const PfRule *pf_own_rule (const Perfetto *pf, PbSpan name);
/* Notes in the entry of the name of an arg what it is there. */
void pf_own_name (const Perfetto *pf, PfEntry *e, PbSpan name);
nprof_status pf_own_facts (Perfetto *pf, struct nprof_writer *w);
/* Sets what args of nprof's own say of the row that was begun; returns whether it is one of these.
 * */
bool pf_own_arg (PfPartState *part, guint word, uint8_t type, guint64 number);
/* Returns which of these args has that name; 0: none. */
guint pf_own_word (PbSpan name);
/* Takes from a name what the sink put before it; returns whether it had. */
bool pf_own_hidden (PbSpan *name);
/* Makes a gap of an instant that stands for one. */
void pf_own_gap (PfPartState *part);

/* -- plugin.c ---------------------------------------------------------------------------------- */

const struct nprof_attribute *const *pf_attributes (void);

/* -- probe.c ----------------------------------------------------------------------------------- */

int pf_probe (const void *head, size_t len, uint64_t size, const char *path);

#endif
