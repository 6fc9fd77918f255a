/* SPDX-License-Identifier: Apache-2.0 */
/* wire.h - nprof/protobuf.h by the short names that the decoders here use. */
#ifndef PROTOBUF_WIRE_H
#define PROTOBUF_WIRE_H

#include <nprof/protobuf.h>

#define PB_VARINT(field) NPROF_PB_VARINT (field)
#define PB_FIXED64(field) NPROF_PB_FIXED64 (field)
#define PB_BYTES(field) NPROF_PB_BYTES (field)

typedef struct nprof_pb_span PbSpan;
typedef struct nprof_pb_field PbField;

/* NULL: runs past end, or has more than 10 bytes. */
static inline const uint8_t *
pb_varint (const uint8_t *p, const uint8_t *end, uint64_t *value)
{
  if (p < end && *p < 0x80) {
    *value = *p;
    return p + 1;
  }
  if (end - p >= 2 && p[1] < 0x80) {
    *value = (uint64_t) (p[0] & 0x7f) | (uint64_t) p[1] << 7;
    return p + 2;
  }
  return nprof_read_varint (p, end, value);
}

/* Most fields are a number, or less than 128 bytes, behind a tag of one byte.  This one is for the
 * loops where the time goes: it stands in them. */
static inline __attribute__ ((always_inline)) bool
pb_field_hot (const uint8_t **p, const uint8_t *end, PbField *field)
{
  const uint8_t *q = *p;
  if (end - q < 2 || q[0] < 8 || q[0] & 0x85)
    return nprof_pb_read (p, end, field);
  field->tag = q[0];
  q = pb_varint (q + 1, end, &field->value);
  if (!q)
    return false;
  if (field->tag & 2) {
    if ((uint64_t) (end - q) < field->value)
      return false;
    field->span.p = q;
    field->span.end = q += field->value;
  }
  *p = q;
  return true;
}

static inline bool
pb_field (const uint8_t **p, const uint8_t *end, PbField *field)
{
  return pb_field_hot (p, end, field);
}

#endif
