# SPDX-License-Identifier: Apache-2.0
"""ascend.py - databases of Ascend's profilers: made ones (tests/tools/ascend_make.py), each row
against what was drawn; with tables missing, damaged and hostile."""

import collections
import json
import os
import random
import re
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))

from harness import check, check_same, main, read, rows_of, run, test, write  # noqa: E402
import ascend_make as make  # noqa: E402
from viewserver import Server, strip_of  # noqa: E402


def table(name, *arguments):
    return rows_of(run('run', '-s', f'csv:table={name}', '-o', '-', *arguments).expect(0).out)


def ns(text):
    check('.' not in text, f'{text} ns is not whole')
    return int(text)


def events(path):
    return rows_of(run('run', '--meaning', '-s', 'csv', '-o', '-', path).expect(0).out)


def union(spans):
    total, at = 0, None
    for start, end in sorted(spans):
        total += max(0, end - (start if at is None else max(start, at)))
        at = end if at is None else max(at, end)
    return total


def made(seed, **how):
    job = make.Job(seed)
    make.write('ascend_pytorch_profiler_11.db', job, **how)
    return job, 'ascend_pytorch_profiler_11.db'


@test
def counters_stand_behind_the_streams(_folder):
    """Each on a track of its own, so that it has a name and one unit: the track of a device has none."""
    _, path = made(7)
    rows = [r for r in rows_of(run('run', '-s', 'csv', '-o', '-', path).expect(0).out)]
    counters = [r for r in rows if r['kind'] == 'counter']
    check({r['name'] for r in counters} >= {'AI core frequency'}, counters[:1])
    check_same({r['thread'] for r in counters}, {r['name'] for r in counters}, 'a track each')
    tracks = table('tracks', path)
    kinds = [t['kind'] for t in tracks if t['kind'] in ('queue', 'counter')]
    order = sorted(tracks, key=lambda t: int(t['sort']))
    behind = [t['kind'] for t in order if t['kind'] in ('queue', 'counter')]
    check_same(behind, sorted(kinds, key=lambda kind: kind == 'counter'), tracks)


def of(rows, work, *keys):
    zero = make.BASE - make.BASE % 10**9
    return collections.Counter(
        (
            row['name'],
            ns(row['start_ns']) + zero,
            ns(row['duration_ns']),
            *(row[key] for key in keys),
        )
        for row in rows
        if row['work'] == work and row['process'] == f'NPU {make.DEVICE}'
    )


BASE_OF_CALLS = make.BASE + 10**6


@test
def every_row(_folder):
    for seed in range(5):
        job, path = made(seed)
        rows = events(path)
        check_same(
            of(rows, 'compute', 'correlation_id', 'step', 'engine', 'operator'),
            collections.Counter(
                (n, s, d, str(c), str(step), engine, op)
                for n, s, d, c, step, engine, op in job.compute
            ),
            'kernels',
        )
        check_same(
            of(
                rows,
                'communication',
                'correlation_id',
                'step',
                'elements_in',
                'sequence',
                'operator',
                'dtype',
                'group',
                'thread',
            ),
            collections.Counter(
                (
                    n,
                    s,
                    d,
                    str(c),
                    str(step),
                    str(e),
                    str(q),
                    op,
                    'Float',
                    make.GROUP,
                    'Group 0 Communication',
                )
                for n, s, d, c, step, e, q, op in job.collectives
            ),
            'collectives',
        )
        check_same(
            of(rows, 'copy', 'correlation_id', 'step', 'thread'),
            collections.Counter(
                ('MEMCPY_ASYNC', s, d, str(c), str(step), 'stream 7')
                for s, d, c, step in job.copies
            ),
            'copies',
        )
        check_same(
            of(rows, 'wait'),
            collections.Counter(('EVENT_WAIT', s, d) for s, d in job.waits),
            'waits',
        )
        tasks = [row for row in rows if row['kind'] == 'span' and row['process'].startswith('NPU')]
        check_same(len(tasks), len(job.rows['TASK']) + len(job.collectives), 'rows of the device')
        calls = [row for row in rows if row['category'].endswith('_api')]
        check_same(
            sorted(row['correlation_id'] for row in calls),
            sorted(str(c) for _, _, c in job.calls),
            'calls',
        )
        check_same(
            sum(row['category'] == 'cpu_op' for row in rows), len(job.operators) + 3, 'operators'
        )
        held = [int(row['value']) for row in rows if row['name'] == 'PTA allocated']
        check_same(held, job.memory, 'memory')
        clock = [row for row in rows if row['name'] == 'AI core frequency']
        check_same(
            [(float(row['value']), row['unit']) for row in clock], [(1.8e9, 'Hz')] * 6, 'clock'
        )


