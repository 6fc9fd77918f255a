/* SPDX-License-Identifier: Apache-2.0 */
/* join.h - what joins the replays of a run with the plans that tell what they are; shared by
 * graphs.c, which finds it, and say.c, which tells it. */
#pragma once

#include "graphs.h"

#include "agree.h"
#include "lost.h"
#include "system/large.h"

/* A kernel of a replay. */
typedef struct {
  const char *at;   /* its event, which tells it */
  guint32 work;     /* its number among those of all replays */
  nprof_str region; /* by the annotation of its node; 0: none */
} Row;

#define NO_FIT G_MAXUINT

/* One launch of a graph. */
typedef struct {
  guint from, n; /* of its kernels */
  guint distinct, fit;
  nprof_str unknown; /* what an unknown operator of it is called */
} Replay;

/* What a distinct replay is, found once: by names and streams. */
typedef struct {
  guint32 *keys, *streams; /* by kernel */
  guint n;
  guint first, n_fits, turn;
  guint ambiguous; /* kernels that plans which fit equally give different operators */
} Distinct;

typedef struct {
  guint plan;
  GraphFit fit;
} PlanFit;

struct ChGraphs {
  GPtrArray *plans;   /* of GraphPlan */
  NpLargeArray *rows; /* of Row, by `at` */
  GArray *replays;    /* of Replay */
  GArray *distinct;   /* of Distinct */
  GArray *fits;       /* of PlanFit */
  GHashTable *names;  /* name -> NameSite */
  nprof_str key_operator, key_match, key_replay, key_call, key_layer, key_source, key_arguments;
  nprof_str matches[N_GRAPH_MATCHES];
};

typedef struct {
  Chrome *c;
  ChGraphs *graphs;
  /* of GraphEvent, of the run; of work of replays correlation is which one, from 1, and name is
   * its key */
  GArray *events;
  GArray *work;            /* of guint: events of all replays, one after the other, by start */
  GHashTable *regions;     /* node -> name; NULL: no annotations */
  guint n_regions;         /* work that has one */
  GraphFamilies *families; /* NULL: nobody asked yet */
  GraphLost *lost;
  guint64 ambiguous; /* kernels, of all replays */
  GHashTable *chosen; /* series -> file that is used, of those that fit alike; NULL: none is */
} Join;

/* Where a name stands in the plans: `operator` 0: there are several. */
typedef struct {
  guint plan, place;
  nprof_str operator;
} NameSite;

static inline GraphPlan *
plan_at (const ChGraphs *g, guint plan)
{
  return g_ptr_array_index (g->plans, plan);
}

/* Returns how the replay follows a plan; NULL: it follows none. */
static inline const PlanFit *
fit_of (const ChGraphs *g, const Replay *replay)
{
  return replay->fit == NO_FIT ? NULL : &g_array_index (g->fits, PlanFit, replay->fit);
}

static inline const GraphSite *
site_at (const ChGraphs *g, guint plan, guint place)
{
  return &g_array_index (plan_at (g, plan)->sites, GraphSite, place);
}

static inline nprof_str
operator_at (const ChGraphs *g, guint plan, guint32 place)
{
  return place == GRAPH_NO_PLACE ? 0 : site_at (g, plan, place)->operator;
}

/* Returns whether kernel k has a place, and has that operator by any way of as few edits. */
static inline bool
is_placed (const ChGraphs *g, const PlanFit *fit, guint k)
{
  const GraphFit *way = &fit->fit;
  return way->place[k] != GRAPH_NO_PLACE
         && (!way->other
             || operator_at (g, fit->plan, way->place[k])
                    == operator_at (g, fit->plan, way->other[k]));
}

/* say.c: says which plans are used and which fit nothing; writes properties and table
 * graph_captures. */
nprof_status graph_tell (const Join *join);
