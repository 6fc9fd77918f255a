# SPDX-License-Identifier: Apache-2.0
"""rocm_make.py - draws a job of HIP and writes it as ROCm's profilers do: rocpd databases in five
layouts, rocprofv3's JSON, and its CSV files. What was drawn are plain dicts, which tests compare
with what nprof reads.

source: tables of rocprofiler-sdk-rocpd (schemas 3 to 4.1), rocprofv3's JSON and CSV, as their
documentation has them."""

import csv
import json
import os
import random
import sqlite3

LAYOUTS = ('3', '3.0.5', '4.0', '4.1', 'lz4')
KERNELS = [
    ('Cijk_Ailk_Bljk_HHS_BH_MT64x64x32', 'Cijk_Ailk_Bljk_HHS_BH_MT64x64x32.kd'),
    ('void rms_norm<float>(float*, float const*, int)', '_Z8rms_normIfEvPT_PKS0_i.kd'),
    ('ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)', 'ncclDevKernel.kd'),
    ('__amd_rocclr_copyBuffer', '__amd_rocclr_copyBuffer.kd'),
]
WAYS = ['HOST_TO_HOST', 'HOST_TO_DEVICE', 'DEVICE_TO_HOST', 'DEVICE_TO_DEVICE']
COUNTERS = ['SQ_WAVES', 'GRBM_COUNT']
US = 1000


