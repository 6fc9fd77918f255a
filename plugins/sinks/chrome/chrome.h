/* SPDX-License-Identifier: Apache-2.0 */
/* chrome.h - the instance of sink chrome, shared by its files. */
#pragma once

#include "trace-out/flows.h"
#include "trace-out/lanes.h"
#include "trace-out/split.h"
#include "trace-out/stream.h"

#include <nprof/json.h>
#include <nprof/keys.h>
#include <nprof/row.h>
#include <nprof/string-cache.h>

/* This is known of a track of the run. */
struct chrome_track {
  guint32 pid;   /* as a process; 0: not named yet                    */
  guint32 tid;   /* of its first lane; 0: not named yet               */
  guint32 lanes; /* that have a thread                                */
};

struct chrome_sink {
  int64_t split_mb;
  const struct nprof_host *host;
  gboolean gzip;
  Stream out;                 /* the trace; when it is split, only a buffer              */
  Split split;                /* limit 0: one file                                       */
  gint64 base;                /* ns from the run's origin: ts 0                          */
  gboolean started;           /* base is known                                           */
  guint64 events;

  struct nprof_string_cache inside; /* the inside of JSON strings                              */
  struct nprof_string_cache cats;   /* ,"cat":"..." with its colour                            */
  struct nprof_string_cache keys;   /* "key":                                                  */
  struct nprof_row_columns row_columns;
  struct nprof_buf scratch;
  nprof_str args_key;

  GArray *tracks;             /* of struct chrome_track, by handle                       */
  GArray *pids;               /* of guint32: the process of a thread, by tid             */
  guint32 last_number;        /* pids and tids count together, so that none is both      */
  GHashTable *counters;       /* (pid, name) to the first track that has such a counter  */

  nprof_track track;          /* the rows' that come now                                 */
  guint32 track_kind, pid;
  gint64 last_start;          /* ps                                                      */
  GArray *threads;            /* of guint32: tid (or async id) of the track's lanes      */
  Lanes lanes;

  Flows flows;
  guint32 last_flow;
  guint64 cut_arrows;         /* their ends are in different parts                       */
  guint64 without_span, without_phase, before_start, unknown_kinds;
  struct nprof_buf facts;
};

/* tracks.c writes processes, threads and their names. */
void chrome_enter_track (struct chrome_sink *self, nprof_track track, gint64 start);
guint32 chrome_first_thread (struct chrome_sink *self);
guint32 chrome_lane_thread (struct chrome_sink *self, guint lane);

/* args.c writes what is known of a row beyond its place. */
struct chrome_args {
  struct nprof_buf *to;
  const char *name; /* of the object */
  gboolean any;
};
void chrome_args_key (struct chrome_args *args, const char *key);
void chrome_args_end (struct chrome_args *args);
void chrome_put_value (struct chrome_sink *self, struct nprof_buf *to,
                       const struct nprof_field *field);
void chrome_put_attributes (struct chrome_sink *self, struct chrome_args *args);
void chrome_make_key (const void *user, struct nprof_buf *to, const char *text, size_t len);

/* rows.c writes rows as events. */
/* `at` is ns from ts 0 by which a split trace is cut, SPLIT_EVERYWHERE for what all parts need. */
void chrome_begin (struct chrome_sink *self, char phase, guint32 pid, guint32 tid, gint64 at);
void chrome_put_ts (struct nprof_buf *to, const char *key, gint64 ns);
void chrome_put_str (struct chrome_sink *self, struct nprof_buf *to, const char *key,
                     nprof_str str);
nprof_status chrome_row (struct chrome_sink *self, const struct nprof_batch *batch, guint i);
void chrome_span_over (gpointer user, guint lane, const struct lane_span *span);
void chrome_make_cat (const void *user, struct nprof_buf *to, const char *text, size_t len);

/* arrows.c: `at` is ns from ts 0. */
void chrome_flow (struct chrome_sink *self, const struct nprof_batch *batch, guint i, gint64 at);
void chrome_arrow (gpointer user, const struct flow_end *ends, guint n);

/* other.c writes what is true of the whole trace, and the end of the file. */
void chrome_fact (struct chrome_sink *self, const struct nprof_batch *batch, guint i);
void chrome_put_head (gpointer unused, struct nprof_buf *to);
/* Puts the end of the file of a part, counted from 1; parts 1: the whole. */
void chrome_put_tail (gpointer sink, struct nprof_buf *to, guint part, guint parts);
