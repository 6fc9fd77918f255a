# SPDX-License-Identifier: Apache-2.0
"""clip.py - run, report, gate and diff with --clip: sums of a window against a scan of all rows, and against what nprof view
says of the same window."""

import collections
import json
import os
import random
import re

import xspace
from harness import check, check_same, main, rows_of, run, sample, test
from randomtrace import inside, make, nest, ps, scan
from viewserver import Server

ALL = bool(os.environ.get('NPROF_TEST_ALL'))
SEEDS = range(100, 120 if ALL else 103)
WINDOWS = 20 if ALL else 4


def windows(rows, r):
    timed = [x for x in rows if x.kind != 'fact']
    first, last = min(x.start for x in timed), max(x.start + (x.duration or 0) for x in timed)
    for _ in range(WINDOWS):
        a, b = sorted(r.choice((r.randrange(first - 5, last + 6), r.choice(timed).start)) for _ in range(2))
        yield max(a, 0), max(b, 0)


def touching(rows, t0, t1):
    """(number, row) of spans with an end that share a moment with the window."""
    return [(i, x) for i, x in enumerate(rows) if x.kind == 'span' and x.duration is not None and x.start <= t1 and x.start + x.duration >= t0]


def table(name, path, t0, t1, *more):
    return rows_of(run('run', '-q', '-a', name, '-s', f'csv:table={name}', '-o', '-', '--clip', '--from', f'{t0}ps', '--to', f'{t1}ps', *more, path).expect(0).out)


def middle(durations):
    """As percentiles lie between two durations."""
    at, low = (len(durations) - 1) / 2, (len(durations) - 1) // 2
    return durations[low] + (durations[min(low + 1, len(durations) - 1)] - durations[low]) * (at - low)


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
                expected.append((name, category, len(spans), sum(inside(x, t0, t1) for x in spans), whole[0], whole[-1], middle(whole), sum(whole) / len(whole)))
            found = [(r['name'], r['category'], int(r['calls']), *(ps(r[c + '_ns']) for c in ('total', 'min', 'max', 'median', 'mean'))) for r in table('latency', 't.json', t0, t1)]
            for mine, one in zip(sorted(found), sorted(expected)):
                check_same(mine[:6], one[:6], f'{seed} {t0} {t1}')
                check(abs(mine[6] - one[6]) <= 0.5 and abs(mine[7] - one[7]) <= 0.5, f'{mine} {one}')
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
                sums = {r['name']: r for r in server.profile(f's?t0={t0}&t1={t1}&by=name&percentiles=1', name).json()['rows']}
                mine = collections.defaultdict(lambda: [0, 0])
                for r in table('latency', path, t0, t1):
                    mine[r['name']][0] += int(r['calls'])
                    mine[r['name']][1] += ps(r['total_ns'])
                wanted = {n: [r['count'] - r['unclosed'], int(r['inside'])] for n, r in sums.items() if r['count'] > r['unclosed']}
                check_same(dict(mine), wanted, f'{path} {t0} {t1}')


@test
def what_the_viewer_exports_of_a_window_is_cut(_):
    path = sample()
    with Server(path) as server:
        for t0, t1 in ((4_000_000_000, 5_000_000_123), (7_123_456_789, 7_200_000_000)):
            for what, name in (('latency', 'latency'), ('operators', 'operators')):
                found = rows_of(server.profile(f'export?format=csv&what={what}&t0={t0}&t1={t1}').body.decode())
                wanted = table(name, path, t0, t1)
                columns = [c for c in wanted[0] if c not in ('input', 'mfu', 'hfu')]
                check_same([[r[c] for c in columns] for r in found], [[r[c] for c in columns] for r in wanted], f'{what} of {t0} {t1}')


# -- Devices -------------------------------------------------------------------------------

NAMES = ['matmul', 'add', 'copy.1', 'while']


def device_trace(path, seed):
    """Work of one device, nested, overlapping in part and equal, with flops and bytes; times in whole ns."""
    r = random.Random(seed)
    spans = [(r.randrange(400), r.choice((1, r.randrange(1, 40), r.randrange(1, 300))), r.randrange(len(NAMES)), r.randrange(1000), r.randrange(1, 1000))
             for _ in range(80)]
    spans.sort(key=lambda s: (s[0], -s[1]))
    events = b''.join(xspace.event(1 + n, start * 1000, length * 1000, xspace.int_stat(1, flops) + xspace.int_stat(2, moved))
                      for start, length, n, flops, moved in spans)
    with open(path, 'wb') as file:
        file.write(xspace.plane(2, '/device:TPU:0', xspace.line(3, 'XLA Ops', events), *(xspace.named(4, 1 + i, n) for i, n in enumerate(NAMES)),
                                xspace.named(5, 1, 'flops'), xspace.named(5, 2, 'bytes_accessed')))
    return spans


