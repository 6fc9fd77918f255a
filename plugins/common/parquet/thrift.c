/* SPDX-License-Identifier: Apache-2.0 */
/* thrift.c - writes Thrift's compact protocol; thrift-read.c reads it. */
#include "parquet/thrift.h"

void
pq_put_varint (struct nprof_buf *to, uint64_t u)
{
  if (!nprof_buf_need (to, 10))
    return;
  for (; u >= 0x80; u >>= 7)
    to->data[to->len++] = (char) (u | 0x80);
  to->data[to->len++] = (char) u;
}

void
pq_put_zigzag (struct nprof_buf *to, int64_t i)
{
  pq_put_varint (to, (uint64_t) i << 1 ^ (uint64_t) (i >> 63));
}

/* Puts the head of a field; a step of 1 to 15 from the last id takes one byte. */
static void
put_field (struct pq_thrift *t, int16_t id, unsigned type)
{
  int step = id - t->last[t->depth];
  t->last[t->depth] = id;
  if (step > 0 && step < 16) {
    nprof_put_char (t->to, (char) (step << 4 | (int) type));
    return;
  }
  nprof_put_char (t->to, (char) type);
  pq_put_zigzag (t->to, id);
}

void
pq_field_int (struct pq_thrift *t, int16_t id, unsigned type, int64_t i)
{
  put_field (t, id, type);
  pq_put_zigzag (t->to, i);
}

void
pq_field_byte (struct pq_thrift *t, int16_t id, int8_t i)
{
  put_field (t, id, PQ_T_BYTE);
  nprof_put_char (t->to, (char) i);
}

void
pq_field_bool (struct pq_thrift *t, int16_t id, bool b)
{
  put_field (t, id, b ? PQ_T_TRUE : PQ_T_FALSE);
}

void
pq_field_binary (struct pq_thrift *t, int16_t id, const void *data, size_t len)
{
  put_field (t, id, PQ_T_BINARY);
  pq_element_binary (t, data, len);
}

void
pq_field_text (struct pq_thrift *t, int16_t id, const char *text)
{
  pq_field_binary (t, id, text, strlen (text));
}

void
pq_field_list (struct pq_thrift *t, int16_t id, unsigned type, size_t n)
{
  put_field (t, id, PQ_T_LIST);
  nprof_put_char (t->to, (char) ((n < 15 ? n << 4 : 0xf0) | type));
  if (n >= 15)
    pq_put_varint (t->to, n);
}

void
pq_element_struct (struct pq_thrift *t)
{
  t->last[++t->depth] = 0;
}

void
pq_field_struct (struct pq_thrift *t, int16_t id)
{
  put_field (t, id, PQ_T_STRUCT);
  pq_element_struct (t);
}

void
pq_element_binary (struct pq_thrift *t, const void *data, size_t len)
{
  pq_put_varint (t->to, len);
  nprof_put (t->to, data, len);
}

void
pq_end (struct pq_thrift *t)
{
  nprof_put_char (t->to, 0);
  if (t->depth)
    t->depth--;
}
