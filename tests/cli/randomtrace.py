# SPDX-License-Identifier: Apache-2.0
"""randomtrace.py - profiles made at random, with overlaps, spans without an end, counters, flows,
instants and times that are equal; and their rows, as the csv sink writes them."""

import collections
import json
import random

from harness import rows_of, run, write

NAMES = [f'{a}.{b}' for a in ('fusion', 'copy', 'all-reduce', 'matmul') for b in range(5)]
NO_NEST = ('async', 'queue')

Row = collections.namedtuple('Row', 'track kind category name start duration value')


def events_of(r):
    """Of a random shape: how dense, how nested, how many of each kind."""
    span = r.choice((200, 5_000, 100_000))
    grain = r.choice((1, 1, 0.001, 7))  # of us
    at = lambda: r.randrange(span) * grain
    for thread in range(r.randrange(1, 5)):
        who = {'pid': r.randrange(2), 'tid': thread}
        for _ in range(r.randrange(20, 160)):
            start, length = at(), r.choice((0, 1, r.randrange(20), r.randrange(span))) * grain
            yield {
                'ph': 'X',
                **who,
                'ts': start,
                'dur': length,
                'name': r.choice(NAMES),
                'cat': r.choice(('work', 'wait', '')),
            }
        for _ in range(r.randrange(4)):
            yield {'ph': 'B', **who, 'ts': at(), 'name': r.choice(NAMES), 'cat': 'open'}
        for _ in range(r.randrange(20)):
            yield {'ph': 'i', **who, 'ts': at(), 'name': r.choice(NAMES), 's': 't'}
        for number in range(r.randrange(6)):
            yield {'ph': 's', **who, 'ts': at(), 'id': number, 'name': 'flow', 'cat': 'f'}
            yield {
                'ph': 'f',
                **who,
                'ts': at(),
                'id': number,
                'name': 'flow',
                'cat': 'f',
                'bp': 'e',
            }
        for _ in range(r.randrange(60)):
            yield {
                'ph': 'C',
                **who,
                'ts': at(),
                'name': r.choice(('bytes', 'load')),
                'args': {'v': r.randrange(100)},
            }
        for number in range(r.randrange(10)):
            start = at()
            yield {
                'ph': 'b',
                **who,
                'ts': start,
                'id': f'0x{number}',
                'name': r.choice(NAMES),
                'cat': 'async',
            }
            yield {
                'ph': 'e',
                **who,
                'ts': start + r.randrange(span) * grain,
                'id': f'0x{number}',
                'name': 'ends',
                'cat': 'async',
            }


def ps(text):
    sign, text = (-1, text[1:]) if text.startswith('-') else (1, text)
    whole, _, part = text.partition('.')
    return sign * (int(whole) * 1000 + int((part + '000')[:3]))


def make(path, seed):
    events = list(events_of(random.Random(seed)))
    random.Random(seed).shuffle(events)
    write(path, json.dumps({'traceEvents': events}))


def scan(path):
    out = run('run', '-s', 'csv:table=events', '-o', '-', path).expect(0).out
    return [
        Row(
            int(r['track']),
            r['kind'],
            r['category'],
            r['name'],
            ps(r['start_ns'] or '0'),
            ps(r['duration_ns']) if r['duration_ns'] else None,
            r.get('value'),
        )
        for r in rows_of(out)
    ]


def nest(rows, tracks):
    """{row: direct children}, by containment, both ends included: of equal spans the first is the
    parent."""
    children = collections.defaultdict(list)
    for number in tracks:
        spans = [
            (r.start, -r.duration, i)
            for i, r in enumerate(rows)
            if r.track == number and r.kind == 'span' and r.duration is not None
        ]
        open_ = []
        for start, less, i in sorted(spans):
            while open_ and open_[-1][0] < start - less:
                open_.pop()
            if open_:
                children[open_[-1][1]].append(i)
            open_.append((start - less, i))
    return children


def inside(row, t0, t1):
    return max(0, min(row.start + row.duration, t1) - max(row.start, t0))


def self_time(row, children, t0, t1):
    """The ps of a row within a window in which none of its direct children runs: children that
    overlap in part take their common time once."""
    left = [(max(row.start, t0), min(row.start + row.duration, t1))]
    for child in children:
        start, end = child.start, child.start + child.duration
        left = [
            (a, b)
            for from_, to in left
            for a, b in ((from_, min(to, start)), (max(from_, end), to))
            if a < b
        ]
    return sum(max(0, b - a) for a, b in left)
