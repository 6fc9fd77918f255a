# SPDX-License-Identifier: Apache-2.0
"""xspace.py - writes tiny XSpace files (*.xplane.pb) for the CLI tests, independent of nprof's
own reader and generator.  Field numbers: openxla/xla, tsl/profiler/protobuf/xplane.proto.
"""

import functools

SHORT = [bytes([value]) for value in range(0x80)]


def varint(value):
    if 0 <= value < 0x80:
        return SHORT[value]
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
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


class Plane:
    """A plane that is filled event by event; times are us. category: hlo_category of all events of
    that name; text: the HLO instruction of that name."""

    def __init__(self, ident, name):
        self.ident, self.name = ident, name
        self.lines, self.names, self.stats, self.categories, self.texts = {}, {}, {}, {}, {}
        self.facts = []

    def stat(self, name, value):
        ident = self.stats.setdefault(name, len(self.stats) + 1)
        text = isinstance(value, str)
        return number(1, ident) + (message(5, value) if text else number(4, value))

    def fact(self, name, value):
        self.facts.append(message(6, self.stat(name, value)))

    def add(self, where, name, start, duration, /, category=None, text=None, **stats):
        ident = self.names.setdefault(name, len(self.names) + 1)
        if text:
            self.texts[name] = text
        if category:
            self.categories[name] = message(5, self.stat('hlo_category', category))
        said = b''.join(message(4, self.stat(*item)) for item in stats.items())
        self.lines.setdefault(where, []).append(
            event(ident, round(start * 10**6), round(duration * 10**6), said)
        )

    def data(self):
        parts = [
            line(i, name, b''.join(events))
            for i, (name, events) in enumerate(self.lines.items(), 1)
        ]
        parts += [
            message(
                4,
                number(1, i)
                + message(
                    2,
                    number(1, i)
                    + message(2, self.texts.get(name, name))
                    + (message(4, name) if name in self.texts else b'')
                    + self.categories.get(name, b''),
                ),
            )
            for name, i in self.names.items()
        ]
        return plane(
            self.ident,
            self.name,
            *parts,
            *(named(5, i, name) for name, i in self.stats.items()),
            *self.facts,
        )


def tiny(names=('matmul', 'add')):
    """Two spans on one line of one TPU, with an attribute: about 150 bytes."""
    events = event(1, 1000, 5000, int_stat(1, 7)) + event(2, 7000, 250)
    return plane(
        2,
        '/device:TPU:0',
        line(3, 'XLA Ops', events),
        named(4, 1, names[0]),
        named(4, 2, names[1]),
        named(5, 1, 'group_id'),
    )


@functools.lru_cache(4)
def spans(count):
    """Those of a line of many(), which tests write again and again."""
    return b''.join(event(1 + i % 3, i * 2000000, 1000000, int_stat(1, i)) for i in range(count))


def many(count, lines=1):
    """`count` spans of 1 us, one after the other, on each of `lines` lines."""
    parts = [line(3 + i, f'line {i}', spans(count)) for i in range(lines)]
    return plane(
        2,
        '/device:TPU:0',
        *parts,
        named(4, 1, 'matmul'),
        named(4, 2, 'add'),
        named(4, 3, 'all-reduce'),
        named(5, 1, 'group_id'),
    )
