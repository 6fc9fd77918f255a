/* SPDX-License-Identifier: Apache-2.0 */
/* phases.h - what the files of the analyzer phases share: steps of inference and the phase of each.
 * Times are ps where nothing else is said. */
#ifndef PHASES_H
#define PHASES_H

#include "columns.h"
#include "devicekit/row-launch.h"
#include "devicekit/distribution.h"
#include "devicekit/server-steps.h"
#include "devicekit/traits.h"

#include <nprof/draft/clip.h>
#include <nprof/keys.h>
#include <nprof/sdk.h>
#include <profile/graph-keys.h>
#include <system/launch-list.h>

/* Time of work in ps, what overlaps once, and the sum of all with what of it graphs replay. */
typedef struct {
  gint64 busy, covered; /* covered: until when */
  gint64 work, replayed;
  guint64 kernels; /* kernels, copies, sets */
} Busy;

typedef struct {
  gint64 start, end; /* ps */
  guint64 correlation;
  bool shown;   /* by the selection */
  bool lasting; /* it computes or communicates: copies may outlive their step */
  bool replayed; /* by a graph */
} Work;

/* From the first start to the last end. */
typedef struct {
  gint64 first, last; /* ps */
  bool any;
} Reach;

/* This is the work of a step. */
typedef struct {
  Reach all, lasting;
  Busy busy;
  bool shown;
} Done;

/* From the end of the work of the step before to that of its own. */
typedef struct {
  gint64 duration;      /* ps; -1: unknown                                                        */
  gint64 between;       /* ps since the work of the last step that gave tokens; -1: there is none */
} Period;

typedef struct {
  nprof_track track;
  nprof_str label;
  guint32 input;
  GArray *steps;    /* of AnServerStep: annotations of the device, by start                */
  GArray *waiting;  /* of Work: until all annotations that begin with it are known */
  GArray *work;     /* of Work: until all launches are known                       */
  GArray *begun;    /* of Done, by step of the device                             */
  GArray *launched; /* of Done, by step of the host                               */
  Busy by_start[N_PHASES], by_launch[N_PHASES];
} Device;

typedef struct {
  const struct nprof_host *host;
  struct nprof_window clip; /* sums are of what lies in it */
  AnPlaces *places;
  AnTraitsReader traits;
  AnLaunchKeys launch_keys;
  nprof_str collective, key_replay;
  bool graphs;           /* some work is said to be of a replay */
  bool steps;            /* there may be some: else no table has a row */
  GByteArray *known;     /* of an_names_server_step */
  GPtrArray *devices;    /* of Device         */
  GPtrArray *by_track;   /* these, by track   */
  GHashTable *annotated; /* inputs whose devices annotate, at the end */
  GPtrArray *host_steps; /* of an_server_steps_by_input */
  AnLaunchList launches;
} Phases;

/* rows.c */
void ph_choose (Phases *p, const struct nprof_batch *batch, uint8_t *rows);
void ph_rows (Phases *p, const struct nprof_batch *batch);
void ph_device_free (gpointer device);

/* Ends the rows. */
void ph_end (Phases *p);

/* periods.c: of each of the steps, whose work lies in `done`, which may be shorter; transfer
 * full. */
Period *ph_periods (const GArray *steps, const GArray *done);

/* write.c */
nprof_status ph_write (Phases *p);

/* A step as it is on its device; what is said of it and done in it. */
typedef struct {
  AnServerStep step;
  Period period;
  Busy busy;
  guint number; /* from 0, of its device */
} Stepped;

/* What replays of graphs ran of work; unknown where no work is said to be of one. */
struct nprof_maybe_double ph_in_graph (const Phases *p, const Busy *busy);

/* steps.c: table server_steps. */
extern const struct nprof_table server_steps_table;
nprof_status ph_write_steps (const Phases *p, const Device *d, const GArray *stepped);

#endif
