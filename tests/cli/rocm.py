# SPDX-License-Identifier: Apache-2.0
"""rocm.py - profiles of ROCm: rocpd databases of all layouts and .rpd, rocprofv3's JSON and CSV;
made ones (tests/tools/rocm_make.py), damaged and hostile ones. What must come out is counted from
what was drawn, by Python."""

import collections
import csv
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
import rocm_make  # noqa: E402

DATA = os.environ.get('NPROF_TEST_DATA', '')
REAL = os.environ.get('NPROF_NSYS_REAL', '')
WAYS = {1: 'Memcpy HtoD', 2: 'Memcpy DtoH', 3: 'Memcpy DtoD'}


def ps(text):
    """Decimal ns as integer ps."""
    whole, _, part = text.partition('.')
    return int(whole + part.ljust(3, '0')[:3])


def events(*paths, how=(), env=None):
    return rows_of(run('run', '-s', 'csv', '-o', '-', *how, *paths, env=env).expect(0).out)


def table(name, *arguments):
    return rows_of(run('run', '-s', f'csv:table={name}', '-o', '-', *arguments).expect(0).out)


def skipped(path):
    return {(row['what'], row['reason']): int(row['count']) for row in table('skipped', path)}


def lasted(rows):
    return sum(ps(row['duration_ns']) for row in rows)


def union(spans):
    """How long at least one of them lasts."""
    total, at = 0, None
    for start, end in sorted(spans):
        total += max(0, end - (start if at is None else max(start, at)))
        at = end if at is None else max(at, end)
    return total


# -- What was drawn, and what was read: the same dict --------------------------------------


def drawn(p, texts=True, sizes=True, samples=True):
    good = p.good()
    ids = {c['id'] for c in p.calls}
    sums = collections.Counter()
    for c in p.counts:
        if c['dispatch'] in {k['id'] for k in good}:
            sums[c['name']] += c['value']
    ranges = [m for m in p.marks if m['end'] > m['start']]

    def step_of(k):
        call = [c for c in p.calls if c['id'] == k['call']][0]
        return [m['text'].split()[1] for m in ranges if m['start'] <= call['start'] < m['end']][0]

    return {
        'calls': (len(p.calls), 1000 * sum(c['end'] - c['start'] for c in p.calls)),
        'names of calls': collections.Counter(c['name'] for c in p.calls),
        'ranges': collections.Counter(
            (m['text'] if texts else m['call'], 1000 * (m['end'] - m['start'])) for m in ranges
        ),
        'marks': collections.Counter(
            m['text'] if texts else 'roctx' for m in p.marks if m['end'] == m['start']
        ),
        'kernels': collections.Counter(
            (
                rocm_make.KERNELS[k['kernel']][0],
                f'GPU {k["gpu"]}',
                f'queue {k["queue"]}',
                str(k['stream']),
                1000 * (k['end'] - k['start']),
            )
            for k in good
        ),
        'steps of kernels': collections.Counter(step_of(k) if texts else '' for k in good),
        'launched': sum(k['call'] in ids for k in good),
        'grids': collections.Counter(
            f'static_shared:{k["shared"]} grid:{k["grid"] // k["block"]},1,1 block:{k["block"]},1,1'
            for k in good
        ),
        'copies': collections.Counter(
            (
                WAYS[c['way']],
                f'GPU {c["gpu"]}',
                'copies',
                str(c['bytes']) if sizes else '',
                1000 * (c['end'] - c['start']),
            )
            for c in p.copies
        ),
        'busy': {
            f'GPU {g}': 1000
            * union([(w['start'], w['end']) for w in good + p.copies if w['gpu'] == g])
            for g in range(p.gpus)
            if any(w['gpu'] == g for w in good + p.copies)
        },
        'memory': [u['change'] for u in sorted(p.uses, key=lambda u: u['end'])],
        'counters': dict(sums),
        'samples': [s['value'] for s in p.samples] if samples else [],
    }


