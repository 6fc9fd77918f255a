/* SPDX-License-Identifier: Apache-2.0 */
/* pytorch.h - steps that PyTorch's profiler tells by the name of a span alone: the one place that knows such
 * names, for decoders, which give rows the attribute `step`, and for analyzers. */
#ifndef PRODUCERS_PYTORCH_H
#define PRODUCERS_PYTORCH_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* source: torch/profiler/profiler.py, step() */
#define PYTORCH_STEP_NAME "ProfilerStep#"
/* Numbers below this one have no more than 18 digits. */
#define PYTORCH_STEP_LIMIT INT64_C (1000000000000000000)

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
