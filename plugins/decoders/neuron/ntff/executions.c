/* SPDX-License-Identifier: Apache-2.0 */
/* executions.c - finds the executions of a file: one for each pair of NOTIFY that says that
 * it begins and that it ends.  No file with several is public, so they rest on what one looks
 * like. */
#include "file.h"

#include <nprof/sdk.h>

enum { HINT_BEGINS = 2, HINT_ENDS = 3 };

typedef struct {
  GArray *executions; /* of NtffExecution */
  guint begun[NTFF_ENGINES], ended[NTFF_ENGINES];
  bool earlier; /* something ended that had begun before the first record */
} Executions;

static NtffExecution *
execution_at (GArray *executions, guint n)
{
  while (executions->len <= n) {
    const NtffExecution none = { INT64_MIN, INT64_MAX, INT64_MIN, 0 };
    g_array_append_val (executions, none);
  }
  return &g_array_index (executions, NtffExecution, n);
}

/* An end is of the execution that its engine began last. */
static nprof_status
notify (NtffWalk *w, const NtffPart *part, const NtffInstruction *i, void *user)
{
  Executions *all = user;
  (void) w;
  (void) part;
  if (!i->code || i->code[0] != NTFF_OP_NOTIFY)
    return NPROF_OK;
  if (i->code[36] == HINT_BEGINS) {
    NtffExecution *e = execution_at (all->executions, all->begun[i->engine]++);
    e->origin = MAX (e->origin, i->end);
    e->begins = MIN (e->begins, i->start);
    e->open++;
  } else if (i->code[36] == HINT_ENDS && all->begun[i->engine]) {
    NtffExecution *e = execution_at (all->executions, all->begun[i->engine] - 1);
    e->ends = MAX (e->ends, i->start);
    e->open -= all->ended[i->engine] < all->begun[i->engine];
    all->ended[i->engine] = all->begun[i->engine];
  } else if (i->code[36] == HINT_ENDS) {
    all->earlier = true;
  }
  return NPROF_OK;
}

/* Finds the first start of an instruction of any core. */
static nprof_status
earliest (NtffWalk *w, const NtffPart *part, const NtffInstruction *i, void *user)
{
  int64_t *first = user;
  (void) w;
  (void) part;
  *first = MIN (*first, i->start);
  return NPROF_OK;
}

static nprof_status
each_of_core (NtffWalk *w, guint graph, NtffEach fn, void *user)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < w->f->parts->len && !status; i++) {
    const NtffPart *part = &g_array_index (w->f->parts, NtffPart, i);
    if (part->kind == NTFF_KIND_INSTRUCTIONS && part->graph == graph)
      status = ntff_each_instruction (w, part, fn, user);
  }
  return status;
}

/* Lists a core's executions and sets its origin: the latest end of the NOTIFYs that begin the first
 * one; without such a NOTIFY its first instruction, with a warning. */
static nprof_status
find_executions (NtffWalk *w, guint graph)
{
  Executions all = { .executions = g_array_new (FALSE, FALSE, sizeof (NtffExecution)) };
  int64_t first = INT64_MAX;
  ntff_graph (w->f, graph)->executions = all.executions;
  nprof_status status = each_of_core (w, graph, notify, &all);
  if (all.earlier && !status)
    w->n->host->skip (w->n->host, "execution", w->f->base, "it began before the recording");
  int64_t latest = all.executions->len ? execution_at (all.executions, 0)->origin : INT64_MIN;
  if (status || latest != INT64_MIN) {
    ntff_graph (w->f, graph)->origin = latest;
    return status;
  }
  nprof_log (w->n->host, NPROF_WARNING,
             "no NOTIFY says when the execution of NeuronCore %" G_GUINT64_FORMAT
             " begins: its first instruction is taken for it",
             ntff_graph (w->f, graph)->number);
  status = each_of_core (w, graph, earliest, &first);
  ntff_graph (w->f, graph)->origin = first == INT64_MAX ? w->origin : first;
  return status;
}

/* Finds the origin.  Version 6 states the execution.  Else all count from the first core's, and
 * what another core does before its own is its setup. */
nprof_status
ntff_origin (NtffWalk *w)
{
  nprof_status status = NPROF_OK;
  w->end = INT64_MAX;
  for (guint i = 0; i < w->f->graphs->len && !status; i++) {
    NtffGraph *g = ntff_graph (w->f, i);
    if (w->f->has_window)
      g->origin = (int64_t) w->f->from;
    else
      status = find_executions (w, i);
    w->origin = i ? w->origin : g->origin;
  }
  w->unended = w->unstarted = w->errors = 0; /* the rows count them again */
  uint64_t total = ntff_graph (w->f, 0)->total;
  if (total && total < INT64_MAX / 4)
    w->total = (int64_t) total;
  if (w->f->has_window) {
    w->end = (int64_t) w->f->to;
    w->total = w->end - w->origin;
  }
  return status;
}

/* -- Rows -------------------------------------------------------------------------------------- */

static nprof_status
execution (NtffWalk *w, nprof_track track, nprof_str name, int64_t start, int64_t duration)
{
  nprof_status status = nprof_span (w->n->w, track, name, start, duration);
  if (!status)
    nprof_set_category (w->n->w, name);
  return status;
}

/* Writes several executions, each from its engines' NOTIFY that begin it to those that end it; the
 * recording may have ended within the last one.  The file states the time of a single one. */
static nprof_status
several (NtffWalk *w, const NtffGraph *g)
{
  nprof_status status = NPROF_OK;
  guint usual = g_array_index (g->executions, NtffExecution, 0).open; /* engines may never say it */
  for (guint i = 0; i < g->executions->len && !status; i++) {
    const NtffExecution *e = &g_array_index (g->executions, NtffExecution, i);
    bool last = i == g->executions->len - 1;
    bool ended = e->ends >= e->begins && (!last || e->open <= usual);
    if (e->origin != INT64_MIN && (ended || last))
      status = execution (w, g->track, w->n->category_execution, e->origin - w->origin,
                          ended ? e->ends - e->begins : -1);
    else
      w->n->host->skip (w->n->host, "execution", w->f->base,
                        "one of the two NOTIFY that it lies between is not in the file");
  }
  return status;
}

/* Writes the executions of each core, whose rows lie on one clock. */
nprof_status
ntff_executions (NtffWalk *w)
{
  nprof_status status = NPROF_OK;
  nprof_str name = w->n->category_execution;
  int64_t total = w->total;
  if (total < 0) {
    name = nprof_intern (w->n->host, "recorded");
    total = w->last;
  }
  for (guint i = 0; i < w->f->graphs->len && !status; i++) {
    const NtffGraph *g = ntff_graph (w->f, i);
    status = g->executions && g->executions->len > 1 ? several (w, g)
                                                     : execution (w, g->track, name, 0, total);
  }
  return status;
}
