# SPDX-License-Identifier: Apache-2.0
"""view-analysis.py - the answers of nprof view that are worked out of stored rows and tables,
against the rows themselves and against what the commands of the terminal print."""

import csv
import io
import json
import os
import random
import sys
from urllib.parse import quote

import xspace
from harness import check, check_same, main, read, rows_of, run, sample, test, write
from samples import made_by
from viewserver import ORDINARY, Server

sys.path.insert(0, os.path.join(os.environ['NPROF_SOURCE'], 'tests', 'tools'))
import ranks  # noqa: E402

sys.path.insert(0, os.path.join(os.environ['NPROF_SOURCE'], 'tests', 'view'))
import fixtures  # noqa: E402


def rows(path):
    """All spans of the decoder, as the csv sink writes them."""
    out = run('run', '-s', 'csv:table=events', '-o', '-', path).expect(0).out
    return [r for r in rows_of(out) if r['kind'] == 'span']


def ps(text):
    whole, _, part = text.partition('.')
    return int(whole) * 1000 + int((part + '000')[:3]) if text else 0


@test
def latency_of_a_name(_):
    path = sample()
    spans = rows(path)
    with Server(path) as server:
        for name in ('fusion.14', 'all-reduce.1', 'while.1'):
            wanted = sorted(ps(r['duration_ns']) for r in spans if r['name'] == name)
            found = server.profile(f'latency?name={name}&bins=5').json()
            check_same(found['count'], len(wanted), name)
            if not wanted:
                continue
            check_same([int(found[k]) for k in ('min', 'max')], [wanted[0], wanted[-1]], name)
            check_same(sum(b['count'] for b in found['bins']), len(wanted), f'bins of {name}')
            check_same(int(found['outliers'][0]['duration']), wanted[-1], f'longest of {name}')
            low, high = (
                wanted[0] + 7,
                wanted[-1] + 1_000_000,
            )  # bins of others are wider than its own
            for scale in ('lin', 'log'):
                bins = server.profile(
                    f'latency?name={name}&bins=9&scale={scale}&low={low}&high={high}'
                ).json()['bins']
                edges = [int(b['from']) for b in bins] + [int(bins[-1]['to'])]
                check_same(
                    (edges[0], edges[-1], edges), (low, high, sorted(edges)), f'edges of {name}'
                )
                check_same(
                    [int(b['to']) for b in bins], edges[1:], f'bins of {name} follow each other'
                )
                check_same(
                    [b['count'] for b in bins],
                    [sum(a <= ps < b for ps in wanted) for a, b in zip(edges, edges[1:])],
                    f'bins of {name}',
                )
            for wrong in ('low=-1', f'low={-2**63}&high={2**63 - 1}', f'high={2**62}'):
                check(
                    'expected ps from 0 to'
                    in server.profile(f'latency?name={name}&{wrong}', status=400).body.decode(),
                    wrong,
                )
            check_same(
                [
                    b['count']
                    for b in server.profile(f'latency?name={name}&bins=1&high={2**62 - 1}').json()[
                        'bins'
                    ]
                ],
                [len(wanted)],
                'the most',
            )
            at = (len(wanted) - 1) * 0.5
            low = int(at)
            middle = wanted[low] + (wanted[min(low + 1, len(wanted) - 1)] - wanted[low]) * (
                at - low
            )
            check(abs(int(found['percentiles']['p50']) - middle) <= 0.5, f'median of {name}')
        table = (
            run('run', '-a', 'latency', '-s', 'csv:table=latency', '-o', '-', path).expect(0).out
        )
        line = next(r for r in rows_of(table) if r['name'] == 'fusion.14')
        mine = server.profile(f'latency?name=fusion.14&tracks={line["track"]}').json()[
            'percentiles'
        ]
        for column, key in (
            ('median_ns', 'p50'),
            ('p90_ns', 'p90'),
            ('p95_ns', 'p95'),
            ('p99_ns', 'p99'),
            ('p99_9_ns', 'p99.9'),
        ):
            check_same(int(mine[key]), ps(line[column]), key)
        empty = server.profile('latency?name=nobody').json()
        check_same(
            (empty['count'], empty['min'], empty['percentiles']['p50']),
            (0, None, None),
            'of nothing',
        )


@test
def a_gap_tells_what_is_beside_it_and_what_fills_it(_):
    """An annotation around the gap, or one that begins or ends with a kernel, hides no kernel
    beside it; of a thread its loader is told, not main around it, nor what is a moment long in the
    middle."""

    def row(cat, tid, ts, dur, name):
        return {
            'ph': 'X',
            'cat': cat,
            'name': name,
            'pid': 0 if tid == 7 else 9,
            'tid': tid,
            'ts': ts,
            'dur': dur,
            'args': {'device': 0, 'stream': 7} if tid == 7 else {},
        }

    write(
        'around.json',
        json.dumps(
            {
                'schemaVersion': 1,
                'deviceProperties': [{'id': 0, 'name': 'NVIDIA H100'}],
                'traceEvents': [
                    row('gpu_user_annotation', 7, 0, 2000, 'step'),
                    row('kernel', 7, 10, 90, 'before'),
                    row('kernel', 7, 1100, 90, 'after'),
                    row('gpu_user_annotation', 7, 5, 95, 'forward'),
                    row('gpu_user_annotation', 7, 1100, 400, 'backward'),
                    row('cpu_op', 1, 0, 2000, 'main'),
                    row('cpu_op', 1, 150, 900, 'loader'),
                    row('cpu_op', 1, 590, 20, 'moment'),
                    row('cpu_op', 2, 580, 40, 'other'),
                ],
            }
        ),
    )
    with Server('around.json') as server:
        only = server.api('profiles')['profiles'][0]['bucket']
        found = server.profile('gaps?sort=-duration_ns', only).json()
        columns = [column['name'] for column in found['columns']]
        check_same(int(found['rows'][0][columns.index('duration_ns')]), 1000 * 10**6, 'the gap')
        more = found['rows_more'][0]
        name = lambda at: server.profile(f'e?row={at}', only).json()['name']
        check_same((name(more['before']), name(more['after'])), ('before', 'after'), 'beside it')
        check_same(
            sorted(name(at) for at in more['during']), ['loader', 'other', 'step'], 'within it'
        )


