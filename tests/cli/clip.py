# SPDX-License-Identifier: Apache-2.0
"""clip.py - run, report, gate and diff with --clip: sums of a window against a scan of all rows,
and against what nprof view says of the same window."""

import collections
import json
import math
import os
import random
import re
import sys

import xspace
from gputrace import Trace
from harness import check, check_same, main, rows_of, run, sample, test, write
from randomtrace import inside, make, nest, ps, scan, self_time
from samples import analyzers
from viewserver import Server

sys.path.insert(0, os.path.join(os.environ['NPROF_SOURCE'], 'tests', 'tools'))
import ranks  # noqa: E402

ALL = bool(os.environ.get('NPROF_TEST_ALL'))
SEEDS = range(100, 120 if ALL else 103)
WINDOWS = 20 if ALL else 4


def windows(rows, r):
    timed = [x for x in rows if x.kind != 'fact']
    first, last = min(x.start for x in timed), max(x.start + (x.duration or 0) for x in timed)
    for _ in range(WINDOWS):
        a, b = sorted(
            r.choice((r.randrange(first - 5, last + 6), r.choice(timed).start)) for _ in range(2)
        )
        yield max(a, 0), max(b, 0)


def touching(rows, t0, t1):
    """(number, row) of spans with an end that share a moment with the window."""
    return [
        (i, x)
        for i, x in enumerate(rows)
        if x.kind == 'span'
        and x.duration is not None
        and x.start <= t1
        and x.start + x.duration >= t0
    ]


def table(name, path, t0, t1, *more, analyzer=None):
    return rows_of(
        run(
            'run',
            '-q',
            '-a',
            analyzer or name,
            '-s',
            f'csv:table={name}',
            '-o',
            '-',
            '--clip',
            '--from',
            f'{t0}ps',
            '--to',
            f'{t1}ps',
            *more,
            path,
        )
        .expect(0)
        .out
    )


def middle(durations):
    """As percentiles lie between two durations."""
    at, low = (len(durations) - 1) / 2, (len(durations) - 1) // 2
    return durations[low] + (durations[min(low + 1, len(durations) - 1)] - durations[low]) * (
        at - low
    )


@test
def latency_of_windows(_):
    """Total of what lies inside; count, mean, median and extremes of whole durations."""
    for seed in SEEDS:
        make('t.json', seed)
        rows = scan('t.json')
        for t0, t1 in windows(rows, random.Random(seed)):
            wanted = collections.defaultdict(list)
            for _, x in touching(rows, t0, t1):
                wanted[(x.track, x.name, x.category)].append(x)
            expected = []
            for (_, name, category), spans in wanted.items():
                whole = sorted(x.duration for x in spans)
                expected.append(
                    (
                        name,
                        category,
                        len(spans),
                        sum(inside(x, t0, t1) for x in spans),
                        whole[0],
                        whole[-1],
                        middle(whole),
                        sum(whole) / len(whole),
                    )
                )
            found = [
                (
                    r['name'],
                    r['category'],
                    int(r['calls']),
                    *(ps(r[c + '_ns']) for c in ('total', 'min', 'max', 'median', 'mean')),
                )
                for r in table('latency', 't.json', t0, t1)
            ]
            for mine, one in zip(sorted(found), sorted(expected)):
                check_same(mine[:6], one[:6], f'{seed} {t0} {t1}')
                check(
                    abs(mine[6] - one[6]) <= 0.5 and abs(mine[7] - one[7]) <= 0.5, f'{mine} {one}'
                )
            check_same(len(found), len(expected), 'groups')


@test
def a_window_is_that_of_the_viewer(_):
    paths = [sample(), sample('node-workload.trace.json')]
    for seed in SEEDS:
        make(f't{seed}.json', seed)
        paths.append(f't{seed}.json')
    for path in paths:
        name = run('view', '--ingest-only', path).expect(0).out.split('"')[1]
        rows = scan(path)
        with Server() as server:
            for t0, t1 in windows(rows, random.Random(len(path))):
                sums = {
                    r['name']: r
                    for r in server.profile(
                        f's?t0={t0}&t1={t1}&by=name&percentiles=1', name
                    ).json()['rows']
                }
                mine = collections.defaultdict(lambda: [0, 0])
                for r in table('latency', path, t0, t1):
                    mine[r['name']][0] += int(r['calls'])
                    mine[r['name']][1] += ps(r['total_ns'])
                wanted = {
                    n: [r['count'] - r['unclosed'], int(r['inside'])]
                    for n, r in sums.items()
                    if r['count'] > r['unclosed']
                }
                check_same(dict(mine), wanted, f'{path} {t0} {t1}')