def was_read(rows):
    calls = [
        row for row in rows if row['kind'] == 'span' and row['category'] in ('hip_runtime', 'rccl')
    ]
    kernels = [row for row in rows if row['category'] == 'kernel']
    copies = [row for row in rows if row['category'] == 'gpu_memcpy']
    roctx = [row for row in rows if row['category'] == 'roctx']
    ids = {row['correlation_id'] for row in calls}
    sums = collections.Counter()
    for row in kernels:
        sums.update(
            {
                k: v
                for k, v in json.loads(row['attributes'] or '{}').items()
                if k in rocm_make.COUNTERS
            }
        )
    spans = collections.defaultdict(list)
    for row in kernels + copies:
        spans[row['process']].append(
            (ps(row['start_ns']), ps(row['start_ns']) + ps(row['duration_ns']))
        )
    return {
        'calls': (len(calls), lasted(calls)),
        'names of calls': collections.Counter(row['name'] for row in calls),
        'ranges': collections.Counter(
            (row['name'], ps(row['duration_ns'])) for row in roctx if row['kind'] == 'span'
        ),
        'marks': collections.Counter(row['name'] for row in roctx if row['kind'] == 'instant'),
        'kernels': collections.Counter(
            (row['name'], row['process'], row['thread'], row['stream'], ps(row['duration_ns']))
            for row in kernels
        ),
        'steps of kernels': collections.Counter(row['step'] for row in kernels),
        'launched': sum(row['correlation_id'] in ids for row in kernels),
        'grids': collections.Counter(
            row['kernel_details'].replace('regs:128 ', '') for row in kernels
        ),
        'copies': collections.Counter(
            (row['name'], row['process'], row['thread'], row['bytes'], ps(row['duration_ns']))
            for row in copies
        ),
        'busy': {device: union(of) for device, of in spans.items()},
        'memory': [
            int(row['bytes'])
            for row in sorted(rows, key=lambda row: ps(row['start_ns']))
            if row['category'] == 'cuda_memory'
        ],
        'counters': dict(sums),
        'samples': [float(row['value']) for row in rows if row['kind'] == 'counter'],
    }


def compare(path, wanted):
    found = was_read(events(path))
    for what, value in wanted.items():
        check_same(found[what], value, f'{what} of {path}')


# -- rocpd ------------------------------------------------------------------------------------


@test
def every_layout(_folder):
    for seed in range(2):
        p = rocm_make.job(seed, processes=1)[0]
        for layout in rocm_make.LAYOUTS:
            rocm_make.rocpd('a_results.db', [p], layout)
            compare('a_results.db', drawn(p, texts=layout != 'lz4'))
            left = skipped('a_results.db')
            check_same(
                left,
                {('row of rocpd_arg', 'arguments of calls are not read'): len(p.calls)},
                f'skipped of {layout}',
            )


@test
def ranges_of_roctx_are_ranges(_folder):
    """Without their texts they are no steps."""
    p = rocm_make.job(3, processes=1)[0]
    rocm_make.rocpd('a_results.db', [p], 'lz4')
    out = run('run', '-q', '-a', 'modules', '-s', 'csv:table=ranges', '-o', '-', 'a_results.db')
    spans = [m['end'] - m['start'] for m in p.marks if m['end'] > m['start']]
    rows = rows_of(out.expect(0).out)
    check(rows, 'a row for each device that work of a range ran on')
    for row in rows:
        check_same((int(row['calls']), float(row['host_ns'])), (len(spans), sum(spans)), row)


@test
def rows_that_cannot_be(_folder):
    """A dispatch without a start, and one that ends before it starts, are left out and counted;
    their counters too."""
    for layout in rocm_make.LAYOUTS:
        p = rocm_make.job(11, processes=1)[0]
        p.spoil(random.Random(1))
        rocm_make.rocpd('a.db', [p], layout)
        compare('a.db', drawn(p, texts=layout != 'lz4'))
        check_same(
            skipped('a.db')[
                'row of rocpd_kernel_dispatch', 'it has no start, or ends before it starts'
            ],
            2,
            layout,
        )


@test
def several_processes(_folder):
    """A merged file has the rows of its parts; ids count anew in each process, and so do queues on
    a GPU that they share."""
    for seed, nodes in ((21, 1), (22, 2)):
        job = rocm_make.job(seed, processes=3, nodes=nodes)
        for layout in ('3', '4.0', '4.1'):
            for p in job:
                rocm_make.rocpd(f'{p.pid}.db', [p], layout)
            rocm_make.rocpd('all.db', job, layout)
            rows = events('all.db')
            parts = [row for p in job for row in events(f'{p.pid}.db')]

            def plain(rows):
                return collections.Counter(
                    tuple(
                        v
                        for k, v in row.items()
                        if k
                        in (
                            'kind',
                            'name',
                            'category',
                            'duration_ns',
                            'bytes',
                            'step',
                            'stream',
                            'kernel_details',
                            'attributes',
                        )
                    )
                    for row in rows
                    if row['kind'] != 'fact'
                )

            check_same(plain(rows), plain(parts), f'rows of {layout}')
            check_same(
                was_read(rows)['launched'], sum(len(p.good()) for p in job), f'launched in {layout}'
            )
            calls = [row['correlation_id'] for row in rows if row['category'] == 'hip_runtime']
            check_same(len(set(calls)), len(calls), 'ids of calls')
            devices = {row['process'] for row in rows if row['category'] == 'kernel'}
            check_same(
                devices,
                {
                    f'GPU {k["gpu"]}' + (f' of node{p.node}' if nodes > 1 else '')
                    for p in job
                    for k in p.kernels
                },
                'GPUs',
            )
            queues = {
                (row['process'], row['thread']) for row in rows if row['category'] == 'kernel'
            }
            check_same(
                len(queues),
                len({(p.pid, k['gpu'], k['queue']) for p in job for k in p.kernels}),
                'queues',
            )


