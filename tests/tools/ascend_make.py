# SPDX-License-Identifier: Apache-2.0
"""ascend_make.py - databases of Ascend's profilers, drawn from a seed, with what was drawn: tables
and columns as torch_npu and msprof of CANN 8 write them (SCHEMA_VERSION 1.0.0).

    python3 ascend_make.py SEED OUT
"""

import json
import os
import random
import sqlite3
import sys

TABLES = {
    'STRING_IDS': 'id integer primary key, value text',
    'META_DATA': 'name text, value text',
    'NPU_INFO': 'id integer, name text',
    'HOST_INFO': 'hostUid text, hostName text',
    'RANK_DEVICE_MAP': 'rankId integer, deviceId integer',
    'ENUM_HCCL_DATA_TYPE': 'id integer primary key, name text',
    'STEP_TIME': 'id integer, startNs integer, endNs integer',
    'TASK': 'startNs integer, endNs integer, deviceId integer, connectionId integer, globalTaskId integer, globalPid integer, taskType integer, '
    'contextId integer, streamId integer, taskId integer, modelId integer',
    'COMPUTE_TASK_INFO': 'name integer, globalTaskId integer primary key, blockDim integer, taskType integer, opType integer, inputShapes integer',
    'COMMUNICATION_OP': 'opName integer, startNs integer, endNs integer, connectionId integer, groupName integer, opId integer primary key, '
    'dataType integer, algType integer, count numeric, opType integer',
    'COMMUNICATION_TASK_INFO': 'name integer, globalTaskId integer, taskType integer, planeId integer, size integer, opId integer',
    'CANN_API': 'startNs integer, endNs integer, type integer, globalTid integer, connectionId integer primary key, name integer',
    'PYTORCH_API': 'startNs text, endNs text, globalTid integer, connectionId integer, name integer, type integer',
    'CONNECTION_IDS': 'id integer, connectionId integer',
    'MEMORY_RECORD': 'component integer, timestamp integer, totalAllocated integer, totalReserved integer, deviceId integer',
    'AICORE_FREQ': 'deviceId integer, timestampNs numeric, freq integer',
    'OVERLAP_ANALYSIS': 'type integer, startNs integer',
}
KERNELS = (
    ('aclnnAddmm_MatMulV2', 'MatMulV2', 'AI_CORE', 'cube'),
    ('aclnnAdd_Add', 'Add', 'AI_VECTOR_CORE', 'vector'),
    ('aclnnSoftmax_Softmax', 'Softmax', 'MIX_AIV', 'mix'),
    ('DropoutGenMask', 'DropoutGenMask', 'DSA_SQE', 'dsa'),
)
PID, BASE, DEVICE, GROUP = 4000, 1764288000 * 10**9 + 5000, 3, '10.0.0.1%eth0_60000_0_17'