@test
def what_the_viewer_exports_of_a_window_is_cut(_):
    path = sample()
    with Server(path) as server:
        for t0, t1 in ((4_000_000_000, 5_000_000_123), (7_123_456_789, 7_200_000_000)):
            for what, name in (('latency', 'latency'), ('operators', 'operators')):
                found = rows_of(
                    server.profile(f'export?format=csv&what={what}&t0={t0}&t1={t1}').body.decode()
                )
                wanted = table(name, path, t0, t1)
                columns = [c for c in wanted[0] if c not in ('input', 'mfu', 'hfu')]
                check_same(
                    [[r[c] for c in columns] for r in found],
                    [[r[c] for c in columns] for r in wanted],
                    f'{what} of {t0} {t1}',
                )


# -- Devices -------------------------------------------------------------------------------

NAMES = ['matmul', 'add', 'copy.1', 'while']


def device_trace(path, seed):
    """Work of one device, nested, overlapping in part and equal, with flops and bytes; times in
    whole ns."""
    r = random.Random(seed)
    spans = [
        (
            r.randrange(400),
            r.choice((1, r.randrange(1, 40), r.randrange(1, 300))),
            r.randrange(len(NAMES)),
            r.randrange(1000),
            r.randrange(1, 1000),
        )
        for _ in range(80)
    ]
    spans.sort(key=lambda s: (s[0], -s[1]))
    events = b''.join(
        xspace.event(
            1 + n,
            start * 1000,
            length * 1000,
            xspace.int_stat(1, flops) + xspace.int_stat(2, moved),
        )
        for start, length, n, flops, moved in spans
    )
    with open(path, 'wb') as file:
        file.write(
            xspace.plane(
                2,
                '/device:TPU:0',
                xspace.line(3, 'XLA Ops', events),
                *(xspace.named(4, 1 + i, n) for i, n in enumerate(NAMES)),
                xspace.named(5, 1, 'flops'),
                xspace.named(5, 2, 'bytes_accessed'),
            )
        )
    return spans


@test
def operators_and_devices_of_windows(_):
    """Self time with the nesting of the whole file; flops and bytes by the share inside, rounded
    down, of what nothing lies in."""
    for seed in SEEDS:
        spans = device_trace('d.xplane.pb', seed)
        rows = [x for x in scan('d.xplane.pb') if x.kind == 'span' and x.track]
        check_same(
            [(x.start, x.duration) for x in rows],
            [(s[0] * 1000, s[1] * 1000) for s in spans],
            'rows',
        )
        below = nest(rows, {x.track for x in rows})
        for t0, t1 in windows(rows, random.Random(seed)):
            wanted = collections.defaultdict(lambda: [0] * 6)
            for i, x in touching(rows, t0, t1):
                one, part = wanted[x.name], inside(x, t0, t1)
                own = self_time(x, [rows[c] for c in below[i]], t0, t1)
                for k, more in enumerate((1, part, own, x.duration)):
                    one[k] += more
                if not any(rows[c].duration for c in below[i]):
                    one[4] += spans[i][3] * part // x.duration
                    one[5] += spans[i][4] * part // x.duration
            found = {
                r['operator']: r
                for r in table('operators', 'd.xplane.pb', t0, t1)
                if r['level'] == 'name' and r['calls'] != '0'
            }
            check_same(sorted(found), sorted(wanted), f'operators in {t0} {t1}')
            for name, one in wanted.items():
                r = found[name]
                check_same(
                    [int(r['calls']), ps(r['total_ns']), ps(r['self_ns'])],
                    one[:3],
                    f'{name} in {t0} {t1} of {seed}',
                )
                check(abs(ps(r['mean_ns']) - one[3] / one[0]) <= 0.5, f'mean of {name}: {r}')
                check_same(
                    [int(r['flops'] or 0), int(r['bytes'] or 0)],
                    one[4:],
                    f'work of {name} in {t0} {t1} of {seed}',
                )
            devices = rows_of(
                run(
                    'run',
                    '-q',
                    '-a',
                    'device',
                    '-s',
                    'csv:table=devices',
                    '-o',
                    '-',
                    '--clip',
                    '--from',
                    f'{t0}ps',
                    '--to',
                    f'{t1}ps',
                    'd.xplane.pb',
                )
                .expect(0)
                .out
            )
            busy = covered_by([(x.start, x.start + x.duration) for x in rows], t0, t1)
            check_same(sum(ps(r['busy_ns']) for r in devices), busy, f'busy in {t0} {t1} of {seed}')


