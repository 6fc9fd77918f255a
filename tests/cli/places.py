# SPDX-License-Identifier: Apache-2.0
"""places.py - a profile tells the same wherever its times lie, whichever input comes first, and in
any locale: as second input it lies before time 0, and each of its tables is the one that it has
alone, but for times, which are moved by exactly what the origins differ by.

Of the public traces the small ones are read; all of them with NPROF_TEST_ALL=1 (./dev campaign)."""

import collections
import csv
import functools
import glob
import io
import json
import os
import shutil
import subprocess
from fractions import Fraction

from harness import (
    Skip,
    add_test,
    check,
    check_same,
    files_below,
    locale_of,
    main,
    read,
    run,
    sample,
    test,
    write,
)
from samples import analyzers, together

DAY = 86400 * 10**9
TIMES = ('start_ns', 'end_ns', 'peak_ns')
OF_RUN = (
    'track',
    'id',
    'parent',
    'flow',
    'shared',
    'rows',
)  # numbers that are given in the order of inputs
SMALL = 100000  # bytes


def tables(*paths):
    shutil.rmtree('out', ignore_errors=True)
    run('run', '-q', '-s', 'csv', *analyzers(), '-o', 'out/', *paths).expect(0)
    return {
        os.path.basename(path)[:-4]: list(csv.DictReader(io.StringIO(read(path).decode())))
        for path in sorted(glob.glob('out/*.csv'))
    }


def origin_of(found, name):
    text = next(row['origin_unix_ns'] for row in found['inputs'] if row['input'] == name)
    return int(text) if text else None


def own_rows(rows, name, shift):
    """Rows of an input as a bag.  Counters that analyzers make have bins of the whole run."""
    bag = collections.Counter()
    for row in rows:
        if row.get('input') == name and row.get('kind') != 'counter':
            cells = (
                (c, str(Fraction(v) - shift) if c in TIMES else v)
                for c, v in row.items()
                if v and c not in OF_RUN
            )
            bag[tuple(sorted(cells))] += 1
    return bag


def check_alike(name, found, alone, shift, what):
    for table, rows in alone.items():
        if table in ('findings', 'summary'):  # what stands out of all inputs together
            continue
        expected, seen = (
            own_rows(
                [
                    {c: v for c, v in row.items() if (table, c) != ('verdict', 'place')}
                    for row in rows_
                ],
                name,
                by,
            )
            for rows_, by in ((rows, 0), (found.get(table, []), shift))
        )  # the place is among the devices of all
        check(
            seen == expected,
            f'{what}: {table} has {list((seen - expected).elements())[:1]}'
            f'\n instead of {list((expected - seen).elements())[:1]}',
        )


def trace(path, base, steps=3, device='NVIDIA A100'):
    """A device with steps; a kernel of each begins in its step, and fills half of it."""
    events = [{'ph': 'M', 'name': 'process_name', 'pid': 0, 'args': {'name': 'python'}}]
    for step in range(steps):
        at = 1000 * step
        events += [
            {
                'ph': 'X',
                'name': f'ProfilerStep#{step}',
                'cat': 'gpu_user_annotation',
                'pid': 0,
                'tid': 7,
                'ts': at,
                'dur': 900,
            },
            {
                'ph': 'X',
                'name': 'first',
                'cat': 'kernel',
                'pid': 0,
                'tid': 7,
                'ts': at + 100,
                'dur': 500,
                'args': {'stream': 7},
            },
            {
                'ph': 'X',
                'name': 'second',
                'cat': 'kernel',
                'pid': 0,
                'tid': 7,
                'ts': at + 650,
                'dur': 200,
                'args': {'stream': 7},
            },
        ]
    write(
        path,
        json.dumps(
            {
                'baseTimeNanoseconds': base,
                'distributedInfo': {'rank': 0, 'world_size': 1},
                'deviceProperties': [{'id': 0, 'name': device, 'totalGlobalMem': 1}],
                'traceEvents': events,
            }
        ),
    )


def check_places(path, later):
    """The profile alone, behind one that is `later` ns younger, and in front of it."""
    name = os.path.basename(path)
    alone = tables(path)
    origin = origin_of(alone, name)
    trace('later.json', (origin if origin is not None else 1700000000 * 10**9) + later)
    shift = 0
    behind = tables('later.json', path)
    if origin is not None:
        shift = origin - origin_of(behind, 'later.json')
        check_same(shift, -later, 'how far it lies before time 0')
    check_alike(name, behind, alone, shift, f'{name} second, {later} ns before')
    check_alike(name, tables(path, 'later.json'), alone, 0, f'{name} first')
    return sum(len(rows) for rows in alone.values())


@test
def before_time_0(_folder):
    """A step of a device owns its work, and none of it is foreign, wherever it lies."""
    trace('early.json', 1700000000 * 10**9)
    for later in (10**9, 100 * DAY):
        check_places('early.json', later)
    for row in tables('later.json', 'early.json')['step_breakdown']:
        check_same(row['foreign_ns'], '0', f'foreign_ns of {row["input"]} {row["step"]}')


