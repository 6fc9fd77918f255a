/* SPDX-License-Identifier: Apache-2.0 */
/* xplane.h - what the files of this decoder share: the index that plan makes of a file,
 * and the functions that turn its records into rows.  Spans point into the input. */
#pragma once

#include "columns.h"
#include "wire.h"

#include <glib.h>
#include <nprof/keys.h>
#include <nprof/sdk.h>
#include <pthread.h>
#include <stdatomic.h>

#define XP_PS_PER_NS 1000

/* -- Stats and their keys --------------------------------------------------- */

/* It says what is done with a stat on an event. */
enum {
  XP_STAT_ATTR = 1,    /* somebody wants its attribute                          */
  XP_STAT_FLOW = 2,    /* names a flow; always looked at                        */
  XP_STAT_SPECIAL = 4, /* its value is no plain attribute: stats.c knows        */
  XP_STAT_STEP = 8     /* numbers a step, or tells of the launch in one          */
};

enum { /* roles of stats beyond their attribute */
  XP_ROLE_NONE, XP_ROLE_PRODUCER_TYPE, XP_ROLE_PRODUCER, XP_ROLE_CONSUMER_TYPE, XP_ROLE_CONSUMER,
  XP_ROLE_FLOW, XP_ROLE_BREAKDOWN, XP_ROLE_COUNTER_VALUE, XP_ROLE_HLO_PROTO, XP_ROLE_OP_NAME,
  XP_ROLE_HLO_CATEGORY, XP_ROLE_MIN_DURATION, XP_ROLE_SELF_DURATION, XP_ROLE_GROUP,
  XP_ROLE_STEP_NUMBER, XP_ROLE_PATH, XP_ROLE_PREFIX
};

/* It says the same of the ids that take one byte: nothing to do; a number that is an attribute and
 * no more; the role of a flow that is no attribute; take_stat knows. */
enum { XP_QUICK_SKIP = 0, XP_QUICK_NUMBER = 0xfe, XP_QUICK_OTHER = 0xff };

/* This is one XStatMetadata: a key and, by ref_value, also a text. */
typedef struct {
  PbSpan name;
  _Atomic nprof_str text;  /* name, interned when first needed; 0: not yet       */
  _Atomic nprof_str other; /* key of values that the key's type does not hold      */
  nprof_str key;           /* of a well-known stat; 0: the key is text           */
  uint8_t actions;         /* XP_STAT_...                                        */
  uint8_t role;
  uint8_t type;            /* declared type of the key; NPROF_NULL: the file's    */
  uint8_t number;          /* the same where it is an integer, else 0             */
  bool numeric;            /* type is a number's                                  */
  bool id;                 /* a number that only identifies: sign means nothing  */
} XpStat;

/* -- Event metadata ---------------------------------------------------------- */

/* All events of one XEventMetadata share this; it is made when the first one is met. */
typedef struct {
  _Atomic uint32_t ready;
  nprof_str name, category;
  nprof_set shared;
  PbSpan body;             /* the message; p is NULL: the file has none with this id */
} XpMeta;

typedef struct {
  int64_t id;
  uint32_t slot;
} XpSparse;

/* It leads from the ids of a file to slots of an array: ids below n_dense are the slots. */
typedef struct {
  uint64_t n_dense;
  uint32_t n_slots;
  XpSparse *sparse;        /* open addressing; NULL: none                         */
  uint64_t sparse_mask;
} XpIds;

typedef struct {
  gatomicrefcount refs;
  XpIds meta_ids, stat_ids;
  XpMeta *metas;           /* meta_ids.n_slots                                   */
  XpStat *stats;           /* stat_ids.n_slots                                   */
  uint8_t actions;         /* of all stats together                              */
  uint8_t quick[128];      /* by id: XP_QUICK_..., or the role of a flow          */
} XpDict;

/* -- The index ---------------------------------------------------------------- */

typedef struct {           /* an entry of event_metadata or stat_metadata         */
  int64_t id;
  PbSpan body;
} XpEntry;

