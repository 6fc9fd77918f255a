/* SPDX-License-Identifier: Apache-2.0 */
/* rebellions.h - what the profiler of Rebellions' NPUs calls its tracks, and what shows that a
 * trace is its; what rows of its categories mean is in meaning.c.  source: guide of the RBLN
 * Profiler 0.12, architecture and analysis; no file of it was seen */
#ifndef PRODUCERS_REBELLIONS_H
#define PRODUCERS_REBELLIONS_H

#include <nprof/plugin.h>
#include <stdbool.h>
#include <string.h>

/* The commands that run on a device.  Rows of one stand on the track of its name, and have its name
 * as their category; the first computes, and nobody else has such an engine. */
#define REBELLIONS_ENGINE "Neural Engine Clusters"
#define REBELLIONS_OTHER_ENGINES                                                                   \
  "General Compute Engine", "Neural DMA", "Task DMA", "External HDMA", "Device HDMA", "Device Sync"

/* Rows of this track are calls of the runtime as the device ran them, around its commands. */
#define REBELLIONS_WORKLOAD "Device Workload"

/* Returns whether a row shows that what holds its track is an NPU of Rebellions.  Either name alone
 * does not: others may call a track, or a category, so. */
static inline bool
rebellions_shows (const char *track, const char *category)
{
  return strcmp (track, REBELLIONS_ENGINE) == 0 && strcmp (category, REBELLIONS_ENGINE) == 0;
}

/* Returns whether it holds the engines of a part of an NPU, whose parts are one device: "Chiplet
 * 0". */
static inline bool
rebellions_is_chiplet (const char *track)
{
  static const char before[] = "Chiplet ";
  return strncmp (track, before, sizeof before - 1) == 0;
}

/* Reads the number of the inference from the name of a row of a device:
 * "{sequence}_[W{workload}_]{layer}_{command}".  Names of several instances of a model begin with
 * "i{instance}_": each counts for itself, so their numbers are of no step. */
static inline bool
rebellions_sequence (const char *name, int64_t *sequence)
{
  const size_t digits = strspn (name, "0123456789");
  if (!digits || digits > 18 || name[digits] != '_' || !name[digits + 1])
    return false;
  *sequence = 0;
  for (size_t i = 0; i < digits; i++)
    *sequence = 10 * *sequence + (name[i] - '0');
  return true;
}

/* Returns the kind of a track below an NPU. */
static inline uint32_t
rebellions_kind (const char *track)
{
  static const char *const engines[] = { REBELLIONS_ENGINE, REBELLIONS_OTHER_ENGINES };
  for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
    if (strcmp (track, engines[i]) == 0)
      return NPROF_TRACK_ENGINE;
  return NPROF_TRACK_THREAD;
}

#endif
