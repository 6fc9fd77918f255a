/* SPDX-License-Identifier: Apache-2.0 */
/* work.c - rows of devices: tasks of the hardware by their class, and whole collectives, which
 * cover the tasks that they are made of.  classes: ascend.md 4 */
#include "ascend.h"

#include <string.h>

/* Types of tasks that no table says more of; of all others nothing is known to compute. */
static AscendClass
class_of (const char *type)
{
  static const struct {
    const char *type;
    AscendClass is;
  } types[] = {
    { "MEMCPY_ASYNC", CLASS_COPY },
    { "PCIE_DMA_SQE", CLASS_COPY },
    { "SDMA_SQE", CLASS_COPY },
    { "PCIE_DMA", CLASS_COPY },
    { "EVENT_WAIT", CLASS_WAIT },
    { "EVENT_WAIT_SQE", CLASS_WAIT },
    { "NOTIFY_WAIT", CLASS_WAIT },
    { "NOTIFY_WAIT_SQE", CLASS_WAIT },
    { "CAPTURE_WAIT", CLASS_WAIT },
    { "AI_CORE", CLASS_AROUND },
    { "KERNEL_AICORE", CLASS_AROUND },
    { "AIC", CLASS_AROUND },
    { "MIX_AIC", CLASS_AROUND },
    { "KERNEL_MIX_AIC", CLASS_AROUND },
    { "AI_VECTOR_CORE", CLASS_AROUND },
    { "KERNEL_AIVEC", CLASS_AROUND },
    { "AIV", CLASS_AROUND },
    { "MIX_AIV", CLASS_AROUND },
    { "KERNEL_MIX_AIV", CLASS_AROUND },
    { "AI_CPU", CLASS_AROUND },
    { "KERNEL_AICPU", CLASS_AROUND },
    { "DSA_SQE", CLASS_AROUND },
    { "DSA", CLASS_AROUND },
    { "STARS_COMMON", CLASS_AROUND },
    { "FFTS_PLUS", CLASS_AROUND },
    { "VECTOR_CORE", CLASS_AROUND },
    { "SDMA", CLASS_PART },
    { "Notify Wait", CLASS_PART },
    { "Notify_Wait", CLASS_PART },
    { "Notify_Record", CLASS_PART },
    { "Write Value", CLASS_PART },
    { "Memcpy", CLASS_PART },
    { "Reduce_Inline", CLASS_PART },
    { "Inter_Rank_Notify", CLASS_PART },
    { "RDMA", CLASS_PART },
    { "RDMASend", CLASS_PART },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    if (strcmp (types[i].type, type) == 0)
      return types[i].is;
  return CLASS_CONTROL;
}

static const char *
engine_of (const char *unit)
{
  if (strstr (unit, "MIX"))
    return "mix";
  if (strcmp (unit, "AI_CORE") == 0 || strcmp (unit, "KERNEL_AICORE") == 0
      || strcmp (unit, "AIC") == 0)
    return "cube";
  if (strcmp (unit, "AI_VECTOR_CORE") == 0 || strcmp (unit, "KERNEL_AIVEC") == 0
      || strcmp (unit, "AIV") == 0)
    return "vector";
  return strstr (unit, "CPU") ? "aicpu" : strstr (unit, "DSA") ? "dsa" : NULL;
}

/* -- Attributes -------------------------------------------------------------------------------- */

static nprof_status
add_string (Ascend *self, bool wanted, nprof_str key, nprof_str value)
{
  return wanted && value ? nprof_attr_str (self->w, key, value) : NPROF_OK;
}

static nprof_status
add_int (Ascend *self, bool wanted, nprof_str key, gint64 value)
{
  return wanted && value != ASCEND_NONE ? nprof_attr_int (self->w, key, value) : NPROF_OK;
}

/* 4294967295 and the like stand for none. */
static bool
is_connection (gint64 connection)
{
  return connection > 0 && connection != G_MAXUINT32;
}

static nprof_status
add_launch (Ascend *self, gint64 connection)
{
  const AscendLaunch *launch = is_connection (connection) ? ascend_launch (self, connection) : NULL;
  nprof_status status = NPROF_OK;
  if (is_connection (connection) && self->want_correlation)
    status = nprof_attr_uint (self->w, self->key_correlation, (guint64) connection);
  if (status || !launch)
    return status;
  status = add_string (self, self->want_operator, self->key_operator, launch->operation);
  const StepTime *step
      = launch->start != G_MININT64 ? step_time_at (self->steps, launch->start) : NULL;
  return status || !step ? status : add_int (self, self->want_step, self->key_step, step->number);
}

static void
say (Ascend *self, AscendClass is)
{
  nprof_set_category (self->w, self->category[is]);
  if (self->work[is])
    nprof_set_shared (self->w, self->work[is]);
}

/* -- Tasks ------------------------------------------------------------------------------------- */

static nprof_status
add_kernel (Ascend *self, const AscendKernel *k, const char *type)
{
  const char *unit = k->unit ? nprof_text (self->host, k->unit) : "N/A";
  const char *engine = engine_of (strcmp (unit, "N/A") == 0 ? type : unit);
  nprof_status status = add_string (self, self->want_engine, self->key_engine,
                                    engine ? nprof_intern (self->host, engine) : 0);
  if (!status)
    status = add_string (self, self->want_opcode, self->key_opcode, k->operation);
  const bool shaped = k->shapes && strcmp (nprof_text (self->host, k->shapes), "N/A");
  return status || !shaped ? status
                           : add_string (self, self->want_shape, self->key_shape, k->shapes);
}

static nprof_status
take_task (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  const gint64 id = ascend_int (rows, columns[4]), connection = ascend_int (rows, columns[3]),
               stream = ascend_int (rows, columns[6]);
  const AscendKernel *kernel = g_hash_table_lookup (self->kernels, &id);
  const nprof_str type = ascend_string (self, ascend_int (rows, columns[5]));
  const char *text = nprof_text (self->host, type);
  const AscendClass is = kernel                                     ? CLASS_COMPUTE
                         : g_hash_table_contains (self->parts, &id) ? CLASS_PART
                                                                    : class_of (text);
  bool begun;
  (void) user;
  nprof_status status
      = ascend_row (self, rows, NPROF_SPAN,
                    ascend_stream (self, ascend_int (rows, columns[2]), stream),
                    kernel && kernel->name ? kernel->name : type, ascend_int (rows, columns[0]),
                    ascend_int (rows, columns[1]), &begun);
  if (status || !begun)
    return status;
  say (self, is);
  status = add_int (self, self->want_stream, self->key_stream, stream);
  if (!status && kernel)
    status = add_kernel (self, kernel, text);
  return status || is > CLASS_COPY ? status : add_launch (self, connection);
}

/* -- Collectives ------------------------------------------------------------------------------- */

/* Reads "hcom_allReduce__586_0_1": its kind, and which of the group's it is. */
static const char *
kind_of (const char *name, gint64 *sequence)
{
  static const char *const kinds[][2] = {
    { "allreduce", "allreduce" },
    { "allgather", "allgather" },
    { "reducescatter", "reduce_scatter" },
    { "alltoall", "all_to_all" },
    { "broadcast", "broadcast" },
    { "send", "send" },
    { "receive", "recv" },
    { "reduce", "reduce" },
    { "scatter", "scatter" },
    { "barrier", "barrier" },
  };
  const char *numbers = strstr (name, "__"), *second = numbers ? strchr (numbers + 2, '_') : NULL;
  *sequence = second && g_ascii_isdigit (second[1]) ? g_ascii_strtoll (second + 1, NULL, 10)
                                                    : ASCEND_NONE;
  const gsize skip = g_str_has_prefix (name, "hcom_") ? 5 : 0;
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_ascii_strncasecmp (name + skip, kinds[i][0], strlen (kinds[i][0])) == 0)
      return kinds[i][1];
  return "collective";
}

