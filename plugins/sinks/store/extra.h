/* SPDX-License-Identifier: Apache-2.0 */
/* extra.h - the optional values of a row as bytes, one behind the other, while the row waits for
 * its block. `has` says which are there. In place, for every row comes through here. */
#pragma once

#include "parts.h"

#include <string.h>

enum {
  STORE_HAS_ID = 1,
  STORE_HAS_PARENT = 2,
  STORE_HAS_FLOW = 4,
  STORE_HAS_VALUE = 8,
  STORE_HAS_SET = 16,
  STORE_HAS_SHAPE = 32
};

static inline uint32_t
store_extra_has (const struct store_row *row)
{
  return (row->id ? STORE_HAS_ID : 0) | (row->parent ? STORE_HAS_PARENT : 0)
         | (row->flow ? STORE_HAS_FLOW : 0) | (row->has_value ? STORE_HAS_VALUE : 0)
         | (row->set ? STORE_HAS_SET : 0) | (row->shape ? STORE_HAS_SHAPE : 0);
}

static inline uint32_t
store_extra_attrs (const struct store_writer *w, uint32_t shape)
{
  return w->names.shapes[shape].n;
}

static inline size_t
store_extra_size (const struct store_writer *w, uint32_t has, uint32_t shape)
{
  size_t n = 0;
  for (uint32_t bit = STORE_HAS_ID; bit <= STORE_HAS_VALUE; bit *= 2)
    n += has & bit ? 8 : 0;
  n += has & STORE_HAS_SET ? 4 : 0;
  return n + (has & STORE_HAS_SHAPE ? 4 + 8 * (size_t) store_extra_attrs (w, shape) : 0);
}

static inline uint8_t *
store_extra_put (uint8_t *to, const void *value, size_t len)
{
  memcpy (to, value, len);
  return to + len;
}

static inline void
store_extra_write (const struct store_writer *w, uint32_t has, const struct store_row *row,
                   uint8_t *to)
{
  to = has & STORE_HAS_ID ? store_extra_put (to, &row->id, 8) : to;
  to = has & STORE_HAS_PARENT ? store_extra_put (to, &row->parent, 8) : to;
  to = has & STORE_HAS_FLOW ? store_extra_put (to, &row->flow, 8) : to;
  to = has & STORE_HAS_VALUE ? store_extra_put (to, &row->value, 8) : to;
  to = has & STORE_HAS_SET ? store_extra_put (to, &row->set, 4) : to;
  if (!(has & STORE_HAS_SHAPE))
    return;
  to = store_extra_put (to, &row->shape, 4);
  for (uint32_t k = 0, n = store_extra_attrs (w, row->shape); k < n; k++)
    to = store_extra_put (to, row->attrs + k, 8);
}

static inline const uint8_t *
store_extra_take (const uint8_t *from, void *value, size_t len)
{
  memcpy (value, from, len);
  return from + len;
}

/* Reads what `has` says into the row; `attrs` has room for all keys. */
static inline void
store_extra_read (const struct store_writer *w, uint32_t has, const uint8_t *from,
                  struct store_row *row, uint64_t *attrs)
{
  row->has_value = has & STORE_HAS_VALUE;
  from = has & STORE_HAS_ID ? store_extra_take (from, &row->id, 8) : from;
  from = has & STORE_HAS_PARENT ? store_extra_take (from, &row->parent, 8) : from;
  from = has & STORE_HAS_FLOW ? store_extra_take (from, &row->flow, 8) : from;
  from = has & STORE_HAS_VALUE ? store_extra_take (from, &row->value, 8) : from;
  from = has & STORE_HAS_SET ? store_extra_take (from, &row->set, 4) : from;
  if (!(has & STORE_HAS_SHAPE))
    return;
  from = store_extra_take (from, &row->shape, 4);
  memcpy (attrs, from, 8 * (size_t) store_extra_attrs (w, row->shape));
  row->attrs = attrs;
}
