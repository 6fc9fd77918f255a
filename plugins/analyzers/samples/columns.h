/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of the tables of analyzer samples. */
#pragma once

#include <nprof/table.h>

#define SAMPLES(C)                                                                                 \
  C (KEY, device, "device or core; with of=host, a process")                                       \
  C (TEXT, by,                                                                                     \
     "launch: rows belong to the step that launched them; start: to the step that they "           \
     "begin in; recording: all are one step")                                                      \
  C (STRING, program, "whose executions are the steps")                                            \
  C (COUNT, steps, "that were counted")                                                            \
  C (COUNT, cut, "that the profile cut; they are not counted")                                     \
  C (COUNT, block_steps,                                                                           \
     "steps that a row of kernel_steps adds up; the last block may have fewer")                    \
  C (COUNT, rows, "of work, in counted steps and outside")                                         \
  C (PS, duration, "sum of their durations; of rows that contain others, the rest")                \
  C (COUNT, outside_rows, "launched in no step, or by=start, that begin in none")                  \
  C (PS, outside, "sum of their durations")                                                        \
  C (COUNT, unlinked_rows, "whose launch is not in the file")                                      \
  C (PS, unlinked, "sum of their durations")                                                       \
  C (COUNT, late_rows, "that came when their step was complete, and are not counted")
NPROF_TABLE_ROW (samples, SAMPLES)

#define KERNEL_STEPS(C)                                                                            \
  C (KEY, device, "device or core; with of=host, a process")                                       \
  C (INT_KEY, block, "0, 1, ...: which of the device's blocks of steps")                           \
  C (TEXT_KEY, step, "name of the step, of the first of several")                                  \
  C (KEY, kernel, "name of the rows")                                                              \
  C (KEY, operator, "operator of the framework that launched them")                                \
  C (KEY, module, "path of modules around the launch; modules=yes")                                \
  C (COUNT, steps, "that are added up here")                                                       \
  C (PS, duration, "sum of durations")
NPROF_TABLE_ROW (kernel_steps, KERNEL_STEPS)

#define KERNEL_PLACES(C)                                                                           \
  C (KEY, device, "device or core; with of=host, a process")                                       \
  C (KEY, kernel, "name of the row")                                                               \
  C (KEY, operator, "operator of the framework that launched it")                                  \
  C (INT_KEY, ordinal, "0, 1, ...: which row of them in a step; 1023: and all behind it")          \
  C (TEXT, class, "compute, communication, copy, control or setup")                                \
  C (STRING, module,                                                                               \
     "path of modules around the launch, in the first step that has it; modules=yes")              \
  C (COUNT, among, "ordinal among all rows of the operator, in the first step that has it")        \
  C (COUNT, steps, "that have such a row")                                                         \
  C (COUNT, calls, "rows")                                                                         \
  C (PS, duration, "sum of durations over the steps")                                              \
  C (NUMBER, variance, "between the steps, in ps^2")
NPROF_TABLE_ROW (kernel_places, KERNEL_PLACES)
