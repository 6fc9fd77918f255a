# SPDX-License-Identifier: Apache-2.0
"""nsys_make.py - writes databases as Nsight Systems exports them, of three versions of its schema,
and as rocpd does, with what must be found in them. The columns are those of real exports."""

import random
import sqlite3

MACHINE = 1 << 48
STRINGS = [
    'main',
    'cudaLaunchKernel_v7000',
    'cuLaunchKernel',
    'cudaMemcpyAsync_v3020',
    'void gemm<float>(float*)',
    'gemm',
    'poll',
    'CUPTI buffer',
    'layer norm',
    'void add<int>(int*)',
    'cublasSgemm_v2',
]
VERSIONS = {'3.1.7': 'EXPORT_META_DATA', '3.16.1': 'META_DATA_EXPORT', '3.25.0': 'META_DATA_EXPORT'}

COMMON_KERNEL = (
    'start end deviceId contextId streamId correlationId globalPid demangledName shortName mangledName '
    'registersPerThread gridX gridY gridZ blockX blockY blockZ staticSharedMemory dynamicSharedMemory'
).split()
NEW_KERNEL = (
    COMMON_KERNEL[:4] + ['greenContextId'] + COMMON_KERNEL[4:] + ['graphNodeId', 'clusterX']
)


def pid_of(pid):
    return MACHINE | pid << 24


def table(db, name, columns, rows):
    quoted = [f'"{c}"' for c in columns]
    db.execute(f'create table {name} ({", ".join(quoted)})')
    db.executemany(
        f'insert into {name} ({", ".join(quoted)}) values ({", ".join("?" * len(columns))})', rows
    )


class Made:
    """The rows, as dicts: kernels, copies, sets, calls, ranges, metrics."""

    def __init__(self, seed, processes=2, n=16, steps=4):
        r = self.random = random.Random(seed)
        self.kernels, self.copies, self.sets, self.calls, self.ranges, self.metrics, self.osrt = (
            [],
            [],
            [],
            [],
            [],
            [],
            [],
        )
        for number in range(processes):
            pid, tid = pid_of(1000 + number), pid_of(1000 + number) | 1000 + number
            at = 1_000_000
            for step in range(steps):
                begin = at
                for _ in range(n):
                    at += r.randrange(1, 9000)
                    self.launch(pid, tid, number, at, r)
                self.ranges.append(
                    {
                        'start': begin,
                        'end': at + 5000,
                        'eventType': 59,
                        'text': f'step {step}',
                        'globalTid': tid,
                        'domainId': 0,
                    }
                )
                at += 20_000
            self.ranges.append(
                {
                    'start': 900_000,
                    'end': at,
                    'eventType': 60,
                    'textId': 9,
                    'globalTid': tid,
                    'domainId': 3,
                }
            )
            self.ranges.append(
                {
                    'start': 950_000,
                    'end': None,
                    'eventType': 34,
                    'text': 'a mark',
                    'globalTid': tid,
                    'domainId': 0,
                }
            )
            self.ranges.append(
                {
                    'start': 0,
                    'end': None,
                    'eventType': 75,
                    'text': 'NCCL',
                    'globalTid': pid,
                    'domainId': 3,
                }
            )
            self.metrics += [
                {
                    'timestamp': 1_000_000 + 10_000 * i,
                    'typeId': 0x24900 + number,
                    'metricId': m,
                    'value': r.randrange(100),
                }
                for i in range(20)
                for m in (1, 2)
            ]

    def launch(self, pid, tid, device, at, r):
        correlation = 1 + sum(
            c['globalTid'] == tid for c in self.calls
        )  # both processes count from 1
        kind = r.choice('kkkkcs')
        length = r.randrange(1, 20_000)
        work = {
            'start': at + 3000,
            'end': at + 3000 + length,
            'deviceId': 0,
            'contextId': 1,
            'streamId': r.choice((7, 13)),
            'correlationId': correlation,
            'globalPid': pid,
        }
        self.calls.append(
            {
                'start': at,
                'end': at + r.randrange(1, 3000),
                'eventClass': r.randrange(2),
                'globalTid': tid,
                'correlationId': correlation,
                'nameId': 2 + r.randrange(2),
                'returnValue': 0,
            }
        )
        if kind == 'k':
            name = r.choice((5, 10))
            self.kernels.append(
                {
                    **work,
                    'demangledName': name,
                    'shortName': 6,
                    'mangledName': 6,
                    'registersPerThread': 32,
                    'gridX': 4,
                    'gridY': 2,
                    'gridZ': 1,
                    'blockX': 128,
                    'blockY': 1,
                    'blockZ': 1,
                    'staticSharedMemory': 0,
                    'dynamicSharedMemory': 1024,
                    'graphNodeId': None,
                    'clusterX': 0,
                    'greenContextId': 0,
                }
            )
        elif kind == 'c':
            self.copies.append(
                {
                    **work,
                    'bytes': r.randrange(1 << 20),
                    'copyKind': r.choice((1, 2, 8)),
                    'srcKind': 0,
                    'dstKind': 2,
                }
            )
        else:
            self.sets.append({**work, 'bytes': r.randrange(1 << 20), 'value': 0, 'memKind': 2})
        self.ranges.append(
            {
                'start': at,
                'end': at + 2999,
                'eventType': 59,
                'text': f'aten::mm, op_id = {len(self.ranges)}',
                'globalTid': tid,
                'domainId': 0,
            }
        )
        self.osrt.append(
            {
                'start': at,
                'end': at + 10,
                'globalTid': tid,
                'nameId': 7,
                'returnValue': 0,
                'nestingLevel': 0,
            }
        )


