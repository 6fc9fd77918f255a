/* SPDX-License-Identifier: Apache-2.0 */
/* ascend.c - the lists of words of ascend.h. */
#include "producers/ascend.h"

#include <string.h>

const char *const ascend_classes[N_CLASSES][2] = {
  [CLASS_COMPUTE] = { "kernel", "compute" },
  [CLASS_COMMUNICATION] = { "hccl", "communication" },
  [CLASS_COPY] = { "gpu_memcpy", "copy" },
  [CLASS_WAIT] = { "device_wait", "wait" },
  [CLASS_CONTROL] = { "device_control", "note" },
  [CLASS_PART] = { "hccl_part", "note" },
  [CLASS_AROUND] = { "wrapper", "note" },
};

/* source: ascend_task_association.cpp of msprof */
AscendClass
ascend_class_of (const char *type)
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
    { "AI_CORE", CLASS_COMPUTE },
    { "KERNEL_AICORE", CLASS_COMPUTE },
    { "AIC", CLASS_COMPUTE },
    { "MIX_AIC", CLASS_COMPUTE },
    { "KERNEL_MIX_AIC", CLASS_COMPUTE },
    { "AI_VECTOR_CORE", CLASS_COMPUTE },
    { "KERNEL_AIVEC", CLASS_COMPUTE },
    { "AIV", CLASS_COMPUTE },
    { "MIX_AIV", CLASS_COMPUTE },
    { "KERNEL_MIX_AIV", CLASS_COMPUTE },
    { "AI_CPU", CLASS_COMPUTE },
    { "KERNEL_AICPU", CLASS_COMPUTE },
    { "DSA_SQE", CLASS_COMPUTE },
    { "DSA", CLASS_COMPUTE },
    { "STARS_COMMON", CLASS_COMPUTE },
    { "FFTS_PLUS", CLASS_COMPUTE },
    { "VECTOR_CORE", CLASS_COMPUTE },
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
    { "PLACE_HOLDER_SQE", CLASS_CONTROL },
    { "EVENT_RECORD", CLASS_CONTROL },
    { "EVENT_RECORD_SQE", CLASS_CONTROL },
    { "EVENT_RESET", CLASS_CONTROL },
    { "NOTIFY_RECORD", CLASS_CONTROL },
    { "NOTIFY_RECORD_SQE", CLASS_CONTROL },
    { "WRITE_VALUE_SQE", CLASS_CONTROL },
    { "PROFILING_ENABLE", CLASS_CONTROL },
    { "PROFILING_DISABLE", CLASS_CONTROL },
    { "TASK_TIMEOUT_SET", CLASS_CONTROL },
    { "STREAM_ACTIVE", CLASS_CONTROL },
    { "STREAM_SWITCH", CLASS_CONTROL },
    { "LABEL_SWITCH", CLASS_CONTROL },
    { "MODEL_MAINTAINCE", CLASS_CONTROL },
    { "DATADUMP", CLASS_CONTROL },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    if (strcmp (types[i].type, type) == 0)
      return types[i].is;
  return N_CLASSES;
}

const char *
ascend_engine_of (const char *unit)
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

const char *
ascend_collective_of (const char *name, int64_t *sequence)
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
  const char *slash = strrchr (name, '/'); /* MindSpore: "Default/AllReduce-op534_0" */
  const char *at = slash ? slash + 1 : g_str_has_prefix (name, "hcom_") ? name + 5 : name;
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_ascii_strncasecmp (at, kinds[i][0], strlen (kinds[i][0])) == 0)
      return kinds[i][1];
  return "collective";
}

const char *
ascend_type_of (const char *name)
{
  static const char *const names[][2]
      = { { "FP32", "Float" },  { "FP16", "Half" }, { "BFP16", "BFloat16" },
          { "FP64", "Double" }, { "INT8", "Char" }, { "UINT8", "Byte" },
          { "INT16", "Short" }, { "INT32", "Int" }, { "INT64", "Long" } };
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (name, names[i][0]) == 0)
      return names[i][1];
  return name;
}
