/* SPDX-License-Identifier: Apache-2.0 */
/* window-parts.h - the parts of a window of a device: what the device did, or why it idled.  This
 * is how tables name them, what sentences call them, and the class of their colour; the page has
 * the same in share/viewer/base/step-parts.js, answers take the words by a line `words`. */
#ifndef WINDOW_PARTS_H
#define WINDOW_PARTS_H

#include <string.h>

/* The number, the name in tables, the words, and the look: "idle" where the device idles, "idle
 * other" where it does so between work that is queued or unknown.  What it did where rows are lost
 * is not known. */
#define WINDOW_PARTS(P)                                                                            \
  P (COMPUTE, "compute", "compute", "compute")                                                     \
  P (COMM, "comm", "communication alone", "communication")                                         \
  P (BUBBLE, "bubble", "pipeline bubble", "idle")                                                  \
  P (COPY, "copy", "copies alone", "copy")                                                         \
  P (CONTROL, "control", "control", "control")                                                     \
  P (LOST, "lost", "rows that may be missing", "control")                                          \
  P (INPUT, "input", "waiting for input", "idle")                                                  \
  P (PREPROCESS, "preprocess", "preprocessing", "idle")                                            \
  P (ALLOC, "alloc", "allocations", "idle")                                                        \
  P (CAPTURE, "capture", "capturing graphs", "idle")                                               \
  P (FIRST_USE, "first_use", "loading code", "idle")                                               \
  P (STALL, "stall", "stalled CPU", "idle")                                                        \
  P (HOST, "host", "late launches", "idle")                                                        \
  P (LAUNCH, "launch", "launch latency", "idle other")                                             \
  P (SYNC, "sync", "calls that block", "idle other")                                               \
  P (WAIT, "wait", "gaps in queued work", "idle other")                                            \
  P (UNRECORDED, "unrecorded", "work that was not recorded", "idle other")                         \
  P (OPAQUE, "opaque", "graphs recorded as one", "control")                                        \
  P (PROFILER, "profiler", "the profiler", "idle other")                                           \
  P (UNLINKED, "unlinked", "launch not recorded", "idle other")

#define WINDOW_PART_NUMBER(number, name, said, look) PART_##number,
typedef enum { WINDOW_PARTS (WINDOW_PART_NUMBER) PARTS } Part;

typedef struct {
  const char *name, *said, *look;
} WindowPart;

static inline const WindowPart *
window_part (Part part)
{
#define WINDOW_PART_WORDS(number, name, said, look) { name, said, look },
  static const WindowPart parts[PARTS] = { WINDOW_PARTS (WINDOW_PART_WORDS) };
#undef WINDOW_PART_WORDS
  return &parts[part];
}

/* Returns the part that tables name so; NULL: there is none. */
static inline const WindowPart *
window_part_named (const char *name)
{
  for (Part i = 0; i < PARTS; i++)
    if (!strcmp (window_part (i)->name, name))
      return window_part (i);
  return NULL;
}

#endif
