/* SPDX-License-Identifier: Apache-2.0 */
/* own-frames.c - the lists of runtimes and of libraries of kernels, by how paths begin. */
#include "producers/own-frames.h"

#include <glib.h>
#include <string.h>

/* sources: torch, triton, vLLM, SGLang; Python's own modules as Kineto names them */
static const char *const runtimes[] = {
  "<", "torch/", "triton/", "contextlib.py", "threading.py", "multiprocessing/", "asyncio/",
  "runpy.py", "functools.py", "selectors.py", "queue.py", "socket.py", "importlib/",
  "/tmp/torchinductor", "torch_compile_debug", "torch_compile", "weakref.py", "copy.py",
  "vllm/compilation/", "vllm/tracing/", "vllm/model_executor/parameter.py",
  "vllm/model_executor/custom_op.py", "sglang/srt/utils/kernel_shape_profiler.py",
  "sglang/srt/layers/utils/multi_platform.py", "sglang/srt/custom_op.py",
};

static const char *const kernels[] = {
  "triton_kernels/", "aiter/", "torch_guard.py", "csrc/", "sgl_kernel/", "flashinfer/",
  "flash_attn/", "xformers/", "deep_gemm/", "deep_ep/", "vllm/_custom_ops.py",
  "vllm/_aiter_ops.py", "vllm/triton_utils", "vllm/model_executor/layers/utils.py",
  "sglang/jit_kernel/", "sglang/kernels/",
};

/* What stands before these, and they themselves, is no part of a module's name; `stays` bytes at
 * their end are. */
static const struct {
  const char *mark;
  size_t stays;
} folders[] = { { "site-packages/", 0 }, { "dist-packages/", 0 },
                { "/python/sglang/", sizeof "sglang/" - 1 },
                { "/python/triton/", sizeof "triton/" - 1 } };

const char *
own_frames_path (const char *frame)
{
  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++) {
    const char *at = g_strrstr (frame, folders[i].mark);
    if (at)
      frame = at + strlen (folders[i].mark) - folders[i].stays;
  }
  return frame;
}

static bool
begins_so (const char *path, const char *const *list, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (g_str_has_prefix (path, list[i]))
      return true;
  return false;
}

bool
own_frames_is_runtime (const char *path)
{
  return begins_so (path, runtimes, G_N_ELEMENTS (runtimes));
}

bool
own_frames_is_of_kernels (const char *path)
{
  return begins_so (path, kernels, G_N_ELEMENTS (kernels));
}

void
own_frames_add (OwnFrames *frames, const char *frame)
{
  const char *path = own_frames_path (frame);
  if (!strchr (path, '(') || own_frames_is_runtime (path))
    return;
  if (own_frames_is_of_kernels (path))
    frames->of_kernels = path;
  else
    frames->own = path;
}

char *
own_frames_source (const OwnFrames *frames)
{
  const char *frame = frames->own ? frames->own : frames->of_kernels;
  if (!frame)
    return NULL;
  const char *bracket = strchr (frame, '('), *end = strchr (frame, ')');
  if (!bracket || !end || end < bracket)
    return g_strdup (frame);
  return g_strdup_printf ("%.*s:%.*s", (int) (bracket - frame), frame, (int) (end - bracket - 1),
                          bracket + 1);
}
