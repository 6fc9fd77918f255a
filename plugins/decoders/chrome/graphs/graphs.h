/* SPDX-License-Identifier: Apache-2.0 */
/* graphs.h - what the files share that give the work of graph replays its operators: events of a
 * trace, the launches of its captures with what lay around them, and the replays of the run. */
#pragma once

#include "match.h"
#include "profile/graph-keys.h"
#include "trace-event/trace-event.h"

/* An event that matters here. */
typedef enum { GRAPH_WORK, GRAPH_CALL, GRAPH_OPERATOR, GRAPH_FRAME, GRAPH_RANGE } GraphEventKind;

typedef struct {
  gint64 start, end; /* ps */
  guint64 correlation;
  const char *at;             /* in the file */
  guint32 args_at, args_len;  /* from there; 0: it has none */
  guint32 thread : 28;        /* a number for each pid and tid */
  guint32 kind : 4;           /* GraphEventKind */
  nprof_str name;
} GraphEvent;

/* Returns args of an event that has some. */
static inline TeValue
graph_args (const GraphEvent *event)
{
  return (TeValue){ .p = event->at + event->args_at, .len = event->args_len, .kind = TE_OBJECT };
}

/* A launch of a plan, and what lay around it. */
typedef struct {
  guint32 key; /* what the kernel must be called; 0: the file does not say */
  nprof_str operator, layer, source, arguments; /* 0: none */
  nprof_str kernel;                             /* or the call */
  guint32 call; /* which call of its operator, in its file; from 1 */
} GraphSite;

typedef struct {
  char *label;
  char *file;       /* that has it */
  nprof_str digest; /* of that; 0: it is the run itself */
  nprof_str series; /* of files that differ in their time stamps alone; 0: it is alone */
  bool is_run;
  GArray *sites; /* of GraphSite */
  GArray *keys;  /* of guint32: theirs */
} GraphPlan;

/* Reads events from..to; `hosts`: those of hosts as well.  What cannot be read is skipped.
 * Returns an array of GraphEvent; transfer full. */
GArray *graph_events (Chrome *c, const char *from, const char *to, gint64 zero, bool hosts);
/* Returns whether the event is a call that launches a graph; launches anything else. */
bool graph_is_replay (const GraphEvent *event, const char *name);
/* Returns whether a call of that name launches one kernel, copy or function, and no graph. */
bool graph_is_launch (const GraphEvent *event, const char *name);
/* Returns by what a kernel is known: its name, or that it copies or sets. */
guint32 graph_key (const Chrome *c, nprof_str name);

/* sites.c: finds what lies around launches, the events whose numbers are keys of `wanted`: a
 * GraphSite each, which the table owns. */
void graph_sites (Chrome *c, GArray *events, GHashTable *wanted);

/* plans.c: adds the captures of a file; without any, all of it as a run without graphs.  `plans` is
 * of GraphPlan. */
void graph_plans (Chrome *c, const char *label, GArray *events, bool captures_only,
                  GPtrArray *plans);
void graph_plan_free (gpointer plan);

/* annotations.c: reads the file that the user names into node -> GUINT_TO_POINTER (name), with keys
 * of guint64 that the table frees. */
nprof_status graph_annotations (Chrome *c, GHashTable *names);
/* Returns the id of the node that a kernel ran; 0: it does not say. */
guint64 graph_node (Chrome *c, const GraphEvent *work);

/* companions.c: reads the files that the user names, or that lie beside the run. */
nprof_status graph_companions (Chrome *c, GPtrArray *plans);