@test
def sums_are_those_of_the_rows(_):
    """By name over the whole, with and without chosen tracks: analyzers' rows are not counted
    twice."""
    path = sample()
    wanted, chosen = {}, {}
    for r in rows(path):
        for sums in (wanted, chosen) if r['thread'] == 'XLA Ops' else (wanted,):
            one = sums.setdefault(r['name'], [0, 0])
            one[0] += ps(r['duration_ns'])
            one[1] += 1
    with Server(path) as server:
        meta = server.profile('meta').json()
        ops = ','.join(str(t['track']) for t in meta['tracks'] if t['label'] == 'XLA Ops')
        for expected, tracks in ((wanted, ''), (chosen, '&tracks=' + ops)):
            found = {
                r['name']: [int(r['whole']), r['count']]
                for r in server.profile('s?by=name' + tracks).json()['rows']
            }
            check_same(found, expected, f'sums {tracks}')


@test
def flame_of_windows(_):
    """Self times of the nodes of a window: those of sums by name, which the store works out
    otherwise."""
    generator = random.Random(9)
    with Server(sample()) as server:
        meta = server.profile('meta').json()
        for _ in range(20):
            t0, t1 = sorted(
                generator.randrange(int(meta['start']), int(meta['end'])) for _ in range(2)
            )
            flame = server.profile(f'flame?t0={t0}&t1={t1}').json()
            found = {}
            for node in flame['nodes']:
                found[node['name']] = found.get(node['name'], 0) + int(node['self'])
            sums = server.profile(f's?t0={t0}&t1={t1}&by=name').json()['rows']
            wanted = {r['name']: int(r['self_inside']) for r in sums}
            check_same(
                {k: v for k, v in found.items() if v},
                {k: v for k, v in wanted.items() if v},
                f'{t0}..{t1}',
            )
            check_same(int(flame['total']), sum(wanted.values()), 'total')
        by_id = {n['id']: n for n in server.profile('flame?order=time').json()['nodes']}
        child = next(n for n in by_id.values() if n['name'] == 'fusion.14')
        check_same(by_id[child['parent']]['name'], 'while.1', 'what it hangs below')
        below = server.profile(f'flame?root={child["parent"]}').json()['nodes']
        check(
            {n['name'] for n in below} >= {'fusion.14', 'while.1'} and len(below) < len(by_id),
            'below a node',
        )
        sources = server.profile('flame?by=source').json()['nodes']
        check(all(':' in n['name'] for n in sources) and len(sources) == 9, f'{sources}')
        check_same({n['parent'] for n in sources}, {0}, 'what sources hang below')


def drawn_frames(rng, at, until, depth=0):
    """(name, start, end, far) of spans in each other: frames of the user, of a library of kernels
    and of a runtime, and operators; far: from the user."""
    while at < until - 4:
        start = at + rng.randrange(3)
        end = rng.randrange(start + 1, until + 1)
        name, far = rng.choice(
            (
                ('model/a.py(1): forward', 0),
                ('torch/nn/modules/module.py(9): _call_impl', 2),
                ('<built-in method linear>', 2),
                ('flash_attn/interface.py(7): run', 1),
                ('aten::mm', 0),
            )
        )
        yield name, start, end, far
        if depth < 5:
            yield from drawn_frames(rng, start, end, depth + 1)
        at = end


@test
def places_of_windows(_):
    """Each us of a window belongs to the innermost of the spans under way that are nearest to the
    user."""
    rng = random.Random(5)
    spans = list(drawn_frames(rng, 0, 400))
    events = [
        {'ph': 'X', 'cat': 'cpu_op' if '::' in name else 'python_function', 'name': name}
        | {'pid': 1, 'tid': 1, 'ts': start, 'dur': end - start, 'args': {}}
        for name, start, end, _ in spans
    ]
    with Server(write('places.pt.trace.json', json.dumps({'traceEvents': events}))) as server:
        profile = server.lines[0].rsplit('/', 1)[1].strip()
        first = int(server.profile('meta', profile).json()['start'])
        begins = min(start for _, start, _, _ in spans)
        for t0, t1 in ((0, 400), (37, 151), (200, 207)):
            wanted = {}
            for us in range(t0, t1):
                under = [span for span in spans if span[1] <= us < span[2]]
                least = min((span[3] for span in under), default=None)
                if under:
                    name = [span[0] for span in under if span[3] == least][-1]
                    wanted[name] = wanted.get(name, 0) + 10**6
            asked = [first + (us - begins) * 10**6 for us in (t0, t1)]
            route = f's?t0={asked[0]}&t1={asked[1]}&by=place'
            found = server.profile(route, profile).json()['rows']
            check_same(
                {r['name']: int(r['share_self']) for r in found if int(r['share_self'] or 0)},
                wanted,
                f'{t0}..{t1}',
            )
        for more in ('percentiles=1', 'where=name%3Da'):
            server.profile(f's?by=place&{more}', profile, status=400)


def around(stacks, name):
    """Callers and callees of a name, from {stack: [self, count]}, each by their path from the name
    on: total, self, count. The first frame of the name splits a stack, so that what is within
    itself counts once."""
    callers, callees = {}, {}

    def add(tree, path, weight, own, count):
        sums = tree.setdefault(path, [0, 0, 0])
        for i, more in enumerate((weight, own, count)):
            sums[i] += more

    for stack, (own, count) in stacks.items():
        if name not in stack or not (own or count):
            continue
        at = stack.index(name)
        here = len(stack) == at + 1
        for n in range(at + 1):
            add(callers, stack[at - n : at + 1][::-1], own, own * here, count * here)
        for n in range(at + 1, len(stack) + 1):
            add(callees, stack[at:n], own, own * (n == len(stack)), count * (n == len(stack)))
    return callers, callees


