# SPDX-License-Identifier: Apache-2.0
"""view-compare.py - what nprof view says of two profiles beside each other: steps against nprof
diff, stacks against spans that are nested here by themselves."""

import json
import random
import statistics
from collections import defaultdict

from harness import check, check_same, main, run, test, write
from viewserver import Server

US = 10**6  # ps


def nested(rng, start, end, depth=0):
    """Spans within a span, which do not overlap: (start, end, name, path), in us."""
    spans, at = [], start
    while at < end - 8 and len(spans) < 4:
        first = rng.randrange(at, end - 4)
        last = rng.randrange(first + 2, end)
        spans.append((first, last, rng.choice('abc'), depth))
        if depth < 3:
            spans += nested(rng, first, last, depth + 1)
        at = last
    return spans


def trace(rng, steps, length=1000):
    """A host with `steps` steps, and spans below and beside them on another thread."""
    spans = [
        (7, *one)
        for k in range(max(steps, 1))
        for one in nested(rng, k * length, (k + 1) * length - 20)
    ]
    events = [
        {'ph': 'X', 'pid': 1, 'tid': tid, 'ts': a, 'dur': b - a, 'name': name}
        for tid, a, b, name, _ in spans
    ]
    events += [
        {
            'ph': 'X',
            'cat': 'user_annotation',
            'pid': 1,
            'tid': 3,
            'ts': k * length + 10,
            'dur': length - 50,
            'name': f'ProfilerStep#{k}',
        }
        for k in range(steps)
    ]
    rng.shuffle(events)
    return {'schemaVersion': 1, 'traceEvents': events}, [
        (a, b, name, depth) for _, a, b, name, depth in spans
    ]


def stacks(spans, t0, t1):
    """{stack: [self, total, count]} of a window, looked at span by span."""
    found = defaultdict(lambda: [0, 0, 0])
    inside = lambda one: max(0, min(one[1], t1) - max(one[0], t0))
    for one in spans:
        around = sorted(
            (
                other
                for other in spans
                if other[0] <= one[0] and other[1] >= one[1] and other[3] <= one[3]
            ),
            key=lambda other: other[3],
        )
        if one[0] > t1 or one[1] < t0:
            continue
        stack = found[tuple(other[2] for other in around)]
        children = sum(
            inside(other)
            for other in spans
            if other[3] == one[3] + 1 and other[0] >= one[0] and other[1] <= one[1]
        )
        stack[0] += inside(one) - children
        stack[1] += inside(one)
        stack[2] += 1
    return dict(found)


def add(server, name, document):
    write(name, json.dumps(document))
    found = server.write(
        'POST', 'upload?last=1', json.dumps(document).encode(), headers={'X-Nprof-Name': name}
    )['profile']
    server.generation(found)
    return found


def tree(answer):
    """{stack: node} of an answer."""
    by_id = {node['id']: node for node in answer['nodes']}

    def path(node):
        above = by_id.get(node['parent'])
        return (path(above) if above else ()) + (node['name'],)

    return {path(node): node for node in by_id.values()}


def track_of(server, profile):
    return next(
        t['track']
        for t in server.profile('meta', profile).json()['tracks']
        if t['key'] == '7' or t['label'] in ('7', 'thread 7')
    )


