# SPDX-License-Identifier: Apache-2.0
"""perfetto_make.py - Perfetto traces as their producers write them, drawn from a seed, with the
rows that must come out. Numbers of fields: google/perfetto, protos/perfetto/trace.

    python3 perfetto_make.py STYLE SEED OUT
"""

import random
import struct
import sys
import zlib

BOOT, MONOTONIC, UNIX = 6, 3, 1
SECOND = 10**9


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field, value):
    return varint(field << 3) + varint(value)


def fixed(field, value):
    return varint(field << 3 | 1) + struct.pack('<Q', value & (1 << 64) - 1)


def double(field, value):
    return varint(field << 3 | 1) + struct.pack('<d', value)


def message(field, *parts):
    body = b''.join(part.encode() if isinstance(part, str) else part for part in parts)
    return varint(field << 3 | 2) + varint(len(body)) + body


def wide(field, *parts):
    """A message whose length takes four bytes, as Perfetto's library writes it."""
    body = b''.join(parts)
    n = len(body)
    return (
        varint(field << 3 | 2)
        + bytes([n & 127 | 128, n >> 7 & 127 | 128, n >> 14 & 127 | 128, n >> 21])
        + body
    )


def arg(name, value):
    """An annotation; name: text, or the number that it is interned as."""
    return message(4, number(1, name) if isinstance(name, int) else message(10, name), typed(value))


def typed(value):
    if isinstance(value, bool):
        return number(2, value)
    if isinstance(value, int):
        return number(3, value) if value >> 63 == 1 else number(4, value)
    if isinstance(value, float):
        return double(5, value)
    if isinstance(value, dict):
        return b''.join(message(11, message(10, k), typed(v)) for k, v in value.items())
    if isinstance(value, list):
        return b''.join(message(12, typed(v)) for v in value)
    return message(6, value)


class Trace:
    """Packets, and the rows that they hold: (kind, track, name, category, start ns, duration ns or
    None), and a counter's value in place of its duration."""

    def __init__(self, seed):
        self.random, self.out, self.rows, self.arrows, self.args = (
            random.Random(seed),
            [],
            [],
            0,
            [],
        )

    def packet(self, *parts):
        self.out.append(message(1, *parts))

    def span(self, track, name, start, duration, category='', args=None):
        self.rows.append(('span', track, name, category, start, duration))
        if args:
            self.args.append(args)

    def row(self, kind, track, name, start, value=None, category=''):
        self.rows.append((kind, track, name, category, start, value))

    def process(self, uuid, pid, name, sequence=0):
        self.packet(
            message(60, number(1, uuid), message(3, number(1, pid), message(6, name))),
            number(10, sequence) if sequence else b'',
        )

    def thread(self, uuid, parent, pid, tid, name, sequence=0):
        self.packet(
            message(
                60,
                number(1, uuid),
                number(5, parent),
                message(4, number(1, pid), number(2, tid), message(5, name)),
            ),
            number(10, sequence) if sequence else b'',
        )

    def bytes(self):
        return b''.join(self.out)


