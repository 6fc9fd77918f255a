# SPDX-License-Identifier: Apache-2.0
"""linear.py - ten times the input takes at most twelve times the instructions, which cachegrind
counts (callgrind, which also draws a graph of calls, takes a third longer): clocks of shared
machines say nothing. Where valgrind is missing it is skipped. Half of what a run takes here is to
translate nprof, so that two cases are tried, and all with NPROF_TEST_ALL=1 (./dev campaign)."""

import os
import re
import shutil
import subprocess

from harness import NPROF, Skip, add_test, check, environment, main, write

MOST = 12


def span(n, name, category, pid, tid, **args):
    text = ','.join(f'"{key}":{value}' for key, value in args.items())
    return (
        f'{{"ph":"X","name":"{name}","cat":"{category}","pid":{pid},"tid":{tid},"ts":{10 * n},"dur":5,'
        f'"args":{{{text}}}}}'
    )


def trace(events):
    return '{"traceEvents":[' + ','.join(events) + ']}'


def rows(row):
    return lambda n: trace(row(i) for i in range(n))


def launch(n, tid):
    """A call of a thread, and the kernel that it launches."""
    return (
        span(2 * n, 'cudaLaunchKernel', 'cuda_runtime', 100, tid, correlation=n + 1)
        + ','
        + span(2 * n + 1, 'k', 'kernel', 0, 7, device=0, stream=7, correlation=n + 1)
    )


def step(n):
    return span(2 * n, f'ProfilerStep#{n}', 'user_annotation', 100, 100) + ',' + launch(n, 100)


def served(n):
    """Steps of a server within one annotation of all, each with a launch and its kernel."""

    def one(i):
        name = f'execute_context_0(0)_generation_8({8 + i % 3})'
        return span(2 * i, name, 'user_annotation', 100, 101) + ',' + launch(i, 100)

    around = (
        '{"ph":"X","name":"execute_context_0(0)_generation_7(7)","cat":"user_annotation",'
        f'"pid":100,"tid":100,"ts":0,"dur":{20 * n}}}'
    )
    return trace([around, *(one(i) for i in range(n))])


def allocation(n):
    return (
        f'{{"ph":"i","name":"[memory]","s":"t","pid":1,"tid":1,"ts":{n},"args":{{"Total Allocated":{n},"Bytes":8,"Addr":{n},'
        f'"Device Type":1,"Device Id":{n},"Total Reserved":9}}}}'
    )


def series(n):
    """One event of a counter."""
    return trace(
        [
            '{"ph":"C","name":"c","pid":1,"ts":1,"args":{'
            + ','.join(f'"s{i}":{i}' for i in range(n))
            + '}}'
        ]
    )


# Name -> (the smaller number of rows, what reads them, a trace of so many).
GROWING = {
    'streams': (
        1000,
        '-a device',
        rows(lambda n: span(n, 'k', 'kernel', 0, n, device=0, stream=n, correlation=n)),
    ),
    'processes': (2000, '-a steps', rows(lambda n: span(n, 'a', 'cpu_op', n, 1))),
    'devices': (
        1000,
        '-a critical -a device -a mfu -a modules -a phases -a ranks -a steps',
        rows(lambda n: span(n, 'k', 'kernel', n, 7, device=n, stream=7)),
    ),
    'threads': (1000, '-a critical', rows(lambda n: launch(n, n))),
    'steps': (1000, '-a ranks', rows(step)),
    'served': (1000, '-a graphs -a phases -a steps', served),
    'allocators': (1000, '-a device -a memory', rows(allocation)),
    'series-of-an-event': (2000, '-s csv -s chrome -s perfetto -s sqlite -s store', series),
}


def instructions(path, words):
    shutil.rmtree('out', ignore_errors=True)
    done = subprocess.run(
        [
            'valgrind',
            '--tool=cachegrind',
            '--cache-sim=no',
            '--cachegrind-out-file=/dev/null',
            NPROF,
            'run',
            '-q',
            '-j',
            '1',
            *words.split(),
            *('-s null'.split() if '-s' not in words else ()),
            '-o',
            'out/',
            path,
        ],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return int(re.search(r'refs:\s+([\d,]+)', done.stderr).group(1).replace(',', ''))


def grows(number, words, made):
    if not shutil.which('valgrind'):
        raise Skip('valgrind is not here')
    small, large = (instructions(write(f'{n}.json', made(n)), words) for n in (number, 10 * number))
    check(
        large <= MOST * small,
        f'{number} rows take {small} instructions, ten times as many {large / small:.1f} times as many',
    )


MOST_CODE = ('devices', 'series-of-an-event')  # most analyzers, and the sinks

for growing, case in GROWING.items():
    if growing in MOST_CODE or os.environ.get('NPROF_TEST_ALL'):
        add_test(growing, lambda _folder, of=case: grows(*of))

if __name__ == '__main__':
    main()
