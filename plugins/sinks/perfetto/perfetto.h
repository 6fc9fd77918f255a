/* SPDX-License-Identifier: Apache-2.0 */
/* perfetto.h - the instance of sink perfetto, shared by its files, and the numbers of the fields
 * of Perfetto's messages that it writes (protos/perfetto/trace of google/perfetto). */
#pragma once

#include "system/large.h"
#include "trace-out/flows.h"
#include "trace-out/lanes.h"
#include "trace-out/split.h"
#include "trace-out/stream.h"
#include "wire.h"
#include "words.h"

#include <nprof/json.h>
#include <nprof/keys.h>
#include <nprof/row.h>
#include <nprof/string-cache.h>

enum { TRACE_PACKET = 1 };

enum { /* of TracePacket */
  PACKET_CLOCK_SNAPSHOT = 6,
  PACKET_TIMESTAMP = 8,
  PACKET_SEQUENCE = 10,
  PACKET_TRACK_EVENT = 11,
  PACKET_INTERNED = 12,
  PACKET_FLAGS = 13, /* 1: what was interned is forgotten; 2: needs what was interned */
  PACKET_COMPRESSED = 50,
  PACKET_DESCRIPTOR = 60
};

enum { /* of TrackEvent */
  EVENT_CATEGORY_IID = 3,
  EVENT_ARG = 4,
  EVENT_TYPE = 9,
  EVENT_NAME_IID = 10,
  EVENT_TRACK = 11,
  EVENT_CATEGORY = 22,
  EVENT_NAME = 23,
  EVENT_COUNT = 30,
  EVENT_DOUBLE_COUNT = 44,
  EVENT_FLOW = 47,
  EVENT_LAST_FLOW = 48
};
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };

enum { /* of DebugAnnotation */
  ARG_NAME_IID = 1,
  ARG_BOOL = 2,
  ARG_UINT = 3,
  ARG_INT = 4,
  ARG_DOUBLE = 5,
  ARG_STRING = 6,
  ARG_NAME = 10,
  ARG_MEMBER = 11,
  ARG_ELEMENT = 12,
  ARG_STRING_IID = 17
};

/* Texts are interned apart by what they are of a row. */
enum {
  INTERNED_CATEGORIES,
  INTERNED_EVENT_NAMES,
  INTERNED_ARG_NAMES,
  INTERNED_ARG_STRINGS,
  N_INTERNED
};

#define INTERNED_LENGTH 4096 /* longer texts seldom come twice */

struct interned {
  guint field;       /* of InternedData                       */
  guint32 last, n;   /* last: number that was given           */
  guint32 *number;   /* n: of texts of the run, by handle; of */
                     /* names of args, 1 + index among words  */
  Words words;       /* texts of JSON, and all names of args  */
  guint32 last_word; /* of JSON                               */
};

/* Args that this sink puts itself. */
enum { OWN_START, OWN_DURATION, OWN_ID, OWN_PARENT, OWN_FLOW, OWN_VALUE, N_OWN };

/* This is known of a track of the run. */
struct perfetto_track {
  guint32 process; /* uuid as a process; 0: not described yet */
  guint32 lanes;   /* that are described                      */
  gboolean told;   /* about.c has said what it is             */
};

/* The attributes of a shared set as annotations, in `set_bytes`. */
struct put_set {
  nprof_set set;          /* 0: none yet                                          */
  gboolean whole, is_put; /* its rows get no copies; it is in `set_bytes`         */
  guint64 keys;           /* bits of the keys that it has, by their last six bits */
  gsize at, len;
};

/* One end of an arrow: the event that it is bound to gets the arrow's number. */
struct link {
  guint64 event, arrow;
  guint32 place; /* of the event, in a trace that is split */
  guint32 last;  /* it is the arrow's last end             */
};