def pytorch(seed):
    """The first form of PyTorch: kernels are track events; n begins, then their n ends, in the
    order of begins."""
    t = Trace(seed)
    r, base = t.random, 7 * SECOND
    t.process(1, 4000, 'python')
    t.thread(2, 1, 4000, 4001, 'main')
    t.process(3, 0, 'GPU 0')
    t.thread(4, 3, 0, 7, 'stream 7')
    t.packet(number(10, 1), number(13, 1))
    now, call, halves = base, 0, {'host': [], 'device': []}
    free = now
    for step in range(3):
        begin = now
        for _ in range(r.randint(3, 8)):
            now += r.randint(100, 900)
            call += 1
            end = now + r.randint(300, 2000)
            halves['host'].append(
                (now, end, 2, 'cudaLaunchKernel', {'cbid': 211, 'correlation': call})
            )
            free = max(free, end)  # kernels touch: an end is the next begin
            copies = r.random() < 0.2
            args = {'device': 0, 'stream': 7, 'correlation': call, 'grid': [r.randint(1, 99), 1, 1]}
            if copies:
                args = {
                    'device': 0,
                    'stream': 7,
                    'correlation': call,
                    'copy kind': 'HtoD',
                    'bytes': r.randint(1, 1 << 20),
                }
            last = free + r.randint(1000, 9000)
            halves['device'].append(
                (
                    free,
                    last,
                    4,
                    'Memcpy HtoD'
                    if copies
                    else r.choice(['gemm', 'relu', 'ncclDevKernel_AllReduce']),
                    args,
                )
            )
            free, now = last, end
        now += r.randint(10, 500)
        halves['host'].append((begin, now, 2, f'ProfilerStep#{step}', {'External id': 1}))
        now += r.randint(10, 900)
    labels = {2: ('python 4000', 'main'), 4: ('GPU 0', 'stream 7')}
    for which, spans in halves.items():
        for start, _, track, name, args in spans:
            flow = fixed(47, args['correlation']) if 'correlation' in args else b''
            t.packet(
                number(8, start),
                number(10, 1),
                number(13, 2),
                message(
                    11,
                    number(9, 1),
                    number(11, track),
                    message(23, name),
                    flow,
                    *(arg(k, v) for k, v in args.items()),
                ),
            )
        for start, end, track, name, args in spans:
            t.packet(number(8, end), number(10, 1), message(11, number(9, 2), number(11, track)))
            category = (
                'gpu_memcpy'
                if 'copy kind' in args
                else 'kernel'
                if which == 'device'
                else 'cuda_runtime'
                if 'cbid' in args
                else ''
            )
            t.span(labels[track], name, start, end - start, category, args)
    t.arrows = call
    return t


def stages(seed, name='Channel #{}', holds=False):
    """Work of GPUs as render stages, calls that say which work they submit, counters that look
    back, or hold from their own moment on."""
    t = Trace(seed)
    r, base = t.random, 1764288000 * SECOND
    t.packet(
        number(10, 1),
        message(
            6,
            message(1, number(1, BOOT), number(2, base)),
            message(1, number(1, UNIX), number(2, base)),
        ),
    )
    t.process(1, 50, 'python')
    t.thread(2, 1, 50, 51, 'main')
    names, queues = ['gemm', 'softmax', 'ncclKernel'], [(0, 7), (1, 7), (1, 20)]
    texts = [
        message(24, number(1, 1), message(2, 'Kernel'), number(4, 2)),
        message(24, number(1, 2), message(2, 'Memcpy')),
    ]
    texts += [
        message(24, number(1, 100 + i), message(2, name.format(i))) for i in range(len(queues))
    ]
    texts += [message(2, number(1, i + 1), message(2, name)) for i, name in enumerate(names)]
    texts += [
        message(1, number(1, 1), message(2, 'cuda_runtime')),
        message(1001, number(1, 9), message(2, 'registers_per_thread')),
    ]
    texts += [
        message(
            1000,
            number(1, 1 << 60),
            message(3, 'gemm(int)'),
            message(5, number(1, 9), number(4, 40)),
        )
    ]
    texts += [
        message(
            47,
            number(1, gpu + 1),
            number(3, gpu),
            message(
                2,
                message(1, number(1, 5), message(2, 'SM active'), number(7, 37)),
                message(1, number(1, 6), message(2, 'Power'), number(7, 29), number(11, 2)),
            ),
        )
        for gpu in range(2)
    ]
    t.packet(number(10, 1), number(13, 1), message(12, *texts))
    now, event, free = base + 1000, 0, {}
    for _ in range(r.randint(20, 40)):
        now += r.randint(100, 3000)
        end = now + r.randint(500, 4000)
        event += 1
        which = r.randrange(len(queues))
        gpu, stream = queues[which]
        t.packet(
            number(8, now),
            number(10, 1),
            number(13, 2),
            message(
                11,
                number(9, 1),
                number(11, 2),
                message(23, 'cudaLaunchKernel'),
                number(3, 1),
                message(3000, number(1, event)),
            ),
        )
        t.packet(number(8, end), number(10, 1), message(11, number(9, 2), number(11, 2)))
        t.span(('python 50', 'main'), 'cudaLaunchKernel', now, end - now, 'cuda_runtime')
        start = max(free.get(which, 0), end + r.randint(100, 3000))
        lasts = r.randint(100, 20000)
        free[which] = start + lasts
        copies = r.random() < 0.2
        what = r.randrange(len(names))
        body = [
            number(1, event),
            number(2, lasts),
            number(11, gpu),
            number(13, 100 + which),
            number(14, 2 if copies else 1),
        ]
        args = {}
        if stream == 7:
            args = {'stream id': '7', 'correlation': str(event)}
            body += [message(6, message(1, k), message(2, v)) for k, v in args.items()]
        if not copies:
            body += [
                number(20, what + 1),
                number(19, 1 << 60),
                message(21, message(1, number(1, 80), number(2, 2), number(3, 1))),
            ]
            args.update(
                {
                    'kernel_demangled_name': 'gemm(int)',
                    'registers_per_thread': 40,
                    'grid': [80, 2, 1],
                }
            )
        if event > 1 and r.random() < 0.2:
            body.append(number(18, event - 1))
            t.arrows += 1
        t.arrows += 1
        t.packet(number(8, start), number(10, 1), number(13, 2), message(53, *body))
        t.span(
            (f'GPU {gpu}', 'stream 7' if stream == 7 else name.format(which)),
            'Memcpy' if copies else names[what],
            start,
            lasts,
            'gpu_memcpy' if copies else 'kernel',
            args or None,
        )
        now = end
    for gpu in range(2):
        before = None
        for k in range(10):
            at, busy, watts = base + 2000 * k, r.randint(0, 100), r.random() * 700
            t.packet(
                number(8, at),
                number(10, 1),
                number(13, 2),
                message(
                    52,
                    number(4, gpu + 1),
                    message(2, number(1, 5), number(2, busy)),
                    message(2, number(1, 6), double(3, watts)),
                ),
            )
            if holds:
                t.row('counter', f'GPU {gpu}', 'SM active', at, float(busy))
            elif before is not None:
                t.row('counter', f'GPU {gpu}', 'SM active', before, float(busy))
            t.row('counter', f'GPU {gpu}', 'Power', at, watts)
            before = at
        if not holds:
            t.row('counter', f'GPU {gpu}', 'SM active', before, 0.0)
    return t


