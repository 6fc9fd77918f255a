/* SPDX-License-Identifier: Apache-2.0 */
/* neuron.h - what the files of the analyzer neuron share: what is counted of a NeuronCore. */
#pragma once

#include "devicekit/peaks.h"
#include "devicekit/row-role.h"
#include "metrics.h"

#include <glib.h>
#include <nprof/pick.h>

enum { NE_TENSOR, NE_VECTOR, NE_SCALAR, NE_SYNC, NE_GPSIMD, NE_CC, NE_ENGINES };

/* Attributes of rows that are summed up as they are. */
enum { NE_SUMS = 17 };
typedef struct {
  const char *key;
  NmMetric metric;
} NeSum;
extern const NeSum ne_sums[NE_SUMS];

/* Spans in the order of their starts: how long at least one ran. */
typedef struct {
  guint64 n;
  gint64 total, covered; /* ps */
  gint64 end;
} NeUnion;

typedef struct {
  nprof_str input, label;
  nprof_track track; /* 0: only stated             */
  NeUnion engine[NE_ENGINES], dma, throttle, active;
  double sum[NE_SUMS];
  gboolean has_sum[NE_SUMS];
  gint64 wait[NE_ENGINES];
  gboolean has_wait[NE_ENGINES];
  guint64 events, matmuls, activates, psum_to_sbuf, with_opcode;
  gint64 activate_time;
  gint64 exec_first, exec_last; /* without setup and teardown; first > last: none */
  gint64 execution;             /* -1: unknown              */
  double clock, model_flops;    /* facts; NAN: unknown      */
} NeCore;

/* What tables of decoders state, by input: and by bucket, for the metrics of the vendor's tools. */
typedef struct {
  nprof_str input, bucket;
  double value[NM_METRICS];
} NeStated;

typedef struct {
  const struct nprof_host *host;
  const char *folder; /* options */
  double peak_flops, peak_bandwidth;
  struct nprof_pick pick;
  AnPlaces *places;
  AnPeaks *peaks;
  GPtrArray *cores;  /* of NeCore   */
  GPtrArray *stated; /* of NeStated */
  GHashTable *by_track, *opcodes;
  nprof_str engines[NE_ENGINES], category_instruction, category_collective, category_dma, category_throttle, category_execution,
      category_semaphore, category_event, key_clock, key_model_flops;
  guint64 unended;
} Neuron;

extern const struct nprof_table neuron_summary;
extern const char *const ne_wants[];

/* rows.c */
nprof_status ne_rows_open (Neuron *n);
void ne_rows (Neuron *n, const struct nprof_batch *batch);

/* tables.c */
void ne_table (Neuron *n, const struct nprof_table *table, const struct nprof_cell *cells,
               uint32_t n_rows);
nprof_status ne_write (Neuron *n);