struct perfetto_sink {
  int64_t split_mb;
  int32_t compress;
  const struct nprof_host *host;
  gboolean gzip;
  Stream out;                 /* the trace; when it is split, only a buffer              */
  struct nprof_buf raw;       /* packets that are still to be compressed                 */
  gsize packet;               /* of `waiting`: where one begins that is being put        */
  Split split;                /* limit 0: one file                                       */
  gint64 base;                /* ns from the run's origin: the trace's beginning         */
  gint64 zero;                /* the same of timestamp 0: 0, or the base before it       */
  gboolean started;           /* base is known                                           */

  struct nprof_string_cache texts; /* as Perfetto takes them                             */
  struct interned interned[N_INTERNED];
  struct nprof_buf fresh;     /* fields of InternedData for the next packet              */
  guint64 interned_bytes;
  gboolean plain;             /* what is put waits too long to be interned               */
  struct nprof_row_columns row_columns;
  struct nprof_buf scratch, word;
  nprof_str args_key, unit_key, own[N_OWN];
  struct put_set *sets;       /* by their last bits; a later one takes the place         */
  struct nprof_buf set_bytes;
  struct nprof_batch own_only; /* the batch that is consumed, without shared sets        */

  GArray *tracks;             /* of struct perfetto_track, by handle                     */
  guint32 last_number;        /* uuids, pids and tids count together                     */
  GHashTable *counters;       /* (track, name) to the uuid of its track                  */
  GHashTable *counter_names;  /* (process, name) to the first track that has it          */

  nprof_track track;          /* the rows' that come now                                 */
  guint32 track_kind, process;
  gint64 last_start;          /* ps                                                      */
  GArray *lane_tracks;        /* of guint32: uuids of the track's lanes                  */
  Lanes lanes;

  struct nprof_buf waiting;   /* packets, until they are worth a write                   */
  Spill spill;                /* those before them                                       */
  struct nprof_buf body;      /* fields of the event that is being put                   */
  gint64 at, place;           /* its time, and by what a split trace is cut, ns          */
  guint64 n_events, n_rows;

  Flows flows;
  NpLargeArray *links;        /* of struct link                                          */
  guint64 n_arrows, cut_arrows;
  guint64 without_span, without_phase, before_zero, unknown_kinds;
  struct nprof_buf facts;     /* elements of an array, as DebugAnnotation has them        */
  struct nprof_buf originals; /* the same: which tracks of the run those of the trace are */
};

/* packets.c makes packets, which wait until the last row has come, since only then it is known
 * which arrows end where; and defines what they intern. */
/* Begins a packet at a place (SPLIT_EVERYWHERE: in all parts); returns the buffer of its fields. */
struct nprof_buf *perfetto_begin_packet (struct perfetto_sink *self, gint64 place);
void perfetto_end_packet (struct perfetto_sink *self);
/* The same with a TrackEvent of this time, type and track, whose other fields the caller puts. */
struct nprof_buf *perfetto_begin_event (struct perfetto_sink *self, gint64 place, gint64 at,
                                        guint type, guint32 track);
void perfetto_end_event (struct perfetto_sink *self);
/* Writes all packets, with the arrows that `links` has, to the trace, or to its parts. */
nprof_status perfetto_write (struct perfetto_sink *self);
/* Puts a text as the field `plain` of a message, or what it is interned as, as the field `iid`. */
void perfetto_put_name (struct perfetto_sink *self, struct nprof_buf *to, guint iid, guint plain,
                        guint kind, nprof_str text);
/* Returns whether a text of this length is interned. */
gboolean perfetto_interns (const struct perfetto_sink *self, size_t len);
/* Finds the index of a word; puts one, which must not be longer than INTERNED_LENGTH. */
guint32 perfetto_find_word (struct perfetto_sink *self, guint kind, const char *text, size_t len);
void perfetto_put_word (struct perfetto_sink *self, struct nprof_buf *to, guint kind,
                        guint32 word);
/* Puts the name of an arg: one that this sink puts itself; that of an attribute; one of JSON, but
 * TRUE if an attribute that perfetto_mark_keys saw has it. */
