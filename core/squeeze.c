/* SPDX-License-Identifier: Apache-2.0 */
/* squeeze.c - each column as what its values have in common, and the rest in the fewest of 0, 1, 2,
 * 4 or 8 bytes a value: the value itself less the smallest one, or its difference to the one before
 * less the smallest difference.  Where each row has as many attributes as the others, the first,
 * second, ... of all rows are a column each, so that keys take no bytes and times few. */

#include "squeeze.h"

#include <string.h>

#define MOST_STRIDE 64u
#define COLUMN_HEAD 17u /* width and whether it is differences; the smallest; the first */

typedef struct {
  guint64 size;   /* squeezed                                                */
  guint32 stride; /* attributes of each row; 0: they differ                  */
  guint32 reserved;
} Head;

G_STATIC_ASSERT (sizeof (Head) + NP_BLOCK_HEADER == NP_SQUEEZED_HEADER);

/* -- One column ------------------------------------------------------------------------- */

static guint
width_of (guint64 range)
{
  return range == 0 ? 0 : range >> 8 == 0 ? 1 : range >> 16 == 0 ? 2 : range >> 32 == 0 ? 4 : 8;
}

static inline guint64
value_at (const guint8 *column, gsize i, guint size)
{
  return size == 8   ? ((const guint64 *) (const void *) column)[i]
         : size == 4 ? ((const guint32 *) (const void *) column)[i]
                     : column[i];
}

static inline void
set_value (guint8 *column, gsize i, guint size, guint64 value)
{
  if (size == 8)
    ((guint64 *) (void *) column)[i] = value;
  else if (size == 4)
    ((guint32 *) (void *) column)[i] = (guint32) value;
  else
    column[i] = (guint8) value;
}

typedef struct {
  guint width;
  gboolean differences;
  guint64 least, first;
} Plan;

/* Differences wrap around as unsigned values do, and come back the same way. */
static inline __attribute__ ((always_inline)) Plan
plan_of (const guint8 *column, guint n, guint stride, guint size)
{
  guint64 before = value_at (column, 0, size);
  gint64 least = (gint64) before, most = least, least_step = G_MAXINT64, most_step = G_MININT64;
  Plan plan = { .first = before };
  for (guint i = 1; i < n; i++) {
    guint64 value = value_at (column, (gsize) i * stride, size);
    gint64 step = (gint64) (value - before), plain = (gint64) value;
    least = MIN (least, plain);
    most = MAX (most, plain);
    least_step = MIN (least_step, step);
    most_step = MAX (most_step, step);
    before = value;
  }
  guint plain = width_of ((guint64) most - (guint64) least);
  guint steps = n > 1 ? width_of ((guint64) most_step - (guint64) least_step) : 0;
  plan.differences = steps < plain;
  plan.width = MIN (plain, steps);
  plan.least = (guint64) (plan.differences ? least_step : least);
  return plan;
}

#define PUT(type)                                                                                  \
  for (guint i = 0; i < n; i++) {                                                                  \
    guint64 value = value_at (column, (gsize) i * stride, size);                                   \
    type narrow = (type) (value - (plan.differences ? before : 0) - plan.least);                   \
    memcpy (to + (gsize) i * sizeof narrow, &narrow, sizeof narrow);                               \
    before = value;                                                                                \
  }

/* The first value stands in the head; its own difference is not used. */
static inline __attribute__ ((always_inline)) guint8 *
put (guint8 *to, const guint8 *column, guint n, guint stride, guint size)
{
  if (!n)
    return to;
  Plan plan = plan_of (column, n, stride, size);
  *to++ = (guint8) (plan.width | (plan.differences ? 0x80 : 0));
  memcpy (to, &plan.least, 8);
  memcpy (to + 8, &plan.first, 8);
  to += 16;
  guint64 before = plan.first;
  switch (plan.width) {
  case 1:
    PUT (guint8) break;
  case 2:
    PUT (guint16) break;
  case 4:
    PUT (guint32) break;
  case 8:
    PUT (guint64) break;
  default:
    break;
  }
  return to + (gsize) n * plan.width;
}

#define GET(expression)                                                                            \
  for (guint i = 0; i < n; i++) {                                                                  \
    guint64 value = (expression) + least;                                                          \
    if (differences)                                                                               \
      value = before = i ? value + before : first;                                                 \
    set_value (column, (gsize) i *stride, size, value);                                            \
  }

#define GET_AS(type)                                                                               \
  {                                                                                                \
    type narrow;                                                                                   \
    GET ((memcpy (&narrow, from + (gsize) i * sizeof narrow, sizeof narrow), (guint64) narrow))    \
  }

