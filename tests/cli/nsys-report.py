# SPDX-License-Identifier: Apache-2.0
"""nsys-report.py - reports of Nsight Systems (.nsys-rep): a program in the place of NVIDIA's nsys
exports a database that was made before, or fails as that does. The figures of a report are those of
its database."""

import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))

from harness import check, check_same, main, read, run, start, test, write  # noqa: E402
from viewserver import Server  # noqa: E402
import nsys_make  # noqa: E402

REPORT = b'NVIDIA Tegra Profiler Report 1.\n' + bytes(range(256)) * 40
# Notes its arguments, one a line, and ends a call with an empty one.
NSYS = """#!/bin/sh
printf '%s\\n' "$@" '' >>"$0.log"
case $MODE in
old-option) case " $* " in *--ts-normalize*) echo "unrecognised option '--ts-normalize'" >&2; exit 1 ;; esac ;;
fail) echo "Importer error status: Importation failed." >&2; echo >&2; exit 1 ;;
old) echo "The report was created by a newer version of Nsight Systems." >&2; exit 1 ;;
nothing) exit 0 ;;
slow) sleep 600 & echo $$ $! >"$0.pids"; wait ;;
noisy) i=0; while [ $i -lt 3000 ]; do echo "Processing: [====================] $i" >&2; i=$((i + 1)); done ;;
half) echo half >"$9"; exit 1 ;;
esac
while [ $# -gt 1 ]; do [ "$1" = --output ] && out=$2; shift; done
cp "$DATABASE" "$out"
"""


def calls():
    if not os.path.exists('nsys.log'):
        return []
    return [call.split('\n') for call in read('nsys.log').decode().rstrip('\n').split('\n\n')]


def prepare():
    """A report, the database that is exported of it, and a nsys."""
    write('a report.nsys-rep', REPORT)
    nsys_make.nsys('made.db', '3.25.0', nsys_make.Made(3, processes=2, n=40, steps=2))
    write('nsys', NSYS.encode())
    os.chmod('nsys', 0o755)
    return {'NPROF_NSYS': os.path.abspath('nsys'), 'DATABASE': os.path.abspath('made.db')}


def rows(path, env=None):
    """All but the name of the input."""
    lines = run('run', '-q', '-s', 'csv', '-o', '-', path, env=env).expect(0).out.splitlines()
    return [line.partition(',')[2] for line in lines]


@test
def a_report_is_its_database(_folder):
    env = prepare()
    check_same(rows('a report.nsys-rep', env), rows('made.db'), 'rows')
    (words,) = calls()
    check_same(
        words[:8] + words[9:],
        [
            'export',
            '--type',
            'sqlite',
            '--force-overwrite',
            'true',
            '--lazy',
            'false',
            '--output',
            '--ts-normalize',
            'true',
            'a report.nsys-rep',
        ],
        'arguments',
    )
    report = run('report', 'a report.nsys-rep', env=env).expect(0)
    check(report.out.startswith('Profile: a report.nsys-rep'), report.out[:80])
    check_same(len(calls()), 1, 'it is exported once')
    kept = os.listdir('cache-home/nprof/nsys')
    check_same(
        [
            len(kept),
            kept[0].endswith('.sqlite'),
            os.stat(f'cache-home/nprof/nsys/{kept[0]}').st_mode & 0o777,
        ],
        [1, True, 0o600],
        'kept',
    )
    write('a report.nsys-rep', REPORT + b'x')
    rows('a report.nsys-rep', env)
    check_same(len(calls()), 2, 'another report of that name')


@test
def of_an_earlier_nsys(_folder):
    env = prepare()
    check_same(rows('a report.nsys-rep', {**env, 'MODE': 'old-option'}), rows('made.db'), 'rows')
    check_same(['--ts-normalize' in call for call in calls()], [True, False], 'without the option')


