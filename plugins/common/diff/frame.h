/* SPDX-License-Identifier: Apache-2.0 */
/* frame.h - what a comparison begins with: whether both recordings are of one machine, the
 * periods of each device, the tokens that it computed a second, and the peaks of memory. */
#pragma once

#include "diff/compare.h"
#include "table/table-store.h"

/* What of one profile is needed for that. */
typedef struct NpDiffFrame NpDiffFrame;
NpDiffFrame *np_diff_frame_read (const NpTableStore *store);
/* Returns the k-th table that it is read from; NULL beyond the last. */
const char *np_diff_frame_table (guint k);
void np_diff_frame_free (NpDiffFrame *frame);

/* A fact that differs. */
typedef struct {
  const char *name;
  char *base, *new;
} NpDiffFact;

/* A part of table verdict_parts, of a mean period: whole ps, which add up to the rounded mean. */
typedef struct {
  const char *name; /* interned */
  double base, new;
} NpDiffPart;

/* The periods of a device on both sides.  Times are ps. */
typedef struct {
  const char *device, *new_device;
  const char *base_of, *new_of; /* "step", "step1", "phase", "phase1", "period" */
  guint base_n, new_n;
  double base_median, new_median, base_mean, new_mean;
  double delta;    /* of medians                                              */
  double interval; /* half of the 95 % interval of means' change; NAN: unknown */
  NpDiffVerdict verdict;
  gboolean slowest; /* of the devices of the new profile */
  GArray *parts;    /* of NpDiffPart */
} NpDiffPeriod;

typedef struct {
  char *allocator;
  const char *what; /* "peak", "reserved" */
  double base, new; /* bytes              */
} NpDiffMemory;

/* Tokens a second of a phase of a device, or of requests. */
typedef struct {
  const char *device, *of; /* device: "" of requests; of: "decode", "requests" */
  double base, new;
} NpDiffRate;

typedef struct {
  GArray *facts;   /* of NpDiffFact   */
  GArray *periods; /* of NpDiffPeriod */
  GArray *rates;   /* of NpDiffRate   */
  GArray *memory;  /* of NpDiffMemory */
  gboolean judged; /* the machines are alike, or verdicts are given whatever differs */
} NpDiffFrames;

/* Compares them; base and new stay the caller's and must live as long.  `comparisons`, of
 * NpDiffComparison, say which devices are a pair.  other_machine: periods are judged whatever
 * differs. */
NpDiffFrames *np_diff_frames_new (const NpDiffFrame *base, const NpDiffFrame *new,
                                  const GPtrArray *comparisons, const NpDiffLimits *limits,
                                  gboolean other_machine);
void np_diff_frames_free (NpDiffFrames *frames);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpDiffFrames, np_diff_frames_free)

/* Returns the periods of a device; NULL: it has none on both sides. */
const NpDiffPeriod *np_diff_frames_period (const NpDiffFrames *frames, const char *device);
