# SPDX-License-Identifier: Apache-2.0
"""bench_json.py - the decoder chrome beside simdjson On-Demand, which iterates the same events and
reads two fields of each; beside what people use today on a tenth of the file: Python's json, which
most scripts begin with, and Perfetto's import.

User and system CPU together: simdjson copies the file by system calls, nprof maps it, so that the
split between both tells nothing."""

import gzip
import os
import shutil
import sys

from measure import BUDGET_ANON_MB, BUDGET_RSS_MB, Run, interleaved

PERFETTO = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli', 'perfetto.mjs')
MTIA = ('json', 'hta_mtia_trace_single_rank_mtia_rank_0.json.gz')


def measure(bench):
    for name, file, goal in inputs(bench):
        size = os.path.getsize(file)
        peer = bench.built('tests/bench/json-ondemand')
        runs = interleaved(
            {
                'simdjson': ([peer, file], None),
                'nprof': (bench.nprof_run(file, 'null', 'chrome'), None),
                'wanted': (bench.nprof_run(file, 'drain', 'chrome'), bench.with_drain),
                'one': (bench.nprof_run(file, 'null', 'chrome', jobs=1), None),
                'two': (bench.nprof_run(file, 'null', 'chrome', jobs=2), None),
                'parquet': (bench.nprof_run(file, 'parquet', 'chrome', jobs=2), None),
            },
            bench.rounds,
        )
        bench.ratio(
            f'{name}, rows, CPU: simdjson On-Demand / nprof',
            runs,
            'simdjson',
            'nprof',
            goal,
            of='cpu',
            size=size,
        )
        bench.ratio('  with all attributes', runs, 'simdjson', 'wanted', '', of='cpu', size=size)
        bench.ratio('  wall, two cores', runs, 'simdjson', 'two', '>= 2.6', of='wall', size=size)
        bench.ratio(
            '  -> Parquet -j 2, wall', runs, 'simdjson', 'parquet', '', of='wall', size=size
        )
        memory(bench, name, file)
    today(bench)


def today(bench):
    """All that the file says: rows with all attributes."""
    megabytes = bench.arguments.json_mb / 10
    file, _ = bench.generated('json-gen', 'kineto', megabytes)
    commands = {
        'nprof': (bench.nprof_run(file, 'drain', 'chrome'), bench.with_drain),
        'python': (
            [sys.executable, '-c', 'import json, sys; json.load(open(sys.argv[1]))', file],
            None,
        ),
    }
    folder = os.environ.get('NPROF_PERFETTO', '')
    if os.path.exists(os.path.join(folder, 'trace_processor.wasm')):
        commands['perfetto'] = ['node', PERFETTO, folder, file, 'select count(*) from slice'], None
    runs = interleaved(commands, bench.rounds)
    what = f'{megabytes:.0f} MB like Kineto, wall, one thread'
    bench.ratio(f"{what}: Python's json / nprof", runs, 'python', 'nprof', '', of='wall')
    if 'perfetto' in commands:
        bench.ratio(
            "  Perfetto's trace_processor (wasm) / nprof", runs, 'perfetto', 'nprof', '', of='wall'
        )


def inputs(bench):
    megabytes = bench.arguments.json_mb
    yield (
        f'{megabytes:.0f} MB like Kineto',
        bench.generated('json-gen', 'kineto', megabytes)[0],
        '>= 1.6',
    )
    yield (
        f'{megabytes:.0f} MB like Furiosa',
        bench.generated('json-gen', 'furiosa', megabytes)[0],
        '>= 1.3',
    )
    packed = bench.real(*MTIA)
    if packed:
        file = bench.path('mtia.json')
        with gzip.open(packed) as source, open(file, 'wb') as target:
            shutil.copyfileobj(source, target, 1 << 20)
        yield 'real 87 MB (MTIA)', file, '>= 1.3'


def memory(bench, name, file):
    run = Run(bench.nprof_run(file, 'drain', 'chrome', jobs=2), bench.with_drain, poll=True)
    bench.report.add(
        f'  memory, own', run.anon_kb / 1024, 'MiB', f'<= {BUDGET_ANON_MB}', f'{name} -> drain -j 2'
    )
    bench.report.add(
        f'  memory, resident', run.peak_kb / 1024, 'MiB', f'<= {BUDGET_RSS_MB}', 'peak RSS'
    )
