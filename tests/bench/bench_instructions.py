# SPDX-License-Identifier: Apache-2.0
"""bench_instructions.py - instructions an event beside nanoseconds an event: callgrind counts them
without noise, but does not see what waits for memory.  Both are differences of two sizes, so that
start and metadata cancel out."""

import os
import re
import shutil
import subprocess

from bench_analyzers import present, with_analyzers
from measure import DEVNULL, interleaved, told

SIZES_MB = (5, 15)


def measure(bench):
    if not shutil.which('valgrind'):
        print('Instructions are not counted: there is no valgrind')
        return
    for decoder, generator in (('xplane', ('xplane-gen',)), ('chrome', ('json-gen', 'kineto'))):
        for what, sink in (('rows', 'null'), ('-> Parquet', 'parquet'), ('six analyzers', 'null')):
            of_event(bench, decoder, generator, what, sink)


def count(bench, command, env=None):
    out = bench.path('callgrind.out')
    done = subprocess.run(
        ['valgrind', '--tool=callgrind', f'--callgrind-out-file={out}', *command],
        stdout=DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=True,
        env={**os.environ, **(env or {})},
    )
    os.remove(out)
    return int(re.search(r'refs:\s+([\d,]+)', done.stderr).group(1).replace(',', ''))


def of_event(bench, decoder, generator, what, sink):
    commands, events, instructions = {}, {}, {}
    for megabytes in SIZES_MB:
        file, said = bench.generated(*generator, megabytes)
        command = bench.nprof_run(file, sink, decoder)
        commands[megabytes] = (
            with_analyzers(command, present(bench)) if what == 'six analyzers' else command
        ), None
        events[megabytes] = int(said[0])
        instructions[megabytes] = count(bench, commands[megabytes][0])
    runs = interleaved(commands, bench.rounds)
    small, large = SIZES_MB
    n = events[large] - events[small]
    ns = [(most.cpu - least.cpu) / n * 1e9 for most, least in zip(runs[large], runs[small])]
    bench.report.add(
        f'{decoder}, {what}',
        (instructions[large] - instructions[small]) / n,
        'instructions',
        '',
        told(ns, 'ns of CPU an event'),
    )
