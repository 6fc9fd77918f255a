/* SPDX-License-Identifier: Apache-2.0 */
/* device.h - what the files of the analyzer device share: a run, its devices, and what each file
 * does for the others. Times are ps where nothing else is said. */
#ifndef DEVICE_H
#define DEVICE_H

#include "columns.h"
#include "bins.h"
#include "devicekit/row-launch.h"
#include "devicekit/class.h"
#include "devicekit/declared-totals.h"
#include "devicekit/device-sweep.h"
#include "devicekit/held-rows.h"
#include "devicekit/idle.h"
#include "devicekit/key-table.h"
#include "devicekit/peaks.h"
#include "devicekit/row-keys.h"
#include "devicekit/row-role.h"
#include "devicekit/table-rows.h"
#include "devicekit/traits.h"
#include "devicekit/work.h"
#include "totals.h"

#include <math.h>
#include <nprof/keys.h>
#include <nprof/sdk.h>

typedef struct _Device Device;

/* This work begins, and ends the stretch without work before it. */
typedef struct {
  AnIdleEnd by;
  nprof_str name; /* 0: none began, the program or the recording ended          */
  bool control;   /* a loop, a call or a wait, which says less than what follows */
} DvBegun;

/* This is a stretch without work.  Times are in ps. */
typedef struct {
  gint64 start, end;                    /* end < start: there is none                     */
  DvBegun ended;                        /* by what, when it has ended                     */
  gboolean lost;                        /* rows of that time are missing: idle or not, unknown */
} DvStretch;

typedef struct {
  DvStretch now, before;                /* before: the last one, until a loss cannot touch it */
  AnIdlePrograms programs;
  gint64 merged[AN_IDLE_CAUSES];        /* of parts too short for a row                   */
  guint64 n_merged[AN_IDLE_CAUSES];
  gboolean lost_next;                   /* the next stretch is one after a loss           */
  gint64 lost_until, lost;              /* end of the last loss; sum of lost stretches    */
  gint64 idle;                          /* sum of the others                              */
  gboolean all_lost;                    /* the file was cut off: rows of all times may be missing */
  guint64 n_short, n_closed;            /* gaps below 10 us, also of 0; of these of 1 ns  */
} DvGaps;

/* These are for a row of the table. */
typedef struct {
  const Device *device;
  gint64 start, duration;
  AnIdleCause cause;
  nprof_str ended_by;
} DvGap;

/* These are rows that the file misses, on a track: kind gap. */
typedef struct {
  nprof_track track;
  gint64 start, duration; /* -1: no end */
} DvLoss;

/* A row's transfer adds this to its queue. */
typedef struct {
  guint64 n;
  gint64 bytes;        /* -1: some transfer states none */
  gint64 busy, covered; /* union, and until when         */
  bool over_link;       /* some transfer goes to the host or to another device */
  bool accessed;        /* of some the bytes are those that its instruction accesses */
  nprof_str label;
} DvQueue;

/* What an engine or a queue, which is a track, did. */
typedef struct {
  guint64 n;            /* spans of work                          */
  gint64 busy, covered; /* union, and until when                  */
  AnDoubt doubt;        /* of its work                            */
} DvEngine;

typedef struct {
  const AnPlace *place;
  Device *device; /* NULL, and so for lane, queue and work: nothing of it was taken yet */
  guint32 lane, whole_lane; /* in its device, and in the logical core of that */
  nprof_track section;     /* the process of a timeline that it is of; 0: none     */
  bool elsewhere;          /* it worked outside of the window of --clip */
  gboolean engine, tensor; /* of operators; a tensor engine */
  DvQueue queue;
  DvEngine work;
} DvTrack;

enum { DV_TENSOR, DV_HFU, DV_THROUGHPUT, DV_PENDING, DV_N_COUNTERS };

struct _Device {
  struct _DvRun *run;
  nprof_track track;
  nprof_str label;
  guint32 input;
  Device *whole;    /* the logical core of Neuron that it is a physical core of, of which only
                       `all`, the gaps and what these need are told; NULL: of none              */
  guint32 n_lanes;  /* of such a whole                                                        */
  GPtrArray *lanes; /* of DvTrack, in their order; the run owns them */
  AnSweep *sweep;
  gint64 first, last;      /* of work and of what lies around it; first > last: none yet   */
  DvMoments all, linked;
  gint64 linked_first, linked_last;
  guint64 n_work, n_linked, n_executions;
  gboolean any_work;       /* also work without length; else only programs around it are known */
  gboolean unlinked;       /* some work is of a kind that has launches, and misses its own  */
  guint64 n_unsure;        /* rows that are work or a wait, or whose engine has a clock of
                              its own: then busy is unknown                               */
  AnDoubt doubt;           /* of these                                                     */
  gboolean cut;            /* an execution reaches beyond the selected range               */
  gboolean closed;         /* all of the span was passed                                   */
  DvGaps gaps;
  GArray *losses;          /* of DvLoss, in the order of time                              */
  GArray *sections;        /* work of sections, in sections.c; NULL: none                  */
  guint n_passed;          /* of these                                                     */
  gint64 tensor_covered;
  DvBins bins[DV_N_COUNTERS];
  guint place;             /* among the devices, at the end                                */
  guint8 known;            /* of what follows: AN_KNOWS_FLOPS ...; of innermost work        */
  double flops, model_flops, bytes;
};

