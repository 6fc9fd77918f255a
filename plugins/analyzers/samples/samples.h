/* SPDX-License-Identifier: Apache-2.0 */
/* samples.h - what the files of the analyzer share: devices, and the steps that their rows are
 * collected by. */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "columns.h"
#include "devicekit/traits.h"
#include "devicekit/row-launch.h"
#include "devicekit/graph-row.h"
#include "devicekit/launch-links.h"
#include "sums.h"

#include <nprof/draft/clip.h>
#include <nprof/reader.h>
#include <nprof/sweep.h>

/* -- Steps of rows (collect.c) --------------------------------------------------------- */

/* Rows of so many steps may still come: the newest that has rows, and those just before it.  Queues
 * of a device lag behind each other, but not by so many steps. */
#define SM_OPEN_STEPS 8u
/* So many rows wait for others that were launched before them, where the whole recording is one
 * step. */
#define SM_REORDER 65536u

/* This much of a step counts: nothing, the rows that the selection shows, or all. */
typedef enum { SM_NOTHING, SM_SHOWN, SM_ALL } SmExtent;
/* It is asked for each step in their order, but for the first, which comes last. */
typedef SmExtent (*SmCounts) (gpointer user, guint step, bool has_shown);

/* Rows by step.  The first step waits until it is known whether the profile cut it. */
typedef struct {
  SmSums sums;
  GArray *first;   /* of SmRow: of step 0                      */
  GPtrArray *open; /* of GArray of SmRow: steps from `next` on */
  GArray *spare;   /* of SmRow: empty; NULL: none */
  guint next;      /* 1 + the last step that is in the sums    */
  guint64 rows, late;
  gint64 duration; /* ps: of all rows */
} SmCollector;

SmCollector *sm_collector_new (void);
void sm_collector_free (SmCollector *collector);
void sm_collect (SmCollector *collector, guint step, const SmRow *row, SmCounts counts,
                 gpointer user);
/* Ends the rows of `steps` steps. */
void sm_collector_end (SmCollector *collector, guint steps, SmCounts counts, gpointer user);
/* Collects a row where all rows are of one step. */
void sm_collect_whole (SmCollector *collector, const SmRow *row);
void sm_collector_end_whole (SmCollector *collector);

/* -- Windows of time (device.c) --------------------------------------------------------- */

typedef struct {
  nprof_str name;
  guint32 ordinal;   /* of executions of a program   */
  gint64 start, end; /* ps; the end is no part of it */
  bool hidden;       /* the selection leaves it out  */
} SmWindow;

/* This much work of a device is in none of its steps. */
typedef struct {
  guint64 rows;
  gint64 time; /* ps */
} SmOutside;

/* A device is compared by the first of these that it has: the steps of a host, where work that
 * hosts launch misses all launches; its own line of steps; the executions of one program;
 * annotations of a host that its queues repeat, each for itself. */
typedef enum { SM_HOST, SM_LINE, SM_PROGRAM, SM_NOTES } SmSource;

typedef struct {
  SmSource source;
  guint32 of; /* name of the program, or track of the host's process; else 0 */
  GArray *windows;   /* of SmWindow, by start; none overlaps another */
  gint64 duration;   /* ps: of all */
  SmCollector *collector;
  SmOutside outside;
} SmSeries;

/* -- Devices ---------------------------------------------------------------------------- */

typedef struct _Samples Samples;

typedef struct {
  Samples *samples;
  nprof_track track;
  nprof_str label;
  uint32_t input;
  nprof_track process; /* whose steps count: of the first launch; 0: none yet       */
  guint looked_at;     /* steps of it of which it is known whether any is shown     */
  bool any_shown;
  bool launchable;                /* some of its work is of a kind that hosts launch             */
  SmCollector *launched;          /* by steps of that process                                 */
  SmCollector *whole;             /* while there are none: one step; by launch                */
  GPtrArray *series;              /* of SmSeries: by start, while there are none                 */
  SmCollector *by_start;          /* as one step, while no row has a launch                      */
  guint64 rows, linked, unlinked; /* of work                                           */
  gint64 work, unlinked_time;     /* ps: all, without launch                           */
  SmOutside outside;              /* launched in no step of that process               */
  SmOutside by_start_so_far;      /* in none of a series that begins now               */
} SmDevice;