typedef struct {           /* an XPlane message; several may make up one plane   */
  const uint8_t *at;
  int64_t id;
  PbSpan name;
  GArray *metas, *stats;   /* of XpEntry                                         */
  GArray *plane_stats;     /* of PbSpan                                          */
  uint32_t first_line, n_lines;
  uint32_t group;
  XpDict *dict;
} XpPlane;

/* XP_OF_NEURON_DEVICE is a timeline of the Neuron runtime, the one of several that tells of a
 * device. */
enum {
  XP_OF_HOST,
  XP_OF_DEVICE,
  XP_OF_GPU,
  XP_OF_TPU,
  XP_OF_METADATA,
  XP_OF_ENVIRONMENT,
  XP_OF_NEURON,
  XP_OF_NEURON_DEVICE,
  XP_OF_OTHER
};

static inline bool
xp_is_neuron (uint8_t kind)
{
  return kind == XP_OF_NEURON || kind == XP_OF_NEURON_DEVICE;
}

typedef struct {           /* a plane: all messages of one name and id           */
  int64_t id;
  PbSpan name;
  uint8_t kind;            /* XP_OF_...                                          */
  nprof_track track;
  GArray *members;         /* of uint32_t: planes                                */
  bool warned;             /* of metadata that is missing                         */
  pthread_mutex_t lock;             /* of making metadata ready                           */
} XpGroup;

typedef struct {           /* an XLine message; several may make up one track    */
  const uint8_t *at;
  uint32_t plane;
  bool counters;           /* its events are values of counters                  */
  int64_t id, display_id, timestamp_ns;
  PbSpan name, display_name;
  const uint8_t *first, *last; /* from the first event to behind the last        */
  int64_t first_offset;    /* of the first event, ps                             */
  uint64_t n_events;
  int64_t base;            /* ps from the origin                                 */
  nprof_track track;
  nprof_str category;      /* of events whose metadata has none                  */
} XpLine;

typedef struct {           /* events of a line, to be scanned in one go          */
  uint32_t line;
  const uint8_t *p, *end;
} XpSegment;

typedef struct {           /* n events that follow each other; from NULL: none   */
  const uint8_t *from, *to;
  uint64_t n;
} XpAhead;

typedef struct {           /* n segments; or, when n is 0, the HLO proto `first`  */
  uint32_t first, n;
} XpPart;

/* Bytes of a line that make a segment, and of segments that make a part. */
#define XP_SEGMENT (UINT32_C (1) << 20)
/* So many bytes ahead of the loops over events are fetched: further than processors look by
 * themselves. */
#define XP_AHEAD 2048

typedef struct {
  /* options */
  const char *extract;
  bool copies;
  int32_t scan;

  const struct nprof_host *host;
  nprof_str input;         /* label, for tables                                   */
  GByteArray *translated;  /* the XSpace that JSON files make; NULL: the input is one */
  GArray *places;          /* where records of it stand in the input             */
  const uint8_t *data, *data_end;
  const uint8_t *safe;     /* 8 bytes may be loaded up to here                   */
  const uint8_t *reported; /* progress has been told up to here                  */
  int mode;                /* XP_PLAIN ...                                       */
  GArray *planes;          /* of XpPlane                                         */
  GArray *groups;          /* of XpGroup                                         */
  GArray *lines;           /* of XpLine                                          */
  GArray *segments;        /* of XpSegment                                       */
  GArray *ahead;           /* of XpAhead                                         */
  guint next_ahead;        /* of those that the index has not passed             */
  GArray *parts;           /* of XpPart                                          */
  GArray *protos;          /* of XpProto, hlo.c                                  */
  GPtrArray *hosts;        /* host names                                         */
  guint hosts_before;      /* of these, before the first plane that follows one  */
  const uint8_t *behind_hosts; /* that plane; NULL: none                         */
  const uint8_t *later_hosts;  /* the same, where other names follow it          */
  int64_t origin;          /* Unix ns of time 0; 0: not known                     */
  nprof_str phase[3];      /* begin, step, end                                   */
  nprof_str key_step, key_correlation;
  nprof_str key_phase, key_hlo_text, key_value, key_read, key_written, key_breakdown;
  bool want_text, want_read, want_written, want_breakdown;
  _Atomic nprof_str families[128]; /* flow.c                                     */
  struct XpSteps *steps;   /* NULL: no host annotates any, or nobody asks         */
} Xplane;

