/* SPDX-License-Identifier: Apache-2.0 */
/* latency.h - what the files of the analyzer share: groups of durations and their places. */
#ifndef LATENCY_H
#define LATENCY_H

#include "columns.h"
#include "devicekit/distribution.h"
#include "devicekit/key-table.h"
#include "devicekit/row-role.h"

#include <nprof/draft/clip.h>
#include <nprof/sdk.h>

enum { BY_NAME, BY_TRACK, BY_PROCESS, BY_STEP, BY_INFERENCE };

/* These words make a place, which is a track or a process, and a group. */
enum { P_INPUT, P_PROCESS, P_THREAD, P_NUMBER, P_WORDS };
enum { G_PLACE, G_NAME, G_CATEGORY, G_WORDS };

typedef struct {
  nprof_track track;  /* of this run; 0: only merged */
  bool known;         /* first and last are          */
  gint64 first, last; /* ps                          */
  guint64 gaps;       /* merged ones                 */
} Place;

/* It is exact while its count is at most `limit`: see groups.c. */
typedef struct {
  guint64 memory; /* bytes of durations that may be kept     */
  guint64 limit;
  guint64 held; /* sum of MIN (count, limit) of all groups */
  AnKeyTable keys;
  NpLargeArray *dist; /* of Dist, by key */
  NpLargePool *pool;  /* of their durations */
  GArray *outside; /* of DistSum, by key; ps beyond the window; as long as the last that has some */
} Groups;

typedef struct {
  int32_t by, method; /* options */
  uint64_t memory;

  const struct nprof_host *host;
  AnPlaces *places;
  AnKeyTable place_keys;
  GArray *place;      /* of Place, by key                      */
  GArray *place_of;   /* of guint: 1 + place, by track handle  */
  GArray *gaps;       /* of guint64, by track handle           */
  GArray *gaps_below; /* the same with the tracks below; NULL: to be counted */
  Groups groups;
  nprof_str step, inference;
  struct nprof_window window;
  guint64 unended;
} Latency;

/* groups.c */
void groups_init (Groups *groups, guint64 memory);
void groups_clear (Groups *groups);
guint groups_get (Groups *groups, const guint32 *key);
void groups_add (Groups *groups, guint number, gint64 duration);
/* Adds a row to both of these at once. */
void groups_add_row (Groups *groups, guint32 place, guint32 name, guint32 category,
                     gint64 duration);
/* Says that so much of a row that was added lies beyond the window. */
void groups_add_outside (Groups *groups, guint32 place, guint32 name, guint32 category,
                         gint64 duration);
/* Returns the sum of the durations, the part inside the window. */
DistSum groups_total (const Groups *groups, guint number);
/* Adds all values of another group, which is a histogram. */
void groups_add_histogram (Groups *groups, guint number, const Dist *from);

/* rows.c */
void rows_consume (Latency *self, const struct nprof_batch *batch);
guint rows_place (Latency *self, const guint32 *key);
guint64 rows_gaps (Latency *self, const Place *place);

/* write.c */
nprof_status write_table (Latency *self);

/* state.c */
nprof_status state_save (void *instance, struct nprof_output *out);
nprof_status state_merge (void *instance, const void *data, size_t len);

#endif
