/* SPDX-License-Identifier: Apache-2.0 */
/* operators.h - what the files of the analyzer share: each distinct thing that ran, and what its
 * occurrences come to. */
#ifndef OPERATORS_H
#define OPERATORS_H

#include "devicekit/above-peak.h"
#include "devicekit/class.h"
#include "devicekit/clock.h"
#include "devicekit/flops.h"
#include "devicekit/key-table.h"
#include "devicekit/peaks.h"
#include "devicekit/reorder-window.h"
#include "devicekit/row-role.h"

#include <glib.h>
#include <nprof/sweep.h>

typedef __int128 Wide; /* sums of picoseconds, flop, bytes: no number of rows overflows them */

/* What rows say of an operator: words of a tuple.  0: not said. */
enum {
  OP_DEVICE, /* track: a device or core; of a host its process */
  OP_HOST,   /* 1: an operator of the framework, on the host   */
  OP_NAME,
  OP_CATEGORY,
  OP_FRAMEWORK,
  OP_HLO,
  OP_HLO_TEXT,
  OP_OPCODE,
  OP_LAYER,
  OP_DEDUPLICATED,
  OP_PROGRAM_LOW,
  OP_PROGRAM_HIGH,
  OP_WORDS
};

typedef struct {
  guint64 occurrences;
  Wide total, self;               /* ps                                                      */
  Wide flops, model_flops, bytes; /* of occurrences that no other lay in         */
  guint64 with_flops, with_model, with_bytes; /* those of them that state it     */
  gint64 first, last; /* ps: where it begins and ends, in the time of the run    */
} Op;

/* What a row says: which operator, and the work that it states; 0 where it states none. */
typedef struct {
  AnFlops flops;
  gint64 bytes;
  guint32 op;
  bool has_bytes, is_kernel; /* the latter: of Kineto, which an arrow may end at */
} OpFacts;
typedef struct _OperatorCache OperatorCache;

/* One that is open, beside the sweep's own stack. */
typedef struct {
  OpFacts facts;
  nprof_str launcher; /* innermost operator of the framework around it, or itself */
  guint64 flow;       /* that ends here                                          */
} Running;

/* One that waits to be in order, by the device's clock. */
typedef struct {
  AnWindowSpan span;
  OpFacts facts;
} Waiting;

/* -- Launches (links.c) ----------------------------------------------------------------- */

/* Kernels of Kineto and the host's calls that launched them. */
typedef struct {
  guint64 flow; /* 0: none ends here                     */
  gint64 duration;
  guint32 kernel; /* tuple of queue, name, category, device */
} Kernel;

typedef struct {
  guint64 flow;
  nprof_str launcher;
} Launch;

typedef struct {
  guint64 limit; /* bytes */
  GArray *kernels, *launches;
  AnKeyTable keys;
  nprof_str family; /* "ac2g" */
  bool over, seen;  /* more than the limit; the input has such arrows */
} Links;

typedef struct {
  uint64_t window, links_limit; /* options */

  const struct nprof_host *host;
  AnPlaces *places;
  AnClasses *classes;
  AnPeaks *peaks;
  struct nprof_reader pick;
  OperatorCache *known;
  OpFacts facts; /* of a row that is not remembered */
  AnKeyTable tuples;
  GArray *ops; /* of Op, by tuple */

  nprof_track track; /* that is being swept; 0: none */
  const AnPlace *place;
  nprof_track process; /* on a host */
  struct nprof_sweep sweep;
  Running *running; /* by depth */
  guint n_running;
  AnWindow *order;
  bool by_device; /* the track's rows have the device's times: through the window */

  guint64 unended, late;
  Links links;
  GByteArray *category; /* by handle: what Kineto's categories are to us */
} Operators;

/* rows.c */
nprof_status rows_init (Operators *self);
void rows_choose (Operators *self, const struct nprof_batch *batch, uint8_t *rows);
nprof_status rows_consume (Operators *self, const struct nprof_batch *batch);
nprof_status rows_end_track (Operators *self);
void rows_clear (Operators *self);
guint32 op_number (Operators *self, const guint32 *tuple);
bool is_kernel (const Operators *self, nprof_str category);

/* operator-cache.c */
nprof_status operator_cache_init (Operators *self);
void operator_cache_clear (Operators *self);
/* Of a row on the track that is being swept, until the next; clock: its time by the device's. */
const OpFacts *operator_cache_row (Operators *self, const struct nprof_batch *batch, uint32_t i,
                                   AnClock *clock);

/* links.c */
void links_init (Links *links, const struct nprof_host *host, guint64 limit);
void links_clear (Links *links);
void links_launch (Links *links, guint64 flow, nprof_str launcher);
void links_kernel (Links *links, const AnPlace *place, nprof_str name, nprof_str category,
                   gint64 duration, guint64 flow);
nprof_status links_write (Links *links, const struct nprof_host *host);

/* levels.c */
nprof_status levels_write (Operators *self);

/* layers.c */
nprof_status layers_write (Operators *self);
/* The layer that an operator is of: stated, or by its path.  0: unknown. */
nprof_str layers_of (Operators *self, const guint32 *tuple);

extern const struct nprof_table operators_table, layers_table, linked_table;

/* A sum as a cell; what does not fit 64 bits is unknown. */
struct nprof_cell wide_cell (Wide sum);
/* (a / b), rounded to the nearest */
gint64 wide_mean (Wide a, guint64 b);

/* mfu.c: flop/s that the device could do, NAN when unknown; the part that was done of what could be;
 * `with` 0: unknown. */
double peak_flops_of (Operators *self, nprof_track device);
/* Returns which part of `could` was used, by all flops or by the model's where those are more; NAN: unknown. */
double used_part (const Op *sum, double could);
struct nprof_cell used_cell (Wide flops, guint64 with, double could);

#endif
