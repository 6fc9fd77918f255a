# SPDX-License-Identifier: Apache-2.0
"""goldens.py - the oracle itself: against the worst possible way on random intervals, and against
numbers that others computed. No nprof here.

The goldens lie beside NPROF_TEST_DATA. NPROF_NTFF_REAL names the folder of the real NTFF files that
golden/ntff_real/expected.tsv speaks of, wherever they lie in it."""

import csv
import hashlib
import json
import os
import random
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
# pylint: disable=wrong-import-position
from harness import Skip, add_test, check, check_same, main, test

import documents
import ntff
import steps
from exact import holes, measure, nested, painted, scaled, self_times

DATA = os.environ.get('NPROF_TEST_DATA', '')
GOLDEN = os.path.join(DATA, '..', 'golden')
REAL = os.environ.get('NPROF_NTFF_REAL', '')


def random_spans(rng):
    spans = []
    for _ in range(rng.randrange(1, 40)):
        first = rng.randrange(30)
        spans.append((first, first + rng.randrange(12)))
    return spans


@test
def times_are_decimals(_folder):
    for text, ps in (
        ('1712195495406752.797', 1712195495406752797000),
        ('0.0000005', 0),
        ('-3.25', -3250000),
        ('1e3', 1000000000),
        ('.5', 500000),
        (7, 7000000),
        ('88291.647714000006', 88291647714),
        ('0.0000015', 2),
    ):
        check_same(scaled(text, 6), ps, text)


@test
def unions_moment_by_moment(_folder):
    rng = random.Random(1)
    for _ in range(200):
        spans = random_spans(rng)
        under = [any(a <= t < b for a, b in spans) for t in range(60)]
        check_same(measure(spans), sum(under), f'union of {spans}')
        free = [any(a <= t < b for a, b in holes(spans, 5, 40)) for t in range(60)]
        check_same(free, [5 <= t < 40 and not under[t] for t in range(60)], f'holes of {spans}')


def innermost(spans, moment):
    """The last to begin of those under way; of equal beginnings the shorter, of equal spans the
    later."""
    under = [(a, -b, i) for i, (a, b) in enumerate(spans) if a <= moment < b]
    return max(under)[2] if under else None


@test
def innermost_moment_by_moment(_folder):
    rng = random.Random(2)
    for _ in range(200):
        spans = random_spans(rng)
        edges, inner = painted([(a, b, i) for i, (a, b) in enumerate(spans)])
        found = [None] * 60
        for left, right, colour in zip(edges, edges[1:], inner):
            found[left:right] = [colour] * (right - left)
        check_same(found, [innermost(spans, t) for t in range(60)], f'innermost of {spans}')


def holders(spans, i):
    """All that hold span i: those that begin no later and end no earlier; of equal ones, earlier
    ones."""
    a, b = spans[i]
    return [
        k
        for k, (c, d) in enumerate(spans)
        if c <= a and d >= b and k != i and ((c, d) != (a, b) or k < i)
    ]


@test
def nesting_pair_by_pair(_folder):
    rng = random.Random(3)
    for _ in range(200):
        spans = random_spans(rng)
        expected = []
        for i in range(len(spans)):
            around = holders(spans, i)
            expected.append(max(around, default=None, key=lambda k: (spans[k][0], -spans[k][1], k)))
        check_same(nested(spans), expected, f'parents in {spans}')
        moments = [set(range(a, b)) for a, b in spans]
        for i, holder in enumerate(expected):
            if holder is not None:
                moments[holder] -= set(range(*spans[i]))
        own = [len(left) for left in moments]
        check_same(self_times(spans), own, f'self times in {spans}')


def golden_row(row):
    """A row of golden/answers/steps.json by the names of table step_breakdown."""
    launched = row['launched']
    found = {
        **row,
        'rows': launched['rows'],
        'launched_ps': launched['sum_ps'],
        'outside_window_ps': launched['outside_window_ps'],
    }
    for cause in ('host', 'launch', 'wait', 'unlinked'):
        found[f'idle_{cause}_ps'] = row['idle'].get(cause, 0)
    return found


def check_steps(path, golden):
    found = steps.steps(documents.read(path), own_first=False)  # the goldens' frames are all alike
    check_same(len(found), len(golden['steps']), 'steps')
    for (_device, name, row, _causes, names), expected in zip(
        found, map(golden_row, golden['steps'])
    ):
        del row['cut']  # of which the goldens say nothing
        check_same((row.pop('control_ps'), row.pop('lost_ps')), (0, 0), name)  # GPUs have none
        check_same(row, {key: expected[key] for key in row}, name)
        largest = sorted(names.items(), key=lambda item: (-item[1], item[0]))[:8]
        check_same([list(item) for item in largest], expected['host_spans'], f'{name}: names')


