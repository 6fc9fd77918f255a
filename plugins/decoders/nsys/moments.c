/* SPDX-License-Identifier: Apache-2.0 */
/* moments.c - what happens at one moment: where the processor was when it was sampled, what was
 * allocated on GPUs, and pages of unified memory that were missing.
 * source: schema of nsys export, CUPTI's CUpti_ActivityMemoryKind and
 * CUpti_ActivityMemoryOperationType */
#include "nsys.h"

/* -- Samples of the processor ------------------------------------------------------------ */

/* The function in which each sample was: the frame of depth 0.  gint64 -> nprof_str. */
static nprof_status
load_functions (Nsys *self, GHashTable *functions)
{
  NsRows rows;
  gint64 id, depth, symbol;
  if (!ns_has (self, "SAMPLING_CALLCHAINS"))
    return NPROF_OK;
  nprof_status status = ns_rows_begin (self, "SAMPLING_CALLCHAINS", &rows);
  const int at[]
      = { status ? -1 : ns_column (&rows, "id"), status ? -1 : ns_column (&rows, "stackDepth"),
          status ? -1 : ns_column (&rows, "symbol") };
  while (!status && ns_rows_next (&rows, &status))
    if (ns_int (&rows, at[0], &id) && ns_int (&rows, at[1], &depth) && !depth
        && ns_int (&rows, at[2], &symbol))
      g_hash_table_insert (functions, g_memdup2 (&id, sizeof id),
                           GUINT_TO_POINTER (ns_string (self, symbol)));
  ns_rows_end (&rows);
  return status;
}

static nprof_status
take_sample (NsRows *rows, const int *at, GHashTable *functions)
{
  Nsys *self = rows->self;
  gint64 id = 0, start, tid = 0, ps;
  if (!ns_int (rows, at[1], &start) || !ns_time (self, start, &ps))
    return ns_damaged (rows, "start is no number, or out of range");
  ns_int (rows, at[0], &id);
  ns_int (rows, at[2], &tid);
  nprof_str name = GPOINTER_TO_UINT (g_hash_table_lookup (functions, &id));
  nprof_status status
      = ns_row (self, NPROF_INSTANT, ns_thread (self, tid),
                name ? name : nprof_intern (self->host, "sample without a stack"), ps, 0);
  if (status)
    return status;
  nprof_set_category (self->w, nprof_intern (self->host, "cpu_sample"));
  return ns_rest (rows);
}

static nprof_status
decode_samples (Nsys *self)
{
  NsRows rows;
  if (!ns_has (self, "COMPOSITE_EVENTS"))
    return NPROF_OK;
  g_autoptr (GHashTable) functions
      = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  nprof_status status = load_functions (self, functions);
  if (status)
    return status;
  status = ns_rows_begin (self, "COMPOSITE_EVENTS", &rows);
  const int at[]
      = { status ? -1 : ns_column (&rows, "id"), status ? -1 : ns_column (&rows, "start"),
          status ? -1 : ns_column (&rows, "globalTid") };
  while (!status && ns_rows_next (&rows, &status))
    status = take_sample (&rows, at, functions);
  ns_rows_end (&rows);
  return status;
}

/* -- Allocations --------------------------------------------------------------------------- */

enum {
  PAGEABLE = 0,
  PINNED = 1,
  DEVICE = 2,
  ARRAY = 3,
  STATIC = 5
};                                      /* of ENUM_CUDA_MEM_KIND; 4 and 6 are managed */
enum { TORCH_CPU = 0, TORCH_CUDA = 1 }; /* types of devices in PyTorch's rows */

typedef struct {
  int start, process, device, address, bytes, kind, operation;
} UsageLayout;

/* As Kineto tells an allocation, which the analyzer memory knows; NULL: managed memory lies on no
 * one device. */
static char *
kineto_args (gint64 kind, gint64 device, gint64 address, gint64 bytes, guint64 number)
{
  gboolean host = kind == PAGEABLE || kind == PINNED;
  if (!host && kind != DEVICE && kind != ARRAY && kind != STATIC)
    return NULL;
  return g_strdup_printf ("{\"Addr\":%" G_GINT64_FORMAT ",\"Bytes\":%" G_GINT64_FORMAT
                          ",\"Device Type\":%d,\"Device Id\":%" G_GINT64_FORMAT
                          ",\"Ev Idx\":%" G_GUINT64_FORMAT "}",
                          address, bytes, host ? TORCH_CPU : TORCH_CUDA, host ? -1 : device,
                          number);
}