@test
def what_the_file_says_of_gpus(_folder):
    p = rocm_make.job(3, processes=1)[0]
    rocm_make.rocpd('a.db', [p], '3')
    facts = {(row['key'], row['value']) for row in table('facts', 'a.db')}
    check(
        {
            ('device_type', 'AMD Instinct MI300X'),
            ('core_count', '304'),
            ('clock_rate', '2100000000'),
        }
        <= facts,
        str(facts),
    )
    run('info', 'a.db').expect(
        0, out=['  decoder * rocpd', '  version * 3', '*main * thread *', '*GPU 0 * device *']
    )
    counters = {
        (row['name'], row['process'], row['unit'])
        for row in events('a.db')
        if row['kind'] == 'counter'
    }
    check_same(counters, {('busy', 'GPU 0', '%')}, 'counters over time')


@test
def steps_of_a_pattern(_folder):
    p = rocm_make.job(5, processes=1, steps=4)[0]
    rocm_make.rocpd('a.db', [p], '3')
    found = {
        row['step']
        for row in events('a.db', how=('-d', 'rocpd:steps=s*p [23]*'))
        if row['category'] == 'kernel'
    }
    check_same(found, {''}, 'a pattern knows no sets')
    found = {
        row['step']
        for row in events('a.db', how=('-d', 'rocpd:steps=st?p *'))
        if row['category'] == 'kernel'
    }
    check(found <= {'0', '1', '2', '3'} and len(found) > 2, str(found))
    run('report', '-a', 'steps', 'a.db').expect(0, out='Summary of ROCm, * 4 steps')


@test
def the_same_however_it_is_read(_folder):
    p = rocm_make.job(6, processes=1)[0]
    rocm_make.rocpd('a.db', [p], '3.0.5')
    rocm_make.tool_json('a.json', [p])
    for path in ('a.db', 'a.json'):
        rows = events(path)
        for n in ('1', '7'):
            check_same(
                events(path, how=('-j', '4'), env={'NPROF_BATCH_ROWS': n}), rows, f'batches of {n}'
            )


@test
def reports(_folder):
    """The first screen is about the GPU, and says what bounds it; the gaps and launches are
    there."""
    p = rocm_make.job(7, processes=1, steps=5)[0]
    rocm_make.rocpd('a.db', [p], '3')
    run('report', 'a.db').expect(
        0,
        err='',
        out=[
            'Summary of ROCm, 1x AMD Instinct MI300X, GPU 0, *',
            'MIXED: *',
            'Kernels',
            'Collectives',
        ],
    )
    launches = table('launches', '-a', 'steps', 'a.db')
    check(sum(int(row['launches']) for row in launches if row['launches']) > 0, str(launches))
    told = run('check', '--meaning', 'a.db').expect(0).out
    for answer in (
        'busy and idle of devices',
        'copies and communication',
        'steps',
        'launches, idle time by cause, the critical path',
    ):
        check(f'yes  {answer}\n' in told, told)


@test
def tables_that_are_not_known(_folder):
    """They are skipped by name, without their GUID; a table that is missing is no error."""
    p = rocm_make.job(8, processes=1)[0]
    rocm_make.rocpd('a.db', [p], '3')
    suffix = p.guid.replace('-', '_')
    with sqlite3.connect('a.db') as db:
        db.execute(f'create table rocpd_hip_event_{suffix} (id integer primary key, guid)')
        db.executemany(f'insert into rocpd_hip_event_{suffix} values (?, 1)', [(1,), (2,)])
        db.execute('create table roc_optiq_bookmarks (id)')
        db.execute('insert into roc_optiq_bookmarks values (1)')
    db.close()
    left = skipped('a.db')
    check_same(
        {what: n for (what, _), n in left.items() if 'arg' not in what},
        {'row of rocpd_hip_event': 2, 'row of roc_optiq_bookmarks': 1},
        'skipped',
    )
    compare('a.db', drawn(p))
    with sqlite3.connect('a.db') as db:
        for name in ('info_process', 'info_thread', 'info_node', 'metadata', 'memory_copy', 'arg'):
            db.execute(f'drop table rocpd_{name}_{suffix}')
    db.close()
    found = was_read(events('a.db'))
    check_same(found['kernels'], drawn(p)['kernels'], 'kernels of a file that lacks tables')
    check_same(found['copies'], collections.Counter(), 'copies of such a file')