def pytorch_queues(seed):
    """PyTorch says its samples when it takes them, and is known by the names of its queues."""
    return stages(seed, '[0{}] stream 9', True)


def library(seed):
    """As Perfetto's library writes: a clock whose readings add up, texts interned at first use and
    forgotten again."""
    t = Trace(seed)
    r, base = t.random, 90_000 * SECOND
    t.packet(
        number(10, 1),
        message(
            6,
            *(
                message(1, number(1, clock), number(2, ns))
                for clock, ns in (
                    (BOOT, base),
                    (MONOTONIC, base - 700),
                    (UNIX, 1764288000 * SECOND + 5),
                )
            ),
        ),
    )
    t.process(1, 9, '/usr/bin/app', 3)
    t.thread(2, 1, 9, 10, 'worker', 3)
    t.packet(
        message(
            60,
            number(1, 3),
            number(5, 1),
            message(2, 'bytes'),
            message(8, number(3, 3), number(4, 1024)),
        )
    )
    t.packet(
        message(60, number(1, 4), number(5, 1), message(2, 'events'), message(8, number(5, 1)))
    )
    t.packet(message(60, number(1, 5), number(5, 1), message(2, 'async work')))
    now, names, last, total = base, {}, base, 0

    def clear():
        nonlocal last, total
        names.clear()
        last, total = now, 0  # what adds up begins anew, too
        t.out.append(
            wide(
                1,
                number(10, 3),
                number(13, 1),
                wide(59, number(58, 64), message(11, number(11, 2))),
                wide(
                    6,
                    message(1, number(1, BOOT), number(2, now)),
                    message(1, number(1, 64), number(2, now), number(3, 1)),
                ),
            )
        )

    def event(kind, at, *fields, name=None, category=None):
        nonlocal last
        new = []
        for text, field, table in ((category, 3, 1), (name, 10, 2)):
            if text and (table, text) not in names:
                names[table, text] = len(names) + 1
                new.append(message(table, number(1, names[table, text]), message(2, text)))
            if text:
                fields += (number(field, names[table, text]),)
        time = number(8, at - last) if at >= last else number(8, at) + number(58, BOOT)
        last = max(at, last)
        t.out.append(
            wide(
                1,
                time,
                number(10, 3),
                number(13, 2),
                wide(11, number(9, kind), *fields),
                wide(12, *new) if new else b'',
            )
        )

    clear()
    worker, process = ('app 9', 'worker'), 'app 9'
    for i in range(r.randint(30, 60)):
        if r.random() < 0.1:
            clear()
        now += r.randint(1, 5000)
        start, name, args = (
            now,
            r.choice(['load', 'parse', 'é∂']),
            {'n': r.randint(-5, 1 << 62), 'ok': bool(i % 2)},
        )
        event(
            1,
            start,
            fixed(47, i + 1),
            *(arg(k, v) for k, v in args.items()),
            name=name,
            category='app',
        )
        inner = now + r.randint(1, 50)
        event(1, inner, name='inner')
        now = inner + r.randint(1, 900)
        event(2, now)
        t.span(worker, 'inner', inner, now - inner)
        now += r.randint(0, 40)
        event(2, now)
        t.span(worker, name, start, now - start, 'app', args)
        event(3, now, number(11, 5), fixed(48, i + 1), name='done')
        t.row('instant', ('app 9', 'async work'), 'done', now)
        value = r.randint(0, 1000)
        event(4, now, number(11, 3), number(30, value))
        t.row('counter', process, 'bytes', now, value * 1024.0)
        total += value
        event(4, now, number(11, 4), number(30, value))
        t.row('counter', process, 'events', now, float(total))
        t.arrows += 1
    # packets were dropped: what needs the state is no row until it is cleared
    t.packet(
        number(8, 5),
        number(10, 3),
        number(13, 2),
        number(42, 1),
        message(11, number(9, 3), number(10, 1)),
    )
    t.row('gap', '', 'lost packets of sequence 3', last)
    clear()
    event(3, now, name='after')
    t.row('instant', worker, 'after', now)
    return t


