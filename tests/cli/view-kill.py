# SPDX-License-Identifier: Apache-2.0
"""view-kill.py - kill -9 at any moment of an ingest leaves the old profile or none, and the next
ingest is not hindered.

Environment: NPROF_TEST_ALL, 30 moments instead of 6. Up to five times as many are tried where none
came while it wrote."""

import os
import random
import shutil
import signal
import subprocess
import time

import xspace
from harness import check, check_same, main, run, start, test, write

MOMENTS = 30 if os.environ.get('NPROF_TEST_ALL') else 6
STORE = os.path.join('data-home', 'nprof', 'profiles')
FILE = 'in.xplane.pb'


def rows_of_store(name):
    result = run('run', '-q', '-s', 'csv:table=events', '-o', '-', name)
    return result.out if result.status == 0 else None


def ingest(*options):
    return ('view', '--ingest-only', *options, FILE)


def killed(after, *options):
    """False when it had ended by itself."""
    process = start(*ingest(*options), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    return process.wait() != 0


@test
def at_any_moment_of_an_ingest(_):
    write(FILE, xspace.many(20000, 2))
    name = run(*ingest()).expect(0).out.split('"')[1]
    begin = time.perf_counter()
    run(*ingest('--force')).expect(0)
    lasts = time.perf_counter() - begin  # with plugins and file in memory, as below
    wanted = rows_of_store(name)
    check(wanted and wanted.count('\n') > 40000, 'rows')
    moments, cut, part = random.Random(5), 0, 0
    for number in range(5 * MOMENTS):
        if number >= MOMENTS and part and cut >= MOMENTS // 2:
            break
        fresh = number % 2 == 0
        if fresh:
            shutil.rmtree(os.path.join(STORE, name), ignore_errors=True)
        ended = not killed(
            lasts * (number % MOMENTS + moments.random()) / MOMENTS,
            *([] if fresh else ['--force']),
        )
        cut += not ended
        part += os.path.exists(os.path.join(STORE, name + '.part'))
        there = rows_of_store(name) if os.path.exists(os.path.join(STORE, name)) else None
        check(
            there == wanted or (fresh and not ended and there is None),
            f'moment {number}: the profile is half there',
        )
        check_same(
            os.path.exists(os.path.join(STORE, name)),
            there is not None,
            f'moment {number}: a folder that cannot be read',
        )
        if there is None:
            run(*ingest()).expect(0)
            check(rows_of_store(name) == wanted, f'moment {number}: the next ingest')
    check(cut >= MOMENTS // 2 and part, f'{cut} of {number} were cut, {part} while it wrote')
    run(*ingest('--force')).expect(0)
    check_same(
        [f for f in os.listdir(STORE) if f.endswith('.part')], [], 'what a later ingest leaves'
    )


if __name__ == '__main__':
    main()