@test
def ids_without_a_text(_folder):
    """What a row names by a number that the file does not have is unknown, and no empty text."""
    p = rocm_make.job(9, processes=1)[0]
    rocm_make.rocpd('a.db', [p], '3')
    suffix = p.guid.replace('-', '_')
    with sqlite3.connect('a.db') as db:
        db.execute(f'update rocpd_kernel_dispatch_{suffix} set kernel_id = 99')
        db.execute(f'update rocpd_region_{suffix} set name_id = 9999')
        db.execute(f'update rocpd_event_{suffix} set category_id = 9999')
        db.execute(
            f'update rocpd_memory_copy_{suffix} set event_id = null, queue_id = null, tid = null'
        )
    db.close()
    rows = events('a.db')
    check_same(
        {row['name'] for row in rows if row['category'] == 'kernel'},
        {'kernel without a name'},
        'kernels',
    )
    check_same(
        {row['name'] for row in rows if row['category'] == 'call'},
        {'call without a name', 'sample'},
        'calls',
    )
    check_same(
        {row['correlation_id'] for row in rows if row['category'] == 'gpu_memcpy'}, {''}, 'copies'
    )


@test
def older_databases(_folder):
    """An .rpd of rocmProfileData, which has tables of the same beginnings and is another format."""
    ops, calls = nsys_make.rpd('a.rpd', 1)
    rows = events('a.rpd')
    work = [row for row in rows if row['category'] in ('kernel', 'gpu_memcpy')]
    check_same(
        (len(work), lasted(work)), (len(ops), 1000 * sum(o[5] - o[4] for o in ops)), 'operations'
    )
    hip = [row for row in rows if row['category'] == 'hip_runtime']
    check_same(
        (len(hip), lasted(hip)),
        (len(calls) - 1, 1000 * sum(c[4] - c[3] for c in calls[:-1])),
        'calls',
    )
    check_same([row['name'] for row in rows if row['category'] == 'roctx'], ['my range'], 'markers')
    check_same(
        [float(row['value']) for row in rows if row['kind'] == 'counter'],
        [800.0, 1700.0],
        'samples',
    )
    check_same(
        {(row['process'], row['thread']) for row in work}, {('GPU 2', 'stream 0')}, 'tracks of work'
    )
    starts = {row['correlation_id']: row for row in hip}
    for row in work:
        check(
            ps(row['start_ns']) - ps(starts[row['correlation_id']]['start_ns']) == 1_000_000,
            str(row),
        )
    check_same(
        ps(min(rows, key=lambda r: ps(r['start_ns']))['start_ns']),
        (calls[0][3] % 10**9) * 1000,
        'the first start',
    )
    run('info', 'a.rpd').expect(0, out=['  decoder * rocpd', '  version * 2'])
    run('report', 'a.rpd').expect(0)


@test
def real_case(_folder):
    """A small database of ROCm 7 by hand, which was refused with a false reason."""
    path = os.path.join(DATA, '..', 'golden', 'cases', 'b47_rocpd_rocm7.db.gz')
    if not DATA or not os.path.exists(path):
        raise Skip('no real traces here')
    rows = events(path)
    check_same(
        collections.Counter(row['name'] for row in rows if row['category'] == 'kernel'),
        {'gemm_a(float*)': 20},
        'kernels',
    )
    check('built without' not in run('report', path).expect(0).out, 'no false reason')


@test
def real_rpd(_folder):
    if not REAL:
        raise Skip('NPROF_NSYS_REAL names no folder')
    for path in sorted(glob.glob(os.path.join(glob.escape(REAL), '**', '*.rpd'), recursive=True)):
        rows = events(path)
        db = sqlite3.connect(path)
        n, total = db.execute('select count(*), sum("end" - start) from rocpd_op').fetchone()
        work = [row for row in rows if row['thread'].startswith('stream')]
        check_same((len(work), lasted(work)), (n, total * 1000), f'operations of {path}')
        n, total = db.execute('select count(*), sum("end" - start) from rocpd_api').fetchone()
        calls = [row for row in rows if row['category'] in ('hip_runtime', 'roctx')]
        check_same((len(calls), lasted(calls)), (n, total * 1000), f'calls of {path}')
        check_same(
            sum(row['kind'] == 'counter' for row in rows),
            db.execute('select count(*) from rocpd_monitor').fetchone()[0],
            'samples',
        )
        db.close()


# -- rocprofv3's JSON --------------------------------------------------------------------------


