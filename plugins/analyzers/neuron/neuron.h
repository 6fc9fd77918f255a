/* SPDX-License-Identifier: Apache-2.0 */
/* neuron.h - what the files of the analyzer neuron share: the counts of a NeuronCore. */
#pragma once

#include "columns.h"
#include "devicekit/peaks.h"
#include "devicekit/row-role.h"
#include "metrics.h"

#include <glib.h>
#include <nprof/draft/clip.h>
#include <nprof/reader.h>

enum { NE_TENSOR, NE_VECTOR, NE_SCALAR, NE_SYNC, NE_GPSIMD, NE_CC, NE_ENGINES };

enum { NE_SMALL = 2048 }; /* bytes: packets below cost more than they move. source: NKI guide */

/* These attributes of rows are summed up as they are. */
enum { NE_SUMS = 17, NE_SUM_TRANSPOSES = 1, NE_SUM_PSUM_TO_SBUF = 10 };
typedef struct {
  const char *key;
  NmMetric metric;
} NeSum;
extern const NeSum ne_sums[NE_SUMS];

/* Takes spans in the order of their starts. */
typedef struct {
  guint64 n;
  gint64 total, covered; /* ps: of all, and while at least one ran */
  gint64 end;            /* ps: of the last to end */
} NeUnion;

enum { NE_STATIC, NE_SOFTWARE, NE_HARDWARE, NE_QUEUE_TYPES };

typedef struct { /* throttling of one cause */
  gint64 time;   /* ns, as the vendor counts it */
  gint64 k, n;   /* the last rate that it allowed: k / n */
  gboolean seen;
} NeLimit;
enum { NE_ACTIVITY_0, NE_ACTIVITY_1, NE_UNKNOWN_CAUSE, NE_CAUSES };

/* This is a logical NeuronCore: all physical cores of a device that one input has. */
typedef struct {
  nprof_str input, label;
  nprof_track track; /* 0: only stated; of the first physical core */
  guint n_cores;
  NeUnion engine[NE_ENGINES], dma, small, transposes, throttle, active;
  NeUnion queue_type[NE_QUEUE_TYPES];
  guint64 waits[NE_ENGINES]; /* instructions that are no work but counted */
  guint64 unsure;            /* instructions that are work, or waits; not 0: no active time */
  guint64 untyped;           /* packets whose queue's type is not stated  */
  guint64 transfers, weights, semaphores, happenings; /* happenings: events  */
  gint64 transfer_time, last_end; /* ps */
  double transfer_bytes, small_bytes, queue_bytes[NE_QUEUE_TYPES];
  NeLimit limit[NE_CAUSES];
  gint64 limited;            /* ns under a limit                          */
  double allowed;            /* ns of the rate that limits allow          */
  double sum[NE_SUMS];       /* of ne_sums */
  gboolean has_sum[NE_SUMS];
  gint64 wait[NE_ENGINES];   /* ps */
  gboolean has_wait[NE_ENGINES];
  guint64 matmuls, activates, psum_to_sbuf, with_opcode; /* instructions */
  gint64 activate_time;         /* ps */
  gint64 exec_first, exec_last; /* ps, without setup and teardown; first > last: none */
  gint64 execution;             /* ps, the longest; -1: unknown */
  double clock, model_flops;    /* Hz, flop: facts; NAN: unknown */
} NeCore;

/* Tables of decoders state this, by input: and by bucket, for the metrics of the vendor's tools. */
typedef struct {
  nprof_str input, bucket;
  double value[NM_METRICS]; /* NAN: not stated */
} NeDeclared;

/* What engines waited for: waits.c */
typedef struct {
  GPtrArray *all;     /* of what is waited for, and by its key */
  GHashTable *by_key;
  GHashTable *raised; /* by core and semaphore: who raises it */
  GPtrArray *ends;    /* by track of an engine */
} NeWaits;

/* Texts of semaphore-keys.h; 0: none. */
typedef struct {
  nprof_str waits, signals, dma;
} NeSays;

typedef struct {
  const struct nprof_host *host;
  struct nprof_window clip; /* metrics are of what lies in it */
  const char *folder; /* options */
  double peak_flops, peak_bandwidth; /* flop/s, byte/s; 0: not given */
  struct nprof_reader pick;
  AnPlaces *places;
  AnPeaks *peaks;
  GPtrArray *cores;  /* of NeCore   */
  GPtrArray *stated; /* of NeDeclared */
  GPtrArray *counted; /* of NeDeclared: model_info */
  GPtrArray *sizes;   /* of NeDeclared: of the tensors that an input lists */
  GPtrArray *by_track;
  GHashTable *opcodes;
  GHashTable *files;  /* input and name of constants in tables of tensors */
  nprof_str engines[NE_ENGINES], category_instruction, category_collective,
      category_dma, category_throttle, category_execution, category_semaphore, category_event,
      category_wait, category_setup, category_unsure, category_transfer, category_unlimited,
      queue_types[NE_QUEUE_TYPES], key_clock, key_model_flops;
  NeWaits semaphores;
  guint64 unended;
} Neuron;

extern const char *const ne_wants[];

/* rows.c */
nprof_status ne_rows_open (Neuron *n);
void ne_rows (Neuron *n, const struct nprof_batch *batch);

/* waits.c */
extern const struct nprof_table neuron_waits_table;
void ne_waits_open (NeWaits *w);
void ne_waits_close (NeWaits *w);
/* Takes an instruction, also one that only waits; those of an engine come by start. */
void ne_waits_row (Neuron *n, const struct nprof_batch *batch, uint32_t i, guint engine,
                   const NeSays *says);
nprof_status ne_waits_write (Neuron *n);

/* tables.c */
void ne_table (Neuron *n, const struct nprof_table *table, const struct nprof_cell *cells,
               uint32_t n_rows);
nprof_status ne_write (Neuron *n);
