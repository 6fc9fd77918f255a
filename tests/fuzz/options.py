#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""options.py - gives nprof random options over pairs of traces, in either order, for so many
seconds: samples, those with which the fuzz targets of decoders begin, and the small ones that
NPROF_TEST_DATA names. Each run ends with a status that README knows, within a minute, and no
sanitizer says a word; what fails is printed as a command line. The seed makes it again."""

import argparse
import glob
import os
import random
import shlex
import subprocess
import sys
import tempfile
import time

SMALL = 500000  # bytes
STATUSES = range(8)
ANALYZERS = [
    'critical',
    'device',
    'collectives',
    'flame',
    'flame:weight=device',
    'furiosa',
    'neuron',
    'latency',
    'latency:by=step',
    'memory',
    'mfu',
    'mfu:peak=1e15',
    'modules',
    'operators',
    'fusion',
    'chances',
    'graphs',
    'phases',
    'requests',
    'ranks',
    'steps',
    'samples',
    'device:gap=99999999999999999999',
    'critical:step=9999999',
    'critical:steps=0',
    'nope',
]
SINKS = [
    'csv',
    'csv:excel=yes',
    'csv:table=operators',
    'chrome',
    'chrome:split_mb=1',
    'parquet',
    'sqlite',
    'text',
    'text:format=json',
    'null',
    'nope',
]
SELECTION = [
    ['--from', '1ms'],
    ['--from', '-99999s'],
    ['--from', '9223372036854775807ps'],
    ['--to', '2ms'],
    ['--to', '-5ms'],
    ['--clip'],
    ['--to', '9223372036854775808ps'],
    ['--track', '*'],
    ['--name', '*gemm*'],
    ['--steps', '1-3'],
    ['--steps', 'last'],
    ['--where', 'duration>1us'],
    ['--where', 'kind=span'],
    ['-k'],
    ['-j', '1'],
    ['-j', '4'],
]
REPORT = [
    ['--full'],
    ['--tables'],
    ['--findings'],
    ['--top', '0'],
    ['--only', 'idle'],
    ['--only', 'ops,steps'],
    ['--by', 'kernels'],
    ['--format', 'json'],
    ['--format', 'html'],
    ['--format', 'markdown'],
    ['--format', 'nope'],
]
GATES = ['mfu > 45%', 'busy > 10%', 'step < 1s', "calls('*') > 0", 'memory < 5GB', 'x', '']
SQL = [
    'select count(*) from events',
    'select * from operators',
    'select max(duration_ps) from events group by name',
    'select',
]


def some(rng, choices, most):
    return [word for _ in range(rng.randrange(most + 1)) for word in rng.choice(choices)]


def command(rng, kinds, folder):
    """The words of a run; a trace is as often of one kind as of the other."""
    pair = [rng.choice(rng.choice(kinds)) for _ in range(rng.choice((1, 2, 2, 2)))]
    kind = rng.choice(('run', 'run', 'report', 'diff', 'gate', 'sql', 'flame', 'info'))
    analyzers = [['-a', name] for name in ANALYZERS]
    if kind == 'run':
        return [
            kind,
            *some(rng, analyzers, 3),
            '-s',
            rng.choice(SINKS),
            *some(rng, SELECTION, 2),
            '-o',
            folder + '/out/',
            *pair,
        ]
    if kind == 'report':
        return [kind, *some(rng, REPORT, 3), *some(rng, SELECTION, 2), *pair]
    if kind == 'diff':
        return [kind, *some(rng, SELECTION, 2), pair[0], pair[-1]]
    if kind == 'gate':
        return [kind, *some(rng, SELECTION, 1), *pair, rng.choice(GATES)]
    if kind == 'sql':
        return [kind, *some(rng, analyzers, 1), *pair, rng.choice(SQL)]
    return [kind, *some(rng, SELECTION, 2), *pair]


def fault(program, words, env):
    """What is wrong with a run; None: nothing."""
    try:
        ended = subprocess.run(
            [program, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            env=env,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return 'no end after 60 s'
    said = ended.stderr.decode('utf-8', 'backslashreplace')
    if ended.returncode in STATUSES and not any(
        word in said for word in ('Sanitizer', 'runtime error', 'CRITICAL', 'WARNING **')
    ):
        return None
    return f'status {ended.returncode}: {said[-2000:]}'


def made(build, folder):
    """Writes the samples of each decoder that has some in its program of tests."""
    for replay in sorted(glob.glob(os.path.join(build, 'tests', 'plugin', 'replay-*'))):
        own = os.path.join(folder, os.path.basename(replay))
        if os.path.isfile(replay) and '-merge-' not in replay:
            os.mkdir(own)
            subprocess.run([replay, '--seeds', own], capture_output=True, check=False)
    return sorted(glob.glob(os.path.join(folder, 'replay-*', '*')))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('build')
    parser.add_argument('seconds', type=int, nargs='?', default=60)
    parser.add_argument('--seed', type=int, default=int(time.time()))
    given = parser.parse_args()
    samples = os.path.join(
        os.path.dirname(os.path.abspath(__file__)), '..', '..', 'share', 'samples'
    )
    traces = [
        path
        for folder in (samples, os.path.join(os.environ.get('NPROF_TEST_DATA', 'none'), '*'))
        for path in sorted(glob.glob(os.path.join(folder, '*')))
        if path.endswith(('.json', '.gz', '.pb')) and os.path.getsize(path) < SMALL
    ]
    rng, end, runs, found = random.Random(given.seed), time.monotonic() + given.seconds, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        kinds = [kind for kind in (traces, made(given.build, folder)) if kind]
        env = {**os.environ, 'XDG_DATA_HOME': folder, 'UBSAN_OPTIONS': 'print_stacktrace=1'}
        while time.monotonic() < end:
            words = command(rng, kinds, folder)
            runs += 1
            wrong = fault(os.path.join(given.build, 'core', 'cli', 'nprof'), words, env)
            if wrong:
                found += 1
                print(f'$ nprof {shlex.join(words)}\n{wrong}', flush=True)
    print(
        f'options: {runs} runs over {sum(map(len, kinds))} traces, seed {given.seed}: {found} faults'
    )
    sys.exit(found > 0)


if __name__ == '__main__':
    main()
