# SPDX-License-Identifier: Apache-2.0
"""nsys.py - databases of Nsight Systems: made ones of three versions (tests/tools/nsys_make.py),
damaged and hostile ones, and real ones in the folder that NPROF_NSYS_REAL names. What must come out
is counted and summed by Python's sqlite3 from the same file."""

import collections
import glob
import gzip
import json
import os
import random
import shutil
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))

from harness import Skip, check, check_same, main, read, rows_of, run, test, write  # noqa: E402
import nsys_make  # noqa: E402

REAL = os.environ.get('NPROF_NSYS_REAL', '')
WORK = {
    'KERNEL': 'kernel',
    'MEMCPY': 'gpu_memcpy',
    'MEMSET': 'gpu_memset',
    'SYNCHRONIZATION': 'cuda_sync',
}


def ps(text):
    """Decimal ns as integer ps."""
    whole, _, part = text.partition('.')
    return int(whole + part.ljust(3, '0')[:3])


def events(path, *how, env=None):
    return rows_of(run('run', '-s', 'csv', '-o', '-', *how, path, env=env).expect(0).out)


def database(path):
    db = sqlite3.connect(path)
    db.text_factory = lambda data: data.decode('utf-8', 'replace')
    return db, {name for name, in db.execute("select name from sqlite_master where type = 'table'")}


def count_and_sum(rows, **wanted):
    rows = [row for row in rows if all(row[k] == v for k, v in wanted.items())]
    return len(rows), sum(ps(row['duration_ns']) for row in rows if row['duration_ns'])


def compare(path):
    """Every table that becomes rows: how many, and how long together."""
    rows = events(path)
    db, tables = database(path)

    def asked(table, where='1'):
        n, total = db.execute(
            f'select count(*), sum("end" - "start") from {table} where {where}'
        ).fetchone()
        return n, (total or 0) * 1000

    def has(table, column):
        return column in [c[1] for c in db.execute(f'pragma table_info({table})')]

    for table, category in WORK.items():
        table = 'CUPTI_ACTIVITY_KIND_' + table
        if table in tables:
            check_same(count_and_sum(rows, kind='span', category=category), asked(table), table)
    if 'CUPTI_ACTIVITY_KIND_KERNEL' in tables:
        names = collections.Counter(row['name'] for row in rows if row['category'] == 'kernel')
        wanted = collections.Counter(
            name
            for name, in db.execute(
                'select value from CUPTI_ACTIVITY_KIND_KERNEL k join StringIds s on s.id = k.demangledName'
            )
        )
        check_same(names, wanted, 'names of kernels')
    if 'CUPTI_ACTIVITY_KIND_MEMCPY' in tables:
        check_same(
            sum(int(row['bytes']) for row in rows if row['category'] == 'gpu_memcpy'),
            db.execute('select coalesce(sum(bytes), 0) from CUPTI_ACTIVITY_KIND_MEMCPY').fetchone()[
                0
            ],
            'bytes of copies',
        )
    if 'CUPTI_ACTIVITY_KIND_RUNTIME' in tables:
        found = [count_and_sum(rows, category=c) for c in ('cuda_runtime', 'cuda_driver')]
        check_same(tuple(map(sum, zip(*found))), asked('CUPTI_ACTIVITY_KIND_RUNTIME'), 'calls')
    if 'OSRT_API' in tables:
        check_same(
            count_and_sum(rows, category='os_runtime'), asked('OSRT_API'), 'calls of the system'
        )
    if 'NVTX_EVENTS' in tables:
        found = [count_and_sum(rows, kind='span', category=c) for c in ('nvtx', 'cpu_op')]
        check_same(
            tuple(map(sum, zip(*found))),
            asked('NVTX_EVENTS', 'eventType in (59, 60, 70, 71)'),
            'ranges',
        )
        text = 'coalesce(n.text, s.value)' if has('NVTX_EVENTS', 'textId') else 'n.text'
        wanted = collections.Counter(
            t or ''
            for t, in db.execute(
                f'select {text} from NVTX_EVENTS n left join StringIds s on s.id = n.textId where eventType in (59, 60, 70, 71)'
            )
        )
        found = collections.Counter(
            row['text'] or row['name']
            for row in rows
            if row['kind'] == 'span' and row['category'] in ('nvtx', 'cpu_op')
        )
        check_same(found, wanted, 'texts of ranges')
    if 'COMPOSITE_EVENTS' in tables:
        wanted = collections.Counter(
            name or 'sample without a stack'
            for name, in db.execute(
                'select s.value from COMPOSITE_EVENTS e left join SAMPLING_CALLCHAINS c on c.id = e.id and c.stackDepth = 0'
                ' left join StringIds s on s.id = c.symbol'
            )
        )
        check_same(
            collections.Counter(row['name'] for row in rows if row['category'] == 'cpu_sample'),
            wanted,
            'samples',
        )
    if 'CUPTI_ACTIVITY_KIND_KERNEL' in tables:
        linked = db.execute(
            'select count(*), sum(k.start - r.start) from CUPTI_ACTIVITY_KIND_KERNEL k join CUPTI_ACTIVITY_KIND_RUNTIME r on'
            ' r.correlationId = k.correlationId and r.globalTid >> 24 = k.globalPid >> 24'
        ).fetchone()
        calls = {
            row['correlation_id']: row
            for row in rows
            if row['category'].startswith('cuda_')
            and row['correlation_id']
            and row['category'] != 'cuda_sync'
        }
        pairs = [
            (row, calls[row['correlation_id']])
            for row in rows
            if row['category'] == 'kernel' and row['correlation_id'] in calls
        ]
        check_same(
            (len(pairs), sum(ps(a['start_ns']) - ps(b['start_ns']) for a, b in pairs)),
            (linked[0], (linked[1] or 0) * 1000),
            'kernels and their launches',
        )
    db.close()
    return rows