typedef struct {           /* an HLO proto of /host:metadata                      */
  uint32_t plane;
  PbSpan name;             /* of the event metadata that holds it                */
  int64_t id;
  PbSpan body;
} XpProto;

#define xp_at(x, q)                                                                               \
  ((x)->translated ? xp_translated_at ((x), (uint64_t) ((q) - (x)->data))                          \
                   : (uint64_t) ((q) - (x)->data))
#define xp_plane(x, i) (&g_array_index ((x)->planes, XpPlane, (i)))
#define xp_group(x, i) (&g_array_index ((x)->groups, XpGroup, (i)))
#define xp_line(x, i) (&g_array_index ((x)->lines, XpLine, (i)))

static inline size_t
xp_len (PbSpan span)
{
  return (size_t) (span.end - span.p);
}

/* Returns what follows the last slash of the name of a plane, or all of it. */
static inline PbSpan
xp_file (PbSpan name)
{
  const uint8_t *slash = memrchr (name.p, '/', xp_len (name));
  return slash ? (PbSpan){ slash + 1, name.end } : name;
}

/* Returns the text in UTF-8, for g_free. */
static inline char *
xp_valid (PbSpan text)
{
  return g_utf8_make_valid ((const char *) text.p, (gssize) xp_len (text));
}

static inline bool
xp_is (PbSpan span, const char *text)
{
  size_t n = strlen (text);
  return xp_len (span) == n && memcmp (span.p, text, n) == 0;
}

static inline bool
xp_starts (PbSpan span, const char *text)
{
  size_t n = strlen (text);
  return xp_len (span) >= n && memcmp (span.p, text, n) == 0;
}

static inline bool
xp_ends_in_colon (PbSpan span)
{
  return span.end > span.p && span.end[-1] == ':';
}

/* Returns whether the name of an operator is a scope of XLA itself: that says nothing of the
 * framework. */
static inline bool
xp_is_scope (PbSpan name)
{
  return xp_is (name, "XlaModule:") || xp_is (name, "Thunk:");
}

/* Interns a text; NUL bytes become U+FFFD, as what is no UTF-8 does. */
static inline nprof_str
xp_intern (const struct nprof_host *host, PbSpan span)
{
  if (XP_UNLIKELY (span.p && memchr (span.p, 0, xp_len (span)))) {
    g_autofree char *text = g_utf8_make_valid ((const char *) span.p, (gssize) xp_len (span));
    return nprof_intern (host, text);
  }
  return host->intern (host, (const char *) span.p, xp_len (span));
}

/* Returns the end of the segment that p is in; events belong to the segment that they begin in. */
static inline const uint8_t *
xp_border (PbSpan line, const uint8_t *p)
{
  size_t behind = ((size_t) (p - line.p) / XP_SEGMENT + 1) * XP_SEGMENT;
  return behind < xp_len (line) ? line.p + behind : line.end;
}

/* Steps over an event of less than 16 KB, which nearly all are; false: none ends before `end`. */
static inline bool
xp_step (const uint8_t **p, const uint8_t *end)
{
  const uint8_t *q = *p;
  if (end - q < 3 || q[0] != PB_BYTES (4))
    return false;
  __builtin_prefetch (q + XP_AHEAD);
  ptrdiff_t n = q[1];
  q += 2;
  if (XP_UNLIKELY (n >= 0x80)) {
    if (*q >= 0x80)
      return false;
    n = (n & 0x7f) | *q++ << 7;
  }
  if (end - q < n)
    return false;
  *p = q + n;
  return true;
}

/* ahead.c: steps over events on several threads, for the index. The run at p or behind it that
 * comes next; NULL: none. p never goes back. */