def plain(rows):
    """What rows are, whichever file they come from: their tracks too, but not when the machine
    started."""
    least = min(ps(row['start_ns']) for row in rows if row['kind'] == 'span')
    rows = [
        {**row, 'thread': '4000' if row['thread'] == 'main' else row['thread']} for row in rows
    ]  # only databases name threads
    return collections.Counter(
        (
            ps(row['start_ns']) - least,
            *((k, v) for k, v in row.items() if v and k not in ('input', 'start_ns', 'track')),
        )
        for row in rows
        if row['kind'] not in ('fact', 'counter')
    )


@test
def json_and_databases(_folder):
    """One job gives the same rows from JSON as from a database."""
    for seed in range(31, 34):
        p = rocm_make.job(seed, processes=1)[0]
        p.spoil(random.Random(seed))
        rocm_make.tool_json('a.json', [p])
        rocm_make.rocpd('a.db', [p], '3')
        compare('a.json', drawn(p, samples=False))
        check_same(
            skipped('a.json'),
            {('record of kernel_dispatch', 'it has no start, or ends before it starts'): 2},
            'skipped',
        )
        wanted, found = plain(events('a.db')), plain(events('a.json'))
        check_same(found - wanted, collections.Counter(), 'rows of JSON alone')
        check_same(wanted - found, collections.Counter(), 'rows of the database alone')
        check_same(
            {(row['key'], row['value']) for row in table('facts', 'a.json')},
            {(row['key'], row['value']) for row in table('facts', 'a.db')},
            'facts',
        )


@test
def json_of_several_processes(_folder):
    job = rocm_make.job(35, processes=3, nodes=2)
    rocm_make.tool_json('all.json', job)
    rocm_make.rocpd('all.db', job, '3')
    found, wanted = was_read(events('all.json')), was_read(events('all.db'))
    for what in ('calls', 'kernels', 'launched', 'copies', 'steps of kernels'):
        check_same(found[what], wanted[what], what)
    run('info', 'all.json').expect(
        0, out=['  decoder * rocprofv3', '*GPU 0 of node0*', '*GPU 0 of node1*']
    )


def in_other_order(tool):
    """The parts behind the records, which a reader must know before them."""
    return dict(reversed(list(tool.items())))


@test
def json_in_any_order(_folder):
    p = rocm_make.job(36, processes=1)[0]
    rocm_make.tool_json('a.json', [p])
    tool = in_other_order(rocm_make.tool_of(p))
    tool['pc_samples'] = {'later': [1, {'x': '['}]}
    tool['buffer_records']['ompt'] = [dict(kind=1, start_timestamp=5, end_timestamp=6)] * 3
    write('b.json', json.dumps({'version': 1, 'rocprofiler-sdk-tool': [tool]}, indent=1))
    run('info', '-d', 'rocprofv3', 'b.json').expect(0)
    rows = rows_of(run('run', '-s', 'csv', '-o', '-', '-d', 'rocprofv3', 'b.json').expect(0).out)
    check_same(plain(rows), plain(events('a.json')), 'rows')
    left = rows_of(
        run('run', '-s', 'csv:table=skipped', '-o', '-', '-d', 'rocprofv3', 'b.json').expect(0).out
    )
    check_same(
        [(row['what'], row['count']) for row in left],
        [('record of ompt', '3')],
        'sections that are not known',
    )


@test
def damaged_json(_folder):
    """Cut anywhere, it is an error with the byte; with --keep-going the records before it are
    read."""
    p = rocm_make.job(37, processes=1)[0]
    rocm_make.tool_json('a.json', [p])
    whole, r = read('a.json'), random.Random(5)
    begin = whole.index(b'"buffer_records": {"kernel_dispatch"')
    kernels = len(events('a.json'))
    for _ in range(8):
        cut = r.randrange(begin + 40, len(whole) - 3)
        write('b.json', whole[:cut])
        result = run('run', '-s', 'csv', '-o', '-', 'b.json').expect(
            2, err='*b.json: byte *: this JSON of rocprofv3 cannot be read on: *'
        )
        check(int(result.err.split('byte ')[1].split(':')[0]) <= cut, result.err)
        kept = run('run', '--keep-going', '-s', 'csv', '-o', '-', 'b.json').expect(3)
        check(len(rows_of(kept.out)) <= kernels, 'rows of a file that was cut')
    for n in range(12):
        data = bytearray(whole)
        for _ in range(r.choice((1, 5, 50))):
            data[r.randrange(2, len(data))] = r.randrange(256)
        write('b.json', bytes(data))
        result = run('run', '-s', 'null', '-d', 'rocprofv3', 'b.json')
        check(
            result.status in (0, 2) and (result.status == 0 or 'b.json: ' in result.err),
            result.describe(),
        )
    tool = rocm_make.tool_of(p)
    tool['buffer_records']['kernel_dispatch'][3]['start_timestamp'] = 1.5
    write('b.json', json.dumps({'rocprofiler-sdk-tool': [tool]}))
    at = read('b.json').index(b'1.5, "end_timestamp"')
    result = run('run', '-s', 'null', 'b.json').expect(
        2, err='*record of kernel_dispatch: start_timestamp or end_timestamp is no whole number*'
    )
    byte = int(result.err.split('byte ')[1].split(':')[0])
    check(read('b.json')[byte : byte + 1] == b'{' and at - 300 < byte < at, result.err)
    run('run', '--keep-going', '-s', 'null', 'b.json').expect(3)
    for text in (
        '{"rocprofiler-sdk-tool": []}',
        '{"rocprofiler-sdk-tool": {}}',
        '{"rocprofiler-sdk-tool": 5',
    ):
        write('c.json', text)
        run('run', '-s', 'null', 'c.json').expect(2, err='*c.json: *')


