# SPDX-License-Identifier: Apache-2.0
"""view-kill.py - kill -9 at any moment of an ingest leaves the old profile or none, and the next
ingest is not hindered.  A moment is a call of the system that changes files: SIGKILL comes before
it (tests/faults/faults.c).

Environment: NPROF_TEST_ALL, each such call instead of some of them."""

import os
import shutil
import signal

import xspace
from harness import check, check_same, main, run, status_of, test, write

FAULTS = os.environ['NPROF_FAULTS']
SOME = 4  # calls of a name, evenly spread
STORE = os.path.join('data-home', 'nprof', 'profiles')
FILE = 'in.xplane.pb'


def rows_of_store(name):
    result = run('run', '-q', '-s', 'csv:table=events', '-o', '-', name)
    return result.out if result.status == 0 else None


def ingest(*options, fault='none:1:0'):
    return run(
        'view',
        '--ingest-only',
        *options,
        FILE,
        env={
            'LD_PRELOAD': FAULTS,
            'NPROF_FAULT': fault,
            'NPROF_FAULT_COUNT': os.path.abspath('counts'),
        },
    )


def moments():
    """Calls of the ingest that was just counted: (name, number)."""
    with open('counts', encoding='utf-8') as file:
        counts = {name: int(n) for name, n in (line.split() for line in file)}
    for name in ('mkdir', 'open', 'rename', 'write'):
        numbers = range(1, counts[name] + 1)
        if len(numbers) > SOME and not os.environ.get('NPROF_TEST_ALL'):
            numbers = [numbers[i * (len(numbers) - 1) // (SOME - 1)] for i in range(SOME)]
        yield from ((name, number) for number in numbers)


@test
def at_any_moment_of_an_ingest(_):
    write(FILE, xspace.many(20000, 2))
    name = ingest().expect(0).out.split('"')[1]
    folder, partly = os.path.join(STORE, name), 0
    shutil.rmtree(folder)
    ingest().expect(0)  # the folders around it are there now
    first = list(moments())
    ingest('--force').expect(0)
    again = list(moments())
    wanted = rows_of_store(name)
    check(wanted and wanted.count('\n') > 40000, 'rows')
    for options, calls in ((), first), (('--force',), again):
        for call, number in calls:
            where = f'{call} {number} {options}'
            if not options:
                shutil.rmtree(folder, ignore_errors=True)
            check_same(
                ingest(*options, fault=f'{call}:{number}:kill').status,
                status_of(-signal.SIGKILL),
                where,
            )
            partly += os.path.exists(folder + '.part')
            there = rows_of_store(name) if os.path.exists(folder) else None
            check(there == wanted or not options and there is None, f'{where}: it is half there')
            check_same(os.path.exists(folder), there is not None, f'{where}: a folder without rows')
            if there is None:
                ingest().expect(0)
                check(rows_of_store(name) == wanted, f'{where}: the next ingest')
    check(partly > len(first) // 2, f'{partly} of {len(first) + len(again)} were killed at work')
    ingest('--force').expect(0)
    check_same(
        [f for f in os.listdir(STORE) if f.endswith('.part')], [], 'what a later ingest leaves'
    )


if __name__ == '__main__':
    main()
