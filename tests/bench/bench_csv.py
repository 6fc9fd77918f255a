# SPDX-License-Identifier: Apache-2.0
"""bench_csv.py - rows to CSV: the whole of nprof, decoding included, beside DuckDB's COPY alone, of
the same rows on one thread.

Environment: NPROF_NPM, the folder with node_modules that ./dev fetches.
"""

import json
import os
import shutil
import statistics
import subprocess

from measure import interleaved, told

DRIVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'duckdb-csv.mjs')
COLUMNS = {'all columns': '', 'six columns': ',columns=start_ns+duration_ns+track+thread+kind+name'}


def copies(bench, modules, written):
    """DuckDB's runs: {rows, cpu, wall} each."""
    done = subprocess.run(
        ['node', DRIVER, modules, written, bench.path('duckdb.csv'), str(bench.rounds)],
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def measure(bench):
    modules = os.path.join(os.environ.get('NPROF_NPM', ''), 'node_modules')
    if not os.path.isdir(os.path.join(modules, '@duckdb')):
        print('csv is not measured: DuckDB is not here (./dev bench fetches it)')
        return
    file, _ = bench.generated('xplane-gen', bench.arguments.mb / 10)
    for what, columns in COLUMNS.items():
        folder = bench.path('csv')
        command = bench.nprof_run(
            file, 'csv:table=events' + columns, 'xplane', output=os.path.join(folder, '')
        )
        runs = interleaved({'nprof': (command, None)}, bench.rounds)['nprof']
        written = os.path.join(folder, 'events.csv')
        theirs = copies(bench, modules, written)
        size = os.path.getsize(written) / 1e6
        for kind, ours in (
            ('CPU', [r.user + r.system for r in runs]),
            ('wall', [r.wall for r in runs]),
        ):
            mine = statistics.median(ours)
            peer = statistics.median(r[kind.lower()] for r in theirs)
            bench.report.add(
                f'csv, {what}, {kind}: DuckDB COPY / nprof run -j 1',
                peer / mine,
                'x',
                '>= 1',
                f'{theirs[0]["rows"]} rows, {size:.0f} MB: {told(r[kind.lower()] for r in theirs)} / {told(ours)}',
            )
        shutil.rmtree(folder)