@test
def real_json(_folder):
    """The sample that is public, against a plain reading of it: queues, busy time, communication,
    and that launches are unknown, which is no idle host. Its last 2.3 of 15.1 s are 49 steps of
    training; of the 46 that count the same reading finds a mean of 42.095 ms, in which it
    communicates alone for 29.349."""
    path = os.path.join(DATA, 'json', 'not_a_trace_event_file_rocprof.json.gz')
    if not DATA or not os.path.exists(path):
        raise Skip('no real traces here')
    with gzip.open(path) as file:
        (tool,) = json.load(file)['rocprofiler-sdk-tool']
    names = {s['kernel_id']: s['formatted_kernel_name'] for s in tool['kernel_symbols']}
    records = tool['buffer_records']['kernel_dispatch']
    rows = [row for row in events(path) if row['category'] == 'kernel']
    least = min(k['start_timestamp'] for k in records) // 10**9 * 10**9
    check_same(
        collections.Counter(
            (row['name'], row['thread'], row['stream'], ps(row['start_ns']), ps(row['duration_ns']))
            for row in rows
        ),
        collections.Counter(
            (
                names[k['dispatch_info']['kernel_id']],
                f'queue {k["dispatch_info"]["queue_id"]["handle"]}',
                str(k['stream_id']['handle']),
                1000 * (k['start_timestamp'] - least),
                1000 * (k['end_timestamp'] - k['start_timestamp']),
            )
            for k in records
        ),
        'dispatches',
    )
    (device,) = table('devices', '-a', 'device', path)
    check_same(
        (device['busy_ns'], device['communication_ns'], len({row['thread'] for row in rows})),
        ('4233112334', '4158756678', 5),
        'busy',
    )
    golden = os.path.join(DATA, '..', 'golden', 'inputs', 'rocprofv3_908.tsv')
    if os.path.exists(golden):
        known = dict(line.split('\t')[:2] for line in open(golden, encoding='utf-8'))
        check_same(
            (str(len(rows)), device['busy_ns'], device['communication_ns']),
            (known['dispatches'], known['device busy_ns'], known['communication busy']),
            'figures',
        )
        for queue in {row['thread'] for row in rows}:
            spans = [
                (ps(row['start_ns']), ps(row['start_ns']) + ps(row['duration_ns']))
                for row in rows
                if row['thread'] == queue
            ]
            check_same(
                (str(len(spans)), sum(b - a for a, b in spans), union(spans)),
                (
                    known[queue + ' rows'],
                    1000 * int(known[queue + ' sum']),
                    1000 * int(known[queue + ' busy']),
                ),
                queue,
            )
    screen = (
        run('report', path)
        .expect(
            0,
            out=[
                'COMMUNICATION-BOUND: the GPU communicates while nothing computes 69.7 % of a mean'
                ' period',
                '  step *mean period 42.1 ms = * + communication 29.3 ms + *',
                '  idle *launch not recorded 7.41 ms',
            ],
        )
        .out
    )
    check('HOST-BOUND' not in screen, screen)


# -- rocprofv3's CSV ---------------------------------------------------------------------------


def of_csv(rows, pid):
    """What the tables hold of rows: neither bytes of copies nor what runs."""

    def without(text):
        return str(pid) if text == f'python {pid}' else text

    return plain(
        [
            {
                **row,
                'process': without(row['process']),
                'thread': without(row['thread']),
                'bytes': '' if row['category'] == 'gpu_memcpy' else row['bytes'],
            }
            for row in rows
        ]
    )