@test
def as_far_apart_as_64_bits_hold(_folder):
    """Differences of any two times fit, in all analyzers and sinks; a run whose differences do not
    is refused."""
    for day in (-62, -53, -44, 0, 43, 53, 62, 104, 107):
        trace(f'day{day}.json', 1700000000 * 10**9 + day * DAY)
    sinks = [word for name in together() if name != 'null' for word in ('-s', name)]
    for days in ((0, 62), (0, 104), (104, 0), (53, 0, -53), (0, 62, -44), (-62, 43)):
        shutil.rmtree('out', ignore_errors=True)
        run(
            'run', '-q', *analyzers(), *sinks, '-o', 'out/', *(f'day{n}.json' for n in days)
        ).expect(0)
        busy = [
            row['busy_ns'] for row in csv.DictReader(io.StringIO(read('out/devices.csv').decode()))
        ]
        check_same(busy, ['2100000'] * len(days), f'three steps of 700 us on {days}')
    for days in ((0, 62, -62), (0, -62, 62)):
        run('report', *(f'day{n}.json' for n in days)).expect(
            2,
            err=(
                f'*day{days[-1]}.json: row * apart: day-62.json begins at 2023-09-13T22:13:20Z, day62.json ends at '
                '2024-01-15T22:13:2*: give inputs of one time together*'
            ),
        )
    run('report', 'day0.json', 'day107.json').expect(
        2, err='*day107.json: row * more than 106 days from the origin*'
    )


@test
def clocks_of_another_time(_folder):
    """A clock corrects times near those at which it was compared, and no others."""
    trace('own.json', 1700000000 * 10**9)
    for at, status, said in (
        (0, 2, '*own.json: at_unix_ns of its clock, rank 0, is more than 106 days from its times*'),
        (1700000000 * 10**9, 0, ''),
    ):
        write(
            'clocks.csv',
            f'clock,offset_ns,at_unix_ns,drift_ppm\nrank 0,{-9 * 10 ** 15},{at},9999\n',
        )
        run('run', '-q', '-s', 'null', '--clocks', 'clocks.csv', 'own.json').expect(
            status, err=said
        )


# -- Locales
# ------------------------------------------------------------------------------------------------------------

LOCALES = ('tr_TR', 'de_DE', 'fa_IR')  # other small letters; a comma; other digits


def said(path, env):
    """All that is written of a profile, by all sinks and on the screen."""
    shutil.rmtree('out', ignore_errors=True)
    sinks = [word for name in together() if name not in ('null', 'store') for word in ('-s', name)]
    result = run('run', '-j', '1', *analyzers(), *sinks, '-o', 'out/', path, env=env).expect(0)
    found = {'stderr': result.err.encode(), **files_below('out')}
    for arguments in (
        ('report', '--full', '--top', '0', '--format', 'json'),
        ('report',),
        ('report', '--format', 'html'),
        ('gate', 'mfu > 0.5%', 'step < 1.5s'),
    ):
        result = run(*arguments[:1], path, *arguments[1:], env=env)
        found[' '.join(arguments)] = f'{result.status}\n{result.out}\n{result.err}'.encode()
    return found


@functools.cache
def said_in_c(path):
    return said(path, {})


def check_locale(name, path):
    expected, found = said_in_c(path), said(path, locale_of(name))
    check_same(sorted(found), sorted(expected), 'what is written')
    for what, data in expected.items():
        check(found[what] == data, f'{what} of {os.path.basename(path)} differs in {name}')


def in_locale(name):
    trace('amd.json', 1700000000 * 10**9, device='AMD Instinct MI300X')
    check('peak' in run('report', '--only', 'mfu', 'amd.json').out, 'a peak of AMD Instinct')
    data = sorted(glob.glob(os.path.join(os.environ.get('NPROF_TEST_DATA', 'none'), '*', '*amd*')))
    for path in ['amd.json', sample(), *data]:
        check_locale(name, path)


for each in LOCALES:
    add_test('in-' + each, lambda _folder, name=each: in_locale(name))


# -- Public traces
# --------------------------------------------------------------------------------------------------------


def public(path):
    check(check_places(path, 100 * DAY), 'rows')


data = glob.glob(os.path.join(os.environ.get('NPROF_TEST_DATA', 'none'), '*', '*'))
for file in sorted(data, key=os.path.getsize):
    if not file.endswith(('.json', '.gz', '.pb')) or os.path.basename(file).startswith(
        ('bad', 'not_a')
    ):
        continue
    if os.path.getsize(file) < SMALL or os.environ.get('NPROF_TEST_ALL'):
        add_test(
            'public-' + os.path.basename(file).split('.')[0],
            lambda _folder, path=file: public(path),
        )


if __name__ == '__main__':
    main()
