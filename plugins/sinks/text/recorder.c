/* SPDX-License-Identifier: Apache-2.0 */
/* recorder.c - tells by what a profile says of itself which program recorded it. */

#include "recorder.h"
#include "producers/recorders.h"

#include <nprof/sdk.h>
#include <string.h>

/* Other trace JSON with work of devices is PyTorch's, but that of AMD's RPD, of Intel's unitrace
 * and of nprof itself. */
static gboolean
is_of_others (const Answers *a)
{
  return a->others || recorder_is_vendor (a->device ? nprof_text (a->host, a->device) : NULL);
}

/* These decoders read what ROCm's profilers write. */
static gboolean
is_of_rocprof (const Answers *a)
{
  static const char *const decoders[] = { "rocpd", "rocprofv3", "rocprofv3-csv" };
  for (gsize i = 0; i < G_N_ELEMENTS (decoders); i++)
    if (g_strcmp0 (a->decoder, decoders[i]) == 0)
      return TRUE;
  return FALSE;
}

Recorder
recorder_of (const Answers *a)
{
  if (is_of_rocprof (a))
    return RECORDER_ROCPROF;
  if (a->tensorflow)
    return RECORDER_TENSORFLOW;
  if (g_strcmp0 (a->decoder, "xplane") == 0)
    return RECORDER_XLA;
  if (g_strcmp0 (a->decoder, "chrome") != 0)
    return RECORDER_OTHER;
  if (a->xla) /* trace JSON that XLA's tools export keeps the names of devices */
    return RECORDER_XLA;
  return is_of_others (a) ? RECORDER_OTHER : RECORDER_TORCH;
}

/* Properties of the file say so of the option. */
static gboolean
was_on (const Answers *a, Option option)
{
  static const char *const keys[OPTIONS] = { [OPTION_SPANS] = "with_stack",
                                             [OPTION_MODULES] = "with_stack",
                                             [OPTION_MEMORY] = "profile_memory",
                                             [OPTION_SHAPES] = "record_shapes" };
  return keys[option] && g_hash_table_contains (a->options, keys[option]);
}

const char *
recorder_option (const Answers *a, Option option)
{
  static const char *const words[RECORDERS][OPTIONS] = {
    [RECORDER_OTHER] = { [OPTION_LAUNCHES] = "record the host as well" },
    [RECORDER_TORCH] = { [OPTION_DEVICES] = "record with ProfilerActivity.CUDA",
                         [OPTION_LAUNCHES] = "record with ProfilerActivity.CPU",
                         [OPTION_SPANS] = "record with with_stack=True",
                         [OPTION_MODULES] = "record with with_stack=True",
                         [OPTION_MEMORY] = "record with profile_memory=True",
                         [OPTION_SHAPES] = "record with record_shapes=True" },
    [RECORDER_XLA] = { [OPTION_LAUNCHES] = "record the host as well",
                       [OPTION_SPANS] = "record with host_tracer_level=2",
                       [OPTION_MODULES] = "jax.named_scope would write it" },
    [RECORDER_TENSORFLOW] = { [OPTION_LAUNCHES] = "record the host as well",
                              [OPTION_SPANS] = "record with host_tracer_level=2",
                              [OPTION_MODULES] = "tf.name_scope would write it" },
    [RECORDER_ROCPROF] = { [OPTION_DEVICES] = "record with rocprofv3 --sys-trace",
                           [OPTION_LAUNCHES] = "record with rocprofv3 --sys-trace",
                           [OPTION_SPANS] = "record with ranges of roctx",
                           [OPTION_MODULES] = "record with ranges of roctx",
                           [OPTION_MEMORY] = "record with rocprofv3 --sys-trace" },
  };
  Recorder recorder = recorder_of (a);
  return recorder == RECORDER_TORCH && was_on (a, option) ? NULL : words[recorder][option];
}
