/* SPDX-License-Identifier: Apache-2.0 */
/* work.c - reads what GPUs did: kernels, copies, sets, whole graphs, and their waits. */
#include "nsys.h"

typedef enum { KERNEL, COPY, SET, WAIT, GRAPH } Kind;

static const struct {
  const char *table, *category;
  Kind kind;
} sources[] = {
  { "CUPTI_ACTIVITY_KIND_KERNEL", "kernel", KERNEL },
  { "CUPTI_ACTIVITY_KIND_MEMCPY", "gpu_memcpy", COPY },
  { "CUPTI_ACTIVITY_KIND_MEMSET", "gpu_memset", SET },
  { "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "cuda_sync", WAIT },
  { "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "cuda_graph", GRAPH },
};

#define LAUNCH_PARTS 5

typedef struct {
  Kind kind;
  int start, end, device, context, stream, correlation, process, bytes, node;
  int name[3]; /* KERNEL: the text; COPY: kind, source, destination; SET, WAIT, GRAPH: its number */
  int launch[LAUNCH_PARTS][3]; /* KERNEL: of kernel_details */
  nprof_str category;
} Layout;

/* These are the parts of kernel_details, in xprof's order, and the columns with their numbers. */
static const struct {
  const char *word, *columns[3];
} launch_parts[LAUNCH_PARTS] = {
  { "regs", { "registersPerThread" } },
  { "static_shared", { "staticSharedMemory" } },
  { "dynamic_shared", { "dynamicSharedMemory" } },
  { "grid", { "gridX", "gridY", "gridZ" } },
  { "block", { "blockX", "blockY", "blockZ" } },
};

static void
find_names (NsRows *rows, Layout *at)
{
  static const char *const kernels[] = { "demangledName", "shortName", "mangledName", NULL };
  static const char *const sets[] = { "memKind", NULL };
  static const char *const graphs[] = { "graphId", "graphExecId", NULL };
  switch (at->kind) {
  case KERNEL:
    at->name[0] = ns_column_of (rows, kernels);
    for (guint i = 0; i < LAUNCH_PARTS; i++)
      for (guint k = 0; k < 3 && launch_parts[i].columns[k]; k++)
        at->launch[i][k] = ns_column_if (rows, launch_parts[i].columns[k], rows->self->want_kernel);
    return;
  case COPY:
    at->name[0] = ns_column (rows, "copyKind");
    at->name[1] = ns_column (rows, "srcKind");
    at->name[2] = ns_column (rows, "dstKind");
    return;
  case SET:
    at->name[0] = ns_column_of (rows, sets);
    return;
  case WAIT:
    at->name[0] = ns_column (rows, "syncType");
    return;
  default:
    at->name[0] = ns_column_of (rows, graphs);
  }
}

static void
lay_out (NsRows *rows, Layout *at)
{
  const Nsys *self = rows->self;
  at->start = ns_column (rows, "start");
  at->end = ns_column (rows, "end");
  at->device = ns_column (rows, "deviceId");
  at->context
      = ns_has (self, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION") ? ns_column (rows, "contextId") : -1;
  if (at->context >= 0)
    rows->all.used[at->context] = false; /* it is an attribute as well */
  at->node = self->graphs ? ns_column (rows, "graphNodeId") : -1;
  if (at->node >= 0)
    rows->all.used[at->node] = false; /* as this is */
  at->stream = ns_column (rows, "streamId");
  at->correlation = ns_column_if (rows, "correlationId",
                                  at->kind == WAIT || self->want_correlation || self->want_step
                                      || self->graphs);
  at->process = ns_column (rows, "globalPid");
  at->bytes = ns_column_if (rows, "bytes", self->want_bytes);
  find_names (rows, at);
}

static nprof_str
name_of (NsRows *rows, const Layout *at, gint64 process)
{
  Nsys *self = rows->self;
  gint64 v[3] = { -1, -1, -1 };
  bool known = ns_int (rows, at->name[0], &v[0]);
  if (at->kind == COPY) {
    ns_int (rows, at->name[1], &v[1]);
    ns_int (rows, at->name[2], &v[2]);
    return ns_copy_name (self, v[0], v[1], v[2]);
  }
  if (at->kind == SET)
    return ns_set_name (self, v[0]);
  if (at->kind == WAIT) {
    ns_int (rows, at->correlation, &v[1]);
    return ns_wait_name (self, process, v[1], v[0]);
  }
  if (at->kind == GRAPH || !known)
    return nprof_intern (self->host, at->kind == GRAPH ? "CUDA graph" : "kernel without a name");
  return ns_string (self, v[0]);
}

/* Writes " grid:8,1,1"; a number that is not known is "?". Returns the length, 0: none is known. */
static gsize
put_part (const NsRows *rows, const Layout *at, guint part, char *text, gsize room)
{
  gsize n = (gsize) g_snprintf (text, room, " %s", launch_parts[part].word);
  bool known = false;
  for (guint k = 0; k < 3 && launch_parts[part].columns[k]; k++) {
    gint64 v;
    const char *before = k ? "," : ":";
    bool has = ns_int (rows, at->launch[part][k], &v);
    n += (gsize) (has ? g_snprintf (text + n, room - n, "%s%" G_GINT64_FORMAT, before, v)
                      : g_snprintf (text + n, room - n, "%s?", before));
    known |= has;
  }
  return known ? n : 0;
}

/* Adds the details that are known, as xprof writes them: each column may be missing by itself. */
static nprof_status
add_details (NsRows *rows, const Layout *at)
{
  Nsys *self = rows->self;
  char text[320]; /* 9 numbers of up to 20 digits, and the words */
  gsize n = 0;
  for (guint i = 0; i < LAUNCH_PARTS; i++)
    n += put_part (rows, at, i, text + n, sizeof text - n);
  text[n] = '\0';
  return n ? nprof_attr_str (self->w, self->key_kernel, nprof_intern (self->host, text + 1))
           : NPROF_OK;
}

static nprof_status
add_attributes (NsRows *rows, const Layout *at, gint64 process)
{
  Nsys *self = rows->self;
  struct nprof_writer *w = self->w;
  gint64 v, node;
  nprof_status status = NPROF_OK;
  if (ns_int (rows, at->correlation, &v) && v > 0) {
    guint64 id = ns_correlation (self, process, v);
    if (self->want_correlation)
      status = nprof_attr_uint (w, self->key_correlation, id);
    if (!status)
      status = ns_step_of_launch (self, id);
    if (!status && ns_int (rows, at->node, &node))
      status = ns_graph_of (self, process, node, v);
  }
  if (!status && self->want_device && ns_int (rows, at->device, &v))
    status = nprof_attr_int (w, self->key_device, v);
  if (!status && self->want_stream && ns_int (rows, at->stream, &v))
    status = nprof_attr_int (w, self->key_stream, v);
  if (!status && self->want_bytes && ns_int (rows, at->bytes, &v))
    status = nprof_attr_int (w, self->key_bytes, v);
  if (!status && self->want_kernel && at->kind == KERNEL)
    status = add_details (rows, at);
  return status ? status : ns_rest (rows);
}

/* Returns the track; a wait for the whole context states no stream, or 2^32 - 1. */
static nprof_track
track_of (NsRows *rows, const Layout *at, gint64 process, gint64 device)
{
  gint64 stream;
  bool known = ns_int (rows, at->stream, &stream) && stream >= 0 && stream < (gint64) G_MAXUINT32;
  return ns_queue (rows->self, process, device, known ? &stream : NULL);
}

static nprof_status
take_work (NsRows *rows, const Layout *at)
{
  Nsys *self = rows->self;
  gint64 start, end, device, context = 0, process = 0, from, to;
  if (!ns_int (rows, at->start, &start) || !ns_int (rows, at->end, &end)
      || !ns_int (rows, at->device, &device))
    return ns_damaged (rows, "start, end or deviceId is no number");
  if (end < start || !ns_time (self, start, &from) || !ns_time (self, end, &to))
    return ns_damaged (rows, "it ends before it starts, or its times are out of range");
  ns_int (rows, at->process, &process);
  if (ns_int (rows, at->context, &context)) {
    if (at->kind == WAIT)
      device = ns_context_device (self, process, context, device);
    else
      ns_context_seen (self, process, context, device);
  }
  nprof_track track = track_of (rows, at, process, device);
  nprof_status status
      = ns_row (self, NPROF_SPAN, track, name_of (rows, at, process), from, to - from);
  if (status)
    return status;
  nprof_set_category (self->w, at->category);
  return add_attributes (rows, at, process);
}

nprof_status
ns_decode_work (Nsys *self)
{
  nprof_status status = NPROF_OK;
  for (gsize i = 0; i < G_N_ELEMENTS (sources) && !status; i++) {
    NsRows rows;
    Layout at = { .kind = sources[i].kind };
    if (!ns_has (self, sources[i].table))
      continue;
    at.category = nprof_intern (self->host, sources[i].category);
    status = ns_rows_begin (self, sources[i].table, &rows);
    if (!status)
      lay_out (&rows, &at);
    while (!status && ns_rows_next (&rows, &status))
      status = take_work (&rows, &at);
    ns_rows_end (&rows);
  }
  return status;
}
