# SPDX-License-Identifier: Apache-2.0
"""gputrace.py - small traces as PyTorch's profiler writes them, whose every time is known: steps on
a host that launch kernels on one stream of a GPU."""

import json
import random

from harness import write

LAUNCH, GAP = 4, 2  # us of an operator around its launch, and between operators


class Trace:
    """calls: (kernel, operator, us) in the order of launches, the same in every step."""

    def __init__(self, calls, steps=4, noise=0.01, seed=1, gap=GAP, annotated=True, linked=True):
        self.events, self.pick, self.noise = [], random.Random(seed), noise
        self.linked, self.annotated, self.correlation = linked, annotated, 0
        self.now = self.free = 100.0
        self.gap = gap
        self.label(1, 'python'), self.label(0, 'python', 'GPU 0')
        for number in range(steps):
            self.step(number, calls)

    def label(self, pid, name, labels='CPU'):
        for key, value in (
            ('process_name', {'name': name}),
            ('process_labels', {'labels': labels}),
        ):
            self.events.append({'ph': 'M', 'pid': pid, 'tid': 0, 'name': key, 'args': value})
        if labels != 'CPU':
            self.events.append(
                {
                    'ph': 'M',
                    'pid': pid,
                    'tid': 7,
                    'name': 'thread_name',
                    'args': {'name': 'stream 7 '},
                }
            )

    def span(self, cat, name, first, end, pid=1, tid=10, **args):
        self.events.append(
            {
                'ph': 'X',
                'cat': cat,
                'name': name,
                'pid': pid,
                'tid': tid,
                'ts': round(first, 3),
                'dur': round(end - first, 3),
                'args': args,
            }
        )

    def step(self, number, calls):
        begin = self.now
        for kernel, operator, length in calls:
            self.call(kernel, operator, length * (1 + self.pick.gauss(0, self.noise)))
        self.now = max(self.now, self.free) + 5
        if self.annotated:
            self.span('user_annotation', f'ProfilerStep#{number}', begin, self.now)

    def call(self, kernel, operator, length):
        self.correlation += 1
        at = self.now
        if self.linked:
            self.span('cpu_op', operator, at, at + LAUNCH)
            self.span(
                'cuda_runtime', 'cudaLaunchKernel', at + 1, at + 3, correlation=self.correlation
            )
        begin = max(self.free, at + 5)
        self.free = begin + max(length, 0.001)
        category = 'gpu_memcpy' if kernel.startswith('Memcpy') else 'kernel'
        self.span(
            category,
            kernel,
            begin,
            self.free,
            pid=0,
            tid=7,
            device=0,
            stream=7,
            correlation=self.correlation,
        )
        self.now = at + LAUNCH + self.gap

    def save(self, name):
        return write(name, json.dumps({'traceEvents': self.events}))