@test
def operators_and_devices_of_windows(_):
    """Self time with the nesting of the whole file; flops and bytes by the share inside, rounded down, of what nothing lies in."""
    for seed in SEEDS:
        spans = device_trace('d.xplane.pb', seed)
        rows = [x for x in scan('d.xplane.pb') if x.kind == 'span' and x.track]
        check_same([(x.start, x.duration) for x in rows], [(s[0] * 1000, s[1] * 1000) for s in spans], 'rows')
        below = nest(rows, {x.track for x in rows})
        for t0, t1 in windows(rows, random.Random(seed)):
            wanted = collections.defaultdict(lambda: [0] * 6)
            for i, x in touching(rows, t0, t1):
                one, part = wanted[x.name], inside(x, t0, t1)
                for k, more in enumerate((1, part, part - sum(inside(rows[c], t0, t1) for c in below[i]), x.duration)):
                    one[k] += more
                if not any(rows[c].duration for c in below[i]):
                    one[4] += spans[i][3] * part // x.duration
                    one[5] += spans[i][4] * part // x.duration
            found = {r['operator']: r for r in table('operators', 'd.xplane.pb', t0, t1) if r['level'] == 'name' and r['calls'] != '0'}
            check_same(sorted(found), sorted(wanted), f'operators in {t0} {t1}')
            for name, one in wanted.items():
                r = found[name]
                check_same([int(r['calls']), ps(r['total_ns']), ps(r['self_ns'])], one[:3], f'{name} in {t0} {t1} of {seed}')
                check(abs(ps(r['mean_ns']) - one[3] / one[0]) <= 0.5, f'mean of {name}: {r}')
                check_same([int(r['flops'] or 0), int(r['bytes'] or 0)], one[4:], f'work of {name} in {t0} {t1} of {seed}')
            covered, busy = t0, 0
            for x in sorted(rows, key=lambda x: x.start):
                if x.duration:
                    busy += max(0, min(x.start + x.duration, t1) - max(x.start, covered))
                    covered = max(covered, min(x.start + x.duration, t1))
            devices = rows_of(run('run', '-q', '-a', 'device', '-s', 'csv:table=devices', '-o', '-', '--clip', '--from', f'{t0}ps', '--to', f'{t1}ps', 'd.xplane.pb').expect(0).out)
            check_same(sum(ps(r['busy_ns']) for r in devices), busy, f'busy in {t0} {t1} of {seed}')


@test
def the_four_commands_cut(_):
    device_trace('d.xplane.pb', 7)
    at = ('--clip', '--from', '100ns', '--to', '150ns')
    report = run('report', *at, '--only', 'operators', '--format', 'json', 'd.xplane.pb').expect(0)
    check('prorated' in report.out, 'flops_source')
    totals = json.loads(run('report', *at, '--only', 'devices', '--format', 'json', 'd.xplane.pb').expect(0).out)
    check('50' in json.dumps(totals), f'{totals}')
    run('gate', '-q', *at, 'd.xplane.pb', 'devices.span_ns <= 50ns').expect(0)
    run('gate', '-q', '--from', '100ns', '--to', '150ns', 'd.xplane.pb', 'devices.span_ns <= 50ns').expect(6)
    device_trace('e.xplane.pb', 8)
    whole, cut = (json.loads(run('diff', '-q', *options, '--format', 'json', 'd.xplane.pb', 'e.xplane.pb').expect(0).out) for options in (at[1:], at))
    check(re.search(r'\d', json.dumps(cut)) and cut != whole, 'diff')


@test
def wrong_use_is_told(_):
    alone = run('report', '--clip', sample()).expect(1)
    check('--clip cuts spans at the edges of --from and --to' in alone.err, alone.err)
    run('info', '--clip', sample()).expect(1)
    warned = run('report', '--clip', '--from', '1ms', sample()).expect(0)
    check('--clip: ' in warned.err and 'count whole' in warned.err, warned.err)
    check('count whole' not in run('report', '--from', '1ms', sample()).expect(0).err, 'no --clip')


@test
def rows_stay_whole(_):
    at = ('--from', '5ms', '--to', '6ms', '-s', 'csv:table=events', '-o', '-', sample())
    check_same(run('run', '--clip', *at).expect(0).out, run('run', *at).expect(0).out, 'rows')


if __name__ == '__main__':
    main()
