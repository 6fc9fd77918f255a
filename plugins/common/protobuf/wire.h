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
  return nprof_read_varint (p, end, value);
}

static inline bool
pb_field (const uint8_t **p, const uint8_t *end, PbField *field)
{
  return nprof_pb_read (p, end, field);
}

#endif
