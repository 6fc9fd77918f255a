/* SPDX-License-Identifier: Apache-2.0 */
/* wire.h - puts the fields of protobuf messages into a buffer. */
#pragma once

#include <glib.h>
#include <nprof/format.h>

enum { WIRE_VARINT, WIRE_FIXED64, WIRE_BYTES };

/* Writes to memory with room for ten bytes; returns the end.  Numbers are of any length, and what
 * asks at each byte whether it is the last guesses wrong; so the bits of eight bytes are put where
 * they stand at once. */
static inline char *
wire_format (char *to, uint64_t v)
{
  if (v >= 0x80 && v >> 56 == 0) {
    const unsigned last = (63 - (unsigned) __builtin_clzll (v)) / 7; /* byte */
    v = (v & 0xfffffff) | (v & UINT64_C (0xfffffff0000000)) << 4;
    v = (v & UINT64_C (0x00003fff00003fff)) | (v & UINT64_C (0x0fffc0000fffc000)) << 2;
    v = (v & UINT64_C (0x007f007f007f007f)) | (v & UINT64_C (0x3f803f803f803f80)) << 1;
    v |= UINT64_C (0x8080808080808080) & ((UINT64_C (1) << 8 * last) - 1);
    v = GUINT64_TO_LE (v);
    memcpy (to, &v, sizeof v);
    return to + last + 1;
  }
  for (; v >= 0x80; v >>= 7)
    *to++ = (char) (v | 0x80);
  *to++ = (char) v;
  return to;
}

static inline void
wire_varint (struct nprof_buf *b, uint64_t v)
{
  if (nprof_buf_need (b, 10))
    b->len = (size_t) (wire_format (b->data + b->len, v) - b->data);
}

/* No field of Perfetto's that is written has a number from 2048 on. */
static inline char *
wire_format_tag (char *to, unsigned field, unsigned type)
{
  const unsigned tag = field << 3 | type;
  if (tag >= 0x80)
    *to++ = (char) (tag | 0x80);
  *to++ = (char) (tag >= 0x80 ? tag >> 7 : tag);
  return to;
}

static inline void
wire_tag (struct nprof_buf *b, unsigned field, unsigned type)
{
  if (nprof_buf_need (b, 2))
    b->len = (size_t) (wire_format_tag (b->data + b->len, field, type) - b->data);
}

/* Negative numbers of type int64 are put as uint64, in ten bytes. */
static inline void
wire_uint (struct nprof_buf *b, unsigned field, uint64_t v)
{
  if (!nprof_buf_need (b, 20))
    return;
  char *at = wire_format_tag (b->data + b->len, field, WIRE_VARINT);
  b->len = (size_t) (wire_format (at, v) - b->data);
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

/* Puts what stands before `len` bytes of a field. */
static inline void
wire_head (struct nprof_buf *b, unsigned field, uint64_t len)
{
  wire_tag (b, field, WIRE_BYTES);
  wire_varint (b, len);
}

static inline unsigned
wire_varint_size (uint64_t v)
{
  return 1 + (63 - (unsigned) __builtin_clzll (v | 1)) / 7;
}

/* Returns how long a field of `len` bytes is with what stands before it. */
static inline uint64_t
wire_size (unsigned field, uint64_t len)
{
  return wire_varint_size (field << 3) + wire_varint_size (len) + len;
}

static inline void
wire_bytes (struct nprof_buf *b, unsigned field, const void *data, size_t len)
{
  wire_head (b, field, len);
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
  if (!nprof_buf_need (b, 11))
    return b->len;
  char *at = wire_format_tag (b->data + b->len, field, WIRE_BYTES);
  *at++ = 0;
  return b->len = (size_t) (at - b->data);
}

/* Puts a message that holds one number. */
static inline void
wire_one (struct nprof_buf *b, unsigned field, unsigned inner, uint64_t v)
{
  if (!nprof_buf_need (b, 24))
    return;
  char *length = wire_format_tag (b->data + b->len, field, WIRE_BYTES);
  char *end = wire_format (wire_format_tag (length + 1, inner, WIRE_VARINT), v);
  *length = (char) (end - length - 1);
  b->len = (size_t) (end - b->data);
}

/* Puts a message that holds two numbers. */
static inline void
wire_two (struct nprof_buf *b, unsigned field, unsigned first, uint64_t v, unsigned second,
          uint64_t u)
{
  if (!nprof_buf_need (b, 32))
    return;
  char *length = wire_format_tag (b->data + b->len, field, WIRE_BYTES);
  char *end = wire_format (wire_format_tag (length + 1, first, WIRE_VARINT), v);
  end = wire_format (wire_format_tag (end, second, WIRE_VARINT), u);
  *length = (char) (end - length - 1);
  b->len = (size_t) (end - b->data);
}

/* Ends it: its length stands before it, in one byte, or what is there makes room for more. */
static inline void
wire_end (struct nprof_buf *b, size_t from)
{
  if (b->failed)
    return;
  if (b->len - from < 0x80) {
    b->data[from - 1] = (char) (b->len - from);
    return;
  }
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
