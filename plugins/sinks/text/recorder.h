/* SPDX-License-Identifier: Apache-2.0 */
/* recorder.h - which program recorded a profile, and whose GPUs it is of: advice has the names of
 * its options and of that vendor. */
#pragma once

#include "answers.h"

typedef enum {
  RECORDER_OTHER,
  RECORDER_TORCH,      /* torch.profiler                                 */
  RECORDER_XLA,        /* of JAX, and of TensorFlow where XLA runs it    */
  RECORDER_TENSORFLOW, /* of its executor, which runs operators one by one */
  RECORDER_ROCPROF,    /* rocprofv3, and rocprof-sys                    */
  RECORDERS
} Recorder;

/* These are what would tell more. */
typedef enum {
  OPTION_NONE,
  OPTION_DEVICES,
  OPTION_LAUNCHES,
  OPTION_SPANS, /* of the host */
  OPTION_MODULES,
  OPTION_MEMORY,
  OPTION_SHAPES,
  OPTIONS
} Option;

Recorder recorder_of (const Answers *answers);
/* Returns "record with with_stack=True"; NULL: the recorder has no such option, or it was on. */
const char *recorder_option (const Answers *answers, Option option);