# -- Made ones ------------------------------------------------------------------


@test
def three_versions(_folder):
    for seed, version in enumerate(nsys_make.VERSIONS):
        made = nsys_make.Made(seed)
        nsys_make.nsys('a.sqlite', version, made)
        rows = compare('a.sqlite')
        kinds = collections.Counter(row['kind'] for row in rows)
        check_same(
            (kinds['counter'], kinds['instant']),
            (len(made.metrics), 2),
            f'samples and marks of {version}',
        )
        check_same(
            sum(float(row['value']) for row in rows if row['kind'] == 'counter'),
            float(sum(m['value'] for m in made.metrics)),
            'values of samples',
        )
        check_same(
            {(row['name'], row['unit']) for row in rows if row['kind'] == 'counter'},
            {('SMs Active [Throughput %]', '%'), ('DRAM Read', '')},
            'names and units of samples',
        )
        check_same(
            [row['name'] for row in rows if row['category'] == 'cublas_events'],
            ['cublasSgemm_v2'],
            'calls of another library',
        )
        check_same(
            {row['domain'] for row in rows if row['name'] == 'layer norm'},
            {'NCCL'},
            'the domain of a range',
        )
        info = (
            run('info', 'a.sqlite')
            .expect(0, out=[f'  version     {version}', '  row of SCHED_EVENTS * 3 *'])
            .out
        )
        check(
            ('NVTX_VIEW' not in info)
            and ('stream 7 of process 1001' in info) == (version != '3.25.0'),
            info,
        )
        os.remove('a.sqlite')


def peaks(rows):
    """Returns, for each allocator, the peak and what is held at the end."""
    found, now = collections.Counter(), collections.Counter()
    for _, _, device, _, _, _, size, kind, operation in rows:
        if kind == 4:
            continue  # managed memory lies on no one device
        name = 'CPU' if kind == 1 else f'CUDA {device}'
        now[name] += -size if operation else size
        found[name] = max(found[name], now[name])
    return {name: (str(peak), str(now[name])) for name, peak in found.items()}


LAUNCH = [
    ('regs', ['registersPerThread']),
    ('static_shared', ['staticSharedMemory']),
    ('dynamic_shared', ['dynamicSharedMemory']),
    ('grid', ['gridX', 'gridY', 'gridZ']),
    ('block', ['blockX', 'blockY', 'blockZ']),
]


def details(kernel, missing):
    """kernel_details of a row of the table, as the manual of xprof's format has them."""
    parts = []
    for word, columns in LAUNCH:
        numbers = [None if column in missing else kernel[column] for column in columns]
        if any(number is not None for number in numbers):
            parts.append(
                f'{word}:' + ','.join('?' if number is None else str(number) for number in numbers)
            )
    return ' '.join(parts)


