# SPDX-License-Identifier: Apache-2.0
"""ascend_json_make.py - trace_view.json as torch_npu writes it, drawn from a seed, with what was
drawn: layers of one device as processes, parts of collectives twice, the vendor's own track,
arrows, and rows that come before their labels.

    python3 ascend_json_make.py SEED OUT"""

import json
import random
import sys

BASE = 1736408883000000  # us of Unix time
NONE = 4294967295


class Job:
    def __init__(self, seed, calls=True):
        rand = self.rand = random.Random(seed)
        self.device, self.calls = rand.randrange(8), calls
        self.host = rand.randrange(2000000, 3000000)
        self.pid = {
            name: self.host << 10 | layer << 5 | self.device
            for layer, name in enumerate(
                ('CANN', 'Ascend Hardware', 'AI Core Freq', 'HCCL', 'HBM', 'Overlap Analysis'), 10
            )
        }
        self.events, self.n, self.at = [], 0, 0
        self.compute, self.collectives, self.copies, self.waits, self.launches = [], [], [], [], []
        self.computing, self.tasks, self.steps = [], [], []  # what the split of steps rests on: ps
        for step in range(3):
            self.step(step)
        rand.shuffle(self.events)
        self.labels()

    def ps(self, most):
        return self.rand.randrange(1, most) * 1000000 + self.rand.randrange(1000) * 1000

    def span(self, name, pid, tid, start, length, args=None, **more):
        """Starts have three digits as text, durations up to half a picosecond."""
        self.events.append(
            {
                'ph': 'X',
                'name': name,
                'pid': pid,
                'tid': tid,
                'ts': self.text_us(start),
                'dur': length / 1000000,
                'args': args or {},
                **more,
            }
        )

    @staticmethod
    def text_us(ps):
        return f'{BASE + ps // 1000000}.{ps // 1000 % 1000:03d}'

    def arrow(self, phase, cat, name, number, pid, tid, at):
        self.events.append(
            {
                'ph': phase,
                'cat': cat,
                'name': name,
                'id': number,
                'pid': pid,
                'tid': tid,
                'ts': self.text_us(at),
            }
        )

    def step(self, number):
        begin = self.at
        for _ in range(self.rand.randint(4, 9)):
            self.work(number)
        self.at += self.ps(30)
        self.steps.append((number, begin, self.at))
        self.span(
            f'ProfilerStep#{number}', self.host, self.host, begin, self.at - begin, cat='cpu_op'
        )

    def work(self, step):
        """An operator around two others, the call that launches within one of them, and what it
        launches."""
        rand, host = self.rand, self.host
        self.n += 1
        connection, begin, hardware = (
            900 + self.n,
            self.at + self.ps(20),
            self.pid['Ascend Hardware'],
        )
        launch = begin + 3000000 + self.rand.randrange(1000) * 1000
        inner, end = f'aclnnOp{rand.randrange(5)}', begin + 90000000
        self.at = end + 5000000
        self.span(
            'aten::outer', host, host, begin, end - begin, cat='cpu_op', args={'Fwd thread id': 0}
        )
        self.span(
            inner, host, host, begin + 1000000, 60000000, cat='cpu_op', args={'Fwd thread id': 0}
        )
        self.span(
            'aten::over',
            host,
            host,
            begin + 1200000,
            300000,
            cat='cpu_op',
            args={'Fwd thread id': 0},
        )  # before the launch
        self.span(
            'train.py(7): forward', host, host, begin + 2000000, 50000000, cat='python_function'
        )  # innermost around the launch, and no operator
        if self.calls:
            self.span(
                'Node@launch',
                self.pid['CANN'],
                host,
                launch,
                2000000,
                {'level': 'node', 'connection_id': connection},
            )
            self.span(
                'AscendCL@launch',
                self.pid['CANN'],
                host,
                launch - 500000,
                4000000,
                {'level': 'acl', 'connection_id': connection},
            )
        start, length = launch + self.ps(40), self.ps(50)
        kind = rand.choice(('AI_CORE', 'AI_VECTOR_CORE', 'MIX_AIV', 'collective', 'copy', 'wait'))
        pid, stream = hardware, rand.choice((2, 3))
        args = {
            'Task Type': kind,
            'Physic Stream Id': stream,
            'Task Id': self.n,
            'Subtask Id': NONE,
            'connection_id': connection,
        }
        tell = (length, str(connection), str(step))
        if kind == 'collective':
            pid, stream = self.pid['HCCL'], 0
            name = f'hcom_allReduce__586_{self.n}_1'
            self.collectives.append((name, *tell, inner, '..586', str(self.n), '4096', 'BFloat16'))
            self.span(
                name,
                pid,
                0,
                start,
                length,
                {'connection_id': connection, 'data_type': 'BFP16', 'count': 4096},
            )
            for part in range(2):  # twice: on a stream and on a plane
                self.span(
                    'SDMA',
                    hardware,
                    4,
                    start + part * 1000,
                    length // 3,
                    {
                        **args,
                        'Task Type': ('SDMA', 'MEMCPY_ASYNC')[part],
                        'Physic Stream Id': 4,
                        'Subtask Id': part,
                    },
                )
                self.span(
                    'Memcpy',
                    pid,
                    1,
                    start + part * 1000,
                    length // 3,
                    {'task type': 'Memcpy', 'stream id': 4, 'task id': self.n, 'context id': part},
                )
        elif kind == 'copy':
            self.copies.append(('MEMCPY_ASYNC', *tell))
            self.span(
                'MEMCPY_ASYNC', pid, stream, start, length, {**args, 'Task Type': 'PCIE_DMA_SQE'}
            )
        elif kind == 'wait':
            self.waits.append(('EVENT_WAIT', length))
            self.span(
                'EVENT_WAIT', pid, stream, start, length, {**args, 'Task Type': 'EVENT_WAIT_SQE'}
            )
        else:
            engine = {'AI_CORE': 'cube', 'AI_VECTOR_CORE': 'vector', 'MIX_AIV': 'mix'}[kind]
            self.compute.append((f'kernel{self.n % 4}', *tell, inner, engine, f'Stream {stream}'))
            self.span(f'kernel{self.n % 4}', pid, stream, start, length, args)
            self.span('Computing', self.pid['Overlap Analysis'], 0, start, length)
            self.computing.append((start, length))
        self.tasks.append((begin + 2000000, start, start + length))
        if kind != 'wait' or self.calls:
            self.launches.append(connection)
        number = str(connection << 32 | 7)
        self.arrow(
            's', 'HostToDevice', f'HostToDevice{number}', number, self.pid['CANN'], host, launch
        )
        self.arrow('f', 'HostToDevice', f'HostToDevice{number}', number, pid, stream, start)
        self.arrow('s', 'async_npu', 'torch_to_npu', BASE + self.n, host, host, begin + 2000000)
        self.arrow('f', 'async_npu', 'torch_to_npu', BASE + self.n, pid, stream, start)

    def split(self):
        """Of each step: number, begin, end, and from when to when its window goes."""
        for number, begin, end in self.steps:
            mine = [task for task in self.tasks if begin <= task[0] <= end]
            last = max(launch for launch, _, _ in mine)
            yield number, begin, end, (
                min(start for _, start, _ in mine),
                max(stop for launch, _, stop in mine if launch == last),
            )

    def labels(self):
        """Behind the rows, as torch_npu writes them."""

        def meta(name, pid, tid, args):
            self.events.append({'ph': 'M', 'name': name, 'pid': pid, 'tid': tid, 'args': args})

        label = f'NPU {self.device}' if self.rand.random() < 0.5 else 'NPU'
        for name, pid in (('Python', self.host), *self.pid.items()):
            meta('process_name', pid, 0, {'name': name})
            meta(
                'process_labels', pid, 0, {'labels': 'CPU' if name in ('Python', 'CANN') else label}
            )
        for stream in (2, 3, 4):
            meta('thread_name', self.pid['Ascend Hardware'], stream, {'name': f'Stream {stream}'})
        meta('thread_name', self.pid['HCCL'], 0, {'name': 'Group 0 Communication'})
        meta('thread_name', self.pid['HCCL'], 1, {'name': 'Plane 0'})
        for pid in (self.host, self.pid['CANN']):
            meta('thread_name', pid, self.host, {'name': f'Thread {self.host}'})
        self.events.append(
            {
                'ph': 'C',
                'name': 'AI Core Freq',
                'pid': self.pid['AI Core Freq'],
                'tid': 0,
                'ts': self.text_us(0),
                'args': {'MHz': 1800},
            }
        )

    def text(self):
        return json.dumps(self.events)


if __name__ == '__main__':
    with open(sys.argv[2], 'w', encoding='utf-8') as out:
        out.write(Job(int(sys.argv[1])).text())