def check_around(answer, stacks, name, what):
    for part, wanted in zip(('callers', 'callees'), around(stacks, name)):
        by_id = {node['id']: node for node in answer[part]['nodes']}
        path = (
            lambda node: (*path(by_id[node['parent']]), node['name'])
            if node['parent']
            else (node['name'],)
        )
        found = {path(n): [int(n['total']), int(n['self']), n['count']] for n in by_id.values()}
        check_same(len(found), len(by_id), f'{what}: a path of {part} twice')
        check_same(
            found, {p: v for p, v in wanted.items() if v[0] or v[2]}, f'{what}: {part} of {name}'
        )
        weights = [int(n['total']) for n in answer[part]['nodes']]
        check(weights == sorted(weights, reverse=True), f'{what}: order of {part}')
        check_same(answer[part]['left_out'], 0, what)
    check_same(('unknown' in answer, answer['about']), (not answer['callees']['nodes'], name), what)
    check_same(int(answer['total']), sum(own for own, _ in stacks.values()), f'{what}: total')


def nested_spans(rng, threads=3):
    """(thread, start, end, names from the outermost to its own) in us: often a name is within
    itself, also with others between."""
    spans = []

    def fill(thread, start, end, above):
        at = start + 1
        while end - at > 6 and len(above) < 7:
            to = min(end - 1, at + rng.randrange(4, max(6, (end - start) * 2 // 3)))
            stack = (*above, rng.choice('aabcd'))
            spans.append((thread, at, to, stack))
            fill(thread, at, to, stack)
            at = to + rng.randrange(1, 9)

    for thread in range(1, threads + 1):
        fill(thread, 0, 1500, ())
    return spans


def stacks_of(spans, t0, t1):
    """Own time within a window and the rows that touch it, by stack, in ps."""
    inside = lambda a, b: max(0, min(b, t1) - max(a, t0)) * 10**6
    stacks = {}
    for thread, start, end, names in spans:
        if start > t1 or end < t0:
            continue
        below = sum(
            inside(a, b)
            for other, a, b, n in spans
            if other == thread and len(n) == len(names) + 1 and start < a and b < end
        )
        sums = stacks.setdefault(names, [0, 0])
        sums[0] += inside(start, end) - below
        sums[1] += 1
    return stacks


@test
def callers_and_callees_of_a_name(_):
    """Against stacks that are split at the name; names within themselves count once."""
    rng = random.Random(20)
    for _ in range(3):
        spans = nested_spans(rng)
        rng.shuffle(spans)
        check(
            any(n.index('a') < len(n) - 1 - n[::-1].index('a') for _, _, _, n in spans if 'a' in n),
            'some recursion',
        )
        path = write(
            'nested.json',
            json.dumps(
                [
                    {'ph': 'X', 'pid': 1, 'tid': t, 'ts': a, 'dur': b - a, 'name': n[-1]}
                    for t, a, b, n in spans
                ]
            ),
        )
        with Server(path) as server:
            name = server.lines[0].rsplit('/', 1)[1].strip()
            zero = (
                int(server.profile('meta', name).json()['start'])
                - min(a for _, a, _, _ in spans) * 10**6
            )
            for window in (None, (100, 700), (333, 334), (1490, 1600)):
                t0, t1 = window or (0, 10**6)
                query = '' if window is None else f'&t0={zero + t0 * 10**6}&t1={zero + t1 * 10**6}'
                for about in 'abcd':
                    check_around(
                        server.profile(f'flame?about={about}{query}', name).json(),
                        stacks_of(spans, t0, t1),
                        about,
                        f'window {window}',
                    )
            tracks = [
                t['track']
                for t in server.profile('meta', name).json()['tracks']
                if t['kind'] == 'thread' and t['label'].split()[-1] == '2'
            ]
            check_same(len(tracks), 1, 'the track of a thread')
            of_one = [s for s in spans if s[0] == 2]
            check_around(
                server.profile(f'flame?about=a&tracks={tracks[0]}', name).json(),
                stacks_of(of_one, 0, 10**6),
                'a',
                'a track',
            )
            nobody = server.profile('flame?about=nobody', name).json()
            check_same(
                (nobody['callers']['nodes'], nobody['callees']['nodes']), ([], []), 'of nobody'
            )
            check_same(
                nobody['unknown'],
                'needs a frame of this name, which no stack of the window has',
                'why',
            )
            check(
                'an answer is of one of them'
                in server.profile('flame?about=a&root=1', name, status=400).json()['error']['text'],
                'both',
            )


def launching_job(rng, steps=3):
    """A thread whose steps hold operators within operators that launch kernels: events, and (start,
    end, name) of the thread and of kernels with the time of their call, in us."""
    events, thread, kernels, k = [], [], [], 0
    for step in range(steps):
        begin = 3000 * step + 100
        thread.append((begin, begin + 2900, f'ProfilerStep#{step}'))
        for i in range(6):
            at, name = begin + 10 + 400 * i, rng.choice(('mm', 'add', 'norm'))
            thread += [
                (at, at + 300, 'nn.Module: ' + rng.choice('AB')),
                (at + 10, at + 200, 'aten::' + name),
            ]
            for part in range(rng.randrange(1, 3)):
                k += 1
                call, start = at + 20 + 80 * part, at + 150 + 100 * part
                thread.append((call, call + 10, 'cudaLaunchKernel'))
                events.append(
                    {
                        'ph': 'X',
                        'cat': 'cuda_runtime',
                        'pid': 1,
                        'tid': 1,
                        'ts': call,
                        'dur': 10,
                        'name': 'cudaLaunchKernel',
                        'args': {'correlation': k},
                    }
                )
                kernels.append((start, start + rng.randrange(20, 90), f'{name}_{part}', call))
                events.append(
                    {
                        'ph': 'X',
                        'cat': 'kernel',
                        'pid': 0,
                        'tid': 7,
                        'ts': start,
                        'dur': kernels[-1][1] - start,
                        'name': kernels[-1][2],
                        'args': {'correlation': k, 'device': 0, 'stream': 7},
                    }
                )
    kinds = {'P': 'user_annotation', 'n': 'python_function', 'a': 'cpu_op'}
    events += [
        {'ph': 'X', 'cat': kinds[name[0]], 'pid': 1, 'tid': 1, 'ts': a, 'dur': b - a, 'name': name}
        for a, b, name in thread
        if name[0] in kinds
    ]
    rng.shuffle(events)
    return (
        {
            'schemaVersion': 1,
            'deviceProperties': [{'id': 0, 'name': 'NVIDIA H100'}],
            'traceEvents': events,
        },
        thread,
        kernels,
    )


@test
def work_stands_below_what_launched_it(_):
    """Each kernel below the spans around its call, steps as one; of a window what lies in it, and
    calls that touch it."""
    document, thread, kernels = launching_job(random.Random(5))
    with Server(write('job.pt.trace.json', json.dumps(document))) as server:
        name = server.lines[0].rsplit('/', 1)[1].strip()
        start = (
            int(server.profile('meta', name).json()['start']) // 10**6 - min(thread)[0]
        )  # of our zero
        for window in (None, (3300, 4500), (120, 300)):
            wanted, t0, t1 = {}, *(window or (0, 10**6))
            for begin, end, kernel, call in kernels:
                inside = min(end, t1) - max(begin, t0)
                if inside <= 0:
                    continue
                around = sorted(
                    (a, -b, span)
                    for a, b, span in thread
                    if a <= call and b >= call + 10 and a < t1 and b > t0
                )
                known = call < t1 and call + 10 > t0
                stack = (
                    (
                        'thread 1',
                        *('(each step)' if s.startswith('Profiler') else s for _, _, s in around),
                        kernel,
                    )
                    if known
                    else ('(launch not in the window)', kernel)
                )
                sums = wanted.setdefault(stack, [0, 0])
                sums[0] += inside * 10**6
                sums[1] += 1
            route = 'flame?by=launch' + (
                '' if window is None else f'&t0={(start + t0) * 10**6}&t1={(start + t1) * 10**6}'
            )
            answer = server.profile(route, name).json()
            by_id = {node['id']: node for node in answer['nodes']}
            path = (
                lambda node: (*path(by_id[node['parent']]), node['name'])
                if node['parent']
                else (node['name'],)
            )
            check_same(
                {path(n): [int(n['self']), n['count']] for n in by_id.values() if int(n['self'])},
                wanted,
                f'window {window}',
            )
            check_same(int(answer['total']), sum(ps for ps, _ in wanted.values()), 'total')
            for node in by_id.values():
                below = sum(
                    ps
                    for stack, (ps, _) in wanted.items()
                    if stack[: len(path(node))] == path(node)
                )
                check_same(int(node['total']), below, f'total of {path(node)}')
            for about in ('cudaLaunchKernel', 'aten::mm', 'mm_0', '(each step)'):
                check_around(
                    server.profile(route + '&about=' + quote(about), name).json(),
                    wanted,
                    about,
                    f'window {window}',
                )
        root = next(n for n in by_id.values() if n['name'] == '(each step)')
        part = server.profile(f'{route}&root={root["id"]}', name).json()
        check_same(
            (part['total'], root['id'] in {n['id'] for n in part['nodes']}),
            (root['total'], True),
            'below a node',
        )
    with Server(
        write(
            'host.json',
            json.dumps([{'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 1, 'dur': 2, 'name': 'x'}]),
        )
    ) as server:
        check(
            server.profile('flame?by=launch', server.lines[0].rsplit('/', 1)[1].strip())
            .json()['unknown']
            .startswith('needs work of devices'),
            'no device',
        )


@test
def tables_as_answers(_):
    with Server(sample()) as server:
        for name, route in (
            ('gaps', 'gaps'),
            ('steps', 'steps'),
            ('operators', 'operators?level=hlo'),
        ):
            answer, table = server.profile(route).json(), server.profile(f'table/{name}').json()
            check_same(answer['columns'], table['columns'], name)
            check(all(row in table['rows'] for row in answer['rows']), f'rows of {name}')
        gaps = server.profile('gaps?device=/device:TPU:0').json()
        check_same({r[1] for r in gaps['rows']}, {'/device:TPU:0'}, 'device')
        check_same(len(gaps['rows_more']), len(gaps['rows']), 'what is around gaps')
        row, more = next((r, m) for r, m in zip(gaps['rows'], gaps['rows_more']) if r[2])
        before, after = (server.profile(f'e?row={more[k]}').json() for k in ('before', 'after'))
        check(
            int(before['end']) <= int(row[2]) and int(after['start']) >= int(row[2]) + int(row[3]),
            f'{row} {before} {after}',
        )
        steps = server.profile('steps').json()
        for part in steps['parts']:
            check(sum(map(int, part['parts'].values())) > 0, f'{part}')
        pies = server.profile('operators?level=hlo').json()['pies']
        check_same(
            sum(v for _, v in pies['by_device']), sum(v for _, v in pies['by_operator']), 'pies'
        )
        one = server.profile(
            'table/mfu?where=operator%3D(total)&columns=device,mfu&sort=device'
        ).json()
        check_same(
            [r[0] for r in one['rows']],
            ['/device:TPU:0', '/device:TPU:1'],
            'filter, columns and order',
        )
        check_same(
            server.profile('table/mfu?where=step%3E%3D2+and+layer%3D&n=0').json()['rows'], [], 'n=0'
        )


@test
def values_of_conditions_in_quotes(_):
    """A name may have commas, quotes and backslashes, and words of the grammar."""
    names = [
        'void gemm<float, 4>',
        'void gemm<float',
        'say "hi", twice',
        'back\\slash, "x"',
        'plain',
    ]
    events = [
        {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 10 * i, 'dur': 5, 'name': name}
        for i, name in enumerate(names)
    ]
    with Server(write('names.json', json.dumps({'traceEvents': events}))) as server:
        profile = server.api('profiles')['profiles'][0]['bucket']

        def ask(where, status=200):
            return server.profile(
                'table/latency?columns=name&where=' + quote(where), profile, status
            )

        def found(where):
            return sorted(row[0] for row in ask(where).json()['rows'])

        for name in names:
            quoted = name.replace('\\', '\\\\').replace('"', '\\"')
            check_same(found(f'name = "{quoted}"'), [name], name)
            check_same(
                found(f'calls >= 1 and name="{quoted}" and calls < 2'),
                [name],
                f'{name} among others',
            )
        check_same(found('name = plain'), ['plain'], 'without quotes')
        check_same(found('name = void gemm<float, 4>'), [names[0]], 'with a comma')
        check_same(found('name ~ "gemm<float,"'), [names[0]], 'a part')
        check_same(found('name=plain or name~/^say/'), ['plain', names[2]], 'either')
        check_same(found('not name~gemm and total_ns<=5 us'), sorted(names[2:]), 'units')
        check_same(found('name ~ gemm<float'), sorted(names[:2]), 'a part without quotes')
        for wrong, at in (
            ('name = "plain', 8),
            ('name = "plain" x', 16),
            ('name', 1),
            ('calls > 1 and nobody = 1', 15),
            ('name <> x', 7),
            ('calls > many', 9),
        ):
            body = ask(wrong, 400).body.decode()
            check(f'parameter where: at character {at}: expected ' in body, f'{wrong}: {body}')


@test
def gate_and_compare_as_commands(_):
    with Server(sample()) as server:
        generation = server.generation()

        def ask(path):
            return server.get('/api/v1/' + path).json()

        gate = ask(
            f'p/{ORDINARY}/{generation}/gate?demand=mfu%20%3E%2045%25&demand=step%20%3C%201ms&demand=p50(%27nobody%27)%3C1s'
        )
        check_same(
            [g['state'] for g in gate], ['met', 'met', 'not met', 'not met', 'undecided'], 'states'
        )
        check_same(gate[4]['value']['value'], None, 'unknown')
        wrong = server.ask('GET', f'/api/v1/p/{ORDINARY}/{generation}/gate?demand=nonsense')
        check_same(wrong.status, 400, f'{wrong.body}')
        same = ask(f'compare?a={ORDINARY}&b={ORDINARY}&by=operator')
        check_same(same['verdict'], 'same', 'verdict')
        check_same({r[-1] for r in same['rows']['rows']}, {'same'}, 'verdicts')
        check_same([s['profile'] for s in same['steps']], [ORDINARY] * 2, 'steps')
        server.get(f'/api/v1/compare?a={ORDINARY}', 400)
        server.get(f'/api/v1/compare?a={ORDINARY}&b=n_{"0" * 40}', 404)


@test
def exports(_):
    path = sample()
    with Server(path) as server:
        whole = server.profile('export?format=csv')
        check_same(
            whole.headers['content-disposition'],
            'attachment; filename="synthetic_tpu.xplane.pb-rows.csv"',
            'name',
        )
        check_same(
            whole.body.decode(),
            run('run', '-s', 'csv:table=events', '-o', '-', ORDINARY).expect(0).out,
            'rows',
        )
        part = server.profile(
            'export?format=csv&t0=4000000000&t1=5000000000&tracks=6'
        ).body.decode()
        names = {r['thread'] for r in csv.DictReader(io.StringIO(part)) if r['kind'] == 'span'}
        check_same(names, {'XLA Ops'}, 'tracks')
        check_same(
            json.loads(server.profile('export?format=chrome').body)['displayTimeUnit'],
            'ns',
            'chrome',
        )
        check_same(server.profile('export?format=parquet').body[:4], b'PAR1', 'parquet')
        check(
            b'| operator' in server.profile('export?format=markdown&what=operators').body,
            'markdown',
        )
        server.profile('export?what=nothing', status=400)
        server.profile('export?what=../x', status=400)


@test
def sources_and_their_lines(_):
    with Server(sample()) as server:
        files = server.profile('sources').json()['files']
        check_same([f['path'] for f in files], ['model.py', 'train.py'], 'files')
        found = server.profile('line?index=0&lines=1-400').json()
        check_same(found['total'], files[0]['events'], 'rows of all lines')
        server.profile('source?index=0', status=404)
        server.profile('source?index=99', status=404)
        server.profile('line?index=0', status=400)


@test
def what_is_not_there_says_what_it_needs(_):
    with Server(sample('node-workload.trace.json')) as server:
        name = server.lines[0].rsplit('/', 1)[1].strip()
        check_same(
            server.profile('memory', name).json()['unknown'],
            'no allocations in the file',
            'of memory what table abilities says',
        )
        for route in ('critical', 'ranks', 'roofline', 'sources', 'flame?by=layer'):
            check(server.profile(route, name).json()['unknown'].startswith('needs '), route)
        totals = server.profile('s', name).json()['totals']
        check(totals['mfu']['value'] is None and totals['mfu']['reason'], f'{totals}')
    for stats, lacks in (
        ({'flops': 1000}, 'bytes'),
        ({'bytes_accessed': 64}, 'flops'),
        ({}, 'flops and bytes'),
    ):
        core = xspace.Plane(2, '/device:TPU:0')
        core.add('XLA Ops', 'fusion.1', 5, 85, **stats)
        with Server(write('some.xplane.pb', core.data())) as server:
            said = server.profile('roofline', server.lines[0].rsplit('/', 1)[1].strip()).json()[
                'unknown'
            ]
            check_same(
                said, f'needs {lacks} of operators, which the profile does not state', f'{stats}'
            )


@test
def flops_of_zero_are_stated_or_unknown(_):
    """A copy whose flops the file states as 0 reaches 0 flop/s; of an operator without flops nobody
    knows what it reaches."""
    no_flops, no_bytes = (
        'the file states no flops of it, and no shapes tell them',
        'the file states no bytes of it',
    )
    with Server(write('stated.xplane.pb', fixtures.stated())) as server:
        answer = server.profile('roofline', server.lines[0].rsplit('/', 1)[1].strip()).json()
    found = {p['name']: (p['flops'], p['intensity'], p['reason']) for p in answer['points']}
    check_same(
        found,
        {
            'fusion.1': (4e9 / 100e-6, 200, None),
            'copy.1': (0, 0, None),
            'all-reduce.1': (None, None, no_flops),
            'fusion.2': (7e9 / 103e-6, None, no_bytes),
            'fusion.3': (None, None, no_flops),
        },
        'points',
    )
    printed = rows_of(
        run('run', '-q', '-a', 'mfu', '-s', 'csv:table=mfu', '-o', '-', 'stated.xplane.pb')
        .expect(0)
        .out
    )
    check_same(
        {r['operator']: r['flops'] for r in printed if r['operator'] in fixtures.STATED},
        {name: str(stats.get('flops', '')) for name, stats in fixtures.STATED.items()},
        'table mfu',
    )


@test
def what_the_file_does_not_tell_of_its_devices(_):
    """Of this TPU programs are there and no work: the device is there, only how busy it was is
    unknown."""
    core = xspace.Plane(2, '/device:TPU:0')
    core.add('XLA Modules', 'jit_f(1)', 5, 85, run_id=1)
    with Server(write('programs.xplane.pb', core.data())) as server:
        name = server.lines[0].rsplit('/', 1)[1].strip()
        totals = server.profile('s', name).json()['totals']  # it waits until the profile is read
        check_same(
            (totals['busy']['value'], totals['busy']['reason']),
            (None, 'the file does not tell it of each of its devices'),
            'sum',
        )
        busy = server.api('p/' + name)['profile']['busy']
        check_same(
            (busy['value'], busy['reason']),
            (None, 'the file tells when programs ran, and nothing of the work within them'),
            'list',
        )
        check(totals['mbu']['reason'].startswith('the file states no bytes'), f'{totals["mbu"]}')


@test
def of_engines_whose_code_is_not_all_in_the_file(_):
    """The list says what the report says of such a core, and the strip does not call it busy."""
    made_by('ntff_make.py', '.', '--outside')
    with Server('synthetic_1.ntff') as server:
        name = server.lines[0].rsplit('/', 1)[1].strip()
        strip = server.profile('strip', name).json()  # it waits until the profile is read
        busy = server.api('p/' + name)['profile']['busy']
        evidence = run('report', '-q', '--only', 'bound', '--format', 'csv', 'synthetic_1.ntff')
        check_same(
            (busy['value'], busy['reason']),
            (None, 'it is unknown which instructions are work'),
            'list',
        )
        check('it is unknown which instructions are work' in evidence.out, f'{evidence}')
        tracks = {
            str(track['track']): track for track in server.profile('meta', name).json()['tracks']
        }
        check_same(
            {tracks[str(one)]['kind'] for one in strip['unsure']} - {'host', 'process'},
            {'device', 'core'},
            'unsure',
        )
    with Server(sample()) as server:
        check_same(server.profile('strip').json()['unsure'], [], 'all is known of the sample')


@test
def strip_counts_work(_):
    """The mean of the strip is busy of table devices, also where annotations hold the work and
    streams run beside each other."""
    chance, kernels = random.Random(5), []
    for stream in (7, 8):
        at = 0.0
        while at < 180000:
            length = 3 + 12 * chance.random()
            kernels.append(
                {
                    'ph': 'X',
                    'cat': 'kernel',
                    'pid': 0,
                    'tid': stream,
                    'ts': round(at, 3),
                    'dur': round(length, 3),
                    'name': f'gemm_{len(kernels) % 5}',
                    'args': {'device': 0, 'stream': stream},
                }
            )
            at += length + 40 * chance.random()
    notes = [
        {
            'ph': 'X',
            'cat': 'gpu_user_annotation',
            'pid': 0,
            'tid': 7,
            'ts': 0,
            'dur': 120000,
            'name': 'forward',
        }
    ]
    with open('notes.json', 'w') as out:
        json.dump(
            {
                'schemaVersion': 1,
                'deviceProperties': [{'id': 0, 'name': 'H100'}],
                'traceEvents': notes + kernels,
            },
            out,
        )
    for given in ('notes.json', sample()):
        with Server(given) as server:
            name = server.lines[0].rsplit('/', 1)[1].strip()
            strip = server.profile('strip', name).json()  # it waits until the profile is read
            found = list(
                csv.DictReader(
                    io.StringIO(
                        server.profile('export?format=csv&what=devices', name).body.decode()
                    )
                )
            )
            devices = [
                t for t in server.profile('meta', name).json()['tracks'] if t['kind'] == 'device'
            ]
            wanted = sorted(ps(row['busy_ns']) for row in found)
            drawn = sorted(
                sum(strip['busy'][str(t['track'])]) / 255 * int(strip['p']) for t in devices
            )
            check(
                len(wanted) == len(drawn)
                and all(abs(a / b - 1) < 0.01 for a, b in zip(drawn, wanted)),
                f'{given}: {drawn}, not {wanted}',
            )
            for track, parts in strip['communication'].items():
                check(
                    all(
                        c + m <= b + 1
                        for b, c, m in zip(strip['busy'][track], parts, strip['copies'][track])
                    ),
                    f'{track}: parts are more than the whole',
                )


@test
def shares_of_the_head(_):
    """Shares of all devices together, of the spans; devices without a type count by what their
    labels share."""
    with Server(sample()) as server:
        head = server.profile('profile') and server.api(f'p/{ORDINARY}')['profile']
        found = list(
            csv.DictReader(
                io.StringIO(server.profile('export?format=csv&what=devices').body.decode())
            )
        )
        span = sum(ps(row['span_ns']) for row in found)
        for name in ('busy', 'exposed'):
            wanted = sum(ps(row[name + '_ns']) for row in found) / span
            check(abs(head[name]['value'] - wanted) < 1e-12, f'{name}: {head[name]}, not {wanted}')
    cores = [xspace.Plane(2 + i, f'/device:TPU:{i}') for i in range(3)]
    for core in cores:
        core.add('XLA Ops', 'fusion.1', 5, 85)
    with Server(write('three.xplane.pb', b''.join(core.data() for core in cores))) as server:
        name = server.lines[0].rsplit('/', 1)[1].strip()
        server.profile('profile', name)
        check_same(
            server.api('p/' + name)['profile']['devices'],
            [{'type': '/device:TPU', 'count': 3}],
            'devices',
        )


@test
def who_holds_memory_then(_):
    """What is alive at a time adds up to what the last row before it says is in use; of blocks by
    following each."""
    r, now, live, used, changes = random.Random(5), 0, {}, 7000, []
    for number in range(80):
        now += r.randrange(1, 9)
        free = live and r.random() < 0.5
        size = -live.pop(address := r.choice(sorted(live))) if free else r.randrange(1, 900)
        if not free:
            live[address := number + 1] = size
        used += size
        changes.append((now, size, address, used, sum(live.values())))
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
        for i, (at, size, address, total, _) in enumerate(changes)
    ]
    with Server(write('held.json', json.dumps({'traceEvents': events}))) as server:
        name = server.lines[0].rsplit('/', 1)[1].strip()
        start = int(server.profile('meta', name).json()['start']) - changes[0][0] * 1_000_000
        for at in [
            changes[0][0],
            changes[-1][0],
            *(r.randrange(changes[0][0], now) for _ in range(6)),
        ]:
            alive = server.get(
                f'/api/v1/p/{name}/{server.generation(name)}/memory?t={start + at * 1_000_000}'
            ).json()['alive']
            last = [c for c in changes if c[0] <= at][-1]
            check_same(sum(int(one['bytes']) for one in alive), last[3], f'in use at {at}')
            check_same(
                sum(int(one['bytes']) for one in alive if one['name'] != '(before the recording)'),
                last[4],
                f'blocks at {at}',
            )


@test
def memory_over_time(_):
    """Each value is the most that was in use until the next, by following each row; the peak is the
    greatest."""
    r, now, used, changes = random.Random(9), 0, 7000, []
    for _ in range(200):
        now += r.choice((1, 3, 2000))
        size = r.randrange(-min(used, 900), 900)
        used += size
        changes.append((now, size, used))
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
                'Addr': 1 + i,
                'Device Type': 1,
                'Device Id': 0,
                'Total Allocated': total,
                'Total Reserved': 99000,
                'Ev Idx': i,
            },
        }
        for i, (at, size, total) in enumerate(changes)
    ]
    events.append(
        {
            'ph': 'X',
            'pid': 0,
            'tid': 7,
            'ts': changes[0][0],
            'dur': 1,
            'name': 'gemm',
            'cat': 'kernel',
            'args': {'device': 0, 'stream': 7, 'correlation': 1},
        }
    )
    with Server(write('over-time.json', json.dumps({'traceEvents': events}))) as server:
        name = server.lines[0].rsplit('/', 1)[1].strip()
        shift = int(server.profile('meta', name).json()['start']) - changes[0][0] * 1_000_000
        found = server.profile('memory', name).json()
        series = [(int(t), int(n)) for t, n in found['series']]
        check(len(series) > 20 and not found['unknown_series'], f'{found}')
        check_same(max(n for _, n in series), max(c[2] for c in changes), 'the peak')
        check_same(int(found['peak']['bytes']), max(c[2] for c in changes), 'the peak that is told')
        at = [(shift + when * 1_000_000, total) for when, _, total in changes]
        for (t0, most), (t1, _) in zip(series, series[1:] + [(at[-1][0] + 1, 0)]):
            before = [total for when, total in at if when < t0][-1:]
            check_same(
                most,
                max(before + [total for when, total in at if t0 <= when < t1]),
                f'from {t0} to {t1}',
            )


@test
def ranks_beside_each_other(_):
    """Seven profiles of a job of eight, rank 5 slow by plan: each cell is that of the table that a
    run prints of the files."""
    ranks.make('job', ranks.Job(steps=3, layers=6, seed=5, slow={5: 1.08}, noise=0.005))
    os.remove('job/rank00002.json')
    printed = rows_of(
        run('run', '-q', '-a', 'ranks', '-s', 'csv:table=rank_steps', '-o', '-', 'job')
        .expect(0)
        .out
    )
    wanted = {
        (int(r['rank']), int(r['step'])): (
            ps(r['duration_ns']),
            ps(r['duration_ns']) - ps(r['idle_ns']),
            ps(r['exposed_ns']),
        )
        for r in printed
    }
    with Server('job') as server:
        name = server.lines[0].rsplit('/', 1)[1].strip()
        for column, metric in enumerate(('step', 'busy', 'exposed')):
            found = server.profile('ranks?metric=' + metric, name).json()
            check_same(found['ranks'], [f'rank {i}' for i in range(8)], 'ranks')
            check_same(
                found['states'], ['missing' if i == 2 else 'complete' for i in range(8)], 'states'
            )
            check_same(found['steps'], [str(s) for s in sorted({s for _, s in wanted})], 'steps')
            for rank, row in enumerate(found['cells']):
                for step, cell in zip(found['steps'], row):
                    known = wanted.get((rank, int(step)))
                    check_same(
                        cell['value'],
                        None if known is None else str(known[column]),
                        f'{metric} of rank {rank}, step {step}',
                    )
                    check(bool(cell['reason']) == (known is None), f'{cell}')
            check('unknown' not in found, 'unknown')
        check_same(found['stragglers'], [], 'nobody can be blamed while a rank is missing')
        stand = [
            f'rank {r["rank"]}'
            for r in rows_of(
                run('run', '-q', '-a', 'ranks', '-s', 'csv:table=ranks', '-o', '-', 'job')
                .expect(0)
                .out
            )
            if r['representative'] == 'true'
        ]
        check_same(
            [(g['value'], g['reason']) for g in found['gains']],
            [
                (None, 'no profile of this rank is among the inputs' if i == 2 else 'missing: 2')
                for i in range(8)
            ],
            'gains',
        )
        check_same(
            found['representatives'],
            [None if i == 2 else stand[0] for i in range(8)],
            'who stands for the others',
        )
        server.profile('ranks?metric=mfu', name, status=400)


def apart(spans):
    """(name of the last, by what starts and ends differ) of (name, start, end)."""
    last = max(spans, key=lambda s: s[2])
    return (
        last[0],
        str(max(s[1] for s in spans) - min(s[1] for s in spans)),
        str(last[2] - min(s[2] for s in spans)),
    )


def told_of(skew):
    return (skew['last'], skew['begin']['value'], skew['end']['value'])


@test
def who_ends_a_step_last(_):
    """By the spans of both devices; by the annotations of ranks of one host, each in a file; and of
    one device nobody."""
    path = sample()
    spans = [
        (r['name'], r['process'], ps(r['start_ns']), ps(r['start_ns']) + ps(r['duration_ns']))
        for r in rows(path)
        if r['thread'] == 'Steps'
    ]
    with Server(path) as server:
        skews = server.profile('steps').json()['skews']
    check_same(
        {s['step']: told_of(s) for s in skews},
        {name: apart([s[1:] for s in spans if s[0] == name]) for name in {s[0] for s in spans}},
        'devices',
    )
    ranks.make('job', ranks.Job(steps=3, layers=3, seed=9, stall={(4, 2, 1): 900_000}))
    steps = []
    for rank in range(8):
        for e in json.loads(read(f'job/rank{rank:05d}.json'))['traceEvents']:
            if e.get('cat') == 'user_annotation':
                start = round(e['ts'] * 1000) * 1000
                steps.append(
                    (
                        e['name'].split('#')[1],
                        f'rank {rank}',
                        start,
                        start + round(e['dur'] * 1000) * 1000,
                    )
                )
    with Server('job') as server:
        name = server.lines[0].rsplit('/', 1)[1].strip()
        skews = server.profile('steps', name).json()['skews']
        check_same(
            {s['step']: told_of(s) for s in skews},
            {name: apart([s[1:] for s in steps if s[0] == name]) for name in '012'},
            'ranks',
        )
        check_same(
            [s['input'] for s in skews],
            [f'rank{int(s["last"].split()[1]):05d}.json' for s in skews],
            'files',
        )
    with Server('job/rank00003.json') as server:
        skews = server.profile('steps', server.lines[0].rsplit('/', 1)[1].strip()).json()['skews']
    check_same(
        {(s['last'], s['end']['value'], s['end']['reason']) for s in skews},
        {(None, None, 'an annotation says when a step ends on the host, not on its devices')},
        'one rank',
    )


@test
def who_was_late(_):
    ranks.make('job', ranks.Job(steps=3, layers=6, seed=7, slow={6: 1.08}, noise=0.005))
    with Server('job') as server:
        found = server.profile('ranks', server.lines[0].rsplit('/', 1)[1].strip()).json()
    late = found['stragglers']

    def printed(table):
        return rows_of(
            run('run', '-q', '-a', 'ranks', '-s', f'csv:table={table}', '-o', '-', 'job')
            .expect(0)
            .out
        )

    gains = [float(r['gain_share']) for r in printed('ranks')]
    check_same([g['value'] for g in found['gains']], gains, 'gains')
    check_same(
        [w['value'] for w in found['waited']],
        [str(ps(r['waited_ns'])) for r in printed('ranks')],
        'for how long others wait',
    )
    steps = printed('rank_steps')
    for rank, parts in enumerate(found['parts']):
        own = [r for r in steps if int(r['rank']) == rank]
        sums = [sum(ps(r[f'{c}_ns']) for r in own) for c in ('compute', 'exposed', 'copy', 'idle')]
        sums[1] -= sums[2]
        check_same(
            [(p['part'], p['time']) for p in parts],
            [
                (name, str((total + len(own) // 2) // len(own)))
                for name, total in zip(('compute', 'comm', 'copy', 'idle'), sums)
            ],
            f'a mean step of rank {rank}',
        )
    check(gains[6] > 0.05, f'{gains}')
    check_same(late[0]['rank'], 'rank 6', 'who was late')
    check(late[0]['text'].startswith('compute: '), f'{late}')
    check(
        late[0]['text'].endswith(
            f'; without it steps would be {gains[6]:.1%} shorter'.replace('%', ' %')
        ),
        f'{late}',
    )


@test
def two_windows(_):
    with Server(sample()) as server:
        two = server.profile('s2?a=3000000000..9000000000@6&b=9000000000..14000000000@6').json()
        check_same(two['delta']['start'], '6000000000', 'start')
        one = server.profile('s?t0=3000000000&t1=9000000000&tracks=6').json()['totals']
        check_same(two['a']['totals'], one, 'totals')
        for wrong in ('s2', 's2?a=1..2', 's2?a=2..1&b=1..2', 's2?a=1&b=1..2', 's2?a=1..2@x&b=1..2'):
            server.profile(wrong, status=400)


if __name__ == '__main__':
    main()
