/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of the tables of analyzer modules. */
#pragma once

#include <nprof/table.h>

#define MODULES(C)                                                                                 \
  C (KEY, device, "device or core; none: the file has no work of devices")                         \
  C (TEXT_KEY, module, "path, outermost first")                                                    \
  C (STRING, class, "attention, mlp, norm, embedding, head, other")                                \
  C (COUNT, calls, "of the module")                                                                \
  C (PS, host, "sum of its calls on the host")                                                     \
  C (INT_AS, device_time, "device_ns", "ps", "work launched within it, or that states it")         \
  C (PS, self, "of which not within a module below")                                               \
  C (RATIO, share, "of the device's work")                                                         \
  C (PS, backward,                                                                                 \
     "beside device_ns: work that backward passes of its operators launched, in no module")
NPROF_TABLE_ROW (modules, MODULES)

#define MODULE_CLASSES(C)                                                                          \
  C (KEY, device, "device or core; none: the file has no work of devices")                         \
  C (KEY, class, "of the innermost module that says one; (no module), (launch not recorded)")      \
  C (INT_AS, device_time, "device_ns", "ps", "work")                                               \
  C (COUNT, operations, "rows of work")                                                            \
  C (RATIO, share, "of the device's work")                                                         \
  C (PS, backward, "of (no module): work that backward passes of the class launched")
NPROF_TABLE_ROW (module_classes, MODULE_CLASSES)

#define RANGES(C)                                                                                  \
  C (KEY, device, "device or core; none: the file has no work of devices")                         \
  C (TEXT_KEY, range, "path, outermost first")                                                     \
  C (COUNT, calls, "of the range")                                                                 \
  C (PS, host, "sum of its calls on the host")                                                     \
  C (INT_AS, device_time, "device_ns", "ps", "work launched within it")                            \
  C (PS, self, "of which not within a range below")                                                \
  C (RATIO, share, "of the device's work")
NPROF_TABLE_ROW (ranges, RANGES)

#define SOURCE(C)                                                                                  \
  C (KEY, device, "device or core; none: the file has no work of devices")                         \
  C (KEY, source, "FILE:LINE, or FILE(LINE): FUNCTION, the line where the function begins")        \
  C (COUNT, calls, "of the frame")                                                                 \
  C (INT_AS, device_time, "device_ns", "ps", "work launched within it, or that states it")         \
  C (PS, self, "of which not within a frame below")                                                \
  C (RATIO, share, "of the device's work")
NPROF_TABLE_ROW (source, SOURCE)
