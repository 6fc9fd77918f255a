#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make-samples.py - writes share/samples/synthetic_tpu.xplane.pb: four training steps of a small
transformer on two TPU cores, with the planes, lines and stats that such profiles have.  Whole
numbers only, so that it is the same file everywhere.

usage: make-samples.py FOLDER          writes the file
       make-samples.py --check FOLDER  compares it with the one that is there
"""

import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
from xspace import line, message, number, plane, varint  # noqa: E402  pylint: disable=C0413

NAME = 'synthetic_tpu.xplane.pb'
US = 1000000  # ps
STEPS, LAYERS, CORES = 4, 3, 2
PEAK_TERAFLOPS, PEAK_GIGABYTES = 197, 819
PROGRAM = 4021507717190863421
SESSION_NS = 1735689600250000000  # 2025-01-01 00:00:00.25 UTC

STATS = [
    'device_offset_ps',
    'device_duration_ps',
    'group_id',
    'run_id',
    '_ct',
    '_c',
    '_pt',
    '_p',
    'hlo_category',
    'program_id',
    'symbol_id',
    'flops',
    'model_flops',
    'bytes_accessed',
    'shape_with_layout',
    'tf_op',
    'source',
    'device_type_string',
    'peak_teraflops_per_second',
    'peak_hbm_bw_gigabytes_per_second',
    'step_num',
    'profile_start_time',
    'profile_stop_time',
]
STAT_IDS = {name: i + 1 for i, name in enumerate(STATS)}


class Op:
    """An operator: what its metadata says, and how long one execution takes."""

    def __init__(self, name, category, shape, path, source, flops, read, percent):
        self.name, self.category, self.shape = name, category, shape
        self.path, self.source, self.flops, self.bytes = path, source, flops, read
        compute = flops * 100 // (PEAK_TERAFLOPS * percent)
        memory = read * 1000 * 100 // (PEAK_GIGABYTES * percent)
        self.duration = max(compute, memory)  # ps


def operators():
    """Those of one layer, those of the end of a step, and the loop around the layers."""
    layer = [
        Op(
            'fusion.11',
            'convolution fusion',
            'bf16[8192,3072]{1,0}',
            'layers/attention/qkv',
            'model.py:41',
            2 * 8192 * 1024 * 3072,
            2 * (8192 * 4096 + 1024 * 3072),
            64,
        ),
        Op(
            'fusion.12',
            'loop fusion',
            'bf16[8192,1024]{1,0}',
            'layers/attention/softmax',
            'model.py:47',
            8192 * 1024 * 12,
            2 * 8192 * 1024 * 5,
            71,
        ),
        Op(
            'fusion.13',
            'output fusion',
            'bf16[8192,1024]{1,0}',
            'layers/attention/out',
            'model.py:52',
            2 * 8192 * 1024 * 1024,
            2 * (8192 * 2048 + 1024 * 1024),
            58,
        ),
        Op(
            'fusion.14',
            'convolution fusion',
            'bf16[8192,4096]{1,0}',
            'layers/mlp/up',
            'model.py:60',
            2 * 8192 * 1024 * 4096,
            2 * (8192 * 5120 + 1024 * 4096),
            69,
        ),
        Op(
            'fusion.15',
            'convolution fusion',
            'bf16[8192,1024]{1,0}',
            'layers/mlp/down',
            'model.py:61',
            2 * 8192 * 4096 * 1024,
            2 * (8192 * 5120 + 4096 * 1024),
            66,
        ),
        Op(
            'copy.3',
            'copy',
            'bf16[8192,1024]{0,1}',
            'layers/transpose',
            'model.py:63',
            0,
            2 * 8192 * 1024 * 2,
            80,
        ),
    ]
    tail = [
        Op(
            'all-reduce.2',
            'all-reduce',
            'bf16[12582912]{0}',
            'gradients/psum',
            'train.py:88',
            0,
            2 * 12582912 * 4,
            55,
        ),
        Op(
            'fusion.21',
            'loop fusion',
            'f32[12582912]{0}',
            'optimizer/adam',
            'train.py:93',
            12582912 * 14,
            4 * 12582912 * 6,
            77,
        ),
    ]
    loop = Op(
        'while.1',
        'while',
        '(s32[], bf16[8192,1024]{1,0})',
        'layers/while',
        'model.py:38',
        0,
        0,
        100,
    )
    start = Op(
        'copy-start.5',
        'async-start',
        'bf16[1024,4096]{1,0}',
        'layers/mlp/prefetch',
        'model.py:60',
        0,
        2 * 1024 * 4096,
        40,
    )
    return layer, tail, loop, start


LAYER, TAIL, LOOP, PREFETCH = operators()
OPS = LAYER + TAIL + [LOOP, PREFETCH]
OP_IDS = {op.name: i + 1 for i, op in enumerate(OPS)}
MODULE_ID, STEP_ID = 90, 100  # metadata of the module, and of step 0


def stat(field, name, value):
    """A stat in field `field` of its owner; the type follows the value.  Signed: int64."""
    data = number(1, STAT_IDS[name])
    if isinstance(value, str):
        data += message(5, value)
    elif isinstance(value, float):
        data += varint(2 << 3 | 1) + struct.pack('<d', value)
    elif isinstance(value, tuple):
        data += number(3, value[0])
    else:
        data += number(4, value)
    return message(field, data)


def event(metadata, start, duration, **stats):
    data = number(1, metadata) + number(2, start) + number(3, duration)
    return message(4, data + b''.join(stat(4, name, value) for name, value in stats.items()))


def metadata(ident, name, shown='', stats=()):
    data = number(1, ident) + message(2, name) + (message(4, shown) if shown else b'')
    data += b''.join(stat(5, key, value) for key, value in stats)
    return message(4, number(1, ident) + message(2, data))


def op_metadata(op):
    text = f'%{op.name} = {op.shape} {op.category.split()[-1]}(%param.{OP_IDS[op.name]})'
    return metadata(
        OP_IDS[op.name],
        text,
        op.name,
        [
            ('hlo_category', op.category),
            ('program_id', (PROGRAM,)),
            ('symbol_id', (OP_IDS[op.name],)),
            ('flops', op.flops),
            ('model_flops', op.flops),
            ('bytes_accessed', op.bytes),
            ('shape_with_layout', op.shape),
            ('tf_op', f'jit(train_step)/{op.path}:'),
            ('source', op.source),
        ],
    )


def stat_metadata():
    return b''.join(
        message(5, number(1, i) + message(2, number(1, i) + message(2, name)))
        for name, i in STAT_IDS.items()
    )


class Core:
    """One TPU core as it executes step after step."""

    def __init__(self, index):
        self.index = index
        self.now = (3000 + 7 * index) * US
        self.seed = 17 + index
        self.ops, self.modules, self.steps, self.prefetches = b'', b'', b'', b''

    def jitter(self, duration):
        """Up to 3 % longer, and core 1 another 1 %."""
        self.seed = (self.seed * 1103515245 + 12345) % 2147483648
        return duration + duration * (self.seed // 65536 % 31 + 10 * self.index) // 1000

    def execute(self, op, step):
        duration = self.jitter(op.duration)
        self.ops += self.op_event(op, self.now, duration, step)
        self.now += duration + 1250

    @staticmethod
    def op_event(op, start, duration, step):
        return event(
            OP_IDS[op.name],
            start,
            duration,
            device_offset_ps=(start + 640,),
            device_duration_ps=(duration - 3,),
            group_id=step,
        )

    def layers(self, step):
        """The loop is an event too, and comes before the events within it."""
        begin, before = self.now, self.ops
        self.now += 900
        self.ops = b''
        for _ in range(LAYERS):
            self.prefetches += self.op_event(
                PREFETCH, self.now, self.jitter(PREFETCH.duration), step
            )
            for op in LAYER:
                self.execute(op, step)
        self.ops = before + self.op_event(LOOP, begin, self.now - begin, step) + self.ops

    def step(self, step):
        begin = self.now
        self.layers(step)
        for op in TAIL:
            self.execute(op, step)
        launch = 1000 * self.index + step + 1
        self.modules += event(
            MODULE_ID,
            begin,
            self.now - begin,
            run_id=(500 + step,),
            _ct=8,
            _c=launch,
            group_id=step,
        )
        self.steps += event(STEP_ID + step, begin - 500, self.now - begin + 1000, group_id=step)
        self.now += (260 if step == 1 else 35) * US  # the input was late once

    def plane(self):
        for step in range(STEPS):
            self.step(step)
        named = [op_metadata(op) for op in OPS]
        named.append(metadata(MODULE_ID, f'jit_train_step({PROGRAM})'))
        named += [metadata(STEP_ID + i, str(i)) for i in range(STEPS)]
        return plane(
            2 + self.index,
            f'/device:TPU:{self.index}',
            line(1, 'Steps', self.steps),
            line(2, 'XLA Modules', self.modules),
            line(3, 'XLA Ops', self.ops),
            line(4, 'Async XLA Ops', self.prefetches),
            *named,
            stat_metadata(),
            stat(6, 'device_type_string', 'TPU v5 Lite'),
            stat(6, 'peak_teraflops_per_second', float(PEAK_TERAFLOPS)),
            stat(6, 'peak_hbm_bw_gigabytes_per_second', float(PEAK_GIGABYTES)),
        )


def host_plane():
    """The thread that launches each step on each core; launches and modules are joined by ids."""
    events = b''
    for step in range(STEPS):
        at = (2600 + 3900 * step) * US
        events += event(1, at, 390 * US, step_num=step)
        for core in range(CORES):
            events += event(
                2, at + (40 + 150 * core) * US, 120 * US, _pt=8, _p=1000 * core + step + 1
            )
    return plane(
        0,
        '/host:CPU',
        line(7001, 'python', events, timestamp_ns=1500),
        metadata(1, 'train_step'),
        metadata(2, 'PjRtExecutable::Execute'),
        stat_metadata(),
    )


def environment_plane():
    return plane(
        9,
        'Task Environment',
        stat_metadata(),
        stat(6, 'profile_start_time', (SESSION_NS,)),
        stat(6, 'profile_stop_time', (SESSION_NS + 30000000,)),
    )


def make():
    cores = b''.join(Core(index).plane() for index in range(CORES))
    return cores + host_plane() + environment_plane() + message(4, 'synthetic-host')


def main():
    check = sys.argv[1:2] == ['--check']
    if len(sys.argv) != 2 + check:
        sys.exit(__doc__)
    path = os.path.join(sys.argv[-1], NAME)
    if not check:
        with open(path, 'wb') as file:
            file.write(make())
        return
    with open(path, 'rb') as file:
        if file.read() != make():
            sys.exit(f'{path} is not what make-samples.py writes: run it again, without --check')


if __name__ == '__main__':
    main()
