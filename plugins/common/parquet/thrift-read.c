/* SPDX-License-Identifier: Apache-2.0 */
/* thrift-read.c - reads Thrift's compact protocol from bytes that may be anything. */
#include "parquet/thrift.h"

#define MAX_SKIP_DEPTH 32

void
pq_read_from (struct pq_reader *r, const void *data, size_t len)
{
  *r = (struct pq_reader){ .start = data, .at = data };
  r->end = len ? r->start + len : r->start;
}

static bool
fail (struct pq_reader *r)
{
  r->failed = true;
  r->at = r->end;
  return false;
}

static uint8_t
read_byte (struct pq_reader *r)
{
  if (r->at < r->end)
    return *r->at++;
  fail (r);
  return 0;
}

static uint64_t
read_varint (struct pq_reader *r)
{
  uint64_t u = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    uint8_t byte = read_byte (r);
    u |= (uint64_t) (byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return u;
  }
  fail (r);
  return 0;
}

static int64_t
read_zigzag (struct pq_reader *r)
{
  uint64_t u = read_varint (r);
  return (int64_t) (u >> 1 ^ (0 - (u & 1)));
}

bool
pq_open_struct (struct pq_reader *r)
{
  if (r->depth + 1 == PQ_THRIFT_DEPTH)
    return fail (r);
  r->last[++r->depth] = 0;
  return !r->failed;
}

bool
pq_next_field (struct pq_reader *r, int16_t *id, unsigned *type)
{
  uint8_t head = read_byte (r);
  *type = head & 15;
  if (r->failed)
    return false;
  if (!*type) {
    if (head)
      return fail (r);
    if (r->depth)
      r->depth--;
    return false;
  }
  int64_t next = head >> 4 ? r->last[r->depth] + (head >> 4) : read_zigzag (r);
  if (*type > PQ_T_STRUCT || next < INT16_MIN || next > INT16_MAX)
    return fail (r);
  *id = r->last[r->depth] = (int16_t) next;
  return !r->failed;
}

int64_t
pq_read_int (struct pq_reader *r, unsigned type)
{
  switch (type) {
  case PQ_T_TRUE:
    return 1;
  case PQ_T_FALSE:
    return 0;
  case PQ_T_BYTE:
    return (int8_t) read_byte (r);
  case PQ_T_I16:
  case PQ_T_I32:
  case PQ_T_I64:
    return read_zigzag (r);
  default:
    fail (r);
    return 0;
  }
}

const void *
pq_read_binary (struct pq_reader *r, unsigned type, size_t *len)
{
  uint64_t n = type == PQ_T_BINARY ? read_varint (r) : UINT64_MAX;
  const void *data = r->at;
  *len = 0;
  if (n > (uint64_t) (r->end - r->at)) {
    fail (r);
    return r->end;
  }
  *len = (size_t) n;
  r->at += n;
  return data;
}

size_t
pq_read_list (struct pq_reader *r, unsigned type, unsigned *element)
{
  uint8_t head = type == PQ_T_LIST || type == PQ_T_SET ? read_byte (r) : 0;
  uint64_t n = head >> 4 == 15 ? read_varint (r) : head >> 4;
  *element = head & 15;
  if (!*element || *element > PQ_T_STRUCT || n > (uint64_t) (r->end - r->at)) {
    fail (r);
    return 0;
  }
  return (size_t) n;
}

static void skip (struct pq_reader *r, unsigned type, unsigned depth, bool element);

static void
skip_list (struct pq_reader *r, unsigned type, unsigned depth)
{
  unsigned element;
  size_t n = pq_read_list (r, type, &element);
  for (size_t k = 0; k < n && !r->failed; k++)
    skip (r, element, depth + 1, true);
}

static void
skip_map (struct pq_reader *r, unsigned depth)
{
  uint64_t n = read_varint (r);
  uint8_t types = n ? read_byte (r) : 0;
  for (uint64_t k = 0; k < n && !r->failed; k++) {
    skip (r, types >> 4, depth + 1, true);
    skip (r, types & 15, depth + 1, true);
  }
}

static void
skip_struct (struct pq_reader *r, unsigned depth)
{
  int16_t id;
  unsigned type;
  if (!pq_open_struct (r))
    return;
  while (pq_next_field (r, &id, &type))
    skip (r, type, depth + 1, false);
}

/* Skips a value; a bool is in the type of its field, but a byte of its own as an element. */
static void
skip (struct pq_reader *r, unsigned type, unsigned depth, bool element)
{
  size_t len;
  if (depth > MAX_SKIP_DEPTH)
    fail (r);
  else if (type == PQ_T_TRUE || type == PQ_T_FALSE)
    (void) (element ? read_byte (r) : 0);
  else if (type == PQ_T_DOUBLE)
    (void) (r->end - r->at < 8 ? fail (r) : (r->at += 8, true));
  else if (type == PQ_T_BINARY)
    pq_read_binary (r, type, &len);
  else if (type == PQ_T_LIST || type == PQ_T_SET)
    skip_list (r, type, depth);
  else if (type == PQ_T_MAP)
    skip_map (r, depth);
  else if (type == PQ_T_STRUCT)
    skip_struct (r, depth);
  else
    pq_read_int (r, type);
}

void
pq_skip (struct pq_reader *r, unsigned type)
{
  skip (r, type, 0, false);
}
