# SPDX-License-Identifier: Apache-2.0
"""ntff.py - reads NTFF of versions 4, 5 and 6: instructions and DMA packets after the execution
began.

Records have 16 bytes: two words and ticks. Instructions pair by pc on their engine; a packet's end
belongs to the oldest start of its engine and queue that has none."""

import struct
from collections import defaultdict, deque

from model import Profile, Row, Unknown, neuron_kind
from wire import fields, text

ENGINES = {0: 'PE', 1: 'ACT', 2: 'POOL', 3: 'DVE', 4: 'SP'}
CLOCKS = {0: 1, 1: 2, 2: 4, 3: 3, 4: 5}  # field of an engine's clock
OPCODES = {
    0x01: 'LDWEIGHTS',
    0x02: 'MATMUL',
    0x21: 'ACTIVATE',
    0x23: 'ACT_TABLE_LOAD',
    0x42: 'TENSOR_REDUCE',
    0x43: 'TENSOR_SCALAR',
    0x46: 'COPY',
    0x47: 'CAST',
    0x48: 'RECIPROCAL',
    0xA0: 'EVENT_SEMAPHORE',
    0xA2: 'DRAIN',
    0xA4: 'NOP',
    0xA5: 'WRITE',
    0xA6: 'NOTIFY',
    0xA9: 'COMPARE_BRANCH',
    0xAA: 'TENSOR_LOAD',
    0xAB: 'TENSOR_STORE',
    0xB0: 'EVENT_SEMAPHORE_RANGE_CLEAR',
    0xB1: 'SET_ORDERING_MODE',
    0xB8: 'DMA_DIRECT2D',
}
WAIT, NOTIFY = 0xA0, 0xA6
GUESSED = '(likely)'  # no name is published
NEVER = 1 << 63


def message(data, span):
    """Fields of a message: number -> list of values."""
    found = defaultdict(list)
    for number, value in fields(data, *span):
        found[number].append(value)
    return found


def one(found, number, preset=0):
    return found[number][-1] if found.get(number) else preset


VENDORS = (
    ('qSP', 'qSync'),
    ('qPool', 'qGpSimd'),
    ('qAct', 'qScalar'),
)  # what the vendor calls queues
RATE = 26  # byte of a MATMUL: the length of the moving tensor; 38 and 39: rows and columns


class Clock:
    def __init__(self, data, span):
        found = message(data, span)
        self.reference, self.nominal, self.actual = (
            one(found, 1),
            one(found, 2, 1),
            one(found, 3, 1),
        )

    def ps(self, ticks):
        return (ticks - self.reference) * self.actual // self.nominal


