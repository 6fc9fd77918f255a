/* SPDX-License-Identifier: Apache-2.0 */
/* squeeze-column.c - a column as what its values have in common, and the rest in the fewest of 0, 1,
 * 2, 4 or 8 bytes a value: the value itself less the smallest one, or its difference to the one
 * before less the smallest difference.
 *
 * Compiled once for any processor and once for those with AVX2, from the same text: its loops have no
 * branches and carry nothing from one value to the next, so that the compiler makes vectors of them.
 * Only differences must be added up one by one. */

#include "squeeze-column.h"

#include <string.h>

#define ALWAYS_INLINE inline __attribute__ ((always_inline))
#define DIFFERENCES 0x80

/* Values of a squeezed column lie anywhere. */
typedef guint16 Packed16 __attribute__ ((aligned (1), may_alias));
typedef guint32 Packed32 __attribute__ ((aligned (1), may_alias));
typedef guint64 Packed64 __attribute__ ((aligned (1), may_alias));

typedef struct {
  guint width;
  gboolean differences;
  guint64 least;
} Plan;

static ALWAYS_INLINE guint64
value_at (const void *column, gsize i, guint size)
{
  return size == 8   ? ((const guint64 *) column)[i]
         : size == 4 ? ((const guint32 *) column)[i]
                     : ((const guint8 *) column)[i];
}

static ALWAYS_INLINE void
set_value (void *column, gsize i, guint size, guint64 value)
{
  if (size == 8)
    ((guint64 *) column)[i] = value;
  else if (size == 4)
    ((guint32 *) column)[i] = (guint32) value;
  else
    ((guint8 *) column)[i] = (guint8) value;
}

static guint
width_of (gint64 least, gint64 most)
{
  guint64 range = (guint64) most - (guint64) least;
  return range == 0 ? 0 : range >> 8 == 0 ? 1 : range >> 16 == 0 ? 2 : range >> 32 == 0 ? 4 : 8;
}

/* -- Squeezing -------------------------------------------------------------------------- */

/* Differences wrap around as unsigned values do, and come back the same way. */
static ALWAYS_INLINE Plan
plan_of (const void *column, guint n, guint size)
{
  gint64 least = (gint64) value_at (column, 0, size), most = least;
  gint64 least_step = G_MAXINT64, most_step = G_MININT64;
  for (guint i = 1; i < n; i++) {
    guint64 value = value_at (column, i, size);
    gint64 step = (gint64) (value - value_at (column, i - 1, size)), plain = (gint64) value;
    least = MIN (least, plain);
    most = MAX (most, plain);
    least_step = MIN (least_step, step);
    most_step = MAX (most_step, step);
  }
  guint plain = width_of (least, most), steps = n > 1 ? width_of (least_step, most_step) : 0;
  return steps < plain ? (Plan){ steps, TRUE, (guint64) least_step }
                       : (Plan){ plain, FALSE, (guint64) least };
}

#define PUT(type)                                                                                  \
  {                                                                                                \
    type *restrict out = (type *) (void *) to;                                                     \
    if (plan.differences)                                                                          \
      for (guint i = 1; i < n; i++)                                                                \
        out[i]                                                                                     \
            = (type) (value_at (column, i, size) - value_at (column, i - 1, size) - plan.least);   \
    else                                                                                           \
      for (guint i = 0; i < n; i++)                                                                \
        out[i] = (type) (value_at (column, i, size) - plan.least);                                 \
    break;                                                                                         \
  }

static ALWAYS_INLINE void
put_values (guint8 *to, const void *column, guint n, guint size, Plan plan)
{
  memset (to, 0, plan.width); /* the first value stands in the head, its difference nowhere */
  switch (plan.width) {
  case 1:
    PUT (guint8)
  case 2:
    PUT (Packed16)
  case 4:
    PUT (Packed32)
  case 8:
    PUT (Packed64)
  default:
    break;
  }
}

static ALWAYS_INLINE guint8 *
put_sized (guint8 *to, const void *column, guint n, guint size)
{
  guint64 first = value_at (column, 0, size);
  Plan plan = { .least = first };
  if (memcmp (column, (const guint8 *) column + size, (gsize) (n - 1) * size))
    plan = plan_of (column, n, size);
  *to = (guint8) (plan.width | (plan.differences ? DIFFERENCES : 0));
  memcpy (to + 1, &plan.least, 8);
  memcpy (to + 9, &first, 8);
  put_values (to + NP_COLUMN_HEAD, column, n, size, plan);
  return to + NP_COLUMN_HEAD + (gsize) n * plan.width;
}

static guint8 *
put (guint8 *to, const void *column, guint n, guint size)
{
  return size == 8   ? put_sized (to, column, n, 8)
         : size == 4 ? put_sized (to, column, n, 4)
                     : put_sized (to, column, n, 1);
}

/* -- And back --------------------------------------------------------------------------- */

#define GET(type)                                                                                  \
  {                                                                                                \
    const type *restrict in = (const type *) (const void *) from;                                  \
    if (differences)                                                                               \
      for (guint i = 1; i < n; i++)                                                                \
        set_value (column, i, size, value += (guint64) in[i] + least);                             \
    else                                                                                           \
      for (guint i = 0; i < n; i++)                                                                \
        set_value (column, i, size, (guint64) in[i] + least);                                      \
    break;                                                                                         \
  }

static ALWAYS_INLINE const guint8 *
get_sized (const guint8 *from, void *column, guint n, guint size)
{
  guint64 least, value;
  guint width = *from & 15;
  gboolean differences = *from & DIFFERENCES;
  memcpy (&least, from + 1, 8);
  memcpy (&value, from + 9, 8);
  from += NP_COLUMN_HEAD;
  set_value (column, 0, size, value);
  switch (width) {
  case 1:
    GET (guint8)
  case 2:
    GET (Packed16)
  case 4:
    GET (Packed32)
  case 8:
    GET (Packed64)
  default:
    for (guint i = 1; i < n; i++)
      set_value (column, i, size, value + (differences ? i * least : 0));
  }
  return from + (gsize) n * width;
}

static const guint8 *
get (const guint8 *from, void *column, guint n, guint size)
{
  return size == 8   ? get_sized (from, column, n, 8)
         : size == 4 ? get_sized (from, column, n, 4)
                     : get_sized (from, column, n, 1);
}

extern const NpSqueezer NP_SQUEEZER;
const NpSqueezer NP_SQUEEZER = { G_STRINGIFY (NP_SQUEEZER), put, get };
