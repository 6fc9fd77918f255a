/* SPDX-License-Identifier: Apache-2.0 */
/* recorders.h - names of threads, processes and devices by which trace JSON tells which program
 * recorded it: a report and a gate advise options of PyTorch alone to its own users. */
#pragma once

#include <glib.h>
#include <string.h>

/* Each text may be NULL, which tells nothing. */

/* AMD's RPD names the threads of its devices so. */
static inline gboolean
recorder_is_rpd (const char *thread)
{
  return thread && g_str_has_prefix (thread, "Hip ");
}

/* Intel's unitrace names hosts and devices so, "RANK 1 " before it where there are ranks. */
static inline gboolean
recorder_is_unitrace (const char *process)
{
  return process && (strstr (process, "HOST<") || strstr (process, "DEVICE<"));
}

static inline gboolean
recorder_is_tensorflow (const char *thread)
{
  return thread && g_str_has_prefix (thread, "tf_GPU_Event_Manager");
}

/* Traces that XLA's tools export keep the names of its planes. */
static inline gboolean
recorder_is_xla (const char *process)
{
  return process && g_str_has_prefix (process, "/device:");
}

/* Devices of AWS and Furiosa, which no PyTorch profiler writes. */
static inline gboolean
recorder_is_vendor (const char *device)
{
  return device && (strstr (device, "Neuron") || g_ascii_strncasecmp (device, "npu", 3) == 0);
}
