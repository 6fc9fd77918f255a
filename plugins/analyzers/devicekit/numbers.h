/* SPDX-License-Identifier: Apache-2.0 */
/* numbers.h - the numbers that a row of work states, or the set of attributes that rows share;
 * work.h reads them. */
#ifndef AN_NUMBERS_H
#define AN_NUMBERS_H

#include <glib.h>
#include <nprof/plugin.h>

/* An unknown number is 0. They fill one line of a cache: thousands of sets alternate, and each is
 * wanted for a moment. */
typedef struct {
  int64_t flops, model_flops, bytes, device_duration;
  int64_t transfer, step;
  uint64_t correlation;
  nprof_str layer; /* stated, or the path of the framework without its last part:
                           "jit(f)/layer_3/dot_general" is in "jit(f)/layer_3"             */
  guint16 known;   /* AN_KNOWS_FLOPS ... and AN_IS_CUSTOM, AN_IS_COLLECTIVE           */
} AnNumbers;
#define AN_CACHE_LINE 64
G_STATIC_ASSERT (sizeof (AnNumbers) == AN_CACHE_LINE);

#endif