class Process:
    """What a process did.  Times are ns since its machine started; rows are in no order."""

    def __init__(self, r, rank, node, boot, steps):
        self.rank, self.node, self.pid, self.boot = rank, node, 4000 + 3 * rank, boot
        self.guid = '%08x-%04x-7%03x-8%03x-%012x' % (
            rank,
            *(r.randrange(1 << n) for n in (16, 12, 12, 48)),
        )
        self.gpus = r.choice((1, 2))
        self.calls, self.kernels, self.copies, self.marks, self.uses, self.counts, self.samples = (
            [],
            [],
            [],
            [],
            [],
            [],
            [],
        )
        self.left_out = 0
        self.id, self.at, self.live = 0, boot + 10**9, []
        for step in range(steps):
            self.step(r, step)
        self.samples = [
            dict(at=boot + 10**9 + i * 77_000, value=float(r.randrange(101))) for i in range(9)
        ]
        self.counts = [
            dict(dispatch=k['id'], name=name, value=float(r.randrange(1 << 20)))
            for k in self.kernels
            for name in COUNTERS
            for _ in range(r.choice((1, 4)))
        ]
        for rows in (self.calls, self.kernels, self.copies, self.uses):
            r.shuffle(rows)

    def step(self, r, number):
        begin = self.at
        self.id += 1
        own = self.id
        for _ in range(r.randrange(5, 12)):
            self.act(r)
        self.at += r.randrange(1, 30) * US
        self.marks.append(
            dict(
                id=own,
                tid=self.pid,
                call='roctxThreadRangeA',
                text=f'step {number}',
                start=begin,
                end=self.at,
            )
        )

    def act(self, r):
        self.at += r.randrange(1, 30) * US
        self.id += 1
        start, tid, gpu = self.at, self.pid + r.choice((0, 0, 1)), r.randrange(self.gpus)
        self.at += r.randrange(2, 20) * US
        what = r.choice(('kernel', 'kernel', 'kernel', 'graph', 'copy', 'use', 'mark', 'wait'))
        if what == 'mark':
            self.marks.append(
                dict(
                    id=self.id,
                    tid=tid,
                    call='roctxMarkA',
                    text=f'mark "{self.id}"',
                    start=start,
                    end=start,
                )
            )
            return
        call = dict(
            id=self.id,
            tid=tid,
            start=start,
            end=self.at,
            kind='HIP_RUNTIME_API_EXT',
            name='hipStreamSynchronize',
        )
        self.calls.append(call)
        if what in ('kernel', 'graph'):
            call['name'] = {'kernel': 'hipLaunchKernel', 'graph': 'hipGraphLaunch'}[what]
            at = self.at
            for node in range(r.randrange(2, 5) if what == 'graph' else 1):
                block = r.choice((64, 256))
                length = r.randrange(3, 90) * US + r.randrange(US)
                self.kernels.append(
                    dict(
                        id=len(self.kernels) + 1,
                        call=self.id,
                        tid=tid,
                        gpu=gpu,
                        queue=5 + r.randrange(2),
                        stream=r.randrange(3),
                        kernel=r.randrange(len(KERNELS)),
                        start=at,
                        end=at + length,
                        block=block,
                        grid=block * r.randrange(1, 40),
                        shared=r.choice((0, 4096)),
                        graph=self.id if what == 'graph' else None,
                        node=node if what == 'graph' else None,
                    )
                )
                at += length + r.randrange(-2, 3) * US  # a queue runs several at once
        elif what == 'copy':
            call['name'] = r.choice(('hipMemcpy', 'hipMemcpyAsync'))
            self.copies.append(
                dict(
                    call=self.id,
                    tid=tid,
                    gpu=gpu,
                    stream=0,
                    way=r.randrange(1, 4),
                    bytes=r.randrange(1, 1 << 24),
                    start=self.at,
                    end=self.at + r.randrange(1, 60) * US,
                )
            )
        elif what == 'use' and self.live and r.random() < 0.4:
            call['name'] = 'hipFree'
            block = self.live.pop(r.randrange(len(self.live)))
            self.uses.append(
                dict(
                    call=self.id,
                    tid=tid,
                    type='FREE',
                    gpu=None,
                    address=block['address'],
                    bytes=0,
                    start=start,
                    end=self.at,
                    change=-block['bytes'],
                )
            )
        elif what == 'use':
            call['name'] = 'hipMalloc'
            size = r.randrange(1, 1 << 20) * 512
            self.live.append(
                dict(
                    call=self.id,
                    tid=tid,
                    type='ALLOC',
                    gpu=gpu,
                    address=(1 << 47) + self.id * (1 << 21),
                    bytes=size,
                    start=start,
                    end=self.at,
                    change=size,
                )
            )
            self.uses.append(self.live[-1])
        if r.random() < 0.1:
            self.calls.append(
                dict(
                    id=0,
                    tid=tid,
                    start=start - 500,
                    end=self.at + 500,
                    kind='RCCL_API',
                    name='ncclAllReduce',
                )
            )

    def spoil(self, r):
        """Makes rows that cannot be, as real files have some."""
        zero, turned = r.sample([k for k in self.kernels if k['graph'] is None], 2)
        zero['start'] = zero['end'] = 0
        turned['start'], turned['end'] = turned['end'], turned['start']
        self.left_out = 2

    def good(self):
        return [k for k in self.kernels if 0 < k['start'] <= k['end']]


def job(seed, processes=2, nodes=1, steps=3):
    r = random.Random(seed)
    boots = [r.randrange(10**13, 10**15) for _ in range(nodes)]
    return [Process(r, rank, rank % nodes, boots[rank % nodes], steps) for rank in range(processes)]


# -- rocpd -----------------------------------------------------------------------------