@test
def the_export_beside_it(_folder):
    """It is taken where it is newer, and nsys is not asked."""
    env = prepare()
    os.rename('made.db', 'a report.sqlite')
    result = run('run', '-s', 'null', 'a report.nsys-rep', env=env).expect(
        0, err='*a report.nsys-rep: read as a report.sqlite, *'
    )
    check('csv' not in result.err and not calls(), result.err)
    os.utime('a report.sqlite', (1, 1))
    env['DATABASE'] = os.path.abspath('a report.sqlite')
    run('run', '-s', 'null', 'a report.nsys-rep', env=env).expect(0, err='*nsys exports it, once*')


@test
def it_fails(_folder):
    """By its own last line; nothing is kept of it."""
    env = prepare()
    for mode, why in (
        ('fail', '*nsys could not export it: Importer error status: Importation failed.'),
        (
            'old',
            '*a newer version of Nsight Systems.: name an nsys as new as the report by NPROF_NSYS',
        ),
        ('nothing', '*could not export it: it said nothing'),
        ('half', '*could not export it: *'),
    ):
        run('run', '-s', 'null', 'a report.nsys-rep', env={**env, 'MODE': mode}).expect(
            2, err=f'*a report.nsys-rep: {why}'
        )
        check_same(os.listdir('cache-home/nprof/nsys'), [], mode)
    run('run', '-q', '-s', 'null', 'a report.nsys-rep', env={**env, 'MODE': 'noisy'}).expect(0)
    run(
        'run', '-s', 'null', 'a report.nsys-rep', env={**env, 'NPROF_NSYS': '/nothing/nsys'}
    ).expect(0)
    write('b.nsys-rep', REPORT[:-1])
    run('run', '-s', 'null', 'b.nsys-rep', env={**env, 'NPROF_NSYS': '/nothing/nsys'}).expect(
        2, err='*could not be started*'
    )
    run('run', '-s', 'null', 'b.nsys-rep', env={'NPROF_NSYS': 'no'}).expect(
        2,
        err="*b.nsys-rep: it needs Nsight Systems' nsys, which is not on this machine (looked in *): run nsys export --type sqlite *",
    )


def is_alive(pid):
    try:
        with open(f'/proc/{pid}/stat', encoding='utf-8') as file:
            return file.read().rpartition(')')[2].split()[0] != 'Z'
    except FileNotFoundError:
        return False


@test
def one_that_does_not_end(_folder):
    """It goes with all that it started, by the clock and with the run."""
    env = {**prepare(), 'MODE': 'slow'}
    run('run', '-s', 'null', 'a report.nsys-rep', env={**env, 'NPROF_NSYS_TIMEOUT': '1'}).expect(
        2, err='*did not export it within 1 s: NPROF_NSYS_TIMEOUT=SECONDS*'
    )
    while any(is_alive(int(pid)) for pid in read('nsys.pids').split()):
        pass
    os.remove('nsys.pids')
    os.mkfifo('nsys.pids')  # whoever opens it waits for the other
    process = start('run', '-s', 'null', 'a report.nsys-rep', env=env)
    pids = read('nsys.pids').split()
    process.send_signal(signal.SIGINT)
    check_same(process.wait(60), 130, 'status')
    check_same(len(pids), 2, 'processes')
    while any(is_alive(int(pid)) for pid in pids):
        pass  # the signal is on its way


@test
def a_report_that_the_page_sends(_folder):
    """A server runs nsys on it only where that was allowed."""
    env = prepare()
    for options, status in (((), 400), (('--allow-export',), 200)):
        with Server(*options, env=env) as server:
            answer = server.write(
                'POST', 'upload?last=1', REPORT, status, headers={'X-Nprof-Name': 'r.nsys-rep'}
            )
            if status == 400:
                check('nsys export' in answer['error']['text'], answer)
        check_same(len(calls()), status == 200, 'calls of nsys')


if __name__ == '__main__':
    main()
