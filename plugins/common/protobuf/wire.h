/* SPDX-License-Identifier: Apache-2.0 */
/* wire.h - protobuf's wire format, for decoders of it: varints and fields, every length checked
 * against the end of what holds it.  Knows no message. */
#ifndef PROTOBUF_WIRE_H
#define PROTOBUF_WIRE_H

#include <nprof/cursor.h>

#define PB_VARINT(field) ((uint64_t) (field) << 3)
#define PB_FIXED64(field) ((uint64_t) (field) << 3 | 1)
#define PB_BYTES(field) ((uint64_t) (field) << 3 | 2)

/* This is a range of the input. */
typedef struct {
  const uint8_t *p, *end;
} PbSpan;

/* NULL: runs past end, or has more than 10 bytes. */
static inline const uint8_t *
pb_varint (const uint8_t *p, const uint8_t *end, uint64_t *value)
{
  return nprof_read_varint (p, end, value);
}

typedef struct {
  uint64_t tag;     /* field number << 3 | wire type                      */
  uint64_t value;   /* varint or fixed, or the length of span             */
  PbSpan span;      /* wire type 2                                        */
} PbField;

/* Reads the field at *p and moves *p behind it; false: it is cut off, too long, or of
 * a wire type that does not occur. */
static inline bool
pb_field (const uint8_t **p, const uint8_t *end, PbField *field)
{
  const uint8_t *q = pb_varint (*p, end, &field->tag);
  if (!q || field->tag >> 3 == 0)
    return false;
  switch (field->tag & 7) {
  case 0:
    q = pb_varint (q, end, &field->value);
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
    q = pb_varint (q, end, &field->value);
    if (!q || (uint64_t) (end - q) < field->value)
      return false;
    field->span = (PbSpan) { q, q + field->value };
    q += field->value;
    break;
  default:
    return false;
  }
  if (!q)
    return false;
  *p = q;
  return true;
}

#endif
