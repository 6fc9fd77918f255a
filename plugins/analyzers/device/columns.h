/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of the tables of analyzer device. */
#pragma once

#include <nprof/table.h>

#define GAPS(C)                                                                                    \
  C (KEY, device, "device or core")                                                                \
  C (PS_KEY, start, "none: shorter ones together")                                                 \
  C (PS, duration, "")                                                                             \
  C (KEY, cause, "host, launch, wait, dma, collective, unlinked")                                  \
  C (STRING, ended_by, "the work that follows")
NPROF_TABLE_ROW (gaps, GAPS)

#define CLOSED_GAPS(C)                                                                             \
  C (KEY, device, "device or core")                                                                \
  C (COUNT, gaps, "shorter than 10 us, also 0")                                                    \
  C (COUNT, closed, "of exactly 1 ns")
NPROF_TABLE_ROW (closed_gaps, CLOSED_GAPS)

#define SECTION_GAPS(C)                                                                            \
  C (KEY, device, "device or core")                                                                \
  C (KEY, section, "process of the timeline")                                                      \
  C (PS_KEY, start, "")                                                                            \
  C (PS, duration, "")                                                                             \
  C (PS, filled, "transfers of other sections under way")                                          \
  C (RATIO, share, "of the duration that is filled")                                               \
  C (STRING, transfer, "the one that fills most of it")
NPROF_TABLE_ROW (section_gaps, SECTION_GAPS)

#define CATEGORIES(C)                                                                              \
  C (KEY, device, "device or core")                                                                \
  C (KEY, category, "compute, control, communication, copy, setup")                                \
  C (PS, busy, "")                                                                                 \
  C (RATIO, share, "of the span")
NPROF_TABLE_ROW (categories, CATEGORIES)

#define DMA(C)                                                                                     \
  C (KEY, device, "device or core")                                                                \
  C (KEY, queue, "track of the transfers")                                                         \
  C (COUNT, calls, "transfers")                                                                    \
  C (BYTES, bytes, "")                                                                             \
  C (DOUBLE_IN, mean_bytes, "byte", "of a transfer")                                               \
  C (PS, busy, "")                                                                                 \
  C (RATE, throughput, "while busy")                                                               \
  C (RATIO, efficiency, "of the main memory's bandwidth")
NPROF_TABLE_ROW (dma, DMA)

#define LINKED(C)                                                                                  \
  C (KEY, device, "device or core")                                                                \
  C (COUNT, rows, "work")                                                                          \
  C (COUNT, linked, "of them")                                                                     \
  C (PS, span, "")                                                                                 \
  C (PS, busy, "")                                                                                 \
  C (PS, idle, "")                                                                                 \
  C (PS, compute, "")                                                                              \
  C (PS, communication, "")                                                                        \
  C (PS, copy, "")                                                                                 \
  C (PS, exposed_communication, "while nothing computes")                                          \
  C (PS, exposed_copy, "while nothing computes or communicates")
NPROF_TABLE_ROW (linked, LINKED)

#define ENGINES(C)                                                                                 \
  C (KEY, device, "device or core")                                                                \
  C (KEY, engine, "track of the work")                                                             \
  C (KEY, kind, "of the track: engine, queue, thread, core, device, async")                        \
  C (COUNT, calls, "spans of work")                                                                \
  C (PS, busy, "some work of the track under way")                                                 \
  C (RATIO, share, "of the device's span")                                                         \
  C (TEXT, reason, "why busy_ns or share is unknown")
NPROF_TABLE_ROW (engines, ENGINES)

#define LOGICAL_CORES(C)                                                                           \
  C (KEY, device, "what holds the cores")                                                          \
  C (COUNT, cores, "with work")                                                                    \
  C (PS, span, "from the first to the last work of any")                                           \
  C (PS, busy, "some work of any under way")                                                       \
  C (PS, idle, "span less busy")                                                                   \
  C (PS, compute, "some computing of any under way")                                               \
  C (PS, communication, "some communication of any under way")                                     \
  C (PS, copy, "some transfer or copy of any under way")                                           \
  C (PS, exposed, "communication or memory while none computes")                                   \
  C (PS, overlap, "communication or memory while some compute")                                    \
  C (TEXT, reason, "why busy_ns or idle_ns is unknown")
NPROF_TABLE_ROW (logical_cores, LOGICAL_CORES)

#define DEVICES(C)                                                                                 \
  C (KEY, device, "device or core")                                                                \
  C (PS, span, "from the first to the last work")                                                  \
  C (PS, busy, "some work under way; without asynchronous transfers")                              \
  C (PS, idle, "span less busy and lost")                                                          \
  C (PS, compute, "some computing under way")                                                      \
  C (PS, communication, "some communication under way")                                            \
  C (PS, copy, "some transfer or copy under way")                                                  \
  C (PS, exposed, "communication or memory while nothing computes")                                \
  C (PS, overlap, "communication or memory while something computes")                              \
  C (RATIO, mfu, "model flops / (peak * span)")                                                    \
  C (RATIO, hfu, "flops / (peak * span)")                                                          \
  C (RATIO, mbu, "bytes / (bandwidth * span)")                                                     \
  C (PS, lost, "no work recorded, and rows missing: busy or idle, unknown")                        \
  C (TEXT, busy_reason, "why busy_ns is unknown")
NPROF_TABLE_ROW (devices, DEVICES)