@test
def csv_and_json(_folder):
    """The tables of a process give the rows that its JSON gives, whichever of them is named, and
    the folder too."""
    for seed in (41, 42):
        p = rocm_make.job(seed, processes=1)[0]
        p.spoil(random.Random(seed))
        shutil.rmtree('node', ignore_errors=True)
        files = rocm_make.csv_files('node', p)
        rocm_make.tool_json('a.json', [p])
        wanted = of_csv(events('a.json'), p.pid)
        for paths in (
            ['node'],
            files[1:2],
            files[-1:],
            files,
            [f'node/{p.pid}_marker_api_trace.csv'],
        ):
            rows = events(*paths)
            check_same(of_csv(rows, p.pid), wanted, f'rows of {paths}')
        compare('node', drawn(p, sizes=False, samples=False))
        check_same(
            skipped('node'),
            {('row of kernel_trace', 'it has no start, or ends before it starts'): 2},
            'skipped',
        )
        check_same(
            {(row['key'], row['value']) for row in table('facts', 'node')},
            {(row['key'], row['value']) for row in table('facts', 'a.json')},
            'facts',
        )
        run('info', 'node').expect(0, out='  decoder * rocprofv3-csv')


@test
def csv_of_several_processes(_folder):
    """A folder has the tables of several: each is an input, with its own."""
    job = rocm_make.job(43, processes=3)
    for p in job:
        rocm_make.csv_files('node', p)
    rows = events('node')
    check_same({row['input'] for row in rows}, {f'{p.pid}_kernel_trace.csv' for p in job}, 'inputs')
    for p in job:
        own = [row for row in rows if row['input'] == f'{p.pid}_kernel_trace.csv']
        for what, value in drawn(p, sizes=False, samples=False).items():
            check_same(was_read(own)[what], value, f'{what} of {p.pid}')


def rewrite(path, change):
    """Changes the rows of a table, header included."""
    with open(path, encoding='utf-8', newline='') as file:
        rows = [change(row, number) for number, row in enumerate(csv.reader(file))]
    with open(path, 'w', encoding='utf-8', newline='') as file:
        csv.writer(file, lineterminator='\r\n').writerows(rows)


@test
def csv_of_other_versions(_folder):
    """Older tables have agents as numbers and no streams, and some are missing; `rocpd convert`
    writes a Guid in front."""
    p = rocm_make.job(44, processes=1)[0]
    files = rocm_make.csv_files('node', p)
    kernels = f'node/{p.pid}_kernel_trace.csv'
    wanted = was_read(events('node'))
    for path in files:
        rewrite(path, lambda row, number: [p.guid if number else 'Guid', *row])
    check_same(was_read(events('node')), wanted, 'tables with a Guid')
    with open(kernels, encoding='utf-8', newline='') as file:
        stream = next(csv.reader(file)).index('Stream_Id')
    rewrite(
        kernels,
        lambda row, _: [cell.replace('Agent ', '') for i, cell in enumerate(row) if i != stream],
    )
    found = was_read(events('node'))
    check_same(
        found['kernels'],
        collections.Counter((*k[:3], '', k[4]) for k in wanted['kernels'].elements()),
        'kernels without streams',
    )
    for name in ('agent_info', 'hip_api_trace', 'marker_api_trace'):
        os.remove(f'node/{p.pid}_{name}.csv')
    rows = events('node')
    check_same(
        {row['process'] for row in rows if row['category'] == 'kernel'},
        {f'GPU {1 + k["gpu"]}' for k in p.kernels},
        'agents by number',
    )
    check_same(was_read(rows)['launched'], 0, 'launched without calls')
    os.rename(kernels, 'mine.csv')
    check_same(
        len([row for row in events('mine.csv') if row['category'] == 'kernel']),
        len(p.kernels),
        'a table under a name of its own',
    )


@test
def damaged_csv(_folder):
    """A row that cannot be read names its file and line; changed bytes never crash it."""
    p = rocm_make.job(45, processes=1)[0]
    rocm_make.csv_files('node', p)
    kernels, calls = f'node/{p.pid}_kernel_trace.csv', f'node/{p.pid}_hip_api_trace.csv'
    whole = read(calls)
    lines = whole.split(b'\n')
    lines[3] = lines[3].replace(str(p.calls[2]['start']).encode(), b'1.5')
    write(calls, b'\n'.join(lines))
    run('run', '-s', 'null', kernels).expect(
        2,
        err=f'*{p.pid}_hip_api_trace.csv, line 4: Start_Timestamp or End_Timestamp is no whole number*',
    )
    run('run', '--keep-going', '-s', 'null', kernels).expect(3, err='*line 4: *')
    write(calls, whole[:-40] + b'"open')
    run('run', '-s', 'null', kernels).expect(
        2, err=f'*{p.pid}_hip_api_trace.csv, line {len(whole.splitlines())}: *'
    )
    write(calls, whole)
    r, data = random.Random(6), read(kernels)
    for _ in range(12):
        changed = bytearray(data)
        for _ in range(r.choice((1, 5, 50))):
            changed[r.randrange(60, len(changed))] = r.randrange(256)
        write(kernels, bytes(changed))
        result = run('run', '-s', 'null', '-d', 'rocprofv3-csv', kernels)
        check(
            result.status in (0, 2) and (result.status == 0 or 'kernel_trace.csv' in result.err),
            result.describe(),
        )
    write('other.csv', 'Name,Calls\na,1\n')
    run('run', '-s', 'null', '-d', 'rocprofv3-csv', 'other.csv').expect(
        2, err='*other.csv: line 1: the header is of no table of rocprofv3*'
    )