def rocm(seed):
    """ROCm's profilers: a begin says begin_ns and end_ns; copies overlap, and ends are lost."""
    t = Trace(seed)
    r, base = t.random, 500 * SECOND
    t.packet(
        number(10, 1),
        message(
            6,
            message(1, number(1, BOOT), number(2, base)),
            message(1, number(1, UNIX), number(2, base + 1764288000 * SECOND)),
        ),
    )
    t.process(1, 77, 'train')
    t.thread(2, 1, 77, 78, 'main')
    t.packet(message(60, number(1, 3), number(5, 1), message(2, 'STREAM [ 1 ]')))
    t.packet(
        message(60, number(1, 4), number(5, 1), message(2, 'COPY to AGENT [1] THREAD [0] (GPU)'))
    )
    keys = ['begin_ns', 'end_ns', 'corr_id', 'agent', 'dst_agent', 'copy_bytes']
    t.packet(
        number(10, 1),
        number(13, 1),
        message(
            12,
            *(message(3, number(1, i + 1), message(2, key)) for i, key in enumerate(keys)),
            *(
                message(1, number(1, i + 1), message(2, c))
                for i, c in enumerate(('hip_api', 'kernel_dispatch', 'memory_copy'))
            ),
        ),
    )
    now, halves = base, []
    for call in range(1, r.randint(30, 50)):
        now += r.randint(100, 900)
        end = now + r.randint(200, 2000)
        halves.append((now, end, 2, 'hipLaunchKernel', 1, {'corr_id': call}))
        start = end + r.randint(0, 4000)
        if r.random() < 0.4:  # copies of a track overlap
            halves.append(
                (
                    start,
                    start + r.randint(100, 9000),
                    4,
                    'MEMORY_COPY_HOST_TO_DEVICE',
                    3,
                    {'corr_id': call, 'dst_agent': 'GPU-1', 'copy_bytes': r.randint(1, 9999)},
                )
            )
        else:
            halves.append(
                (
                    start,
                    start + r.randint(100, 9000),
                    3,
                    'rmsnorm',
                    2,
                    {'corr_id': call, 'agent': 'GPU-1'},
                )
            )
        now = end
    labels = {
        2: ('train 77', 'main'),
        3: ('GPU 1', 'STREAM [ 1 ]'),
        4: ('GPU 1', 'COPY to AGENT [1] THREAD [0] (GPU)'),
    }
    for start, end, track, name, category, args in halves:
        said = {'begin_ns': start, 'end_ns': end, **args}
        t.packet(
            number(8, start),
            number(10, 1),
            number(13, 2),
            message(
                11,
                number(9, 1),
                number(11, track),
                message(23, name),
                number(3, category),
                *(arg(keys.index(k) + 1, v) for k, v in said.items()),
            ),
        )
        if r.random() > 0.1:
            t.packet(number(8, end), number(10, 1), message(11, number(9, 2), number(11, track)))
        t.span(
            labels[track],
            name,
            start,
            end - start,
            ('', 'hip_api', 'kernel_dispatch', 'memory_copy')[category],
            said,
        )
    return t