nprof_status xp_walk_ahead (Xplane *x);
const XpAhead *xp_ahead_of (Xplane *x, const uint8_t *p);

/* index.c finds what is where.  After failure the caller frees all the same. */
nprof_status xp_index (Xplane *x);
/* Reports a record that cannot be read.  NPROF_OK: go on behind it. */
nprof_status xp_damage (Xplane *x, const uint8_t *p, const uint8_t *end, XpMessage in);

/* dict.c makes one dictionary for each plane, from the entries of its messages. */
nprof_status xp_dicts (Xplane *x);
void xp_dict_unref (XpDict *dict);
XpIds xp_ids_new (const GArray *entries, GArray *slots);
void xp_ids_clear (XpIds *ids);
uint32_t xp_ids_sparse (const XpIds *ids, int64_t id); /* UINT32_MAX: none */

static inline uint32_t
xp_slot (const XpIds *ids, int64_t id)
{
  return XP_LIKELY ((uint64_t) id < ids->n_dense) ? (uint32_t) id : xp_ids_sparse (ids, id);
}

/* keys.c finds what a stat name means, and who wants it. */
void xp_stat_init (const struct nprof_host *host, XpStat *stat, PbSpan name, bool of_gpu);
nprof_str xp_stat_text_slow (const struct nprof_host *host, XpStat *stat);

static inline nprof_str
xp_stat_text (const struct nprof_host *host, XpStat *stat)
{
  nprof_str text = atomic_load_explicit (&stat->text, memory_order_relaxed);
  return XP_LIKELY (text) ? text : xp_stat_text_slow (host, stat);
}

static inline nprof_str
xp_stat_key (const struct nprof_host *host, XpStat *stat)
{
  return stat->key ? stat->key : xp_stat_text (host, stat);
}

/* stats.c reads one XStat, and its attributes. */
typedef enum {
  XP_VALUE_NONE,
  XP_VALUE_DOUBLE = 2,
  XP_VALUE_UINT,
  XP_VALUE_INT,
  XP_VALUE_STR,
  XP_VALUE_BYTES,
  XP_VALUE_REF,
  XP_VALUE_COMPRESSED
} XpValueKind;

typedef struct {
  const uint8_t *at;
  int64_t id;
  XpStat *stat;            /* NULL: the file does not say what the id means      */
  XpValueKind kind;
  union {
    uint64_t u;
    int64_t i;
    double f;
  } v;
  PbSpan span;             /* text or bytes                                      */
} XpValue;

/* These are attributes on their way to a row, a set or JSON. */
typedef struct {
  GArray *keys, *types, *values;
  GString *bytes;
} XpAttrs;

void xp_attrs_init (XpAttrs *attrs);
void xp_attrs_reset (XpAttrs *attrs);
void xp_attrs_clear (XpAttrs *attrs);
void xp_attrs_text (XpAttrs *attrs, nprof_str key, uint8_t type, const char *text, size_t len);
void xp_attrs_add (XpAttrs *attrs, nprof_str key, uint8_t type, nprof_value value);

bool xp_value_read (XpDict *dict, PbSpan body, XpValue *value);
/* Returns the value as number; false: it is none. */
bool xp_value_int (const XpValue *value, int64_t *i);
/* Returns its text (str, ref, compressed), valid UTF-8; NULL when it is none or cannot be inflated.
 * Transfer full. */
char *xp_value_text (const XpDict *dict, const XpValue *value, gsize *len);
/* Returns a number in the type that its stat declares; false: that does not hold it exactly, so it
 * keeps its own and goes by the other key. */
bool xp_value_number (const XpValue *value, uint8_t *type, nprof_value *v);
/* Returns the key "stat NAME" for values of another type: a declared key has values of its type
 * alone. */
nprof_str xp_stat_other (const struct nprof_host *host, XpStat *stat);
/* Adds the attributes of the value; false: it is damaged (compressed text). */
bool xp_value_attrs (const Xplane *x, const struct nprof_host *host, XpDict *dict,
                     const XpValue *value, XpAttrs *attrs);