def rows(dicts, columns):
    return [[d.get(c) for c in columns] for d in dicts]


def nsys(path, version, made, normalize=False, journal='delete'):
    """normalize: times are Unix times, as nsys export --ts-normalize writes them."""
    db = sqlite3.connect(path)
    db.execute(f'pragma journal_mode={journal}')
    new = version == '3.25.0'
    utc = 1_700_000_000_123_456_789
    shift = utc if normalize else 0

    def moved(dicts):
        return [
            {
                k: v + shift if k in ('start', 'end', 'timestamp') and v is not None else v
                for k, v in d.items()
            }
            for d in dicts
        ]

    db.execute('create table StringIds (id integer primary key, value text)')
    db.executemany('insert into StringIds values (?, ?)', enumerate(STRINGS, 1))
    table(
        db,
        VERSIONS[version],
        ['name', 'value'],
        [('EXPORT_SCHEMA_VERSION', version), ('EXPORT_PRODUCT_VERSION', '1.2')],
    )
    table(db, 'TARGET_INFO_SESSION_START_TIME', ['utcEpochNs', 'utcTime'], [(utc, 'x')])
    columns = NEW_KERNEL if new else COMMON_KERNEL
    table(db, 'CUPTI_ACTIVITY_KIND_KERNEL', columns, rows(moved(made.kernels), columns))
    work = [
        c
        for c in columns
        if c
        in (
            'start',
            'end',
            'deviceId',
            'contextId',
            'greenContextId',
            'streamId',
            'correlationId',
            'globalPid',
        )
    ]
    columns = work + ['bytes', 'copyKind', 'srcKind', 'dstKind']
    table(db, 'CUPTI_ACTIVITY_KIND_MEMCPY', columns, rows(moved(made.copies), columns))
    columns = work + ['value', 'bytes', 'memKind']
    table(db, 'CUPTI_ACTIVITY_KIND_MEMSET', columns, rows(moved(made.sets), columns))
    columns = ['start', 'end', 'eventClass', 'globalTid', 'correlationId', 'nameId', 'returnValue']
    table(db, 'CUPTI_ACTIVITY_KIND_RUNTIME', columns, rows(moved(made.calls), columns))
    columns = ['start', 'end', 'eventType', 'text', 'globalTid', 'textId', 'domainId']
    table(db, 'NVTX_EVENTS', columns, rows(moved(made.ranges), columns))
    columns = ['start', 'end', 'globalTid', 'nameId', 'returnValue', 'nestingLevel']
    table(db, 'OSRT_API', columns, rows(moved(made.osrt), columns))
    table(
        db,
        'CUBLAS_EVENTS',
        ['start', 'end', 'globalTid', 'nameId'],
        [(2_000_000 + shift, 2_000_500 + shift, pid_of(1000) | 1000, 11)],
    )
    table(
        db,
        'GPU_METRICS',
        ['timestamp', 'typeId', 'metricId', 'value'],
        rows(moved(made.metrics), ['timestamp', 'typeId', 'metricId', 'value']),
    )
    table(
        db,
        'TARGET_INFO_GPU_METRICS',
        ['typeId', 'typeName', 'metricId', 'metricName'],
        [
            (0x24900 + n, 'x', m, name)
            for n in (0, 1)
            for m, name in ((1, 'SMs Active [Throughput %]'), (2, 'DRAM Read'))
        ],
    )
    gpu = ['id', 'name', 'totalMemory', 'memoryBandwidth', 'clockRate', 'smCount'] + (
        [] if version == '3.1.7' else ['cuDevice']
    )
    table(
        db,
        'TARGET_INFO_GPU',
        gpu,
        [
            [n, 'NVIDIA H100 80GB HBM3', 85 << 30, 3_352_320_000_000, 1_980_000_000, 132, n][
                : len(gpu)
            ]
            for n in (0, 1, 2)
        ],
    )
    if new:
        table(
            db, 'TARGET_INFO_CUDA_DEVICE', ['gpuId', 'cudaId', 'pid'], [(0, 0, 1000), (1, 0, 1001)]
        )
    table(
        db,
        'PROCESSES',
        ['globalPid', 'pid', 'name'],
        [(pid_of(1000 + n), 1000 + n, '/usr/bin/python3') for n in (0, 1)],
    )
    table(db, 'ThreadNames', ['nameId', 'globalTid'], [(1, pid_of(1000) | 1000)])
    table(db, 'SCHED_EVENTS', ['start', 'cpu', 'isSchedIn', 'globalTid'], [(1, 1, 1, 1)] * 3)
    db.execute('create index kernels on CUPTI_ACTIVITY_KIND_KERNEL (start)')
    db.execute('create view NVTX_VIEW as select * from NVTX_EVENTS')
    db.commit()
    db.execute('pragma wal_checkpoint(truncate)')
    db.close()


