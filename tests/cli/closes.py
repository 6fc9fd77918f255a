# SPDX-License-Identifier: Apache-2.0
"""closes.py - sums that must close in the tables of any profile: parts of a step to the step,
causes to the idle time, groups of a path and its segments to the window, gaps to what a device
idles, holders to the peak, children with what is a module's own to the parent, and each way to
divide the work to all of it.

NPROF_TEST_DATA names the folder of real traces, NPROF_NTFF_REAL one with files of Neuron, of which
some are read."""

import csv
import os
import subprocess
import sys
from collections import Counter, defaultdict
from decimal import Decimal

from harness import SAMPLES, TIMEOUT, add_test, check, check_same, main, run

DATA = os.environ.get('NPROF_TEST_DATA', '')
REAL = os.environ.get('NPROF_NTFF_REAL', '')
TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools')
ANALYZERS = (
    'device',
    'operators',
    'steps',
    'critical:what_if=0',
    'modules',
    'memory',
    'flame:weight=device',
)
LARGE = 2500000  # bytes; other tests read larger ones
GROUPS = (
    'host_ns',
    'launch_ns',
    'compute_ns',
    'communication_ns',
    'copy_ns',
    'queue_ns',
    'unknown_ns',
)
EACH = 48  # of the files of Neuron


def number(text):
    """Exact; times in ps."""
    return int(Decimal(text) * 1000) if text else 0


FOUND = Counter()  # sums above 0 that were compared


class Tables:
    """Rows of CSV files by the name of their table."""

    def __init__(self, folder):
        self.folder = folder

    def __getitem__(self, name):
        path = os.path.join(self.folder, name + '.csv')
        if not os.path.exists(path):
            return []
        csv.field_size_limit(1 << 30)
        with open(path, encoding='utf-8', newline='') as file:
            return list(csv.DictReader(file))


def sums_of(rows, keys, column):
    sums = Counter()
    for row in rows:
        sums[tuple(row[key] for key in keys)] += number(row[column])
    return sums


def same_sums(one, other, what):
    FOUND[what] += sum(value > 0 for value in one.values())
    check_same({k: v for k, v in one.items() if v}, {k: v for k, v in other.items() if v}, what)


# -- Steps and paths
# --------------------------------------------------------------------------------------------------


def steps_close(tables):
    for row in tables['step_breakdown']:
        moved = ('exposed_communication_ns', 'exposed_copy_ns')
        parts = ('compute_ns', *moved, 'control_ns', 'idle_ns', 'lost_ns')
        check_same(
            sum(number(row[part]) for part in parts), number(row['window_ns']), f'parts of {row}'
        )
        causes = ('idle_host_ns', 'idle_launch_ns', 'idle_wait_ns', 'idle_unlinked_ns')
        check_same(
            sum(number(row[cause]) for cause in causes), number(row['idle_ns']), f'causes of {row}'
        )
    keys = 'input', 'device', 'step'
    same_sums(
        sums_of(tables['idle_causes'], keys, 'duration_ns'),
        sums_of(tables['step_breakdown'], keys, 'idle_ns'),
        'places of the idle time',
    )


def paths_close(tables):
    keys = 'input', 'step', 'process'
    known = [
        row for row in tables['critical'] if row['host_ns']
    ]  # without launches nothing else is known
    for row in known:
        check_same(
            sum(number(row[group]) for group in GROUPS),
            number(row['duration_ns']),
            f'groups of {row}',
        )
    segments, windows = sums_of(tables['critical_path'], keys, 'duration_ns'), sums_of(
        known, keys, 'duration_ns'
    )
    same_sums(segments, {key: windows[key] for key in segments}, 'segments of paths')


def devices_close(tables):
    keys = 'input', 'device'
    for row in tables['devices']:
        if row['busy_ns'] and row['idle_ns']:
            parts = number(row['busy_ns']) + number(row['idle_ns']) + number(row['lost_ns'])
            check_same(parts, number(row['span_ns']), f'time of {row}')
    same_sums(
        sums_of(tables['gaps'], keys, 'duration_ns'),
        sums_of(tables['devices'], keys, 'idle_ns'),
        'gaps',
    )