SHAPE = ' private_segment_size group_segment_size workgroup_size_x workgroup_size_y workgroup_size_z grid_size_x grid_size_y grid_size_z'
THREE = {
    'metadata': 'id tag value',
    'string': 'id guid string',
    'info_node': 'id guid hash machine_id hostname',
    'info_process': 'id guid nid ppid pid init fini start end command',
    'info_thread': 'id guid nid ppid pid tid name',
    'info_agent': 'id guid nid pid type absolute_index logical_index type_index name product_name extdata',
    'info_queue': 'id guid nid pid name',
    'info_stream': 'id guid nid pid name',
    'info_pmc': 'id guid nid pid agent_id name symbol units value_type',
    'info_kernel_symbol': 'id guid nid pid kernel_name display_name sgpr_count arch_vgpr_count',
    'arg': 'id guid event_id position type name value',
    'track': 'id guid nid pid tid name_id',
    'event': 'id guid category_id stack_id parent_stack_id correlation_id extdata',
    'pmc_event': 'id guid event_id pmc_id value',
    'region': 'id guid nid pid tid start end name_id event_id',
    'sample': 'id guid track_id timestamp event_id',
    'kernel_dispatch': 'id guid nid pid tid agent_id kernel_id dispatch_id queue_id stream_id start end event_id'
    + SHAPE,
    'memory_copy': 'id guid nid pid tid start end name_id dst_agent_id src_agent_id size queue_id stream_id event_id',
    'memory_allocate': 'id guid nid pid tid agent_id type level start end address size event_id',
}
FIVE = {
    **THREE,
    'pmc_event': THREE['pmc_event'] + ' sample_id',
    **{
        name: THREE[name] + ' graph_exec_id graph_node_id'
        for name in ('kernel_dispatch', 'memory_copy')
    },
}
FOUR_ONE = {
    **THREE,
    'info_category': 'id guid name',
    'track': 'id guid nid pid tid agent_id queue_id stream_id name_id',
    'region': 'id guid track_id name_id start end event_id',
    'sample': 'id guid track_id name_id timestamp event_id',
    'kernel_dispatch': 'id guid track_id kernel_id dispatch_id start end event_id' + SHAPE,
    'memory_copy': 'id guid track_id start end name_id dst_agent_id src_agent_id size event_id',
    'memory_allocate': 'id guid track_id type level start end address size event_id',
}
FOUR = {
    name: columns.replace(' start end', ' start_id end_id').replace('timestamp', 'timestamp_id')
    if name in ('region', 'kernel_dispatch', 'memory_copy', 'memory_allocate', 'sample')
    else columns
    for name, columns in FOUR_ONE.items()
}
FOUR['timestamp'] = 'id guid value phase track_id'
TABLES = {'3': THREE, '3.0.5': FIVE, '4.0': FOUR, '4.1': FOUR_ONE, 'lz4': THREE}