@test
def stacks_of_both_are_those_of_each(_):
    rng = random.Random(4)
    with Server() as server:
        for case, (n_base, n_new) in enumerate(((0, 0), (3, 5), (2, 0), (4, 4))):
            documents = [trace(rng, n) for n in (n_base, n_new)]
            base, new = (
                add(server, f'{side}{case}.pt.trace.json', document)
                for side, (document, _) in zip('ab', documents)
            )
            tracks = '&'.join(
                f'{k}_tracks={track_of(server, p)}' for k, p in (('a', base), ('b', new))
            )
            answer = server.get(f'/api/v1/compare/flame?a={base}&b={new}&{tracks}').json()
            per_step = n_base > 0 and n_new > 0
            check_same(
                (answer['per'], answer['steps']),
                ('step', [n_base, n_new]) if per_step else ('recording', [None, None]),
                'per',
            )
            wanted = [
                stacks(spans, *((10, (n - 1) * 1000 + 960) if per_step else (-1, 10**9)))
                for n, (_, spans) in zip((n_base, n_new), documents)
            ]
            found = tree(answer)
            check_same(set(found), set(wanted[0]) | set(wanted[1]), f'stacks of case {case}')
            for stack, node in found.items():
                both = [side.get(stack) for side in wanted]
                what = f'case {case}, {stack}'
                check_same(
                    [None if v is None else int(v) for v in node['self']],
                    [one and one[0] * US for one in both],
                    what,
                )
                check_same(
                    [None if v is None else int(v) for v in node['total']],
                    [one and one[1] * US for one in both],
                    what,
                )
                check_same(node['count'], [one[2] if one else 0 for one in both], what)
                each = [
                    one and one[1] * US / (n if per_step else 1)
                    for one, n in zip(both, (n_base, n_new))
                ]
                check(
                    all(
                        f == w if w is None else abs(f - w) < 1e-3
                        for f, w in zip(node['each_ps'], each)
                    ),
                    what,
                )
                check_same(node['mark'], mark_of(*each), what)
                if each[0] and each[1] is not None:
                    check(abs(node['change'] - (each[1] / each[0] - 1)) < 1e-9, what)
                else:
                    check_same(node['change'], None, what)
            check_same(
                [int(v) for v in answer['total']],
                [sum(one[0] for one in side.values()) * US for side in wanted],
                'total',
            )


def mark_of(base, new):
    if base is None or new is None:
        return 'added' if base is None else 'removed'
    if abs(new - base) <= 0.02 * base:
        return 'same'
    return 'slower' if new > base else 'faster'


def gpu_job(rng, names, steps=4):
    """Work of devices, each kernel launched by an operator of its own: the document, and {name:
    [us, calls]}. names: for each device its kernels, in the order of launches."""
    events, sums, k = [], defaultdict(lambda: [0, 0]), 0
    for step in range(steps):
        begin, at = step * 4000, step * 4000 + 10
        for device, kernels in enumerate(names):
            for i, name in enumerate(kernels):
                k += 1
                length = 40 + 10 * i + rng.randrange(4)
                common = {'pid': 1, 'tid': 1}
                events += [
                    {
                        'ph': 'X',
                        'cat': 'cpu_op',
                        'ts': at,
                        'dur': 8,
                        'name': f'aten::op{i}',
                        **common,
                    },
                    {
                        'ph': 'X',
                        'cat': 'cuda_runtime',
                        'ts': at + 2,
                        'dur': 4,
                        'name': 'cudaLaunchKernel',
                        'args': {'correlation': k},
                        **common,
                    },
                    {
                        'ph': 'X',
                        'cat': 'kernel',
                        'pid': device,
                        'tid': 7,
                        'ts': at + 10,
                        'dur': length,
                        'name': name,
                        'args': {'correlation': k, 'device': device, 'stream': 7},
                    },
                ]
                sums[name][0] += length
                sums[name][1] += 1
                at += 110
        events.append(
            {
                'ph': 'X',
                'cat': 'user_annotation',
                'pid': 1,
                'tid': 1,
                'ts': begin,
                'dur': 3900,
                'name': f'ProfilerStep#{step}',
            }
        )
    cards = [{'id': device, 'name': 'NVIDIA H100'} for device in range(len(names))]
    return {'schemaVersion': 1, 'deviceProperties': cards, 'traceEvents': events}, sums