/* This is a row that waits for its launch. */
typedef struct {
  SmRow row;
  SmDevice *device; /* NULL: it has been taken */
} SmWaiting;

/* This is a row within which others can lie; of `inside` is left what is its own. */
typedef struct {
  SmRow row;
  gint64 covered; /* up to where those within were taken */
} SmNested;

/* These are rows of one track that can lie within each other. */
typedef struct {
  struct nprof_sweep sweep;
  SmNested *open; /* by depth */
  guint max;
  SmDevice *device;
} SmNest;

/* This is a span of a host that waits until all are there that begin with it. */
typedef struct {
  nprof_track track;
  SmDevice *device;
  SmRow row;
} SmTogether;

/* This is a step that a host announces. */
typedef struct {
  uint32_t input;
  nprof_track process;
  SmWindow window;
} SmHostStep;

/* This is a row of step_breakdown of the analyzer `steps`, where it runs before. */
typedef struct {
  nprof_str input, device;
  char *step;
  bool cut, taken;
} SmCut;

struct _Samples {
  int32_t of_hosts; /* options */
  bool modules;

  const struct nprof_host *host;
  AnPlaces *places;
  AnTraitsReader traits;
  AnLinks *links;
  AnGraphKeys graph_keys;
  struct nprof_reader pick;
  GPtrArray *devices;   /* of SmDevice       */
  GPtrArray *by_track;  /* track -> SmDevice */
  GPtrArray *nest_list; /* of SmNest         */
  GHashTable *nests;    /* track -> SmNest   */
  GByteArray *class_of; /* by name of a kernel: 1 + AnClass */
  GArray *waiting;      /* of SmWaiting      */
  guint waiting_from;   /* number of the first of them */
  GArray *together;     /* of SmTogether: spans of hosts that begin at one time */
  GArray *host_steps;   /* of SmHostStep     */
  GArray *cuts;         /* of SmCut          */
  struct nprof_window window;
  guint64 number, unclosed;
};

/* device.c */
SmDevice *sm_device (Samples *self, nprof_track track, nprof_str label, uint32_t input);
void sm_device_free (gpointer device);
/* Take a row of work that was launched; and one whose launch is not in the file, or not known. */
void sm_launched (SmDevice *device, SmRow *row, const AnLaunchSite *launch);
void sm_unlinked (SmDevice *device, SmRow *row);
/* Takes a step, or an execution of a program, on the device. */
void sm_window (SmDevice *device, SmSource source, guint32 of, const SmWindow *window);
/* Takes a step that a host announces. */
void sm_host_step (Samples *self, uint32_t input, nprof_track process, const SmWindow *window);
/* The steps of the device and their names tell its rows apart. */
typedef struct {
  const char *by;    /* launch, start, recording */
  nprof_str program; /* 0: none                  */
  SmCollector *collector;
  guint steps, cut;
  SmOutside outside; /* rows in no step; without steps none are */
} SmChoice;
SmChoice sm_device_end (SmDevice *device);
/* Returns the name of a step of the choice; NULL: it has none.  Transfer full. */
char *sm_step_name (const SmDevice *device, const SmChoice *choice, guint step);

/* nested.c */
nprof_status sm_nest_row (Samples *self, nprof_track track, SmDevice *device, const SmRow *row);
nprof_status sm_nest_end (Samples *self);
void sm_nest_free (gpointer nest);
/* Takes spans of hosts, of which those that begin together come in no order. */
nprof_status sm_together_add (Samples *self, nprof_track track, SmDevice *device, const SmRow *row);
nprof_status sm_together_end (Samples *self);

/* cut.c */
void sm_cut_table (Samples *self, const struct nprof_table *table, const struct nprof_cell *cells,
                   guint n_rows);
void sm_cut_clear (gpointer cut);
/* Returns whether the profile cut the step.  Each is asked for once, in their order. */
bool sm_is_cut (Samples *self, const SmDevice *device, const char *step);

/* write.c */
nprof_status sm_write (Samples *self);

#endif