void xp_json_string (GString *json, const char *text, gsize len);
/* Prints the value as people read it; returns the name of its type. */
const char *xp_value_print (XpDict *dict, const XpValue *value, GString *text);
void xp_value_json (XpDict *dict, const XpValue *value, GString *json);

/* meta.c makes names, categories and shared attributes. */
typedef struct XpScan XpScan;
nprof_status xp_meta_make (XpScan *s, XpMeta *meta, int64_t id, const uint8_t *at);
/* Finds the name of an event metadata message: display_name when it has one. */
void xp_meta_names (PbSpan body, PbSpan *name, PbSpan *display_name);

/* collective.c adds to the shared attributes what the text of an HLO instruction says of a
 * collective. */
void xp_collective (XpScan *s, PbSpan text);

/* tracks.c makes every plane and line a track. */
nprof_status xp_tracks (Xplane *x);
uint8_t xp_plane_kind (PbSpan name);

/* origin.c finds where time 0 is, and where each line starts. */
nprof_status xp_origin (Xplane *x);

/* steps.c finds the steps that hosts annotate, before rows are made. */
nprof_status xp_steps (Xplane *x);
void xp_steps_free (struct XpSteps *steps);
/* Returns the step of an event of that plane; below 0: it is in none. */
int64_t xp_step_of (const Xplane *x, const XpGroup *group, int64_t start, uint64_t correlation);

/* one-space.c refuses a file of two profiles behind one another. */
nprof_status xp_one_space (Xplane *x);

/* parts.c puts segments together to parts. */
void xp_cut (Xplane *x);
void xp_segment_add (Xplane *x, uint32_t line, const uint8_t *p, const uint8_t *end);

/* facts.c writes stats of planes, and finds the HLO protos. */
nprof_status xp_facts (Xplane *x);
/* Returns a cell of text from the input; unknown where there is none. */
struct nprof_maybe_text xp_some_text (const struct nprof_host *host, PbSpan span);

/* capability.c finds the type of a GPU that has no name. */
nprof_status xp_capability (Xplane *x, const XpGroup *group);

/* flow.c makes arrows. */
typedef struct {
  uint8_t seen;            /* bit of each role that was met                       */
  uint64_t bits[XP_ROLE_FLOW + 1]; /* by role                                     */
} XpFlows;

typedef struct {           /* one end of an arrow, as its row says it             */
  nprof_str family, phase;
  uint64_t flow;
} XpFlowEnd;

#define XP_FLOW_ENDS 3u    /* at most, of one event                               */

static inline void
xp_flows_add (XpFlows *flows, uint8_t role, uint64_t bits)
{
  flows->bits[role] = bits;
  flows->seen |= (uint8_t) (1u << role);
}

unsigned xp_flow_ends (Xplane *x, const struct nprof_host *host, const XpFlows *flows,
                       XpFlowEnd ends[XP_FLOW_ENDS]);
/* Writes their rows, for a span with this id. */
nprof_status xp_flow_rows (Xplane *x, struct nprof_writer *w, const XpFlowEnd *ends, unsigned n,
                           nprof_track track, nprof_str name, int64_t start, uint64_t id);

/* scan.c and event.c turn events into rows. */
typedef struct {
  uint64_t hash;
  PbSpan text;
  nprof_str str;
  uint32_t after;          /* what came behind it the last time                   */
} XpCached;

#define XP_CACHE 2048u
#define XP_CACHE_WAYS 4u