@test
def launches_that_lack_numbers(_folder):
    """Each column of a kernel's launch may be missing, or NULL, without the others."""
    every = [column for _, columns in LAUNCH for column in columns]
    for missing in (
        [],
        *([column] for column in every),
        ['gridX', 'gridY', 'gridZ'],
        ['blockY', 'blockZ', 'registersPerThread'],
        every,
    ):
        for gone in (False, True):
            nsys_make.nsys('a.sqlite', '3.25.0', nsys_make.Made(1, processes=1, n=4, steps=1))
            db, _ = database('a.sqlite')
            kernel = 'CUPTI_ACTIVITY_KIND_KERNEL'
            for column in missing:
                db.execute(
                    f'alter table {kernel} drop column {column}'
                    if gone
                    else f'update {kernel} set {column} = NULL'
                )
            db.commit()
            left = [c for c in every if not (gone and c in missing)]
            rows = [
                dict(zip(left, row))
                for row in db.execute(f'select {", ".join(left) or 1} from {kernel} order by rowid')
            ]
            found = [
                row.get('kernel_details', '')
                for row in events('a.sqlite')
                if row['category'] == 'kernel'
            ]
            check_same(found, [details(row, missing) for row in rows], f'{missing}, {gone}')
            db.close()
            if missing == ['gridY']:
                said = run(
                    'sql',
                    'a.sqlite',
                    f'select gridX, gridY, gridZ from {kernel} order by start',
                    '--format',
                    'csv',
                )
                check_same(
                    [
                        (row['gridX'], row['gridY'], row['gridZ'])
                        for row in rows_of(said.expect(0).out)
                    ],
                    [(str(row['gridX']), '', str(row['gridZ'])) for row in rows],
                    'numbers beside an unknown one',
                )
            os.remove('a.sqlite')


@test
def moments(_folder):
    """Samples of the processor, allocations and page faults; the analyzer memory knows the
    allocations."""
    for seed, version in enumerate(('3.1.7', '3.25.0')):
        made = nsys_make.Made(seed)
        nsys_make.nsys('a.sqlite', version, made)
        nsys_make.moments('a.sqlite', seed)
        rows = compare('a.sqlite')
        db, _ = database('a.sqlite')
        samples = [row for row in rows if row['category'] == 'cpu_sample']
        check_same(
            {(row['thread'], row['kind']) for row in samples},
            {('main', 'instant'), ('1001', 'instant')},
            'threads of samples',
        )
        check_same(
            sum(row['name'] == 'sample without a stack' for row in samples),
            5,
            'samples without a stack',
        )
        usage = list(db.execute('select * from CUDA_GPU_MEMORY_USAGE_EVENTS order by start'))
        found = [int(row['bytes']) for row in rows if row['category'] == 'cuda_memory']
        check_same(found, [-u[6] if u[8] else u[6] for u in usage], 'bytes of allocations')
        check_same(
            sum('managed' in row['name'] for row in rows),
            sum(u[7] == 4 for u in usage),
            'managed memory',
        )
        memory = rows_of(
            run('run', '-a', 'memory', '-s', 'csv:table=memory', '-o', '-', 'a.sqlite')
            .expect(0)
            .out
        )
        check_same(
            {row['allocator']: (row['rise_bytes'], row['leaked_bytes']) for row in memory},
            peaks(usage),
            'allocators',
        )
        check_same(
            count_and_sum(rows, category='um_page_fault', kind='span'),
            (
                7,
                1000
                * db.execute(
                    'select sum("end" - start) from CUDA_UM_GPU_PAGE_FAULT_EVENTS'
                ).fetchone()[0],
            ),
            'faults of GPUs',
        )
        check_same(
            count_and_sum(rows, category='um_page_fault', kind='instant')[0],
            9,
            'faults of the host',
        )
        busy = [
            rows_of(
                run('run', '-a', 'device', '-s', 'csv:table=devices', '-o', '-', 'a.sqlite')
                .expect(0)
                .out
            )
        ]
        db.executescript(
            'drop table COMPOSITE_EVENTS; drop table CUDA_GPU_MEMORY_USAGE_EVENTS; drop table CUDA_UM_GPU_PAGE_FAULT_EVENTS;'
            'drop table CUDA_UM_CPU_PAGE_FAULT_EVENTS'
        )
        db.commit()
        db.close()
        busy.append(
            rows_of(
                run('run', '-a', 'device', '-s', 'csv:table=devices', '-o', '-', 'a.sqlite')
                .expect(0)
                .out
            )
        )
        check_same(
            [row['busy_ns'] for row in busy[0]],
            [row['busy_ns'] for row in busy[1]],
            'none of it is work',
        )
        os.remove('a.sqlite')