void perfetto_put_own_key (struct perfetto_sink *self, struct nprof_buf *to, nprof_str key);
void perfetto_put_attribute_key (struct perfetto_sink *self, struct nprof_buf *to, nprof_str key);
gboolean perfetto_put_key (struct perfetto_sink *self, struct nprof_buf *to, guint32 key);
void perfetto_mark_keys (struct perfetto_sink *self);
void perfetto_make_text (const void *user, struct nprof_buf *to, const char *text, size_t len);

/* Return the number that a text, or the name of an attribute's arg, was interned as; 0: it is put
 * another way, or for the first time. */
static inline guint32
perfetto_known (const struct perfetto_sink *self, guint kind, nprof_str text)
{
  const struct interned *table = self->interned + kind;
  return text < table->n && !self->plain ? table->number[text] : 0;
}

static inline guint32
perfetto_known_key (const struct perfetto_sink *self, nprof_str key, gboolean own)
{
  const GArray *words = self->interned[INTERNED_ARG_NAMES].words.all;
  const guint32 index = perfetto_known (self, INTERNED_ARG_NAMES, key);
  const struct word *word = index ? &g_array_index (words, struct word, index - 1) : NULL;
  return word && word->own == own ? word->number : 0;
}

/* tracks.c describes processes, threads and counters. */
struct perfetto_track *perfetto_track_at (struct perfetto_sink *self, nprof_track handle);
void perfetto_enter_track (struct perfetto_sink *self, nprof_track track, gint64 start);
guint32 perfetto_lane_track (struct perfetto_sink *self, guint lane);
guint32 perfetto_counter_track (struct perfetto_sink *self, nprof_str name, nprof_str unit);
guint32 perfetto_about_track (struct perfetto_sink *self);

/* args.c puts what is known of a row beyond its place. */
void perfetto_put_value (struct perfetto_sink *self, struct nprof_buf *to,
                         const struct nprof_field *field);
void perfetto_put_attributes (struct perfetto_sink *self, struct nprof_buf *to);
/* sets.c puts the attributes of row i, those of a set by a copy of what was put for an earlier row;
 * what it copies must be forgotten with what is interned. */
void perfetto_put_row_attributes (struct perfetto_sink *self, const struct nprof_batch *batch,
                                  guint i);
void perfetto_forget_sets (struct perfetto_sink *self);
/* Puts an arg of this sink's own that is a whole number, of the type of that field. */
void perfetto_put_own (struct perfetto_sink *self, struct nprof_buf *to, guint own, guint type,
                       guint64 number);
/* Begin an arg, whose value the caller puts before wire_end. */
size_t perfetto_begin_own (struct perfetto_sink *self, struct nprof_buf *to, guint own);
size_t perfetto_begin_arg (struct nprof_buf *to, const char *name);

/* json.c puts JSON of a producer: a value; or the members of an object beside the attributes of
 * perfetto_mark_keys, FALSE: it is none. */
void perfetto_put_json (struct perfetto_sink *self, struct nprof_buf *to,
                        const struct nprof_field *field);
gboolean perfetto_put_members (struct perfetto_sink *self, struct nprof_buf *to,
                               const struct nprof_field *field);

/* rows.c makes events of rows. */
nprof_status perfetto_row (struct perfetto_sink *self, const struct nprof_batch *batch, guint i);
void perfetto_span_over (gpointer user, guint lane, const struct lane_span *span);
void perfetto_arrow (gpointer user, const struct flow_end *ends, guint n);

/* about.c writes what is true of the whole trace. */
void perfetto_put_head (struct perfetto_sink *self);
void perfetto_fact (struct perfetto_sink *self, const struct nprof_batch *batch, guint i);
/* Keeps that the track `uuid` of the trace has rows of this track of the run, for who reads it
 * back. */
void perfetto_original (struct perfetto_sink *self, guint32 uuid, nprof_track track);
void perfetto_put_about (struct perfetto_sink *self);
