/* SPDX-License-Identifier: Apache-2.0 */
/* held-rows.h - rows of a device wait here for launches that begin later than their work, as they
 * do where the clocks of host and device differ. A row says whose work it is by an id, not by its
 * time. Times are ps where nothing else is said. */
#ifndef AN_HELD_ROWS_H
#define AN_HELD_ROWS_H

#include "devicekit/launches.h"

#include <stdbool.h>

/* Rows of a device that wait at once; then the first of them goes on without its launch, for memory
 * is not to grow with the file. */
#define AN_MOST_HELD 65536u

/* Takes a row that waited, row 0 of a batch of its own; the launch is NULL where it has not
 * come. */
typedef void (*AnHeldRow) (gpointer user, const struct nprof_batch *row, const AnLaunch *launch);

typedef struct {
  AnHeldRow take;
  gpointer user;
  GPtrArray *devices;  /* of the queues of rows, one for each device that rows waited of */
  GPtrArray *by_track; /* these, by the handle of their device                           */
  GHashTable *awaited; /* launches that have not come                                    */
  guint n;             /* rows that wait                                                 */
  bool due;            /* a launch that began at `due_at` has come, and its rows wait still */
  gint64 due_at;
} AnHeld;

void an_held_init (AnHeld *held, AnHeldRow take, gpointer user);
void an_held_clear (AnHeld *held);

/* Does a row of the device wait? Then all that follow it wait as well, so that they stay in
 * order. */
bool an_held_is (const AnHeld *held, nprof_track device);
static inline bool
an_held_holds (const AnHeld *held, nprof_track device)
{
  return held->n && an_held_is (held, device);
}

/* Keeps row i.  id: of its launch, 0: it has none; launch: that one, where it has come. */
void an_held_add (AnHeld *held, nprof_track device, const struct nprof_batch *batch, uint32_t i,
                  guint64 id, const AnLaunch *launch);
/* A launch has come, in the order of time: rows that wait for it are taken with the next later
 * one. */
void an_held_came (AnHeld *held, const AnLaunch *launch);
static inline void
an_held_launch (AnHeld *held, const AnLaunch *launch)
{
  if (held->n)
    an_held_came (held, launch);
}

/* No more launches come: all rows are taken. */
void an_held_end (AnHeld *held);

#endif
