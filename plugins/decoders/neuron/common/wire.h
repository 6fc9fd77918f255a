/* SPDX-License-Identifier: Apache-2.0 */
/* wire.h - protobuf as the Neuron runtime writes it: fields of a message, and rows of records that
 * each begin with the length of their message, as u32 little-endian. Places are bytes of the file.
 * format: ntff.md */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* This is one field of a message. */
typedef struct {
  uint32_t number, wire;
  uint64_t value, from, to;     /* value: of integers; from, to: its bytes */
} NeuronWire;

/* This is an entry {1 key or number, 2 text}; a part that is absent is NULL and 0. */
typedef struct {
  const char *key, *value;      /* not terminated */
  uint64_t key_len, value_len, number;
} NeuronPair;

/* Reads the varint at *at, which moves behind it; false: it goes on beyond the end, or is longer
 * than ten bytes. */
bool neuron_wire_varint (const uint8_t *data, uint64_t *at, uint64_t end, uint64_t *value);
/* Reads the field at *at, which moves behind it; false: the end, or what is no field. */
bool neuron_wire_next (const uint8_t *data, uint64_t *at, uint64_t end, NeuronWire *w);
/* Returns the last integer of that number in the message from..to; 0: none, as proto3 has it. */
uint64_t neuron_wire_int (const uint8_t *data, uint64_t from, uint64_t to, uint32_t number);
/* Returns whether from..to is a message to its last byte. */
bool neuron_wire_whole (const uint8_t *data, uint64_t from, uint64_t to);
/* Reads an entry; false: its bytes are no message. */
bool neuron_wire_pair (const uint8_t *data, const NeuronWire *w, NeuronPair *pair);
bool neuron_pair_is (const NeuronPair *pair, const char *key);
/* Reads the record at *at, which moves behind it; false: it goes on beyond the end, or there is
 * none. */
bool neuron_record_next (const uint8_t *data, uint64_t *at, uint64_t end, uint64_t *from,
                         uint64_t *to);