def odd(seed):
    """What is legal and rare: packets in packets, states, ends that name what they end, phases of
    trace-event JSON, lists in args, fields of another day."""
    t = Trace(seed)
    r, base = t.random, 3 * SECOND
    t.process(1, 5, 'p')
    t.thread(2, 1, 5, 6, 't')
    t.packet(message(60, number(1, 7), number(5, 1), message(2, 'lane')))
    t.packet(message(60, number(1, 8), number(5, 1), message(2, 'mode')))
    t.packet(number(10, 1), number(13, 1), message(999, b'new'), number(998, 3))
    t.out += [message(1), number(7, 1), message(8, b'another field')]
    inner = []
    for i in range(10):
        start = base + 1000 * i
        args = {'u': (1 << 63) + i, 'list': [1, {'a': 'b', 'c': [2.5]}], 'text': '"\\\n'}
        inner.append(
            message(
                1,
                number(8, start),
                number(10, 1),
                message(
                    11,
                    number(9, 1),
                    number(11, 7),
                    message(23, f'wait {i}'),
                    *(arg(k, v) for k, v in args.items()),
                ),
            )
        )
        inner.append(
            message(
                1,
                number(8, start + 60),
                number(10, 1),
                message(11, number(9, 2), number(11, 7), arg('at end', i)),
            )
        )
        t.span(('p 5', 'lane'), f'wait {i}', start, 60, '', args)
        t.args.append({'at end': i})
    t.packet(message(50, zlib.compress(b''.join(inner))))
    for kind, name, at in ((1, 'outer', 0), (1, 'inner', 10), (2, 'outer', 20), (2, 'inner', 30)):
        t.packet(
            number(8, base + 20000 + at),
            number(10, 1),
            message(11, number(9, kind), number(11, 2), message(23, name)),
        )
    t.span(('p 5', 't'), 'outer', base + 20000, 20)
    t.span(('p 5', 't'), 'inner', base + 20010, 20)
    for depth, kind in enumerate(
        (1, 1, 1, 2, 2, 2)
    ):  # a stack, though three begins come before three ends
        t.packet(
            number(8, base + 30000 + 10 * depth),
            number(10, 1),
            message(
                11,
                number(9, kind),
                number(11, 2),
                message(23, f'nest {depth}') if kind == 1 else b'',
            ),
        )
    for depth in range(3):
        t.span(('p 5', 't'), f'nest {depth}', base + 30000 + 10 * depth, 10 * (5 - 2 * depth))
    t.packet(
        number(8, base + 40000),
        number(10, 1),
        message(11, number(9, 1), number(11, 2), message(23, 'never ends')),
    )
    t.span(('p 5', 't'), 'never ends', base + 40000, None)
    for k, name in enumerate(('idle', 'busy', None, 'idle')):
        t.packet(
            number(8, base + 100 * k),
            number(10, 1),
            message(11, number(9, 5), number(11, 8), message(23, name) if name else b''),
        )
        if name:
            t.span(('p 5', 'mode'), name, base + 100 * k, 100 if k < 3 else None)
    t.packet(number(10, 2), message(44, number(1, 5), number(2, 66), number(6, base // 1000)))
    at = base
    for _ in range(r.randint(3, 6)):
        at += 7000
        t.packet(
            number(10, 2),
            message(
                11,
                number(1, 7),
                message(23, 'old X'),
                message(6, number(2, ord('X')), number(3, 4)),
            ),
        )
        t.span(('p 5', 'thread 66'), 'old X', at, 4000)
    t.packet(
        number(10, 2),
        message(
            11,
            number(1, 1),
            message(22, 'net'),
            message(23, 'get'),
            message(6, number(2, ord('b')), number(6, 9)),
        ),
    )
    t.packet(
        number(10, 2),
        message(
            11,
            number(1, 1),
            message(22, 'net'),
            message(23, 'get'),
            message(6, number(2, ord('e')), number(6, 9)),
        ),
    )
    t.span(('', 'net'), 'get', at + 1000, 1000, 'net')
    return t


REBELLIONS = {
    'Neural Engine Clusters': 'compute',
    'General Compute Engine': 'compute',
    'Neural DMA': 'copy',
    'Task DMA': 'copy',
    'Device HDMA': 'copy',
    'External HDMA': 'transfer',
    'Device Sync': 'wait',
}


def rebellions(seed, track=str, category=str):
    """The profiler of Rebellions' NPUs, by its guide: an engine for each command, in chiplets where
    the seed is odd; rows have the name of their engine as category, arrows are dependencies.  track,
    category: what another producer calls them."""
    t = Trace(seed)
    r, now, chiplets = t.random, 10_000, ['', 'Chiplet 0', 'Chiplet 1'] if seed % 2 else ['']
    t.packet(number(10, 1), number(13, 1))
    t.process(1, 1, 'Host')
    t.thread(2, 1, 1, 1, 'Host')
    t.process(3, 2, 'Device')
    t.thread(4, 3, 2, 2, 'Device Workload')
    lanes = []
    for i, chiplet in enumerate(chiplets[-2:]):
        if chiplet:
            t.packet(message(60, number(1, 100 + i), number(5, 3), message(2, chiplet)))
        for j, command in enumerate(REBELLIONS):
            uuid = 10 + 10 * i + j
            if chiplet:
                named = message(2, track(command))
                t.packet(message(60, number(1, uuid), number(5, 100 + i), named))
            else:
                t.thread(uuid, 3, 2, uuid, track(command))
            lanes.append((uuid, command))

    def span(uuid, place, name, start, end, kind, *flows):
        named = message(23, name), message(22, kind)
        t.packet(
            number(8, start),
            number(10, 1),
            message(11, number(9, 1), number(11, uuid), *named, *flows),
        )
        t.packet(number(8, end), number(10, 1), message(11, number(9, 2), number(11, uuid)))
        t.span(place, name, start, end - start, kind)

    for sequence in range(4):
        begin, free, flow, before = now, {}, 0, 0
        span(2, ('Host 1', 'Host'), f'{sequence}_cast_0', now, now + 500, category('Host'))
        for i in range(r.randint(20, 40)):
            uuid, command = r.choice(lanes)
            now += r.randint(10, 3000)
            start = max(now, free.get(uuid, 0))
            waits = bool(flow) and before < start
            free[uuid] = start + r.randint(100, 9000)
            span(
                uuid,
                ('Device 2', track(command)),
                f'{sequence}_W{sequence}_fused(matmul+add)_{i}',
                start,
                free[uuid],
                category(command),
                fixed(47, 1000 * sequence + i + 1),
                fixed(48, flow) if waits else b'',
            )
            t.arrows += waits
            flow, before = 1000 * sequence + i + 1, start
        now = max(free.values()) + r.randint(100, 900)
        name = f'{sequence}_model'
        span(4, ('Device 2', 'Device Workload'), name, begin, now, category('Device Workload'))
        now += r.randint(1000, 9000)
    return t


STYLES = {
    'pytorch': pytorch,
    'stages': stages,
    'pytorch queues': pytorch_queues,
    'library': library,
    'rocm': rocm,
    'rebellions': rebellions,
    'odd': odd,
}

if __name__ == '__main__':
    style, seed, out = sys.argv[1:]
    with open(out, 'wb') as file:
        file.write(STYLES[style](int(seed)).bytes())
