# SPDX-License-Identifier: Apache-2.0
"""kill.py - a run that is killed (SIGKILL, as by a full machine) leaves under its final names only
files that are complete: those of the older run, or its own.  What else it leaves has the name of a
temporary file, and a later run does not mind it."""

import fnmatch
import json
import os
import random
import shutil
import signal
import subprocess
import time

import xspace
from harness import check, check_same, files_below, main, read, run, start, test, write

SINKS = ['-s', 'csv', '-s', 'chrome:split_mb=1']
TEMPORARY = '.*.nprof-[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]'
ROUNDS = 50
ENDING = [
    signal.SIGTERM,
    signal.SIGINT,
    signal.SIGHUP,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGXCPU,
]


def ended(after, number):
    """Ends a run by a signal so many seconds after its start: its status."""
    process = start('run', *SINKS, '-o', 'out', 'in.xplane.pb', stderr=subprocess.DEVNULL)
    time.sleep(after)
    process.send_signal(number)
    return process.wait()


def killed(after):
    """False when it had ended by itself."""
    return ended(after, signal.SIGKILL) != 0


def check_complete(older, newer, what):
    """Each file is the older or the newer one, and a manifest lists what is there."""
    found = files_below('out')
    for name, data in found.items():
        if fnmatch.fnmatchcase(name, TEMPORARY):
            continue
        check(
            data in (older.get(name), newer.get(name)),
            f'{what}: {name} is neither the older nor the newer file: {len(data)} bytes',
        )
    if 'manifest.json' in found:
        listed = {f['name']: f['bytes'] for f in json.loads(found['manifest.json'])['files']}
        sizes = {name: len(found[name]) for name in listed if name in found}
        if found['manifest.json'] == newer['manifest.json']:
            check_same(sizes, listed, f'{what}: files of the manifest')
    return any(fnmatch.fnmatchcase(name, TEMPORARY) for name in found)


@test
def at_any_moment(_):
    for name, rows in (('old', 300), ('new', 20000)):
        write('in.xplane.pb', xspace.many(rows))
        begin = time.perf_counter()
        run('run', *SINKS, '-o', name, 'in.xplane.pb').expect(0)
        lasts = time.perf_counter() - begin
    older, newer = files_below('old'), files_below('new')
    check(len(newer) > len(older), 'the newer run has parts that the older one has not')
    seeded = random.Random(9)
    number = cut = left = 0
    while number < ROUNDS or (  # a busy machine may need more
        (cut < ROUNDS // 3 or not left) and number < 4 * ROUNDS
    ):
        number += 1
        fresh = number % 2 == 0
        shutil.rmtree('out', ignore_errors=True)
        if not fresh:
            shutil.copytree('old', 'out')
        cut += killed(seeded.random() * lasts * 1.1)
        left += check_complete({} if fresh else older, newer, f'round {number}')
    check(cut >= ROUNDS // 3, f'only {cut} of {number} runs were killed before their end')
    check(left > 0, 'no run was killed while it wrote')


@test
def asked_to_end_at_any_moment(_):
    """What ends a run in order leaves nothing behind, or the run had all of its files."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup has it ignored, and a run leaves that so
    write('in.xplane.pb', xspace.many(20000))
    begin = time.perf_counter()
    run('run', *SINKS, '-o', 'whole', 'in.xplane.pb').expect(0)
    lasts = time.perf_counter() - begin
    whole, seeded, cut = files_below('whole'), random.Random(5), set()
    number = 0
    while number < ROUNDS // 2 or (
        cut != set(ENDING) and number < 4 * ROUNDS
    ):  # a busy machine may need more
        by = ENDING[number % len(ENDING)]
        number += 1
        shown = 130 if by == signal.SIGINT else 143
        status = ended(0.02 + seeded.random() * lasts * 0.7, by)
        found = files_below('out') if os.path.exists('out') else {}
        check(status in (0, shown, -by), f'{by}: status {status}')  # -by: before main was reached
        check(
            found == (whole if status == 0 else {}), f'{by}, status {status}: left {sorted(found)}'
        )
        cut |= {by} if status == shown else set()
        shutil.rmtree('out', ignore_errors=True)
    check(cut == set(ENDING), f'only {cut} ended a run before its end')


@test
def a_later_run_does_not_mind(_):
    """Temporary files of a killed run stay: nobody can tell them from those of a run at work."""
    write('in.xplane.pb', xspace.many(100))
    os.mkdir('out')
    write('out/.events.csv.nprof-00000a', b'half a li')
    run('run', *SINKS, '-o', 'out', 'in.xplane.pb').expect(0)
    check_same(read('out/.events.csv.nprof-00000a'), b'half a li', 'a temporary file of another')
    listed = [f['name'] for f in json.loads(read('out/manifest.json'))['files']]
    check('.events.csv.nprof-00000a' not in listed, 'listed')
    again = run('run', '-v', '-s', 'null', 'out').expect(0)
    check('nprof-0' not in again.err, 'a folder is read without hidden files')


if __name__ == '__main__':
    main()