@test
def layers_of_calls(_folder):
    """A call's category is its layer, by the number that the vendor gave that; one of a number
    that is not known is a call."""
    layers = {
        20000: 'acl_api',
        15000: 'model_api',
        10000: 'node_api',
        5500: 'hccl_api',
        5000: 'runtime_api',
        7: 'call',
    }
    job = make.Job(1)
    for k, layer in enumerate(layers):
        start = BASE_OF_CALLS + 100 * k
        job.rows['CANN_API'].append(
            (start, start + 50, layer, make.PID << 32 | 2, 5000 + k, job.text(f'call {layer}'))
        )
    make.write('layers.db', job)
    found = {row['name']: row['category'] for row in events('layers.db')}
    for layer, category in layers.items():
        check_same(found[f'call {layer}'], category, f'layer {layer}')


@test
def figures(_folder):
    """What waits, controls, wraps, and parts of collectives are no work."""
    for seed in range(5):
        job, path = made(seed)
        (device,) = table('devices', '-a', 'device', path)
        compute, communication, copies = (
            [(row[at], row[at] + row[at + 1]) for row in rows]
            for rows, at in ((job.compute, 1), (job.collectives, 1), (job.copies, 0))
        )
        check_same(
            [ns(device[key]) for key in ('compute_ns', 'communication_ns', 'copy_ns', 'busy_ns')],
            [
                union(compute),
                union(communication),
                union(copies),
                union(compute + communication + copies),
            ],
            'unions',
        )
        check_same(len(table('steps', '-a', 'steps', path)), 3, 'steps')


@test
def strip_of_the_page(_folder):
    """The same in the strip of the page, where computing hides collectives, and these copies."""
    for seed in range(3):
        job, path = made(seed)
        with Server(path) as server:
            (profile,) = re.findall('n_[0-9a-f]{40}', server.lines[0])
            found, off = strip_of(server, profile, f'NPU {make.DEVICE}')
            names = server.profile('names', profile).json()['names']
            shared = server.profile('s?by=name', profile).json()['shared']
        classes = {name[0]: name[7] for name in names if name[0] == 'EVENT_WAIT'}
        check_same(classes, {'EVENT_WAIT': None}, 'the class of waits')
        compute, communication, copies = (
            [(row[at], row[at] + row[at + 1]) for row in rows]
            for rows, at in ((job.compute, 1), (job.collectives, 1), (job.copies, 0))
        )
        times = [sum(end - start for start, end in one) for one in (compute, communication, copies)]
        check_same(
            [one['kinds'] for one in shared if one['of'] == 'device work'],
            [
                {
                    kind: str(1000 * time)
                    for kind, time in zip(
                        ('compute', 'communication', 'copies', 'control'), times + [0]
                    )
                }
            ],
            'the work of an area by kind',
        )
        apart = union(compute + communication)
        expected = {
            'busy': union(compute + communication + copies),
            'communication': apart - union(compute),
            'copies': union(compute + communication + copies) - apart,
            'control': 0,
        }
        for kind, ns_of_kind in expected.items():
            wrong = abs(found[kind] - 1000 * ns_of_kind)
            check(wrong <= 0.02 * 1000 * expected['busy'] + off / 4, f'{kind}: {found}, {expected}')


