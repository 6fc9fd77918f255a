/* SPDX-License-Identifier: Apache-2.0 */
/* pytorch.h - what PyTorch's profiler tells by the name or the category of a span alone, steps,
 * modules and waits: the one place that knows such names, for decoders, which give rows the
 * attribute `step`, for analyzers and for the viewer. */
#ifndef PRODUCERS_PYTORCH_H
#define PRODUCERS_PYTORCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* source: torch/profiler/profiler.py, step() */
#define PYTORCH_STEP_NAME "ProfilerStep#"
/* Numbers below this one have no more than 18 digits. */
#define PYTORCH_STEP_LIMIT INT64_C (1000000000000000000)

/* Frames of Python of this category and prefix are calls of modules. source: torch.profiler with
 * with_stack=True */
#define PYTORCH_FRAME "python_function"
#define PYTORCH_MODULE_NAME "nn.Module: "

/* Returns how many bytes of a frame's name are FILE, of FILE(LINE) and FILE(LINE): FUNCTION; 0: it
 * names no line of a file, as functions in C and code that was made of a text do not. source:
 * torch/csrc/autograd/profiler_python.cpp; LINE is where the function begins */
static inline size_t
pytorch_frame_file (const char *name, uint32_t *line)
{
  if (*name == '<')
    return 0;
  for (const char *open = strchr (name, '('); open; open = strchr (open + 1, '(')) {
    const size_t digits = strspn (open + 1, "0123456789");
    const char *behind = open + 1 + digits;
    if (open == name || !digits || digits > 9 || *behind != ')'
        || (behind[1] && strncmp (behind + 1, ": ", 2) != 0))
      continue;
    *line = (uint32_t) strtoul (open + 1, NULL, 10);
    return *line ? (size_t) (open - name) : 0;
  }
  return 0;
}

/* Rows of these categories are no work, on whichever track: they wait or mark a moment, or are
 * ranges over work whose times CUPTI makes up. source: Kineto's activity types (ActivityType.h) */
#define PYTORCH_NO_WORK                                                                            \
  "user_annotation", "gpu_user_annotation", PYTORCH_FRAME, PYTORCH_TRACE, "cuda_sync", "xpu_sync", \
      "cuda_event", "cuda_profiler_range", "overhead"

/* One row of this category is the extent of the recording; its thread is no thread of the program.
 * source: as above */
#define PYTORCH_TRACE "Trace"

/* MTIA writes the waits of a stream among its work, in this category. source: HTA's
 * mtia_inference_trace */
#define PYTORCH_MTIA_WORK "mtia_ccp_events"
#define PYTORCH_MTIA_WAITS "event_wait", "event_record"

/* Returns how much of an operator's name says what it is: SGLang's profiler of shapes puts the
 * number of its wrapper behind it, sglang_profiler::NAME_100, which differs from run to run.
 * source: kernel_shape_profiler.py */
static inline size_t
pytorch_operator_len (const char *name)
{
  static const char wrapper[] = "sglang_profiler::";
  const size_t len = strlen (name);
  if (strncmp (name, wrapper, sizeof wrapper - 1) != 0)
    return len;
  const char *number = strrchr (name, '_');
  const bool is = number && number[1] && number[1 + strspn (number + 1, "0123456789")] == '\0';
  return is ? (size_t) (number - name) : len;
}

/* Reads the number of a step: "ProfilerStep#12" of PyTorch is step 12.  `text` has len bytes.
 * false: it names no step. */
static inline bool
pytorch_step_of_name (const char *text, size_t len, int64_t *number)
{
  const size_t fixed = sizeof PYTORCH_STEP_NAME - 1;
  if (len <= fixed || len > fixed + 18 || memcmp (text, PYTORCH_STEP_NAME, fixed) != 0)
    return false;
  *number = 0;
  for (size_t i = fixed; i < len; i++) {
    if (text[i] < '0' || text[i] > '9')
      return false;
    *number = *number * 10 + (text[i] - '0');
  }
  return true;
}

#endif
