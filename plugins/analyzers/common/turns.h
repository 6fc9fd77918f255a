/* SPDX-License-Identifier: Apache-2.0 */
/* turns.h - rows of a batch, device by device.  In the order of time rows of all devices alternate; each
 * device's are taken together, still in that order, while what is known of it lies in the caches. */
#ifndef AN_TURNS_H
#define AN_TURNS_H

#include <glib.h>
#include <nprof/plugin.h>

/* Rows of a batch that are kept at a time: nprof's own batches are no longer.  With fewer, too many are
 * the first of their turn, which nobody fetched ahead. */
#define AN_TURN_ROWS 4096u

/* Of one device. */
typedef struct {
  nprof_track device;
  guint n;
  guint32 row[AN_TURN_ROWS];
} AnTurn;

/* Of AnTurn, by first row. */
typedef GPtrArray AnTurns;

AnTurns *an_turns_new (void);
void an_turns_free (AnTurns *turns);
/* Makes it, when it is new; lives as long as the turns. */
AnTurn *an_turn_of (AnTurns *turns, nprof_track device);

/* At most AN_TURN_ROWS, until n is set to 0. */
static inline void
an_turn_add (AnTurn *t, guint32 row)
{
  t->row[t->n++] = row;
}

#endif