/* HCCL's types by the names that analyzers know. */
static nprof_str
type_of (const Ascend *self, gint64 id)
{
  static const char *const names[][2]
      = { { "FP32", "Float" },  { "FP16", "Half" }, { "BFP16", "BFloat16" },
          { "FP64", "Double" }, { "INT8", "Char" }, { "UINT8", "Byte" },
          { "INT16", "Short" }, { "INT32", "Int" }, { "INT64", "Long" } };
  const nprof_str name = GPOINTER_TO_UINT (g_hash_table_lookup (self->types, &id));
  for (gsize i = 0; i < G_N_ELEMENTS (names) && name; i++)
    if (strcmp (nprof_text (self->host, name), names[i][0]) == 0)
      return nprof_intern (self->host, names[i][1]);
  return name;
}

static nprof_status
add_collective (Ascend *self, const char *name, nprof_str group, gint64 count, gint64 type)
{
  gint64 sequence;
  const char *kind = kind_of (name, &sequence);
  const bool sized = count >= 0;
  nprof_status status = add_string (self, self->want_collective, self->key_collective,
                                    nprof_intern (self->host, kind));
  if (!status)
    status = add_string (self, self->want_group, self->key_group, group);
  if (!status)
    status = add_int (self, self->want_sequence, self->key_sequence, sequence);
  if (!status && sized)
    status = add_int (self, self->want_elements_in, self->key_elements_in, count);
  if (!status && sized)
    status = add_int (self, self->want_elements_out, self->key_elements_out, count);
  return status ? status
                : add_string (self, self->want_dtype, self->key_dtype, type_of (self, type));
}

static nprof_status
take_collective (Ascend *self, DbRows *rows, const int *columns, gpointer user)
{
  const gint64 connection = ascend_int (rows, columns[3]);
  const nprof_str name = ascend_string (self, ascend_int (rows, columns[2])),
                  group = ascend_string (self, ascend_int (rows, columns[4]));
  gint64 device = ascend_int (rows, columns[7]);
  gpointer found;
  bool begun;
  (void) user;
  if (columns[7] < 0 || device < 0)
    device = g_hash_table_lookup_extended (self->devices, &connection, NULL, &found)
                 ? GPOINTER_TO_INT (found)
                 : self->first_device;
  nprof_status status
      = ascend_row (self, rows, NPROF_SPAN, ascend_group (self, device, group), name,
                    ascend_int (rows, columns[0]), ascend_int (rows, columns[1]), &begun);
  if (status || !begun)
    return status;
  say (self, CLASS_COMMUNICATION);
  status = add_collective (self, nprof_text (self->host, name), group,
                           ascend_int (rows, columns[5]), ascend_int (rows, columns[6]));
  return status ? status : add_launch (self, connection);
}

nprof_status
ascend_work (Ascend *self)
{
  nprof_status status = ascend_each (self, "TASK",
                                     ASCEND_COLUMNS ("startNs", "endNs", "deviceId", "connectionId",
                                                     "globalTaskId", "taskType", "streamId"),
                                     7, false, take_task, NULL);
  if (status)
    return status;
  return ascend_each (self, "COMMUNICATION_OP",
                      ASCEND_COLUMNS ("startNs", "endNs", "opName", "connectionId", "groupName",
                                      "count", "dataType", "deviceId"),
                      3, false, take_collective, NULL);
}