static inline __attribute__ ((always_inline)) const guint8 *
get (const guint8 *from, guint8 *column, guint n, guint stride, guint size)
{
  guint64 least, first, before = 0;
  if (!n)
    return from;
  guint width = *from & 15;
  gboolean differences = *from & 0x80;
  memcpy (&least, from + 1, 8);
  memcpy (&first, from + 9, 8);
  from += COLUMN_HEAD;
  switch (width) {
  case 1:
    GET_AS (guint8) break;
  case 2:
    GET_AS (guint16) break;
  case 4:
    GET_AS (guint32) break;
  case 8:
    GET_AS (guint64) break;
  default:
    GET (0) break;
  }
  return from + (gsize) n * width;
}

/* -- All columns ------------------------------------------------------------------------ */

/* One walk over the columns of a block for both ways, so that they cannot differ. */
typedef struct {
  guint8 *to; /* squeezing: where the next column goes; else NULL */
  const guint8 *from;
} Way;

static inline __attribute__ ((always_inline)) void
column (Way *way, const void *data, guint n, guint stride, guint size)
{
  if (way->to)
    way->to = put (way->to, data, n, stride, size);
  else
    way->from = get (way->from, (guint8 *) data, n, stride, size);
}

static void
wide (Way *way, const void *data, guint n)
{
  if (data)
    column (way, data, n, 1, 8);
}

static void
narrow (Way *way, const void *data, guint n)
{
  if (data)
    column (way, data, n, 1, 4);
}

static void
small (Way *way, const void *data, guint n)
{
  if (data)
    column (way, data, n, 1, 1);
}

static void
plain (Way *way, const void *data, gsize n)
{
  if (!n)
    return;
  if (way->to) {
    memcpy (way->to, data, n);
    way->to += n;
  } else {
    memcpy ((void *) data, way->from, n);
    way->from += n;
  }
}

static void
attributes (Way *way, const struct nprof_batch *rows, guint stride)
{
  guint each = stride ? rows->n_rows : rows->n_attrs, step = MAX (stride, 1);
  for (guint k = 0; k < step; k++) {
    column (way, rows->attr_key + k, each, step, 4);
    column (way, rows->attr_type + k, each, step, 1);
    column (way, rows->attr_value + k, each, step, 8);
  }
}

static void
all_columns (Way *way, const NpBlock *block, guint stride)
{
  const struct nprof_batch *rows = &block->rows;
  guint n = rows->n_rows;
  wide (way, rows->start, n);
  wide (way, rows->duration, n);
  narrow (way, rows->track, n);
  narrow (way, rows->name, n);
  narrow (way, rows->category, n);
  small (way, rows->kind, n);
  wide (way, rows->value, n);
  small (way, rows->value_valid, rows->value ? (n + 7) / 8 : 0);
  wide (way, rows->id, n);
  wide (way, rows->parent, n);
  wide (way, rows->flow, n);
  narrow (way, rows->shared, n);
  narrow (way, block->inputs, n);
  if (!rows->attr_at)
    return;
  narrow (way, rows->attr_at, n + 1);
  attributes (way, rows, stride);
}

static guint
stride_of (const struct nprof_batch *rows)
{
  if (!rows->attr_at || rows->n_attrs % rows->n_rows)
    return 0;
  guint each = rows->n_attrs / rows->n_rows;
  for (guint i = 1; i <= rows->n_rows; i++)
    if (rows->attr_at[i] != i * each)
      return 0;
  return each <= MOST_STRIDE ? each : 0;
}

gsize
np_squeezed_bound (guint64 block_size)
{
  return (gsize) block_size + NP_SQUEEZED_HEADER + COLUMN_HEAD * (14 + 3 * MOST_STRIDE);
}

gsize
np_squeeze (const guint8 *data, guint8 *to)
{
  NpBlock block;
  np_block_open (data, &block);
  Head head = { .stride = stride_of (&block.rows) };
  memcpy (to + sizeof head, data, NP_BLOCK_HEADER);
  Way way = { .to = to + NP_SQUEEZED_HEADER };
  all_columns (&way, &block, head.stride);
  plain (&way, block.rows.bytes, block.n_bytes);
  head.size = (guint64) (way.to - to);
  memcpy (to, &head, sizeof head);
  return (gsize) head.size;
}

guint64
np_squeezed_size (const guint8 *header)
{
  Head head;
  memcpy (&head, header, sizeof head);
  return head.size;
}

guint64
np_unsqueezed_size (const guint8 *header)
{
  return np_block_size (header + sizeof (Head));
}

void
np_unsqueeze (const guint8 *squeezed, guint8 *to)
{
  Head head;
  NpBlock block;
  memcpy (&head, squeezed, sizeof head);
  memcpy (to, squeezed + sizeof head, NP_BLOCK_HEADER);
  np_block_open (to, &block);
  Way way = { .from = squeezed + NP_SQUEEZED_HEADER };
  all_columns (&way, &block, head.stride);
  plain (&way, block.rows.bytes, block.n_bytes);
}
