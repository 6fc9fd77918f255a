#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ntff-make.py - writes synthetic NTFF files and what a decoder must find in them.

No real file is public, so these are made by the public notes alone; whatever is not known (field
numbers, the header, where arrays lie) is drawn from the seed.  All names begin with synthetic_.

  ntff-make.py FOLDER [--seed N] [--count N] [--size N] [--slots N] [--inline] [--features a,b,...]

Writes FOLDER/synthetic_SEED.ntff and FOLDER/synthetic_SEED.tsv for each seed.  Features:
  dma        transfers of several queues, in rings of their own
  pipelined  several transfers of a queue are under way at once
  overflow   records that say that some before them are lost
  throttle   throttle and error records
  cores      two cores, each a subgraph
  wrap       rings that have wrapped, and rings with an unused end
  lost       ends that are not in the file
  sync       semaphores that one engine sets and another waits for
  explicit   start and stop of the execution
  cc         a collectives core
  zeros      zeros are left out, as proto3 does
  odd        records of types that are not known
  unnamed    no message says whose an instruction stream is (one core, not --inline)
"""
import argparse
import os
import random
import struct

ENGINES = ['PE', 'ACT', 'POOL', 'DVE', 'SP']
OPCODES = [[0x01, 0x02], [0x21, 0x22], [0x41, 0x46], [0x42, 0x47], [0x62, 0xA0]]
FEATURES = [
    'dma',
    'pipelined',
    'overflow',
    'throttle',
    'cores',
    'wrap',
    'lost',
    'sync',
    'explicit',
    'cc',
    'zeros',
    'odd',
    'unnamed',
]
START, END, EXPLICIT, EVT_SEM = range(4)


# -- Bytes ------------------------------------------------------------------------------


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


class Message:
    def __init__(self, zeros):
        self.zeros, self.data = zeros, b''

    def number(self, field, value):
        if value or not self.zeros:
            self.data += varint(field << 3) + varint(value)
        return self

    def bytes(self, field, value):
        self.data += varint(field << 3 | 2) + varint(len(value)) + value
        return self


def record(kind, low, high, time, overflow=0):
    return time, struct.pack('<IIQ', low | (kind | overflow << 5 | 1 << 7) << 24, high, time)


def engine_type(engine, what):
    return 4 + 4 * engine + what


# -- What happens -------------------------------------------------------------------------


class Maker:
    def __init__(self, seed, size, slots, features, inline):
        self.random, self.features, self.inline = random.Random(seed), features, inline
        self.size, self.slots = size, slots
        self.base = self.random.randrange(10**12, 10**15)
        self.end = 0
        self.rows = {}

    def has(self, feature):
        return feature in self.features

    def count(self, *what):
        key = '\t'.join(str(w) for w in what[:-1])
        self.rows[key] = self.rows.get(key, 0) + what[-1]

    def engine(self, core, engine, opcodes, track=None):
        r, records, time = self.random, [], self.base + 1000 * engine
        name = f'{core}\t{track or ENGINES[engine]}'
        lost = set(r.sample(range(self.size), max(1, self.size // 20))) if self.has('lost') else ()
        for i in range(self.size):
            pc, duration = i % len(opcodes), r.randrange(500, 60000)
            time += r.randrange(0, 5000)
            overflow = 0
            if self.has('overflow') and r.random() < 0.01:
                overflow = r.randrange(1, 4)
                self.count('gap', name, 1)
            records.append(
                record(engine_type(engine, START), pc, r.randrange(1 << 16) << 16, time, overflow)
            )
            if i in lost:
                self.count('lost', name, 1)
            else:
                records.append(
                    record(engine_type(engine, END), pc, r.randrange(1 << 32), time + duration)
                )
                self.count('spans', name, 1)
                self.count('busy', name, duration)
                if not track:
                    self.count(
                        'likely' if self.has('unnamed') else 'opcode',
                        name,
                        f'0x{opcodes[pc]:02x}',
                        1,
                    )
            time += duration
            if self.has('odd') and r.random() < 0.01:
                records.append(record(0x1C, r.randrange(1 << 24), 0, time))
                self.count('odd', '', 1)
        if self.has('explicit') and not track:
            first, last = records[0][0] - 100, time + 100
            records = [record(engine_type(engine, EXPLICIT), 0, 0, first)] + records
            records.append(record(engine_type(engine, EXPLICIT), 1, 0, last))
            self.count('explicit', name, 2)
        self.end = max(self.end, time)
        return records

    def semaphores(self, core):
        """Per pair of engines: one sets, the other waits; the last sets are never waited for."""
        records, r = {e: [] for e in range(5)}, self.random
        for number in range(4):
            setter, waiter = r.sample(range(5), 2)
            time, value, left = self.base + 5000 + number, 0, 0
            for _ in range(10):
                time += r.randrange(1000, 90000)
                value += 1
                records[setter].append(
                    record(engine_type(setter, EVT_SEM), number | 1 << 8, value, time)
                )
                if r.random() < 0.8:
                    time += r.randrange(1000, 90000)
                    value -= 1
                    records[waiter].append(
                        record(engine_type(waiter, EVT_SEM), number | 1 << 8, value, time)
                    )
                    self.count('flow', core, 1)
                else:
                    left += 1
            self.count('unmatched', '', left)
        return records

    def dma(self, core, ring):
        r, records = self.random, []
        queues = r.sample(range(16), 3)
        for queue in queues:
            time, busy_until = self.base + r.randrange(9000), 0
            for _ in range(self.size):
                if self.has('pipelined'):
                    time += r.randrange(2000, 9000)
                    end = max(time, busy_until) + r.randrange(1000, 20000)
                    busy_until = end
                else:
                    time += r.randrange(100, 9000)
                    end = time + r.randrange(1000, 20000)
                size = r.randrange(
                    1, 1 << 24
                )  # the field has 24 bits; as many bytes take a queue longer than this
                size = size if self.has('pipelined') else max(1, size >> 13)
                name = f'{core}\tDMA {ring} queue {queue}'
                records.append(record(0x02, queue << 4 | r.randrange(1 << 7) << 8, 0, time))
                records.append(record(0x02, size, 1 | queue << 4 | r.randrange(1 << 16) << 16, end))
                self.count('spans', name, 1)
                self.count('busy', name, end - time)
                self.count('bytes', name, size)
                time = time if self.has('pipelined') else end
        return sorted(records)

    def ring(self, records):
        """The bytes of an array: in order of time, but written in a ring."""
        data = [r[1] for r in records]
        if self.has('wrap') and self.random.random() < 0.5:
            cut = self.random.randrange(1, len(data))
            data = data[cut:] + data[:cut]
        elif self.has('wrap'):
            data += [bytes(16)] * self.random.randrange(1, 200)
        return b''.join(data)


# -- How it is written ----------------------------------------------------------------------


class Layout:
    """Field numbers that are not known, and what lies behind the message."""

    def __init__(self, maker):
        self.maker = maker
        numbers = iter(maker.random.sample(range(1, 60), 12))
        self.block, self.engine, self.array, self.offset, self.size, self.graph, self.node = (
            next(numbers) for _ in range(7)
        )
        while self.node in (8, 11, 12):
            self.node = next(numbers)
        self.tail = b''

    def message(self):
        return Message(self.maker.has('zeros'))

    def place(self, data):
        at = len(self.tail)
        self.tail += data + bytes(self.maker.random.randrange(0, 6) * 8)
        return at

    def trace(self, block, engine, data):
        m = self.message().number(self.block, block).number(self.engine, engine)
        if self.maker.inline:
            return m.bytes(self.array, data).data
        return m.number(self.offset, self.place(data)).number(self.size, len(data)).data

    def stream(self, engine, block, opcodes):
        code = b''.join(bytes([o, 0x10]) + bytes(62) for o in opcodes)
        m = self.message().number(1, self.maker.random.randrange(1 << 40)).number(2, engine)
        if self.maker.inline:
            return m.bytes(3, code).number(4, engine).number(5, block).data
        m.number(4, engine).number(5, block)
        return m.number(7, self.place(code)).number(8, len(code)).data


def in_time(records):
    return sorted(records, key=lambda r: r[0])


def subgraph(maker, layout, core):
    r = maker.random
    graph = layout.message().bytes(1, b'sg%02d' % core).number(2, 0).number(3, core)
    name = f'NeuronCore {core}'
    sync = maker.semaphores(name) if maker.has('sync') else {}
    for engine in range(5):
        opcodes = [r.choice(OPCODES[engine]) for _ in range(maker.slots)]
        records = maker.engine(name, engine, opcodes)
        if maker.has('throttle') and engine == 0:
            records += [record(0x1E, 5, 7, r.randrange(maker.base, maker.end)) for _ in range(3)]
            records.append(record(0x1F, 1, 2, maker.end))
            maker.count('throttle', '', 3)
            maker.count('error', '', 1)
        stream = layout.stream(engine, 0, opcodes)
        if not maker.has('unnamed'):
            graph.bytes(4, stream)
        graph.bytes(6, layout.trace(0, engine, maker.ring(in_time(records + sync.get(engine, [])))))
    if maker.has('cc'):
        graph.bytes(
            6, layout.trace(2, 0, maker.ring(maker.engine(name, 4, [0] * maker.slots, 'CC-core 0')))
        )
    if maker.has('dma'):
        for k in range(2):
            data = maker.ring(maker.dma(name, 2 * core + k))
            graph.bytes(6, layout.trace(1, k, data))
    graph.bytes(7, layout.message().number(1, 0).number(2, 17).bytes(4, b'qNever').data)
    return graph.data


def build(seed, size, slots, features, inline):
    maker = Maker(seed, size, slots, features, inline)
    layout = Layout(maker)
    node = struct.pack('<Bd', 2 << 3 | 1, 0.5)
    for core in range(2 if maker.has('cores') else 1):
        node += (
            Message(False)
            .bytes(4, Message(False).bytes(layout.graph, subgraph(maker, layout, core)).data)
            .data
        )
    info = Message(False).bytes(8, b'2.31.24.0-synthetic').bytes(layout.node, node).data
    header = bytearray(maker.random.randrange(256) for _ in range(128))
    header[0] = maker.random.randrange(1, 7)
    at = maker.random.choice([8, 24, 60, 112])
    header[at : at + 8] = struct.pack('<Q', len(info))
    return bytes(header) + info + layout.tail, maker.rows


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('folder')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=1, help='files, of this seed and the next')
    parser.add_argument('--size', type=int, default=300, help='instructions of an engine')
    parser.add_argument('--slots', type=int, default=64, help='instructions of a stream')
    parser.add_argument('--inline', action='store_true', help='arrays in the message')
    parser.add_argument('--features', default='', help='any, or "random"')
    args = parser.parse_args()
    for seed in range(args.seed, args.seed + args.count):
        features = [f for f in args.features.split(',') if f]
        inline = args.inline
        if features == ['random']:
            choice = random.Random(seed)
            features = [f for f in FEATURES if choice.random() < 0.5]
            inline = choice.random() < 0.5
        if inline or 'cores' in features:
            features = [f for f in features if f != 'unnamed']
        unknown = set(features) - set(FEATURES)
        if unknown:
            parser.error(f'no such feature: {" ".join(sorted(unknown))}')
        data, rows = build(seed, args.size, args.slots, features, inline)
        path = os.path.join(args.folder, f'synthetic_{seed}')
        with open(path + '.ntff', 'wb') as f:
            f.write(data)
        with open(path + '.tsv', 'w', encoding='utf-8') as f:
            f.write(f'# {" ".join(features)}{" inline" if inline else ""}\n')
            f.writelines(f'{key}\t{value}\n' for key, value in sorted(rows.items()))


if __name__ == '__main__':
    main()