# -- What holds others
# --------------------------------------------------------------------------------------------------


def holders_close(tables):
    keys = 'input', 'allocator'
    held = sums_of(tables['memory_holders'], keys, 'bytes')
    peaks = sums_of([row for row in tables['memory'] if row['peak_bytes']], keys, 'peak_bytes')
    same_sums(held, {key: peaks[key] for key in held}, 'holders at the peak')


def children_close(tables, name, column):
    rows = {(row['input'], row['device'], row[column]): row for row in tables[name]}
    below = defaultdict(int)
    for (where, device, path), row in rows.items():
        parent = where, device, path.rpartition('/')[0]
        below[parent] += number(row['device_ns']) if parent in rows else 0
        FOUND[name] += parent in rows
    for place, row in rows.items():
        check_same(
            below[place] + number(row['self_ns']),
            number(row['device_ns']),
            f'{name} within {place}',
        )


# -- All work
# ----------------------------------------------------------------------------------------------------------


def work_closes(tables):
    """Kernels with copies, classes of modules and stacks each divide the time of all work that may be
    launched."""
    keys = 'input', 'device'
    launched = [*tables['kernels'], *tables['copies']]
    kernels = sums_of(launched, keys, 'total_ns')
    classes = sums_of(tables['module_classes'], keys, 'device_ns')
    same_sums(
        {k: v for k, v in classes.items() if k in kernels},
        {k: v for k, v in kernels.items() if k in classes},
        'classes',
    )
    stacks = Counter()
    for row in tables['stacks']:
        stacks[(row['input'],)] += int(row['weight'])
    if set(kernels) == {(row['input'], row['device']) for row in tables['devices']}:
        same_sums(stacks, sums_of(launched, ('input',), 'total_ns'), 'stacks')
    levels = sums_of(tables['operators'], ('input', 'device', 'level'), 'self_ns')
    for (where, device, level), time in levels.items():
        if level == 'framework' and (where, device) in kernels:
            check_same(
                time, kernels[where, device], f'operators that launched the work of {device}'
            )
            FOUND['operators'] += 1


def closes(path):
    analyzers = [word for name in ANALYZERS for word in ('-a', name)]
    run('run', '-q', *analyzers, '-s', 'csv', '-o', 'out', path).expect(0)
    tables = Tables('out')
    steps_close(tables)
    paths_close(tables)
    devices_close(tables)
    holders_close(tables)
    children_close(tables, 'modules', 'module')
    children_close(tables, 'ranges', 'range')
    work_closes(tables)


def below(folder, *endings):
    for at, _folders, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(at, name)
            refused = name.startswith(('bad_', 'not_a_trace'))
            if (
                name.endswith(endings)
                and not refused
                and (name.endswith('.pb') or os.path.getsize(path) < LARGE)
            ):
                yield path


def add(path):
    add_test(os.path.basename(path), lambda _folder: closes(path))


def made_furiosa(folder):
    subprocess.run(
        [sys.executable, '-B', os.path.join(TOOLS, 'furiosa-make.py'), 'make', folder, '5', '9'],
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=TIMEOUT,
    )
    closes(os.path.join(folder, 'synthetic_spans.csv'))


def each_sum_was_found(_folder):
    for what in (
        'places of the idle time',
        'segments of paths',
        'gaps',
        'holders at the peak',
        'classes',
        'modules',
        'ranges',
        'operators',
        'stacks',
    ):
        check(FOUND[what], f'{what}: no trace has any')


def collect():
    add_test('made-furiosa', made_furiosa)
    for path in below(SAMPLES, '.json', '.pb'):
        add(path)
    for path in below(DATA, '.json', '.json.gz', '.pb') if os.path.isdir(DATA) else ():
        add(path)
    for path in list(below(REAL, '.ntff', '.json'))[::EACH] if os.path.isdir(REAL) else ():
        add(path)
    if os.path.isdir(DATA):
        add_test('each-sum-was-found', each_sum_was_found)


if __name__ == '__main__':
    collect()
    main()
