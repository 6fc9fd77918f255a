# SPDX-License-Identifier: Apache-2.0
"""periods.py - periods of steps in table step_breakdown, beside a plain search through the rows
that a trace was made of: from the end of the last computing or communication that the step before
launched to that of its own."""

import csv
import io
import json
import os
import random

from harness import Skip, check_same, main, run, test, write

DATA = os.environ.get('NPROF_TEST_DATA', '')
US = 10**6  # ps


def picoseconds(text):
    whole, _, part = text.partition('.')
    return int(whole) * 1000 + int(part.ljust(3, '0') or 0)


def periods(path):
    """[(step, period in ps or None, lag)]"""
    out = run('run', '-a', 'steps', '-s', 'csv:table=step_breakdown', '-o', '-', path).expect(0).out
    return [
        (
            r['step'],
            picoseconds(r['period_ns']) if r['period_ns'] else None,
            r['lag'] in ('1', 'true'),
        )
        for r in csv.DictReader(io.StringIO(out))
    ]


def trace(steps, work):
    """steps: [(start, end)]; work: [(category, start, end, moment of its launch)], all in us"""
    events = [
        {
            'ph': 'X',
            'cat': 'user_annotation',
            'name': f'ProfilerStep#{k}',
            'ts': a,
            'dur': b - a,
            'pid': 9,
            'tid': 9,
        }
        for k, (a, b) in enumerate(steps)
    ]
    for k, (category, start, end, launched) in enumerate(work):
        events.append(
            {
                'ph': 'X',
                'cat': 'cuda_runtime',
                'name': 'cudaLaunchKernel',
                'ts': launched,
                'dur': 0.5,
                'pid': 9,
                'tid': 9,
                'args': {'correlation': k + 1},
            }
        )
        events.append(
            {
                'ph': 'X',
                'cat': category,
                'name': f'{category}_{k % 3}',
                'ts': start,
                'dur': end - start,
                'pid': 0,
                'tid': 7,
                'args': {'device': 0, 'stream': 7, 'correlation': k + 1},
            }
        )
    return json.dumps({'traceEvents': events}).encode()


def expected(steps, work):
    """The rule, by a search through all rows for each step."""
    own = [[w for w in work if a <= w[3] < b] for a, b in steps]
    counts = [[w for w in rows if w[0] == 'kernel'] or rows for rows in own]
    with_work = [k for k, rows in enumerate(counts) if rows]
    first = {k: min(w[1] for w in counts[k]) for k in with_work}
    last = {k: max(w[2] for w in counts[k]) for k in with_work}
    found = {k: (None, False) for k in range(len(steps))}
    pairs = list(zip(with_work, with_work[1:]))
    if not pairs:
        return found
    falls = any(last[b] <= last[a] for a, b in pairs)
    if falls and len(with_work) > 2 and all(first[b] > first[a] for a, b in pairs):
        return found | {a: (first[b] - first[a], False) for a, b in pairs}
    start = with_work[0]
    stray = [
        w[2]
        for w in work
        if not any(w in rows for rows in own) and w[2] <= min(w[1] for w in own[start])
    ]
    found[start] = (last[start] - max([steps[start][0], *stray]), True)
    end = last[start]
    for k in with_work[1:]:
        if last[k] > end:
            found[k] = (last[k] - end, False)
        end = max(end, last[k])
    return found


def same(steps, work, what):
    write('a.json', trace(steps, work))
    want = expected(steps, work)
    check_same(
        [(p, lag) for _, p, lag in periods('a.json')],
        [(None if p is None else p * US, lag) for p, lag in want.values()],
        what,
    )
    return want


@test
def a_device_that_lags(_folder):
    """The host runs ahead: the first window is longer by what the device still had to do."""
    steps = [(100 * k, 100 * k + 100) for k in range(5)]
    work = [('kernel', 100 * k + 60, 100 * k + 155, 100 * k + 1) for k in range(5)]
    want = same(steps, work, 'lag')
    check_same(
        list(want.values()), [(155, True)] + [(100, False)] * 4, 'the first window is in no mean'
    )


@test
def copies_and_fills_may_outlive_their_step(_folder):
    steps = [(100 * k, 100 * k + 100) for k in range(4)]
    kernels = [('kernel', 100 * k + 10, 100 * k + 80, 100 * k + 1) for k in range(4)]
    for category in ('gpu_memcpy', 'gpu_memset'):
        late = [(category, 100 * k + 81, 100 * k + 83 + 9 * (k % 2), 100 * k + 2) for k in range(4)]
        want = same(steps, kernels + late, category)
        check_same([p for p, lag in want.values() if not lag], [100] * 3, category)
        same(steps, late, f'{category} alone')


@test
def work_that_outlives_the_next_step(_folder):
    """Ends that do not rise: periods go from the first work of each step to that of the next."""
    steps = [(100 * k, 100 * k + 100) for k in range(4)]
    work = [('kernel', 100 * k + 10, 100 * k + 50, 100 * k + 1) for k in range(4)] + [
        ('kernel', 160, 290, 102)
    ]
    want = same(steps, work, 'outlives')
    check_same(list(want.values()), [(100, False)] * 3 + [(None, False)], 'no first window')


@test
def steps_without_work_and_one_alone(_folder):
    steps = [(100 * k, 100 * k + 100) for k in range(5)]
    work = [('kernel', 100 * k + 10, 100 * k + 60, 100 * k + 1) for k in (0, 1, 3, 4)]
    check_same(
        list(same(steps, work, 'one idles').values()),
        [(60, True), (100, False), (None, False), (200, False), (100, False)],
        'one idles',
    )
    check_same(
        list(same(steps, work[:1], 'one alone').values()),
        [(None, False)] * 5,
        'one step has no period',
    )


@test
def random_models(_folder):
    rng = random.Random(4)
    for n in range(60):
        count, at = rng.randrange(1, 7), 0
        steps, work, free = [], [], 0
        for _ in range(count):
            steps.append((at, at + rng.randrange(40, 120)))
            for _ in range(rng.randrange(4)):
                launched = rng.randrange(at, steps[-1][1])
                free = max(free, launched + 1) + rng.randrange(9)
                length = rng.randrange(1, 60)
                work.append(
                    (
                        rng.choice(('kernel', 'kernel', 'gpu_memcpy', 'gpu_memset')),
                        free,
                        free + length,
                        launched,
                    )
                )
                free += rng.choice((length, length, 1))
            at = steps[-1][1] + rng.choice((0, 0, 7))
        if work:
            same(steps, work, f'model {n}')


@test
def real_traces(_folder):
    """The figures follow from the raw rows of the files."""
    if not DATA:
        raise Skip('NPROF_TEST_DATA names no folder that has them')
    for name, lag, total, count, middle in (
        ('tbplugin_resnet50_2021.pt.trace.json.gz', 187948000000, 877605000000, 5, 175153000000),
        ('hta_nccl_parser_config_nccl_data.json.gz', 221861539000, 444781581000, 2, 222390790500),
    ):
        rows = periods(os.path.join(DATA, 'json', name))
        lengths = sorted(p for _, p, lags in rows if p and not lags)
        check_same([p for _, p, lags in rows if lags], [lag], name)
        check_same(
            [
                sum(lengths),
                len(lengths),
                (lengths[(count - 1) // 2] + lengths[count // 2] + 1) // 2,
            ],
            [total, count, middle],
            name,
        )


main()