@test
def what_diff_calls_renamed_is_one_stack(_):
    """Names of kernels of both sides, per device; how many renames stand."""
    cases = [
        ([['gemm', 'relu', 'norm']], [['gemm_v2', 'relu', 'norm']], 1),
        ([['gemm', 'relu', 'norm']], [['gemm_v2', 'relu_v2', 'norm']], 2),
        ([['gemm', 'relu', 'norm']], [['gemm', 'relu', 'norm']], 0),
        ([['gemm', 'relu']], [['gemm', 'relu', 'added']], 0),
        ([['gemm', 'relu'], ['gemm', 'relu']], [['gemm_v2', 'relu'], ['gemm_v2', 'relu']], 1),
        ([['gemm', 'relu'], ['gemm', 'relu']], [['gemm_v2', 'relu'], ['gemm_v3', 'relu']], 0),
    ]  # devices differ: unknown
    rng = random.Random(11)
    with Server() as server:
        for case, (*both, standing) in enumerate(cases):
            documents = [gpu_job(rng, names) for names in both]
            ids = [
                add(server, f'r{side}{case}.pt.trace.json', document)
                for side, (document, _) in zip('ab', documents)
            ]
            printed = json.loads(run('diff', '--format', 'json', '-q', *ids).expect(0).out)[
                'devices'
            ]
            pairs = {tuple(pair) for device in printed for pair in device['renamed']}
            pairs = {
                old: new for old, new in pairs if sum(old in p or new in p for p in pairs) == 1
            }
            check_same(len(pairs), standing, f'case {case}: {pairs}')
            lists = [
                ','.join(
                    str(t['track'])
                    for t in server.profile('meta', one).json()['tracks']
                    if t['kind'] == 'queue'
                )
                for one in ids
            ]
            answer = server.get(
                f'/api/v1/compare/flame?a={ids[0]}&b={ids[1]}&a_tracks={lists[0]}&b_tracks={lists[1]}'
            ).json()
            (_, base), (_, new) = documents
            # Below what launched them: the same kernels.
            launched = server.get(f'/api/v1/compare/flame?a={ids[0]}&b={ids[1]}&by=launch').json()
            leaves = defaultdict(lambda: [0, 0])
            parents = {node['parent'] for node in launched['nodes']}
            for stack, node in tree(launched).items():
                if node['id'] in parents:
                    continue
                check_same(
                    (len(stack), stack[0], stack[1], stack[3]),
                    (5, 'thread 1', '(each step)', 'cudaLaunchKernel'),
                    f'{stack}',
                )
                sums = leaves[node['name'], node['renamed']]
                for k in (0, 1):
                    sums[k] += int(node['total'][k] or 0)
            check_same(
                set(leaves),
                {(name, pairs.get(name)) for name in base}
                | {(name, None) for name in new if name not in base and name not in pairs.values()},
                f'leaves of case {case}',
            )
            for (name, renamed), found_ps in leaves.items():
                check_same(
                    found_ps,
                    [
                        base[name][0] * US if name in base else 0,
                        new[renamed or name][0] * US if (renamed or name) in new else 0,
                    ],
                    f'launched, case {case}, {name}',
                )
            wanted = {
                (name, pairs.get(name)): [base[name], new.get(pairs.get(name, name))]
                for name in base
            }
            wanted.update(
                {
                    (name, None): [None, new[name]]
                    for name in new
                    if name not in base and name not in pairs.values()
                }
            )
            found = {(node['name'], node['renamed']): node for node in answer['nodes']}
            check_same(set(found), set(wanted), f'stacks of case {case}')
            for key, node in found.items():
                check_same(
                    [None if v is None else int(v) for v in node['total']],
                    [one and one[0] * US for one in wanted[key]],
                    f'case {case}, {key}',
                )
                check_same(
                    node['count'],
                    [one[1] if one else 0 for one in wanted[key]],
                    f'case {case}, {key}',
                )
                check_same(
                    node['mark'],
                    mark_of(*[one and one[0] * US / 4 for one in wanted[key]]),
                    f'case {case}, {key}',
                )


