# SPDX-License-Identifier: Apache-2.0
"""view-layers.py - the model's tree over time in nprof view, against runs that are found here row
by row in what was written."""

import collections
import glob
import gzip
import json
import os
import random
import re
import struct
from decimal import Decimal

import xspace
from harness import Skip, check, check_same, main, run, test, write
from viewserver import Server

PS = 10**6  # of a us
PATHS = [
    'jit(f)/net/a/dot',
    'jit(f)/net/a/add',
    'jit(f)/net/b/deep/mul',
    'jit(f)/transpose(jvp(net))/b/sub',
    'jit(f)/head/exp',
    'jit(f)/while',
    None,
    'jit(f)/net/cos',
]


def layer_of(path):
    """Wrappers of JAX are no part of the model, and programs, loops and the operator itself
    neither."""
    parts = [p for p in (path or '').split('/')[:-1] if not p.startswith('jit(')]
    return [p[len('transpose(jvp(') : -2] if p.startswith('transpose(jvp(') else p for p in parts]


def nested(rng, start, end, depth=0):
    rows, at = [], start
    while at < end - 4:
        first = at + rng.randrange(3)
        last = min(end, first + rng.randrange(2, 40))
        if last <= first:
            break
        rows.append([first, last, rng.choice(PATHS), depth])
        if depth < 2 and last - first > 8 and rng.random() < 0.5:
            rows += nested(rng, first + 1, last - 1, depth + 1)
        at = last
    return rows


def made(rng, steps, length=400):
    """An XSpace of a TPU, and its rows: (start, end, path, self), ps."""
    plane, rows = xspace.Plane(2, '/device:TPU:0'), []
    for step in range(steps):
        if steps > 1:
            plane.add('Steps', str(step), step * length, length)
        rows += nested(rng, step * length, (step + 1) * length)
    for start, end, path, _ in rows:
        plane.add(
            'XLA Ops',
            f'op.{PATHS.index(path)}',
            start,
            end - start,
            **({'tf_op': path} if path else {}),
        )
    own = [
        (
            a * PS,
            b * PS,
            path,
            (
                b
                - a
                - sum(d - c for c, d, _, below in rows if below == depth + 1 and a <= c and d <= b)
            )
            * PS,
        )
        for a, b, path, depth in rows
    ]
    return (
        plane.data(),
        sorted(own, key=lambda row: (row[0], -row[1])),
        [s * length * PS for s in range(steps)] if steps > 1 else [],
    )


def runs_of(rows, steps, label_of):
    """[(start, end, label, busy, rows)] of rows in their order."""
    runs, last = [], None
    for start, end, path, own in rows:
        if path is None:
            continue  # it states nothing
        label, step = label_of(path), sum(s <= start for s in steps)
        if label is not None and (label, step) != last:
            runs.append([start, end, label, 0, 0])
        last = (label, step) if label is not None else None
        if label is None:
            continue
        runs[-1][1] = max(runs[-1][1], end)
        runs[-1][3] += own
        runs[-1][4] += 1
    return sorted(map(tuple, runs))


def picture(body):
    """{lane: [(x0, x1, row, label, count)]}, t0, ps a pixel."""
    magic, version, lanes, n, t0, p, rest, _ = struct.unpack_from('<4sIIIqqII', body)
    check_same((magic, version, rest), (b'NPVW', 1, 0xFFFFFFFF), 'head')
    heads = [struct.unpack_from('<IIII', body, 40 + 16 * i) for i in range(lanes)]
    columns = [struct.unpack_from(f'<{n}I', body, 40 + 16 * lanes + 4 * n * c) for c in range(7)]
    check_same(len(body), 40 + 16 * lanes + 29 * n, 'length')
    return (
        {
            lane: list(zip(*(column[first : first + count] for column in columns[:5])))
            for lane, first, count, _ in heads
        },
        t0,
        p,
    )


