/* SPDX-License-Identifier: Apache-2.0 */
/* protobuf-head.c - which kind of protobuf the beginning of a file may be, by the numbers and types
 * of its fields.  A head that ends within a field is fine: the file goes on. */

#include "foreign/protobuf-head.h"

typedef struct {
  const guint8 *at, *end;
} Bytes;

typedef struct {
  guint64 number;
  guint wire;
  guint64 length; /* of a field of bytes, which begin at `from` */
  const guint8 *from;
} Field;

/* Reads a varint; FALSE: it is cut off or too long. */
static gboolean
varint (Bytes *b, guint64 *value)
{
  *value = 0;
  for (guint shift = 0; b->at < b->end && shift < 64; shift += 7) {
    const guint8 byte = *b->at++;
    *value |= (guint64) (byte & 0x7f) << shift;
    if (byte < 0x80)
      return TRUE;
  }
  return FALSE;
}

/* Reads a field and goes behind it, but no further than the end; FALSE: none is left, or it is
 * none. */
static gboolean
next_field (Bytes *b, Field *f)
{
  guint64 tag;
  if (!varint (b, &tag) || tag >> 3 == 0)
    return FALSE;
  f->number = tag >> 3;
  f->wire = tag & 7;
  f->length = 0;
  if (f->wire == 0)
    return varint (b, &f->length);
  if (f->wire == 1 || f->wire == 5)
    f->length = f->wire == 1 ? 8 : 4;
  else if (f->wire != 2 || !varint (b, &f->length))
    return FALSE;
  f->from = b->at;
  b->at += MIN (f->length, (guint64) (b->end - b->at));
  return TRUE;
}

static gboolean
ends_within (const Bytes *b, const Field *f)
{
  return f->wire == 2 && f->length > (guint64) (b->end - f->from);
}

gboolean
np_is_pprof (const guint8 *head, gsize len)
{
  static const gboolean is_message[16]
      = { [1] = TRUE, [2] = TRUE, [3] = TRUE, [4] = TRUE, [5] = TRUE, [6] = TRUE, [11] = TRUE };
  Bytes file = { head, head + len };
  Field f;
  guint n = 0, kinds = 0;
  while (n < 40 && next_field (&file, &f)) {
    if (f.number > 15 || (is_message[f.number] ? f.wire != 2 : f.wire != 0 && f.wire != 2))
      return FALSE;
    kinds |= 1u << f.number;
    n++;
  }
  return (n == 40 || file.at == file.end) && (kinds & 6) == 6;
}

gboolean
np_is_chakra (const guint8 *head, gsize len)
{
  Bytes file = { head, head + len };
  guint64 length;
  Field f;
  if (!varint (&file, &length) || length == 0 || length > (guint64) (file.end - file.at))
    return FALSE;
  Bytes metadata = { file.at, file.at + length };
  if (!next_field (&metadata, &f) || f.number != 1 || f.wire != 2 || ends_within (&metadata, &f))
    return FALSE;
  file.at += length;
  if (!varint (&file, &length))
    return FALSE;
  Bytes node = { file.at, file.at + MIN (length, (guint64) (file.end - file.at)) };
  while (next_field (&node, &f))
    if (f.number == 2)
      return f.wire == 2 && f.length > 0;
  return FALSE;
}

gboolean
np_is_packets (const guint8 *head, gsize len)
{
  Bytes file = { head, head + len };
  Field f, inner;
  guint n = 0;
  for (; n < 40 && next_field (&file, &f); n++) {
    if (f.number != 1 || f.wire != 2)
      return FALSE;
    const gboolean cut = ends_within (&file, &f);
    Bytes packet = { f.from, file.at };
    while (next_field (&packet, &inner))
      ;
    if (!cut && packet.at != packet.end)
      return FALSE;
  }
  return n >= 2 && (n == 40 || file.at == file.end);
}
