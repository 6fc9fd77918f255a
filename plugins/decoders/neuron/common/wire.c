/* SPDX-License-Identifier: Apache-2.0 */
/* wire.c - walks the fields of a protobuf message, and the records of a row of them. */
#include "wire.h"

#include <string.h>

bool
neuron_wire_varint (const uint8_t *data, uint64_t *at, uint64_t end, uint64_t *value)
{
  uint64_t v = 0;
  for (unsigned shift = 0; shift < 70 && *at < end; shift += 7) {
    uint8_t byte = data[(*at)++];
    v |= shift < 64 ? (uint64_t) (byte & 0x7f) << shift : 0;
    if (!(byte & 0x80)) {
      *value = v;
      return true;
    }
  }
  return false;
}

bool
neuron_wire_next (const uint8_t *data, uint64_t *at, uint64_t end, NeuronWire *w)
{
  uint64_t tag;
  if (*at >= end || !neuron_wire_varint (data, at, end, &tag) || tag >> 3 == 0
      || tag >> 3 >= 1u << 29)
    return false;
  *w = (NeuronWire){ .number = (uint32_t) (tag >> 3), .wire = tag & 7 };
  if ((w->wire == 0 || w->wire == 2) && !neuron_wire_varint (data, at, end, &w->value))
    return false;
  if (w->wire != 0 && w->wire != 1 && w->wire != 2 && w->wire != 5)
    return false;
  uint64_t size = w->wire == 2 ? w->value : w->wire == 1 ? 8 : w->wire == 5 ? 4 : 0;
  if (size > end - *at)
    return false;
  w->from = *at;
  w->to = *at += size;
  return true;
}

uint64_t
neuron_wire_int (const uint8_t *data, uint64_t from, uint64_t to, uint32_t number)
{
  uint64_t value = 0;
  NeuronWire w;
  while (neuron_wire_next (data, &from, to, &w))
    if (w.number == number && w.wire == 0)
      value = w.value;
  return value;
}

bool
neuron_record_next (const uint8_t *data, uint64_t *at, uint64_t end, uint64_t *from, uint64_t *to)
{
  uint32_t len;
  if (end - *at < sizeof len)
    return false;
  memcpy (&len, data + *at, sizeof len);
  len = GUINT32_FROM_LE (len);
  if (len > end - *at - sizeof len)
    return false;
  *from = *at + sizeof len;
  *to = *at = *from + len;
  return true;
}

bool
neuron_wire_whole (const uint8_t *data, uint64_t from, uint64_t to)
{
  NeuronWire w;
  while (neuron_wire_next (data, &from, to, &w))
    ;
  return from == to;
}

bool
neuron_pair_is (const NeuronPair *pair, const char *key)
{
  return pair->key && pair->key_len == strlen (key) && !memcmp (pair->key, key, pair->key_len);
}

bool
neuron_wire_pair (const uint8_t *data, const NeuronWire *w, NeuronPair *pair)
{
  uint64_t at = w->from;
  NeuronWire part;
  *pair = (NeuronPair){ 0 };
  while (neuron_wire_next (data, &at, w->to, &part)) {
    if (part.wire == 0 && part.number == 1)
      pair->number = part.value;
    if (part.wire != 2 || part.number > 2)
      continue;
    const char **text = part.number == 1 ? &pair->key : &pair->value;
    *text = (const char *) data + part.from;
    *(part.number == 1 ? &pair->key_len : &pair->value_len) = part.to - part.from;
  }
  return at == w->to;
}
