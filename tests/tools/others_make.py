# SPDX-License-Identifier: Apache-2.0
"""others_make.py - draws files of other tools: profiles of pprof, memory timelines of PyTorch,
traces of Intel's unitrace, and what a reader must find in them. The same seed draws the same."""

import collections
import json
import random

CATEGORIES = (
    'parameter',
    'optimizer_state',
    'input',
    'temporary',
    'activation',
    'gradient',
    'autograd_detail',
    'unknown',
)

# -- pprof
# --------------------------------------------------------------------------------------------


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out) + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n)


def blob(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


TYPES = {
    'cpu': (('samples', 'count'), ('cpu', 'nanoseconds')),
    'heap': (('inuse_objects', 'count'), ('inuse_space', 'bytes')),
    'jax': (('allocations', 'count'), ('space', 'bytes')),
}


class Profile:
    """Samples as (frames, innermost first, each (function, line)), values, labels."""

    def __init__(self, seed):
        r = random.Random(seed)
        self.kind = r.choice(tuple(TYPES))
        self.types, self.packed = TYPES[self.kind], r.random() < 0.5
        self.order = r.sample(range(6), 6)
        self.places = [(f'fn.{k} {chr(0x3b1 + k)}', r.choice((0, 1 + k))) for k in range(9)]
        self.inlined = {
            k: r.randrange(9) for k in range(9) if r.random() < 0.3
        }  # place k was inlined into another
        self.samples = []
        for _ in range(r.randrange(5, 60)):
            stack = [r.randrange(9) for _ in range(r.randrange(1, 8))]
            values = [
                r.randrange(-50 if self.kind == 'heap' else 0, 90),
                r.choice((0, r.randrange(1 << 40))),
            ]
            labels = (
                [('device', f'gpu:{r.randrange(2)}'), ('kind', 'buffer')]
                if self.kind == 'jax'
                else []
            )
            self.samples.append((stack, values, labels))

    def frames(self, stack):
        return [
            self.places[p]
            for k in stack
            for p in ((k, self.inlined[k]) if k in self.inlined else (k,))
        ]

    def bytes(self):
        strings = ['']

        def text(s):
            if s not in strings:
                strings.append(s)
            return strings.index(s)

        def repeated(field, values):
            return (
                blob(field, b''.join(map(varint, values)))
                if self.packed
                else b''.join(number(field, v) for v in values)
            )

        parts = [
            b''.join(blob(1, number(1, text(t)) + number(2, text(u))) for t, u in self.types),
            b''.join(
                blob(
                    2,
                    repeated(1, [k + 1 for k in stack])
                    + repeated(2, values)
                    + b''.join(blob(3, number(1, text(k)) + number(2, text(v))) for k, v in labels),
                )
                for stack, values, labels in self.samples
            ),
            b''.join(
                blob(
                    4,
                    number(1, k + 1)
                    + b''.join(
                        blob(4, number(1, p + 100) + number(2, self.places[p][1]))
                        for p in ([k] + [self.inlined.get(k)] * (k in self.inlined))
                    ),
                )
                for k in range(9)
            ),
            b''.join(
                blob(
                    5, number(1, k + 100) + number(2, text(name)) + number(4, text(f'/src/{k}.py'))
                )
                for k, (name, _) in enumerate(self.places)
            ),
            number(9, 1_770_000_000_123_456_789) + number(10, 10**9) + blob(3, b''),
        ]
        parts.append(b''.join(blob(6, s.encode()) for s in strings))
        return b''.join(parts[i] for i in self.order)

    def name(self, place):
        return f'{place[0]}:{place[1]}' if place[1] else place[0]

    def sums(self, k):
        """Total, and self and total by place, of a type."""
        own, total = collections.Counter(), collections.Counter()
        for stack, values, _ in self.samples:
            frames = self.frames(stack)
            own[self.name(frames[0])] += values[k]
            for name in {self.name(f) for f in frames}:
                total[name] += values[k]
        return sum(v[k] for _, v, _ in self.samples), own, total


# -- Memory timelines
# -----------------------------------------------------------------------------------


def timeline(seed, n=300):
    """Rows [ns, action, bytes, category]: blocks that were there, that come, change what they are
    for, and go."""
    r = random.Random(seed)
    at, live, rows = 1_770_000_000_000_000_000 + r.randrange(10**9), [], []
    for _ in range(r.randrange(1, 20)):
        live.append([r.randrange(1, 1 << 30), r.randrange(8)])
        rows.append([-1, 1, *live[-1]])
    for _ in range(n):
        at += r.randrange(10**6)
        what = r.random()
        if what < 0.5 or not live:
            live.append([r.randrange(1, 1 << 30), r.randrange(8)])
            rows.append([at, 2, *live[-1]])
        elif what < 0.7:
            block = r.choice(live)
            rows.append([at, 3, -block[0], block[1]])
            block[1] = r.randrange(8)
            rows.append([at, 3, *block])
        else:
            block = live.pop(r.randrange(len(live)))
            rows.append([at, 4, -block[0], block[1]])
    return rows


def held(rows):
    """Peak, its time, and what it was of; what is held at the end; counters as (ns, name,
    value)."""
    first, total, by = next(t for t, *_ in rows if t >= 0), 0, collections.Counter()
    peak, counters = (0, None, {}), []
    for t, _, size, category in rows:
        total += size
        by[CATEGORIES[category]] += size
        t = first if t < 0 else t
        if total > peak[0]:
            peak = total, t, dict(by)
        counters += [
            (t, f'memory/{CATEGORIES[category]}', by[CATEGORIES[category]]),
            (t, 'memory/all', total),
        ]
    return peak, (total, dict(by)), counters


# -- Intel's unitrace
# -----------------------------------------------------------------------------------

CALLS = ('zeCommandListAppendLaunchKernel', 'zeCommandQueueExecuteCommandLists', 'clEnqueueTask')
WORK = (
    ('gemm_kernel[SIMD32 {%d; 1; 1} {256; 1; 1}]', 'gemm_kernel', 'kernel'),
    ('main::{lambda(auto)#1}[SIMD_ANY {%d; 4; 1} {8; 1; 1}]', 'main::{lambda(auto)#1}', 'kernel'),
    ('zeCommandListAppendMemoryCopy(H2D)[%d]', 'zeCommandListAppendMemoryCopy(H2D)', 'gpu_memcpy'),
    ('zeCommandListAppendMemoryFill(D)[%d]', 'zeCommandListAppendMemoryFill(D)', 'gpu_memset'),
    ('clEnqueueReadBuffer', 'clEnqueueReadBuffer', 'gpu_memcpy'),
)


def unitrace(seed, n=60):
    """Text of a trace as unitrace writes it, and (device, name, category, ns, bytes, ns from the
    end of its launch) of all work: calls that launch several, calls that wait, work of tiles, which
    no arrow leads to, work whose call was not recorded, and spans of the program."""
    r, at, lines, work, kernel = random.Random(seed), 1_718_000_000_000_000, [], [], 0
    pids = [4294967295 - k for k in range(2)]

    def event(**members):
        lines.append(json.dumps(members, separators=(', ', ': ')))

    def arrow(ph, way, number, **place):
        event(ph=ph, **place, name='dep', cat=f'Flow_{way}_{number}_0', id=number)

    def named(name, pid, text, **more):
        event(ph='M', name=name, pid=pid, **more, ts=at, args={'name': text})

    named('process_name', 77, 'HOST<node>')
    for k, pid in enumerate(pids):
        named(
            'process_name', pid, f'DEVICE<node>[Intel(R) Data Center GPU Max 1550] 0:9a:0:0 #0.{k}'
        )
        named('thread_name', pid, 'Thread 77 L0 Compute Engine<0,0>', tid=pid)
    host = {'tid': 77, 'pid': 77}
    for _ in range(n):
        at += r.randrange(400, 900)
        call, dur = r.choice(CALLS), r.randrange(1, 40)
        recorded, several = r.random() < 0.9, r.choice((1, 1, 2, 3))
        ids = list(range(kernel + 1, kernel + 1 + several))
        kernel += several
        if r.random() < 0.2:
            event(ph='X', **host, name='aten::mm', cat='cpu_op', ts=at - 1, dur=dur + 2, id=0)
        device_rows, begin = [], at + dur + r.randrange(0, 60)
        for number in ids:
            name, plain, category = r.choice(WORK)
            size, took, pid = r.randrange(1, 99999), r.randrange(1, 80), r.choice(pids)
            tile = r.random() < 0.2
            text = name % size if '%' in name else name
            device_rows.append((number, 'Tile #1: ' * tile + text, begin, took, pid, tile))
            copied = size if category != 'kernel' and '%' in name else None
            delay = (begin - at - dur) * 1000 if recorded else None
            work.append((pids.index(pid), plain, category, took * 1000, copied, delay))
            begin += took + r.randrange(0, 9)
        if recorded:
            event(ph='X', **host, name=call, cat='cpu_op', ts=at, dur=dur, id=0)
            for number in ids:
                arrow('s', 'H2D', number, **host, ts=at)
        for number, text, start, took, pid, tile in device_rows:
            place = {'tid': pid, 'pid': pid}
            args = {'id': str(number)}
            event(ph='X', **place, name=text, cat='gpu_op', ts=start, dur=took, args=args)
            if not tile:
                arrow('t', 'H2D', number, **place, ts=start)
                arrow('s', 'D2H', number, **place, ts=start)
        if r.random() < 0.5:
            wait = begin - at
            event(
                ph='X', **host, name='zeCommandQueueSynchronize', cat='cpu_op',
                ts=at + dur, dur=wait, id=0,
            )  # fmt: skip
            for number in ids:
                arrow('t', 'D2H', number, **host, ts=at + dur)
        event(ph='R', **host, name='mark', cat='cpu_op', ts=at + dur, id=0)
    return '{ "traceEvents":[\n' + ',\n'.join(lines) + '\n]\n}\n', work