# -- Damage ----------------------------------------------------------------------------------


@test
def other_databases(_folder):
    with sqlite3.connect('people.rpd') as db:
        db.execute('create table people (name)')
    db.close()
    run('run', '-s', 'null', 'people.rpd').expect(
        2, err='*: byte 100: the schema has no table of rocpd, but people: *'
    )
    with sqlite3.connect('compute.db') as db:
        db.execute('create table compute_workload (id)')
        db.execute('create table compute_kernel (id)')
    db.close()
    run('info', 'compute.db').expect(
        2,
        err='*is a database of rocprof-compute: metrics of kernels without a timeline: *--sys-trace*',
    )


@test
def damaged_rows(_folder):
    """A row that is none is an error with its table and rowid; with --keep-going it is counted."""
    p = rocm_make.job(10, processes=1)[0]
    suffix = p.guid.replace('-', '_')
    for name, column in (
        ('kernel_dispatch', 'start'),
        ('region', 'end'),
        ('memory_copy', 'start'),
        ('memory_allocate', 'address'),
        ('sample', 'timestamp'),
        ('pmc_event', 'value'),
    ):
        for value in ("'now'", 'null') if name != 'pmc_event' else ('null',):
            rocm_make.rocpd('a.db', [p], '3')
            with sqlite3.connect('a.db') as db:
                (row,) = db.execute(f'select max(id) from rocpd_{name}_{suffix}').fetchone()
                db.execute(
                    f'update rocpd_{name}_{suffix} set "{column}" = {value} where id = ?', (row,)
                )
            db.close()
            run('run', '-s', 'null', 'a.db').expect(
                2, err=f'*a.db: *table rocpd_{name}_{suffix}, rowid {row}: *'
            )
            run('run', '--keep-going', '-s', 'null', 'a.db').expect(3, err=f'*rowid {row}: *')


@test
def damaged(_folder):
    """Cut anywhere, or with bytes changed: an error that names the place, or fewer rows; never a
    crash."""
    rocm_make.rocpd('a.db', rocm_make.job(12), '4.0')
    whole, r = read('a.db'), random.Random(4)
    seen = collections.Counter()
    for n in range(12):
        data = bytearray(whole)
        if n % 3 == 0:
            del data[r.randrange(200, len(data)) :]
        else:
            for _ in range(r.choice((1, 5, 50))):
                data[r.randrange(16, len(data))] = r.randrange(256)
        write('b.db', bytes(data))
        result = run('run', '-s', 'csv', '-o', '-', 'b.db')
        seen[result.status] += 1
        check(result.status in (0, 2), result.describe())
        check(result.status == 0 or 'b.db: ' in result.err, result.describe())
        check(
            run('run', '--keep-going', '-s', 'csv', '-o', '-', 'b.db').status in (0, 2, 3),
            'with --keep-going',
        )
    check(seen[2] > 3, f'statuses {seen}')


@test
def hostile(_folder):
    """Views, triggers and columns that are functions are never run."""
    p = rocm_make.job(13, processes=1)[0]
    rocm_make.rocpd('a.db', [p], '3')
    suffix = p.guid.replace('-', '_')
    expected = len(events('a.db'))
    with sqlite3.connect('a.db') as db:
        db.execute(
            f'create view rocpd_graph_launch_{suffix} as with recursive c(x) as (select 1 union all select x + 1 from c) select x from c'
        )
        db.execute('create trigger t instead of insert on rocpd_region begin select 1; end')
    db.close()
    check_same(len(events('a.db')), expected, 'rows beside views')
    with sqlite3.connect('a.db') as db:
        db.execute(f'drop table rocpd_memory_copy_{suffix}')
        db.execute(
            f'create table rocpd_memory_copy_{suffix} (id integer primary key, start, "end", boom as (zeroblob(1000000000)))'
        )
        db.execute(f'insert into rocpd_memory_copy_{suffix} values (1, 2, 3)')
    db.close()
    run('run', '-s', 'null', 'a.db').expect(0)  # nobody asks for that column
    with sqlite3.connect('a.db') as db:
        db.execute(f'alter table rocpd_memory_copy_{suffix} rename column boom to size')
    db.close()
    run('run', '-s', 'null', 'a.db').expect(
        2, err=f'*table rocpd_memory_copy_{suffix}, row 1: string or blob too big*'
    )


main()