/* This is allocated memory of a device, as the host's allocator states it. */
typedef struct {
  guint32 input;
  gint64 number;
  double *most, *last; /* of each bin; NAN: not stated there */
  gint64 *last_at;     /* when that was stated               */
} DvMemory;

typedef struct _DvRun {
  AnRows rows; /* first, for table-rows.h */
  const struct nprof_host *host;
  const char *folder;   /* options */
  double peak_flops, peak_bandwidth;
  int64_t bin, gap;     /* ns */
  AnPlaces *places;
  GArray *gaps;         /* of DvGap                                */
  AnTraitsReader traits;
  AnPeaks *peaks;
  AnWork work;
  AnLaunches launches;
  AnHeld held;
  AnWaits *waits;
  AnLaunchKeys launch_keys;
  nprof_str key_args, name_memory;
  GPtrArray *devices;   /* of Device; at the end by their tracks   */
  GPtrArray *wholes;    /* of Device: logical cores                */
  GPtrArray *core_places; /* of these, see devicekit/logical-core.h; NULL until then */
  GPtrArray *by_track;  /* nprof_track to Device                   */
  GPtrArray *tracks;    /* of DvTrack or NULL, by handle           */
  GPtrArray *memories;  /* of DvMemory                             */
  AnKeyTable memory_keys; /* input and number of these, as they came */
  GArray *losses;       /* of DvLoss: for devices yet to come      */
  gint64 width;         /* of a bin, ps; 0: not known yet          */
  guint n_bins;
  guint64 unclosed;     /* rows of work without an end             */
} DvRun;

/* Returns whether it is known when the device was busy. */
static inline bool
dv_is_sure (const Device *d)
{
  return d->any_work && !d->n_unsure;
}

/* rows.c */
void dv_choose (DvRun *run, const struct nprof_batch *batch, uint8_t *rows);
nprof_status dv_rows (DvRun *run, const struct nprof_batch *batch);
/* Takes a row that waited for its launch. */
void dv_held (gpointer run, const struct nprof_batch *row, const AnLaunch *launch);
void dv_track_free (gpointer track);
void dv_device_free (gpointer device);
/* Begins a logical core, which is what holds its physical ones. */
Device *dv_whole_new (DvRun *run, nprof_track track);

/* gaps.c */
void dv_gaps_init (DvGaps *gaps);
void dv_gaps_passed (Device *d, gint64 from, gint64 to);
/* Begins work now, which ends a gap if there is one. */
void dv_gaps_work (Device *d, gint64 start, const DvBegun *work);
/* Ends the rows. */
void dv_gaps_end (Device *d);
/* Writes the gaps of all devices, which have ended, into the table, by start. */
nprof_status dv_gaps_write (DvRun *run);
/* Returns which gaps have a row of their own, ps. */
gint64 dv_gaps_least (const DvRun *run);
/* Begins a loss now that lasts until then. */
void dv_gaps_lost (Device *d, gint64 until);

/* Writes of which devices the recorder closed the short gaps. */
nprof_status dv_closed_gaps_write (DvRun *run);

/* logical.c */
extern const struct nprof_table logical_cores_table;
/* Returns the logical core of a physical one; NULL: it is none of several. */
Device *dv_whole_of (DvRun *run, nprof_track core);
/* Ends logical cores and writes the table, when all devices have ended. */
nprof_status dv_logical_write (DvRun *run);

/* sections.c */
extern const struct nprof_table section_gaps_table;
/* Finds the section of a track, whose device has begun. */
void dv_sections_begin (DvTrack *t);
void dv_sections_work (DvTrack *t, nprof_str name, gint64 start, gint64 end, AnClass class);
nprof_status dv_sections_rows (Device *d);

/* losses.c */
void dv_losses_row (DvRun *run, const struct nprof_batch *batch, uint32_t i);
/* Begins a device with what was said before its first row. */
void dv_losses_begin (Device *d);
static inline gboolean
dv_losses_wait (const Device *d)
{
  return d->n_passed < d->losses->len;
}
/* Passes the losses that come before a row of the device. */
void dv_losses_pass (Device *d, gint64 start, gint64 duration);
/* Ends all losses that are left. */
void dv_losses_end (Device *d);

/* memory.c */
void dv_memory_row (DvRun *run, const struct nprof_batch *batch, uint32_t i);
void dv_memory_free (gpointer memory);
nprof_status dv_memory_counters (DvRun *run);

/* counters.c */
nprof_status dv_bins_choose (DvRun *run);
nprof_status dv_counters (Device *d);
nprof_status dv_counter_rows (Device *d, const char *name, const char *unit, int sort,
                              const double *values);

/* tables.c */
nprof_status dv_announce (DvRun *run);
/* Ends the rows of a device; all devices have ended before rows of tables are written. */
void dv_device_end (Device *d);
/* Returns why it is not known when the device was busy; NULL: it is. */
const char *dv_why_unsure (const Device *d);
nprof_status dv_device_rows (Device *d);
nprof_status dv_categories_rows (Device *d, const DvTotals *t);

#endif
