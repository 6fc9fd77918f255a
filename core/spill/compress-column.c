/* SPDX-License-Identifier: Apache-2.0 */
/* compress-column.c - writes what the values of a column have in common, and the rest in the fewest
 * of 0, 1, 2, 4 or 8 bytes a value: the value itself less the smallest one, or its difference to
 * the one before less the smallest difference.  A column that is mostly zeros keeps only the others
 * so, behind a bit a value that says which they are.
 *
 * It is compiled once for any processor and once for those with AVX2, from the same text: its loops
 * have no branches, carry nothing from one value to the next and stay in the type of the column, so
 * that the compiler makes vectors of them.  Only differences must be added up one by one. */

#include "spill/compress-column.h"

#include <string.h>

#define ALWAYS_INLINE inline __attribute__ ((always_inline))
#define DIFFERENCES 0x80
#define SPARSE 0x40
#define SPARSE_VALUES 4096u /* at most in a sparse column */

/* Values of a compressed column may lie at any address. */
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
width_of (guint64 range)
{
  return range == 0 ? 0 : range >> 8 == 0 ? 1 : range >> 16 == 0 ? 2 : range >> 32 == 0 ? 4 : 8;
}

/* -- Squeezing -------------------------------------------------------------------------- */

/* Differences wrap around as unsigned values do, and come back the same way. */
#define PLAN(type, plain_type, step_type)                                                          \
  {                                                                                                \
    const type *v = column;                                                                        \
    plain_type least = (plain_type) v[0], most = least;                                            \
    step_type least_step = (step_type) (v[1] - v[0]), most_step = least_step;                      \
    for (guint i = 1; i < n; i++) {                                                                \
      plain_type plain = (plain_type) v[i];                                                        \
      step_type step = (step_type) (v[i] - v[i - 1]);                                              \
      least = MIN (least, plain);                                                                  \
      most = MAX (most, plain);                                                                    \
      least_step = MIN (least_step, step);                                                         \
      most_step = MAX (most_step, step);                                                           \
    }                                                                                              \
    guint plain = width_of ((type) ((type) most - (type) least));                                  \
    guint steps = width_of ((type) ((type) most_step - (type) least_step));                        \
    return steps < plain ? (Plan){ steps, TRUE, (guint64) least_step }                             \
                         : (Plan){ plain, FALSE, (guint64) least };                                \
  }

static ALWAYS_INLINE Plan
plan_of (const void *column, guint n, guint size)
{
  if (!memcmp (column, (const guint8 *) column + size, (gsize) (n - 1) * size))
    return (Plan){ .least = value_at (column, 0, size) };
  if (size == 8)
    PLAN (guint64, gint64, gint64)
  if (size == 4)
    PLAN (guint32, guint32, gint32)
  PLAN (guint8, guint8, gint8)
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
put_dense (guint8 *to, const void *column, guint n, guint size)
{
  guint64 first = value_at (column, 0, size);
  Plan plan = plan_of (column, n, size);
  *to = (guint8) (plan.width | (plan.differences ? DIFFERENCES : 0));
  memcpy (to + 1, &plan.least, 8);
  memcpy (to + 9, &first, 8);
  put_values (to + NP_COLUMN_HEAD, column, n, size, plan);
  return to + NP_COLUMN_HEAD + (gsize) n * plan.width;
}

/* A column is sparse when at most a quarter are no zeros, but some are. */
static ALWAYS_INLINE gboolean
is_sparse (const void *column, guint n, guint size)
{
  guint64 others = 0; /* of 64 bits, as most columns are */
  if (size == 1 || n < 64 || n > SPARSE_VALUES)
    return FALSE;
  for (guint i = 0; i < n; i++)
    others += value_at (column, i, size) ? 1 : 0;
  return others && others <= n / 4;
}

/* Bit i says that value i is no zero.  The index has 64 bits so that compilers shift in vectors. */
static ALWAYS_INLINE guint64
bits_of (const void *column, guint64 n, guint size)
{
  guint64 bits = 0;
  for (guint64 i = 0; i < n; i++)
    bits |= (value_at (column, i, size) ? G_GUINT64_CONSTANT (1) : 0) << i;
  return bits;
}

static ALWAYS_INLINE guint8 *
put_sparse (guint8 *to, const void *column, guint n, guint size)
{
  guint64 others[SPARSE_VALUES / 4];
  guint m = 0;
  *to++ = SPARSE;
  for (guint at = 0; at < n; at += 64, to += 8) {
    const guint8 *some = (const guint8 *) column + (gsize) at * size;
    guint64 bits = n - at < 64 ? bits_of (some, n - at, size) : bits_of (some, 64, size);
    memcpy (to, &bits, 8);
    for (; bits; bits &= bits - 1)
      set_value (others, m++, size, value_at (some, (guint) __builtin_ctzll (bits), size));
  }
  return put_dense (to, others, m, size);
}

static ALWAYS_INLINE guint8 *
put_sized (guint8 *to, const void *column, guint n, guint size)
{
  return is_sparse (column, n, size) ? put_sparse (to, column, n, size)
                                     : put_dense (to, column, n, size);
}

static guint8 *
put_column (guint8 *to, const void *column, guint n, guint size)
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
get_dense (const guint8 *from, void *column, guint n, guint size)
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

static ALWAYS_INLINE const guint8 *
get_sparse (const guint8 *from, void *column, guint n, guint size)
{
  guint64 others[SPARSE_VALUES / 4], bits;
  const guint8 *words = from + 1;
  guint n_words = (n + 63) / 64, m = 0;
  for (guint k = 0; k < n_words; k++) {
    memcpy (&bits, words + 8 * k, 8);
    m += (guint) __builtin_popcountll (bits);
  }
  from = get_dense (words + 8 * n_words, others, m, size);
  memset (column, 0, (gsize) n * size);
  m = 0;
  for (guint k = 0; k < n_words; k++)
    for (memcpy (&bits, words + 8 * k, 8); bits; bits &= bits - 1)
      set_value (column, 64 * k + (guint) __builtin_ctzll (bits), size,
                 value_at (others, m++, size));
  return from;
}

static ALWAYS_INLINE const guint8 *
get_sized (const guint8 *from, void *column, guint n, guint size)
{
  return *from & SPARSE ? get_sparse (from, column, n, size) : get_dense (from, column, n, size);
}

static const guint8 *
get (const guint8 *from, void *column, guint n, guint size)
{
  return size == 8   ? get_sized (from, column, n, 8)
         : size == 4 ? get_sized (from, column, n, 4)
                     : get_sized (from, column, n, 1);
}

extern const NpColumnCodec NP_COLUMN_CODEC;
const NpColumnCodec NP_COLUMN_CODEC = { G_STRINGIFY (NP_COLUMN_CODEC), put_column, get };
