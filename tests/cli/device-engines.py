# SPDX-License-Identifier: Apache-2.0
"""device-engines.py - table engines against unions of the rows of each track, as the csv sink
writes them."""

import collections
import glob
import json
import os
import subprocess
import sys

from harness import check, check_same, main, rows_of, run, sample, test, write
from randomtrace import ps

SOURCE = os.environ['NPROF_SOURCE']


def csv(path, what, *options):
    return rows_of(
        run('run', '-q', '-s', f'csv:table={what}', '-o', '-', path, *options).expect(0).out
    )


def union(pieces):
    total, end = 0, None
    for a, b in sorted(pieces):
        total += max(0, b - (a if end is None else max(a, end)))
        end = b if end is None else max(end, b)
    return total


def of_tracks(rows, is_work, t0=None, t1=None):
    """{track: (spans, union)} of those that touch the window"""
    tracks = collections.defaultdict(list)
    for row in rows:
        if row['kind'] != 'span' or not row['duration_ns'] or not is_work(row):
            continue
        start = ps(row['start_ns'])
        end = start + ps(row['duration_ns'])
        if (t1 is None or start <= t1) and (t0 is None or end >= t0):
            tracks[row['process'], row['thread']].append(
                (start if t0 is None else max(start, t0), end if t1 is None else min(end, t1))
            )
    return {key: (len(pieces), union(pieces)) for key, pieces in tracks.items()}


@test
def of_a_tpu(_):
    """Lines of work of each core; of a window, what lies in it."""
    rows, is_work = csv(sample(), 'events'), lambda row: row['thread'] in (
        'XLA Ops',
        'Async XLA Ops',
    )
    for window in ((None, None), (5_000_000_000, 11_000_000_000)):
        options = (
            []
            if window[0] is None
            else ['--clip', '--from', f'{window[0]}ps', '--to', f'{window[1]}ps']
        )
        found = csv(sample(), 'engines', '-a', 'device', *options)
        check_same(
            {(x['device'], x['engine']): (int(x['calls']), ps(x['busy_ns'])) for x in found},
            of_tracks(rows, is_work, *window),
            f'{window}',
        )
        spans = {
            x['device']: ps(x['span_ns'])
            for x in csv(sample(), 'devices', '-a', 'device', *options)
        }
        for x in found:
            check(abs(float(x['share']) - ps(x['busy_ns']) / spans[x['device']]) < 1e-9, f'{x}')


@test
def of_neuron_cores(_):
    """Engines without their waits, and queues of DMA; an engine whose code is not all in the file
    has neither busy nor share."""
    make = [sys.executable, '-B', os.path.join(SOURCE, 'tests', 'tools', 'ntff_make.py')]
    for folder, *option in (('whole',), ('outside', '--outside')):
        subprocess.run([*make, folder, '--count', '3', '--version', '5', *option], check=True)
    known = set()
    for name in sorted(glob.glob('*/*.ntff')):
        rows = csv(name, 'events')
        work = ('instruction', 'runtime setup', 'dma')
        expected = of_tracks(rows, lambda row: row['category'] in work)
        found = csv(name, 'engines', '-a', 'device')
        unknown = {
            (row['process'], row['thread'])
            for row in rows
            if row['category'] == 'unknown instruction'
        }
        told = {
            (x['device'].split('/')[0], x['engine']): (int(x['calls']), ps(x['busy_ns']))
            for x in found
            if x['busy_ns']
        }
        check_same(
            told, {key: value for key, value in expected.items() if key not in unknown}, name
        )
        for x in found:
            known.add(bool(x['busy_ns']))
            check_same(
                (bool(x['share']), bool(x['reason'])),
                (bool(x['busy_ns']), not x['busy_ns']),
                f'{name}: {x}',
            )
    check_same(known, {False, True}, 'engines of both kinds')


@test
def of_streams(_):
    """Streams of a GPU are engines, the host's threads are none."""
    events = [
        {
            'ph': 'X',
            'pid': 0,
            'tid': stream,
            'ts': 10 * i + stream,
            'dur': 4 + stream,
            'cat': 'kernel',
            'name': f'k{i % 3}',
            'args': {'stream': stream, 'device': 0},
        }
        for stream in (7, 13)
        for i in range(20)
    ]
    events += [
        {'ph': 'X', 'pid': 99, 'tid': 1, 'ts': 5 * i, 'dur': 4, 'cat': 'cpu_op', 'name': 'aten::mm'}
        for i in range(9)
    ]
    write(
        'gpu.json',
        json.dumps({'deviceProperties': [{'id': 0, 'name': 'NVIDIA H100'}], 'traceEvents': events}),
    )
    found = csv('gpu.json', 'engines', '-a', 'device')
    expected = of_tracks(csv('gpu.json', 'events'), lambda row: row['category'] == 'kernel')
    check_same(
        sorted((x['engine'], int(x['calls']), ps(x['busy_ns'])) for x in found),
        sorted((thread, *rest) for (_, thread), rest in expected.items()),
        'streams',
    )
    check_same(len(found), 2, 'streams')


if __name__ == '__main__':
    main()
