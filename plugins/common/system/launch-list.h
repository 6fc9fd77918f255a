/* SPDX-License-Identifier: Apache-2.0 */
/* launch-list.h - keeps all calls of hosts that launched work, for who joins work with its launch
 * when all rows have come: analyzers, and the viewer. Of several calls of one id it finds the one
 * that launches.h of the device kit finds. Knows nothing of nprof. */
#ifndef AN_LAUNCH_LIST_H
#define AN_LAUNCH_LIST_H

#include <glib.h>

typedef struct {
  guint64 id;
  gint64 start;         /* ps                                    */
  guint32 input, value; /* the latter: what its owner keeps of it */
} AnListedLaunch;

/* It starts as zeros. */
typedef struct {
  GArray *launches; /* of AnListedLaunch; NULL until the first */
  gboolean sorted;
} AnLaunchList;

void an_launch_list_add (AnLaunchList *list, const AnListedLaunch *launch);
/* Puts the calls in their order.  Until another is added, several threads may find them then. */
void an_launch_list_sort (AnLaunchList *list);
/* Returns the last call of that id that begins no later than `work`, else the first of those that
 * begin later; NULL: there is none, or the id is 0, which is no call's. Valid until the next is
 * added. */
const AnListedLaunch *an_launch_list_find (AnLaunchList *list, guint32 input, guint64 id,
                                           gint64 work);
void an_launch_list_clear (AnLaunchList *list);

#endif