@test
def cores_of_chips(_folder):
    """Chips of 910B have 20 or 24 cube cores: blocks of kernels tell which, or nothing."""
    for blocks, cores in ((24, 24), (22, 24), (20, 20), (19, None), (48, None), (-1, None)):
        job = make.Job(1, blocks)
        make.write('a.db', job)
        facts = {row['key']: row['value'] for row in table('facts', 'a.db')}
        check_same(facts.get('core_count'), cores and str(cores), f'{blocks} blocks')
        peaks = {row['peak_flops'] for row in table('mfu', '-a', 'mfu', 'a.db')}
        wanted = str(cores * 1800 * 10**6 * 8192) if cores else ''
        check_same(peaks, {wanted}, f'peak of {blocks} blocks')


@test
def properties(_folder):
    _, path = made(1)
    (row,) = table('inputs', path)
    check_same(
        json.loads(row['properties']),
        {'world_size': '16', 'schema_version': '1.0.0', 'hostnames': 'node7', 'rank': '11'},
        'properties',
    )
    facts = [(row['key'], row['value']) for row in table('facts', path)]
    check_same(
        facts,
        [('device_type', 'Ascend910B'), ('core_count', '24'), ('clock_rate', '1800000000')],
        'facts',
    )
    check_same(
        {row['what']: int(row['count']) for row in table('skipped', path)},
        {'row of OVERLAP_ANALYSIS': 1},
        'skipped',
    )
    check(
        'Summary of Ascend, 1x Ascend910B, NPU 3' in run('report', path).expect(0).out,
        'a summary of the device',
    )


@test
def of_msprof_alone(_folder):
    """Without rows of PyTorch steps are those of STEP_TIME, and operators unknown."""
    job, path = made(2, leave_out=('PYTORCH_API', 'CONNECTION_IDS', 'MEMORY_RECORD'))
    rows = events(path)
    check_same(
        [row['name'] for row in rows if row['name'].startswith('ProfilerStep#')],
        [f'ProfilerStep#{i}' for i in range(3)],
        'steps',
    )
    check_same({row['operator'] for row in rows}, {''}, 'operators')
    check_same(len(table('steps', '-a', 'steps', path)), 3, 'steps')
    check_same(sum(row['work'] == 'compute' for row in rows), len(job.compute), 'kernels')


@test
def what_cannot_be(_folder):
    job, path = made(3, leave_out=('STRING_IDS',))
    run('run', '-s', 'null', path).expect(2, err='*the schema has no table STRING_IDS*')
    job, path = made(3)
    base = sqlite3.connect(path)
    base.execute('alter table TASK rename column deviceId to device')
    base.commit()
    run('run', '-s', 'null', path).expect(2, err='*table TASK has no column deviceId*')
    job, path = made(3)
    base = sqlite3.connect(path)
    base.execute('update TASK set endNs = startNs - 1 where globalTaskId = 1')
    base.execute('delete from STRING_IDS where value = ?', ('aclnnAdd_Add',))
    base.commit()
    check_same(
        {row['what'] for row in table('skipped', path)},
        {'row of OVERLAP_ANALYSIS', 'row of TASK'},
        'skipped',
    )
    check_same(
        len(of(events(path), 'compute')) + 1 >= len(job.compute), True, 'kernels without a name'
    )


@test
def times_as_text(_folder):
    """One that fits in no number, or is none, is unknown: the row is skipped, and counted."""
    whole = len(events(made(3)[1]))
    for text in ('99999999999999999999', '18446744073709551617', '5 s', ''):
        _, path = made(3)
        base = sqlite3.connect(path)
        base.execute('update PYTORCH_API set startNs = ? where rowid = 2', (text,))
        base.commit()
        check_same(len(events(path)), whole - 1, f'rows beside "{text}"')
        told = {row['what']: row['count'] for row in table('skipped', path)}
        check_same(told.get('row of PYTORCH_API'), '1', f'"{text}"')