struct XpScan {            /* the state of a part                                 */
  Xplane *x;
  const struct nprof_host *host;
  struct nprof_writer *w;
  XpAttrs attrs, shared;   /* of a row; of metadata                               */
  GArray *series;          /* of XpValue: values of a counter                     */
  int64_t step;            /* number of the step that a span is; -1: it is none   */
  uint64_t correlation;    /* where steps are looked for; 0: none                */
  XpValue path, prefix;    /* that XLA says of a kernel; stat NULL: it says none   */
  XpCached *cache;         /* XP_CACHE of them; texts of stats that were interned */
  uint32_t cached;         /* the one that was asked for                          */
  XpMeta undefined;        /* of an id that the file does not define ...          */
  int64_t undefined_id;    /* ... this one                                        */
  /* It says where the scan is. */
  const XpLine *line;
  XpGroup *group;
  XpDict *dict;
  int64_t last_start;
  const uint8_t *reported; /* progress has been told up to here                  */
  uint64_t flushes;
};

nprof_status xp_scan_progress (XpScan *s, const uint8_t *p);
nprof_status xp_scan_segment (XpScan *s, const XpSegment *segment);
/* Reads one event the general way: any order of fields, counters, aggregates, flows, damage. */
nprof_status xp_event (XpScan *s, const uint8_t *at, PbSpan body);
nprof_str xp_cached (XpScan *s, PbSpan text);
/* Returns the metadata with this id, ready.  NULL: *status says why. */
const XpMeta *xp_event_meta (XpScan *s, const uint8_t *at, int64_t id, nprof_status *status);
nprof_status xp_event_damage (XpScan *s, const uint8_t *at, const char *what);
void xp_scan_init (XpScan *s, Xplane *x, const struct nprof_host *host);
void xp_scan_clear (XpScan *s);

/* path.c joins what XLA says of the path of a kernel: takes the values of an event, and adds the
 * attribute. */
bool xp_path_take (XpScan *s, const XpValue *value);
void xp_path_add (XpScan *s);

/* hlo.c writes what is in a fusion. */
nprof_status xp_hlo (Xplane *x, const struct nprof_host *host, const XpProto *proto);

/* hlo-memory.c writes the buffers that the compiler assigned. */
nprof_status xp_hlo_memory (const Xplane *x, const struct nprof_host *host, nprof_str program,
                            PbSpan assignment);

/* neuron.c reads planes of the Neuron runtime. */
nprof_status xp_neuron (Xplane *x);
/* Returns Unix ns of the start of a plane of the Neuron runtime; 0: it does not say. */
int64_t xp_neuron_start (const XpPlane *plane);

/* json.c reads the JSON of a Neuron plane's records. */
typedef struct {
  const char *name;
  PbSpan value;            /* as written; p is NULL: not there                    */
} XpMember;

/* Calls fn for each member of one object, in order; both spans as written. false: it is no object
 * that ends. */
typedef void (*XpMemberFn) (void *user, PbSpan name, PbSpan value);
bool xp_json_each (PbSpan text, XpMemberFn fn, void *user);

/* Calls fn for each item of an array, in order; false: it is no array that ends. */
typedef void (*XpItemFn) (void *user, PbSpan item);
bool xp_json_items (PbSpan list, XpItemFn fn, void *user);

/* Finds members of an object; false: it is none, or broken. */
bool xp_json_members (PbSpan text, XpMember *members, guint n);
/* Returns a string without its quotes and escapes, other values as they stand.  Transfer full. */
char *xp_json_text (PbSpan value);
/* Reads decimal microseconds, also as a string, to ps without a double; false: no number, too
 * large. */
bool xp_json_us (PbSpan value, int64_t *ps);

/* translated.c: JSON files of torch-neuronx as planes of an XSpace. */

bool xp_is_translated (const void *head, size_t len, const char *path);
/* Returns whether the input is read with another file of its folder. */
bool xp_translated_is_part (const Xplane *x);
/* Puts the XSpace that such an input and the files beside it make in place of its bytes; one that
 * starts at NULL: it is read with another input. Leaves other inputs as they are. */
nprof_status xp_translate (Xplane *x, PbSpan *bytes);
/* Returns the byte of the input from which the byte of that XSpace is; 0: it is of another file. */
uint64_t xp_translated_at (const Xplane *x, uint64_t at);
void xp_translated_free (Xplane *x);

/* probe.c */
int xp_probe (const void *head, size_t len, uint64_t size, const char *path);