@test
def flops_and_mfu_of_windows(_):
    """What the viewer's route says of a window: as the report of it, and as all rows by hand."""
    peak = 3  # Tflop/s
    for seed in SEEDS:
        r, plane, spans = random.Random(seed), xspace.Plane(2, '/device:TPU:0'), []
        plane.fact('peak_teraflops_per_second', peak)
        end = 0
        for i in range(60):
            start, length = end + r.randrange(0, 60), r.randrange(1, 50)
            end = start + length
            spans.append((start, length, r.randrange(10**6), r.randrange(1, 10**5)))
            plane.add(
                'XLA Ops',
                f'fusion.{i % 5}',
                start,
                length,
                'loop fusion',
                flops=spans[-1][2],
                bytes_accessed=spans[-1][3],
            )
        write('w.xplane.pb', plane.data())
        rows = [
            x
            for x in scan('w.xplane.pb')
            if x.kind == 'span' and x.name.startswith('fusion') and x.track
        ]
        origin = min(x.start for x in rows) - spans[0][0] * 10**6
        rows = [
            (origin + a * 10**6, origin + (a + n) * 10**6, n * 10**6, flops, moved)
            for a, n, flops, moved in spans
        ]
        name = run('view', '--ingest-only', 'w.xplane.pb').expect(0).out.split('"')[1]
        with Server() as server:
            base = f'/api/v1/p/{name}/{server.generation(name)}/'
            for _ in range(WINDOWS):
                t0, t1 = sorted(r.sample(range(rows[0][0], rows[-1][1]), 2))
                totals = server.get(f'{base}window?t0={t0}&t1={t1}').json()['totals']
                parts = [
                    (max(a, t0), min(b, t1), n, flops, moved)
                    for a, b, n, flops, moved in rows
                    if a <= t1 and b >= t0
                ]
                if not parts:
                    check_same(
                        {m: totals[m]['value'] for m in ('busy', 'flops', 'mfu')},
                        {'busy': None, 'flops': None, 'mfu': None},
                        f'{seed}: nothing in {t0} {t1}',
                    )
                    continue
                span, busy = parts[-1][1] - parts[0][0], sum(b - a for a, b, _, _, _ in parts)
                flops, moved = (sum(p[k] * (p[1] - p[0]) // p[2] for p in parts) for k in (3, 4))
                value = lambda member: totals[member]['value']
                check_same(
                    [
                        int(value('busy')),
                        int(value('idle')),
                        int(value('flops')),
                        int(value('bytes')),
                    ],
                    [busy, span - busy, flops, moved],
                    f'{seed}: {t0} {t1}',
                )
                check(
                    abs(value('mfu') - flops / (peak * span)) < 1e-9,
                    f'{seed}: {t0} {t1}: mfu {value("mfu")}, by hand {flops / (peak * span)}',
                )
                report = json.loads(
                    run(
                        'report',
                        '--only',
                        'devices,mfu',
                        '--format',
                        'json',
                        '--top',
                        '0',
                        '--clip',
                        '--from',
                        f'{t0}ps',
                        '--to',
                        f'{t1}ps',
                        'w.xplane.pb',
                    )
                    .expect(0)
                    .out
                )
                tables = {
                    t['name']: [dict(zip(t['columns'], row)) for row in t['rows']]
                    for t in report['tables']
                }
                [device], [total] = tables['devices'], [
                    t for t in tables['mfu'] if t['operator'] == '(total)' and t['step'] is None
                ]
                check_same(
                    [int(value('busy')), int(value('flops')), int(value('bytes'))],
                    [int(device['busy_ps']), int(total['flops']), int(total['bytes'])],
                    f'{seed}: {t0} {t1}: the report',
                )
                check(
                    math.isclose(value('mfu'), device['mfu'], rel_tol=1e-12),
                    f'{seed}: {t0} {t1}: {value("mfu")}, the report {device["mfu"]}',
                )


# -- Steps, their critical paths, queues, fusions ----------------------------------------------

# Columns that are sums of time: of windows that follow each other they add up to those of the
# whole.
SUMS = {
    'step_breakdown': (
        'steps',
        ('device', 'step'),
        (
            'window',
            'compute',
            'exposed_communication',
            'exposed_copy',
            'idle',
            'idle_host',
            'idle_launch',
            'idle_wait',
            'idle_unlinked',
            'lost',
            'foreign',
            'unlinked',
            'launched',
            'outside_window',
        ),
    ),
    'idle_causes': ('steps', ('device', 'step', 'cause', 'where'), ('duration',)),
    'queue_idle': ('steps', ('device', 'track', 'cause'), ('duration',)),
    'launches': ('steps', ('device', 'track'), ('operation',)),
    'critical': (
        'critical:steps=0',
        ('step', 'process'),
        ('duration', 'host', 'launch', 'compute', 'communication', 'copy', 'queue', 'unknown'),
    ),
    'fusions': ('fusion', ('fusion', 'program'), ('total', 'self')),
}


def tables_of(path, *more):
    """{table: rows} of all that SUMS names."""
    analyzers = [
        word
        for name in sorted({analyzer for analyzer, _, _ in SUMS.values()})
        for word in ('-a', name)
    ]
    wanted = '+'.join(name + '?' for name in [*SUMS, 'critical_path', 'what_if'])
    out = (
        run(
            'run',
            '-q',
            *analyzers,
            '-s',
            f'text:format=json,top=0,tables={wanted}',
            '-o',
            '-',
            *more,
            path,
        )
        .expect(0)
        .out
    )
    found = collections.defaultdict(list)
    for one in json.loads(out)['tables']:
        names = [name.replace('_ps', '').replace('_ns', '') for name in one['columns']]
        found[one['name']] = [dict(zip(names, row)) for row in one['rows']]
    return found


def in_window(path, t0, t1):
    return tables_of(path, '--clip', '--from', f'{t0}ps', '--to', f'{t1}ps')


def sums_of(tables, name):
    _, keys, columns = SUMS[name]
    sums = collections.defaultdict(lambda: [0] * len(columns))
    for row in tables[name]:
        one = sums[tuple(row[key] for key in keys)]
        for i, column in enumerate(columns):
            one[i] += int(row[column] or 0)
    return {key: one for key, one in sums.items() if any(one)}


def job(path, seed):
    """Steps with gaps, copies and collectives, work that is launched in one step and runs in the
    next."""
    r = random.Random(seed)
    kinds = ('gemm', 'relu', 'Memcpy HtoD', 'ncclDevKernel_AllReduce_Sum_f32_RING_LL')
    calls = [
        (r.choice(kinds), f'aten::op{i % 3}', r.choice((1, 3, 20, 60)))
        for i in range(r.randrange(4, 9))
    ]
    return Trace(
        calls, steps=4, seed=seed, gap=r.choice((2, 15)), noise=0.2, linked=seed % 3 > 0
    ).save(path)


@test
def windows_add_up(_):
    for path in [sample(), *(job(f'j{seed}.json', seed) for seed in range(8 if ALL else 3))]:
        whole = tables_of(path)
        check(whole['step_breakdown'], f'{path}: no steps')
        rows = [x for x in scan(path) if x.kind == 'span' and x.duration is not None]
        first, last = min(x.start for x in rows) - 7, max(x.start + x.duration for x in rows) + 7
        cuts = [first, *sorted(random.Random(path).sample(range(first, last), 4)), last]
        parts = [in_window(path, max(a, 0), b) for a, b in zip(cuts, cuts[1:])]
        for name in SUMS:
            found = collections.defaultdict(lambda n=len(SUMS[name][2]): [0] * n)
            for part in parts:
                for key, one in sums_of(part, name).items():
                    found[key] = [a + b for a, b in zip(found[key], one)]
            wanted = sums_of(whole, name)
            if (
                name == 'fusions'
            ):  # by the device's own clock, where the share of a part is rounded down, on both devices
                check(
                    all(
                        a - 2 * len(cuts) <= b <= a
                        for key in wanted
                        for a, b in zip(wanted[key], found[key])
                    ),
                    f'{path}: {found} of {wanted}',
                )
            else:
                check_same(dict(found), wanted, f'{path}: {name}')


@test
def a_window_holds_what_lies_in_it(_):
    """Segments of paths, and idle time, of one window, beside all segments and all rows; numbers of
    whole steps stay."""
    for seed in range(1, 9 if ALL else 4):
        path = job(f'j{seed}.json', seed)
        rows = scan(path)
        busy = [
            x
            for x in rows
            if x.kind == 'span'
            and (x.name in ('gemm', 'relu') or x.name.startswith(('Memcpy', 'nccl')))
        ]
        whole = tables_of(path)
        steps = {
            row['step']: (int(row['start']), int(row['start']) + int(row['window']))
            for row in whole['step_breakdown']
        }
        for t0, t1 in windows(busy, random.Random(seed)):
            part = in_window(path, t0, t1)
            cut = lambda t: min(max(t, t0), t1)
            for row in part['step_breakdown']:
                first, end = (cut(t) for t in steps[row['step']])
                check_same(
                    (int(row['start']), int(row['window'])),
                    (first, end - first),
                    f'{path}: {row["step"]} in {t0} {t1}',
                )
                covered, idle = first, 0
                for x in sorted(busy, key=lambda x: x.start):
                    idle += max(0, min(x.start, end) - covered)
                    covered = max(covered, min(x.start + x.duration, end))
                check_same(
                    int(row['idle']),
                    idle + max(0, end - covered),
                    f'{path}: idle time of {row["step"]} in {t0} {t1}',
                )
            key = lambda s: (s['step'], s['class'], s['name'])
            wanted = [
                (*key(s), cut(int(s['start'])), cut(int(s['start']) + int(s['duration'])))
                for s in whole['critical_path']
            ]
            found = [
                (*key(s), int(s['start']), int(s['start']) + int(s['duration']))
                for s in part['critical_path']
            ]
            check_same(
                sorted(map(str, found)),
                sorted(str(s) for s in wanted if s[4] > s[3]),
                f'{path}: path in {t0} {t1}',
            )
            check(
                all(row in whole['what_if'] for row in part['what_if']),
                f'{path}: what a step would gain',
            )


# -- Memory ---------------------------------------------------------------------------------


@test
def memory_of_windows(_):
    """The largest use while the window lasts, also where nothing changes it then; what is in use at
    its end."""
    for seed in SEEDS:
        r = random.Random(seed)
        used, now, live, changes = 5000, 0, {}, []
        for number in range(120):
            now += r.randrange(1, 9)
            free = live and r.random() < 0.5
            size = -live.pop(address := r.choice(sorted(live))) if free else r.randrange(1, 900)
            if not free:
                live[address := number + 1] = size
            used += size
            changes.append((now, size, address, used))
        events = [
            {
                'ph': 'i',
                's': 't',
                'pid': 1,
                'tid': 1,
                'ts': at,
                'name': '[memory]',
                'cat': 'cpu_instant_event',
                'args': {
                    'Bytes': size,
                    'Addr': address,
                    'Device Type': 1,
                    'Device Id': 0,
                    'Total Allocated': total,
                    'Total Reserved': 9000,
                    'Ev Idx': i,
                },
            }
            for i, (at, size, address, total) in enumerate(changes)
        ]
        write('m.json', json.dumps({'traceEvents': events}))
        start = min(x.start for x in scan('m.json')) - changes[0][0] * 1_000_000
        for _ in range(WINDOWS):
            a, b = sorted(r.sample(range(now), 2))
            t0, t1 = a * 1_000_000 + start - 1, b * 1_000_000 + start + 1
            inside_ = [c for c in changes if a <= c[0] <= b]
            before = [c for c in changes if c[0] < a]
            rows = table('memory', 'm.json', max(t0, 0), t1)
            if not inside_ and not before:
                check_same(rows, [], f'{seed} {a} {b}')
                continue
            level = before[-1][3] if before else None
            peak = max([c[3] for c in inside_] + ([level] if before else []))
            base = level if before else inside_[0][3] - inside_[0][1]
            end = inside_[-1][3] if inside_ else level
            held = sum(live_at(changes, b).values())
            row = rows[0]
            check_same(
                [
                    int(row[c])
                    for c in ('events', 'peak_bytes', 'rise_bytes', 'end_bytes', 'leaked_bytes')
                ],
                [len(inside_), peak, peak - base, end, held],
                f'{seed} {a} {b}',
            )
            check(max(t0, 0) <= ps(row['peak_ns']) <= t1, f'{seed}: {row["peak_ns"]}')
        for _ in range(WINDOWS):  # a window of no length: who holds memory then
            at = r.randrange(changes[0][0], now + 5)
            moment = at * 1_000_000 + start + 1
            holders = table('memory_holders', 'm.json', moment, moment, analyzer='memory')
            known = sum(live_at(changes, at).values())
            used = [c[3] for c in changes if c[0] <= at][-1]
            check_same(sum(int(h['bytes']) for h in holders), used, f'{seed} at {at}')
            check_same(
                sum(int(h['bytes']) for h in holders if h['region'] != '(before the recording)'),
                known,
                f'{seed} at {at}',
            )


def live_at(changes, at):
    live = {}
    for when, size, address, _ in changes:
        if when <= at and size > 0:
            live[address] = size
        elif when <= at:
            live.pop(address, None)
    return live


# -- Ranks of a job ---------------------------------------------------------------------------

# Sums of table by key columns, of which those of windows that follow each other add up to those of
# the whole.
OF_RANKS = {
    'ranks': (('rank',), ('span', 'busy', 'compute', 'communication', 'exposed', 'idle')),
    'rank_steps': (('rank', 'step'), ('duration', 'compute', 'exposed', 'copy', 'idle')),
    'rank_operators': (('role', 'operator', 'category'), ('total',)),
    'groups': (('group',), ('collectives', 'complete', 'transfer', 'late', 'exposed')),
    'job_collectives': (
        ('group', 'sequence', 'step'),
        ('late', 'gain', 'transfer', 'exposed', 'cost'),
    ),
    'collective_calls': (('rank', 'group', 'sequence'), ('duration', 'exposed')),
}


def job_in(folder, *clip):
    """{table: rows} of the analyzer ranks, without the units of columns."""
    out = (
        run(
            'run',
            '-q',
            '-a',
            'ranks:calls=yes',
            '-s',
            f'text:format=json,top=0,tables={"+".join([*OF_RANKS, "stragglers", "job"])}',
            '-o',
            '-',
            *clip,
            folder,
        )
        .expect(0)
        .out
    )
    return {
        one['name']: [
            dict(zip([c.replace('_ps', '').replace('_ns', '') for c in one['columns']], row))
            for row in one['rows']
        ]
        for one in json.loads(out)['tables']
    }


def sums_of_ranks(tables, name):
    keys, columns = OF_RANKS[name]
    sums = collections.defaultdict(lambda: [0] * len(columns))
    for row in tables.get(name, []):
        one = sums[tuple(row[key] for key in keys)]
        for i, column in enumerate(columns):
            one[i] += int(row[column] or 0)
    return {key: one for key, one in sums.items() if any(one)}


def job_rows(folder):
    """(input, name, start, end) of all kernels and copies, from the rows of the run."""
    rows = rows_of(run('run', '-s', 'csv:table=events', '-o', '-', folder).expect(0).out)
    return [
        (r['input'], r['name'], ps(r['start_ns']), ps(r['start_ns']) + ps(r['duration_ns']))
        for r in rows
        if r['kind'] == 'span'
        and r['category'] in ('kernel', 'gpu_memcpy', 'gpu_memset')
        and r['duration_ns']
    ]


def covered_by(spans, t0, t1):
    end, busy = t0, 0
    for a, b in sorted(spans):
        busy += max(0, min(b, t1) - max(a, end))
        end = max(end, min(b, t1))
    return busy


@test
def ranks_of_windows(_):
    """What ranks did is cut; a collective is whole, in the window in which it ends on the rank that
    waited least."""
    for seed in range(4 if ALL else 1):
        how = (
            {'slow': {5: 1.08}},
            {'stall': {(6, 1, 4): 700_000}},
            {'shape': 'pp', 'hosts': 2},
            {'shape': 'uneven', 'hosts': 2},
        )[seed]
        ranks.make(f'job{seed}', ranks.Job(steps=3, layers=4, seed=seed + 3, offset_ms=0.1, **how))
        whole, rows = job_in(f'job{seed}'), job_rows(f'job{seed}')
        check(
            all(whole[name] for name in OF_RANKS),
            f'tables: {[name for name in OF_RANKS if not whole[name]]}',
        )
        first, last = min(r[2] for r in rows), max(r[3] for r in rows)
        r = random.Random(seed)
        within = [
            int(c['start']) + int(c['duration']) // 2
            for c in r.sample([c for c in whole['collective_calls'] if int(c['duration'])], 4)
        ]
        cuts = [
            max(0, first - 10**10),
            *sorted(r.sample(range(first, last), 2) + within),
            last + 10**9,
        ]
        parts = [
            (a, b, job_in(f'job{seed}', '--clip', '--from', f'{a}ps', '--to', f'{b}ps'))
            for a, b in zip(cuts, cuts[1:])
        ]
        for name, (_, columns) in OF_RANKS.items():
            found = collections.defaultdict(lambda n=len(columns): [0] * n)
            for _, _, part in parts:
                for key, one in sums_of_ranks(part, name).items():
                    found[key] = [x + y for x, y in zip(found[key], one)]
            check_same(dict(found), sums_of_ranks(whole, name), f'{seed}: {name}')
        for a, b, part in parts:
            check_window_of_ranks(whole, rows, a, b, part)


def check_window_of_ranks(whole, rows, t0, t1, part):
    for row in part['ranks']:
        own = [(a, b) for label, _, a, b in rows if label == row['file']]
        check(own, f'no rows of {row["file"]}')
        check_same(
            int(row['busy']),
            covered_by(own, t0, t1),
            f'busy time of rank {row["rank"]} in {t0} {t1}',
        )
    calls, total = collections.Counter(), collections.Counter()
    for _, name, a, b in rows:
        if a <= t1 and b >= t0:
            calls[name] += 1
            total[name] += min(b, t1) - max(a, t0)
    mine = collections.defaultdict(lambda: [0, 0])
    for row in part['rank_operators']:
        mine[row['operator']] = [
            mine[row['operator']][0] + int(row['count']),
            mine[row['operator']][1] + int(row['total']),
        ]
    check_same(
        dict(mine), {name: [calls[name], total[name]] for name in calls}, f'operators in {t0} {t1}'
    )
    ends = {}
    for row in sorted(
        whole['collective_calls'], key=lambda r: (int(r['duration']), int(r['rank']))
    ):
        ends.setdefault(
            (row['group'], row['sequence'], row['p2p']), int(row['start']) + int(row['duration'])
        )
    ended = {key[:2] for key, end in ends.items() if t0 < end <= t1}
    key = lambda r: (r['group'], r['sequence'])
    check_same(
        sorted(map(str, part['job_collectives'])),
        sorted(str(r) for r in whole['job_collectives'] if key(r) in ended),
        f'collectives in {t0} {t1}',
    )
    for row in part['stragglers']:
        theirs = [
            r
            for r in part['job_collectives']
            if (r['who'], r['cause']) == (row['who'], row['cause'])
        ]
        check_same(
            [int(row['collectives']), int(row['late']), int(row['cost']), int(row['gain'])],
            [len(theirs), *(sum(int(r[c]) for r in theirs) for c in ('late', 'cost', 'gain'))],
            f'{row["who"]} in {t0} {t1}',
        )


@test
def states_are_of_whole_profiles(_):
    told = run('map', '-o', 'states', '--clip', '--from', '1ms', sample()).expect(1).err
    check(
        '--clip: a state is of a whole profile' in told and 'matched over all of it' in told, told
    )


@test
def the_four_commands_cut(_):
    device_trace('d.xplane.pb', 7)
    at = ('--clip', '--from', '100ns', '--to', '150ns')
    report = run('report', *at, '--only', 'operators', '--format', 'json', 'd.xplane.pb').expect(0)
    check('prorated' in report.out, 'flops_source')
    totals = json.loads(
        run('report', *at, '--only', 'devices', '--format', 'json', 'd.xplane.pb').expect(0).out
    )
    check('50' in json.dumps(totals), f'{totals}')
    run('gate', '-q', *at, 'd.xplane.pb', 'devices.span_ns <= 50ns').expect(0)
    run(
        'gate', '-q', '--from', '100ns', '--to', '150ns', 'd.xplane.pb', 'devices.span_ns <= 50ns'
    ).expect(6)
    device_trace('e.xplane.pb', 8)
    whole, cut = (
        json.loads(
            run('diff', '-q', *options, '--format', 'json', 'd.xplane.pb', 'e.xplane.pb')
            .expect(0)
            .out
        )
        for options in (at[1:], at)
    )
    check(re.search(r'\d', json.dumps(cut)) and cut != whole, 'diff')


@test
def wrong_use_is_told(_):
    alone = run('report', '--clip', sample()).expect(1)
    check('--clip cuts spans at the edges of --from and --to' in alone.err, alone.err)
    run('info', '--clip', sample()).expect(1)
    warned = run(
        'run',
        '-a',
        'extent',
        '-s',
        'null',
        '--clip',
        '--from',
        '1ms',
        sample(),
        env={'NPROF_PLUGIN_PATH': os.environ['NPROF_TEST_PLUGINS']},
    ).expect(0)
    check('--clip: extent: ' in warned.err and 'count whole' in warned.err, warned.err)
    own = run('run', *analyzers(), '-s', 'null', '--clip', '--from', '1ms', sample()).expect(0)
    check('count whole' not in own.err, f'an analyzer of nprof that does not cut: {own.err}')


@test
def a_device_without_work_in_the_window_idles(_):
    """It worked before, so that the file tells of its work; one of which it never does stays
    unknown."""
    planes = []
    for core, ops in enumerate([[(10, 80)], [(5, 15)], []]):
        plane = xspace.Plane(2 + core, f'/device:TPU:{core}')
        plane.add('XLA Modules', 'jit_f(1)', 0, 100, run_id=1)
        for start, end in ops:
            plane.add('XLA Ops', 'dot.1', start, end - start)
        planes.append(plane.data())
    path = write('cores.pb', b''.join(planes))
    columns = ('device', 'busy_ns', 'idle_ns', 'compute_ns', 'busy_reason')
    found = [
        tuple(row[c] for c in columns)
        for row in table('devices', path, 20 * 10**6, 40 * 10**6, analyzer='device')
    ]
    never = 'the file tells when programs ran, and nothing of the work within them'
    check_same(
        found,
        [
            ('/device:TPU:0', '20000', '0', '20000', ''),
            ('/device:TPU:1', '0', '20000', '0', ''),
            ('/device:TPU:2', '', '', '', never),
        ],
        'devices',
    )
    gaps = table('gaps', path, 20 * 10**6, 40 * 10**6, analyzer='device')
    check_same(
        [(row['device'], row['duration_ns']) for row in gaps], [('/device:TPU:1', '20000')], 'gaps'
    )


@test
def rows_stay_whole(_):
    at = ('--from', '5ms', '--to', '6ms', '-s', 'csv:table=events', '-o', '-', sample())
    check_same(run('run', '--clip', *at).expect(0).out, run('run', *at).expect(0).out, 'rows')


if __name__ == '__main__':
    main()