@test
def of_few_columns(_folder):
    """The decoder that reads its kind names what it lacks."""
    base = sqlite3.connect('few.db')
    for name in ('TASK', 'STRING_IDS', 'SESSION_TIME_INFO'):
        base.execute(f'create table {name} (id integer)')
    base.commit()
    run('info', 'few.db').expect(2, err='*table STRING_IDS has no column value*')


@test
def vendors_figures_beside_ours(_folder):
    """What analysis.db says of steps; the difference is that to the tables of the same run."""
    rand = random.Random(6)
    job, path = made(4)
    named = {
        'computing': ('computing', 'compute_ns'),
        'communication_not_overlapped': ('not_overlapped', 'exposed_communication_ns'),
        'overlapped': ('overlapped', None),
        'communication': ('communication', None),
        'free': ('free', 'idle_ns'),
        'stage': ('stage', 'window_ns'),
        'bubble': ('bubble', None),
        'preparing': ('preparing', None),
    }
    told = {step: {name: rand.randrange(10**9) / 1000 for name in named} for step in (0, 1, 99)}
    base = sqlite3.connect('analysis.db')
    base.execute(
        f'create table StepTraceTime (deviceId, step, {", ".join(f"{n} real" for n in named)})'
    )
    for step, us in told.items():
        base.execute(
            f'insert into StepTraceTime values (?, ?{", ?" * len(us)})',
            (make.DEVICE, str(step), *us.values()),
        )
    base.commit()
    ours = {
        (int(row['step'].partition('#')[2]), column): ns(row[column])
        for row in table('step_breakdown', '-a', 'steps', path)
        for _, column in named.values()
        if column
    }
    by_rule = {
        (int(row['step']), row['figure']): ns(row['by_rule_ns'])
        for row in table('ascend_steps', path)
        if row['by_rule_ns']
    }
    check({0, 1} <= {step for step, _ in by_rule}, 'steps by the rule')
    rows = table('vendor_figures', '-a', 'vendor', path)
    found = {(int(row['step']), row['figure'], row['rule']): row for row in rows}
    check_same(len(found), 3 * (8 + 4), 'a row for each figure and rule')
    for step, us in told.items():
        for name, (figure, column) in named.items():
            for rule, mine in (
                ('vendor', by_rule.get((step, figure))),
                ('nprof', ours.get((step, column))),
            ):
                row = found.get((step, figure, rule))
                if rule == 'nprof' and not column:
                    check_same(row, None, f'{figure} by nprof')
                    continue
                check_same(
                    (row['device'], row['unit'], row['source'], float(row['vendor'])),
                    (f'NPU {make.DEVICE}', 'us', 'analysis.db', us[name]),
                    f'step {step}: {figure}',
                )
                if mine is None:
                    check_same((row['ours'], row['difference']), ('', ''), figure)
                else:
                    less = round(us[name] * 1000) - mine
                    check_same(
                        (float(row['ours']), float(row['difference'])),
                        (mine / 1000, less / 1000),
                        f'step {step}: {figure} by {rule}',
                    )
                check(bool(row['reason']), f'step {step}: {figure} by {rule}: no reason')
    cut = table('vendor_figures', '-a', 'vendor', '--clip', '--from', '1us', path)
    check_same(
        {(row['ours'], row['reason']) for row in cut},
        {('', "the vendor's is of the whole profile, ours of the window")},
        'of a window',
    )


@test
def any_change(_folder):
    rand = random.Random(5)
    _, path = made(1)
    data = read(path)
    for _ in range(40):
        changed = bytearray(data)
        for _ in range(rand.randint(1, 5)):
            changed[rand.randrange(100, len(changed))] = rand.randrange(256)
        write('a.db', bytes(changed))
        status = run('run', '-k', '-d', 'ascend', '-s', 'csv', '-o', '-', 'a.db').status
        check(status in (0, 2, 3), f'status {status}')


if __name__ == '__main__':
    main()
