/* SPDX-License-Identifier: Apache-2.0 */
/* set-memory.h - remembers what rows of a set of attributes say. Most rows say nothing of their own
 * but times, so the rest is looked at once for each set. */
#ifndef AN_SET_MEMORY_H
#define AN_SET_MEMORY_H

#include "devicekit/clock.h"
#include "devicekit/traits.h"

#include <string.h>

/* Rows of all devices alternate in the order of time, and so do ten thousands of sets, which all
 * need a place: two that share one are read again with each row. Memory is touched where sets
 * are. */
#define AN_SETS 65536u

/* The memory of a set lies in the place `set % AN_SETS` of an array, and begins with this. */
typedef struct {
  nprof_set set;   /* 0: nothing is remembered here                             */
  uint32_t key[3]; /* what else tells rows of the set apart: name, device ...   */
  bool has_clock;  /* the set has times, too, so rows of it are read one by one */
} AnOfSet;

/* Returns the set that stands for the row, whose own clock is read; 0: the row says more. own: of
 * its traits. The pick has neither its step nor its launch. */
static inline __attribute__ ((always_inline)) nprof_set
an_set_of_row (const struct nprof_reader *pick, uint32_t offset, uint32_t duration, guint8 own,
               const struct nprof_batch *batch, uint32_t i, AnClock *clock)
{
  nprof_set set = batch->shared ? batch->shared[i] : 0;
  if (G_UNLIKELY (own & AN_OWN_OTHER))
    return set && an_own_clock (pick, offset, duration, batch, i, clock) ? set : 0;
  *clock = (AnClock){ 0, 0, false };
  if (own & AN_OWN_CLOCK)
    *clock = an_clock_at (batch, batch->attr_at[i]);
  return set;
}

static inline bool
an_of_set_is (const AnOfSet *k, nprof_set set, uint32_t a, uint32_t b, uint32_t c)
{
  return k->set == set && k->key[0] == a && k->key[1] == b && k->key[2] == c;
}

/* Picks the attributes of the set, as nprof_reader_row does those of a row. */
static inline const struct nprof_field *
an_pick_set (struct nprof_reader *pick, nprof_set set)
{
  return memcpy (pick->field, nprof_reader_set (pick, set), pick->n * sizeof *pick->field);
}

/* Picks the set, and returns how its memory begins. */
static inline AnOfSet
an_of_set (struct nprof_reader *pick, uint32_t offset, uint32_t duration, nprof_set set, uint32_t a,
           uint32_t b, uint32_t c)
{
  const struct nprof_field *field = an_pick_set (pick, set);
  return (AnOfSet){ set, { a, b, c }, field[offset].type || field[duration].type };
}

#endif
