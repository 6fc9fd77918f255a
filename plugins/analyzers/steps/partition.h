/* SPDX-License-Identifier: Apache-2.0 */
/* partition.h - cuts what a device did into windows, one after the other: each moment of a window
 * is computing, exposed communication, exposed copies or idle, and idle time has a cause and a
 * place. Times are ps where nothing else is said. */
#ifndef STEPS_PARTITION_H
#define STEPS_PARTITION_H

#include "steps.h"

typedef struct _Window {
  char *name;          /* NULL: the file has no steps                                    */
  gint64 start, end;   /* windows of a device come by start and do not overlap           */
  gint64 host, host_end; /* duration on the host, and its end there                      */
  bool has_host, cut, shown;
  bool whole;          /* of all work, because there are no steps                        */
  guint32 owner;       /* whose work is the step's; OWNER_NONE: begun has it             */
  nprof_track thread;  /* that of the step, on which the host was when nothing follows   */
  const Begun *begun;  /* of a span of the device: work that began in it                 */
  gint64 counted;      /* of that time the verdict is; 0: of none                        */
  const struct _Window *of; /* of what is judged: the window of a step whose time it is  */
} Window;

typedef struct {
  gint64 start, end;   /* ps */
  bool known, lag;     /* lag: the first one, which holds what the device still had to do */
} Period;

/* periods.c finds those of steps of the host; others stay unknown. */
void st_find_periods (const Begun *steps, const GArray *windows, Period *periods);

typedef struct {
  Period period;
  gint64 busy[BUSIES]; /* ps; BUSY_NOT: idle */
  gint64 idle[AN_IDLE_CAUSES];
  gint64 lost;         /* no work recorded, and rows may be missing: busy or idle */
  gint64 foreign, unlinked;
  Begun begun;
} Parts;

/* This is a cause, and for AN_IDLE_HOST what the host did. */
typedef struct {
  AnIdleCause cause;
  bool known;          /* the thread is known; name 0: no span was under way */
  nprof_str name;
  guint64 gaps;
  guint64 last_gap;    /* the last one that was counted */
  gint64 duration;
} Where;

typedef struct _Partition Partition;

/* `windows` holds Window; both are borrowed. */
Partition *partition_new (Steps *self, Device *device, const GArray *windows);
/* Takes a part from..to of a gap that is not lost, which lies in the window; nothing_follows: no
 * work ends it. */
typedef void (*PartitionGap) (void *user, const Gap *gap, bool nothing_follows, gint64 from,
                              gint64 to, const Window *window);
/* From here on gaps are handed there, and in Parts and Where is nothing of idle time. */
void partition_hand_gaps (Partition *partition, PartitionGap take, void *user);
/* Returns the periods of the windows, and the work of each. */
const Period *partition_periods (const Partition *partition);
const Begun *partition_begun (const Partition *partition);
/* Returns the next window: its parts, and Where by cause, the longest first, then by name; good
 * until the next call. */
const GArray *partition_next (Partition *partition, Parts *parts);
void partition_free (Partition *partition);

#endif
