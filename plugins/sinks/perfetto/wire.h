/* SPDX-License-Identifier: Apache-2.0 */
/* wire.h - puts the fields of protobuf messages into a buffer. */
#pragma once

#include <nprof/format.h>

enum { WIRE_VARINT, WIRE_FIXED64, WIRE_BYTES };

static inline void
wire_varint (struct nprof_buf *b, uint64_t v)
{
  if (!nprof_buf_need (b, 10))
    return;
  for (; v >= 0x80; v >>= 7)
    b->data[b->len++] = (char) (v | 0x80);
  b->data[b->len++] = (char) v;
}

static inline void
wire_tag (struct nprof_buf *b, unsigned field, unsigned type)
{
  wire_varint (b, field << 3 | type);
}

/* Negative numbers of type int64 are put as uint64, in ten bytes. */
static inline void
wire_uint (struct nprof_buf *b, unsigned field, uint64_t v)
{
  wire_tag (b, field, WIRE_VARINT);
  wire_varint (b, v);
}

static inline void
wire_fixed64 (struct nprof_buf *b, unsigned field, uint64_t v)
{
  wire_tag (b, field, WIRE_FIXED64);
  if (!nprof_buf_need (b, 8))
    return;
  for (unsigned k = 0; k < 8; k++)
    b->data[b->len++] = (char) (v >> 8 * k);
}

static inline void
wire_double (struct nprof_buf *b, unsigned field, double v)
{
  uint64_t bits;
  memcpy (&bits, &v, sizeof bits);
  wire_fixed64 (b, field, bits);
}

static inline void
wire_bytes (struct nprof_buf *b, unsigned field, const void *data, size_t len)
{
  wire_tag (b, field, WIRE_BYTES);
  wire_varint (b, len);
  nprof_put (b, data, len);
}

static inline void
wire_text (struct nprof_buf *b, unsigned field, const char *text)
{
  wire_bytes (b, field, text, strlen (text));
}

/* Begins a message within the one that is being put; returns where it begins, for wire_end. */
static inline size_t
wire_begin (struct nprof_buf *b, unsigned field)
{
  wire_tag (b, field, WIRE_BYTES);
  nprof_put_char (b, 0);
  return b->len;
}

/* Ends it: its length stands before it, in one byte, or what is there makes room for more. */
static inline void
wire_end (struct nprof_buf *b, size_t from)
{
  if (b->failed)
    return;
  size_t len = b->len - from, more = 0;
  for (size_t rest = len; rest >= 0x80; rest >>= 7)
    more++;
  if (more && !nprof_buf_need (b, more))
    return;
  if (more)
    memmove (b->data + from + more, b->data + from, len);
  char *at = b->data + from - 1;
  for (; len >= 0x80; len >>= 7)
    *at++ = (char) (len | 0x80);
  *at = (char) len;
  b->len += more;
}