class Database:
    def __init__(self, db, process, layout):
        self.db, self.p, self.layout, self.tables = db, process, layout, TABLES[layout]
        self.suffix = '_' + process.guid.replace('-', '_')
        self.known = {}
        kinds = {
            'id': 'integer not null primary key',
            'guid': f"text default '{process.guid}' not null",
            'extdata': "default '{}' not null",
        }
        for name, columns in self.tables.items():
            db.execute(
                f'create table if not exists "rocpd_{name}{self.suffix}" ('
                + ', '.join(f'"{c}" {kinds.get(c, "")}' for c in columns.split())
                + ')'
            )

    def put(self, table, **values):
        values = {k: v for k, v in values.items() if k in self.tables[table].split()}
        return self.db.execute(
            f'insert into "rocpd_{table}{self.suffix}" ({", ".join(f"{chr(34)}{k}{chr(34)}" for k in values)})'
            f' values ({", ".join("?" * len(values))})',
            list(values.values()),
        ).lastrowid

    def once(self, table, **values):
        key = table, tuple(values.items())
        if key not in self.known:
            self.known[key] = self.put(table, guid=self.p.guid, nid=1 + self.p.node, **values)
        return self.known[key]

    def event(self, kind, stack, message=None):
        category = (
            self.once('info_category', name=kind)
            if 'info_category' in self.tables
            else self.once('string', string=kind)
        )
        extdata = json.dumps({'message': message}) if message else '{}'
        return self.put(
            'event',
            category_id=category,
            stack_id=stack,
            parent_stack_id=0,
            correlation_id=0,
            extdata=b'\x04"M\x18' + extdata.encode() if self.layout == 'lz4' else extdata,
        )

    def moment(self, value):
        return {
            'timestamp': value,
            'timestamp_id': self.put('timestamp', value=value)
            if 'timestamp' in self.tables
            else None,
        }

    def row(self, table, start, end, where, **values):
        """A row with its times and its place, in the way of the layout."""
        if 'agent_id' in self.tables['track']:
            values['track_id'] = self.once('track', pid=self.p.pid, **where)
        if 'timestamp' in self.tables:
            values['end_id'], values['start_id'] = (
                self.moment(end)['timestamp_id'],
                self.moment(start)['timestamp_id'],
            )
        return self.put(
            table, nid=1 + self.p.node, pid=self.p.pid, start=start, end=end, **where, **values
        )

    def write(self):
        p = self.p
        for tag, value in (
            (
                'schema_version',
                {'4.0': '4.0.0', '4.1': '4.1.0', 'lz4': '4'}.get(self.layout, self.layout),
            ),
            ('guid', p.guid),
        ):
            self.put('metadata', tag=tag, value=value)
        self.put('info_node', id=1 + p.node, machine_id='%032x' % p.node, hostname=f'node{p.node}')
        self.put(
            'info_process', id=p.pid, nid=1 + p.node, pid=p.pid, command=f'python train.py {p.rank}'
        )
        self.put(
            'info_agent',
            id=0,
            nid=1 + p.node,
            pid=p.pid,
            type='CPU',
            type_index=0,
            name='CPU',
            product_name='a CPU',
            extdata='{}',
        )
        for g in range(p.gpus):
            self.put(
                'info_agent',
                id=1 + g,
                nid=1 + p.node,
                pid=p.pid,
                type='GPU',
                absolute_index=1 + g,
                type_index=g,
                name='gfx942',
                product_name='AMD Instinct MI300X',
                extdata='{"cu_count": 304, "max_engine_clk_fcompute": 2100}',
            )
        self.put('info_thread', id=p.pid, nid=1 + p.node, pid=p.pid, tid=p.pid, name='main')
        for i, (name, symbol) in enumerate(KERNELS):
            self.put(
                'info_kernel_symbol',
                id=1 + i,
                display_name=name if i else '',
                kernel_name=symbol,
                arch_vgpr_count=128,
            )
        counters = {
            name: self.put('info_pmc', agent_id=1, name=name, units='%' if name == 'busy' else '')
            for name in (*COUNTERS, 'busy')
        }
        for c in p.calls:
            event = self.event(c['kind'], c['id'])
            self.row(
                'region',
                c['start'],
                c['end'],
                dict(tid=c['tid']),
                name_id=self.once('string', string=c['name']),
                event_id=event,
            )
            self.put(
                'arg', event_id=event, position=0, type='hipStream_t', name='stream', value='0x0'
            )
        for m in p.marks:
            event = self.event('MARKER_CORE_RANGE_API', m['id'], m['text'])
            name = self.once('string', string=m['call'])
            if m['end'] > m['start']:
                self.row(
                    'region', m['start'], m['end'], dict(tid=m['tid']), name_id=name, event_id=event
                )
            else:
                self.put(
                    'sample',
                    track_id=self.once('track', pid=p.pid, tid=m['tid']),
                    name_id=name,
                    event_id=event,
                    **self.moment(m['start']),
                )
        events = {}
        for k in p.kernels:
            events[k['id']] = event = self.event('KERNEL_DISPATCH', k['call'])
            self.row(
                'kernel_dispatch',
                k['start'],
                k['end'],
                dict(
                    tid=k['tid'], agent_id=1 + k['gpu'], queue_id=k['queue'], stream_id=k['stream']
                ),
                kernel_id=1 + k['kernel'],
                dispatch_id=k['id'],
                event_id=event,
                private_segment_size=0,
                group_segment_size=k['shared'],
                workgroup_size_x=k['block'],
                workgroup_size_y=1,
                workgroup_size_z=1,
                grid_size_x=k['grid'],
                grid_size_y=1,
                grid_size_z=1,
                graph_exec_id=k['graph'],
                graph_node_id=k['node'],
            )
        for c in p.copies:
            source, target = {1: (0, 1 + c['gpu']), 2: (1 + c['gpu'], 0), 3: (1 + c['gpu'],) * 2}[
                c['way']
            ]
            self.row(
                'memory_copy',
                c['start'],
                c['end'],
                dict(tid=c['tid'], stream_id=c['stream']),
                src_agent_id=source,
                name_id=self.once('string', string='MEMORY_COPY_' + WAYS[c['way']]),
                dst_agent_id=target,
                size=c['bytes'],
                event_id=self.event('MEMORY_COPY', c['call']),
            )
        for u in p.uses:
            self.row(
                'memory_allocate',
                u['start'],
                u['end'],
                dict(tid=u['tid'], agent_id=None if u['gpu'] is None else 1 + u['gpu']),
                type=u['type'],
                level='REAL',
                address=u['address'],
                size=u['bytes'],
                event_id=self.event('MEMORY_ALLOCATION', u['call']),
            )
        for c in p.counts:
            self.put(
                'pmc_event',
                event_id=events[c['dispatch']],
                pmc_id=counters[c['name']],
                value=c['value'],
            )
        for s in p.samples:
            event = self.event('device_monitor', None)
            self.put(
                'sample',
                track_id=self.once('track', pid=p.pid, tid=None),
                event_id=event,
                **self.moment(s['at']),
            )
            self.put('pmc_event', event_id=event, pmc_id=counters['busy'], value=s['value'])


