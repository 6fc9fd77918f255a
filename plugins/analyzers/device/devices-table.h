/* SPDX-License-Identifier: Apache-2.0 */
/* devices-table.h - the columns of table devices. */
#ifndef DEVICES_TABLE_H
#define DEVICES_TABLE_H

#include <nprof/table.h>

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
  C (PS, lost, "no work recorded, and rows missing: busy or idle, nobody knows")                   \
  C (TEXT, busy_reason, "why busy_ns is unknown")

NPROF_TABLE_ROW (devices, DEVICES)

#endif
