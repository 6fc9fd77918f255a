# SPDX-License-Identifier: Apache-2.0
"""others_make.py - draws files without a timeline of spans: profiles of pprof, memory timelines of
PyTorch, and what a reader must find in them. The same seed draws the same."""

import collections
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
        self.places = [(f'fn.{k} {chr(0x3b1 + k)}', r.choice((0, 7 + k))) for k in range(9)]
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
