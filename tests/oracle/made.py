# SPDX-License-Identifier: Apache-2.0
"""made.py - profiles as PyTorch writes them, made at random: steps or none, threads that launch,
streams on which work overlaps, work without length or without its launch, work that seems to begin
before it, several GPUs and processes, modules, shapes, memory; events in any order."""

import json
import random

CALLS = 'cudaLaunchKernel', 'cuLaunchKernelEx'
KERNELS = 'gemm', 'relu', 'softmax'
NCCL = 'ncclDevKernel_AllReduce_Sum_f32_RING_LL'
LEVELS = 4  # of spans of a thread within each other

# The first ones, and those of the first 520 by which a rule was mended: threads that stop at one
# time (105, 409), a call that waits for work behind the step (181), operators bound by the memory
# outside of steps (260) or without time (476), launches at one time (462), one whose work begins
# behind the step (359), a row at the end of the recording (475), a name of a module that is
# shortened (415), a step that is short beside one of another process (280), two GPUs whose steps
# are alike (364).
SEEDS = (*range(24), 105, 181, 260, 280, 359, 364, 409, 415, 462, 475, 476)


class Kineto:
    """Times are us from the start of the recording."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        r = self.random
        self.span = r.choice((120, 300, 600))
        self.processes = r.choice((1, 1, 1, 2))
        self.gpus = max(self.processes, r.choice((1, 1, 1, 2)))
        self.base = r.choice((0, 1000, 1700000000000000))
        self.shapes, self.sizes = r.random() < 0.6, r.random() < 0.6
        self.launches = self.processes > 1 or r.random() < 0.9
        self.events, self.correlation, self.free = [], 0, {}
        for number in range(self.processes):
            self.process(number)
        if r.random() < 0.5:
            r.shuffle(self.events)

    def add(self, name, cat, start, length, pid, tid, **args):
        self.events.append(
            {
                'ph': 'X',
                'name': name,
                'cat': cat,
                'ts': self.base + start,
                'dur': length,
                'pid': pid,
                'tid': tid,
                'args': args,
            }
        )

    def process(self, number):
        r, pid = self.random, 100 + number
        edges = [0, *self.steps(pid), self.span]
        for first, end in zip(edges, edges[1:]):  # what a thread does lies in one step
            self.spans(number, pid, 1, first, end, 0)
        for tid in range(2, r.randrange(2, 5)):
            self.spans(number, pid, tid, r.randrange(10), self.span, 0)
        if r.random() < 0.4:  # no work
            self.add(
                'Stream Wait Event',
                'cuda_sync',
                r.randrange(self.span),
                3,
                0,
                7,
                stream=7,
                device=0,
            )
        if r.random() < 0.5:
            self.memory(pid)

    def steps(self, pid):
        """Returns where they begin and end."""
        r = self.random
        n = r.choice((0, 1, 1, 2, 3, 5))
        at = r.randrange(self.span // 6)
        for number in range(n):
            length = r.randrange(1, max(2, self.span // (n + 1)))
            self.add(f'ProfilerStep#{number}', 'user_annotation', at, length, pid, 1)
            yield at
            yield at + length
            at += length + r.choice((0, 0, 0, r.randrange(8)))

    def spans(self, number, pid, tid, at, end, level):
        r = self.random
        while at < end:
            at += r.randrange(6)
            length = r.randrange(max(1, (end - at) // 2)) if end > at else 0
            if at + length > end or at >= end:
                return
            kind = r.random()
            if kind < 0.35 and level < LEVELS:
                self.operator(pid, tid, at, length)
                self.spans(number, pid, tid, at, at + length, level + 1)
            elif kind < 0.5 and level < LEVELS:
                name = r.choice(
                    (
                        'nn.Module: Block_0',
                        'nn.Module: SelfAttention_0',
                        'nn.Module: MLP_0',
                        'f.py(3): g',
                    )
                )
                self.add(name, 'python_function', at, length, pid, tid)
                self.spans(number, pid, tid, at, at + length, level + 1)
            elif kind < 0.9 and length:
                length = min(length, r.randrange(1, 5))
                self.launch(number, pid, tid, at, length)
            elif kind < 0.95:
                self.add('cudaDeviceSynchronize', 'cuda_runtime', at, length, pid, tid)
            at += length

    def operator(self, pid, tid, at, length):
        r, args = self.random, {}
        name = r.choice(('aten::mm', 'aten::add', 'aten::relu'))
        if self.shapes and name == 'aten::mm':
            m, k, n = (r.choice((64, 512, 4096)) for _ in range(3))
            args = {'Input Dims': [[m, k], [k, n]], 'Input type': ['c10::BFloat16'] * 2}
        self.add(name, 'cpu_op', at, length, pid, tid, **args)

    def launch(self, number, pid, tid, at, length):
        """One call in ten is not in the file, and one in ten is of a graph."""
        r = self.random
        self.correlation += 1
        if self.launches and r.random() >= 0.1:
            self.add(
                r.choice(CALLS), 'cuda_runtime', at, length, pid, tid, correlation=self.correlation
            )
        gpu = number % self.gpus if self.processes > 1 else r.randrange(self.gpus)
        for _ in range(1 if r.random() < 0.9 else r.randrange(4)):
            self.work(gpu, at, length)

    def work(self, gpu, at, length):
        r, kind, args = self.random, self.random.random(), {}
        stream = r.choice((7, 7, 7, 20, 21))
        name, cat = r.choice(KERNELS), 'kernel'
        if kind < 0.2:
            name, stream = NCCL, 20
            if self.sizes:
                args = {
                    'Collective name': 'allreduce',
                    'In msg nelems': 1000,
                    'Out msg nelems': 1000,
                    'dtype': 'Float',
                    'Group size': 4,
                }
        elif kind < 0.35:
            name, cat = 'Memcpy HtoD', 'gpu_memcpy'
        elif kind < 0.42:
            name, cat = 'Memset (Device)', 'gpu_memset'
        start = at + r.choice((0, length, length + 1, length + r.randrange(20)))
        if r.random() < 0.04:
            start = max(0, at - r.randrange(6))
        if r.random() < 0.93:
            start = max(start, self.free.get((gpu, stream), 0))
        end = start + r.choice((0, 1, r.randrange(12), r.randrange(40)))
        self.free[gpu, stream] = max(self.free.get((gpu, stream), 0), end)
        self.add(
            name,
            cat,
            start,
            end - start,
            gpu,
            stream,
            device=gpu,
            stream=stream,
            correlation=self.correlation,
            **args,
        )

    def memory(self, pid):
        """Some is freed that was allocated before the recording."""
        r, total, held = self.random, 1 << 30, []
        for i, at in enumerate(sorted(r.sample(range(self.span), r.randrange(2, 30)))):
            if held and r.random() < 0.4:
                address, size = held.pop(r.randrange(len(held)))
                size = -size
            elif r.random() < 0.1:
                address, size = 1000000 + i, -r.randrange(1, 1000)
            else:
                address, size = 4096 * (i + 1), r.randrange(1, 1 << 28)
                held.append((address, size))
            total += size
            self.events.append(
                {
                    'ph': 'i',
                    'name': '[memory]',
                    'cat': 'cpu_instant_event',
                    's': 't',
                    'ts': self.base + at,
                    'pid': pid,
                    'tid': 1,
                    'args': {
                        'Bytes': size,
                        'Addr': address,
                        'Device Type': 1,
                        'Device Id': 0,
                        'Total Allocated': total,
                        'Total Reserved': 1 << 33,
                        'Ev Idx': i,
                    },
                }
            )

    def document(self):
        devices = [{'id': i, 'name': 'NVIDIA A100-SXM4-80GB'} for i in range(self.gpus)]
        return {
            'schemaVersion': 1,
            'deviceProperties': devices,
            'traceEvents': self.events,
            'late': {'a': [1, 2]},
        }


def kineto(path, seed):
    with open(path, 'w', encoding='utf-8') as file:
        json.dump(Kineto(seed).document(), file)
    return path
