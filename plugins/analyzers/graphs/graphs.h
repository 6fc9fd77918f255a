/* SPDX-License-Identifier: Apache-2.0 */
/* graphs.h - what the files of the analyzer graphs share: replays, and sums of work within and
 * outside of them. */
#ifndef GRAPHS_H
#define GRAPHS_H

#include "columns.h"
#include "devicekit/graph-row.h"
#include "devicekit/kernel-family.h"
#include "devicekit/key-table.h"
#include "devicekit/row-launch.h"
#include "devicekit/server-steps.h"
#include "devicekit/traits.h"
#include "system/large.h"

#include <nprof/draft/clip.h>
#include <nprof/keys.h>
#include <nprof/sdk.h>
#include <system/launch-list.h>

typedef struct {
  guint64 kernels;
  gint64 busy; /* ps in the window */
} Sum;

/* One launch of a graph, on one device. */
typedef struct {
  gint64 first, last;   /* ps: first start, last end         */
  gint64 idle;          /* ps of the device before it; -1: it is the first work */
  guint64 correlation;  /* of its launch */
  guint64 hash;         /* of what it runs, in its order */
  gint64 busy, named;   /* ps in the window; of these with a known operator */
  gint64 within;        /* ps between its first start and last end without any of its kernels */
  gint64 between;       /* ps since the one before of its graph; -1: it is the first */
  Sum outside;          /* work outside of graphs that began since the replay before */
  guint32 device;       /* number of it */
  guint32 input, kernels, streams;
  guint32 number;       /* of its graph */
  guint32 graph;        /* its place among the rows of table graphs */
  GraphMatch match; /* the least sure */
} Replay;

typedef struct {
  nprof_track track;
  nprof_str label;
  guint32 input;
  gint64 end, busy; /* ps: of its work so far; all of it */
  Sum outside;      /* of graphs, since the last replay began */
  bool any;
} Device;

/* These words tell sums apart. */
enum { FAMILY_DEVICE, FAMILY_NAME, FAMILY_IN_GRAPH, FAMILY_WORDS };
enum { OPERATOR_DEVICE, OPERATOR_NAME, OPERATOR_MODULE, OPERATOR_MATCH, OPERATOR_WORDS };
enum { OUTSIDE_DEVICE, OUTSIDE_KERNEL, OUTSIDE_WORDS };

typedef struct {
  const struct nprof_host *host;
  struct nprof_window clip;
  AnPlaces *places;
  AnTraitsReader traits;
  AnLaunchKeys launch_keys;
  AnGraphKeys keys;
  nprof_str key_replay, key_layer;
  AnFamilies *families;
  bool any;               /* there may be replays: else no table has a row */
  GHashTable *family;     /* name -> its family */
  GArray *devices;        /* of Device */
  GPtrArray *by_track;    /* track -> 1 + number of the device */
  AnKeyTable replay_keys; /* device, input, replay, high word */
  NpLargeArray *replays;  /* of Replay */
  AnKeyTable streams;     /* replay, track */
  AnKeyTable calls;       /* sum of an operator, input, call, high word */
  AnKeyTable family_keys, operator_keys, outside_keys;
  AnKeyTable content_keys;       /* replay, family */
  NpLargeArray *content_sums;    /* of Sum */
  NpLargeArray *family_sums, *operator_sums, *outside_sums; /* of Sum */
  GArray *operator_calls;                                   /* of guint64, by operator_keys */
  AnLaunchList launches;
  GByteArray *known;     /* of an_names_server_step */
  GPtrArray *host_steps; /* of an_server_steps_by_input */
  GArray *open;        /* layers.c: replays that may not be over; NULL: none */
  GHashTable *layered; /* layers.c: what they were, by graph; NULL: none */
} Graphs;

nprof_status graphs_rows (Graphs *g, const struct nprof_batch *batch);
void graphs_choose_rows (Graphs *g, const struct nprof_batch *batch, uint8_t *rows);
nprof_status graphs_write (Graphs *g);

#endif
