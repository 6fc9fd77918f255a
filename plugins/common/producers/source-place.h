/* SPDX-License-Identifier: Apache-2.0 */
/* source-place.h - where in the user's program a row is: its attribute source has FILE or
 * FILE:LINE; of frames of source_stack producers write FILE:LINE, FILE:LINE:COLUMN, or FILE:LINE
 * NAME. Knows nothing of nprof. */
#ifndef PRODUCERS_SOURCE_PLACE_H
#define PRODUCERS_SOURCE_PLACE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Returns how many bytes of the attribute are FILE; *line is 0 where it names none. */
static inline size_t
source_file (const char *source, uint32_t *line)
{
  const char *colon = strrchr (source, ':');
  size_t digits = colon ? strspn (colon + 1, "0123456789") : 0;
  unsigned long long number
      = digits && !colon[1 + digits] ? strtoull (colon + 1, NULL, 10) : UINT64_MAX;
  *line = number <= UINT32_MAX ? (uint32_t) number : 0;
  return number <= UINT32_MAX ? (size_t) (colon - source) : strlen (source);
}

/* Returns how many bytes of the frame are FILE; 0: it names no line, and *line is 0. */
static inline size_t
source_place (const char *frame, uint32_t *line)
{
  for (const char *colon = strchr (frame, ':'); colon; colon = strchr (colon + 1, ':')) {
    char *end;
    unsigned long long number
        = colon[1] >= '0' && colon[1] <= '9' ? strtoull (colon + 1, &end, 10) : 0;
    if (colon == frame || !number || number > UINT32_MAX || !strchr (": ", *end))
      continue;
    *line = (uint32_t) number;
    return (size_t) (colon - frame);
  }
  *line = 0;
  return 0;
}

#endif
