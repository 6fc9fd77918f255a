# SPDX-License-Identifier: Apache-2.0
"""bench_memory.py - memory of whole runs: what is nprof's own, and what is resident with the pages
of the mapped input; of every sink, of many names and tracks, and of time and memory against the
size of the input."""

import json
import os
import shutil

from measure import BUDGET_ANON_MB, BUDGET_RSS_MB, Run

SINKS = ('null', 'text', 'csv', 'chrome', 'parquet')
SIZES_MB = (10, 100, 1000)
TRACKS, NAMES = 10000, 160000  # names of 100 bytes: 16 MB


def measure(bench):
    file, _ = bench.generated('xplane-gen', bench.arguments.mb)
    for sink in SINKS:
        for jobs in (1, 2):
            add(bench, 'xplane', file, sink, jobs)
    file, _ = bench.generated('json-gen', 'kineto', bench.arguments.json_mb)
    for sink in SINKS[1:]:
        add(bench, 'chrome', file, sink, 2)
    file, _ = bench.generated('json-gen', 'furiosa', bench.arguments.json_mb)
    for sink in SINKS[2:]:
        add(bench, 'furiosa', file, sink, 2)
    file = many(bench.path('many.json'))
    for sink in SINKS:
        add(bench, 'chrome', file, sink, 2, f', {TRACKS} tracks, {NAMES} names')
    for decoder, generator in (('xplane', ('xplane-gen',)), ('chrome', ('json-gen', 'kineto'))):
        against_size(bench, decoder, generator)


def many(path):
    with open(path, 'w', encoding='utf-8') as file:
        file.write('{"traceEvents": [\n')
        for i in range(3 * NAMES):
            event = {
                'ph': 'X',
                'pid': i % 100,
                'tid': i % TRACKS,
                'ts': i,
                'dur': 1,
                'name': f'{i % NAMES:0100d}',
                'cat': 'cpu_op',
            }
            file.write(json.dumps(event) + ',\n')
        file.write('{}]}')
    return path


def add(bench, decoder, file, sink, jobs, like=''):
    run = Run(bench.nprof_run(file, sink, decoder, jobs=jobs), poll=True)
    what = f'memory, {os.path.getsize(file) / 1e6:.0f} MB{like} {decoder} -> {sink} -j {jobs}'
    bench.report.add(
        what + ', own',
        run.anon_kb / 1024,
        'MiB',
        f'<= {BUDGET_ANON_MB}',
        f'RssAnon + RssShmem; {run.wall:.2f} s',
    )
    bench.report.add(
        what + ', resident', run.peak_kb / 1024, 'MiB', f'<= {BUDGET_RSS_MB}', 'peak RSS'
    )
    shutil.rmtree(bench.path('out'), ignore_errors=True)


def against_size(bench, decoder, generator):
    """One run a size: CPU a MB, and memory, which must not grow with it."""
    for sink in ('null', 'parquet'):
        for megabytes in SIZES_MB:
            file, _ = bench.generated(*generator, megabytes)
            run = Run(bench.nprof_run(file, sink, decoder, jobs=2), poll=True)
            size = os.path.getsize(file) / 1e6
            bench.report.add(
                f'{decoder} -> {sink} -j 2, {megabytes} MB',
                run.cpu / size * 1e3,
                'ms/MB',
                '',
                f'{run.cpu:.2f} s of CPU, {run.wall:.2f} s; own {run.anon_kb / 1024:.0f} MiB, '
                f'resident {run.peak_kb / 1024:.0f} MiB',
            )
            shutil.rmtree(bench.path('out'), ignore_errors=True)
