# SPDX-License-Identifier: Apache-2.0
"""verdicttrace.py - makes traces whose every time is known, and reads tables verdict and
verdict_parts of them."""

import csv
import io
import json

from harness import check_same, run, write

US, MS = 10**6, 10**9  # ps
GEMM = 'sm80_xmma_gemm_f16'


def picoseconds(text):
    whole, _, part = text.partition('.')
    return int(whole) * 1000 + int(part.ljust(3, '0') or 0)


def table(path, name):
    csv.field_size_limit(1 << 24)
    out = run('run', '-a', 'steps', '-s', f'csv:table={name}', '-o', '-', path).expect(0).out
    return list(csv.DictReader(io.StringIO(out)))


def parts(path, device=None):
    """{part: ps} of a device."""
    sums = {}
    for row in table(path, 'verdict_parts'):
        if device is None or row['device'] == device:
            sums[row['part']] = sums.get(row['part'], 0) + picoseconds(row['duration_ns'])
    return sums


class Trace:
    """Times in us."""

    def __init__(self):
        self.events, self.n = [], 0

    def span(self, category, name, start, end, tid=9, **args):
        self.events.append(
            {
                'ph': 'X',
                'cat': category,
                'name': name,
                'ts': start,
                'dur': end - start,
                'pid': 9,
                'tid': tid,
                'args': args,
            }
        )

    def step(self, k, start, end):
        self.span('user_annotation', f'ProfilerStep#{k}', start, end)

    def work(
        self,
        start,
        end,
        launch,
        name=GEMM,
        category='kernel',
        call='cudaLaunchKernel',
        device=0,
        stream=7,
        tid=9,
    ):
        """launch: (start, end), or None"""
        self.n += 1
        args = {'device': device, 'stream': stream, 'correlation': self.n}
        if launch:
            self.span('cuda_runtime', call, *launch, tid=tid, correlation=self.n)
        self.events.append(
            {
                'ph': 'X',
                'cat': category,
                'name': name,
                'ts': start,
                'dur': end - start,
                'pid': device,
                'tid': stream,
                'args': args,
            }
        )

    def write(self, name='a.json'):
        return write(name, json.dumps({'traceEvents': self.events}))


def one(path):
    rows = table(path, 'verdict')
    check_same(len(rows), 1, 'rows')
    return rows[0]


def loop(body, n=6, length=1000, busy=400, prepare=None):
    """Steps of `length` us: the host spends body(trace, start, end) before it launches `busy` us of
    products."""
    t = Trace()
    if prepare:
        prepare(t)
    for k in range(n):
        a = 1000 + length * k
        t.step(k, a, a + length)
        launched = a + length - busy - 10
        body(t, a, launched - 5)
        for i in range(4):
            t.work(
                launched + 10 + i * busy / 4,
                launched + 10 + (i + 1) * busy / 4,
                (launched + i, launched + i + 1),
            )
    return t.write()
