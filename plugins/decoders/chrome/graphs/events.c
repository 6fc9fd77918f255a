/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - reads of a trace of Kineto what tells of graphs: work of devices, calls that launch it,
 * and the operators, frames and ranges around those. */
#include "graphs.h"

#include <string.h>

static const struct {
  const char *category;
  GraphEventKind kind;
} categories[] = {
  { "kernel", GRAPH_WORK },       { "gpu_memcpy", GRAPH_WORK },  { "gpu_memset", GRAPH_WORK },
  { "cuda_runtime", GRAPH_CALL }, { "cuda_driver", GRAPH_CALL }, { "hip_runtime", GRAPH_CALL },
  { "cpu_op", GRAPH_OPERATOR },   { "Operator", GRAPH_OPERATOR },
  { "python_function", GRAPH_FRAME }, { "user_annotation", GRAPH_RANGE },
};

/* Returns whether the event matters, and as what. */
static bool
kind_of (const TeEvent *event, bool hosts, GraphEventKind *kind)
{
  if (event->ph != 'X' || !te_has (event, TE_CAT) || !te_has (event, TE_NAME)
      || !te_has (event, TE_TS) || !te_has (event, TE_DUR) || event->ts.state > TE_ROUNDED
      || event->dur.state > TE_ROUNDED)
    return false;
  for (gsize i = 0; i < G_N_ELEMENTS (categories); i++)
    if (te_text_is (&event->value[TE_CAT], categories[i].category)) {
      *kind = categories[i].kind;
      return hosts || *kind <= GRAPH_CALL;
    }
  return false;
}

static void
take (Chrome *c, const TeEvent *event, GraphEventKind kind, gint64 zero, GArray *events)
{
  GraphEvent e = { .kind = (guint8) kind, .at = event->at };
  int64_t duration;
  if (!te_time_ps (&event->ts, zero, &e.start) || !te_time_ps (&event->dur, 0, &duration)
      || duration < 0 || __builtin_add_overflow (e.start, duration, &e.end))
    return;
  e.pid = ch_id (&c->names, event, TE_PID);
  e.tid = ch_id (&c->names, event, TE_TID);
  e.name = ch_name (&c->names, &event->value[TE_NAME]);
  if (te_has (event, TE_ARGS) && event->value[TE_ARGS].kind == TE_OBJECT
      && event->value[TE_ARGS].len <= G_MAXUINT32) {
    e.args = event->value[TE_ARGS].p;
    e.args_len = (guint32) event->value[TE_ARGS].len;
    e.correlation = kind <= GRAPH_CALL ? ch_correlation (&event->value[TE_ARGS]) : 0;
  }
  g_array_append_val (events, e);
}

GArray *
graph_events (Chrome *c, const char *from, const char *to, gint64 zero, bool hosts)
{
  GArray *events = g_array_new (FALSE, FALSE, sizeof (GraphEvent));
  TeScan scan = { .controls = &(TeControls){ 0 },
                  .with = c->scanner, .shapes = c->scanner->shapes_new (), .end = to };
  TeEvent event;
  GraphEventKind kind;
  for (const char *p = from, *next; scan.shapes && (p = te_space (p, to)) < to; p = next) {
    if (*p == ',') {
      next = p + 1;
      continue;
    }
    if (*p == ']')
      break;
    next = scan.with->event (&scan, p, &event);
    if (!next)
      next = ch_resync (&scan, p + 1, to);
    else if (kind_of (&event, hosts, &kind))
      take (c, &event, kind, zero, events);
  }
  free (scan.shapes);
  return events;
}

bool
graph_is_replay (const GraphEvent *event, const char *name)
{
  return event->kind == GRAPH_CALL && strstr (name, "GraphLaunch");
}

static bool
moves (const char *name)
{
  static const char *const runtimes[] = { "cuda", "hip", "cu" };
  for (gsize i = 0; i < G_N_ELEMENTS (runtimes); i++)
    if (g_str_has_prefix (name, runtimes[i])) {
      const char *rest = name + strlen (runtimes[i]);
      if (g_str_has_prefix (rest, "Memcpy") || g_str_has_prefix (rest, "Memset"))
        return true;
    }
  return false;
}

bool
graph_is_launch (const GraphEvent *event, const char *name)
{
  static const char *const words[]
      = { "LaunchKernel",      "LaunchCooperativeKernel", "Launch_kernel", "LaunchCooperative_kernel",
          "LaunchHostFunc", "KernelEx" };
  if (event->kind != GRAPH_CALL || strstr (name, "Graph"))
    return false;
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (strstr (name, words[i]))
      return true;
  return moves (name);
}

guint32
graph_key (const Chrome *c, nprof_str name)
{
  const char *text = nprof_text (c->host, name);
  if (g_str_has_prefix (text, "Memcpy") || strstr (text, "copyBuffer"))
    return nprof_intern (c->host, "Memcpy");
  if (g_str_has_prefix (text, "Memset") || strstr (text, "fillBuffer"))
    return nprof_intern (c->host, "Memset");
  return name;
}
