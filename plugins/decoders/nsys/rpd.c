/* SPDX-License-Identifier: Apache-2.0 */
/* rpd.c - reads a database of ROCm's rocpd: calls of HIP, operations of GPUs, which call launched
 * which, and what was sampled. source: rocmProfileData, schema 2 */
#include "nsys.h"

#include <string.h>

typedef struct {
  Nsys *self;
  GHashTable *launches; /* operation -> call, gint64 each */
  GHashTable *copies;   /* call -> bytes                  */
} Rpd;

static nprof_status
load_pairs (Nsys *self, const char *table, const char *from, const char *to, GHashTable *pairs)
{
  NsRows rows;
  gint64 a, b;
  if (!ns_has (self, table))
    return NPROF_OK;
  nprof_status status = ns_rows_begin (self, table, &rows);
  int key = status ? -1 : ns_column (&rows, from), value = status ? -1 : ns_column (&rows, to);
  while (!status && ns_rows_next (&rows, &status))
    if (ns_int (&rows, key, &a) && ns_int (&rows, value, &b))
      g_hash_table_replace (pairs, g_memdup2 (&a, sizeof a), g_memdup2 (&b, sizeof b));
  ns_rows_end (&rows);
  return status;
}

/* -- Operations --------------------------------------------------------------------------------------- */

/* Returns the category of Kineto for what the type says; others keep their own name. */
static nprof_str
category_of (Nsys *self, nprof_str type)
{
  const char *text = nprof_text (self->host, type);
  if (strcmp (text, "KernelExecution") == 0)
    return nprof_intern (self->host, "kernel");
  if (g_str_has_prefix (text, "Copy"))
    return nprof_intern (self->host, "gpu_memcpy");
  if (strcmp (text, "FillBuffer") == 0)
    return nprof_intern (self->host, "gpu_memset");
  return type;
}

static nprof_status
link_to_call (const Rpd *rpd, gint64 operation)
{
  Nsys *self = rpd->self;
  const gint64 *call = g_hash_table_lookup (rpd->launches, &operation);
  const gint64 *bytes = call ? g_hash_table_lookup (rpd->copies, call) : NULL;
  nprof_status status = NPROF_OK;
  if (call && *call > 0 && self->want_correlation)
    status = nprof_attr_uint (self->w, self->key_correlation, (guint64) *call);
  if (!status && bytes && *bytes > 0 && self->want_bytes)
    status = nprof_attr_int (self->w, self->key_bytes, *bytes);
  return status;
}

typedef struct {
  int id, gpu, queue, start, end, name, type;
} Operation;

static nprof_status
take_operation (const Rpd *rpd, NsRows *rows, const Operation *at)
{
  Nsys *self = rpd->self;
  gint64 id = 0, gpu, queue, start, end, name = 0, type = 0, from, to;
  if (!ns_int (rows, at->gpu, &gpu) || !ns_int (rows, at->queue, &queue)
      || !ns_int (rows, at->start, &start) || !ns_int (rows, at->end, &end))
    return ns_damaged (rows, "gpuId, queueId, start or end is no number");
  if (end < start || !ns_time (self, start, &from) || !ns_time (self, end, &to))
    return ns_damaged (rows, "it ends before it starts, or its times are out of range");
  ns_int (rows, at->id, &id);
  ns_int (rows, at->name, &name);
  ns_int (rows, at->type, &type);
  nprof_str text = ns_string (self, name), kind = ns_string (self, type);
  nprof_status status = ns_row (self, NPROF_SPAN, ns_queue (self, 0, gpu, &queue),
                                text ? text : kind, from, to - from);
  if (status)
    return status;
  nprof_set_category (self->w, category_of (self, kind));
  status = link_to_call (rpd, id);
  if (!status && self->want_device)
    status = nprof_attr_int (self->w, self->key_device, gpu);
  return status ? status : ns_rest (rows);
}

static nprof_status
decode_operations (const Rpd *rpd)
{
  NsRows rows;
  Operation at;
  nprof_status status = ns_rows_begin (rpd->self, "rocpd_op", &rows);
  if (!status)
    at = (Operation){ .id = ns_column (&rows, "id"),
                      .gpu = ns_column (&rows, "gpuId"),
                      .queue = ns_column (&rows, "queueId"),
                      .start = ns_column (&rows, "start"),
                      .end = ns_column (&rows, "end"),
                      .name = ns_column (&rows, "description_id"),
                      .type = ns_column (&rows, "opType_id") };
  while (!status && ns_rows_next (&rows, &status))
    status = take_operation (rpd, &rows, &at);
  ns_rows_end (&rows);
  return status;
}

/* -- Calls --------------------------------------------------------------------------------------------- */

typedef struct {
  int id, pid, tid, start, end, name, args;
  nprof_str hip, marker;
} Call;

/* Returns the globalTid that Nsight would give, on the usual machine. */
static gint64
global_tid (gint64 pid, gint64 tid)
{
  return (gint64) (G_GUINT64_CONSTANT (1) << 48 | (guint64) (pid & 0xffffff) << 24
                   | (guint64) (tid & 0xffffff));
}

/* Returns the name of a call; a range of roctx is a call named UserMarker whose arguments are its
 * text. */
