/* SPDX-License-Identifier: Apache-2.0 */
/* launches.h - finds which call of the host launched work of a device, by correlation id. Times are
 * ps where nothing else is said. */
#ifndef AN_LAUNCHES_H
#define AN_LAUNCHES_H

#include <glib.h>
#include <nprof/plugin.h>

/* So many launches are remembered: ids count up, and a device lags behind by its queue. */
#define AN_LAUNCHES 65536u

typedef struct {
  guint64 id;
  gint64 start, end; /* ps; no end in the file: start */
  nprof_track thread;
  guint32 input;
  guint32 before; /* 1 + the fresh one of its slot before it; 0: none */
  /* Whoever adds it need not say these. */
  nprof_str call;           /* its name; 0: unknown                      */
  nprof_str operator_name;  /* that it lies in, whose bytes are known; 0: none */
  guint32 operator_number;  /* which call of that                        */
  gint64 moves;             /* bytes of that call                        */
  gboolean compiled;        /* what a compiler made launches it          */
} AnLaunch;

typedef struct {
  AnLaunch settled; /* the last one that all work to come lies behind */
  gboolean used;    /* there is one                                   */
  guint32 newest;   /* 1 + the last fresh one; 0: none                */
} AnLaunchSlot;

/* In NPROF_ORDER_DEVICE launches come ahead of work that begins before them: all since the last
 * work are fresh, and kept.  When others come behind work, no work to come begins before these. */
typedef struct {
  AnLaunchSlot *slot; /* AN_LAUNCHES; NULL until the first  */
  GArray *fresh;      /* of AnLaunch                        */
  gboolean followed;  /* by work                            */
} AnLaunches;

/* Adds a launch, whose member `before` is not read. */
void an_launches_add (AnLaunches *launches, const AnLaunch *launch);
/* Notes that work came. */
static inline void
an_launches_follow (AnLaunches *launches)
{
  launches->followed = TRUE;
}
/* The last launch of that id that begins no later than `work`, else, where clocks differ, the first
 * of those that begin later; good until the next is added. NULL: none has come, or too many came
 * after it. */
const AnLaunch *an_launches_find (const AnLaunches *launches, guint32 input, guint64 id,
                                  gint64 work);
void an_launches_clear (AnLaunches *launches);

#endif
