# SPDX-License-Identifier: Apache-2.0
"""bench_parquet.py - Parquet against DuckDB's COPY TO (zstd, one thread) of the same rows, which it
has in memory already; nprof's figure is a whole run, decoding and all, with one thread that
encodes, and less what the same run takes into a sink that wants every attribute and writes
nothing.  NPROF_PARQUET_READERS names the folder with DuckDB; ./dev bench sets it.

Reading: the rows of the same file by a whole run with one thread into the sink that writes nothing,
against DuckDB summing the same columns on one thread.

And the whole way from XSpace to Parquet on two cores against libprotobuf's Arena, which only parses
the same file, by wall time."""

import json
import os
import statistics
import subprocess

from measure import interleaved, median, said, told

DUCKDB_COPY = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'duckdb-copy.mjs')
DUCKDB_READ = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'duckdb-read.mjs')


def measure(bench):
    against_parsing(bench)
    readers = os.environ.get('NPROF_PARQUET_READERS', '')
    if not os.path.isdir(os.path.join(readers, 'node_modules')):
        print('Parquet is not measured: NPROF_PARQUET_READERS names no folder with DuckDB')
        return
    file, _ = bench.generated('xplane-gen', 100)
    compare(bench, readers, 'xplane', 'xplane', file, '>= 1.0')
    reading(bench, readers)
    kineto = bench.real('json', 'tbplugin_resnet50_2021.pt.trace.json.gz')
    if kineto:
        compare(bench, readers, 'Kineto', 'chrome', kineto, '')


def against_parsing(bench):
    file, said = bench.generated('xplane-gen', 100)
    runs = interleaved(
        {
            'arena': ([bench.built('tests/bench/xplane-arena'), file], None),
            'nprof': (
                bench.nprof_run(
                    file, 'parquet', 'xplane', jobs=2, output=bench.path('parquet-j2/')
                ),
                None,
            ),
        },
        bench.rounds,
    )
    for of, goal in (('wall', '>= 1.0'), ('cpu', '')):
        bench.ratio(
            f'xplane -> Parquet -j 2, {of}: libprotobuf Arena parse / nprof',
            runs,
            'arena',
            'nprof',
            goal,
            of=of,
            size=os.path.getsize(file),
            events=int(said[0]),
        )


def reading(bench, readers):
    """Returns the size of what compare has just written."""
    file = os.path.join(bench.path('parquet-xplane/'), 'events.parquet')
    runs = interleaved({'nprof': (bench.nprof_run(file, 'null', 'parquet'), None)}, bench.rounds)[
        'nprof'
    ]
    done = subprocess.run(
        ['node', DUCKDB_READ, readers, file, str(bench.rounds)],
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    for of, goal in (('cpu', '>= 0.5'), ('wall', '')):
        theirs, ours = statistics.median(found[of]), median(runs, of)
        bench.report.add(
            f'Parquet -> rows, {of}: DuckDB, same columns / whole run',
            theirs / ours,
            'x',
            goal,
            f'{told(found[of])} / {said(runs, of)}, {found["rows"] / ours / 1e6:.2f} M rows/s',
        )


def compare(bench, readers, what, decoder, file, goal):
    output = bench.path(f'parquet-{what}/')  # nprof writes over no run with other options
    own, peer = os.path.join(output, 'events.parquet'), bench.path('duck.parquet')
    command = bench.nprof_run(file, 'parquet:threads=1', decoder, output=output)
    both = interleaved(
        {
            'nprof': (command, None),
            'drain': (bench.nprof_run(file, 'drain', decoder), bench.with_drain),
        },
        bench.rounds,
    )
    runs = both['nprof']
    done = subprocess.run(
        ['node', DUCKDB_COPY, readers, own, peer, str(bench.rounds)],
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    ours = statistics.median(run.user + run.system for run in runs)
    theirs = statistics.median(found['cpu'])
    bench.report.add(
        f'{what} -> Parquet, user + system CPU: DuckDB COPY / whole run',
        theirs / ours,
        'x',
        goal,
        f'{told(found["cpu"])} / {said(runs, "cpu")}, {found["rows"] / ours / 1e6:.2f} M rows/s',
    )
    alone = ours - median(both['drain'], 'cpu')
    bench.report.add(
        '  the sink alone (less the run into drain)',
        theirs / alone,
        'x',
        '>= 1.0',
        f'{theirs:.3f} s / {alone:.3f} s; drain {said(both["drain"], "cpu")}',
    )
    theirs, ours = statistics.median(found['wall']), median(runs, 'wall')
    bench.report.add(
        '  wall', theirs / ours, 'x', '', f'{told(found["wall"])} / {said(runs, "wall")}'
    )
    sizes = os.path.getsize(own), os.path.getsize(peer)
    bench.report.add(
        '  size of the file: nprof / DuckDB',
        sizes[0] / sizes[1],
        'x',
        '<= 1.0',
        f'{sizes[0] / 1e6:.1f} MB / {sizes[1] / 1e6:.1f} MB',
    )
