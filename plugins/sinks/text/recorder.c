/* SPDX-License-Identifier: Apache-2.0 */
/* recorder.c - tells by what a profile says of itself which program recorded it. */

#include "recorder.h"
#include "producers/recorders.h"

#include <nprof/sdk.h>
#include <string.h>

/* Other trace JSON with work of devices is PyTorch's, but that of AMD's RPD and of nprof itself. */
static gboolean
is_of_others (const Answers *a)
{
  const DeviceSteps *d = answers_worst (a);
  return a->rpd || recorder_is_vendor (d ? nprof_text (a->host, d->device) : NULL);
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
    [RECORDER_TORCH] = { [OPTION_DEVICES] = "ProfilerActivity.CUDA would tell",
                         [OPTION_LAUNCHES] = "ProfilerActivity.CPU would tell",
                         [OPTION_SPANS] = "with_stack=True would tell",
                         [OPTION_MODULES] = "with_stack=True would tell",
                         [OPTION_MEMORY] = "profile_memory=True would tell",
                         [OPTION_SHAPES] = "record_shapes=True would tell" },
    [RECORDER_XLA] = { [OPTION_LAUNCHES] = "record the host as well",
                       [OPTION_SPANS] = "host_tracer_level=2 would tell",
                       [OPTION_MODULES] = "jax.named_scope would write it" },
    [RECORDER_TENSORFLOW] = { [OPTION_LAUNCHES] = "record the host as well",
                              [OPTION_SPANS] = "host_tracer_level=2 would tell",
                              [OPTION_MODULES] = "tf.name_scope would write it" },
    [RECORDER_ROCPROF] = { [OPTION_DEVICES] = "rocprofv3 --sys-trace would tell",
                           [OPTION_LAUNCHES] = "rocprofv3 --sys-trace would tell",
                           [OPTION_SPANS] = "ranges of roctx would tell",
                           [OPTION_MODULES] = "ranges of roctx would tell",
                           [OPTION_MEMORY] = "rocprofv3 --sys-trace would tell" },
  };
  Recorder recorder = recorder_of (a);
  return recorder == RECORDER_TORCH && was_on (a, option) ? NULL : words[recorder][option];
}

/* PyTorch has one name for both in its API, but engineers of AMD's GPUs know theirs as HIP graphs. */
static gboolean
is_amd (const Answers *a)
{
  static const char *const words[] = { "AMD", "Radeon", "Instinct", "gfx" };
  const char *type = answers_device_type (a);
  for (gsize i = 0; type && i < G_N_ELEMENTS (words); i++)
    if (strstr (type, words[i]))
      return TRUE;
  return a->hip || a->rpd;
}

const char *
recorder_idle_remedy (const Answers *a)
{
  if (a->graphs.share > 0.5) /* graphs are there */
    return "larger batch, less between replays of graphs";
  switch (recorder_of (a)) {
  case RECORDER_TORCH:
    return is_amd (a) ? "HIP graph, torch.compile, larger batch"
                      : "CUDA graph, torch.compile, larger batch";
  case RECORDER_XLA:
    return "command buffers, a larger jit or batch";
  case RECORDER_TENSORFLOW:
    return "jit_compile=True, larger batch";
  default:
    return is_amd (a) ? "HIP graph, larger batch, fewer launches"
                      : "CUDA graph, larger batch, fewer launches";
  }
}

const char *
recorder_copy_remedy (const Answers *a)
{
  switch (recorder_of (a)) {
  case RECORDER_TORCH:
    return "pinned memory, non_blocking copies, prefetch";
  case RECORDER_XLA:
    return "donated buffers, prefetch to the device";
  case RECORDER_TENSORFLOW:
    return "prefetch_to_device, fewer copies";
  default:
    return "pinned memory, asynchronous copies, prefetch";
  }
}
