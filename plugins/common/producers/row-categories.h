/* SPDX-License-Identifier: Apache-2.0 */
/* row-categories.h - what a category tells of a row of a device, whatever track it stands on, and
 * what the label of a track tells of its rows: the one place that knows such words, beside
 * pytorch.h, for analyzers (row-role.h) and for the viewer's shares (row-kin.h). */
#ifndef PRODUCERS_ROW_CATEGORIES_H
#define PRODUCERS_ROW_CATEGORIES_H

/* source: Kineto's activity types (ActivityType.h), those of 2021 in capitals; rocprofiler-sdk's
 * and rocprofiler-systems' traces for Perfetto (generatePerfetto.cpp, tracing.hpp) */
#define CATEGORIES_OF_WORK                                                                         \
  "kernel", "Kernel", "gpu_memcpy", "Memcpy", "gpu_memset", "Memset", "collective_comm",           \
      "kernel_dispatch", "rocm_kernel_dispatch", "memory_copy", "rocm_memory_copy"

/* source: rocprof-sys, rocprofv3 and ROCm's Perfetto traces: what hosts launch, whose names and
 * args tell what it is */
#define CATEGORIES_OF_ROCM                                                                         \
  "kernel_dispatch", "memory_copy", "rocm_kernel_dispatch", "rocm_memory_copy", "rocm_hip_stream"

/* These are what nprof's ntff says: an engine of a NeuronCore waits for a semaphore; instructions
 * before its execution; those whose code is not known, which may be work or a wait; one execution,
 * or the extent of a recording, around the work. */
#define CATEGORIES_OF_WAITS "semaphore wait", "runtime setup"
#define CATEGORY_UNKNOWN "unknown instruction"
#define CATEGORIES_AROUND "execution", "recorded"

/* So end the labels of tracks of a device whose rows are steps and programs around its work. names:
 * xplane.md 1.3 */
#define TRACK_OF_STEPS "Steps"
#define TRACK_OF_MODULES "Modules"

#endif
