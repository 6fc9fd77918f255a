# SPDX-License-Identifier: Apache-2.0
"""bench_report-cost.py - what `nprof report` costs beside the first one that answered no questions
(commit
76d7465), in instructions that callgrind counts, on one thread: on traces whose numbers fit together
as those of a training do, and on XSpaces; that the cost is linear in the size of the file; and the
memory that is nprof's own. NPROF_BENCH_BASE names the base's program; else it is built once below
the user's cache."""

import os
import re
import subprocess
import sys

from measure import BUDGET_ANON_MB, Run

COMMIT = '76d7465'
LIMIT = '<= 1.5'
COUNTED_MB = (
    75,
    300,
)  # callgrind takes fifty times as long as a run: ten minutes for all on a quiet machine


def measure(bench):
    base = os.environ.get('NPROF_BENCH_BASE') or build_base()
    inputs = (
        ('coherent Kineto', ('json-gen', 'coherent'), bench.arguments.json_mb),
        ('xplane', ('xplane-gen',), bench.arguments.mb),
    )
    for name, generator, full in inputs:
        small, large = (
            costs(bench, base, name, bench.generated(*generator, size)[0]) for size in COUNTED_MB
        )
        bench.report.add(
            f'{name}: a byte of {COUNTED_MB[1] / COUNTED_MB[0]:.0f} x the size / one of 1 x',
            large / small,
            'x',
            '<= 1.1',
            'instructions of nprof report a byte',
        )
        memory(bench, name, bench.generated(*generator, f'{full:.0f}')[0])


def costs(bench, base, name, file):
    """Instructions a byte."""
    size = os.path.getsize(file)
    ours, theirs = instructions(bench, bench.nprof, file), instructions(bench, base, file)
    bench.report.add(
        f'{name}, {size / 1e6:.0f} MB: nprof report / that of {COMMIT}',
        ours / theirs,
        'x',
        LIMIT,
        f'{ours / 1e6:.0f} / {theirs / 1e6:.0f} million instructions',
    )
    return ours / size


def report(bench, nprof, file):
    return [nprof, 'report', '-q', '-j', '1', '-o', bench.path('report.txt'), file]


def instructions(bench, nprof, file):
    command = [
        'valgrind',
        '--tool=callgrind',
        '--callgrind-out-file=/dev/null',
        *report(bench, nprof, file),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    counted = re.search(r'refs: +([\d,]+)', done.stderr)
    if done.returncode or not counted:
        sys.exit(f'{" ".join(command)}: {done.stderr}')
    return int(counted[1].replace(',', ''))


def memory(bench, name, file):
    run = Run(report(bench, bench.nprof, file), poll=True)
    bench.report.add(
        f'{name}, {os.path.getsize(file) / 1e6:.0f} MB: memory, own',
        run.anon_kb / 1024,
        'MiB',
        f'<= {BUDGET_ANON_MB}',
        f'RssAnon + RssShmem of nprof report -j 1; {run.cpu:.2f} s of CPU',
    )


def build_base():
    cache = os.path.join(
        os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'),
        'nprof',
        f'base-{COMMIT}',
    )
    program = os.path.join(cache, 'build', 'core', 'cli', 'nprof')
    if not os.path.exists(program):
        os.makedirs(cache, exist_ok=True)
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
        archive = subprocess.run(
            ['git', '-C', source, 'archive', COMMIT], capture_output=True, check=True
        )
        subprocess.run(['tar', '-x', '-C', cache], input=archive.stdout, check=True)
        setup = [
            'meson',
            'setup',
            '--buildtype=debugoptimized',
            os.path.join(cache, 'build'),
            cache,
        ]
        subprocess.run(setup, stdout=subprocess.DEVNULL, check=True)
        subprocess.run(
            ['ninja', '-C', os.path.join(cache, 'build')], stdout=subprocess.DEVNULL, check=True
        )
    return program