class Graph:
    """One NeuronCore: its code by engine, its clocks, its arrays of records by kind."""

    def __init__(self, data, span, base):
        found = message(data, span)
        self.core, self.begins = one(found, 3), 0  # begins: what lies before is setup, not work
        self.label = f'Neuron device {one(found, 2)}/NeuronCore {self.core}'
        self.total, self.queues, self.engines = one(found, 14, None), {}, None
        for queue in found[7]:
            self.add_queue(data, message(data, queue))
        self.arrays, self.code = defaultdict(list), {}
        clocks = message(data, found[10][0])
        self.clocks = {n: [Clock(data, c) for c in clocks[n]] for n in clocks}
        for stream in found[4]:
            part = message(data, stream)
            at = base + one(part, 7)
            code = one(part, 3, None) or (at, at + one(part, 8))
            self.code[one(part, 1)] = one(part, 2), data[code[0] : code[1]]
        for array in found[6]:
            self.add(data, array, base)

    def add(self, data, span, base):
        part = message(data, span)
        at = base + one(part, 5)
        self.arrays[one(part, 1)].append(data[at : at + one(part, 6)])

    def add_queue(self, data, part):
        name = text(data, part[4][-1]) if part[4] else ''
        for own, vendors in VENDORS:
            if name.startswith(own):
                name = vendors + name[len(own) :]
        engine = one(part, 1)
        self.engines = engine if self.engines is None else min(engine, self.engines)
        self.queues[engine, one(part, 2)] = name

    def queue(self, engine, queue):
        """Engines of DMA are numbered within the core in records, and in lists as the device counts
        them."""
        listed = (self.engines or 0) // 32 * 32 + engine
        return self.queues.get((listed, queue)) or f'queue {queue}'

    def records(self, kind):
        for array in self.arrays[kind]:
            yield from struct.iter_unpack('<IIQ', array)

    def slot(self, engine, pc):
        """The 64 bytes of the instruction at that pc, or None."""
        start, code = self.code.get(engine, (0, b''))
        at = (pc - start // 64) % (1 << 20) * 64
        return code[at : at + 64] if at + 64 <= len(code) else None


def instructions(graph):
    """(engine, code, start, end) in ps of what has an end."""
    begun = {}
    for low, _high, ticks in graph.records(0):
        kind, pc = low >> 24 & 31, low & 0xFFFFF
        engine, end = kind // 4 - 1, kind % 4
        if engine not in ENGINES or end > 1:
            continue
        if end == 0:
            begun[engine, pc] = ticks
        elif (engine, pc) in begun:
            clock = graph.clocks[CLOCKS[engine]][0]
            yield engine, graph.slot(engine, pc), clock.ps(begun.pop((engine, pc))), clock.ps(ticks)


def packets(graph):
    """(engine, queue, start, end, bytes) in ps."""
    begun = defaultdict(deque)
    for low, high, ticks in graph.records(4):
        engine, queue, kind = low >> 24 & 31, high >> 4 & 15, high & 15
        if kind == 1:
            begun[engine, queue].append(ticks)
        elif kind == 5 and begun[engine, queue]:
            clocks = graph.clocks[8]
            clock = clocks[engine] if engine < len(clocks) else clocks[0]
            start = begun[engine, queue].popleft()
            yield engine, queue, clock.ps(start), clock.ps(ticks), low & 0xFFFFFF


class File:
    def __init__(self, path):
        with open(path, 'rb') as file:
            data = file.read()
        self.version, size = data[0], struct.unpack('<Q', data[1:9])[0]
        if self.version not in (4, 5, 6) or 128 + size > len(data):
            raise Unknown(f'NTFF of version {self.version}')
        base = 128 + size
        head = message(data, (128, base))
        node = message(data, message(data, head[4][0])[4][0])
        self.graphs = [Graph(data, span, base) for span in node[1]]
        self.place = text(data, head[1][0])
        self.instance = text(data, head[9][0]) if head[9] else ''
        cores = {graph.core: graph for graph in self.graphs}
        for array in head[16]:
            cores[one(message(data, array), 7)].add(data, array, base)
        self.first, self.last = self.bounds(data, head)

    def bounds(self, data, head):
        """When the execution began and ended, on the clock of the rows."""
        if head[15]:
            run = message(data, head[15][0])
            return one(run, 2), one(run, 3)
        for graph in self.graphs:
            ends = {}
            for engine, code, _start, end in instructions(graph):
                if code and code[0] == NOTIFY and code[36] == 2:
                    ends.setdefault(engine, end)
            graph.begins = max(ends.values())
        return self.graphs[0].begins, NEVER

    def rows(self, graph):
        """Instructions and packets of one core that began in the execution, from its beginning:
        (track, name, start, end, bytes of a packet or flops)."""
        for engine, code, start, end in instructions(graph):
            if start >= self.first and end <= self.last:
                name = OPCODES.get(code[0], f'{GUESSED} {code[0]:#x}') if code else GUESSED
                yield ENGINES[engine], name, start - self.first, end - self.first, flops(
                    code
                ) if name == 'MATMUL' else None
        for engine, queue, start, end, size in packets(graph):
            if start >= self.first:
                yield (engine, queue), 'DMA', start - self.first, end - self.first, size


def flops(code):
    """Two for each multiply-accumulate."""
    return 2 * code[38] * code[39] * struct.unpack('<H', code[RATE : RATE + 2])[0]


def notified(graph):
    """(first, length) of each execution, by the NOTIFY of all engines: from the end of the last
    that begins it, for as long as from the first of these to the start of the last one that ends
    it."""
    begun, ended = defaultdict(list), defaultdict(list)
    for engine, code, start, end in sorted(instructions(graph), key=lambda i: i[2]):
        if code and code[0] == NOTIFY and code[36] in (2, 3):
            (begun if code[36] == 2 else ended)[engine].append((start, end))
    for number in range(max(map(len, begun.values()), default=0)):
        first = [rows[number] for rows in begun.values() if number < len(rows)]
        last = [rows[number][0] for rows in ended.values() if number < len(rows)]
        yield max(end for _, end in first), max(last, default=0) - min(start for start, _ in first)


def executions(file, graph, last):
    """(name, first, length): what the file states of one; of several each has its own; else all
    that was recorded."""
    if file.last != NEVER:
        return [('execution', 0, file.last - file.first)]
    several = list(notified(graph))
    if len(several) > 1:
        return [('execution', first - file.first, length) for first, length in several]
    total = file.graphs[0].total
    return [('recorded', 0, last) if total is None else ('execution', 0, total)]


def add_rows(profile, file, graph, device):
    for track, name, start, end, amount in file.rows(graph):
        dma = name == 'DMA'
        row = Row(
            graph.queue(*track) if dma else name,
            'dma' if dma else 'instruction',
            start,
            end,
            track,
            len(profile.spans),
            {'flops': amount, 'products': 'transposes are among them'} if name == 'MATMUL' else {},
        )
        row.kind = neuron_kind(name, dma)
        profile.spans.append(
            (row.first, row.end, 'dma' if dma else GUESSED if name.startswith(GUESSED) else name)
        )
        device.told.add(row.category)
        if name != OPCODES[WAIT] and (dma or start + file.first >= graph.begins):
            device.work.append(row)


def read(path):
    file = File(path)
    profile = Profile()
    profile.neuron, profile.logical = True, len(file.graphs) > 1
    for graph in file.graphs:
        device = profile.device(graph.core, graph.label)
        device.facts = {'device_type_string': file.instance}
        add_rows(profile, file, graph, device)
    last = max((end for _, end, name in profile.spans if name != 'dma'), default=0)
    for graph, device in zip(file.graphs, profile.devices.values()):
        for name, first, length in executions(file, graph, last):
            device.around.append(Row(name, name, first, first + length, None, -1))
    return profile
