/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/protobuf.h - protobuf's wire format, for decoders of it, header-only: field after field of
 * a message, every length checked against the end of what holds it.  Knows no message.  All
 * [any-thread]; ranges are of the input and live as long as that.
 *
 *   struct nprof_cursor c = nprof_cursor (data, len);
 *   struct nprof_pb_field f;
 *   while (nprof_take_field (&c, &f))
 *     if (f.tag == NPROF_PB_BYTES (2))
 *       read_event (nprof_cursor (f.span.p, f.value));
 *   if (c.cut)
 *     return nprof_damage (host, nprof_cursor_at (&c, data), "a field that ends too early"); */
#ifndef NPROF_PROTOBUF_H
#define NPROF_PROTOBUF_H

#include <nprof/cursor.h>

/* The tags of field number `field`: what protobuf calls int, uint, bool and enum; double and
 * fixed64; float and fixed32; string, bytes, messages and packed numbers. */
#define NPROF_PB_VARINT(field) ((uint64_t) (field) << 3)
#define NPROF_PB_FIXED64(field) ((uint64_t) (field) << 3 | 1)
#define NPROF_PB_FIXED32(field) ((uint64_t) (field) << 3 | 5)
#define NPROF_PB_BYTES(field) ((uint64_t) (field) << 3 | 2)

/* This is a range of the input. */
struct nprof_pb_span {
  const uint8_t *p, *end;
};

struct nprof_pb_field {
  uint64_t tag;              /* field number << 3 | wire type                      */
  uint64_t value;            /* varint or fixed, or the length of span             */
  struct nprof_pb_span span; /* of NPROF_PB_BYTES                                  */
};

/* Reads the field at *p and moves *p behind it; false, and nowhere: it is cut off, too long, or of
 * a wire type that does not occur (groups). */
static inline bool
nprof_pb_read (const uint8_t **p, const uint8_t *end, struct nprof_pb_field *field)
{
  const uint8_t *q = nprof_read_varint (*p, end, &field->tag);
  if (!q || field->tag >> 3 == 0)
    return false;
  switch (field->tag & 7) {
  case 0:
    q = nprof_read_varint (q, end, &field->value);
    break;
  case 1:
  case 5: {
    int n = field->tag & 4 ? 4 : 8;
    field->value = 0;
    if (end - q < n)
      return false;
    memcpy (&field->value, q, (size_t) n);
    q += n;
    break;
  }
  case 2:
    q = nprof_read_varint (q, end, &field->value);
    if (!q || (uint64_t) (end - q) < field->value)
      return false;
    field->span.p = q;
    field->span.end = q += field->value;
    break;
  default:
    return false;
  }
  if (!q)
    return false;
  *p = q;
  return true;
}

/* Takes the next field; false: there is no more, or c->cut says that it cannot be read. */
static inline bool
nprof_take_field (struct nprof_cursor *c, struct nprof_pb_field *field)
{
  if (c->cut || c->at == c->end)
    return false;
  c->cut = !nprof_pb_read (&c->at, c->end, field);
  return !c->cut;
}

/* Return the value of a field as protobuf's sint (zigzag), and as double. */
static inline int64_t
nprof_pb_sint (uint64_t value)
{
  return (int64_t) (value >> 1) ^ -(int64_t) (value & 1);
}

static inline double
nprof_pb_double (uint64_t value)
{
  double x;
  memcpy (&x, &value, sizeof x);
  return x;
}

#endif