@test
def steps_are_those_of_diff(_):
    rng = random.Random(8)
    kernel = lambda k, ts, dur, name: [
        {
            'ph': 'X',
            'cat': 'cuda_runtime',
            'pid': 1,
            'tid': 1,
            'ts': ts,
            'dur': 2,
            'name': 'cudaLaunchKernel',
            'args': {'correlation': k},
        },
        {
            'ph': 'X',
            'cat': 'kernel',
            'pid': 0,
            'tid': 7,
            'ts': ts + 5,
            'dur': dur,
            'name': name,
            'args': {'correlation': k, 'device': 0, 'stream': 7},
        },
    ]

    def job(steps, slower):
        events, k = [], 0
        for step in range(steps):
            length = round(900 * slower + rng.randrange(20))
            events.append(
                {
                    'ph': 'X',
                    'cat': 'user_annotation',
                    'pid': 1,
                    'tid': 1,
                    'ts': step * 2000,
                    'dur': length + 20,
                    'name': f'ProfilerStep#{step + 3}',
                }
            )
            for name in ('gemm', 'norm'):
                k += 1
                events += kernel(k, step * 2000 + 10 * k % 400 + 5, length // 3, name)
        return {
            'schemaVersion': 1,
            'deviceProperties': [{'id': 0, 'name': 'NVIDIA H100'}],
            'traceEvents': events,
        }

    with Server() as server:
        ids = [
            add(server, name, document)
            for name, document in (
                ('base.pt.trace.json', job(5, 1)),
                ('new.pt.trace.json', job(7, 1.3)),
                ('none.pt.trace.json', job(0, 1)),
            )
        ]
        lacking = 0
        for new in ids[1:]:
            printed = json.loads(
                run('diff', '--by', 'steps', '--format', 'json', '-q', ids[0], new).expect(0).out
            )['devices']
            answer = server.get(f'/api/v1/compare?a={ids[0]}&b={new}&by=step').json()
            columns = [c['name'] for c in answer['rows']['columns']]
            found = [dict(zip(columns, row)) for row in answer['rows']['rows']]
            pairs = []
            for device in printed:
                sides = [
                    [s for s in device[key] if s['step']] for key in ('base_steps', 'new_steps')
                ]
                for i in range(max(map(len, sides))):
                    a, b = (
                        side[i] if i < len(side) else {'step': None, 'window_ps': None}
                        for side in sides
                    )
                    pairs.append(
                        (
                            str(i + 1),
                            device['base']['device'],
                            a['step'],
                            b['step'],
                            a['window_ps'],
                            b['window_ps'],
                        )
                    )
                told = next(
                    t
                    for t in answer['totals']
                    if t['part'] == 'step' and t['device'] == device['base']['device']
                )
                check_same(
                    [told[k] for k in ('a_ps', 'b_ps', 'value', 'interval', 'verdict')],
                    [
                        device['step'][k]
                        for k in ('base_ps', 'new_ps', 'delta', 'interval', 'verdict')
                    ]
                    if 'step' in device
                    else [None] * 5,
                    'the step',
                )
                median = [
                    statistics.median([s['window_ps'] for s in side]) if side else None
                    for side in sides
                ]
                check_same(
                    [
                        [m['a_ps'], m['b_ps']]
                        for m in answer['medians']
                        if m['device'] == device['base']['device']
                    ],
                    [median] if any(sides) else [],
                    'medians',
                )
            check_same(
                [
                    (r['number'], r['device'], r['step_a'], r['step_b'], r['a_ps'], r['b_ps'])
                    for r in found
                ],
                pairs,
                'pairs',
            )
            check(
                all(
                    r['change'] is None or abs(r['change'] - (r['b_ps'] / r['a_ps'] - 1)) < 1e-9
                    for r in found
                ),
                'changes',
            )
            lacking += sum(r['change'] is None for r in found)
        check(lacking >= 2, 'what one lacks')
        check(
            'medians' not in server.get(f'/api/v1/compare?a={ids[0]}&b={ids[1]}').json(),
            'medians of other rows',
        )


@test
def what_is_wrong_with_a_comparison_is_said(_):
    with Server() as server:
        one = add(server, 'one.json', trace(random.Random(1), 1)[0])
        for query, part in (
            ('', 'parameter a is missing'),
            (f'a={one}', 'parameter b is missing'),
            (f'a={one}&b={one}&by=x', 'by=x'),
            (f'a={one}&b={one}&a_tracks=x', 'a_tracks=x'),
        ):
            check(part in server.api('compare/flame?' + query, 400)['error']['text'], query)
        check(
            'no track'
            in server.api(f'compare/flame?a={one}&b={one}&b_tracks=99', 404)['error']['text'],
            'a track that is not there',
        )
        check(
            'no profile'
            in server.api(f'compare/flame?a={one}&b=n_{"0" * 40}', 404)['error']['text'],
            'a profile that is not there',
        )
        check_same(
            server.api(f'compare/flame?a={one}&b={one}&by=layer')['unknown'],
            'needs layers, which no row of either profile has',
            'no layers',
        )


if __name__ == '__main__':
    main()
