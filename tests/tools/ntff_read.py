# SPDX-License-Identifier: Apache-2.0
"""ntff_read.py - an independent reader of NTFF versions 4 to 6, by the numbers of their fields:
what the tests hold the decoder against. It shares no code with it, and prefers plain loops to
speed. All times are ps."""

import collections
import struct

ENGINES = ('PE', 'ACT', 'POOL', 'DVE', 'SP')
WAIT = 0xA0  # EVENT_SEMAPHORE
NOTIFY = 0xA6
LOST = 1 << 30


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    """number -> values, in order; messages and texts stay bytes."""
    found, at = collections.defaultdict(list), 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at : at + size], at + size
            assert len(value) == size
        else:
            size = 8 if tag & 7 == 1 else 4
            assert tag & 7 in (1, 5), tag
            value, at = int.from_bytes(data[at : at + size], 'little'), at + size
        found[tag >> 3].append(value)
    return found


def number(message, key):
    return message[key][-1] if message.get(key) else 0


Instruction = collections.namedtuple(
    'Instruction', 'core engine start end opcode slot cycles hint crc_in crc_out'
)
Packet = collections.namedtuple('Packet', 'core number engine queue start end bytes crc name kind')
Update = collections.namedtuple('Update', 'core engine time id semaphore value')
Throttle = collections.namedtuple('Throttle', 'core time k n')


class Core:
    def __init__(self, graph):
        self.number = number(graph, 3)
        self.code = {}  # engine -> (address, bytes)
        self.queues = {}
        self.clocks = {}
        self.total = number(graph, 14)
        self.graph = graph