def rocpd(path, processes, layout):
    if os.path.exists(path):
        os.remove(path)
    db = sqlite3.connect(path)
    for process in processes:
        Database(db, process, layout).write()
    names = sorted(
        {
            name[:-37]
            for name, in db.execute(
                "select name from sqlite_master where type = 'table' and name like 'rocpd%'"
            )
        }
    )
    for name in names:  # as the writer unites them
        parts = [f'select * from "{name}_{p.guid.replace("-", "_")}"' for p in processes]
        db.execute(f'create view "{name}" as {" union all ".join(parts)}')
    db.commit()
    db.close()


# -- rocprofv3's JSON -------------------------------------------------------------------------

KINDS = {
    'HIP_RUNTIME_API_EXT': 7,
    'MARKER_CORE_RANGE_API': 9,
    'RCCL_API': 4,
    'KERNEL_DISPATCH': 2,
    'MEMORY_COPY': 3,
    'MEMORY_ALLOCATION': 5,
}


def tool_of(p):
    """The element of a process."""
    operations = {
        'MEMORY_COPY': ['MEMORY_COPY_' + way for way in WAYS],
        'KERNEL_DISPATCH': ['NONE', 'ENQUEUE', 'COMPLETE'],
        'MEMORY_ALLOCATION': [
            'NONE',
            'MEMORY_ALLOCATION_ALLOCATE',
            'MEMORY_ALLOCATION_VMEM_ALLOCATE',
            'MEMORY_ALLOCATION_FREE',
        ],
        'HIP_RUNTIME_API_EXT': sorted({c['name'] for c in p.calls if c['kind'].startswith('HIP')}),
        'RCCL_API': ['ncclAllReduce'],
        'MARKER_CORE_RANGE_API': ['roctxMarkA', 'roctxThreadRangeA'],
    }
    names = [dict(kind=f'KIND_{i}', operations=[]) for i in range(10)]
    for kind, number in KINDS.items():
        names[number] = dict(kind=kind, operations=operations[kind])

    def record(kind, name, row, call, **more):
        return dict(
            size=64,
            kind=KINDS[kind],
            operation=operations[kind].index(name),
            thread_id=row['tid'],
            correlation_id=dict(internal=call, external=0),
            start_timestamp=row['start'],
            end_timestamp=row['end'],
            **more,
        )

    def agent(number):
        return {'handle': 9900 + number}

    def dispatch(k):
        return dict(
            agent_id=agent(1 + k['gpu']),
            queue_id={'handle': k['queue']},
            kernel_id=1 + k['kernel'],
            dispatch_id=k['id'],
            private_segment_size=0,
            group_segment_size=k['shared'],
            workgroup_size=dict(x=k['block'], y=1, z=1),
            grid_size=dict(x=k['grid'], y=1, z=1),
        )

    agents = [
        dict(
            id=agent(0),
            type=1,
            node_id=0,
            logical_node_type_id=0,
            name='CPU',
            product_name='a CPU',
            cu_count=64,
        )
    ]
    agents += [
        dict(
            id=agent(1 + g),
            type=2,
            node_id=1 + g,
            logical_node_type_id=g,
            name='gfx942',
            product_name='AMD Instinct MI300X',
            cu_count=304,
            max_engine_clk_fcompute=2100,
        )
        for g in range(p.gpus)
    ]
    ends = {
        1: lambda c: (0, 1 + c['gpu']),
        2: lambda c: (1 + c['gpu'], 0),
        3: lambda c: (1 + c['gpu'],) * 2,
    }
    counted = {k['id']: [] for k in p.kernels}
    for c in p.counts:
        counted[c['dispatch']].append(
            dict(counter_id={'handle': 70 + COUNTERS.index(c['name'])}, value=c['value'])
        )
    return dict(
        metadata=dict(
            node=dict(hostname=f'node{p.node}', machine_id='%032x' % p.node),
            pid=p.pid,
            init_time=p.boot,
            command=['python', 'train.py', str(p.rank)],
        ),
        agents=agents,
        counters=[dict(id={'handle': 70 + i}, name=name) for i, name in enumerate(COUNTERS)],
        strings=dict(
            callback_records=[],
            buffer_records=names,
            marker_api=[dict(key=m['id'], value=m['text']) for m in p.marks],
        ),
        kernel_symbols=[dict(kernel_id=0, kernel_name='', formatted_kernel_name='')]
        + [
            dict(
                kernel_id=1 + i, kernel_name=symbol, formatted_kernel_name=name, arch_vgpr_count=128
            )
            for i, (name, symbol) in enumerate(KERNELS)
        ],
        callback_records=dict(
            counter_collection=[
                dict(dispatch_data=dict(dispatch_info=dispatch(k)), records=counted[k['id']])
                for k in p.kernels
                if counted[k['id']]
            ]
        ),
        buffer_records=dict(
            kernel_dispatch=[
                record(
                    'KERNEL_DISPATCH',
                    'COMPLETE',
                    k,
                    k['call'],
                    dispatch_info=dispatch(k),
                    stream_id={'handle': k['stream']},
                )
                for k in p.kernels
            ],
            hip_api=[
                record(c['kind'], c['name'], c, c['id'])
                for c in p.calls
                if c['kind'].startswith('HIP')
            ],
            hsa_api=[],
            rccl_api=[
                record(c['kind'], c['name'], c, c['id']) for c in p.calls if c['kind'] == 'RCCL_API'
            ],
            marker_api=[record('MARKER_CORE_RANGE_API', m['call'], m, m['id']) for m in p.marks],
            memory_copy=[
                record(
                    'MEMORY_COPY',
                    'MEMORY_COPY_' + WAYS[c['way']],
                    c,
                    c['call'],
                    src_agent_id=agent(ends[c['way']](c)[0]),
                    dst_agent_id=agent(ends[c['way']](c)[1]),
                    bytes=c['bytes'],
                    stream_id={'handle': c['stream']},
                )
                for c in p.copies
            ],
            memory_allocation=[
                record(
                    'MEMORY_ALLOCATION',
                    'MEMORY_ALLOCATION_' + {'ALLOC': 'ALLOCATE', 'FREE': 'FREE'}[u['type']],
                    u,
                    u['call'],
                    agent_id=agent(0 if u['gpu'] is None else 1 + u['gpu']),
                    address=f'0x{u["address"]:016x}',
                    allocation_size=u['bytes'],
                )
                for u in p.uses
            ],
        ),
    )


