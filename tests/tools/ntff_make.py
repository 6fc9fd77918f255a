# SPDX-License-Identifier: Apache-2.0
"""ntff_make.py - writes synthetic NTFF in the layouts of versions 4, 5 and 6, for tests.
What the layout does not fix (garbage in the header, numbers of unknown fields, clocks, addresses,
order of fields and arrays) is drawn from the seed. Nothing comes from a real file.

  ntff_make.py FOLDER [--seed N] [--count N] [--version N] [--outside] [--lost]

Writes FOLDER/synthetic_SEED.ntff for each seed, of version 4 + SEED % 3 unless one is named. Their
NEFF is any that neff-make.py writes."""

import argparse
import os
import random
import struct

SLOT = 64
OPCODES = (0x01, 0x02, 0x21, 0x46, 0xA0, 0xA2, 0xA5, 0xB1, 0x77)
NOTIFY = 0xA6
CLOCK_FIELD = {0: 1, 1: 2, 2: 4, 3: 3, 4: 5}


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


def integer(field, value):
    return varint(field << 3) + varint(value) if value else b''


def blob(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


class Clock:
    """ps = (ticks - reference) * actual // nominal"""

    def __init__(self, rand, shared):
        self.reference = 0 if shared else rand.randrange(10**9, 10**14)
        self.nominal, self.actual = (
            (1, 1)
            if shared
            else rand.choice(
                ((731428, 731408), (914286, 914260), (1024, 1204672), (1024, 731408), (3, 7))
            )
        )

    @classmethod
    def of(cls, reference, nominal, actual):
        clock = cls.__new__(cls)
        clock.reference, clock.nominal, clock.actual = reference, nominal, actual
        return clock

    def message(self):
        return integer(1, self.reference) + integer(2, self.nominal) + integer(3, self.actual)

    def ticks(self, ps):
        """The first tick at or behind ps."""
        return self.reference + -(-ps * self.nominal // self.actual)


def record(w0, w1, ticks):
    return struct.pack('<IIQ', w0, w1, ticks)


class Core:
    queue_type = 0  # of its queues
    outside = False  # some of PE's instructions lie outside of the code that the file has
    lost = False  # PE's last start has no end, one says that records before it were lost

    def __init__(self, rand, number, version, engines_from, begin, executions=1):
        self.executions, self.more = executions, []  # more: (kind, bytes) of further arrays
        self.memory = []  # (bytes, use); a use that is a number has no name, as in version 4
        self.total = None  # ps that the file states of an execution; None: drawn
        self.rand, self.number, self.version = rand, number, version
        shared = version == 6
        self.clocks = {key: Clock(rand, shared) for key in (1, 2, 3, 4, 5, 6, 7)}
        self.dma_clocks = [Clock(rand, shared) for _ in range(16)]
        self.engines_from, self.begin = engines_from, begin
        self.code, self.address = {}, {}
        for engine in range(5):
            self.address[engine] = rand.randrange(1 << 40) * SLOT
            slots = []
            for _ in range(rand.randrange(4, 20)):
                slots.append(bytes([rand.choice(OPCODES), 0x10]) + rand.randbytes(SLOT - 2))
            notify = bytearray(rand.randbytes(SLOT))
            notify[0], notify[1], notify[36] = NOTIFY, 0x10, 2
            self.code[engine] = bytes(notify) + b''.join(slots)
            if executions > 1:  # the last slot ends each of them
                notify[36] = 3
                self.code[engine] += bytes(notify)

    def instructions(self):
        """Each engine begins with the NOTIFY that begins the execution, in slot 0."""
        rand, out = self.rand, []
        for engine in range(5):
            clock, at = self.clocks[CLOCK_FIELD[engine]], self.begin + rand.randrange(1000)
            slots = len(self.code[engine]) // SLOT
            order = [0] + [rand.randrange(1, slots) for _ in range(30)]
            if self.executions > 1:
                order = [
                    s
                    for _ in range(self.executions)
                    for s in [0] + [rand.randrange(1, slots - 1) for _ in range(9)] + [slots - 1]
                ]
            if self.outside and engine == 0:
                order[5::5] = [slots + slot for slot in order[5::5]]
            for slot in order:
                pc = (self.address[engine] // SLOT + slot) % (1 << 20)
                kind = 4 + 4 * engine
                out.append(
                    record(pc | kind << 24 | 1 << 31, rand.randrange(1 << 32), clock.ticks(at))
                )
                at += rand.randrange(10**3, 10**6)
                out.append(
                    record(
                        pc | (kind + 1) << 24 | 1 << 31, rand.randrange(1 << 32), clock.ticks(at)
                    )
                )
                at += rand.randrange(10**5)
            if self.lost and engine == 0:
                middle = len(out) // 4 * 2
                out[middle] = out[middle][:3] + bytes([out[middle][3] | 1 << 6]) + out[middle][4:]
                del out[-1]
        return b''.join(out)

    def updates(self):
        rand, at, out = self.rand, self.begin - 10**6, []
        for _ in range(40):
            at += rand.randrange(10**6)
            kind = rand.choice((7, 11, 15, 19, 23, 27))
            out.append(
                record(
                    rand.randrange(1 << 9) | kind << 24 | 1 << 31,
                    rand.randrange(1 << 16),
                    self.clocks[6].ticks(at),
                )
            )
        return b''.join(out)

    def packets(self):
        rand, at, out = self.rand, self.begin + 10**7, []
        for _ in range(60):
            engine, queue = rand.randrange(16), rand.randrange(3)
            clock = self.dma_clocks[engine]
            out.append(record(engine << 24, queue << 4 | 1, clock.ticks(at)))
            at += rand.randrange(10**4, 10**6)
            out.append(
                record(
                    rand.randrange(1 << 24) | engine << 24,
                    rand.randrange(1 << 16) << 16 | queue << 4 | 5,
                    clock.ticks(at),
                )
            )
            out.append(record(engine << 24, queue << 4 | 6, clock.ticks(at + 10)))
            at += rand.randrange(10**5)
        return b''.join(out)

    def arrays(self):
        return [(0, self.instructions()), (1, self.updates()), (4, self.packets())] + self.more

    def graph(self, place):
        """place: puts bytes behind the message; returns their offset."""
        parts = [
            blob(1, b'sg%02d' % (self.number % 100)),
            integer(3, self.number),
            integer(
                14, 10**9 + self.rand.randrange(10**6) if self.total is None else self.total
            ),
        ]
        for engine in range(5):
            head = integer(1, engine) + integer(2, self.address[engine])
            if self.version == 6:
                code = self.code[engine]
                parts.append(blob(4, head + integer(7, place(code)) + integer(8, len(code))))
            else:
                parts.append(blob(4, head + blob(3, self.code[engine])))
        if self.version != 6:
            for kind, data in self.arrays():
                parts.append(
                    blob(6, integer(1, kind) + integer(5, place(data)) + integer(6, len(data)))
                )
        for engine in range(16):
            for queue, name in ((0, b'qPoolDynamic'), (1, b'qSPSpillReload0')):
                kind = integer(3, self.queue_type) if self.queue_type else b''
                parts.append(
                    blob(
                        7,
                        integer(1, self.engines_from + engine)
                        + integer(2, queue)
                        + kind
                        + blob(4, name),
                    )
                )
        parts += [
            blob(11, integer(2, held) + (integer(1, use) if type(use) is int else blob(3, use)))
            for held, use in self.memory
        ]
        clocks = [blob(key, clock.message()) for key, clock in self.clocks.items()]
        parts.append(
            blob(10, b''.join(clocks + [blob(8, clock.message()) for clock in self.dma_clocks]))
        )
        return b''.join(parts)


def with_wait(cycles, gap, uuid):
    """PE's slot 2 begins `gap` cycles behind the end of slot 1, and says that it waited
    `cycles`."""

    def change(core):
        clock = core.clocks[1] = Clock.of(10**12, 731428, 731408)
        pc, at = core.address[0] // SLOT, core.begin
        times = [(0, at, at + 10**5), (1, at + 2 * 10**5, at + 3 * 10**5)]
        start = at + 3 * 10**5 + -(-gap * 731408 // 1024) + 1
        times.append((2, start, start + 10**6))
        core.code[0] = core.code[0][:SLOT] + b''.join(
            bytes([0x02, 0x10]) + bytes(SLOT - 2) for _ in range(3)
        )
        out = b''
        for slot, first, last in times:
            word = (pc + slot) % (1 << 20) | 1 << 31
            out += record(word | 4 << 24, (cycles if slot == 2 else 0) << 16, clock.ticks(first))
            out += record(word | 5 << 24, 0, clock.ticks(last))
        core.instructions = lambda: out

    return make(1, 5, uuid, change=change)


def with_throttle(records, uuid):
    """records: (ps behind the first of them, k, n)"""

    def change(core):
        clock = core.clocks[7] = Clock.of(0, 1, 1)
        core.more = [
            (
                5,
                b''.join(
                    record(
                        n << 16 if n != 128 else 0,
                        k if n != 128 else 128,
                        clock.ticks(core.begin + 10**7 + at),
                    )
                    for at, k, n in records
                ),
            )
        ]

    return make(1, 5, uuid, change=change)


def with_queue_type(kind, uuid):
    """All queues are stated to be of this type."""

    def change(core):
        core.queue_type = kind

    return make(1, 5, uuid, change=change)


def with_straddling(transfers, uuid):
    """transfers: (ps behind the begin, length) of a queue of their own, before all others."""

    def change(core):
        others, clock = core.packets, core.dma_clocks[0]

        def packets():
            out = b''
            for at, length in transfers:
                first, last = core.begin + at, core.begin + at + length
                out += record(0, 3 << 4 | 1, clock.ticks(first))
                out += record(64, 3 << 4 | 5, clock.ticks(last))
                out += record(0, 3 << 4 | 6, clock.ticks(last + 10))
            return out + others()

        core.packets = packets

    return make(1, 5, uuid, change=change)


def make(seed, version, uuid, executions=1, change=None):
    """Bytes of a file; change: of its first core."""
    rand = random.Random(f'{seed} {version}')
    body, begin = bytearray(), rand.randrange(10**9, 10**12)
    cores = [Core(rand, 0, version, 0, begin, executions)]
    if version == 6:
        cores = [Core(rand, 4, version, 64, begin), Core(rand, 5, version, 64, begin + 10**5)]
    if change:
        change(cores[0])

    def place(data):
        at = len(body)
        body.extend(data)
        return at

    name = uuid.split(b'\0')[0] if version != 6 else uuid  # written as a C string
    top = [
        blob(1, b'/tmp/model.neff'),
        blob(2, name) if name else b'',
        blob(9, b'trn1.2xlarge'),
        integer(3, rand.randrange(1, 10**5)),
        integer(10, 2),
        blob(8, integer(1, 2) + integer(2, 29) + blob(5, b'f954c0ffee')),
    ]
    graphs = b''.join(blob(1, core.graph(place)) for core in cores)
    top.append(blob(4, blob(4, graphs)))
    if version == 6:
        top.append(blob(15, blob(1, uuid) + integer(2, begin + 2000) + integer(3, begin + 10**8)))
        for core in cores:
            for kind, data in core.arrays():
                top.append(
                    blob(
                        16,
                        integer(1, kind)
                        + integer(5, place(data))
                        + integer(6, len(data))
                        + integer(7, core.number),
                    )
                )
        top.append(blob(17, b'i-0123456789abcdef0') + integer(18, 4711))
    rand.shuffle(top)
    message = b''.join(top)
    header = bytes([version]) + struct.pack('<Q', len(message)) + rand.randbytes(119)
    return header + message + bytes(body)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('folder')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=1, help='files, of this seed and the next')
    parser.add_argument('--version', type=int, choices=(4, 5, 6))
    parser.add_argument('--outside', action='store_true', help='code of some is not in the file')
    parser.add_argument(
        '--lost', action='store_true', help='the last end, and records before a start'
    )
    args = parser.parse_args()

    def change(core):
        core.outside, core.lost, core.total = args.outside, args.lost, 5 * 10**7  # ps: all of it

    os.makedirs(args.folder, exist_ok=True)
    for seed in range(args.seed, args.seed + args.count):
        version = args.version or 4 + seed % 3
        with open(os.path.join(args.folder, f'synthetic_{seed}.ntff'), 'wb') as file:
            file.write(make(seed, version, bytes(range(16)), change=change))


if __name__ == '__main__':
    main()
