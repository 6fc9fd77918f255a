/* SPDX-License-Identifier: Apache-2.0 */
/* window-parts.h - the parts of a window of a device: what the device did, or why it idled.  This
 * is how tables name them, and what sentences call them; the page has the same words in
 * share/viewer/base/step-parts.js. */
#ifndef WINDOW_PARTS_H
#define WINDOW_PARTS_H

/* The number, the name in tables, and the words. From INPUT on it idles. */
#define WINDOW_PARTS(P)                                                                            \
  P (COMPUTE, "compute", "compute")                                                                \
  P (COMM, "comm", "communication alone")                                                          \
  P (BUBBLE, "bubble", "pipeline bubble")                                                          \
  P (COPY, "copy", "copies alone")                                                                 \
  P (CONTROL, "control", "control")                                                                \
  P (INPUT, "input", "waiting for input")                                                          \
  P (PREPROCESS, "preprocess", "preprocessing")                                                    \
  P (ALLOC, "alloc", "allocations")                                                                \
  P (FIRST_USE, "first_use", "loading code")                                                       \
  P (STALL, "stall", "stalled CPU")                                                                \
  P (HOST, "host", "waiting for the CPU")                                                          \
  P (LAUNCH, "launch", "launch latency")                                                           \
  P (SYNC, "sync", "calls that block")                                                             \
  P (WAIT, "wait", "waiting on another stream or kernel")                                          \
  P (UNRECORDED, "unrecorded", "work that was not recorded")                                       \
  P (OPAQUE, "opaque", "graphs recorded as one")                                                   \
  P (PROFILER, "profiler", "the profiler")                                                         \
  P (UNLINKED, "unlinked", "launch not recorded")

#define WINDOW_PART_NUMBER(number, name, said) PART_##number,
typedef enum { WINDOW_PARTS (WINDOW_PART_NUMBER) PARTS } Part;

typedef struct {
  const char *name, *said;
} WindowPart;

static inline const WindowPart *
window_part (Part part)
{
#define WINDOW_PART_WORDS(number, name, said) { name, said },
  static const WindowPart parts[PARTS] = { WINDOW_PARTS (WINDOW_PART_WORDS) };
#undef WINDOW_PART_WORDS
  return &parts[part];
}

#endif