def moments(path, seed):
    """Adds what happens at one moment to a database of nsys(): samples with their stacks,
    allocations, missing pages."""
    r = random.Random(seed)
    db = sqlite3.connect(path)
    tid = pid_of(1000) | 1000
    db.execute(
        'create table COMPOSITE_EVENTS (id integer primary key, start, cpu, threadState, globalTid, cpuCycles)'
    )
    db.executemany(
        'insert into COMPOSITE_EVENTS values (?, ?, ?, 1, ?, 1)',
        [
            (i, 1_000_000 + 700 * i, i % 4, tid if i % 3 else pid_of(1001) | 1001)
            for i in range(1, 60)
        ],
    )
    chains = [
        (i, depth, r.choice((1, 5, 7)), 8)
        for i in range(1, 55)
        for depth in range(r.randrange(1, 5))
    ]
    r.shuffle(chains)  # rows of a stack need not lie together
    table(db, 'SAMPLING_CALLCHAINS', ['id', 'stackDepth', 'symbol', 'module'], chains)
    live, rows_, at = [], [], 900_000
    for number in range(80):
        at += r.randrange(1, 5000)
        if live and r.random() < 0.4:
            kind, device, address, size = live.pop(r.randrange(len(live)))
            rows_.append((at, pid_of(1000), device, 1, address, 0, size, kind, 1))
        else:
            block = (
                r.choice((1, 2, 2, 2, 4)),
                r.randrange(2),
                4096 * (number + 1),
                r.randrange(1, 1 << 24),
            )
            live.append(block)
            rows_.append((at, pid_of(1000), block[1], 1, block[2], 0, block[3], block[0], 0))
    table(
        db,
        'CUDA_GPU_MEMORY_USAGE_EVENTS',
        [
            'start',
            'globalPid',
            'deviceId',
            'contextId',
            'address',
            'pc',
            'bytes',
            'memKind',
            'memoryOperationType',
        ],
        rows_,
    )
    table(
        db,
        'CUDA_UM_CPU_PAGE_FAULT_EVENTS',
        ['start', 'globalPid', 'address', 'CpuInstruction', 'module'],
        [(1_000_000 + 50 * i, pid_of(1000), 4096 * i, 1, 1) for i in range(9)],
    )
    table(
        db,
        'CUDA_UM_GPU_PAGE_FAULT_EVENTS',
        [
            'start',
            'end',
            'globalPid',
            'deviceId',
            'address',
            'numberOfPageFaults',
            'faultAccessType',
        ],
        [
            (
                1_100_000 + 5000 * i,
                1_100_000 + 5000 * i + r.randrange(1, 4000),
                pid_of(1001),
                1,
                4096 * i,
                i + 1,
                1,
            )
            for i in range(7)
        ],
    )
    db.commit()
    db.close()