def pictures_are_of(server, profile, runs, rng):
    """Counts of rectangles are those of the runs that touch a tile, and alone they are where the
    run is."""
    end = max(run[1] for lane in runs for run in lane)
    whole, t0, p = picture(server.profile('layers/over', profile).body)
    check_same(
        {lane: sum(r[4] for r in rects) for lane, rects in whole.items()},
        dict(enumerate(map(len, runs))),
        'counts of the whole',
    )
    for _ in range(40):
        level = rng.randrange(12, 32)
        tile = rng.randrange(0, end // (2048 << level) + 1)
        found, t0, p = picture(
            server.profile(f'layers/v?l={level}&i={tile}&lanes=0-{len(runs) - 1}', profile).body
        )
        check_same((t0, p), (tile * (2048 << level), 1 << level), 'place')
        for lane, rects in found.items():
            touching = [run for run in runs[lane] if run[0] < t0 + 2048 * p and run[1] > t0]
            check_same(sum(r[4] for r in rects), len(touching), f'lane {lane} of {level}/{tile}')
            check(
                all(a[1] <= b[0] + 16 and a[0] <= b[0] for a, b in zip(rects, rects[1:])), 'order'
            )
            for x0, x1, row, _label, count in rects:
                run = runs[lane][row]
                if count == 1:
                    check_same(
                        (x0, x1),
                        (
                            max(0, (run[0] - t0) * 16 // p),
                            min(16 * 2048, -(-(run[1] - t0) * 16 // p)),
                        ),
                        f'{run}',
                    )
                else:
                    check(run[1] - run[0] <= p, f'{run} is not a part of others at {p}')


@test
def lanes_are_runs_of_rows(_):
    for seed in range(4):
        rng = random.Random(seed)
        data, rows, steps = made(rng, rng.choice((1, 3, 5)))
        write(f'{seed}.xplane.pb', data)
        with Server(f'{seed}.xplane.pb') as server:
            profile = server.api('profiles')['profiles'][0]['bucket']
            answer = server.profile('layers', profile).json()
            tracks = {t['track']: t for t in answer['tracks']}
            lanes = answer['lanes']
            found, by_lane = {}, []
            for lane, (track, count) in enumerate(zip(lanes['track'], lanes['rows'])):
                runs = [
                    server.profile(f'layers/run?row={lane}.{i}', profile).json()
                    for i in range(count)
                ]
                by_lane.append([(int(r['start']), int(r['end'])) for r in runs])
                check(
                    all(a[1] <= b[0] for a, b in zip(by_lane[-1], by_lane[-1][1:])),
                    'runs of a lane do not overlap',
                )
                for r in runs:
                    check(r['total'] >= r['rows'] and len(r['hits']) == r['total'], f'rows of {r}')
                    check(
                        all(
                            int(r['start']) <= int(h['start'])
                            and int(h['start']) + int(h['duration']) <= int(r['end'])
                            for h in r['hits']
                        ),
                        f'{r}',
                    )
                found.setdefault(tracks[track]['label'], []).extend(
                    (int(r['start']), int(r['end']), r['path'], int(r['busy']), r['rows'])
                    for r in runs
                )
            wanted = {'operators': runs_of(rows, steps, lambda path: path)}
            for level in range(1, 4):
                part = runs_of(
                    rows,
                    steps,
                    lambda path, n=level: '/'.join(layer_of(path)[:n])
                    if len(layer_of(path)) >= n
                    else None,
                )
                if part:
                    wanted[f'level {level}'] = part
            check_same(sorted(found), sorted(wanted), 'levels')
            for name, runs in wanted.items():
                check_same(sorted(found[name]), runs, f'{name} of {seed}')
            check_same(
                [t['label'] for t in answer['tracks'] if t['kind'] == 'device'],
                ['/device:TPU:0'],
                'devices',
            )
            check_same(answer['rows'], sum(map(len, wanted.values())), 'runs')
            pictures_are_of(server, profile, by_lane, rng)
            server.profile('layers/run?row=99.0', profile, 404)
            server.profile('layers/v?l=3&i=0&lanes=99', profile, 404)


@test
def what_states_no_layer_says_so(_):
    write('plain.xplane.pb', xspace.tiny())
    with Server('plain.xplane.pb') as server:
        profile = server.api('profiles')['profiles'][0]['bucket']
        answer = server.profile('layers', profile).json()
        check_same(
            (answer['tracks'], answer['names'], answer['unknown']),
            ([], [], 'needs rows of devices that state their layer, or the path of their operator'),
            'unknown',
        )
        check_same(server.profile('layers/over', profile).body[8:16], bytes(8), 'an empty picture')


MODULE = 'nn.Module: '
NO_WORK = {'cuda_sync', 'gpu_user_annotation', 'user_annotation', 'python_function', 'overhead'}


def ps_of(number):
    """us of JSON, read as they are written, to ps."""
    return int(Decimal(number) * PS)


def kineto_runs(events):
    """{(device, level): [(start, end, path, busy, rows)]} of a trace, by the definition: each row
    of work, its call, and each span around that."""
    spans = [
        dict(e, at=ps_of(e['ts']), to=ps_of(e['ts']) + ps_of(e.get('dur', 0)), n=n)
        for n, e in enumerate(events)
        if e.get('ph') == 'X'
    ]
    modules, calls, work = (
        collections.defaultdict(list),
        collections.defaultdict(list),
        collections.defaultdict(list),
    )
    for e in sorted(spans, key=lambda e: (e['at'], -e['to'], e['n'])):
        thread, correlation = (str(e['pid']), str(e['tid'])), e.get('args', {}).get(
            'correlation', 0
        )
        if e.get('cat') == 'python_function' and e['name'].startswith(MODULE):
            modules[thread].append(e)
        elif e.get('cat') in ('kernel', 'gpu_memcpy', 'gpu_memset'):
            work[e['args']['device']].append(e)
        elif e.get('cat') not in NO_WORK and correlation > 0:
            calls[correlation].append((e, thread))
    wanted = collections.defaultdict(list)
    for device, rows in work.items():
        placed = []
        for e in rows:
            of_id = calls[e['args'].get('correlation', 0)]
            before = [c for c in of_id if c[0]['at'] <= e['at']]
            call, thread = (before or of_id[:1] or [(None, None)])[-1]
            around = (
                [
                    m
                    for m in modules[thread]
                    if m['at'] <= call['at']
                    and m['to'] >= call['to']
                    and (m['at'], -m['to'], m['n']) < (call['at'], -call['to'], call['n'])
                ]
                if call
                else []
            )
            path = [m['name'][len(MODULE) :] for m in around]
            placed.append((e['at'], e['to'], path or None, e['to'] - e['at']))
        for level in range(1, 17):
            found = runs_of(
                placed,
                [],
                lambda path, n=level: None
                if len(path) < n
                else '/'.join(path[:n] if n < 16 else path),
            )
            if found:
                wanted[device, level] = found
    return wanted


def served_runs(name):
    """The same from the server, which also answers with the rows of each run."""
    with Server(name) as server:
        profile = server.api('profiles')['profiles'][0]['bucket']
        answer = server.profile('layers', profile).json()
        tracks, lanes, found = (
            {t['track']: t for t in answer['tracks']},
            answer['lanes'],
            collections.defaultdict(list),
        )
        for lane, (track, count) in enumerate(zip(lanes['track'], lanes['rows'])):
            for i in range(count):
                one = server.profile(f'layers/run?row={lane}.{i}', profile).json()
                check(
                    one['total'] >= one['rows'] and len(one['hits']) == min(one['total'], 1000),
                    f'rows of {one}',
                )
                device = int(
                    re.search(r'GPU (\d+)', tracks[tracks[track]['parent']]['label']).group(1)
                )
                found[device, one['level']].append(
                    (int(one['start']), int(one['end']), one['path'], int(one['busy']), one['rows'])
                )
        return {key: sorted(runs) for key, runs in found.items()}, answer.get('unknown')


def from_first(found):
    """Times from the first run on: where time begins is another test."""
    first = min((runs[0][0] for runs in found.values()), default=0)
    return {
        key: [(run[0] - first, run[1] - first, *run[2:]) for run in runs]
        for key, runs in found.items()
    }


def check_kineto(name, events):
    found, unknown = served_runs(name)
    wanted = kineto_runs(events)
    check_same(unknown is None, bool(wanted), f'unknown of {name}: {unknown}')
    check_same(sorted(found), sorted(wanted), f'levels of {name}')
    for key in wanted:
        check_same(from_first(found)[key], from_first(wanted)[key], f'{key} of {name}')
    return wanted


def frames(rng, thread, start, end, events, ids, depth=0):
    """Modules in each other and calls in them, some of which end with what they lie in."""
    at = start
    while at < end - 3:
        first = at + rng.randrange(3)
        last = min(end, first + rng.randrange(1, 60))
        kind = rng.random()
        if kind < 0.5 and depth < 18:
            events.append(
                {
                    'ph': 'X',
                    'cat': 'python_function',
                    'name': MODULE + rng.choice(('Net_0', 'Block_1', 'Linear_2', 'A/B')),
                    **thread,
                    'ts': first,
                    'dur': last - first,
                }
            )
            frames(rng, thread, first, last, events, ids, depth + 1)
        elif kind < 0.6:
            events.append(
                {
                    'ph': 'X',
                    'cat': 'python_function',
                    'name': 'model.py(7): forward',
                    **thread,
                    'ts': first,
                    'dur': last - first,
                }
            )
        elif kind < 0.9:
            first = last if rng.random() < 0.15 else first  # it takes no time
            ids.append((rng.choice(ids)[0] if ids and rng.random() < 0.1 else len(ids) + 1, first))
            events.append(
                {
                    'ph': 'X',
                    'cat': 'cuda_runtime',
                    'name': 'cudaLaunchKernel',
                    **thread,
                    'ts': first,
                    'dur': last - first,
                    'args': {'correlation': ids[-1][0]},
                }
            )
        at = last


def made_kineto(rng):
    """A trace with several threads of which each calls modules, and two devices whose work begins
    when it may: in its module, long behind it, or before its launch, as clocks may differ."""
    events, ids = [], []
    for tid in range(1, 4):
        frames(rng, {'pid': 9, 'tid': tid}, 0, 600, events, ids)
    if rng.random() < 0.7:  # spans that cross each other
        for _ in range(6):
            at = rng.randrange(600)
            events.append(
                {
                    'ph': 'X',
                    'cat': 'python_function',
                    'name': MODULE + 'Across_3',
                    'pid': 9,
                    'tid': 1,
                    'ts': at,
                    'dur': rng.randrange(90),
                }
            )
    at = {}
    for correlation, called in sorted(ids, key=lambda one: one[1]):
        for _ in range(rng.choice((0, 1, 1, 1, 3))):
            device, stream = rng.randrange(2), rng.randrange(2)
            start = (
                -(-max(at.get((device, stream), 0), called + rng.choice((-2, 0, 0, 1, 5, 80))) // 2)
                * 2
                + stream
            )  # no two of a device at one time
            at[device, stream] = start + rng.randrange(1, 9)
            cat, name = rng.choice(
                (
                    ('kernel', 'gemm'),
                    ('kernel', 'relu'),
                    ('gpu_memcpy', 'Memcpy HtoD'),
                    ('gpu_memset', 'Memset'),
                )
            )
            if rng.random() < 0.1:
                cat, name = 'cuda_sync', 'Stream Wait Event'
            own = {} if rng.random() < 0.05 else {'correlation': correlation}
            events.append(
                {
                    'ph': 'X',
                    'cat': cat,
                    'name': name,
                    'pid': device,
                    'tid': 7 + stream,
                    'ts': start,
                    'dur': at[device, stream] - start,
                    'args': {'device': device, 'stream': 7 + stream, **own},
                }
            )
    rng.shuffle(events)
    return events


@test
def work_of_pytorch_has_the_modules_around_its_launch(_):
    most = 0
    for seed in range(12):
        events = made_kineto(random.Random(seed))
        write(f'{seed}.json', json.dumps({'traceEvents': events}))
        wanted = check_kineto(f'{seed}.json', events)
        most = max([most] + [level for _, level in wanted])
    check(most > 4, f'the traces nest only {most} modules')


@test
def real_traces_of_pytorch_have_lanes_that_sum_up_to_table_modules(_):
    traces = [
        (name, text)
        for name in sorted(
            glob.glob(os.path.join(os.environ.get('NPROF_TEST_DATA', ''), 'json', '*h100*.json.gz'))
        )
        for text in [gzip.open(name, 'rt').read()]
        if MODULE in text
    ]
    if not traces:
        raise Skip('NPROF_TEST_DATA names no folder with traces that have modules')
    for name, text in traces:
        wanted = check_kineto(
            name,
            json.loads(text, parse_float=str, parse_int=lambda n: n if len(n) > 15 else int(n))[
                'traceEvents'
            ],
        )
        check(wanted, f'{name} has modules')
        table, *_ = json.loads(
            run('report', '--format', 'json', '--full', '--top', '0', '--only', 'modules', name)
            .expect(0)
            .out
        )['tables']
        path_at, time_at = table['columns'].index('module'), table['columns'].index('device_ps')
        busy = collections.Counter()
        for runs in wanted.values():
            for _start, _end, path, own, _rows in runs:
                busy[path] += own
        check_same(
            {row[path_at]: row[time_at] for row in table['rows'] if row[time_at]},
            dict(busy),
            f'busy time of {name}',
        )


@test
def a_trace_without_modules_says_how_to_record_them(_):
    call, kernel = (
        {
            'ph': 'X',
            'pid': p,
            'tid': 1,
            'ts': 1,
            'dur': 5,
            'name': n,
            'cat': c,
            'args': {'correlation': 3, 'device': 0, 'stream': 1},
        }
        for p, n, c in ((9, 'cudaLaunchKernel', 'cuda_runtime'), (0, 'gemm', 'kernel'))
    )
    operator, module = {
        'ph': 'X',
        'pid': 9,
        'tid': 1,
        'ts': 0,
        'dur': 7,
        'name': 'aten::mm',
        'cat': 'cpu_op',
    }, {
        'ph': 'X',
        'pid': 9,
        'tid': 1,
        'ts': 0,
        'dur': 7,
        'name': MODULE + 'Net_0',
        'cat': 'python_function',
    }
    for name, events, needs in (
        (
            'plain',
            [operator, call, kernel],
            'needs calls of modules, which torch.profiler records with with_stack=True or with_modules=True',
        ),
        (
            'host',
            [operator, module],
            'needs work of devices that calls of modules launched: the file has only calls of modules',
        ),
        (
            'other',
            [call, kernel],
            'needs rows of devices that state their layer, or the path of their operator',
        ),
    ):
        write(name + '.json', json.dumps({'traceEvents': events}))
        check_same(served_runs(name + '.json'), ({}, needs), name)


if __name__ == '__main__':
    main()
