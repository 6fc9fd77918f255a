/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h - the time of a span by the device's clock.  Most rows of work have it as their own and
 * share all else that analyzers read, so that what else they say is looked at once for each set. */
#ifndef AN_CLOCK_H
#define AN_CLOCK_H

#include <nprof/pick.h>

/* A span by the device's clock; `has` is false unless both times are known. */
typedef struct {
  int64_t start, duration; /* ps */
  bool has;
} AnClock;

/* What a pick says of it, by the places of NPROF_KEY_DEVICE_OFFSET and _DURATION among its keys. */
static inline AnClock
an_clock (const struct nprof_pick *pick, uint32_t offset, uint32_t duration)
{
  AnClock c = { 0, 0, false };
  c.has = nprof_pick_int (pick, offset, &c.start) && nprof_pick_int (pick, duration, &c.duration)
          && c.duration >= 0;
  return c;
}

/* The same from the row's own attributes, without the pick.  FALSE: they hold another key of it, or
 * other numbers than counts; the pick has to tell. */
static inline bool
an_own_clock (const struct nprof_pick *pick, uint32_t offset, uint32_t duration,
              const struct nprof_batch *batch, uint32_t i, AnClock *clock)
{
  bool has_offset = false, has_duration = false;
  *clock = (AnClock){ 0, 0, false };
  for (uint32_t j = batch->attr_at ? batch->attr_at[i] : 0;
       batch->attr_at && j < batch->attr_at[i + 1]; j++) {
    nprof_str key = batch->attr_key[j];
    uint32_t which = key < pick->n_which ? pick->which[key] : 0, type = batch->attr_type[j];
    int64_t value = batch->attr_value[j].i;
    if (!which)
      continue;
    if ((type != NPROF_UINT64 && type != NPROF_INT64) || value < 0)
      return false;
    if (which == offset + 1) {
      clock->start = value;
      has_offset = true;
    } else if (which == duration + 1) {
      clock->duration = value;
      has_duration = true;
    } else {
      return false;
    }
  }
  clock->has = has_offset && has_duration;
  return true;
}

#endif