static nprof_str
name_of_call (Nsys *self, const Call *at, gint64 name, gint64 args, nprof_str *category)
{
  nprof_str text = ns_string (self, name);
  *category = at->hip;
  if (strcmp (nprof_text (self->host, text), "UserMarker") != 0)
    return text;
  *category = at->marker;
  nprof_str marker = ns_string (self, args);
  return marker ? marker : text;
}

static nprof_status
add_arguments (Nsys *self, gint64 args)
{
  size_t len = 0;
  const char *text = args && self->want_text
                         ? self->host->string (self->host, ns_string (self, args), &len)
                         : NULL;
  return len ? nprof_attr_bytes (self->w, self->key_text, NPROF_TEXT, text, (uint32_t) len)
             : NPROF_OK;
}

static nprof_status
take_call (NsRows *rows, const Call *at)
{
  Nsys *self = rows->self;
  gint64 id = 0, pid, tid, start, end, name = 0, args = 0, from, to;
  if (!ns_int (rows, at->pid, &pid) || !ns_int (rows, at->tid, &tid)
      || !ns_int (rows, at->start, &start) || !ns_int (rows, at->end, &end))
    return ns_damaged (rows, "pid, tid, start or end is no number");
  if (end < start || !ns_time (self, start, &from) || !ns_time (self, end, &to))
    return ns_damaged (rows, "it ends before it starts, or its times are out of range");
  ns_int (rows, at->id, &id);
  ns_int (rows, at->name, &name);
  ns_int (rows, at->args, &args);
  nprof_str category, text = name_of_call (self, at, name, args, &category);
  nprof_status status
      = ns_row (self, NPROF_SPAN, ns_thread (self, global_tid (pid, tid)), text, from, to - from);
  if (status)
    return status;
  nprof_set_category (self->w, category);
  if (category == at->hip && id > 0 && self->want_correlation)
    status = nprof_attr_uint (self->w, self->key_correlation, (guint64) id);
  if (!status && category == at->hip)
    status = add_arguments (self, args);
  return status ? status : ns_rest (rows);
}

static nprof_status
decode_calls (Nsys *self)
{
  NsRows rows;
  Call at;
  nprof_status status = ns_rows_begin (self, "rocpd_api", &rows);
  if (!status)
    at = (Call){ .id = ns_column (&rows, "id"),
                 .pid = ns_column (&rows, "pid"),
                 .tid = ns_column (&rows, "tid"),
                 .start = ns_column (&rows, "start"),
                 .end = ns_column (&rows, "end"),
                 .name = ns_column (&rows, "apiName_id"),
                 .args = ns_column (&rows, "args_id"),
                 .hip = nprof_intern (self->host, "hip_runtime"),
                 .marker = nprof_intern (self->host, "roctx") };
  while (!status && ns_rows_next (&rows, &status))
    status = take_call (&rows, &at);
  ns_rows_end (&rows);
  return status;
}

/* -- Samples ---------------------------------------------------------------------------------------------- */

static nprof_status
take_sample (NsRows *rows, const int *at)
{
  Nsys *self = rows->self;
  gint64 device, start, ps;
  const char *type = ns_text (rows, at[1]), *value = ns_text (rows, at[2]);
  if (!ns_int (rows, at[0], &device) || !ns_int (rows, at[3], &start) || !type || !value
      || !ns_time (self, start, &ps))
    return ns_damaged (rows, "deviceId, monitorType, start or value is missing");
  char *end;
  double number = g_ascii_strtod (value, &end);
  if (end == value || *end) {
    self->host->skip (self->host, "row of rocpd_monitor", 0, "its value is no number");
    return NPROF_OK;
  }
  nprof_status status
      = ns_row (self, NPROF_COUNTER, ns_gpu (self, device), nprof_intern (self->host, type), ps, 0);
  if (status)
    return status;
  nprof_set_value (self->w, number);
  return ns_rest (rows);
}

static nprof_status
decode_samples (Nsys *self)
{
  NsRows rows;
  if (!ns_has (self, "rocpd_monitor"))
    return NPROF_OK;
  nprof_status status = ns_rows_begin (self, "rocpd_monitor", &rows);
  if (status) {
    ns_rows_end (&rows);
    return status;
  }
  const int at[] = { ns_column (&rows, "deviceId"), ns_column (&rows, "monitorType"),
                     ns_column (&rows, "value"), ns_column (&rows, "start") };
  while (!status && ns_rows_next (&rows, &status))
    status = take_sample (&rows, at);
  ns_rows_end (&rows);
  return status;
}

nprof_status
ns_decode_rpd (Nsys *self)
{
  g_autoptr (GHashTable) launches
      = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  g_autoptr (GHashTable) copies
      = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  const Rpd rpd = { self, launches, copies };
  nprof_status status = ns_strings_load (self, "rocpd_string", "id", "string");
  if (!status)
    status = load_pairs (self, "rocpd_api_ops", "op_id", "api_id", launches);
  if (!status)
    status = load_pairs (self, "rocpd_copyapi", "api_ptr_id", "size", copies);
  if (!status && ns_has (self, "rocpd_api"))
    status = decode_calls (self);
  if (!status && ns_has (self, "rocpd_op"))
    status = decode_operations (&rpd);
  return status ? status : decode_samples (self);
}