def add_steps(name, golden):
    def test_one(_folder):
        path = os.path.join(DATA, 'json', name)
        check(os.path.exists(path), f'{name} is not in the data')
        check_steps(path, golden)

    add_test('steps/' + name, test_one)


@test
def steps_made_by_hand(_folder):
    """Checked by hand in golden/answers/README.md."""
    path = os.path.join(GOLDEN, 'answers', 'micro_steps.json')
    if not os.path.exists(path):
        raise Skip('no goldens here')
    (_, _, one, _, names), (_, _, two, _, _) = steps.steps(documents.read(path))
    us = 1000000
    check_same(
        (one['start_ps'], one['window_ps'], one['compute_ps']),
        (8 * us, 122 * us, 50 * us),
        'step 1',
    )
    check_same(
        (one['exposed_communication_ps'], one['exposed_copy_ps']), (20 * us, 10 * us), 'exposed'
    )
    check_same((one['idle_host_ps'], one['idle_launch_ps']), (12 * us, 30 * us), 'idle')
    check_same(
        dict(names),
        {
            'aten::y': 6 * us,
            'aten::x': 2 * us,
            'cudaDeviceSynchronize': 2 * us,
            '(no span)': 2 * us,
        },
        'names',
    )
    check_same((two['start_ps'], two['window_ps']), (130 * us, 30 * us), 'step 2')
    check_same(
        (two['compute_ps'], two['idle_ps'], two['idle_host_ps']),
        (10 * us, 20 * us, 20 * us),
        'step 2',
    )


def ntff_numbers(path):
    """The columns of expected.tsv that follow from rows."""
    file = ntff.File(path)
    rows = list(file.rows(file.graphs[0]))
    busy = [row[2:4] for row in rows if row[1] != 'EVENT_SEMAPHORE']
    found = {'active_ps': measure(busy)}
    for engine in ntff.ENGINES.values():
        own = [row for row in rows if row[0] == engine]
        found[f'{engine}_spans'] = len(own)
        found[f'{engine}_waits'] = sum(row[1] == 'EVENT_SEMAPHORE' for row in own)
        found[f'{engine}_first_start_ps'] = min(row[2] for row in own)
        found[f'{engine}_last_end_ps'] = max(row[3] for row in own)
        found[f'{engine}_sum_ps'] = sum(row[3] - row[2] for row in own)
        found[f'{engine}_busy_ps'] = measure([r[2:4] for r in own if r[1] != 'EVENT_SEMAPHORE'])
    packets = [row for row in rows if row[1] == 'DMA']
    found.update(
        dma_packets=len(packets),
        dma_bytes=sum(row[4] for row in packets),
        dma_busy_ps=measure([row[2:4] for row in packets]),
    )
    return found


def files_by_sum(folder, wanted):
    """The paths of files that are known by their SHA-256, wherever they lie in the folder."""
    found = {}
    for at, _folders, names in os.walk(folder):
        for name in names:
            if name.endswith('.ntff'):
                path = os.path.join(at, name)
                with open(path, 'rb') as file:
                    found[hashlib.sha256(file.read()).hexdigest()] = path
    return {digest: found[digest] for digest in wanted if digest in found}


@test
def real_ntff(_folder):
    expected = os.path.join(GOLDEN, 'ntff_real', 'expected.tsv')
    if not os.path.isdir(REAL) or not os.path.exists(expected):
        raise Skip('NPROF_NTFF_REAL names no folder with real NTFF files, or there are no goldens')
    with open(expected, encoding='utf-8', newline='') as table:
        rows = {row['sha256']: row for row in csv.DictReader(table, delimiter='\t')}
    paths = files_by_sum(REAL, rows)
    for digest, path in paths.items():
        found = ntff_numbers(path)
        check_same(found, {key: int(rows[digest][key]) for key in found}, rows[digest]['path'])
    check(paths, f'none of the files of expected.tsv is in {REAL}')


def collect():
    path = os.path.join(GOLDEN, 'answers', 'steps.json')
    if not DATA or not os.path.exists(path):
        return
    with open(path, encoding='utf-8') as file:
        for name, golden in json.load(file).items():
            add_steps(name, golden)


if __name__ == '__main__':
    collect()
    main()
