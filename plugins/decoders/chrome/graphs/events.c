/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - reads of a trace of Kineto what tells of graphs: work of devices, calls that launch
 * it, and the operators, frames and ranges around those. */
#include "graphs.h"

#include <string.h>

#define MOST_THREADS ((1u << 28) - 1) /* that have numbers of their own */

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

typedef struct {
  ChLabel of; /* pid and tid alone */
  guint32 number;
} Thread;

/* Returns the number of the event's thread, from 1; `last` spares most look-ups. */
static guint32
thread_of (Chrome *c, const TeEvent *event, GHashTable *threads, const Thread **last)
{
  const ChLabel of = { .pid = ch_pid (c, &c->names, event),
                       .tid = ch_id (&c->names, event, TE_TID) };
  if (*last && ch_label_equal (&(*last)->of, &of))
    return (*last)->number;
  Thread *thread = g_hash_table_lookup (threads, &of);
  if (!thread) {
    thread = g_new (Thread, 1);
    *thread = (Thread){ of, g_hash_table_size (threads) + 1 };
    g_hash_table_add (threads, thread);
  }
  *last = thread;
  return thread->number;
}

static void
take (Chrome *c, const TeEvent *event, GraphEventKind kind, gint64 zero, guint32 thread,
      GArray *events)
{
  GraphEvent e = { .kind = kind & 0xf, .at = event->at };
  int64_t duration;
  if (!te_time_ps (&event->ts, zero, &e.start) || !te_time_ps (&event->dur, 0, &duration)
      || duration < 0 || __builtin_add_overflow (e.start, duration, &e.end))
    return;
  e.thread = thread & MOST_THREADS;
  e.name = ch_name (&c->names, &event->value[TE_NAME]);
  if (te_has (event, TE_ARGS) && event->value[TE_ARGS].kind == TE_OBJECT
      && event->end - event->at <= G_MAXUINT32) {
    e.args_at = (guint32) (event->value[TE_ARGS].p - event->at);
    e.args_len = (guint32) event->value[TE_ARGS].len;
    e.correlation = kind <= GRAPH_CALL
                        ? ch_launch_of (c, event, ch_correlation (&event->value[TE_ARGS]))
                        : 0;
  }
  g_array_append_val (events, e);
}

/* Lets go of what was read of the run itself, and says where; false: the run ends. */
static bool
goes_on (Chrome *c, const char **reported, const char *p)
{
  if (*reported < c->data || *reported >= c->end || p - *reported < CH_REPORT)
    return true;
  const nprof_status status = c->host->progress (c->host, ch_at (c, *reported), ch_at (c, p));
  *reported = p;
  return status == NPROF_OK;
}

GArray *
graph_events (Chrome *c, const char *from, const char *to, gint64 zero, bool hosts)
{
  GArray *events = g_array_new (FALSE, FALSE, sizeof (GraphEvent));
  TeScan scan = { .controls = &(TeControls){ 0 },
                  .with = c->scanner, .shapes = c->scanner->shapes_new (), .end = to };
  TeEvent event;
  GraphEventKind kind;
  const Thread *last = NULL;
  const char *reported = from;
  g_autoptr (GHashTable) threads
      = g_hash_table_new_full (ch_label_hash, ch_label_equal, g_free, NULL);
  for (const char *p = from, *next;
       scan.shapes && goes_on (c, &reported, p) && (p = te_space (p, to)) < to; p = next) {
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
      take (c, &event, kind, zero, thread_of (c, &event, threads, &last), events);
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
  static const char *const words[] = { "LaunchKernel",   "LaunchCooperativeKernel",
                                       "Launch_kernel",  "LaunchCooperative_kernel",
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