class Ntff:
    def __init__(self, data):
        self.version = data[0]
        size = struct.unpack_from('<Q', data, 1)[0]
        self.base = 128 + size
        self.data = data
        self.top = fields(data[128 : self.base])
        node = fields(self.top[4][0])
        graphs = [fields(g) for nd in node[4] for g in fields(nd)[1]]
        self.cores = [Core(g) for g in graphs]
        self.arrays = []  # core, kind, from, to
        for core in self.cores:
            self.read_core(core)
        by_number = {core.number: core for core in self.cores}
        for entry in map(fields, self.top[16]):
            self.add_array(by_number[number(entry, 7)], entry)
        window = fields(self.top[15][0]) if self.top[15] else {}
        self.uuid = (self.top[2][0] if self.top[2] else b'')[:16]
        self.window = (number(window, 2), number(window, 3)) if window else None
        self.lost = 0
        self.starts_without_end = 0
        self.instructions, self.packets, self.updates, self.throttles = [], [], [], []
        self.event_records = 0
        for array in self.arrays:
            self.read_array(*array)
        self.end = None
        self.origin = self.find_origin()
        self.cut()

    def add_array(self, core, entry):
        if number(entry, 6):
            self.arrays.append(
                (core, number(entry, 1), self.base + number(entry, 5), number(entry, 6))
            )

    def read_core(self, core):
        for entry in map(fields, core.graph[4]):
            code = (
                entry[3][0]
                if entry.get(3)
                else self.data[
                    self.base + number(entry, 7) : self.base + number(entry, 7) + number(entry, 8)
                ]
            )
            core.code[number(entry, 1)] = (number(entry, 2), code)
        for entry in map(fields, core.graph[6]):
            self.add_array(core, entry)
        for entry in map(fields, core.graph[7]):
            core.queues[number(entry, 1), number(entry, 2)] = (
                entry[4][0].decode() if entry[4] else '',
                number(entry, 7),
            )
        clocks = fields(core.graph[10][0])
        self.clock_fields = clocks
        for key, values in clocks.items():
            core.clocks[key] = [
                (number(c, 1), number(c, 2), number(c, 3)) for c in map(fields, values)
            ]

    @staticmethod
    def ps(clock, ticks):
        reference, nominal, actual = clock
        return (ticks - reference) * actual // nominal

    def records(self, at, size):
        for i in range(at, at + size, 16):
            yield struct.unpack_from('<IIQ', self.data, i)

    def read_array(self, core, kind, at, size):
        reader = {
            0: self.read_instructions,
            1: self.read_updates,
            4: self.read_packets,
            5: self.read_throttles,
        }
        reader.get(kind, lambda *_: None)(core, at, size)

    def read_instructions(self, core, at, size):
        clock = {0: 1, 1: 2, 2: 4, 3: 3, 4: 5}
        waiting = {}
        for w0, w1, ticks in self.records(at, size):
            kind = w0 >> 24 & 31
            engine, what = (kind >> 2) - 1, kind & 3
            self.lost += w0 & LOST != 0
            assert 0 <= engine < 5 and what < 3, kind
            time = self.ps(core.clocks[clock[engine]][0], ticks)
            pc = w0 & 0xFFFFF
            if what == 0:
                self.starts_without_end += (engine, pc) in waiting
                waiting[engine, pc] = (time, w1 >> 16)
            elif what == 1 and (engine, pc) in waiting:
                start, cycles = waiting.pop((engine, pc))
                address, code = core.code[engine]
                slot = (pc - address // 64) % (1 << 20)
                opcode = code[slot * 64] if slot * 64 < len(code) else None
                hint = code[slot * 64 + 36] if slot * 64 < len(code) else None
                self.instructions.append(
                    Instruction(
                        core.number,
                        ENGINES[engine],
                        start,
                        time,
                        opcode,
                        slot,
                        cycles,
                        hint,
                        w1 & 0xFFFF,
                        w1 >> 16,
                    )
                )
        self.starts_without_end += len(waiting)

    def read_updates(self, core, at, size):
        for w0, w1, ticks in self.records(at, size):
            self.event_records += 1
            self.lost += w0 & LOST != 0
            time = self.ps(core.clocks[6][0], ticks)
            self.updates.append(Update(core.number, w0 >> 24 & 31, time, w0 & 255, w0 >> 8 & 1, w1))

    def read_packets(self, core, at, size):
        waiting = collections.defaultdict(collections.deque)
        for w0, w1, ticks in self.records(at, size):
            engine, queue, kind = w0 >> 24 & 31, w1 >> 4 & 15, w1 & 15
            clocks = core.clocks[8]
            time = self.ps(clocks[engine % len(clocks)], ticks)
            if kind == 1:
                waiting[engine, queue].append(time)
            elif kind == 5 and waiting[engine, queue]:
                name, form = core.queues.get((self.numbered(core, engine), queue), ('', 0))
                self.packets.append(
                    Packet(
                        core.number,
                        self.numbered(core, engine),
                        engine,
                        queue,
                        waiting[engine, queue].popleft(),
                        time,
                        w0 & 0xFFFFFF,
                        w1 >> 16,
                        name,
                        form,
                    )
                )

    @staticmethod
    def numbered(core, engine):
        """The engine's number in the list of queues, which counts over the cores of a device."""
        listed = [e for e, _ in core.queues]
        return min(listed) // 32 * 32 + engine if listed else engine

    def read_throttles(self, core, at, size):
        for w0, w1, ticks in self.records(at, size):
            n, k = w0 >> 16 & 255, w1 & 255
            self.throttles.append(
                Throttle(core.number, self.ps(core.clocks[7][0], ticks), k if n else 1, n or 1)
            )

    def find_origin(self):
        if self.window:
            self.end = self.window[1]
            return self.window[0]
        for core in self.cores:
            begins = [
                i
                for i in self.instructions
                if i.core == core.number and i.opcode == NOTIFY and i.hint == 2
            ]
            core.origin = max(
                min(i.end for i in begins if i.engine == e) for e in {i.engine for i in begins}
            )
        return self.cores[0].origin

    def active(self, i):
        """Work, as the vendor's active time has it."""
        core = next(core for core in self.cores if core.number == i.core)
        return i.opcode != WAIT and (self.window is not None or i.start >= core.origin)

    def cut(self):
        origin, end = self.origin, self.end
        self.instructions = [
            i for i in self.instructions if i.start >= origin and (end is None or i.end <= end)
        ]
        self.straddling = {
            (p.core, p.engine, p.queue) for p in self.packets if p.start < origin <= p.end
        }
        self.packets = [p for p in self.packets if p.start >= origin]
        self.before = len(self.updates)
        self.updates = [u for u in self.updates if u.time >= origin]


def union(intervals):
    total, until = 0, None
    for start, end in sorted(intervals):
        if until is None or start > until:
            total, until = total + end - start, end
        elif end > until:
            total, until = total + end - until, end
    return total
