/* SPDX-License-Identifier: Apache-2.0 */
/* launch-links.h - the call of a host that launched a row of device work: when it was, on which
 * thread, in which step, and under which operator of the framework.
 *
 * A call launches the rows that have its correlation id.  Its operator is the innermost operator
 * span that contains it on its thread, both ends included.  Its step is the first annotated step
 * of its process that it begins in, whichever thread makes it: backward runs on a thread of its
 * own.  For rows in NPROF_ORDER_DEVICE; what the rows mean is left to the analyzers. */
#ifndef AN_LAUNCH_LINKS_H
#define AN_LAUNCH_LINKS_H

#include "devicekit/launch-table.h"
#include "devicekit/row-role.h"

/* An annotated step of a host ("ProfilerStep#12").  Steps of a process are numbered by start. */
typedef struct {
  nprof_str name;
  gint64 start, end; /* ps; the end is no part of it */
  bool hidden;       /* the user's selection leaves the annotation out */
} AnHostStep;

typedef struct _AnLinks AnLinks;

/* The launch of a row that waited has come. */
typedef void (*AnLinked) (gpointer user, guint row, const AnLaunchSite *launch);

AnLinks *an_links_new (const struct nprof_host *host, AnPlaces *places, AnLinked linked,
                       gpointer user);
void an_links_free (AnLinks *links);
/* Before the first row: launches are told their modules as well, which are frames of Python named
 * "nn.Module: NAME". */
void an_links_want_modules (AnLinks *links);

/* Marks the spans of hosts that links are made of, as nprof_component.choose does. */
void an_links_choose (AnLinks *links, const struct nprof_batch *batch, uint8_t *rows);

/* A span of a host, in the order of rows.  Spans that are no operator, call or step are ignored. */
void an_links_host (AnLinks *links, const AnPlace *place, const struct nprof_batch *batch,
                    uint32_t i);

/* The launch of a device row that begins at `start`.  FALSE: it has not come yet; the row may wait
 * for it (an_links_wait), because clocks of hosts and devices can differ. */
gboolean an_links_find (AnLinks *links, uint32_t input, guint64 correlation, gint64 start,
                        AnLaunchSite *launch);
/* row: the caller's own number of it, given back by `linked`. */
void an_links_wait (AnLinks *links, uint32_t input, guint64 correlation, guint row);
/* No more rows come: the last launches are told to those that wait. */
void an_links_end (AnLinks *links);

/* Returns the steps of a process, AnHostStep by start; NULL: it has none.  The array grows with the rows. */
const GArray *an_links_steps (const AnLinks *links, nprof_track process);

/* The row's own correlation id; 0: it has none. */
guint64 an_links_correlation (const AnLinks *links, const struct nprof_batch *batch, uint32_t i);

#endif