def graphs(path, seed):
    """Adds replays of a graph in two processes, whose nodes have the same ids, to a database of
    nsys() of the newest version. Returns what their kernels must state, by start: operator, region
    and match."""
    r = random.Random(seed)
    db = sqlite3.connect(path)
    nodes, ranges, kernels, wanted = [], [], [], {}
    for number in (0, 1):
        pid, tid = pid_of(1000 + number), pid_of(1000 + number) | 2000
        at, around = 100_000, {}
        for node in range(1, 40):
            at += r.randrange(10, 90)
            operator, region = r.choice(('aten::mm', 'aten::add', '')), r.choice(('a', 'b', ''))
            if region:
                ranges.append((at - 3, at + 6, 59, f'layer {region}', tid, 0))
                ranges.append((at - 3, at + 5, 59, 'proj', tid, 0))
            if operator:
                ranges.append((at - 2, at + 5, 59, f'{operator}, op_id = {node}', tid, 0))
            ranges.append((at - 9, at + 9, 60, 'anywhere', tid, 0))
            nodes.append((at, at + 1, 1, tid, node, None))
            around[node] = (operator, f'layer {region}/proj' if region else '', 'node id')
            of = node
            for level in range(r.randrange(1, 4)):  # clones, of which the last runs
                nodes.append((at + 50_000, at + 50_001, 1, tid, node + 1000 * (level + 1), of))
                of = node + 1000 * (level + 1)
            around[of] = around.pop(node)
            at += 10
        lost, circle = r.sample(sorted(around), 2)
        nodes = [row for row in nodes if row[3] != tid or row[4] != lost % 1000]
        nodes.append((at, at + 1, 1, tid, 77_000, 78_000))
        nodes.append((at, at + 1, 1, tid, 78_000, 77_000))
        around[lost] = ('', '', 'none')
        del around[circle]
        around[77_000] = ('', '', 'none')
        for replay in range(3):
            start = 2_000_000 + number * 100_000 + replay * 30_000
            for node in sorted(around):
                start += r.randrange(100, 300)
                kernels.append((start, start + 90, 0, 1, 7, 90_000 + replay, pid, 5, node))
                wanted[start] = around[node]
    db.execute(
        'create table CUDA_GRAPH_NODE_EVENTS (start, end, nameId, globalTid, graphNodeId, originalGraphNodeId)'
    )
    r.shuffle(nodes)
    db.executemany('insert into CUDA_GRAPH_NODE_EVENTS values (?, ?, ?, ?, ?, ?)', nodes)
    db.executemany(
        'insert into NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) values (?, ?, ?, ?, ?, ?)',
        ranges,
    )
    db.executemany(
        'insert into CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, '
        'globalPid, demangledName, graphNodeId) values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
        kernels,
    )
    db.commit()
    db.close()
    return wanted


def rpd(path, seed, n=60):
    """Returns the operations and the calls."""
    r = random.Random(seed)
    db = sqlite3.connect(path)
    strings = [
        '',
        'hipLaunchKernel',
        'hipMemcpy',
        'KernelExecution',
        'CopyHostToDevice',
        'void k<half>(half*)',
        'UserMarker',
        'my range',
    ]
    db.execute('create table rocpd_string (id integer primary key, string varchar(4096))')
    db.executemany('insert into rocpd_string values (?, ?)', enumerate(strings, 1))
    table(db, 'rocpd_metadata', ['id', 'tag', 'value'], [(1, 'schema_version', '2')])
    at, calls, ops, pairs, copies = 8_306_017_478_773_569, [], [], [], []
    for i in range(1, n + 1):
        at += r.randrange(1, 5000)
        copy = r.random() < 0.3
        calls.append((i, 77, 78, at, at + 900, 3 if copy else 2, 1))
        ops.append(
            (
                i,
                2,
                0,
                0,
                at + 1000,
                at + 1000 + r.randrange(1, 4000),
                1 if copy else 6,
                5 if copy else 4,
            )
        )
        pairs.append((i, i, i))
        if copy:
            copies.append((i, r.randrange(1 << 20)))
    calls.append((n + 1, 77, 78, calls[0][3], at + 2000, 7, 8))
    db.execute(
        'create table rocpd_api (id integer primary key, pid, tid, start, "end", apiName_id, args_id)'
    )
    db.executemany('insert into rocpd_api values (?, ?, ?, ?, ?, ?, ?)', calls)
    db.execute(
        'create table rocpd_op (id integer primary key, gpuId, queueId, sequenceId, start, "end", description_id, opType_id)'
    )
    db.executemany('insert into rocpd_op values (?, ?, ?, ?, ?, ?, ?, ?)', ops)
    table(db, 'rocpd_api_ops', ['id', 'api_id', 'op_id'], pairs)
    table(db, 'rocpd_copyapi', ['api_ptr_id', 'size'], copies)
    table(
        db,
        'rocpd_monitor',
        ['deviceType', 'deviceId', 'monitorType', 'start', 'value'],
        [('gpu', 2, 'sclk', at, '800'), ('gpu', 2, 'sclk', at + 100, '1700')],
    )
    db.commit()
    db.close()
    return ops, calls