class Job:
    """What was drawn: rows by class, (name, start, duration, ...)."""

    def __init__(self, seed, blocks=24, calls=(4, 8)):
        self.blocks = blocks
        r = self.random = random.Random(seed)
        self.strings, self.rows, self.seen = {}, {name: [] for name in TABLES}, {}
        (
            self.compute,
            self.collectives,
            self.copies,
            self.waits,
            self.calls,
            self.operators,
            self.memory,
        ) = ([], [], [], [], [], [], [])
        self.task = 0
        now = BASE
        free = now
        world = {'a': {'group_name': 'hccl_world_group', 'global_ranks': list(range(16))}}
        self.rows['META_DATA'] += [('SCHEMA_VERSION', '1.0.0')]
        self.rows['META_DATA'] += [('parallel_group_info', json.dumps(world))]
        self.rows['NPU_INFO'] += [(DEVICE, 'Ascend910B')]
        self.rows['HOST_INFO'] += [('1', 'node7')]
        self.rows['RANK_DEVICE_MAP'] += [(11, DEVICE)]
        self.rows['ENUM_HCCL_DATA_TYPE'] += [(3, 'FP16'), (4, 'FP32')]
        self.rows['OVERLAP_ANALYSIS'] += [(0, now)]
        connection = 0
        for step in range(3):
            begin = now
            for k in range(r.randint(*calls)):
                connection += 1
                start = now + r.randint(100, 900)
                now = start + r.randint(1000, 9000)
                operation = r.choice(('aten::mm', 'aten::add'))
                self.operator(operation, start - 50, now + 50, connection)
                self.call(start, now, 20000 if k % 9 == 3 else 10000, connection)
                free = max(free, now) + r.randint(10, 500)
                free = self.work(k % 9, free, connection, step, operation)
            now += r.randint(100, 900)
            self.rows['STEP_TIME'].append((step, begin, now))
            self.rows['PYTORCH_API'].append(
                (
                    str(begin),
                    str(now),
                    PID << 32 | 1,
                    None,
                    self.text(f'ProfilerStep#{step}'),
                    50001,
                )
            )
            now += r.randint(100, 900)
        for i in range(6):
            held = r.randint(0, 1 << 40)
            self.memory.append(held)
            self.rows['MEMORY_RECORD'].append(
                (self.text('PTA'), BASE + 1000 * i, held, held * 2, DEVICE)
            )
            self.rows['AICORE_FREQ'].append((DEVICE, BASE + 1000 * i, 1800))

    def text(self, text):
        if text not in self.strings:
            self.strings[text] = len(self.strings) + 1
            self.rows['STRING_IDS'].append((self.strings[text], text))
        return self.strings[text]

    def operator(self, name, start, end, connection):
        """An operator, and one within it, which the launch is of."""
        for which, (a, z) in enumerate(((start, end), (start + 10, end - 10))):
            self.rows['PYTORCH_API'].append(
                (
                    str(a),
                    str(z),
                    PID << 32 | 1,
                    2 * connection + which,
                    self.text(name if which else 'outer'),
                    50001,
                )
            )
            self.rows['CONNECTION_IDS'].append((2 * connection + which, connection))
            self.operators.append((name if which else 'outer', a, z - a))

    def call(self, start, end, kind, connection):
        self.rows['CANN_API'].append(
            (start, end, kind, PID << 32 | 2, connection, self.text('launch'))
        )
        self.calls.append((start, end - start, connection))

    def put(self, start, end, connection, kind, stream):
        self.task += 1
        self.rows['TASK'].append(
            (
                start,
                end,
                DEVICE,
                connection,
                self.task,
                PID,
                self.text(kind),
                0,
                stream,
                self.task,
                0,
            )
        )
        return self.task

    def work(self, k, start, connection, step, operation):
        end = start + self.random.randint(1000, 20000)
        if k == 1:  # a collective covers its parts and its wrapper
            elements, number = self.random.randint(1, 1 << 20), len(self.collectives)
            self.rows['COMMUNICATION_OP'].append(
                (
                    self.text(f'hcom_allReduce__586_{number}_1'),
                    start,
                    end,
                    connection,
                    self.text(GROUP),
                    number,
                    4,
                    self.text('RING'),
                    elements,
                    self.text('hcom_allReduce_'),
                )
            )
            self.collectives.append(
                (
                    f'hcom_allReduce__586_{number}_1',
                    start,
                    end - start,
                    connection,
                    step,
                    elements,
                    number,
                    operation,
                )
            )
            for part in range(3):
                at = start + part * (end - start) // 3
                task = self.put(
                    at,
                    at + (end - start) // 3,
                    connection,
                    ('SDMA', 'NOTIFY_WAIT', 'SDMA')[part],
                    40 + part,
                )
                self.rows['COMMUNICATION_TASK_INFO'].append(
                    (self.text('part'), task, 0, part, 64, number)
                )
            self.put(start, end, connection, 'AI_CORE', 50)
        elif k == 2:
            self.put(start, end, connection, 'MEMCPY_ASYNC', 7)
            self.copies.append((start, end - start, connection, step))
        else:
            name, operation_type, unit, engine = self.random.choice(KERNELS)
            task = self.put(start, end, connection, 'KERNEL_AICORE', 2)
            self.rows['COMPUTE_TASK_INFO'].append(
                (
                    self.text(name),
                    task,
                    self.blocks if unit == 'AI_CORE' else 48,
                    self.text(unit),
                    self.text(operation_type),
                    self.text('8,16;16,4'),
                )
            )
            self.compute.append((name, start, end - start, connection, step, engine, operation))
            self.put(end, end + 70, 0, 'EVENT_WAIT', 2)
            self.put(end + 70, end + 90, 4294967295, 'EVENT_RECORD', 2)
            self.waits.append((end, 70))
            end += 90
        return end


def write(path, job, leave_out=()):
    if os.path.exists(path):
        os.remove(path)
    base = sqlite3.connect(path)
    for name, columns in TABLES.items():
        if name not in leave_out:
            base.execute(f'create table {name} ({columns})')
            base.executemany(
                f'insert into {name} values ({",".join("?" * len(columns.split(",")))})',
                job.rows[name],
            )
    base.commit()
    base.close()


if __name__ == '__main__':
    write(sys.argv[2], Job(int(sys.argv[1])))
