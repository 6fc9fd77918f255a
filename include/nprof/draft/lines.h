/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/draft/lines.h - tells what the lines of a device hold, by the names and ids that XLA's
 * profilers give them, header-only: for decoders of the formats that carry such lines (XSpace, and
 * the trace-event JSON that is exported of it).
 *
 * A draft: it may change or go in every release. */
#ifndef NPROF_DRAFT_LINES_H
#define NPROF_DRAFT_LINES_H

#include <nprof/plugin.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Returns whether a profiler computed the line from others: ids 0xdeadbeef and up, as such or
 * sign-extended. source: openxla/xla xplane_schema.h, kThreadId... */
static inline bool
nprof_line_is_derived (int64_t line)
{
  uint32_t id = (uint32_t) line;
  return id >= 0xdeadbeef && id <= 0xdeadbeff && ((uint64_t) line == id || line == (int32_t) id);
}

static inline bool
nprof_line_begins (const char *name, size_t len, const char *with)
{
  size_t n = strlen (with);
  return len >= n && memcmp (name, with, n) == 0;
}

/* Returns the kind of track of a device's line.  A line without a name is a queue, because
 * profilers name all others.  `name` has len bytes and is not terminated. source: openxla/xla
 * xplane_schema.cc, Kineto's output_json.cpp for "stream 7" */
static inline uint32_t
nprof_line_kind (const char *name, size_t len)
{
  static const char *const engines[]
      = { "XLA Ops", "Tensor Core", "Sparse Core Ops", "Host Offload Ops" };
  if (len == 0 || nprof_line_begins (name, len, "Stream ")
      || nprof_line_begins (name, len, "stream "))
    return NPROF_TRACK_QUEUE;
  if (len == strlen ("Async XLA Ops") && nprof_line_begins (name, len, "Async XLA Ops"))
    return NPROF_TRACK_ASYNC;
  for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
    if (len == strlen (engines[i]) && nprof_line_begins (name, len, engines[i]))
      return NPROF_TRACK_ENGINE;
  return NPROF_TRACK_THREAD;
}

#endif