def tool_json(path, processes):
    with open(path, 'w', encoding='utf-8') as file:
        json.dump({'rocprofiler-sdk-tool': [tool_of(p) for p in processes]}, file)


# -- rocprofv3's CSV ---------------------------------------------------------------------------

API = 'Domain Function Process_Id Thread_Id Correlation_Id Start_Timestamp End_Timestamp'
KERNEL = (
    'Kind Agent_Id Queue_Id Stream_Id Thread_Id Dispatch_Id Kernel_Id Kernel_Name Correlation_Id Start_Timestamp End_Timestamp LDS_Block_Size '
    'Scratch_Size VGPR_Count Accum_VGPR_Count SGPR_Count Workgroup_Size_X Workgroup_Size_Y Workgroup_Size_Z Grid_Size_X Grid_Size_Y Grid_Size_Z'
)


def csv_files(folder, p):
    """Returns the paths of PID_*.csv."""
    os.makedirs(folder, exist_ok=True)
    made = []

    def table(name, head, rows):
        if rows:
            made.append(os.path.join(folder, f'{p.pid}_{name}.csv'))
            with open(made[-1], 'w', encoding='utf-8', newline='') as file:
                csv.writer(file, quoting=csv.QUOTE_NONNUMERIC, lineterminator='\n').writerows(
                    [head.split(), *rows]
                )

    def calls(of):
        return [
            [c['kind'], c['name'], p.pid, c['tid'], c['id'], c['start'], c['end']]
            for c in p.calls
            if c['kind'].startswith(of)
        ]

    def agent(gpu):
        return f'Agent {1 + gpu}'

    table(
        'agent_info',
        'Node_Id Logical_Node_Id Agent_Type Cu_Count Max_Engine_Clk_Fcompute Name Product_Name',
        [[0, 0, 'CPU', 64, 0, 'CPU', 'a CPU']]
        + [
            [1 + g, 1 + g, 'GPU', 304, 2100, 'gfx942', 'AMD Instinct MI300X'] for g in range(p.gpus)
        ],
    )
    table(
        'kernel_trace',
        KERNEL,
        [
            [
                'KERNEL_DISPATCH',
                agent(k['gpu']),
                k['queue'],
                k['stream'],
                k['tid'],
                k['id'],
                1 + k['kernel'],
                KERNELS[k['kernel']][0],
                k['call'],
                k['start'],
                k['end'],
                k['shared'],
                0,
                128,
                0,
                48,
                k['block'],
                1,
                1,
                k['grid'],
                1,
                1,
            ]
            for k in p.kernels
        ],
    )
    table('hip_api_trace', API, calls('HIP'))
    table('rccl_api_trace', API, calls('RCCL'))
    table(
        'marker_api_trace',
        API,
        [
            ['MARKER_CORE_API', m['text'], p.pid, m['tid'], m['id'], m['start'], m['end']]
            for m in p.marks
        ],
    )
    ends = {
        1: lambda c: ('Agent 0', agent(c['gpu'])),
        2: lambda c: (agent(c['gpu']), 'Agent 0'),
        3: lambda c: (agent(c['gpu']),) * 2,
    }
    table(
        'memory_copy_trace',
        'Kind Direction Stream_Id Source_Agent_Id Destination_Agent_Id Correlation_Id Start_Timestamp End_Timestamp',
        [
            [
                'MEMORY_COPY',
                'MEMORY_COPY_' + WAYS[c['way']],
                c['stream'],
                *ends[c['way']](c),
                c['call'],
                c['start'],
                c['end'],
            ]
            for c in p.copies
        ],
    )
    table(
        'memory_allocation_trace',
        'Kind Operation Agent_Id Allocation_Size Address Correlation_Id Start_Timestamp End_Timestamp',
        [
            [
                'MEMORY_ALLOCATION',
                'MEMORY_ALLOCATION_' + {'ALLOC': 'ALLOCATE', 'FREE': 'FREE'}[u['type']],
                '' if u['gpu'] is None else agent(u['gpu']),
                u['bytes'],
                f'0x{u["address"]:016x}',
                u['call'],
                u['start'],
                u['end'],
            ]
            for u in p.uses
        ],
    )
    sums = {}
    for c in p.counts:
        key = c['dispatch'], c['name']
        sums[key] = sums.get(key, 0) + c['value']
    table(
        'counter_collection',
        'Correlation_Id Dispatch_Id Agent_Id Queue_Id Process_Id Thread_Id Counter_Name Counter_Value',
        [
            [0, dispatch, 'Agent 1', 5, p.pid, p.pid, name, value]
            for (dispatch, name), value in sums.items()
        ],
    )
    return made
