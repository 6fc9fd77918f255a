# SPDX-License-Identifier: Apache-2.0
"""xspace.py - writes tiny XSpace files (*.xplane.pb) for the CLI tests, independent of nprof's
own reader and generator.  Field numbers: openxla/xla, tsl/profiler/protobuf/xplane.proto.
"""


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def event(metadata, offset_ps, duration_ps, stats=b''):
    data = number(1, metadata) + number(2, offset_ps)
    if duration_ps:
        data += number(3, duration_ps)
    return message(4, data + stats)


def int_stat(metadata, value):
    return message(4, number(1, metadata) + number(4, value))


def line(ident, name, events, timestamp_ns=0):
    start = number(3, timestamp_ns) if timestamp_ns else b''
    return message(3, number(1, ident) + message(2, name) + start + events)


def named(field, ident, name):
    """An entry of event_metadata (4) or stat_metadata (5)."""
    return message(field, number(1, ident) + message(2, number(1, ident) + message(2, name)))


def plane(ident, name, *parts):
    return message(1, number(1, ident) + message(2, name) + b''.join(parts))


def tiny(names=('matmul', 'add')):
    """Two spans on one line of one TPU, with an attribute: about 150 bytes."""
    events = event(1, 1000, 5000, int_stat(1, 7)) + event(2, 7000, 250)
    return plane(2, '/device:TPU:0', line(3, 'XLA Ops', events),
                 named(4, 1, names[0]), named(4, 2, names[1]), named(5, 1, 'group_id'))


def many(count, lines=1):
    """`count` spans of 1 us, one after the other, on each of `lines` lines."""
    parts = []
    for number_ in range(lines):
        events = b''.join(event(1 + i % 3, i * 2000000, 1000000, int_stat(1, i))
                          for i in range(count))
        parts.append(line(3 + number_, f'line {number_}', events))
    return plane(2, '/device:TPU:0', *parts, named(4, 1, 'matmul'), named(4, 2, 'add'),
                 named(4, 3, 'all-reduce'), named(5, 1, 'group_id'))
