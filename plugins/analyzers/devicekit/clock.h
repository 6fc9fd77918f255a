/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h - reads the time of a span by the device's clock.  Most rows of work have it as their own
 * and share all else that analyzers read, so that the rest is looked at once for each set. */
#ifndef AN_CLOCK_H
#define AN_CLOCK_H

#include <nprof/reader.h>

/* This is a span by the device's clock; `has` is false unless both times are known. */
typedef struct {
  int64_t start, duration; /* ps */
  bool has;
} AnClock;

/* Reads it from a pick, by the places of NPROF_KEY_DEVICE_OFFSET and _DURATION among its keys. */
static inline AnClock
an_clock (const struct nprof_reader *pick, uint32_t offset, uint32_t duration)
{
  AnClock c = { 0, 0, false };
  c.has = nprof_reader_int (pick, offset, &c.start)
          && nprof_reader_int (pick, duration, &c.duration) && c.duration >= 0;
  return c;
}

/* Returns what the attribute at j and the next one say. */
static inline AnClock
an_clock_at (const struct nprof_batch *batch, uint32_t j)
{
  return (AnClock){ batch->attr_value[j].i, batch->attr_value[j + 1].i, true };
}

/* Returns whether the attribute at j is that one of the pick, and a count. */
static inline bool
an_is_count (const struct nprof_reader *pick, uint32_t which, const struct nprof_batch *batch,
             uint32_t j)
{
  nprof_str key = batch->attr_key[j];
  return key < pick->n_which && pick->which[key] == which + 1
         && (batch->attr_type[j] == NPROF_UINT64 || batch->attr_type[j] == NPROF_INT64)
         && batch->attr_value[j].i >= 0;
}

/* Reads own attributes that are not just the two times. */
static __attribute__ ((noinline, unused)) bool
an_clock_among (const struct nprof_reader *pick, uint32_t offset, uint32_t duration,
                const struct nprof_batch *batch, uint32_t i, AnClock *clock)
{
  bool has_offset = false, has_duration = false;
  for (uint32_t j = batch->attr_at[i]; j < batch->attr_at[i + 1]; j++) {
    if (an_is_count (pick, offset, batch, j)) {
      clock->start = batch->attr_value[j].i;
      has_offset = true;
    } else if (an_is_count (pick, duration, batch, j)) {
      clock->duration = batch->attr_value[j].i;
      has_duration = true;
    } else if (batch->attr_key[j] < pick->n_which && pick->which[batch->attr_key[j]]) {
      return false;
    }
  }
  clock->has = has_offset && has_duration;
  return true;
}

/* Reads it from the row's own attributes, without the pick.  FALSE: they hold another key of it, or
 * other numbers than counts; the pick has to tell. */
static inline __attribute__ ((always_inline)) bool
an_own_clock (const struct nprof_reader *pick, uint32_t offset, uint32_t duration,
              const struct nprof_batch *batch, uint32_t i, AnClock *clock)
{
  uint32_t at = batch->attr_at ? batch->attr_at[i] : 0,
           n = batch->attr_at ? batch->attr_at[i + 1] - at : 0;
  *clock = (AnClock){ 0, 0, false };
  if (n != 2 || !an_is_count (pick, offset, batch, at)
      || !an_is_count (pick, duration, batch, at + 1))
    return !n || an_clock_among (pick, offset, duration, batch, i, clock);
  *clock = (AnClock){ batch->attr_value[at].i, batch->attr_value[at + 1].i, true };
  return true;
}

#endif
