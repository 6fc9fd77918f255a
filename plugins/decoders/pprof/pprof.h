/* SPDX-License-Identifier: Apache-2.0 */
/* pprof.h - what the files of the decoder pprof share: the messages of a profile, which may come in
 * any order, strings last. source: profile.proto of github.com/google/pprof */
#pragma once

#include "columns.h"
#include "protobuf/wire.h"

#include <glib.h>
#include <nprof/keys.h>
#include <nprof/sdk.h>

enum { MOST_TYPES = 64, MOST_FRAMES = 4096 };

typedef struct {
  guint64 type, unit; /* strings */
} PpType;

typedef struct {
  guint64 name, file; /* strings */
} PpFunction;

typedef struct {
  guint64 function; /* id */
  gint64 line;
} PpLine;

typedef struct {
  guint32 first, n; /* in Pprof.lines: inlined calls, the innermost first */
} PpLocation;

typedef struct {
  const struct nprof_host *host;
  const guint8 *data, *end;
  GArray *types, *lines, *strings, *samples; /* PpType, PpLine, PbSpan, PbSpan */
  GArray *locations, *functions;             /* PpLocation, PpFunction */
  GHashTable *location_of, *function_of;     /* 1 + index, by id       */
  gint64 time_ns, duration_ns;
  guint64 frames_left; /* how many more stacks may name: of a file of this size */
} Pprof;

/* read.c */
nprof_status pp_load (Pprof *p);
const char *pp_text_of (const Pprof *p, guint64 string, gsize *len);
nprof_str pp_str (const Pprof *p, guint64 string);
nprof_status pp_damage (const Pprof *p, const guint8 *at, const char *why);

typedef struct {
  gint64 value[MOST_TYPES];
  guint n_values, n_frames;
  PpLine frame[MOST_FRAMES]; /* the innermost first */
  GArray *labels;            /* of PpLabel          */
} PpSample;
typedef struct {
  guint64 key, text; /* strings */
  gint64 number;
} PpLabel;
nprof_status pp_sample (Pprof *p, PbSpan span, PpSample *sample);

/* tables.c */
nprof_status pp_tables (Pprof *p);