@test
def nodes_of_graphs(_folder):
    """Kernels of replays have the ranges in which the program made their nodes, over clones; or
    none, never another's."""
    for seed in range(4):
        path = f'g{seed}.sqlite'
        nsys_make.nsys(path, '3.25.0', nsys_make.Made(seed))
        wanted = nsys_make.graphs(path, seed)
        first = min(wanted)
        rows = [
            (ps(row['start_ns']) // 1000, json.loads(row['attributes'] or '{}'))
            for row in events(path)
            if row['category'] == 'kernel' and 'graph_match' in row['attributes']
        ]
        check_same(len(rows), len(wanted), 'kernels of replays')
        moved = min(start for start, _ in rows) - first
        replays = collections.defaultdict(set)
        for start, said in rows:
            operator, layer, match = wanted[start - moved]
            known = said['graph_operator']
            replays[said['graph_replay']].add(start)
            check_same('' if known.startswith('(graph replay ') else known, operator, f'{start}')
            check_same((said.get('layer', ''), said['graph_match']), (layer, match), f'{start}')
            check('graphNodeId' in said, 'the column stays')
        check_same(sorted(replays), list(range(6)), 'replays')
        firsts = [min(replays[n]) for n in range(6)]
        check_same(firsts, sorted(firsts), 'by start')
        unknown = {said['graph_operator'] for _, said in rows} - {'aten::mm', 'aten::add'}
        check_same(unknown, {f'(graph replay {len(replays[0])})'}, 'of 39 kernels')
    operators = run('run', '-q', '-a', 'graphs', '-s', 'csv:table=graph_operators', '-o', '-', path)
    rows = rows_of(operators.expect(0).out)
    check_same(sum(int(row['kernels']) for row in rows), len(wanted), 'kernels that it counts')


@test
def nodes_in_deep_ranges(_folder):
    """30,000 ranges one within the other around 3,000 nodes: no time and no memory for it, and a
    warning."""
    nsys_make.nsys('deep.sqlite', '3.25.0', nsys_make.Made(1))
    db, pid = sqlite3.connect('deep.sqlite'), nsys_make.pid_of(1000)
    db.execute(
        'create table CUDA_GRAPH_NODE_EVENTS (start, end, nameId, globalTid, graphNodeId, originalGraphNodeId)'
    )
    db.executemany(
        'insert into CUDA_GRAPH_NODE_EVENTS values (?, ?, 1, ?, ?, null)',
        [(50_000 + i, 50_001 + i, pid | 2000, i + 1) for i in range(3000)],
    )
    db.executemany(
        'insert into NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) values (?, ?, 59, ?, ?, 0)',
        [(i, 100_000 - i, 'é' * 500 + str(i), pid | 2000) for i in range(30_000)],
    )
    db.executemany(
        'insert into CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, '
        'globalPid, demangledName, graphNodeId) values (?, ?, 0, 1, 7, 90000, ?, 5, ?)',
        [(2_000_000 + 10 * i, 2_000_009 + 10 * i, pid, i + 1) for i in range(3000)],
    )
    db.commit()
    db.close()
    result = run('run', '-a', 'graphs', '-s', 'csv:table=graph_operators', '-o', '-', 'deep.sqlite')
    result.expect(0, err='*more than 1000 ranges of NVTX lie one within the other*')
    (row,) = rows_of(result.out)
    check_same([row['kernels'], row['match']], ['3000', 'node id'], 'kernels')


@test
def whole_graphs(_folder):
    """Replays that were recorded without their kernels: what to record is said."""
    nsys_make.nsys('w.sqlite', '3.25.0', nsys_make.Made(1))
    db = sqlite3.connect('w.sqlite')
    db.execute(
        'create table CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId, graphId, graphExecId, contextId, '
        'streamId, correlationId, globalPid)'
    )
    pid = nsys_make.pid_of(1000)
    db.execute(
        f'insert into CUPTI_ACTIVITY_KIND_GRAPH_TRACE values (1000000, 1009000, 0, 1, 2, 1, 7, 9999, {pid})'
    )
    db.commit()
    run('report', 'w.sqlite').expect(0, err='*record with nsys profile --cuda-graph-trace=node*')
    db.execute('update CUPTI_ACTIVITY_KIND_GRAPH_TRACE set end = start + 10000000000')
    db.commit()
    db.close()
    found = run('report', '-q', '--only', 'findings', '--format', 'csv', 'w.sqlite').expect(0).out
    (advice,) = (f['advice'] for f in rows_of(found) if f['name'] == 'CUDA graph')
    check_same(
        advice, 'record the kernels of graphs: nsys profile --cuda-graph-trace=node', 'no kernel'
    )


@test
def steps_by_launch(_folder):
    """A kernel belongs to the step in which it was launched; another pattern finds other steps, or
    none."""
    made = nsys_make.Made(7)
    nsys_make.nsys('a.sqlite', '3.25.0', made)
    calls = {(c['globalTid'] >> 24, c['correlationId']): c for c in made.calls}
    ranges = [r for r in made.ranges if r.get('text', '').startswith('step ')]
    wanted = collections.Counter()
    for k in made.kernels:
        call = calls[k['globalPid'] >> 24, k['correlationId']]
        inside = [
            r['text'][5:]
            for r in ranges
            if r['globalTid'] == call['globalTid'] and r['start'] <= call['start'] < r['end']
        ]
        wanted[inside[0] if inside else ''] += 1
    found = collections.Counter(
        row['step'] for row in events('a.sqlite') if row['category'] == 'kernel'
    )
    check_same(found, wanted, 'kernels by step')
    names = {row['name'] for row in events('a.sqlite') if row['text'].startswith('step ')}
    check_same(names, {f'ProfilerStep#{n}' for n in range(4)}, 'names of steps')
    check_same(
        {
            row['step']
            for row in events('a.sqlite', '-d', 'nsys:steps=no*')
            if row['category'] == 'kernel'
        },
        {''},
        'no steps',
    )
    found = {
        row['name']
        for row in events('a.sqlite', '-d', 'nsys:steps=st?p [13]')
        if row['text'].startswith('step')
    }
    check_same(found, set(), 'a pattern knows no sets')
    found = {
        row['name']
        for row in events('a.sqlite', '-d', 'nsys:steps=s*p *2')
        if row['text'].startswith('step')
    }
    check_same(found, {'ProfilerStep#2'}, 'steps of a pattern')
    run('report', '-a', 'steps', 'a.sqlite').expect(0, out=' *3 *0 * GPU 0')


@test
def the_same_however_it_was_written(_folder):
    """Unix times, and a file whose head asks for a log beside it, hold the same rows; threads and
    batches change none."""
    made = nsys_make.Made(3)
    nsys_make.nsys('a.sqlite', '3.16.1', made)
    nsys_make.nsys('wal.sqlite', '3.16.1', made, journal='wal')
    nsys_make.nsys('unix.sqlite', '3.16.1', made, normalize=True)
    check_same(read('wal.sqlite')[18], 2, 'the head of a file with a log')

    def plain(path, **how):
        return [
            {k: v for k, v in row.items() if k != 'input'}
            for row in events(path, *how.get('how', ()), env=how.get('env'))
        ]

    rows = plain('a.sqlite')
    check_same(plain('wal.sqlite'), rows, 'rows of a file with a log')
    for row in rows:
        moved = 0 if row['kind'] == 'fact' else 1_700_000_000_123_456_789 % 10**9 * 1000
        row['start_ns'] = ps(row['start_ns']) + moved
    unix = plain('unix.sqlite')
    for row in unix:
        row['start_ns'] = ps(row['start_ns'])
    for a, b in zip(unix, rows):
        check_same(a, b, 'a row at Unix times')
    check_same(len(unix), len(rows), 'rows at Unix times')
    run('info', 'unix.sqlite').expect(0, out='  origin      2023-11-14T22:13:20Z')
    for n in ('1', '7'):
        check_same(
            events('a.sqlite', '-j', '4', env={'NPROF_BATCH_ROWS': n}),
            events('a.sqlite'),
            f'batches of {n}',
        )
    write('a.sqlite.gz', gzip.compress(read('a.sqlite')))
    check_same(plain('a.sqlite.gz'), plain('a.sqlite'), 'rows of the compressed file')


@test
def peaks_are_known(_folder):
    nsys_make.nsys('a.sqlite', '3.25.0', nsys_make.Made(5))
    rows = rows_of(
        run('report', '-a', 'mfu', '--format', 'csv', '--only', 'facts', 'a.sqlite').expect(0).out
    )
    facts = {(row['key'], row['value']) for row in rows if row['track'] == rows[0]['track']}
    check(
        ('device_type', 'NVIDIA H100 80GB HBM3') in facts and ('core_count', '132') in facts,
        str(facts),
    )
    check_same(len(rows), 10, 'facts of the two GPUs that worked')
    run('info', 'a.sqlite').expect(0, out='  GPU of TARGET_INFO_GPU * 1 *no row ran on it')


# -- Damage ----------------------------------------------------------------------


@test
def other_databases(_folder):
    db = sqlite3.connect('other.sqlite')
    db.execute('create table people (name)')
    db.commit()
    db.close()
    run('run', '-s', 'null', 'other.sqlite').expect(
        2, err='*: byte 100: the schema has no table of Nsight Systems, but people: *nsys export *'
    )
    write('short.sqlite', b'SQLite format 3\0')
    run('run', '-s', 'null', 'short.sqlite').expect(2, err='*: byte 0: this is no SQLite database*')


@test
def tables_with_a_version(_folder):
    """A table whose name ends in _V2 is the one without it, with the same rows."""
    nsys_make.nsys('plain.sqlite', '3.25.0', nsys_make.Made(5))
    shutil.copy('plain.sqlite', 'later.sqlite')
    with sqlite3.connect('later.sqlite') as db:
        db.execute('drop view if exists NVTX_VIEW')
        for name in ('NVTX_EVENTS', 'CUPTI_ACTIVITY_KIND_RUNTIME'):
            db.execute(f'alter table {name} rename to {name}_V2')
    drop = ('plain.sqlite', 'later.sqlite')
    plain, later = (
        [{k: v for k, v in row.items() if v not in drop} for row in events(path)] for path in drop
    )
    check(any(row['category'] == 'nvtx' for row in plain), 'ranges')
    check_same(later, plain, 'rows')


@test
def kernels_share_the_device_with_graphs(_folder):
    """A graph that was recorded as a whole is work like its neighbours: 1 of 10 us is the
    kernel's."""
    columns = (
        'start integer, end integer, deviceId integer, contextId integer, streamId integer, '
        'correlationId integer, globalPid integer'
    )
    for graphs, share in ((3, 0.1), (0, 1)):
        with sqlite3.connect(f'{graphs}.sqlite') as db:
            db.execute('create table StringIds (id integer primary key, value text)')
            db.execute("insert into StringIds values (1, 'gemm')")
            db.execute('create table META_DATA_EXPORT (name text, value text)')
            db.execute("insert into META_DATA_EXPORT values ('EXPORT_SCHEMA_VERSION', '3.25.0')")
            db.execute(
                f'create table CUPTI_ACTIVITY_KIND_KERNEL ({columns}, demangledName integer, '
                'shortName integer)'
            )
            db.execute(
                'insert into CUPTI_ACTIVITY_KIND_KERNEL values (0, 1000, 0, 1, 7, 1, 1, 1, 1)'
            )
            db.execute(f'create table CUPTI_ACTIVITY_KIND_GRAPH_TRACE ({columns}, graphId integer)')
            db.executemany(
                'insert into CUPTI_ACTIVITY_KIND_GRAPH_TRACE values (?, ?, 0, 1, 7, ?, 1, 1)',
                [(2000 + i * 4000, 5000 + i * 4000, i + 2) for i in range(graphs)],
            )
        run('run', '-a', 'operators', '-s', 'csv', '-o', f'{graphs}/', f'{graphs}.sqlite').expect(0)
        (row,) = rows_of(read(f'{graphs}/kernels.csv').decode())
        check_same([float(row['share']), float(row['share_so_far'])], [share, share], graphs)


@test
def waits_are_named_by_their_calls(_folder):
    """Where an export does not say what its kinds of waits are, the call of their correlation does;
    others have their number."""
    calls = {
        'cudaEventSynchronize_v3020': 'Event Sync',
        'cudaStreamWaitEvent_v3020': 'Stream Wait Event',
        'cuStreamSynchronize': 'Stream Sync',
        'cudaDeviceSynchronize_v3020': 'Context Sync',
    }
    pid = nsys_make.pid_of(1000)
    nsys_make.nsys('old.sqlite', '3.1.7', nsys_make.Made(5))
    with sqlite3.connect('old.sqlite') as db:
        db.execute(
            'create table CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, deviceId, contextId, streamId, correlationId,'
            ' globalPid, syncType)'
        )
        for i, call in enumerate(
            (*calls, 'cudaFree')
        ):  # numbers from 0, where the later schema counts from 1
            db.execute('insert into StringIds values (?, ?)', (900 + i, call))
            db.execute(
                'insert into CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, correlationId, nameId) values'
                ' (?, ?, 0, ?, ?, ?)',
                (5_000_000 + 100 * i, 5_000_090 + 100 * i, pid | 1000, 9000 + i, 900 + i),
            )
            db.execute(
                'insert into CUPTI_ACTIVITY_KIND_SYNCHRONIZATION values (?, ?, 0, 1, 7, ?, ?, ?)',
                (5_000_010 + 100 * i, 5_000_080 + 100 * i, 9000 + i, pid, i),
            )
    shutil.copy('old.sqlite', 'new.sqlite')
    with sqlite3.connect('new.sqlite') as db:
        db.execute('create table ENUM_CUPTI_SYNC_TYPE (id, name, label)')
    for path, expected in (
        ('old.sqlite', [*calls.values(), 'Context Sync']),
        ('new.sqlite', ['Sync', *calls.values()]),
    ):
        rows = [row for row in events(path) if row['category'] == 'cuda_sync']
        check_same(
            [row['name'] for row in sorted(rows, key=lambda row: ps(row['start_ns']))],
            expected,
            path,
        )


@test
def a_time_at_the_least_of_64_bits(_folder):
    nsys_make.nsys('least.sqlite', '3.25.0', nsys_make.Made(5))
    with sqlite3.connect('least.sqlite') as db:
        db.execute('update CUPTI_ACTIVITY_KIND_KERNEL set start = ? where rowid = 1', (-(2**63),))
    run('info', 'least.sqlite').expect(
        2, err='*row 1: it ends before it starts, or its times are out of range*'
    )


@test
def damaged(_folder):
    """Cut anywhere, or with bytes changed: an error that names the table, or fewer rows; never a
    crash."""
    nsys_make.nsys('a.sqlite', '3.25.0', nsys_make.Made(9))
    whole, r = read('a.sqlite'), random.Random(4)
    seen = collections.Counter()
    for n in range(24):
        data = bytearray(whole)
        if n % 3 == 0:
            del data[r.randrange(200, len(data)) :]
        else:
            for _ in range(r.choice((1, 5, 50))):
                data[r.randrange(16, len(data))] = r.randrange(256)
        write('b.sqlite', bytes(data))
        result = run('run', '-s', 'csv', '-o', '-', 'b.sqlite')
        seen[result.status] += 1
        check(result.status in (0, 2), result.describe())
        if result.status == 2:
            check(
                'b.sqlite: ' in result.err
                and ('table ' in result.err or 'schema' in result.err or ': ' in result.err),
                result.describe(),
            )
        check(
            run('run', '--keep-going', '-s', 'csv', '-o', '-', 'b.sqlite').status in (0, 2, 3),
            'with --keep-going',
        )
    check(seen[2] > 6, f'statuses {seen}')


@test
def hostile(_folder):
    """The reader does nothing that a schema may ask for: views, triggers, modules, functions in
    columns, rows that are no numbers, tables that are views."""
    made = nsys_make.Made(2, steps=1)
    nsys_make.nsys('a.sqlite', '3.16.1', made)
    expected = len(events('a.sqlite'))
    db = sqlite3.connect('a.sqlite')
    db.execute(
        "create view CUPTI_ACTIVITY_KIND_GRAPH_TRACE as with recursive c(x) as (select 1 union all select x + 1 from c)"
        " select x as start, x as 'end', 0 as deviceId from c"
    )
    db.execute('create trigger t instead of insert on NVTX_VIEW begin select 1; end')
    try:
        db.execute('create virtual table CUDNN_EVENTS using fts5(start, end, globalTid, name)')
    except sqlite3.OperationalError:
        pass  # this SQLite lacks the module
    db.commit()
    db.close()
    rows = events('a.sqlite')
    check_same(
        len([row for row in rows if not row['category'].startswith('cudnn_events')]),
        expected,
        'rows beside views',
    )
    db = sqlite3.connect('a.sqlite')
    db.execute(
        "create table MORE_EVENTS (start, \"end\", globalTid, nameId, boom as (zeroblob(1000000000)))"
    )
    db.execute("insert into MORE_EVENTS values (1, 2, 3, 4)")
    db.commit()
    db.close()
    run('run', '-s', 'null', 'a.sqlite').expect(0)  # nobody asks for that column
    run('run', '-s', 'csv', '-o', '-', 'a.sqlite').expect(
        2, err='*table MORE_EVENTS, row 1: string or blob too big*'
    )
    for value in ("'now'", 'null', '1e9', "x'00'", '9223372036854775807'):
        shutil.rmtree('out', ignore_errors=True)
        if os.path.exists('c.sqlite'):
            os.remove('c.sqlite')
        nsys_make.nsys('c.sqlite', '3.25.0', made)
        db = sqlite3.connect('c.sqlite')
        db.execute(f'update CUPTI_ACTIVITY_KIND_KERNEL set start = {value} where rowid = 3')
        db.commit()
        db.close()
        run('run', '-s', 'null', 'c.sqlite').expect(
            2, err='*: table CUPTI_ACTIVITY_KIND_KERNEL, row 3: *'
        )
        run('run', '--keep-going', '-s', 'null', 'c.sqlite').expect(3, err='*row 3: *')


@test
def columns_without_a_place(_folder):
    """They are attributes of their rows under their names, NULL left out; one that has the name of
    an attribute of nprof's has column_ in front."""
    nsys_make.nsys('a.sqlite', '3.16.1', nsys_make.Made(2, steps=1))
    db = sqlite3.connect('a.sqlite')
    table = 'CUPTI_ACTIVITY_KIND_KERNEL'
    db.execute(f'alter table {table} add column step text')
    db.execute(f'alter table {table} add column acmeWidth integer')
    db.execute(f"update {table} set step = 'mine', acmeWidth = 7 where rowid % 2 = 1")
    (expected,) = db.execute(f"select count(*) from {table} where step = 'mine'").fetchone()
    db.commit()
    db.close()
    said = [
        json.loads(row['attributes'] or '{}')
        for row in events('a.sqlite')
        if row['category'] == 'kernel'
    ]
    own = [(one['column_step'], one['acmeWidth']) for one in said if 'acmeWidth' in one]
    check(expected > 0, 'some rows have both')
    check_same(own, [('mine', 7)] * expected, 'attributes')
    check(len(said) > expected, 'others have neither')


@test
def pages_in_a_circle(_folder):
    """The left child of the root of a table is made the root itself, or the same leaf is every
    child."""
    nsys_make.nsys('a.sqlite', '3.16.1', nsys_make.Made(2))
    db = sqlite3.connect('a.sqlite')
    (root,) = db.execute("select rootpage from sqlite_master where name = 'NVTX_EVENTS'").fetchone()
    (size,) = db.execute('pragma page_size').fetchone()
    db.close()
    data = bytearray(read('a.sqlite'))
    at = (root - 1) * size
    check_same(data[at], 5, 'the kind of the root')
    cells = int.from_bytes(data[at + 3 : at + 5], 'big')
    for child in (root, int.from_bytes(data[at + 8 : at + 12], 'big')):
        changed = bytearray(data)
        for i in range(cells):
            cell = at + int.from_bytes(data[at + 12 + 2 * i : at + 14 + 2 * i], 'big')
            changed[cell : cell + 4] = child.to_bytes(4, 'big')
        changed[at + 8 : at + 12] = child.to_bytes(4, 'big')
        write('b.sqlite', bytes(changed))
        check(run('run', '-s', 'null', 'b.sqlite').status in (0, 2), 'it ends')


# -- Real ones -------------------------------------------------------------------


@test
def real_exports(_folder):
    if not REAL:
        raise Skip('NPROF_NSYS_REAL names no folder')
    found = sorted(glob.glob(os.path.join(glob.escape(REAL), '**', '*.sqlite'), recursive=True))
    check(found, 'no .sqlite in NPROF_NSYS_REAL')
    for path in found:
        rows = compare(path)
        run('report', path).expect(0)
        print(f'# {os.path.basename(path)}: {len(rows)} rows')


main()
