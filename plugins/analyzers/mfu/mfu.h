/* SPDX-License-Identifier: Apache-2.0 */
/* mfu.h - what the files of the analyzer mfu share: a run, its devices, and what each file does for
 * the others. Times are ps where nothing else is said. */
#ifndef MFU_H
#define MFU_H

#include "columns.h"
#include "devicekit/above-peak.h"
#include "devicekit/class.h"
#include "devicekit/declared-totals.h"
#include "devicekit/device-sweep.h"
#include "devicekit/peaks.h"
#include "devicekit/row-role.h"
#include "devicekit/table-rows.h"
#include "devicekit/traits.h"
#include "devicekit/work.h"
#include "layer-sums.h"

#include <math.h>
#include <nprof/keys.h>
#include <nprof/sdk.h>

typedef struct _MfRun MfRun;
typedef struct _MfShapes MfShapes;

typedef struct {
  gint64 number, start, end; /* ps, in the window */
} MfStep;

/* The cores of a logical core of Neuron, whose peak is that of all of them, are one device. */
typedef struct {
  MfRun *run;
  nprof_track track;
  nprof_track core; /* the first that worked, which says peaks and executions of all; else track */
  nprof_str label;
  guint32 input, n_lanes;
  AnSweep *sweep;
  gint64 first, last, busy; /* first > last: no work yet                                 */
  guint64 n_executions;
  gboolean cut;   /* an execution reaches beyond the selected range             */
  gint64 covered; /* end of the last that it did, so far                        */
  MfSum all;      /* at the end                                               */
  MfLayerSums layer_sums; /* operators and layers: by name, by layer                  */
  MfSums steps;   /* by index of `spans`, or of the number                    */
  AnAbovePeak above, above_bandwidth;
  GArray *spans; /* of MfStep: the device's own steps                          */
} MfDevice;

typedef struct {
  const AnPlace *place;
  MfDevice *device; /* NULL, and so the lane: nothing of it was taken yet */
  guint32 lane;
} MfTrack;

struct _MfRun {
  AnRows rows; /* first, for table-rows.h */
  const struct nprof_host *host;
  const char *folder; /* options */
  double peak_flops, peak_bandwidth;
  AnPlaces *places;
  AnTraitsReader traits;
  AnPeaks *peaks;
  AnWork work;
  MfShapes *shapes;
  GPtrArray *devices;   /* of MfDevice; at the end by their tracks   */
  GPtrArray *by_track;  /* nprof_track to MfDevice                   */
  GPtrArray *tracks;    /* of MfTrack or NULL, by handle             */
};

/* rows.c */
nprof_status mf_rows (MfRun *run, const struct nprof_batch *batch);
void mf_device_free (gpointer device);
/* Ends the rows and makes the sums whole. */
void mf_device_end (MfDevice *device);

/* model.c */
/* Forgets what the model computed where no row says which flops are transposes. */
void mf_forget_model (MfDevice *device);

/* table.c */
nprof_status mf_device_rows (MfDevice *d);

/* shapes.c reads tables of other analyzers. */
MfShapes *mf_shapes_new (const struct nprof_host *host);
void mf_shapes_free (MfShapes *shapes);
void mf_shapes_table (MfShapes *shapes, const struct nprof_table *table,
                      const struct nprof_cell *cells, guint n_rows);
/* Returns whether the analyzer operators takes part, which warns of operators above the peak. */
bool mf_shapes_warned (const MfShapes *shapes);

#endif