static nprof_status
take_usage (NsRows *rows, const UsageLayout *at)
{
  Nsys *self = rows->self;
  gint64 start, ps, bytes, operation, kind = DEVICE, device = 0, process = 0, address = 0;
  if (!ns_int (rows, at->start, &start) || !ns_time (self, start, &ps)
      || !ns_int (rows, at->bytes, &bytes) || bytes < 0 || !ns_int (rows, at->operation, &operation)
      || operation < 0 || operation > 1)
    return ns_damaged (rows, "start, bytes or memoryOperationType is no such number");
  ns_int (rows, at->kind, &kind);
  ns_int (rows, at->device, &device);
  ns_int (rows, at->process, &process);
  ns_int (rows, at->address, &address);
  gint64 change = operation ? -bytes : bytes; /* 0 allocates, 1 frees */
  g_autofree char *args = kineto_args (kind, device, address, change, rows->all.in.row);
  const char *name = args        ? "[memory]"
                     : operation ? "free managed memory"
                                 : "allocate managed memory";
  nprof_status status = ns_row (self, NPROF_INSTANT, ns_process (self, process),
                                nprof_intern (self->host, name), ps, 0);
  if (status)
    return status;
  nprof_set_category (self->w, nprof_intern (self->host, "cuda_memory"));
  if (self->want_bytes)
    status = nprof_attr_int (self->w, self->key_bytes, change);
  if (!status && self->want_device)
    status = nprof_attr_int (self->w, self->key_device, device);
  if (!status && args && self->want_args)
    status = nprof_attr_bytes (self->w, self->key_args, NPROF_JSON, args, (uint32_t) strlen (args));
  return status ? status : ns_rest (rows);
}

static nprof_status
decode_usage (Nsys *self)
{
  NsRows rows;
  UsageLayout at = { -1, -1, -1, -1, -1, -1, -1 };
  if (!ns_has (self, "CUDA_GPU_MEMORY_USAGE_EVENTS"))
    return NPROF_OK;
  nprof_status status = ns_rows_begin (self, "CUDA_GPU_MEMORY_USAGE_EVENTS", &rows);
  if (!status)
    at = (UsageLayout){ ns_column (&rows, "start"),
                        ns_column (&rows, "globalPid"),
                        ns_column (&rows, "deviceId"),
                        ns_column (&rows, "address"),
                        ns_column (&rows, "bytes"),
                        ns_column (&rows, "memKind"),
                        ns_column (&rows, "memoryOperationType") };
  while (!status && ns_rows_next (&rows, &status))
    status = take_usage (&rows, &at);
  ns_rows_end (&rows);
  return status;
}

/* -- Missing pages of unified memory ----------------------------------------------------------- */

/* No work of the GPU: they lie on its process, a GPU's with the time that they took. */
static nprof_status
take_fault (NsRows *rows, const int *at, const char *name)
{
  Nsys *self = rows->self;
  gint64 start, end, from, to, process = 0, device;
  if (!ns_int (rows, at[0], &start) || !ns_time (self, start, &from))
    return ns_damaged (rows, "start is no number, or out of range");
  bool ended = ns_int (rows, at[1], &end);
  if (ended && (end < start || !ns_time (self, end, &to)))
    return ns_damaged (rows, "it ends before it starts, or its times are out of range");
  ns_int (rows, at[2], &process);
  nprof_status status = ns_row (self, ended ? NPROF_SPAN : NPROF_INSTANT, ns_faults (self, process),
                                nprof_intern (self->host, name), from, ended ? to - from : 0);
  if (status)
    return status;
  nprof_set_category (self->w, nprof_intern (self->host, "um_page_fault"));
  if (self->want_device && ns_int (rows, at[3], &device))
    status = nprof_attr_int (self->w, self->key_device, device);
  return status ? status : ns_rest (rows);
}

static nprof_status
decode_faults (Nsys *self, const char *table, const char *name)
{
  NsRows rows;
  if (!ns_has (self, table))
    return NPROF_OK;
  nprof_status status = ns_rows_begin (self, table, &rows);
  const int at[]
      = { status ? -1 : ns_column (&rows, "start"), status ? -1 : ns_column (&rows, "end"),
          status ? -1 : ns_column (&rows, "globalPid"),
          status ? -1 : ns_column (&rows, "deviceId") };
  while (!status && ns_rows_next (&rows, &status))
    status = take_fault (&rows, at, name);
  ns_rows_end (&rows);
  return status;
}

nprof_status
ns_decode_moments (Nsys *self)
{
  nprof_status status = decode_samples (self);
  if (!status)
    status = decode_usage (self);
  if (!status)
    status = decode_faults (self, "CUDA_UM_CPU_PAGE_FAULT_EVENTS", "page fault of the host");
  return status ? status
                : decode_faults (self, "CUDA_UM_GPU_PAGE_FAULT_EVENTS", "page fault of a GPU");
}
