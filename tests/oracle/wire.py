# SPDX-License-Identifier: Apache-2.0
"""wire.py - the wire format of protocol buffers: fields of a message, nothing more."""


class Damaged(Exception):
    pass


def varint(data, at, end):
    value = shift = 0
    while True:
        if at >= end or shift > 63:
            raise Damaged(f'varint at byte {at}')
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & (1 << 64) - 1, at
        shift += 7


def fields(data, at=0, end=None):
    """(number, value) of each field.  Lengths give (first, end) of their bytes in data, all else an
    unsigned number."""
    end = len(data) if end is None else end
    while at < end:
        key, at = varint(data, at, end)
        wire = key & 7
        if wire == 0:
            value, at = varint(data, at, end)
        elif wire == 2:
            length, at = varint(data, at, end)
            if length > end - at:
                raise Damaged(f'length {length} at byte {at}')
            value, at = (at, at + length), at + length
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
            if size > end - at:
                raise Damaged(f'number at byte {at}')
            value, at = int.from_bytes(data[at : at + size], 'little'), at + size
        else:
            raise Damaged(f'wire type {wire} at byte {at}')
        yield key >> 3, value


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def text(data, span):
    return data[span[0] : span[1]].decode('utf-8', 'replace')
