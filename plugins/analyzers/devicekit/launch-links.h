/* SPDX-License-Identifier: Apache-2.0 */
/* launch-links.h - finds the call of a host that launched a row of device work: when it was, on
 * which thread, in which step, and under which operator of the framework. A call launches the rows
 * that have its correlation id; of several calls of one id, launches.h says which. Its operator is
 * the innermost operator span that contains it on its thread, both ends included. Its step is the
 * first annotated step of its process that it begins in, whichever thread makes it: backward runs
 * on a thread of its own. For rows in NPROF_ORDER_DEVICE; the analyzers give the rows their
 * meaning. Times are ps where nothing else is said. */
#ifndef AN_LAUNCH_LINKS_H
#define AN_LAUNCH_LINKS_H

#include "devicekit/launch-table.h"
#include "devicekit/row-role.h"

/* This is an annotated step of a host ("ProfilerStep#12").  Steps of a process are numbered by
 * start. */
typedef struct {
  nprof_str name;
  gint64 start, end; /* ps; the end is no part of it */
  bool hidden;       /* the user's selection leaves the annotation out */
} AnHostStep;

typedef struct _AnLinks AnLinks;

/* This is a span of a host.  They come by start, of equal starts the longer first, then as
 * decoded. */
typedef struct {
  gint64 start, end;
  nprof_track thread;
  nprof_str name, category;
  guint64 correlation; /* 0: launches nothing */
  uint32_t input;
  nprof_str shape; /* of an operator, where somebody wants it; 0: not told */
  guint32 number;  /* in the order of rows                                  */
  gint64 note;     /* what the analyzer said of the row; 0: nothing         */
  guint8 is;       /* for launch-links.c                                    */
  bool hidden;
  const AnLaunchSite *replay; /* of a graph, which runs it, instead of a call on the thread; NULL:
                                 it is such a call */
} AnHostSpan;

/* An analyzer is told by these; each may be NULL. */
typedef struct {
  /* It is called when the launch of a row that waited has come. */
  void (*linked) (gpointer user, guint row, const AnLaunchSite *launch);
  /* It is called for any span with a duration that is no step; when there is no such function,
   * spans that links do not need cost nothing. */
  void (*span) (gpointer user, const AnHostSpan *span);
  /* It is called for the row of such a span, which comes later: returns its `note`. */
  gint64 (*note) (gpointer user, const struct nprof_batch *batch, uint32_t i);
  /* It is called when an operator begins on its thread.  `outer` is the number of the innermost
   * operator around it that has one.  Returns its own number, or outer. */
  guint32 (*begin) (gpointer user, const AnHostSpan *span, guint32 outer);
  /* It is called when the one of that number ends.  Those within it have ended before. */
  void (*end) (gpointer user, guint32 number);
} AnLinkCalls;

AnLinks *an_links_new (const struct nprof_host *host, AnPlaces *places, const AnLinkCalls *calls,
                       gpointer user);
void an_links_free (AnLinks *links);
/* Asks before the first row that launches are told their modules as well, which are frames of
 * Python named "nn.Module: NAME". */
void an_links_want_modules (AnLinks *links);

/* Asks before the first row that operators are told with their shapes, an attribute that the
 * analyzer wants. */
void an_links_want_shapes (AnLinks *links);

/* This is an operator on the path of those around a call, and what lies around it; nodes count from
 * 1. */
typedef struct {
  guint32 outer; /* 0: none */
  nprof_str name;
} AnLinkNode;
AnLinkNode an_links_node (const AnLinks *links, guint32 node);
/* Returns the path that is this operator alone. */
guint32 an_links_operator (AnLinks *links, nprof_str name);

/* Returns within `begin` the step of its process that the span begins in, 1 + index; 0: none. */
guint32 an_links_step (AnLinks *links, const AnHostSpan *span, nprof_track *process);

/* Returns whether work came behind the last span of a host.  Then launches of before it may be
 * forgotten with the next span. */
bool an_links_followed (const AnLinks *links);

/* Marks the spans of hosts that links are made of, as nprof_component.choose does. */
void an_links_choose (AnLinks *links, const struct nprof_batch *batch, uint8_t *rows);

/* Takes a span of a host, in the order of rows. */
void an_links_host (AnLinks *links, const AnPlace *place, AnRole role,
                    const struct nprof_batch *batch, uint32_t i);

/* Finds the launch of a device row that begins at `start`.  FALSE: it has not come yet; the row may
 * wait for it (an_links_wait), because clocks of hosts and devices can differ. */
gboolean an_links_find (AnLinks *links, uint32_t input, guint64 correlation, gint64 start,
                        AnLaunchSite *launch);
/* `row` is the caller's own number of it, given back by `linked`; numbers rise from call to
 * call. */
void an_links_wait (AnLinks *links, uint32_t input, guint64 correlation, guint row);
/* Rows of smaller numbers wait no longer: a file may hold their launches nowhere. */
void an_links_give_up (AnLinks *links, guint row);
/* Ends the rows: the last launches are told to those that wait. */
void an_links_end (AnLinks *links);

/* Returns the steps of a process, AnHostStep by start; NULL: it has none. The array grows with the
 * rows. */
const GArray *an_links_steps (const AnLinks *links, nprof_track process);

/* Returns the row's own correlation id; 0: it has none. */
guint64 an_links_correlation (const AnLinks *links, const struct nprof_batch *batch, uint32_t i);

#endif
